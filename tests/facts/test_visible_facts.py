"""Facts as a view sees them: known exactly where their passage is in force."""

from __future__ import annotations

import numpy as np
import pytest
from tests.support.corpora import Clock
from tests.support.fact_lines import add, corpus_of, note, view

from asof.extensions.facts.visible import facts_about, facts_during, facts_of, facts_of_kind
from asof.time.moment import read
from asof.values import EVENT, VALUE, Ended, SourcedTime


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


def test_what_was_erased_is_not_known(quay):
    quay.purge("fees")
    assert said(facts_about(view(quay), ["quay"], ended=True)) == [("crane", "Quay"), ("crane", "9 euros")]


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


def test_the_sentence_and_the_order_of_a_fact(quay):
    first, second = facts_about(view(quay), ["quay"])[:2]
    assert first.sentence == "Crane | stands on | Quay | 2020"
    assert first.order == (*first.passage.order, 0)
    assert second.order == (*first.passage.order, 1)
