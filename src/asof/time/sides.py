"""What lies on a side of the anchor: the last, this and the next year, March, fiscal quarter.

Rules for a side before its word (`last year`) are in `deictic.py`, here those for one after it or in it.
"""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, date

from asof.time.calendar_names import Name, name_at
from asof.time.local_time import (
    DAY,
    IN_CLOCK,
    LocalInterval,
    calendar_units,
    grain_of,
    shift_day,
    wall,
)
from asof.time.reading import (
    ReadingContext,
    RuleMatch,
    TimeReading,
    Yearly,
    distinct,
    intervals_around,
    on_side,
)
from asof.time.token_run import TokenRun
from asof.time.yearly import fiscal_year, parts


def side_after(run: TokenRun, i: int, context: ReadingContext) -> RuleMatch | None:
    """A side that stands after what it is of: `le mois dernier`, `marzo pasado`, `l'exercice en cours`."""
    if context.today is None:
        return None
    unit, fiscal = run.sense(i, "unit"), run.sense(i, "fiscal_year") is not None
    if unit is None and not fiscal:
        name = name_at(run, i, context)
        side = None if name is None or name.grain == "week" else run.sense(name.after, "side_after")
        if name is None or side is None or not run.follows(name.after):
            return None
        return name_on_side(name, side, context), name.after + 1
    at = i + 2 if run.sense(i + 1, "fiscal") is not None and run.follows(i + 1) else i + 1
    side = run.sense(at, "side_after")
    if side is None or not run.follows(at):
        return None
    if fiscal or at > i + 1:
        reading = fiscal_on_side("year" if fiscal else unit, side, context)
        return None if reading is None else (reading, at + 1)
    reading = unit_on_side(unit, side, context)
    return None if reading is None else (reading, at + 1)


def beside(run: TokenRun, i: int, context: ReadingContext) -> RuleMatch | None:
    """A unit and its side in one word: `去年`."""
    unit, _, side = str(run.sense(i, "beside") or "").partition(" ")
    reading = unit_on_side(unit, int(side), context) if unit else None
    return None if reading is None else (reading, i + 1)


def unit_on_side(unit: str, side: int, context: ReadingContext, rolling: bool = False) -> TimeReading | None:
    """The calendar's unit on a side of the anchor; `rolling`: as long before it ends there."""
    if unit == "day" or context.today is None or context.at is None or context.anchor is None:
        return None
    if unit in IN_CLOCK:
        at, size = wall(context.anchor, UTC), IN_CLOCK[unit]
        if side == 0:
            begin = at // size * size
            return TimeReading(unit, ((begin, begin + size),), True, zone=UTC)
        return TimeReading(unit, ((at - size, at) if side < 0 else (at, at + size),), True, zone=UTC)
    calendar, grain = calendar_units(context.today, unit, side), grain_of(unit)
    if rolling and unit != "weekend":
        first = shift_day(context.today, unit, side)
        return TimeReading(grain, distinct([(first * DAY, context.at or 1), calendar]), relative=True)
    return TimeReading(grain, (calendar,), relative=True)


def name_on_side(name: Name, side: int, context: ReadingContext) -> TimeReading:
    """A month, season or holiday on a side of the anchor, and where else it may be meant to lie."""
    intervals = intervals_around(name.yearly, date.fromordinal(context.today or 1).year)
    return TimeReading(name.grain, _sided_names(intervals, name.yearly, side, context), relative=True)


def _sided_names(
    intervals: list[LocalInterval], yearly: Yearly, side: int, context: ReadingContext
) -> tuple[LocalInterval, ...]:
    year = date.fromordinal(context.today or 1).year
    chosen = on_side(intervals, side, context)
    other: tuple[LocalInterval, ...] = ()
    with suppress(ValueError):  # not every year has a 29 February
        other = (yearly(year + side),)
    return distinct((*other, *chosen) if side == 0 else (*chosen[:1], *other, *chosen[1:]))


def fiscal_on_side(unit: str | None, side: int, context: ReadingContext) -> TimeReading | None:
    """The fiscal year or quarter on a side of the anchor."""
    if unit not in ("year", "quarter"):
        return None
    at, today = context.at or 0, date.fromordinal(context.today or 1)
    intervals: list[LocalInterval] = []
    if unit == "year":
        intervals = intervals_around(fiscal_year(context.fiscal_start), today.year)
    else:
        for number in range(1, 5):
            intervals += intervals_around(parts(3, number, context.fiscal_start), today.year)
        intervals.sort()
    here = next((n for n, place in enumerate(intervals) if place[0] <= at < place[1]), 0)
    if not 0 < here < len(intervals) - 1:  # at the ends of the calendar
        return None
    return TimeReading(unit, (intervals[here + side],), relative=True, fiscal=True)
