"""Answers by quotes: tables, successors, contradictions, refusals, and what they leave out."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.support.answers import answered, corpus_fixture, corpus_with, doc

from asof import plugins
from asof.answer.answerable import LEAST, AnswerSigns, probability
from asof.answer.ask import answering
from asof.answer.choose import QUOTE_CHARACTERS
from asof.answer.statements import WeightedPhrase
from asof.answer.table import MAX_CELLS
from asof.documents import Document, Heading
from asof.errors import UsageError
from asof.hits import Answer, Citation
from asof.rank.words import largest_idf

FIRMS = [
    doc(f"{firm} {q}", f"2023-{q * 3:02}-25", text, f"{title} Q{q} 2023")
    for q, month, otter, margin in ((1, "March", 10, 30), (2, "June", 12, 28), (3, "September", 11, 31))
    for firm, title, text in (
        ("otter", "Otter Mills", f"Revenue was ${otter} million. The gross margin was {margin}%."),
        ("heron", "Heron Rail", f"Revenue was ${q} million, as {month} was dry."),
    )
]
"""Two firms, three quarters; one of them says its margin too."""

mills = corpus_fixture(*FIRMS, doc("lunch", "2023-07-01", "Otter Mills serves lunch at noon.", "Lunch"))


@pytest.fixture
def ask(mills):
    return lambda question, as_of=None, **options: mills.at(as_of).ask(question, mode="local", **options)


def test_a_single_sentence_is_quoted_with_its_source_and_date(ask):
    made = ask("What was the gross margin of Otter Mills in Q2 2023?")
    assert made.text == "[1] “The gross margin was 28%.” (Otter Mills Q2 2023, 2023-06-25)"
    assert (made.refused, made.reason, made.mode, made.by) == (False, "", "local", "extractive")
    assert (made.values, made.cost) == ((), None)
    (citation,) = made.citations
    assert (citation.n, citation.document, citation.quote) == (1, "otter 2", "The gross margin was 28%.")
    assert citation.id.startswith("otter 2#")


def test_a_table_in_order_of_time(mills, ask):
    made = ask("What was the revenue of Otter Mills and Heron Rail in Q1 2023 and Q3 2023?")
    assert [(each.name, each.period, each.measure, each.value) for each in made.values] == [
        ("Otter Mills", "2023-Q1", "revenue", "$10 million"),
        ("Otter Mills", "2023-Q3", "revenue", "$11 million"),
        ("Heron Rail", "2023-Q1", "revenue", "$1 million"),
        ("Heron Rail", "2023-Q3", "revenue", "$3 million"),
    ]
    cited = {each.n: each for each in made.citations}
    for value in made.values:
        assert value.value in cited[value.citation].quote
        assert cited[value.citation].quote in mills.at().text(cited[value.citation].document)
    assert made.text.splitlines()[0] == "Otter Mills  2023-Q1  revenue: $10 million [1]"


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("Which quarter of 2023 had the highest revenue", "highest: Otter Mills  2023-Q2, $12 million"),
        ("In which quarter of 2023 was the gross margin lowest", "lowest: Otter Mills  2023-Q2, 28%"),
    ],
)
def test_one_of_several_is_chosen(ask, question, first):
    assert ask(f"{question} for Otter Mills?").text.splitlines()[0] == first


def test_nothing_is_chosen_where_not_all_can_be_compared(tmp_path):
    made = answered(
        tmp_path,
        "Which quarter of 2023 had the highest revenue for Otter Mills?",
        doc("a", "2023-03-25", "Revenue was $10 million.", "Otter Mills Q1 2023"),
        doc("b", "2023-06-25", "Revenue was €12 million.", "Otter Mills Q2 2023"),
    )
    assert [each.value for each in made.values] == ["$10 million", "€12 million"]
    assert not made.text.startswith("highest")


def test_a_figure_is_shown_whose_label_does_not_say_the_word(tmp_path):
    fares = [
        doc(year, f"{year}-04-01", f"# Fares {year}\n\nTicket: {price}",
            outline=(Heading(0, 1, f"Fares {year}"),))
        for year, price in (("2019", "€4.20"), ("2020", "€4.50"))
    ]  # fmt: skip
    made = answered(tmp_path, "what was the fare in each year?", *fares)
    assert [(each.period, each.value) for each in made.values] == [("2019", "€4.20"), ("2020", "€4.50")]


def test_what_was_not_found_is_said(ask):
    made = ask("What was the gross margin of Otter Mills and Heron Rail in Q1 2023?")
    assert not made.refused
    assert made.text.splitlines()[:2] == [
        "Otter Mills  2023-Q1  gross margin: 30% [1]", "Heron Rail  2023-Q1  gross margin: not found",
    ]  # fmt: skip
    assert [(each.value, each.citation) for each in made.values] == [("30%", 1), ("not found", None)]


@pytest.mark.parametrize(
    ("question", "reason"),
    [
        (
            "What was the revenue of Otter Mills in 2031?",
            "nothing about Otter Mills is known of 2031; the nearest times that are known: Q3 2023, 2023",
        ),
        (
            "What revenue did Quince Partners have in 2023?",
            "no passage has: quince, partners",
        ),
        ("Who feeds the zebras of Otter Mills?", "no passage has: feeds, zebras"),
    ],
)
def test_what_is_not_said_is_refused_with_the_reason(ask, question, reason):
    made = ask(question)
    assert made.refused
    assert made.reason.startswith(reason)
    first, label, *nearest = made.text.splitlines()
    assert (first, label) == (f"No answer: {made.reason}.", "Nearest:")
    assert len(nearest) == len(made.citations) == 3
    assert made.values == ()


def test_an_empty_corpus_knows_nothing(tmp_path):
    made = answered(tmp_path, "What was the revenue in 2020?")
    assert (made.refused, made.reason) == (True, "nothing in this corpus matches the question")


def test_a_question_in_other_words_is_answered_by_the_best_sentences(tmp_path):
    race = "The acclaimed rowing race was long. Yes. Who won it? Nobody knows who won it."
    result = doc("a", "2022-10-07", "Bo Lind is elected warden by 141 votes.", "Result")
    question = "who lost the acclaimed rowing contest of poets in 2022?"
    made = answered(tmp_path, question, result, doc("b", "2022-11-07", race, "Race"))
    assert [each.quote for each in made.citations] == [race]


def test_a_field_without_a_value_answers_nothing(tmp_path):
    told = {"Mole": "Height of the mole: N/A", "Harbour": "The mole has a height of 4 m."}
    documents = [doc(title, "2020", text, title) for title, text in told.items()]
    made = answered(tmp_path, "What is the height of the mole?", *documents)
    assert [each.quote for each in made.citations] == ["The mole has a height of 4 m."]


def test_at_most_so_many_values_are_looked_up(tmp_path):
    many = [
        doc(f"d{year}", f"{year}-05-05", f"The fee was {year - 1900} euros.", f"Fee {year}")
        for year in range(1960, 1960 + MAX_CELLS + 2)
    ]
    made = answered(tmp_path, "what was the fee in each year?", *many)
    assert [each.value for each in made.values] == [f"{60 + at} euros" for at in range(MAX_CELLS)]
    assert len(made.citations) == MAX_CELLS
    assert f"the question asks for {MAX_CELLS + 2} values: the first {MAX_CELLS} are looked up" in made.notes


@pytest.mark.parametrize(
    ("question", "as_of", "notes"),
    [
        ("Who audited lunch at Otter Mills?", "2024",
         ("no quote names a person", "of the question no passage has: audited")),
        ("Who serves lunch at Otter Mills?", "2024", ("no quote names a person",)),
        ("Who serves lunch at Otter Mills?", "2023-06-30", None),
    ],
)  # fmt: skip
def test_words_that_nothing_says_are_named(ask, question, as_of, notes):
    """Before July 2023 nothing says "serves" or "lunch": a refusal says so itself."""
    made = ask(question, as_of=as_of)
    assert (None if made.refused else made.notes) == notes


# -- the cells of an answer ------------------------------------------------------------------------------


town = corpus_fixture(
    doc("r2021", "2021-07-01", "The cup of the Esker regatta went to Bo Lind.", "Esker regatta, sculls"),
    doc("r2022", "2022-07-01", "Cato Renn took the cup at Esker.", "Esker regatta, sculls"),
    doc("fair", "2022-08-01", "Ada Brandt won the sack race.", "Tallow fair"),
    doc("q2", "2023-08-01", "# Otter Mills in Q2\nRevenue was $9 million in the second quarter. "
        "We expect revenue of $12 million in the third quarter.", "Otter Mills Q2 2023"),
    doc("q3", "2023-11-01", "# Otter Mills in Q3\nRevenue was $10 million in the third quarter. "
        "The weather was mixed.", "Otter Mills Q3 2023"),
    doc("affair", "2024-05-01", "Jonas Teufert was heard. The lawyers spoke for hours. It rained. "
        "Petra Lindqvist resigned after the bridge affair.", "Affair"),
)  # fmt: skip


@pytest.mark.parametrize(
    ("question", "cells"),
    [
        ("How much was the revenue of Otter Mills in each quarter of 2023?", ["$9 million", "$10 million"]),
        # what was reported, not expected
        ("What was the revenue of Otter Mills in Q2 2023 and Q4 2023?", ["$9 million", "not found"]),
        (
            "What was the expected revenue of Otter Mills in Q3 2023 and Q4 2023?",
            ["$12 million", "not found"],
        ),
        (  # no figure: a statement takes its place
            "What was the weather of Otter Mills in Q3 2023 and Q4 2023?",
            ["“The weather was mixed.”", "not found"],
        ),
        # but where a figure is asked for
        ("How much weather had Otter Mills in Q3 2023 and Q4 2023?", ["not found", "not found"]),
    ],
)
def test_what_stands_in_the_cells(town, question, cells):
    assert [each.value for each in town.at().ask(question, mode="local").values] == cells


@pytest.mark.parametrize("question", ["How many sculls won at Esker in 2022?", "Did Jonas Teufert resign?"])
def test_a_single_value_is_no_table(town, question):
    assert town.at().ask(question, mode="local").values == ()


# -- who is and who was in office: a state lasts until the next --------------------------------------------


offices = corpus_fixture(
    doc("a", "2016-01-05", "Lock keeper: Ada Brandt. Dogs are welcome.", "Notice at the lock"),
    doc("b", "2019-04-02", "Since 1 April 2019, Bo Lind is lock keeper of Esker.", "News"),
    doc("c", "2022-03-01", "The lock keeper, Cato Renn, has been thanked.", "Minutes"),
    doc("d", "2024-02-01", "In 2016 the lock keeper was Ada Brandt, who liked dogs.", "Looking back"),
    doc("pike", "2021-03-05", "Since 1 March 2021 Ada Pike is mayor of Torle.", "Torle news"),
    doc("lund", "2023-06-02", "Since 1 June 2023 Bo Lund is mayor of Torle.", "Torle news again"),
    doc("gazette", "2022-05-01", "The chair of the Dockyard is Nils Okafor.", "Town gazette"),
    doc("paper", "2021-05-01", "The chair of the Dockyard is Ruth Amberley.", "Dockyard paper"),
    doc("old", "2017", "| duty | holder | from | until |\n|---|---|---|---|\n"
        "| fire lead | Pia Nowak | 2012-03-01 | 2015-11-30 |", "Fire lead"),
    doc("other", "2017", "| duty | holder | from | until |\n|---|---|---|---|\n"
        "| safety lead | Odo Kafor | 2013-07-01 | 2017-03-31 |", "Safety lead"),
)  # fmt: skip


@pytest.mark.parametrize(
    ("question", "as_of", "document"),
    [
        ("who is the lock keeper?", "2018", "a"),  # whom the last statement names
        ("who is the lock keeper?", "2019-03", "a"),
        ("who is the lock keeper?", "2021", "b"),
        ("who is the lock keeper?", "2023", "c"),
        ("who is the lock keeper?", "2025", "c"),
        ("Who is the chair of the Dockyard?", None, "gazette"),  # under any title
        ("Who was mayor of Torle in April 2021?", None, "pike"),
        ("Who was mayor of Torle in 2022?", None, "pike"),
        ("Who was mayor of Torle in August 2023?", None, "lund"),
        ("Who was mayor of Torle in 2019?", None, None),  # before the first of them
        ("Who was the fire lead in 2013?", None, "old"),  # its time covers that year, the other begins in it
    ],
)
def test_who_was_in_office(offices, question, as_of, document):
    made = offices.at(as_of).ask(question)
    assert (None if made.refused else made.citations[0].document) == document


def test_who_is_is_not_answered_by_who_was(tmp_path):
    """The looking back has a word of the question in its title; the notice is newer."""
    back = "When I came in 2016 the pilot of Esker was Ada Brandt, who looked at the sea and at the stones."
    made = answered(
        tmp_path, "Who is the pilot of Esker?", doc("back", "2024-06-01", back, "Eight years of pilots"),
        doc("notice", "2024-12-01", "Pilot of Esker: Cato Renn. Office hours are from 8 to 12.", "Notice"),
    )  # fmt: skip
    assert made.citations[0].document == "notice"


# -- who or what came after something --------------------------------------------------------------------

NOTES = [
    Document("r1", "Quill 1.2 was released on May 3, 2020.", "Quill 1.2", "2020-05-03"),
    Document("r0", "Quill 1.1 was released on May 12, 2019.", "Quill 1.1", "2019-05-12"),
    Document("x1", "Support for Quill 1.1 has ended.", "Quill 1.1", "2020-06-01"),
    Document("y1", "Inkwell for Quill 7 was released on July 1, 2020.", "Inkwell for Quill 7", "2020-07-01"),
    Document("r2", "Quill 1.3 was released on May 5, 2021.", "Quill 1.3", "2021-05-05"),
    Document("r3", "Quill 1.4 was released on May 6, 2022.", "Quill 1.4", "2022-05-06"),
    Document("m1", "Ada Holm is elected chair of the rope club.", "Minutes", "2019-02-02"),
    Document("m2", "Ada Holm, chair of the rope club, opened the ropewalk.", "Ropewalk", "2020-01-01"),
    Document("m3", "Bo Lind is elected chair of the rope club.", "Minutes of May", "2021-05-01"),
    Document("m4", "Cleo Marsh is elected chair of the rope club.", "Minutes of June", "2023-06-01"),
]


notes = corpus_fixture(*NOTES)


@pytest.mark.parametrize(
    ("question", "as_of", "documents"),
    [
        ("Which version came after Quill 1.2?", "2024", ["r2", "r1"]),
        ("What replaced Quill 1.1?", "2024", ["r1", "r0"]),
        ("Who came after Ada Holm as chair of the rope club?", "2024", ["m3", "m1"]),
        ("Who succeeded Bo Lind as chair of the rope club?", "2024", ["m4", "m3"]),
        ("Who was chair of the rope club after Ada Holm?", "2024", ["m3", "m1"]),
        ("Who was chair of the rope club before Cleo Marsh?", "2024", ["m3", "m4"]),
        ("Who preceded Bo Lind as chair of the rope club?", "2024", ["m2", "m3"]),
        ("Who was chair of the rope club after Bo Lind?", "2022", []),  # Cleo Marsh was elected in 2023
        ("Who was chair of the rope club before Ada Holm?", "2024", []),
    ],
)
def test_the_neighbour_is_quoted_before_the_one_that_is_named(notes, question, as_of, documents):
    answer = notes.at(as_of).ask(question)
    assert [each.document for each in answer.citations] == documents
    assert answer.refused == (not documents)
    assert not answer.text.startswith("Nothing that is in force")


# -- sources that contradict each other ------------------------------------------------------------------


BEFORE = {
    "a": "Rain fell for nine days and the sheep were moved uphill.",
    "b": "The warden measured on the morning after, with a rope and a stone.",
}


def flood(id_: str, published: str, height: str, title: str = "Esker", before: str = ""):
    """Two texts that have only the statement in common: so that neither is the later version of the other."""
    said = f"The height of the flood was {height} metres in March 2021."
    return doc(id_, published, f"{before or BEFORE[id_]} {said}", title)


def test_two_sources_of_one_time_that_do_not_agree_are_no_answer(tmp_path):
    made = answered(
        tmp_path,
        "What was the height of the flood in March 2021?",
        flood("a", "2021-05-01", "2.4"), flood("b", "2021-05-03", "3.1"),
    )  # fmt: skip
    assert made.refused
    assert made.reason.startswith("the sources contradict each other: ")
    assert {each.document for each in made.citations} == {"a", "b"}
    assert [each.n for each in made.citations] == [1, 2]
    for each in made.citations:
        height = "2.4 metres" if each.document == "a" else "3.1 metres"
        assert f"{height} [{each.n}]" in made.reason
        assert f"[{each.n}] “The height of the flood was {height} in March 2021.”" in made.text
    assert made.values == ()


def test_figures_of_several_points_are_no_numbers(tmp_path):
    question = "What was the height of the flood in March 2021?"
    made = answered(tmp_path, question, flood("a", "2021-05-01", "2.4.1"), flood("b", "2021-05-03", "2.4.2"))
    assert made.refused


WAS, IS = "What was the height of the flood in March 2021?", "What is the height of the flood?"
LATER = doc(
    "b", "2022-05-03", f"{BEFORE['b']} The height of the flood was 3.1 metres in March 2022.", "Esker"
)
BOTH = " ".join(f"The height of the flood was {height} metres in March 2021." for height in (2.4, 3.1))
LITRES = "How many litres of acetone may we keep?"


def revision(said: str, litres: int) -> Document:
    """Without a date: since when it holds is told by its words."""
    text = f"Revision {said}.\n\nWe may keep at most {litres} litres of acetone."
    return doc(said[0], None, text, "Storage of solvents")


RAIN = "It rained, and the flood came down to Esker."


@pytest.mark.parametrize(
    ("question", "documents"),
    [
        (WAS, [flood("a", "2021-05-01", "2.4"), flood("b", "2021-05-03", "2.43")]),  # it rounds to the other
        (WAS, [flood("a", "2021-05-01", "2.4"), LATER]),  # of another time
        (IS, [flood("a", "2021-05-01", "2.4"), LATER]),
        (LITRES, [revision("A. Valid from 3 May 2019", 5), revision("B. Valid from 8 February 2023", 2)]),
        (WAS, [doc("a", "2021-05-01", BOTH, "Esker")]),  # a document does not contradict itself
        (WAS, [flood("a", "2021-05-01", "2.4"), flood("b", "2021-05-03", "3.1", "Tarn")]),  # another thing
    ],
)
def test_what_is_no_contradiction(tmp_path, question, documents):
    made = answered(tmp_path, question, *documents, mode="local")
    assert (made.refused, made.notes) == (False, ())


def test_lists_of_other_years_do_not_contradict_each_other(tmp_path):
    """Nothing but their titles has a time."""
    lists = [doc(year, None, f"A Lorry Medical costs {fee} euros.", f"Fees {year}")
             for year, fee in (("2018", 80), ("2024", 125))]  # fmt: skip
    with corpus_with(tmp_path, *lists) as corpus:
        then = corpus.at().ask("What did a Lorry Medical cost in 2018?")
        assert "80 euros" in then.citations[0].quote
        assert corpus.at().ask("What does a Lorry Medical cost?").refused  # which list is in force?


@pytest.mark.parametrize(
    ("question", "documents"),
    [
        (IS, [flood("a", "2021-05-01", "2.4"), flood("b", "2021-05-03", "3.1")]),  # the later one
        (WAS, [flood("a", "2021-03-01", "2.4"), flood("b", "2021-05-01", "3.1")]),  # a was a forecast
        (WAS, [flood("a", "2021-05-01", "2.4", before=RAIN), flood("b", "2021-05-03", "3.1", before=RAIN)]),
    ],
)
def test_one_is_preferred_and_what_it_contradicts_is_told(tmp_path, question, documents):
    """The third: what was superseded gives way whatever time is asked for."""
    made = answered(tmp_path, question, *documents, mode="local")
    assert [each.document for each in made.citations] == ["b"]
    day = documents[0].published.text
    assert made.notes == (
        f"it contradicts “The height of the flood was 2.4 metres in March 2021.” (Esker, {day})",
    )


@pytest.mark.parametrize(
    ("question", "documents", "said"),
    [
        (IS, [flood("a", "2021-05-01", "2.4"), flood("b", "2021-05-01", "3.1")], ("2.4", "3.1")),
        (
            "Who is the harbour master of Esker?",
            [
                doc("a", "2021-05-01", f"{BEFORE['a']}\n\nHarbour master: Ada Brandt.", "Esker"),
                doc("b", "2021-05-01", f"{BEFORE['b']}\n\nHarbour master: Bo Lind.", "Esker"),
            ],
            ("Ada Brandt [", "Bo Lind ["),
        ),
    ],
)
def test_without_a_time_two_of_one_day_are_no_answer(tmp_path, question, documents, said):
    made = answered(tmp_path, question, *documents, mode="local")
    assert made.refused
    assert made.reason.startswith("the sources contradict each other")
    assert all(each in made.reason for each in said)


@pytest.mark.parametrize(("as_of", "days"), [("2023-03-01", "180"), ("2024-01-01", "270")])
def test_what_amends_a_statement_comes_before_it(tmp_path, as_of, days):
    """From the day on which it takes effect."""
    storage = doc(
        "storage", "2019-03-01", "# Article 4\n\nThe time limit for storage is 180 days.",
        "Regulation 12/2019 on storage", outline=(Heading(0, 1, "Article 4"),),
    )  # fmt: skip
    amending = doc(
        "amending", "2023-02-01", "Article 4 of Regulation 12/2019 is replaced by the following:\n"
        "The time limit for storage is 270 days. It applies from 1 May 2023.",
        "Regulation 7/2023 amending Regulation 12/2019",
    )  # fmt: skip
    made = answered(tmp_path, "What is the time limit for storage?", storage, amending, as_of=as_of)
    assert f"{days} days" in made.citations[0].quote


# -- the share of a phrase --------------------------------------------------------------------------------

CRANES = ("The crane is red.", "A berth by the crane.", "A berth costs €12.", "Nobody knows the old crane.")


def test_the_share_of_a_phrase_is_by_weight(memory_folder):
    """Two of four passages have a berth, three a crane."""
    with corpus_with(memory_folder, *(doc(text, None, text) for text in CRANES)) as corpus:
        view = corpus.at().view()
        phrase = WeightedPhrase.of("berth crane zebra", view)
        (_, berth), (_, crane), (_, zebra) = phrase.words
        assert zebra == 0.5 + largest_idf(view) ** 2 >= berth  # nothing says it: as much as the rarest
        assert WeightedPhrase.of("", view).share(frozenset()) == 1.0
    assert berth > crane > 0
    assert phrase.share(frozenset(("berth",))) == berth / (berth + crane + zebra)
    assert phrase.share(frozenset()) == 0.0
    assert phrase.share(frozenset(("berth", "crane", "zebra"))) == 1.0


# -- answers without the extension that reports on periods -----------------------------------------------

PRICES = (
    doc("a", "2020-03-01", "The price of the ferry is 4 euros in 2020."),
    doc("b", "2021-03-01", "The price of the ferry is 5 euros in 2021."),
)


def test_without_the_extension_sentences_answer(memory_folder, monkeypatch):
    monkeypatch.setitem(plugins.BUILT_IN, plugins.ANSWERING, {})
    assert answering() is None
    with corpus_with(memory_folder, *PRICES) as corpus:
        answer = corpus.at().ask("what was the price of the ferry in 2020?", mode="local")
        with pytest.raises(UsageError, match='mode "global" answers from reports'):
            corpus.at().ask("what happened in 2020?", mode="global")
        assert corpus.at().ask("what happened in 2020?").mode == "local"
    assert answer.citations[0].document == "a"


# -- whether passages can hold the answer to a question --------------------------------------------------


def odds(probability: float) -> float:
    return math.log(probability / (1 - probability))


@pytest.mark.parametrize(
    ("signs", "expected"),
    [
        (AnswerSigns(first=1.0, names=1.0), -0.8 + 1.2 + 0.7),
        (AnswerSigns(first=0.5, unknown=0.25, names=0.5), -0.8 + 1.2 / 2 - 4.7 / 4 + 0.7 / 2),
        (AnswerSigns(), -0.8),
    ],
)
def test_the_odds_of_an_answer_are_the_sum_of_its_signs(signs, expected):
    found = probability(signs)
    assert odds(found) == pytest.approx(expected)
    assert (found < LEAST) == (expected < -1.0)  # ln(.27 / .73)


# -- the sentences that answer, as they are quoted -------------------------------------------------------

Ask = Callable[..., Answer]
WEATHER = (
    " The weather was fair all over the coast for most of the week, and few people were seen outside." * 3
)


@pytest.fixture
def quoted(tmp_path: Path) -> Ask:
    def asked(question: str, *texts: str) -> Answer:
        documents = [doc(f"{at}", f"2022-0{at}-01", text, f"Note {at}") for at, text in enumerate(texts, 1)]
        return answered(tmp_path, question, *documents)

    return asked


def emphasised(citation: Citation) -> str:
    """The part of a quote that answers."""
    first, last = citation.emphasis or (0, len(citation.quote))
    return citation.quote[first:last]


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("How long does the ferry wait?", "The ferry waits for ten minutes at most."),
        ("How much does the ferry cost?", "The ferry costs 4 crowns."),
        ("What share of the ferry is sold?", "Half of the ferry is sold."),
        ("Which version of the ferry sails?", "The ferry 2.1 sails today."),
        ("Who steers the ferry?", "It is Ida Holm who steers the ferry."),
        ("How many seats has the ferry?", "The ferry has twelve seats."),
    ],
)
def test_the_statement_with_the_kind_of_value_that_is_asked_for(
    quoted: Ask, question: str, text: str
) -> None:
    """The other statement has the same words of the question, and comes first."""
    other = "Everybody asks who steers the ferry, how long it waits, its version, cost, seats and share."
    assert emphasised(quoted(question, f"{other}\n\n{text}").citations[0]) == text


GREEN = "Why was the old lighthouse painted green?"
PAINTED = "The old lighthouse was painted green for the fair."
WANTED = "The fair wanted the lighthouse green."
MOVED = "In 1950 Bo Lind moved into the old lighthouse."
LIST = "To paint the lighthouse green:\n\n- Close the gate to the rocks.\n- Mix the paint with oil.\n"
BREAD = "Prices of the bakery today.\n\n| Bread | Price |\n|---|---|\n| Rye loaf of a kilo | 3 crowns |\n"


@pytest.mark.parametrize(
    ("question", "text", "answer"),
    [
        (GREEN, f"Ships pass the lighthouse at night.{WEATHER} {PAINTED}", PAINTED),
        (GREEN, f"{PAINTED} The fair asked for it. Nobody was told.", PAINTED),
        # questions and single words answer nothing
        (GREEN, f"{GREEN}{WEATHER} Green lighthouse.{WEATHER} {WANTED}", WANTED),
        (
            "Who paints the lighthouse green?",  # an item alone where others tell of something else
            "- Ada feeds the seven ducks.\n- Bo Lind paints the lighthouse green.\n- Cy Dunn mends nets.\n",
            "Bo Lind paints the lighthouse green.",
        ),
        (
            "Who tended the old lighthouse from 1950 to 1955?",  # one of the time first
            f"Ada Marsh tended the old lighthouse after 1970.{WEATHER} {MOVED}",
            MOVED,
        ),
        ("Why is a rye loaf of a kilo so dear?", BREAD, "Bread: Rye loaf of a kilo; Price: 3 crowns"),
    ],
)
def test_the_sentence_that_answers(quoted: Ask, question: str, text: str, answer: str) -> None:
    made = quoted(question, text)
    assert not made.refused
    assert emphasised(made.citations[0]) == answer
    assert len(made.citations[0].quote) <= QUOTE_CHARACTERS
    assert not any(emphasised(each).endswith("?") for each in made.citations)


@pytest.mark.parametrize(
    ("question", "text", "quote"),
    [
        (GREEN, f"{PAINTED} The fair asked for it. Nobody was told.", None),  # neighbours as far as they fit
        (
            "How is the lighthouse painted green?",  # items of a list below what introduces them
            f"{LIST}\nNobody lives in it any more today.",
            "To paint the lighthouse green: Close the gate to the rocks. • Mix the paint with oil.",
        ),
        ("How much is a rye loaf?", BREAD, "Bread: Rye loaf of a kilo; Price: 3 crowns"),
    ],
)
def test_what_is_quoted_with_it(quoted: Ask, question: str, text: str, quote: str | None) -> None:
    assert quoted(question, text).citations[0].quote == (quote or text)


def test_quotes_of_one_passage_do_not_overlap(quoted: Ask) -> None:
    text = (
        "The keeper paints the green lighthouse. He sings. The lighthouse is painted green in May, they say."
    )
    made = quoted(
        "Why is the lighthouse painted green?", f"{text}{WEATHER} The keeper likes green paint best."
    )
    quotes = [each.quote for each in made.citations]
    assert sum("He sings." in each for each in quotes) == 1


numbered = corpus_fixture(*(
    doc(f"n{at}", "2024-01-01", text) for at, text in enumerate((
        "Customer 5001 is Harrow Mills.", "Ada Marsh is the contact of customer 5003.",
        "Customers 5100-5200 are served by Tom Reed.", "The rent of flat 3 is 700 euros.",
        "Invoice 5044 was paid in May.", "Room 12 has a projector.", "The ferry takes 12 cars.",
        "Customer 5009 pays by card.", "Ticket 77 is about the login page.", "Bus 4 stops at the mill.",
    ))
), doc("rfc9110.md", "2022-06-01", "This standard obsoletes RFC 7231.", "Semantics"),
    doc("hosts", "2022-06-01", "Ida Holm runs the hosts of the mobile net.", "Hosts for IPv4"))  # fmt: skip


@pytest.mark.parametrize(
    ("question", "quoted"),
    [
        ("Who is customer 5044?", ""), ("Who is the contact of customer 5044?", ""),
        ("Who is customer no. 5044?", ""), ("How does customer 5044 pay?", ""),
        ("What is the rent of flat 5?", ""), ("What does room 14 have?", ""), ("Where does bus 5 stop?", ""),
        ("When was invoice 5045 paid?", ""), ("Who serves customer 5044?", ""),
        ("Who serves customer 5150?", "Tom Reed"), ("Who is the contact of customer 5003?", "Ada Marsh"),
        ("What is the rent of flat 3?", "700"), ("What is ticket #77 about?", "login"),
        ("Where does bus 4 stop?", "mill"), ("When was invoice 5044 paid?", "May"),
        ("Does the ferry take 20 cars?", "12 cars"), ("Which standard does RFC 9110 obsolete?", "RFC 7231"),
        ("Who runs the IPv6 hosts of the mobile net?", "Ida Holm"),
    ],
)  # fmt: skip
def test_what_a_number_names_is_not_answered_from_what_another_one_names(
    numbered: Any, question: str, quoted: str
) -> None:
    made = numbered.at().ask(question)
    assert made.refused is (not quoted)
    assert not quoted or quoted in made.citations[0].quote


# -- what is said of another one -----------------------------------------------------------------------------

people = corpus_fixture(*(
    doc(f"p{at}", f"2024-01-{at + 1:02}", text) for at, text in enumerate((
        "Paul owes me 20 euros.", "Mira's dentist is Dr. Lindqvist.", "Mira's phone number is 030 555 1234.",
        "Sara's birthday is on 3 May.", "Mira is allergic to peanuts.", "Ines Varga is the head of support.",
        "The sales team meets on Mondays.", "Tom Reed was born on 4 June. His birthday is on that day.",
    ))
), doc("prices", "2022-02-10", "Starter costs 9 euros a month. The Team plan costs 29 euros.", "Prices"),
    doc("table", "2022-02-10", "| Plan | Price |\n|---|---|\n| Solo | 5 euros |\n| Duo | 8 euros |", "Table"),
    doc("later", "2024-02-10", "Enterprise costs 99 euros a month.", "Prices of 2024"))  # fmt: skip


@pytest.mark.parametrize(
    ("question", "as_of", "whose"),
    [
        ("Who is Paul's dentist?", None, "Paul"), ("What is Paul's phone number?", None, "Paul"),
        ("When is Mira's birthday?", None, "Mira"), ("Is Mira allergic to shellfish?", None, "shellfish"),
        ("Who is the head of sales?", None, "sales"),
        ("How much does Enterprise cost?", "2023", "Enterprise"),
        ("What does the Enterprise plan cost?", "2023", "Enterprise"),
        ("What is the price of Enterprise?", "2023", "Enterprise"),
    ],
)  # fmt: skip
def test_what_is_said_of_another_one_answers_nothing(
    people: Any, question: str, as_of: str | None, whose: str
) -> None:
    made = people.at(as_of).ask(question)
    assert made.refused
    assert made.reason in (f"nothing that was found says this of {whose}", f"no passage has: {whose.lower()}")
    assert made.citations  # the nearest


@pytest.mark.parametrize(
    ("question", "quoted"),
    [
        ("Who is Mira's dentist?", "Lindqvist"), ("What is Mira's phone number?", "030 555"),
        ("When is Sara's birthday?", "3 May"), ("What is Mira allergic to?", "peanuts"),
        ("Is Mira allergic to peanuts?", "peanuts"), ("Who is the head of support?", "Ines Varga"),
        ("How much does Paul owe me?", "20 euros"), ("What is the price of Duo?", "8 euros"),
        ("How much does the Team plan cost?", "29 euros"), ("How much does Enterprise cost?", "99 euros"),
        ("When is Tom's birthday?", "that day"),  # the sentence before names him
    ],
)  # fmt: skip
def test_what_is_said_of_the_one_that_is_asked_about(people: Any, question: str, quoted: str) -> None:
    made = people.at().ask(question)
    assert not made.refused
    assert quoted in made.citations[0].quote


# -- a value that nothing gives ----------------------------------------------------------------------------

SITES = (
    doc("turin", "2024-02-01", "The Turin office is in a side street. It has a kitchen. Mr Rossi, who had it "
        "before, had paid for the garden.", "Turin office"),
    doc("lyon", "2024-02-01", "The fax number of the Lyon office is 0478 112 233. Its rent is €2,300.",
        "Lyon office"),
    doc("porto", "2024-01-05", "The Porto office has opened. Tel. 0351 22 33 44.", "Porto office"),
    doc("desk", "2024-01-01", "Parking passes are given out by the front desk.", "Handbook"),
    doc("canteen", "2024-01-05", "A lunch costs €7. The cook is Marco Neri.", "Canteen"),
)  # fmt: skip
sites = corpus_fixture(*SITES)


@pytest.mark.parametrize(
    ("question", "said"),
    [
        (
            "What is the fax number of the Turin office?",
            "no passage that was found on this gives a fax number",
        ),
        (
            "What is the fax number of the Porto office?",
            "no passage that was found on this gives a fax number",
        ),
        ("How much is the rent of the Turin office?", "no passage that was found on this gives an amount"),
        ("What does a parking pass cost?", "no passage that was found on this gives an amount"),
        ("What is the fax number of the Lyon office?", "0478 112 233"),
        ("What is the phone number of the Porto office?", "0351 22 33 44"),
        ("How much is the rent of the Lyon office?", "€2,300"),
        ("What does a lunch cost?", "€7"),
        ("Who is the cook of the canteen?", "Marco Neri"),
    ],
)
def test_a_value_of_a_kind_that_no_passage_about_it_gives_is_refused(sites, question, said):
    made = sites.at().ask(question, mode="local")
    assert made.refused == said.startswith("no passage")
    assert said in (made.reason if made.refused else " ".join(each.quote for each in made.citations))
