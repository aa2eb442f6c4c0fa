from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from asof.errors import BadTime
from asof.time.moment import read
from asof.time.span import TICK, Span

ANCHOR = datetime(2024, 5, 31, 12, 34, 56, 789, tzinfo=UTC)  # a Friday
BERLIN = ZoneInfo("Europe/Berlin")


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("today", "2024-05-31"),
        ("yesterday", "2024-05-30"),
        ("  Tomorrow ", "2024-06-01"),
        ("3 months ago", "2024-02-29"),  # 31 February is clipped
        ("a month ago", "2024-04-30"),
        ("two quarters ago", "2023-11-30"),
        ("an year ago", "2023-05-31"),
        ("TWO YEARS AGO", "2022-05-31"),
        ("a week ago", "2024-05-24"),
        ("0 days ago", "2024-05-31"),
        ("in 2 days", "2024-06-02"),
        ("in twelve months", "2025-05-31"),
        ("2 hours ago", "2024-05-31T10:34"),
        ("in 90 minutes", "2024-05-31T14:04"),
        ("57 seconds ago", "2024-05-31T12:33:59"),
        ("last week", "2024-W21"),
        ("this week", "2024-W22"),
        ("next week", "2024-W23"),
        ("last month", "2024-04"),
        ("this quarter", "2024-Q2"),
        ("last quarter", "2024-Q1"),
        ("next year", "2025"),
    ],
)
def test_counting_from_an_anchor(text: str, same: str) -> None:
    assert read(text, ANCHOR) == read(same)


def test_now_is_the_instant() -> None:
    assert read("now", ANCHOR) == Span.at(ANCHOR) == Span(ANCHOR, ANCHOR + TICK)
    assert read("now", datetime.max.replace(tzinfo=UTC)).end is None


def test_the_day_is_the_zones() -> None:
    late = datetime(2024, 5, 31, 22, 30, tzinfo=UTC)  # 00:30 of 1 June in Berlin
    assert read("today", late, BERLIN) == read("2024-06-01", zone=BERLIN)
    assert read("this month", late, BERLIN) == read("2024-06", zone=BERLIN)
    assert read("today", late) == read("2024-05-31")


def test_hours_pass_while_clocks_change() -> None:
    after = datetime(2024, 3, 31, 3, 30, tzinfo=BERLIN)  # 01:30 UTC; the clocks went from 02:00 to 03:00
    start = datetime(2024, 3, 30, 23, 30, tzinfo=UTC)  # two hours before
    assert read("2 hours ago", after, BERLIN) == Span(start, start + timedelta(minutes=1))


@pytest.mark.parametrize("text", ["now", "today", "3 months ago", "in 2 days", "last quarter"])
def test_an_anchor_is_needed(text: str) -> None:
    with pytest.raises(BadTime, match=f"'{text}' counts from an anchor"):
        read(text)


def test_an_anchor_needs_a_zone() -> None:
    with pytest.raises(ValueError, match="time zone"):
        read("today", datetime(2024, 5, 31))  # noqa: DTZ001


@pytest.mark.parametrize(
    "text",
    ["3000 years ago", "in 8000 years", "99999999999999999999 days ago", "in 99999999999999999999 hours"],
)
def test_outside_the_calendar(text: str) -> None:
    with pytest.raises(BadTime, match="outside the years 1 to 9999"):
        read(text, ANCHOR)


def test_beyond_the_first_and_last_year() -> None:
    first, last = datetime(1, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, tzinfo=UTC)
    for text, anchor in (
        ("last year", first),
        ("next month", last),
        ("yesterday", first),
        ("next week", last),
    ):
        with pytest.raises(BadTime, match="outside the years"):
            read(text, anchor)


@pytest.mark.parametrize(
    "text", ["several days ago", "in 2 days ago", "2 days", "last day", "in days", "ago", "-2 days ago"]
)
def test_what_is_not_understood(text: str) -> None:
    with pytest.raises(BadTime, match="is not a time"):
        read(text, ANCHOR)
