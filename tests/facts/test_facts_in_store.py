"""Facts in the store and in a view: what goes in comes out, exactly where its passage is in force."""

from __future__ import annotations

from contextlib import closing

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.corpora import Clock
from tests.support.fact_lines import Lines, add, corpus_of, note, view

import asof
from asof.documents import Document, Ended, Heading, SourcedTime
from asof.extensions.facts import store as kept
from asof.extensions.facts.indexer import ensure_facts
from asof.extensions.facts.store import EVENT, KINDS, VALUE, Amount, Extraction, Fact
from asof.extensions.facts.visible import facts_about, facts_during, facts_of, facts_of_kind
from asof.time.moment import read
from asof.time.span import Span

# -- facts in the store ----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def store():
    """The tables of a corpus with three passages that nobody has read."""
    with corpus_of() as corpus:
        corpus.add([note(f"d{n}", f"202{n}-01-01", f"Text {n}.") for n in range(3)])
        with closing(corpus.store.writer()) as db:
            yield db


@pytest.fixture
def db(store):
    store.execute("BEGIN IMMEDIATE")
    yield store
    store.execute("ROLLBACK")


def fact(subject="Quay", relation="fee", object_="2", when="2020", **more) -> Fact:
    stated = None if when is None else SourcedTime(read(when), when, "text")
    return Fact(subject, relation, object_, stated, 0, 4, more.pop("kind", EVENT), **more)


words = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), min_size=1, max_size=20)
figures = st.floats(allow_nan=False, allow_infinity=False)
spans = st.sampled_from(
    [
        Span(None, None), Span(None, read("2020").end), Span(read("2020").start, None), read("2020"),
        read("2021-05-03"),
    ]
)  # fmt: skip
any_fact = st.builds(
    Fact, words, words, words, st.none() | st.builds(SourcedTime, spans, words, st.just("text")),
    st.integers(0, 99), st.integers(0, 99), st.sampled_from(KINDS),
    st.none() | st.builds(Amount, figures, words, words), st.floats(0.01, 1.0),
)  # fmt: skip


@given(facts=st.lists(any_fact, max_size=4))
def test_what_is_kept_is_found_again(store, facts):
    store.execute("BEGIN IMMEDIATE")
    kept.save_extractions(store, "x", [Extraction(1, tuple(facts))])
    found = kept.facts_in(store, [1])
    store.execute("ROLLBACK")
    assert [each.fact for each in found] == facts
    assert [(each.passage, each.number) for each in found] == [(1, n) for n in range(len(facts))]


def test_what_was_known_of_a_passage_is_replaced(db):
    kept.save_extractions(db, "x", [Extraction(1, (fact("A"), fact("B"))), Extraction(2, (fact("C"),))])
    kept.save_extractions(db, "y", [Extraction(1, (fact("D"),))])
    assert [each.fact.subject for each in kept.facts_in(db, [2, 1])] == ["D", "C"]  # by passage
    assert kept.facts_in(db, []) == []


def test_what_was_read_and_what_was_not(db):
    assert kept.passages_without_facts(db) == [1, 2, 3]
    kept.save_extractions(db, "x", [Extraction(2, ())])
    assert kept.passages_without_facts(db) == [1, 3]
    assert kept.passages_without_facts(db, "x") == [1, 3]
    assert kept.passages_without_facts(db, "y") == [1, 2, 3]
    assert kept.without_facts(db, [2, 3]) == [3]


def test_an_excerpt_is_a_passage_and_the_head_of_its_document():
    text = "# Fees\n\nIn 2020 a berth cost 2 euros."
    document = Document(
        "fees", text, "Fees of the quay", SourcedTime(read("2021"), "2021", "metadata"), tags=("dues",),
        meta={"company": "Quay"}, outline=(Heading(0, 1, "Fees"),), uri="file:fees", fiscal_start=7,
    )  # fmt: skip
    with corpus_of() as corpus:
        corpus.add([document, note("undated", None, "Old.")])
        with closing(corpus.store.writer()) as db:
            one, other = kept.excerpts(db, [1, 2])
            assert [each.passage for each in kept.excerpts(db, [2, 1])] == [2, 1]
            assert kept.excerpts(db, [99]) == []
    assert (one.document, one.title, one.number) == ("fees", "Fees of the quay", 0)
    assert (one.published, one.fiscal_start, one.meta) == (read("2021"), 7, {"company": "Quay"})
    assert "2020" in [time.text for time in one.times] or "In 2020" in [time.text for time in one.times]
    assert (other.published, other.meta) == (None, {})
    assert next(iter(Lines().extract([other]))).facts == ()


def test_status_says_who_read_what_and_what_is_left(tmp_path):
    def told(corpus):
        return [line for line in corpus.status().derived if line.startswith("facts")]

    with asof.open(tmp_path) as corpus:
        corpus.add([Document("a", "Revenue was $4 million in 2021."), Document("b", "Nobody knows.")])
        assert told(corpus) == []
        ensure_facts(corpus.session)
        assert told(corpus) == ["facts: 1 in 2 passages, read by rules-5"]
        corpus.add([Document("c", "The quay is long.")])
        assert told(corpus)[1:] == ["facts: 1 passage is not read yet"]


# -- facts as a view sees them ---------------------------------------------------------------------


def said(known) -> list[tuple[str, str]]:
    return [(each.passage.document, each.fact.object) for each in known]


@pytest.fixture
def quay():
    """A fee that changed in 2022, which was learned in 2023; a second document."""
    with corpus_of(now="2021-06") as corpus:
        add(corpus, note("fees", "2021-01-01", "Quay | fee | 2 euros"), at="2021-06")
        add(
            corpus,
            note("crane", "2021-02-01", "Crane | stands on | Quay | 2020", "Quay | fee | 9 euros | 2020"),
        )
        add(corpus, note("fees", "2022-01-01", "Quay | fee | 3 euros"), at="2023-06")
        yield corpus


def test_only_what_is_in_force_is_known(quay):
    quay.session.clock.now = read("2025").first
    assert said(facts_about(view(quay), ["quay"])) == [
        ("crane", "Quay"), ("crane", "9 euros"), ("fees", "3 euros"),
    ]  # fmt: skip
    assert said(facts_about(view(quay, "2021-12-31"), ["quay"])) == [
        ("fees", "2 euros"), ("crane", "Quay"), ("crane", "9 euros"),
    ]  # fmt: skip
    assert said(facts_about(view(quay, "2021-01-15"), ["quay"])) == [("fees", "2 euros")]


def test_only_what_was_learned_by_then_is_known(quay):
    quay.session.clock.now = read("2025").first
    before = facts_about(view(quay, "2024", "2023-01-01"), ["quay"])
    assert ("fees", "2 euros") in said(before)
    assert ("fees", "3 euros") not in said(before)


def test_what_is_not_said_any_more_is_known_as_ended(quay):
    quay.session.clock.now = read("2025").first
    found = facts_about(view(quay), ["quay"], ended=True)
    ends = {(each.passage.document, each.fact.object): each.passage.ended for each in found}
    assert ends == {
        ("fees", "2 euros"): read("2022-01-01").last, ("crane", "Quay"): None, ("crane", "9 euros"): None,
        ("fees", "3 euros"): None,
    }  # fmt: skip
    assert all(
        each.passage.ended is None for each in facts_about(view(quay, "2021-12-31"), ["quay"], ended=True)
    )


def test_a_document_that_ended_ends_its_facts(quay):
    quay.session.clock.now = read("2024").first
    quay.add([Ended("crane", SourcedTime(read("2024"), "2024", "metadata"))])
    quay.session.clock.now = read("2025").first
    assert said(facts_about(view(quay), ["crane"])) == []
    assert said(facts_about(view(quay), ["crane"], ended=True)) == [("crane", "Quay")]
    assert said(facts_about(view(quay, "2023"), ["crane"])) == [("crane", "Quay")]


def test_what_had_turned_out_to_be_wrong_is_never_known():
    """A correction of the same date was right from the beginning: what it replaced never was."""
    with corpus_of(now="2021-06") as corpus:
        add(corpus, note("fees", "2021-01-01", "Quay | fee | 2 euros"), at="2021-06")
        add(corpus, note("fees", "2022-01-01", "Quay | fee | 3 euros"), at="2022-06")
        add(corpus, note("fees", "2021-01-01", "Quay | fee | 20 euros"), at="2023-06")
        corpus.session.clock = Clock.at("2025")
        ended = {
            (as_of, known_at): said(facts_about(view(corpus, as_of, known_at), ["quay"], ended=True))
            for as_of, known_at in (("2021-06", None), ("2024", None), ("2024", "2022-12"))
        }
    assert ended == {
        ("2021-06", None): [("fees", "20 euros")],
        ("2024", None): [("fees", "20 euros"), ("fees", "3 euros")],
        ("2024", "2022-12"): [("fees", "2 euros"), ("fees", "3 euros")],
    }


def test_facts_by_rows_by_time_and_by_kind(quay):
    quay.session.clock.now = read("2025").first
    now = view(quay)
    rows = np.array(sorted(quay.at().search("quay crane fee", k=20).rows), np.int64)
    everything = facts_of(now, rows)
    assert said(everything) == said(facts_about(now, ["quay", "crane"]))
    assert said(facts_of_kind(now, EVENT)) == [("crane", "Quay")]
    assert said(facts_of_kind(now, VALUE)) == [("crane", "9 euros"), ("fees", "3 euros")]
    year = read("2020")
    assert said(facts_during(now, year.first, year.last)) == [("crane", "Quay"), ("crane", "9 euros")]
    assert said(facts_during(now, year.first - 2, year.first - 1)) == []
    assert said(facts_of(now, rows[:0])) == []


def test_passages_that_nothing_has_read_are_read_by_rules():
    with corpus_of() as corpus:
        corpus.add([note("late", "2021-01-01", "Otter Mills opened a depot in May 2020.")])
        now = view(corpus)
        (fact,) = facts_of(now, np.arange(now.n, dtype=np.int64))
        assert (fact.fact.subject, fact.fact.kind) == ("Otter Mills", EVENT)
        assert facts_about(now, ["otter mills"]) == []  # the store has not got it
