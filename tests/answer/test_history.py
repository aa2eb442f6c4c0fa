"""Answers from how documents changed, from the past, and for a time alone."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support.answers import answered, corpus_fixture, corpus_with, doc
from tests.support.scripted import ScriptedModel

from asof.answer.history import ANYTHING, COURSE, SINCE, UNTIL, WHEN, asked_change
from asof.answer.question import ParsedQuestion
from asof.documents import Document, Ended
from asof.revisions.edits import ADDED, CHANGED, REMOVED
from asof.time.span import iso

DAYS = "Every employee has {} days of holiday."
GYM, DOGS, MEET = (
    "You can expense a gym membership.",
    "Dogs are welcome in the office.",
    "We meet on Mondays.",
)
HANDBOOK = (
    ("2020-01-10", f"{DAYS.format(15)} {GYM} {MEET}"), ("2021-03-18", f"{DAYS.format(18)} {MEET}"),
    ("2023-06-01", f"{DAYS.format(18)} {MEET} {DOGS}"),
    ("2024-01-06", f"{DAYS.format(20)} We all meet on Mondays. {DOGS}"),
)  # fmt: skip


def handbook() -> list[Document]:
    noise = [doc(f"n{n}", "2019-05-01", f"The {word} of the harbour is old.", word.title())
             for n, word in enumerate(("mole", "mill", "ferry", "sail", "rope", "bell"))]  # fmt: skip
    return [*noise, *(doc("handbook", date, text, "Handbook") for date, text in HANDBOOK)]


staff = corpus_fixture(*handbook())


@pytest.mark.parametrize(
    ("question", "as_of", "quote"),
    [
        ("Since when do employees have 20 days of holiday?", None,
         f"since 2024-01-06: {DAYS.format(20)}; before: {DAYS.format(18)}"),
        ("Since when do employees have eighteen days of holiday?", "2022",
         f"since 2021-03-18: {DAYS.format(18)}; before: {DAYS.format(15)}"),
        ("Since when do employees have 18 days of holiday?", None,  # they have 20 today
         f"from 2021-03-18 until 2024-01-06: {DAYS.format(18)}; before: {DAYS.format(15)}"),
        ("Until when could I expense a gym membership?", None, f"until 2021-03-18: {GYM}"),
        ("When was the gym membership dropped?", None, f"until 2021-03-18: {GYM}"),
        ("When were dogs first allowed in the office?", None, f"since 2023-06-01: {DOGS}"),
        ("How has the number of days of holiday changed?", None,  # the first of its values
         f"from 2020-01-10 until 2021-03-18: {DAYS.format(15)}"),
    ],
)  # fmt: skip
def test_dates_and_both_wordings(staff, question, as_of, quote):
    made = staff.at(as_of).ask(question)
    assert not made.refused
    assert made.citations[0].quote == quote


def test_the_course_of_a_value_is_a_table(staff):
    made = staff.at().ask("How has the number of days of holiday changed since 2022?")
    assert [(each.period, each.value.split()[3]) for each in made.values] == [
        ("2021-03-18", "18"),
        ("2024-01-06", "20"),
    ]
    assert made.text.splitlines()[:4] == [
        "2021-03-18  Every employee has 18 days of holiday. [1]",
        "2024-01-06  Every employee has 20 days of holiday. [2]",
        "",
        "[1] Handbook, 2023-06-01",  # the last version that said so
    ]


def test_the_course_of_a_value_through_documents(tmp_path):
    """Notices that follow one another; equal values are one."""
    said = "Single ticket: €{}\nBicycle: {}"
    fares = [
        doc(f"f{year}", f"{year}-03-01", said.format(year - 2012, fare), f"Ferry fares {year}")
        for year, fare in ((2016, "€1.00"), (2018, "€1.00"), (2019, "€1.50"), (2021, "€2.00"))
    ]
    made = answered(tmp_path, "How has the bicycle fare changed?", *fares)
    found = [(each.period, each.value) for each in made.values]
    assert found == [
        ("2016-03-01", "Bicycle: €1.00"), ("2019-03-01", "Bicycle: €1.50"), ("2021-03-01", "Bicycle: €2.00"),
    ]  # fmt: skip
    assert [each.citation for each in made.values] == [each.n for each in made.citations] == [1, 2, 3]
    assert [each.document for each in made.citations] == ["f2018", "f2019", "f2021"]


LEAVE = "Staff have 20 days of paid leave.", "Paid leave is 25 days, of which 5 are taken at Christmas."


def test_a_course_is_that_of_what_is_asked_and_begins_with_no_heading(tmp_path):
    """The minutes say most of the question, but follow nothing; a heading states no value."""
    ahead = "# Leave policy {0}\n\n{1} Requests are made two weeks ahead, in writing. They are kept."
    documents = [doc(f"p{year}", f"{year}-05-03", ahead.format(year, said), f"Leave policy {year}")
                 for year, said in zip((2019, 2022), LEAVE, strict=True)]  # fmt: skip
    minutes = doc("m", "2022-04-04", "The board agreed to change paid leave from 20 to 25 days.", "Minutes")
    for asked in ("How has paid leave changed?", "How did the leave policy change?"):
        made = answered(tmp_path / asked[4:7], asked, *documents, minutes)
        assert [(each.period, each.value) for each in made.values] == [
            ("2019-05-03", LEAVE[0]), ("2022-05-03", LEAVE[1]),
        ]  # fmt: skip
        assert [each.document for each in made.citations] == ["p2019", "p2022"]


def test_what_did_not_change_has_no_course_of_something_else(tmp_path):
    said = "Each year you have:\n\n- annual leave: {} days\n- study leave: 5 days\n"
    versions = [doc("leave", date, said.format(days), "Leave")
                for date, days in (("2019-05-03", 20), ("2022-05-03", 25))]  # fmt: skip
    with corpus_with(tmp_path) as corpus:
        for each in versions:
            corpus.add([each])
        assert corpus.at().ask("How has study leave changed?").values == ()
        annual = corpus.at().ask("How has annual leave changed?").values
    assert [each.value.split(": ")[-1] for each in annual] == ["20 days", "25 days"]


def test_what_is_said_no_more_is_a_refusal_that_says_until_when(staff):
    made = staff.at().ask("Can I expense a gym membership?")
    assert made.refused
    assert made.reason == "nothing current says so; until 2021-03-18 Handbook said it"
    (citation,) = made.citations
    assert citation.quote == f"from 2020-01-10 until 2021-03-18: {GYM}"
    assert (citation.holds, citation.document) == (False, "handbook")
    assert not staff.at("2020-06").ask("Can I expense a gym membership?").refused


NEEDS = "The client needs 4 GB of memory."
LEAK = doc("leak", "2022-11-10", "Gull 3.1 fixes a memory leak in the Linux client.", "Gull 3.1")
GUIDE = (doc("guide", "2021-06-01", f"Take the package. {NEEDS}", "Guide"), Ended("guide", "2023-06-01"))


def test_a_number_that_is_said_no_more_comes_before_quotes_without_one(tmp_path):
    """The 3.1 is that of a title; while the guide stood, or where another number is said, nothing changes."""
    with corpus_with(tmp_path / "one") as corpus:
        corpus.add([LEAK, *GUIDE])
        made = corpus.at().ask("How much memory does the client need?")
        assert made.reason == "nothing current says so; until 2023-06-01 Guide said it"
        assert made.citations[0].quote == f"from 2021-06-01 until 2023-06-01: {NEEDS}"
        stood = corpus.at("2022-12").ask("How much memory does the client need?")
        assert (stood.refused, NEEDS in stood.citations[0].quote) == (False, True)
    nine = doc("nine", "2024-01-01", "The memory that the client needs is nine gigabytes.", "Client")
    made = answered(tmp_path / "two", "How much memory does the client need?", LEAK, *GUIDE, nine)
    assert made.citations[0].quote == nine.text


@pytest.mark.parametrize(
    ("question", "as_of", "quote"),
    [
        ("Who was reeve before Cara Holt?", None, "until 2023-03-01: {1}; then: {0}"),
        ("Who was reeve after Ben Reed?", None, "since 2023-03-01: {}; before: {}"),
        ("Who was reeve after Cara Holt?", None, None),
        ("Who was reeve after Ben Reed?", "2022", None),
    ],
)
def test_the_neighbour_in_the_versions_of_a_page(tmp_path, question, as_of, quote):
    """Ann Cole, Ben Reed, Cara Holt on one page; in 2022 nobody knew who would come after Ben Reed."""
    ann, ben, cara = (f"{name} is the reeve of Dover." for name in ("Ann Cole", "Ben Reed", "Cara Holt"))
    days = ("2019-03-01", "2021-03-01", "2023-03-01")
    page = [doc("reeve", day, text, "Reeve") for day, text in zip(days, (ann, ben, cara), strict=True)]
    made = answered(tmp_path, question, *page, as_of=as_of)
    assert [each.quote for each in made.citations[:1]] == ([quote.format(cara, ben)] if quote else [])
    assert made.refused == (quote is None)
    if as_of:
        assert "Cara" not in made.text


def test_the_timeline_of_what_is_said_no_more(staff):
    """That of the statement until it ended; while it stands, and of what was never said, there is none."""
    found = staff.at().timeline("gym membership")
    assert [each.sentence for each in found.entries] == [GYM]
    assert [iso(each.end)[:10] for each in found.entries] == ["2021-03-18"]
    assert staff.at().timeline("gym membership", since="2022").entries == ()
    assert staff.at("2020-06").timeline("gym membership").entries[0].end is None
    assert staff.at("2019-12").timeline("gym membership").entries == ()
    assert staff.at().timeline("zeppelin landing rights").entries == ()


def test_a_model_writes_no_dates_of_changes(tmp_path):
    """They stand in no passage. A question at large is the model's."""
    model = ScriptedModel(lambda _: "NO ANSWER: nothing says so")
    with corpus_with(tmp_path, *handbook(), model=model) as corpus:
        made = corpus.at().ask("Since when do employees have 20 days of holiday?")
        assert made.citations[0].quote == f"since 2024-01-06: {DAYS.format(20)}; before: {DAYS.format(18)}"
        assert made.by == "extractive"
        assert corpus.at().ask("How many days of holiday are there?").by == "scripted"


def test_that_a_document_came_says_nothing_of_its_changes(staff):
    quotes = [each.quote for each in staff.at().ask("Since when is the handbook superseded?").citations]
    assert "since 2020-01-10: Handbook" not in quotes
    assert staff.at().ask("When was the handbook added?").citations[0].quote == "since 2020-01-10: Handbook"


def test_nothing_later_shows(staff):
    made = staff.at("2022").ask("How has the number of days of holiday changed?")
    assert "20" not in made.text.replace("2020", "").replace("2021", "")
    assert staff.at("2022").ask("Since when are dogs welcome in the office?").refused


@pytest.mark.parametrize(
    ("question", "kind", "edit"),
    [
        ("since when is the fee 5 euros", SINCE, ADDED), ("Until when was the mole open?", UNTIL, REMOVED),
        ("When did the fee go up?", WHEN, CHANGED), ("when was the page removed", WHEN, REMOVED),
        ("When was the rule introduced?", WHEN, ADDED), ("How has the fee changed?", COURSE, CHANGED),
        ("what changed in the rules", ANYTHING, CHANGED), ("Seit wann kostet es 5 Euro?", SINCE, ADDED),
        ("Wann wurde die Gebühr abgeschafft?", WHEN, REMOVED),
        ("What is the fee?", "", ""), ("How do I change the fee?", "", ""), ("When is the deadline?", "", ""),
        ("When will it be removed?", "", ""), ("Which version removed the command in 2.0?", "", ""),
    ],
)  # fmt: skip
def test_what_a_question_asks_of_the_past(staff, question, kind, edit):
    found = asked_change(ParsedQuestion.of(staff.at().read(question)))
    assert (found and found.kind, found and found.edit) == (kind or None, edit or None)


# -- a time alone ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "question", ["What happened in March 2021?", "what changed in March 2021", "anything new in 2021-03?"]
)
def test_a_time_alone_lists_what_was_published_or_changed(staff, question):
    made = staff.at().ask(question)
    assert made.text.splitlines()[0] == "1 document published or changed:"
    assert [each.quote for each in made.citations] == [
        f"2021-03-18: {DAYS.format(18)}; before: {DAYS.format(15)}", f"2021-03-18, removed: {GYM}",
    ]  # fmt: skip


def test_a_time_of_which_nothing_is(staff):
    made = staff.at().ask("what happened in 2011")
    assert (made.refused, made.reason) == (True, "no document was published or changed in 2011")


def test_filters_hold_for_the_past(staff):
    then = staff.at()
    assert then.ask("what happened in 2021?", filters=then.filters(path="n*")).refused
    made = then.ask("Since when do employees have 20 days?", filters=then.filters(path="n*"))
    assert all(each.document != "handbook" for each in made.citations)


def test_a_sentence_dates_itself_whatever_stands_beside_it(tmp_path):
    closed = "From 1 April 2024 the east quay is closed at night."
    text = f"{closed}\nThe quay is lit by lamps from dusk to dawn, and its cranes work by day."
    made = answered(tmp_path, "Since when is the east quay closed?", doc("c", "2024-03-12", text, "Quay"))
    assert made.citations[0].quote == f"since 2024-04-01: {closed}"


def test_changes_and_the_newest(staff):
    then = staff.at()
    found = then.changes(since="2021-01-01")
    assert [(each.document, each.kind) for each in found.documents] == [("handbook", "changed")]
    about = then.changes("dogs", since="2021-01-01")
    assert [edit.after.text for edit in about.documents[0].edits] == [DOGS]
    assert then.changes().documents == ()  # nothing in a week
    documents, count = then.newest(2, then.filters(since="2019-05-01"))
    assert ([each.id for each in documents], count) == (["handbook", "n0"], 7)
    assert then.newest(5, then.filters(path="n1"))[1] == 1


def test_a_past_time_that_a_question_names_takes_what_held_then(tmp_path: Path):
    made = answered(tmp_path, "How much could I expense for a gym in 2020?", *handbook())
    assert made.text.startswith("As of 2020-12-31, which the question names:")
    assert "gym membership" in made.citations[0].quote


# -- lists ------------------------------------------------------------------------------------------------

LEVELS = "There are these levels:\n\n- Junior\n- Senior\n- Lead\n\nNobody starts as a lead."


def test_a_list_is_quoted_whole_where_several_are_asked_for(tmp_path: Path):
    with corpus_with(tmp_path, doc("a", "2020", LEVELS, "Titles")) as corpus:
        levels = corpus.at().ask("Which levels are there?")
        assert levels.citations[0].quote == "There are these levels: Junior • Senior • Lead"
        assert "[1] has 3 items" in levels.notes
        assert "Lead" in corpus.at().ask("Who is a lead?").citations[0].quote


def test_an_amount_of_money_is_no_version(tmp_path):
    told = [doc("fare", f"{year}-03-01", f"A single ticket costs £{fare}.", "Fares")
            for year, fare in ((2020, "4.20"), (2023, "4.60"))]  # fmt: skip
    app = doc("app", "2021-03-01", "Release 4.60 adds a map.", "Map 4.60")
    with corpus_with(tmp_path) as corpus:
        for each in (*told, app):
            corpus.add([each])
        for asked in ("£4.60: since when?", "Since when is it £4.60?", "Since when is a ticket 4.60 pounds?"):
            (citation,) = corpus.at().ask(asked).citations
            assert citation.quote.startswith("since 2023-03-01: A single ticket costs £4.60.")


RENT22 = doc("r22", "2022-03-12", "The rent of the flat is 900 euros a month.", "Rent of the flat")
RENT24 = doc("r24", "2024-03-12", "From 1 May 2024 the rent of the flat is 950 euros a month.", RENT22.title)
CLUB = doc("c", "2024-10-01", "The club costs 30 euros; from 1 January 2025 it costs 35 euros.", "Chess club")
CHANGED_RENT = f"since 2024-05-01: {RENT24.text}; before: {RENT22.text}"
CHANGED_CLUB = "since 2025-01-01: from 1 January 2025 it costs 35 euros.; before: The club costs 30 euros"


@pytest.mark.parametrize(
    ("question", "as_of", "quote"),
    [
        ("Since when is the rent of the flat 950?", "2025", CHANGED_RENT),
        ("Since when is the rent of the flat 950?", "2024-04", CHANGED_RENT),  # told on 12 March
        ("Until when was the rent of the flat 900?", "2025", CHANGED_RENT),
        ("Until when was the rent of the flat 900?", "2023", f"since 2022-03-12: {RENT22.text}"),
        ("Since when does the club cost 35 euros?", "2025", CHANGED_CLUB),
        ("Until when did the club cost 30 euros?", "2025", CHANGED_CLUB),
        ("Until when was the garage free?", "2025", "until 2022-12-31: The garage is free."),
        ("Since when is the garage free?", "2025", "from 2022-01-01 until 2022-12-31: The garage is free."),
    ],
)
def test_a_date_of_force_answers_and_not_the_date_on_which_it_was_told(tmp_path, question, as_of, quote):
    """Also where one document takes the place of another, or what is stated to end ends."""
    garage = doc("g", "2021-11-01", "The garage is free.", "Garage", in_force=("2022-01-01", "2022-12-31"))
    with corpus_with(tmp_path, RENT22, RENT24, CLUB, garage, now="2025-06-01") as corpus:
        assert corpus.at(as_of).ask(question).citations[0].quote == quote


TRIAL = (
    doc("trial", "2022-02-14", "The trial lasts 21 days.", "Trial"),
    doc("trial", "2024-03-01", "The trial lasts 30 days.", "Trial"),
)


@pytest.mark.parametrize(
    ("question", "quote"),
    [
        ("Since when does the trial last 30 days?", "since 2024-03-01: The trial lasts 30 days."),
        ("Since when is the trial 30 days?", "since 2024-03-01: The trial lasts 30 days."),
        ("Until when did the trial last 21 days?", "The trial lasts 21 days."),
    ],
)
def test_a_length_that_holds_since_then_is_no_time_of_the_question(tmp_path, question, quote):
    made = answered(tmp_path, question, *TRIAL)
    assert quote in made.citations[0].quote
    assert "2024-03-01" in made.citations[0].quote


def test_what_was_said_without_the_amount_that_is_asked_for_is_not_told(tmp_path):
    page = "The cost of Sync is a reason why I use git. Sync runs on all devices."
    documents = [
        doc("sync", "2024-01-01", page, "Sync"),
        doc("sync", "2024-11-28", "Sync runs on all devices.", "Sync"),
    ]
    made = answered(tmp_path, "How much does Sync cost?", *documents)
    assert made.refused
    assert "until" not in made.reason


@pytest.mark.parametrize("as_of", ["2023", None])
def test_the_end_of_a_contract_is_not_that_of_a_price_in_a_table(tmp_path, as_of):
    table = "| Who | Provider | Per month |\n|---|---|---|\n| Nadia | Telfix | 14.90 euros |\n"
    text = f"{table}\nThe contract with Telfix ends on 31 January 2024."
    document = doc("phones", "2022-02-10", text, "Phone plans")
    made = answered(tmp_path, "What does Nadia's phone plan cost?", document, as_of=as_of)
    assert "14.90 euros" in made.citations[0].quote
    assert not made.refused
