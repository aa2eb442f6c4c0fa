"""Dates and periods as the instants that bound them: how options and arguments of a moment are taken."""

from __future__ import annotations

from datetime import datetime

from asof.time.exact import When as When
from asof.time.exact import instant_of, span_of
from asof.time.moment import read_bounded
from asof.time.span import LAST, Span, nearest_moment


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


def stretch(when: When, anchor: int, fiscal_start: int = 1) -> tuple[int, int]:
    """The first and the last instant of a date or period, which may be open. Raises BadTime."""
    if isinstance(when, datetime):
        return (instant_of(when),) * 2
    span = _span(when, anchor, fiscal_start=fiscal_start)
    return span.first, span.last


def _span(when: When, anchor: int, *, start: bool = False, end: bool = False, fiscal_start: int = 1) -> Span:
    if not isinstance(when, str):
        return span_of(when)
    return read_bounded(when, nearest_moment(anchor), start=start, end=end, fiscal_start=fiscal_start)
