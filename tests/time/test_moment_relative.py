from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from asof.errors import BadTime
from asof.time.moment import read, read_bounded
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


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("last spring", "2023-03-01", "2023-06-01"),  # the one of 2024 lasts until tonight
        ("the end of 2023", "2023-09-01", "2024-01-01"),
        ("Q3 FY24", "2024-07-01", "2024-10-01"),
        ("the past 5 years", "2019-05-31", "2024-05-31T12:34:56.000789"),
        ("in the 1990s", "1990-01-01", "2000-01-01"),
        ("since 2020", "2020-01-01", None),
        ("before March 2021", None, "2021-03-01"),
        ("2019-2021", "2019-01-01", "2022-01-01"),
        ("May", "2024-05-01", "2024-06-01"),
        ("  Christmas\n2023 ", "2023-12-25", "2023-12-26"),
        ("letzte Woche", "2024-05-20", "2024-05-27"),
        ("im Ma\u0308rz", "2024-03-01", "2024-04-01"),
    ],
)
def test_with_an_anchor_any_expression_of_time_is_read(text: str, start: str | None, end: str | None) -> None:
    since, until = (
        None if side is None else datetime.fromisoformat(side).replace(tzinfo=UTC) for side in (start, end)
    )
    assert read(text, ANCHOR) == Span(since, until)
    with pytest.raises(BadTime):
        read(text)


@pytest.mark.parametrize(
    "text",
    [
        "03/04/2024", "03.04.2024", "03.04.2024 14:30", "on 3/4/2024", "4-22", "3/4", "since 03/04/2024",
        "March and May", "sales in 2023", "2023 sales", "room 2019", "last year and this year", "quickly",
    ],
)  # fmt: skip
def test_what_is_in_doubt_or_more_than_a_time_stays_refused(text: str) -> None:
    with pytest.raises(BadTime, match="is not a time"):
        read(text, ANCHOR)


def test_fiscal_labels_follow_the_start_of_the_fiscal_year() -> None:
    """FY24 from July is July 2023 to June 2024, and its third quarter January to March."""
    assert read("Q3 FY24", ANCHOR, fiscal_start=7) == read("2024-Q1")


@pytest.mark.parametrize("text", ["2021", "since 2020", "until 2020", "9999"])
def test_a_bound_that_is_wanted_has_to_be_there(text: str) -> None:
    """What ends with the year 9999 has an end, though no datetime says it."""
    assert read_bounded(text, ANCHOR) == read(text, ANCHOR)
    for side, opened in (("start", "until 2020"), ("end", "since 2020")):
        wanted = {"start": side == "start", "end": side == "end"}
        if text == opened:
            with pytest.raises(BadTime, match=f"'{text}' has no {side}; give a time that has one"):
                read_bounded(text, ANCHOR, **wanted)
        else:
            assert read_bounded(text, ANCHOR, **wanted) == read(text, ANCHOR)
