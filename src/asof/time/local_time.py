"""Intervals of local time: of a calendar and a clock without a time zone, which makes spans of them.

An interval is a pair of whole microseconds, start and end (half-open), counted so that midnight at the start
of a day is its `date.toordinal()` times `DAY`. Integers leave no overflow to think of: what lies outside the
years 1 to 9999 is found when a date is asked for (ValueError) or a span is made.
"""

from __future__ import annotations

from datetime import MAXYEAR, UTC, date, datetime, timedelta, tzinfo
from functools import lru_cache

from asof.time.period import months_later
from asof.time.span import Span

LocalInterval = tuple[int, int]

SECOND = 10**6
MINUTE = 60 * SECOND
HOUR = 60 * MINUTE
DAY = 24 * HOUR

IN_MONTHS = {"month": 1, "quarter": 3, "half": 6, "year": 12, "decade": 120, "century": 1200}
IN_DAYS = {"day": 1, "week": 7, "weekend": 7, "fortnight": 14}
IN_CLOCK = {"second": SECOND, "minute": MINUTE, "hour": HOUR}

FINER = {
    "century": "decade",
    "decade": "year",
    "year": "month",
    "half": "month",
    "quarter": "month",
    "season": "month",
    "month": "day",
    "week": "day",
    "day": "hour",
    "hour": "minute",
    "minute": "second",
    "second": "second",
}
_BEGINNING = datetime(1, 1, 1)  # noqa: DTZ001 (the wall has no zone)
_BEGINNING_UTC = datetime(1, 1, 1, tzinfo=UTC)
_TICK = timedelta(microseconds=1)
GRAINS = (
    "second",
    "minute",
    "hour",
    "day",
    "week",
    "month",
    "quarter",
    "half",
    "season",
    "year",
    "decade",
    "century",
)
"""Fine to coarse."""

_THIRDS = {"week": (0, 2, 4, 7), "day": (0, 8, 16, 24), "decade": (0, 4, 7, 10), "century": (0, 33, 67, 100)}


def grain_of(unit: str) -> str:
    """The grain of a unit that is none itself: a weekend is counted in days, a fortnight in weeks."""
    return {"weekend": "day", "fortnight": "week"}.get(unit, unit)


def days(first: int, after: int) -> LocalInterval:
    """From the day of an ordinal to before another."""
    return first * DAY, after * DAY


def first_ordinal(year: int, month: int = 1) -> int:
    """The ordinal of the first day of a month; months past 12 count on into later years.

    Raises ValueError outside the years 1 to 9999, of which the day after the last is still a day.
    """
    year, month = year + (month - 1) // 12, (month - 1) % 12 + 1
    if (year, month) == (MAXYEAR + 1, 1):
        return date.max.toordinal() + 1
    return date(year, month, 1).toordinal()


def months(year: int, month: int = 1, count: int = 12) -> LocalInterval:
    """Whole months from one on. Raises ValueError outside the calendar."""
    return days(first_ordinal(year, month), first_ordinal(year, month + count))


def calendar_day(year: int, month: int, day: int) -> LocalInterval:
    """One day. Raises ValueError if there is none."""
    ordinal = date(year, month, day).toordinal()
    return days(ordinal, ordinal + 1)


def week_of_day(ordinal: int) -> LocalInterval:
    """The week from Monday to Sunday that holds a day."""
    monday = ordinal - (ordinal - 1) % 7  # 1 January of the year 1 was a Monday
    return days(monday, monday + 7)


def calendar_units(ordinal: int, unit: str, steps: int = 0, count: int = 1) -> LocalInterval:
    """`count` calendar units in a row, the first of them `steps` after the one that holds a day."""
    if unit in IN_DAYS:
        size = IN_DAYS[unit]
        first = ordinal if unit == "day" else week_of_day(ordinal)[0] // DAY
        first += steps * size
        return days(first + 5, first + 7 * count) if unit == "weekend" else days(first, first + count * size)
    size = IN_MONTHS[unit]
    day = date.fromordinal(ordinal)
    index = (day.year * 12 + day.month - 1) // size * size + steps * size
    return months(index // 12, index % 12 + 1, count * size)


def shift_day(ordinal: int, unit: str, count: float) -> int:
    """The day so many units after a day (negative: before). Raises ValueError outside the calendar."""
    if unit in IN_DAYS:
        return ordinal + round(count * IN_DAYS[unit])
    whole = int(count * IN_MONTHS[unit])
    rest = count * IN_MONTHS[unit] - whole
    return months_later(date.fromordinal(ordinal), whole).toordinal() + round(rest * 30)


def third(interval: LocalInterval, grain: str, which: int) -> LocalInterval:
    """The early (0), middle (1) or late (2) third of an interval, cut where its calendar has joints.

    A month has the days 1-10, 11-20 and the rest; a week Mon-Tue, Wed-Thu and Fri-Sun; a decade the years
    0-3, 4-6 and 7-9; years, halves and quarters have whole months.
    """
    start, end = interval
    first = date.fromordinal(start // DAY)
    if grain in _THIRDS:
        cuts = _THIRDS[grain]
        if grain in ("decade", "century"):
            return days(first_ordinal(first.year + cuts[which]), first_ordinal(first.year + cuts[which + 1]))
        unit = HOUR if grain == "day" else DAY
        return start + cuts[which] * unit, start + cuts[which + 1] * unit
    if grain == "month":
        return (start, start + 10 * DAY, start + 20 * DAY)[which], (start + 10 * DAY, start + 20 * DAY, end)[
            which
        ]
    if grain in ("year", "half", "quarter", "season"):
        size = {"year": 4, "half": 2}.get(grain, 1)
        return months(first.year, first.month + which * size, size)
    size = (end - start) // 3
    return start + which * size, end if which == 2 else start + (which + 1) * size


def widen(interval: LocalInterval) -> LocalInterval:
    """As much again on either side; whole months are counted by months, so around 2020 is 2019 to 2021."""
    start, end = interval
    size = end - start
    try:
        first, after = date.fromordinal(start // DAY), date.fromordinal(end // DAY)
        if first.day == after.day == 1 and start % DAY == end % DAY == 0:
            count = (after.year - first.year) * 12 + after.month - first.month
            return first_ordinal(first.year, first.month - count) * DAY, first_ordinal(
                after.year, after.month + count
            ) * DAY
    except ValueError:  # one of the three lies outside the calendar
        pass
    return start - size, end + size


def span_of(interval: LocalInterval, zone: tzinfo = UTC) -> Span:
    """The span between two readings of the clocks in a zone; a side that UTC cannot represent is None.

    A time that the clocks show twice gives the span around both. Raises ValueError when the zone has no such
    time (clocks skipped it, or the whole day).
    """
    return _utc_span(interval) if zone is UTC else _span_in(interval, zone)


@lru_cache(maxsize=4096)
def _utc_span(interval: LocalInterval) -> Span:
    return _span_in(interval, UTC)


def _span_in(interval: LocalInterval, zone: tzinfo) -> Span:
    start, end = interval
    if start % DAY == 0 and end % DAY == 0:
        return Span(instant_of(start, zone), instant_of(end, zone))
    once, again = instant_of(start, zone), instant_of(start, zone, 1)
    if once is not None and again is not None and again < once:
        raise ValueError(f"the clocks in {zone} skip that time")
    if end - start <= HOUR and again is not None:
        return Span(once, again + timedelta(microseconds=end - start))
    return Span(once, instant_of(end, zone))


def instant_of(wall: int, zone: tzinfo, fold: int = 0) -> datetime | None:
    """When the clocks of a zone show a wall-clock time; None outside the years 1 to 9999 of UTC."""
    try:
        if zone is UTC:
            return _BEGINNING_UTC + timedelta(microseconds=wall - DAY)
        naive = _BEGINNING + timedelta(microseconds=wall - DAY)
        return naive.replace(tzinfo=zone, fold=fold).astimezone(UTC)
    except OverflowError:
        return None


def wall(moment: datetime, zone: tzinfo) -> int:
    """What calendar and clock in a zone show at an aware moment (inverse of a stretch's start)."""
    if zone is UTC:
        return (moment - _BEGINNING_UTC) // _TICK + DAY
    try:
        there = moment.astimezone(zone)
    except OverflowError:  # before the year 1 or after 9999 in that zone
        there = moment.astimezone(UTC)
    naive = there.replace(tzinfo=None)
    return (naive - _BEGINNING) // _TICK + DAY
