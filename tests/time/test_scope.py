"""Which times lie in the times of a question, and what is nearest where none does."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.fact_lines import corpus_of, note, view

from asof.extensions.facts.visible import facts_about
from asof.time.moment import read
from asof.time.span import Span, holds_in, label, nearest


def since(when: str) -> Span:
    return Span(read(when).start, None)


def until(when: str) -> Span:
    return Span(None, read(when).end)


HOLDS = [
    ("2023-Q1", "2023", True), ("2023", "2023", True), ("2023", "2023-Q1", False),  # 90 of 365 days
    ("2023-03", "2023-Q1", True), ("2022", "2023", False), ("2023-12-31", "2024", False),
]  # fmt: skip


@pytest.mark.parametrize(("when", "scope", "holds"), HOLDS)
def test_at_least_half_of_a_facts_time_lies_in_the_scope(when, scope, holds):
    assert holds_in(read(when), [read(scope)]) is holds


def test_half_is_enough_and_less_is_not():
    two_days = Span(datetime(2023, 1, 1, tzinfo=UTC), datetime(2023, 1, 3, tzinfo=UTC))
    assert holds_in(two_days, [read("2023-01-02")])  # 1 of 2 days
    three_days = Span(datetime(2023, 1, 1, tzinfo=UTC), datetime(2023, 1, 4, tzinfo=UTC))
    assert not holds_in(three_days, [read("2023-01-02")])  # 1 of 3


def test_of_what_is_open_some_is_enough():
    assert holds_in(since("2020"), [read("2023-Q1")])
    assert holds_in(until("2023"), [read("2023-12-31")])
    assert not holds_in(since("2024"), [read("2023")])
    assert holds_in(read("2023"), [since("2020")])
    assert not holds_in(read("2019"), [since("2020")])


def test_one_of_several_spans_is_enough_and_no_time_lies_in_none():
    assert holds_in(read("2021"), [read("2019"), read("2021")])
    assert not holds_in(read("2021"), [])
    assert not holds_in(None, [read("2021")])


days = st.integers(0, 2_000)


@given(start=days, length=st.integers(1, 500), other=days, more=st.integers(1, 500))
def test_a_time_holds_in_itself_and_in_all_that_holds_it(start, length, other, more):
    first = datetime(2020, 1, 1, tzinfo=UTC)
    when = Span(first + timedelta(start), first + timedelta(start + length))
    scope = Span(first + timedelta(other), first + timedelta(other + more))
    assert holds_in(when, [when])
    common = min(start + length, other + more) - max(start, other)
    assert holds_in(when, [scope]) is (common > 0 and 2 * common >= length)


def test_labels_of_spans():
    assert label(read("2023")) == "2023"
    assert label(read("2023-Q2")) == "2023-Q2"
    assert label(read("2023-05-05")) == "2023-05-05"
    assert label(Span(read("2023-05-05").start, read("2023-05-09").start)) == "2023-05-05 to 2023-05-09"
    assert label(until("2022")) == "before 2023-01-01"
    assert label(since("2023")) == "from 2023-01-01"


def test_the_nearest_times_are_named_once_each_nearest_first():
    lines = (
        "Quay | fee | 1 | 2019",
        "Quay | fee | 2 | 2021",
        "Quay | toll | 3 | 2021",
        "Quay | fee | 4 | 2022-Q1",
    )
    with corpus_of(note("a", "2022-06-01", *lines, "Quay | fee | 5")) as corpus:
        facts = facts_about(view(corpus), ["quay"])
        times = [(each.fact.when.span, each.fact.when.text) for each in facts if each.fact.when is not None]
        assert nearest(times, [read("2024")]) == ["2022-06-01", "2022-Q1", "2021"]
        assert nearest(times, [read("2018")], most=2) == ["2019", "2021"]
        assert nearest(times, [read("2020")])[:2] == ["2019", "2021"]  # next to it both: the earlier first
        assert nearest((), [read("2020")]) == []
