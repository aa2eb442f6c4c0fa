"""Spans and periods, and times that lie in a scope."""

from __future__ import annotations

import subprocess
import sys
from datetime import UTC, date, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.fact_lines import corpus_of, note, view

from asof.errors import BadTime
from asof.extensions.facts.visible import facts_about
from asof.time.moment import read
from asof.time.span import (
    GRAINS,
    Grain,
    Period,
    Span,
    days_in,
    holds_in,
    label,
    months_later,
    nearest,
    span_of_length,
)

GRAIN = st.sampled_from(GRAINS)
PERIOD = st.builds(Period.of, st.dates(), GRAIN)


def utc(year: int, month: int = 1, day: int = 1) -> datetime:
    return datetime(year, month, day, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "grain", "start", "end"),
    [
        ("2024", "year", utc(2024), utc(2025)),
        ("2024-Q1", "quarter", utc(2024), utc(2024, 4)),
        ("2024-Q4", "quarter", utc(2024, 10), utc(2025)),
        ("2024-02", "month", utc(2024, 2), utc(2024, 3)),
        ("2024-02-29", "day", utc(2024, 2, 29), utc(2024, 3, 1)),
        ("0001", "year", utc(1), utc(2)),
    ],
)
def test_canonical_text(text: str, grain: Grain, start: datetime, end: datetime) -> None:
    period = Period.parse(text)
    assert (period.grain, period.span, str(period)) == (grain, Span(start, end), text)


def test_other_texts_are_refused() -> None:
    texts = "|24|2024-Q5|2024-q1|2024Q1|2024-13|2024-02-30|2024-1|0000|２０２４|2024\n"
    for text in (*texts.split("|"), "x" * 99):
        with pytest.raises(BadTime, match="write"):
            Period.parse(text)


def test_neighbours() -> None:
    assert str(Period.parse("2024-02-28").next) == "2024-02-29"
    assert str(Period.parse("2024-12").next) == "2025-01"
    assert str(Period.parse("2024-Q1").previous) == "2023-Q4"
    assert str(Period.parse("2024").previous) == "2023"


@pytest.mark.parametrize("grain", GRAINS)
def test_the_calendar_ends(grain: Grain) -> None:
    last, first = Period.of(date.max, grain), Period.of(date.min, grain)
    assert last.after is None
    assert last.span.end is None
    with pytest.raises(ValueError, match="on that side"):
        _ = last.next
    with pytest.raises(ValueError, match="on that side"):
        _ = first.previous


def test_what_is_no_period() -> None:
    with pytest.raises(ValueError, match="not the first day"):
        Period("quarter", date(2024, 2, 1))
    with pytest.raises(ValueError, match="a grain is one of"):
        Period("week", date(2024, 1, 1))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="not at a datetime"):
        Period("day", utc(2024))


def test_containing_is_in_utc() -> None:
    berlin = datetime(2024, 1, 1, 0, 30, tzinfo=timezone(timedelta(hours=1)))  # 23:30 UTC of the day before
    assert str(Period.containing(berlin, "day")) == "2023-12-31"
    assert berlin in Period.containing(berlin, "year").span
    with pytest.raises(ValueError, match="time zone"):
        Period.containing(datetime(2024, 1, 1), "day")  # noqa: DTZ001


def test_order_is_by_start_then_coarse_first() -> None:
    texts = ["2023-12-31", "2024", "2024-Q1", "2024-01", "2024-01-01", "2024-01-02", "2024-02", "2024-Q2"]
    periods = [Period.parse(text) for text in texts]
    backwards = periods[::-1]
    assert sorted(backwards) == periods
    assert periods[1] < periods[2] <= periods[2] and periods[2] > periods[1]  # noqa: PT018
    with pytest.raises(TypeError):
        _ = periods[0] < "2024"


def test_months_later_clips() -> None:
    assert months_later(date(2024, 5, 31), -3) == date(2024, 2, 29)
    assert months_later(date(2024, 1, 31), 13) == date(2025, 2, 28)
    with pytest.raises(ValueError, match="1 to 9999"):
        months_later(date(9999, 12, 1), 1)


def test_days_and_weeks_at_the_calendars_end() -> None:
    assert read("2024-W09") == days_in(date(2024, 2, 26), date(2024, 3, 4))
    assert read("9999-W52") == days_in(date(9999, 12, 27), None)
    assert Period("day", date.max).span == days_in(date.max, None)
    assert span_of_length(datetime.max.replace(tzinfo=UTC), timedelta(days=1)).end is None


@given(PERIOD)
def test_reading_the_text_gives_the_period_back(period: Period) -> None:
    assert Period.parse(str(period)) == period
    assert read(str(period)) == period.span


@given(PERIOD)
def test_a_period_lies_in_its_parent(period: Period) -> None:
    parent = period.parent
    assert (parent is None) == (period.grain == "year")
    assert parent is None or parent.span.overlap(period.span) == period.span


@given(st.datetimes(timezones=st.just(UTC)), GRAIN)
def test_the_period_of_a_moment_holds_it(moment: datetime, grain: Grain) -> None:
    assert moment in Period.containing(moment, grain).span


def test_reading_dates_needs_no_numpy() -> None:
    code = "import sys, asof.time.moment, asof.time.span; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


# -- which times lie in the times of a question, and what is nearest where none does ---------------------


def since(when: str) -> Span:
    return Span(read(when).start, None)


def until(when: str) -> Span:
    return Span(None, read(when).end)


@pytest.mark.parametrize(
    ("when", "scopes", "holds"),
    [
        (read("2023-Q1"), [read("2023")], True), (read("2023"), [read("2023")], True),
        (read("2023"), [read("2023-Q1")], False),  # 90 of 365 days
        (read("2023-03"), [read("2023-Q1")], True), (read("2022"), [read("2023")], False),
        (read("2023-12-31"), [read("2024")], False),
        # of what is open some is enough
        (since("2020"), [read("2023-Q1")], True), (until("2023"), [read("2023-12-31")], True),
        (since("2024"), [read("2023")], False), (read("2023"), [since("2020")], True),
        (read("2019"), [since("2020")], False),
        # one of several is enough, and no time lies in none
        (read("2021"), [read("2019"), read("2021")], True), (read("2021"), [], False),
        (None, [read("2021")], False),
    ],
)  # fmt: skip
def test_at_least_half_of_a_facts_time_lies_in_the_scope(when, scopes, holds):
    assert holds_in(when, scopes) is holds


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
    assert label(Span(read("2023-05-05").start, read("2023-05-09").start)) == "2023-05-05 to 2023-05-08"
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
