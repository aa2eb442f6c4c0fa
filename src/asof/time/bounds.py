"""Dates and periods as the instants that bound them: how options and arguments of a moment are taken."""

from __future__ import annotations

from datetime import datetime

from asof.errors import UsageError
from asof.time.moment import read_bounded
from asof.time.span import instant, nearest_moment

When = str | datetime
"""A moment or a period: an aware datetime, or text that `asof.time.moment.read` understands."""


def last_instant(when: When, anchor: int, fiscal_start: int = 1) -> int:
    """The last instant of a date or period: what is seen as of "2024-03-01" is what that day's end saw."""
    if isinstance(when, datetime):
        if when.tzinfo is None:
            raise UsageError(f"{when!r} has no time zone: use datetime(..., tzinfo=UTC)")
        return instant(when)
    return read_bounded(when, nearest_moment(anchor), end=True, fiscal_start=fiscal_start).last


def first_instant(when: When, anchor: int, fiscal_start: int = 1) -> int:
    """The first instant of a date or period. Raises BadTime, also for a time without a start."""
    if isinstance(when, datetime):
        return last_instant(when, anchor)
    return read_bounded(when, nearest_moment(anchor), start=True, fiscal_start=fiscal_start).first


def stretch(when: When, anchor: int, fiscal_start: int = 1) -> tuple[int, int]:
    """The first and the last instant of a date or period, which may be open."""
    if isinstance(when, datetime):
        return (last_instant(when, anchor),) * 2
    span = read_bounded(when, nearest_moment(anchor), fiscal_start=fiscal_start)
    return span.first, span.last
