"""Times in an argument, a text or a Python value, as spans and as the instants that bound them."""

from __future__ import annotations

from datetime import UTC, date, datetime
from numbers import Integral

from asof.errors import BadTime
from asof.time.moment import read, read_bounded
from asof.time.period import Period, days_in, one_day, span_of_length
from asof.time.span import FIRST, LAST, TICK, Span, instant, moment, nearest_moment

When = str | date | int | Period
"""A moment or a period: a text that `asof.time.moment.read` understands, or a value that `span_of` takes."""

YEARS = range(1000, 3000)
"""Whole numbers that are years."""

ACCEPTED = (
    "a text (2024, 2024-Q1, 2024-03, 2024-03-05, 2024-03-05T14:30+01:00, March 2024), a date, "
    "a datetime with a time zone, or a year as a whole number"
)


def span_of(value: object) -> Span:
    """The year of a whole number (1000 to 2999), the day of a date, the instant of a datetime, a period's.

    Raises BadTime for anything else, and for a datetime without a time zone: what is its zone?
    """
    if isinstance(value, datetime):
        return span_of_length(moment(instant_of(value)), TICK)
    if isinstance(value, date):
        return days_in(one_day(value), UTC)
    if isinstance(value, Period):
        return value.span
    if type(value) is not bool and isinstance(value, Integral) and int(value) in YEARS:
        return read(str(int(value)))
    raise BadTime(
        f"{value!r:.60} ({type(value).__name__}) is not a time: accepted are {ACCEPTED}{_instead(value)}"
    )


def instant_of(value: datetime) -> int:
    """The instant of an aware datetime. Raises BadTime for another, and outside the years 1 to 9999."""
    if value.utcoffset() is None:
        raise BadTime(
            f"{value!r} has no time zone, so it names no instant: use datetime(..., tzinfo=UTC) or "
            ".astimezone() for this machine's zone; a date without a time of day needs none"
        )
    found = instant(value)
    if not FIRST <= found <= LAST:
        raise BadTime(f"{value!r} is in UTC outside the years 1 to 9999")
    return found


def _instead(value: object) -> str:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return "; of a Unix time make datetime.fromtimestamp(seconds, UTC)"
    return ""


def last_instant(when: When, anchor: int, fiscal_start: int = 1) -> int:
    """The last instant of a date or period: what is seen as of "2024-03-01" is what that day's end saw.

    At most the last instant of the year 9999: what is never seen is not seen as of 9999 either. Raises
    BadTime for what is no time, and for a time without an end.
    """
    if isinstance(when, datetime):
        return instant_of(when)
    return min(_span(when, anchor, end=True, fiscal_start=fiscal_start).last, LAST)


def first_instant(when: When, anchor: int, fiscal_start: int = 1) -> int:
    """The first instant of a date or period. Raises BadTime, also for a time without a start."""
    if isinstance(when, datetime):
        return instant_of(when)
    return _span(when, anchor, start=True, fiscal_start=fiscal_start).first


def instant_bounds(when: When, anchor: int, fiscal_start: int = 1) -> tuple[int, int]:
    """The first and the last instant of a date or period, which may be open. Raises BadTime."""
    if isinstance(when, datetime):
        return (instant_of(when),) * 2
    span = _span(when, anchor, fiscal_start=fiscal_start)
    return span.first, span.last


def _span(when: When, anchor: int, *, start: bool = False, end: bool = False, fiscal_start: int = 1) -> Span:
    if not isinstance(when, str):
        return span_of(when)
    return read_bounded(when, nearest_moment(anchor), start=start, end=end, fiscal_start=fiscal_start)
