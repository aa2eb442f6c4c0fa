"""Facts in the store: what goes in comes out, and how they are looked up."""

from __future__ import annotations

from contextlib import closing

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.fact_lines import Lines, corpus_of, note

import asof
from asof.extensions.facts import store as kept
from asof.extensions.facts.indexer import ensure_facts
from asof.extensions.facts.store import Extraction
from asof.time.moment import read
from asof.time.span import Span
from asof.values import EVENT, KINDS, VALUE, Amount, Document, Fact, Heading, SourcedTime


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


def test_facts_by_the_keys_of_subject_or_object(db):
    kept.save_extractions(
        db, "x", [Extraction(1, (fact("Quay, Inc."), fact("Crane", "stands on", "the Quay"), fact("Mole")))]
    )
    assert [each.number for each in kept.facts_about(db, ["quay"])] == [0, 1]
    assert [each.number for each in kept.facts_about(db, ["mole", "crane"])] == [1, 2]
    assert kept.facts_about(db, ["zebra"]) == []


def test_facts_by_kind(db):
    value = fact(kind=VALUE, amount=Amount(2.0, "EUR"))
    kept.save_extractions(db, "x", [Extraction(1, (value, fact()))])
    assert [each.fact for each in kept.facts_of_kind(db, VALUE)] == [value]


def test_facts_by_time_have_an_instant_in_it(db):
    kept.save_extractions(
        db, "x", [Extraction(1, (fact(when="2020"), fact(when="2021-Q1"), fact(when=None)))]
    )
    year = read("2021")
    assert [each.number for each in kept.facts_during(db, year.first, year.last)] == [1]
    assert [each.number for each in kept.facts_during(db, year.first - 1, year.last)] == [0, 1]
    assert kept.facts_during(db, year.last + 1, year.last + 9) == []


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
    assert (one.document, one.title, one.uri, one.number) == ("fees", "Fees of the quay", "file:fees", 0)
    assert (one.published, one.fiscal_start, one.tags, one.meta) == (
        read("2021"), 7, ("dues",), {"company": "Quay"},
    )  # fmt: skip
    assert "2020" in [time.text for time in one.times] or "In 2020" in [time.text for time in one.times]
    assert (other.published, other.meta) == (None, {})
    assert next(iter(Lines().extract([other]))).facts == ()


def test_erasing_a_document_erases_its_facts():
    with corpus_of() as corpus:
        corpus.add([note("a", "2021-01-01", "Quay | fee | 2 euros"), note("b", "2021-01-01", "x")])
        with closing(corpus.store.writer()) as db:
            db.execute("BEGIN IMMEDIATE")
            kept.save_extractions(
                db, "x", Lines().extract(kept.excerpts(db, kept.passages_without_facts(db)))
            )
            db.execute("COMMIT")
            assert len(kept.facts_about(db, ["quay"])) == 1
        corpus.purge("a")
        with closing(corpus.store.writer()) as db:
            assert kept.facts_about(db, ["quay"]) == []
            assert db.execute("SELECT count(*) FROM extractions").fetchone() == (1,)


def test_status_says_who_read_what_and_what_is_left(tmp_path):
    def told(corpus):
        return [line for line in corpus.status().derived if line.startswith("facts")]

    with asof.open(tmp_path) as corpus:
        corpus.add([Document("a", "Revenue was $4 million in 2021."), Document("b", "Nobody knows.")])
        assert told(corpus) == []
        ensure_facts(corpus.session)
        assert told(corpus) == ["facts: 1 in 2 passages, read by rules-3"]
        corpus.add([Document("c", "The quay is long.")])
        assert told(corpus)[1:] == ["facts: 1 passage is not read yet"]
