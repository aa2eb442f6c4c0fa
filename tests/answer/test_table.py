"""The cells of an answer: names and periods, what is in each, and which sentence says it best."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.support.answers import Looked, corpus_with, doc, looked

from asof.answer.evidence import WeightedPhrase
from asof.answer.extractive import about, current_hits, table_cells
from asof.answer.match import IN_TIME, MIN_SHARE, RELATION, TableCell, match_sentence
from asof.time.moment import read
from asof.values import Superseded

QUARTERS = ("2023-Q1", "2023-Q2", "2023-Q3")


def report(name: str, quarter: str, revenue: str):
    year, q = quarter.split("-")
    text = f"Revenue was ${revenue} million in the quarter. Weather was mixed."
    return doc(f"{name} {quarter}", f"{year}-{int(q[1]) * 3:02}-25", text, f"{name} {q} {year}")


@pytest.fixture(scope="module")
def firms(tmp_path_factory):
    revenues = {"Otter Mills": ("10", "12", "11"), "Heron Rail": ("5", "6", "7")}
    with corpus_with(
        tmp_path_factory.mktemp("firms"),
        *[
            report(name, quarter, of)
            for name, each in revenues.items()
            for quarter, of in zip(QUARTERS, each, strict=True)
        ],
        doc("gossip", "2023-05-05", "Somebody saw Otter Mills at the fair.", "Gossip"),
    ) as corpus:
        yield corpus


def made(found: Looked):
    return table_cells(found.asked, found.view, found.hits, found.said)


def table(found: Looked):
    return [
        (cell.name, cell.period, [each.fact.fact.object for each in cell.matches if each.fact])
        for cell in made(found)
    ]


def test_a_cell_for_each_name_and_period(firms):
    found = looked(firms, "What was the revenue of Otter Mills and Heron Rail in each quarter of 2023?")
    assert table(found) == [
        ("Otter Mills", "2023-Q1", ["$10 million"]), ("Otter Mills", "2023-Q2", ["$12 million"]),
        ("Otter Mills", "2023-Q3", ["$11 million"]), ("Heron Rail", "2023-Q1", ["$5 million"]),
        ("Heron Rail", "2023-Q2", ["$6 million"]), ("Heron Rail", "2023-Q3", ["$7 million"]),
    ]  # fmt: skip


def test_each_time_that_is_named_is_a_cell(firms):
    found = looked(firms, "What was the revenue of Heron Rail in Q1 2023 and in Q3 2023?")
    assert table(found) == [
        ("Heron Rail", "2023-Q1", ["$5 million"]),
        ("Heron Rail", "2023-Q3", ["$7 million"]),
    ]


def test_a_time_of_which_nothing_is_known_is_an_empty_cell(firms):
    (cell,) = made(looked(firms, "What was the revenue of Heron Rail in 2031?"))
    assert (cell.period, cell.hits, cell.matches) == ("2031", [], [])


def test_a_period_without_a_figure_is_not_in_a_table_of_figures(firms):
    found = looked(firms, "How much weather did Heron Rail have in each quarter of 2023?")
    assert [cell.matches for cell in made(found)] == [[], [], []]


def test_hits_about_a_name_are_those_that_it_titles_else_those_that_say_it(firms):
    hits = looked(firms, "Otter Mills revenue fair").hits
    assert {each.document for each in about(hits, "Otter Mills")} == {f"Otter Mills {q}" for q in QUARTERS}
    assert about(hits, "") == list(hits)
    gossip = [each for each in hits if each.document == "gossip"]
    assert about(gossip, "Otter Mills") == gossip
    assert about(gossip, "Heron Rail") == []


def test_what_was_superseded_counts_no_more_unless_nothing_else_is_there(firms):
    one, other = (replace(each, superseded=None) for each in looked(firms, "Otter Mills revenue").hits[:2])
    old = replace(one, superseded=Superseded(0, other.id, other.document, other.title))
    assert current_hits([old, other]) == [other]
    assert current_hits([old]) == [old]  # what superseded it was not found


def test_how_well_a_sentence_fits(firms):
    found = looked(firms, "Heron Rail revenue in Q1 2023")
    phrase = WeightedPhrase.of("revenue", found.view)
    hit = next(each for each in found.hits if each.document == "Heron Rail 2023-Q1")
    said = [each for each in found.said if each.hit is hit]
    right = match_sentence(phrase, TableCell("Heron Rail", "", read("2023-Q1"), [hit]), said[0], found.asked)
    wrong = match_sentence(phrase, TableCell("Heron Rail", "", read("2023-Q2"), [hit]), said[0], found.asked)
    assert right is not None
    assert wrong is not None
    # all of the phrase (1) in its own words and with the title's, stated by a fact of the time, first place
    assert (right.share, right.relation_share, right.score) == (1.0, 1.0, 1.0 + RELATION + IN_TIME)
    assert (wrong.share, wrong.relation_share, wrong.score) == (1.0, 0.0, 1.0 - IN_TIME)
    assert (
        match_sentence(phrase, TableCell("", "", None, [hit]), said[1], found.asked) is None
    )  # says nothing of it
    assert 0 < MIN_SHARE < 1


@pytest.fixture(scope="module")
def wardens(tmp_path_factory):
    with corpus_with(
        tmp_path_factory.mktemp("wardens"),
        doc("a", "2016-01-05", "Lock keeper: Ada Brandt. Dogs are welcome.", "Notice at the lock"),
        doc("b", "2019-04-02", "Since 1 April 2019, Bo Lind is lock keeper of Esker.", "News"),
        doc("c", "2022-03-01", "The lock keeper, Cato Renn, has been thanked.", "Minutes"),
        doc("d", "2024-02-01", "In 2016 the lock keeper was Ada Brandt, who liked dogs.", "Looking back"),
    ) as corpus:  # fmt: skip
        yield corpus


@pytest.mark.parametrize(
    ("as_of", "document"), [("2018", "a"), ("2019-03", "a"), ("2021", "b"), ("2023", "c"), ("2025", "c")]
)
def test_who_is_in_office_is_whom_the_last_statement_names(wardens, as_of, document):
    (cell,) = made(looked(wardens, "who is the lock keeper?", as_of))
    assert [each.sentence.hit.document for each in cell.matches] == [document]


@pytest.fixture(scope="module")
def regattas(tmp_path_factory):
    titles = {
        "2021": "The cup of the Esker regatta went to Bo Lind.",
        "2022": "Cato Renn took the cup at Esker.",
    }
    with corpus_with(
        tmp_path_factory.mktemp("regattas"),
        *[doc(f"r{year}", f"{year}-07-01", text, "Esker regatta, sculls") for year, text in titles.items()],
        doc("other", "2022-08-01", "Ada Brandt won the sack race.", "Tallow fair"),
    ) as corpus:
        yield corpus


def test_the_first_hit_answers_what_is_said_in_other_words(regattas):
    """No sentence says "won the sculls"; the title and the ranking do."""
    (cell,) = made(looked(regattas, "Who won the sculls at Esker in 2022?"))
    assert [each.sentence.text for each in cell.matches] == ["Cato Renn took the cup at Esker."]


def test_other_words_are_no_figure(regattas):
    (cell,) = made(looked(regattas, "How many sculls won at Esker in 2022?"))
    assert cell.matches == []


def test_what_the_first_hit_does_not_speak_of_is_not_answered(regattas):
    (cell,) = made(looked(regattas, "Who repaired the crane at Esker in 2022?"))
    assert cell.matches == []


@pytest.fixture(scope="module")
def news(tmp_path_factory):
    with corpus_with(
        tmp_path_factory.mktemp("news"),
        doc("q2", "2023-08-01", "# Otter Mills in Q2\nRevenue was $9 million in the second quarter. "
            "We expect revenue of $12 million in the third quarter.", "Otter Mills Q2 2023"),
        doc("q3", "2023-11-01", "# Otter Mills in Q3\nRevenue was $10 million in the third quarter.",
            "Otter Mills Q3 2023"),
        doc("gazette", "2022-05-01", "The chair of the Dockyard is Nils Okafor.", "Town gazette"),
        doc("paper", "2021-05-01", "The chair of the Dockyard is Ruth Amberley.", "Dockyard paper"),
        doc("affair", "2024-05-01", "Jonas Teufert was heard. The lawyers spoke for hours. It rained. "
            "Petra Lindqvist resigned after the bridge affair.", "Affair"),
    ) as corpus:  # fmt: skip
        yield corpus


def test_what_was_expected_does_not_stand_for_what_was_reported(news):
    found = looked(news, "What was the revenue of Otter Mills in each quarter of 2023?")
    assert table(found) == [
        ("Otter Mills", "2023-Q2", ["$9 million"]),
        ("Otter Mills", "2023-Q3", ["$10 million"]),
    ]


def test_what_was_expected_is_found_where_it_is_asked_for(news):
    (cell,) = made(looked(news, "What was the expected revenue of Otter Mills in Q3 2023?"))
    assert [each.fact.fact.object for each in cell.matches] == ["$12 million"]


def test_who_is_in_force_now_may_be_told_under_any_title(news):
    (cell,) = made(looked(news, "Who is the chair of the Dockyard?"))
    assert [each.sentence.hit.document for each in cell.matches] == ["gazette"]


def test_a_sentence_about_somebody_else_is_no_answer(news):
    (cell,) = made(looked(news, "Did Jonas Teufert resign?"))
    assert "Petra" not in "".join(each.sentence.text for each in cell.matches)


@pytest.fixture(scope="module")
def offices(tmp_path_factory):
    with corpus_with(
        tmp_path_factory.mktemp("offices"),
        doc("pike", "2021-03-05", "Since 1 March 2021 Ada Pike is mayor of Torle.", "Torle news"),
        doc("lund", "2023-06-02", "Since 1 June 2023 Bo Lund is mayor of Torle.", "Torle news again"),
        doc("fares", "2021-01-01", "The ferry costs €4.", "Fares"),
    ) as corpus:
        yield corpus


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Who was mayor of Torle in April 2021?", ["Ada Pike"]),
        ("Who was mayor of Torle in 2022?", ["Ada Pike"]),
        ("Who was mayor of Torle in August 2023?", ["Bo Lund"]),
        ("Who was mayor of Torle in 2019?", []),  # before the first of them
        ("Who will be mayor of Torle in 2031?", []),  # nobody knows how long it lasts
    ],
)
def test_a_state_lasts_until_the_next(offices, question, answer):
    (cell,) = made(looked(offices, question))
    said = " ".join(each.sentence.text for each in cell.matches)
    assert [name for name in ("Ada Pike", "Bo Lund") if name in said] == answer
