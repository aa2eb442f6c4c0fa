"""What held at a past time that a question names is the answer where it holds no more."""

from __future__ import annotations

from bisect import bisect_right
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.answers import answered, corpus_with, doc
from tests.support.corpora import memory_folder
from tests.support.scripted import ScriptedModel

from asof.answer.ask import life_at, named_past
from asof.documents import Document, Ended
from asof.store.reader import VisibleInterval
from asof.text.question import read as read_question
from asof.time.moment import read
from asof.time.span import iso
from asof.wire import encode

ANN, BEN = "Ann Cole is the mayor of Dover.", "Ben Reed is the mayor of Dover."
EDITED = (doc("mayor", "2019-03-01", ANN, "Mayor"), doc("mayor", "2023-03-01", BEN, "Mayor"))
SERIES = (
    doc("a", "2019-03-01", ANN, "Council of 2019"), doc("b", "2023-03-01", BEN, "Council of 2023"),
)  # fmt: skip
WITH_OTHERS = (
    *EDITED, doc("ferry", "2018-01-05", "Boats cross daily. The ferry was painted in 2020.", "Ferry"),
    doc("pier", "2023-05-05", "The mayor of Dover opened the pier.", "Pier"),
)  # fmt: skip


def last(day: str) -> int:
    return read(day).last


@pytest.mark.parametrize(
    ("documents", "named", "moment"),
    [
        (EDITED, "in 2020", "2020-12-31"), (EDITED, "on 2020-05-05", "2020-05-05"),
        (EDITED, "in March 2021", "2021-03-31"), (EDITED, "from 2020 to 2021", "2021-12-31"),
        (EDITED, "before 2022", "2021-12-31"), (SERIES, "in 2020", "2020-12-31"),
        (SERIES, "from 2020 to 2021", "2021-12-31"), (WITH_OTHERS, "in 2020", "2020-12-31"),
    ],
)  # fmt: skip
def test_a_named_past_time_gets_the_answer_of_that_time(tmp_path, documents, named, moment):
    """Ann Cole from March 2019 until March 2023; what has a date is visible from the end of that day on."""
    made = answered(tmp_path, f"who was mayor {named}?", *documents)
    assert (made.refused, made.as_of) == (False, last(moment))
    assert made.text.startswith(f"As of {moment}, which the question names:\n[1] “{ANN}”")
    assert encode(made)["citations"][0]["in_force"] == {
        "from": "2019-03-01T00:00:00Z", "until": "2023-03-01T23:59:59.999999Z", "text": "2019-03-01",
        "by": "published",
    }  # fmt: skip


def test_the_answer_is_what_as_of_then_quotes(tmp_path):
    with corpus_with(tmp_path, *EDITED) as corpus:
        named = corpus.at("2024").ask("who was mayor in 2020?")
        moved = corpus.at("2024").ask("who was mayor as of 2020?")
        stated = corpus.at("2020").ask("who was mayor in 2020?")
    assert named.as_of == moved.as_of == stated.as_of
    assert moved.notes[0].startswith("read as of 2020-12-31")
    assert {each.citations[0].quote for each in (named, moved, stated)} == {ANN}
    ends = [encode(each)["citations"][0]["in_force"]["until"] for each in (named, stated)]
    assert (ends[0] is None, ends[1]) == (False, None), "in 2020 nobody knew"


@pytest.mark.parametrize(
    ("question", "as_of"),
    [
        ("who is mayor?", None), ("who was mayor since 2020?", None), ("who was mayor last year?", "2025"),
        ("who was mayor in 2018?", None), ("who was mayor in 2023?", "2023-06-01"),
    ],
)  # fmt: skip
def test_other_questions_get_the_answer_of_their_moment(tmp_path, question, as_of):
    """No time, an open one, the present one, one before all, one not over."""
    made = answered(tmp_path, question, *EDITED, as_of=as_of)
    assert made.notes == ()
    (best,) = encode(made)["citations"]
    assert (best["quote"], best["in_force"]["until"]) == (BEN, None)


NEWS = (EDITED[0], doc("mayor", "2023-03-01", "Ben Reed is the mayor of Dover, in 2020 Cara Holt.", "Mayor"))
CUP = (
    doc("hall", "2019-03-01", "The silver cup stands in the town hall.", "Town hall"),
    doc("hall", "2023-03-01", "The town hall is closed.", "Town hall"),
    doc("cup", "2021-02-01", "Leeds took the silver cup home.", "Silver cup"),
)
CRANE = (
    doc("crane", "2019-03-01", "The harbour crane of Dover is painted red.", "Crane 2019"),
    doc("crane", "2023-03-01", "The harbour crane of Dover is painted blue.", "Crane 2023"),
)
THEN = ("2019-03-01", "2023-03-01")
BACK = (*EDITED, doc("mayor", "2024-03-01", ANN, "Mayor"))


@pytest.mark.parametrize(
    ("documents", "question", "quote", "valid"),
    [
        # what speaks of the time stays, whoever edited it since
        (NEWS, "who was mayor in 2020?", NEWS[1].text, ("2023-03-01", None)),
        # what another document says later stays
        (CUP, "who took the silver cup home on 2020-12-30?", CUP[2].text, ("2021-02-01", None)),
        # nothing is of 2024, but what was said in 2023 held then, and holds still
        (EDITED, "who was mayor in 2024?", BEN, ("2023-03-01", None)),
        (SERIES, "who was mayor in 2024?", BEN, ("2023-03-01", None)),
        # what is the case lasts, whatever the year of its title
        (CRANE, "what colour was the harbour crane of Dover painted in 2020?", CRANE[0].text, THEN),
        # a document that was removed since
        ((EDITED[0], Ended("mayor", "2023-03-01")), "who was mayor in 2020?", ANN, THEN),
        # Ann again from 2024 on: in 2020 it was her first time
        (BACK, "who was mayor in 2020?", ANN, THEN),
    ],
)
def test_what_held_then_is_quoted_where_nothing_speaks_of_the_time(
    tmp_path, documents, question, quote, valid
):
    best = encode(answered(tmp_path, question, *documents, as_of="2025"))["citations"][0]
    assert best["quote"] == quote
    assert valid == tuple(best["in_force"][end] and best["in_force"][end][:10] for end in ("from", "until"))


def test_what_was_said_of_the_year_before_is_no_answer(tmp_path):
    """ "was" states no lasting case, and "is ... in 2020" one of 2020."""
    for at, text in enumerate(("The fee was 4 euros.", "The fee is 4 euros in 2020.")):
        fee = doc("fee", "2020-03-01", text, "Fee")
        assert answered(tmp_path / f"{at}", "what was the fee in 2022?", fee).refused


@pytest.mark.parametrize(
    ("question", "past"),
    [
        ("who was mayor in 2020?", "2020"), ("who was mayor last year?", "2021"),
        ("who was mayor in 2022?", None), ("who is mayor in 2023?", None),
        ("who was mayor as of 2020?", None), ("what was the fare in each quarter of 2020?", None),
        ("who came after Ann Cole in 2020?", None),
    ],
)  # fmt: skip
def test_one_time_that_was_over_is_past(question, past):
    """Asked on 1 June 2022."""
    found = named_past(read_question(question, datetime(2022, 6, 1, tzinfo=UTC)))
    assert found == (read(past) if past else None)


@pytest.mark.parametrize(
    ("before", "after", "question"),
    [
        (
            "Ann Cole was elected mayor in 2019.", "Ben Reed was elected mayor in 2023.",
            "who was elected mayor in 2020?",
        ),
        ("Leeds won the silver cup.", "Hull won the silver cup.", "who won the silver cup in 2020?"),
        (
            "The mill had a revenue of $4 million in 2018.", "The mill had a revenue of $9 million in 2022.",
            "what was the revenue of the mill in 2020?",
        ),
    ],
)  # fmt: skip
def test_what_happened_or_was_so_at_another_time_is_a_note_only(tmp_path, before, after, question):
    versions = (doc("a", "2019-03-01", before, "Notes"), doc("a", "2023-03-01", after, "Notes"))
    made = answered(tmp_path, question, *versions)
    assert made.refused
    (note,) = made.notes
    assert before in note
    assert note.endswith("--as-of 2020-12-31 answers from what held then")


def test_what_was_superseded_by_then_did_not_hold(tmp_path):
    """In 2023 only a note that the filter leaves out told of Ben; that on Ann was edited in 2025."""
    edited = doc("a", "2025-03-01", "Cara Holt is the mayor of Dover.", "Council of 2019")
    with corpus_with(tmp_path, *SERIES, edited, now="2026") as corpus:
        filters = corpus.at().filters(path="a")
        then = corpus.at("2023").ask("who was mayor as of 2023?", filters=filters)
        made = corpus.at().ask("who was mayor in 2023?", filters=filters)
    assert then.citations[0].superseded is not None
    assert made.as_of > last("2023")


def test_lives_end_before_their_end():
    first, second = VisibleInterval(10, 20), VisibleInterval(30, None)
    lives = {"a": [first, second]}
    found = {instant: life_at(lives, "a", instant) for instant in (9, 10, 19, 20, 30, 99)}
    assert found == {9: None, 10: first, 19: first, 20: None, 30: second, 99: second}
    assert life_at(lives, "b", 10) is None


def test_the_filters_hold_then_too(tmp_path):
    with corpus_with(tmp_path, *EDITED) as corpus:
        then = corpus.at()
        assert then.ask("who was mayor in 2020?", filters=then.filters(path="other*")).refused
        assert then.ask("who was mayor in 2020?", filters=then.filters(since="2021")).as_of == then.as_of


def test_a_model_writes_from_what_held_then(tmp_path):
    model = ScriptedModel(lambda _: "Ann Cole [1].")
    with corpus_with(tmp_path, *EDITED, model=model) as corpus:
        made = corpus.at().ask("who was mayor in 2020?")
    (prompt,) = [each.user for each in model.prompts if each.schema is None]
    assert ANN in prompt
    assert BEN not in prompt
    assert (made.text, made.as_of) == ("Ann Cole [1].", last("2020-12-31"))
    assert made.notes == ("answered as of 2020-12-31, which the question names",)
    assert encode(made)["citations"][0]["in_force"]["until"] is not None


def holders(*names: str) -> st.SearchStrategy[dict[int, str]]:
    """Who holds an office from 1 March of a year on."""
    return st.dictionaries(st.integers(2001, 2012), st.sampled_from(names), min_size=1, max_size=4)


def versions(office: str, held: dict[int, str], until: int = 9999) -> list[Document]:
    """The note on an office as it was edited, up to the end of a year."""
    return [
        doc(office, f"{year}-03-01", f"{name} is the {office} of Dover.", office.title())
        for year, name in sorted(held.items())
        if year <= until
    ]


@given(
    holders("Ann Cole", "Ben Reed", "Cara Holt"), holders("Dan Oake", "Eve Lund"), st.integers(2000, 2012),
    st.integers(1, 4),
)  # fmt: skip
def test_it_is_the_version_of_the_time_and_nothing_that_came_after_the_question(mayor, reeve, year, more):
    """Asked as of the end of `year + more` who was mayor in `year`."""
    question, asked_in = f"who was the mayor of Dover in {year}?", year + more
    with memory_folder() as folder:

        def shown(name: str, until: int, as_of: int) -> dict[str, Any]:
            told = (*versions("mayor", mayor, until), *versions("reeve", reeve, until))
            made = encode(answered(folder / name, question, *told, as_of=str(as_of)))
            return {**made, "known_at": ""}  # when the corpus was written to last

        made = shown("whole", 9999, asked_in)
        assert made == shown("ended", asked_in, asked_in)
        moment = iso(last(str(year)))
        if made["as_of"] == moment:
            then = shown("past", year, year)
            assert made["citations"][0]["quote"] == then["citations"][0]["quote"]
    years = sorted(each for each in mayor if each <= asked_in)
    at = bisect_right(years, year) - 1
    if at < 0 or mayor[years[at]] == mayor[years[-1]]:
        return
    best = made["citations"][0]
    assert (made["as_of"], best["quote"]) == (moment, f"{mayor[years[at]]} is the mayor of Dover.")
