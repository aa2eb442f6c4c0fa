"""Distances in time: `three weeks ago`, `in 2 days`, `within a year`, `2 weeks before Easter`."""

from __future__ import annotations

from datetime import UTC

from asof.time.local_time import (
    DAY,
    IN_CLOCK,
    IN_MONTHS,
    MINUTE,
    SECOND,
    LocalInterval,
    grain_of,
    shift_day,
    wall,
)
from asof.time.numerals import amount
from asof.time.reading import ReadingContext, Rule, RuleMatch, TimeReading
from asof.time.token_run import TokenRun

Lengths = list[tuple[float, str]]
"""How many of which units."""

_UNITS = frozenset(("units", "unit", "unit_short"))
_MOST = 4  # units in one duration: 1 year, 2 months, 3 weeks and 4 days


def unit_after_number(run: TokenRun, i: int) -> str | None:
    """The unit at `i`, in any of its forms."""
    item = run[i]
    if item.kind.isdisjoint(_UNITS):
        return None
    match: str | None = item.senses.get("units") or item.senses.get("unit") or item.senses.get("unit_short")
    return match


def duration(run: TokenRun, i: int, most: int = _MOST) -> tuple[Lengths, int] | None:
    """Numbers with units: `3 weeks`, `1 month and 21 days`, `2h`, `a year`, `two and a half years`."""
    lengths: Lengths = []
    at = i
    while len(lengths) < most:
        match = amount(run, at)
        if match is None or (run.sense(at, "year_figures") and run.sense(match[1], "year_sign")):
            break
        unit, glue = unit_after_number(run, match[1]), run[match[1]].glue
        if (
            unit is None
            or glue not in (" ", "-", "")
            or (glue == "" and run.sense(match[1] - 1, "number") is None)
        ):
            break
        after = match[1] + 1
        count = match[0]
        if run.sense(after, "and_half") is not None and run.follows(after):
            count, after = count + 0.5, after + 1
        lengths.append((count, unit))
        i = after
        at = run.after(after, "and", " ,")
        if not run.follows(at, " ,"):
            break
    return (lengths, i) if lengths else None


def shift_instant(at: int, lengths: Lengths, sign: int) -> int:
    """The instant (on a clock in UTC) at a distance from another one: whole days first, by the calendar."""
    for count, unit in lengths:
        if unit not in IN_CLOCK:
            at = shift_day(at // DAY, unit, sign * count) * DAY + at % DAY
    return at + sign * sum(round(count * IN_CLOCK[unit]) for count, unit in lengths if unit in IN_CLOCK)


def shift_anchor(
    lengths: Lengths, context: ReadingContext, sign: int, day: int | None = None
) -> TimeReading | None:
    """The day, or within a day the minute, that lies a distance from the anchor (or from a day)."""
    relative = day is None
    if day is None:
        day = context.today
    if day is None:
        return None
    clock = [(count, unit) for count, unit in lengths if unit in IN_CLOCK]
    other = [(count, unit) for count, unit in lengths if unit not in IN_CLOCK]
    if clock:
        if not relative or context.anchor is None or context.at is None:
            return None
        at = shift_instant(wall(context.anchor, UTC), lengths, sign)
        grain, size = ("second", SECOND) if any(unit == "second" for _, unit in clock) else ("minute", MINUTE)
        return TimeReading(grain, ((at // size * size, at // size * size + size),), relative=True, zone=UTC)
    for count, unit in other:
        day = shift_day(day, unit, sign * count)
    return TimeReading("day", ((day * DAY, (day + 1) * DAY),), relative=relative)


def distance(run: TokenRun, i: int, context: ReadingContext) -> RuleMatch | None:
    """A distance from the anchor, or from the time that follows it; the German `vor drei Wochen` as well."""
    before = run.sense(i, "ago_before")
    if before is not None:
        lengths = duration(run, i + 1)
        match = shift_anchor(lengths[0], context, before) if lengths else None
        return None if lengths is None or match is None else (match, lengths[1])
    if run.sense(i, "ahead") is not None:
        return _ahead(run, i, context)
    lengths = duration(run, i)
    if lengths is None or not run.follows(lengths[1]):
        return None
    after = lengths[1]
    sign = run.sense(after, "ago")
    if sign is not None:
        match = shift_anchor(lengths[0], context, sign)
        return None if match is None else (match, after + 1)
    return None


def lasting(run: TokenRun, i: int, context: ReadingContext) -> RuleMatch | None:
    """How long something lasts until the anchor: of `depuis trois ans` the day three years ago."""
    lengths = duration(run, i)
    match = shift_anchor(lengths[0], context, -1) if lengths else None
    return None if lengths is None or match is None else (match, lengths[1])


def _ahead(run: TokenRun, i: int, context: ReadingContext) -> RuleMatch | None:
    lengths = duration(run, i + 1)
    if lengths is None or not run.follows(i + 1):
        return None
    after = lengths[1]
    if len(run[after - 1].word) == 1:
        return None  # "in 3D"
    if run.behind(after - 1)[0] in ("of", "or", "and") and run.behind(after - 1)[1] == " ":
        return None
    if run.sense(after, "ago") is not None or run.sense(after, "shift") is not None:
        return None
    match = shift_anchor(lengths[0], context, 1)
    return None if match is None else (match, after)


def from_point(run: TokenRun, i: int, context: ReadingContext, point: Rule) -> RuleMatch | None:
    """A distance from another time: `two weeks before Christmas`, `3 days after 5 March 2024`."""
    lengths = duration(run, i)
    if lengths is None and run.sense(i, "the") is not None and run.sense(i + 1, "unit") == "day":
        lengths = [(1, "day")], i + 2
    if lengths is None or not run.follows(lengths[1]):
        return None
    sign = run.sense(lengths[1], "shift")
    if sign is None:
        return None
    match = point(run, run.after(lengths[1] + 1, "the"), context)
    if match is None or not match[0].choices or match[0].zone is not None or not run.follows(lengths[1] + 1):
        return None
    reading, after = match
    units = [unit for _, unit in lengths[0]]
    if reading.grain in IN_MONTHS and all(
        IN_MONTHS.get(unit, 0) >= IN_MONTHS[reading.grain] for unit in units
    ):
        months = round(sign * sum(count * IN_MONTHS[unit] for count, unit in lengths[0]))
        return reading.mapped(lambda whole: _months_on(whole, months)), after
    choices = []
    for choice in reading.choices:
        if sign > 0 and reading.grain != "day":
            choice = choice[1] - DAY, choice[1]
        there = shift_anchor(lengths[0], context, sign, choice[0] // DAY)
        if there is None:
            return None
        choices.append(there.best)
    return TimeReading("day", tuple(choices), reading.relative), after


def _months_on(whole: LocalInterval, count: int) -> LocalInterval:
    start, end = (shift_day(side // DAY, "month", count) for side in whole)
    return start * DAY, end * DAY


def bounded(
    run: TokenRun, i: int, context: ReadingContext, point: Rule
) -> tuple[LocalInterval, str, TimeReading, int] | None:
    """`more than 2 weeks ago`, `less than 3 days after today`: what is left, how, the core, the place after.

    More than a distance is everything beyond it, less than a distance everything up to it.
    """
    ago = run.sense(i, "ago_before")
    if ago is not None:  # hace más de dos años
        lengths = duration(run, i + 2) if run.follows(i + 1) and run.follows(i + 2) else None
        more = run.sense(i + 1, "bound")
        shifted = None if lengths is None or more is None else shift_anchor(lengths[0], context, ago)
        match = None if lengths is None or shifted is None else (shifted, lengths[1])
    else:
        more = run.sense(i, "bound")
        if more is None or not run.follows(i + 1):
            return None
        match = distance(run, i + 1, context) or from_point(run, i + 1, context, point)
        lengths = duration(run, i + 1)
    if match is None or lengths is None or match[0].grain != "day" or not match[0].choices:
        return None
    there = match[0].best
    sign = ago or run.sense(lengths[1], "ago") or run.sense(lengths[1], "shift")
    here = context.at
    if run.sense(lengths[1], "shift") is not None:
        other = point(run, run.after(lengths[1] + 1, "the"), context)
        here = other[0].best[0] if other is not None and other[0].choices else None
    if more > 0:
        return there, "since" if sign > 0 else "before", match[0], match[1]
    if here is None:
        return None
    return ((here, there[0]) if sign > 0 else (there[0], here)), "in", match[0], match[1]


def starting(run: TokenRun, i: int, context: ReadingContext, point: Rule) -> RuleMatch | None:
    """`2 weeks starting 20 May`: so long from a day on."""
    lengths = duration(run, i)
    if lengths is None or run.sense(lengths[1], "starting") is None or not run.follows(lengths[1]):
        return None
    match = point(run, run.after(lengths[1] + 1, "the"), context)
    if match is None or match[0].grain != "day" or not run.follows(lengths[1] + 1):
        return None
    choices = []
    for choice in match[0].choices:
        end = shift_anchor(lengths[0], context, 1, choice[0] // DAY)
        if end is None:
            return None
        choices.append((choice[0], end.best[0]))
    return TimeReading(grain_of(lengths[0][-1][1]), tuple(choices), match[0].relative), match[1]


def within(run: TokenRun, i: int, context: ReadingContext) -> RuleMatch | None:
    """`within 10 months`: from the anchor's day so far on."""
    if run.sense(i, "within") is None or context.today is None:
        return None
    at = run.after(i + 1, "the")
    if run.sense(at, "rolling") is not None or run.sense(at, "side") == -1:
        return None  # "within the last 6 months" is said without the word as well
    at = run.after(at, "side")
    lengths = duration(run, at)
    if lengths is None:
        return None
    end = shift_anchor(lengths[0], context, 1)
    if end is None:
        return None
    if run.sense(lengths[1], "ago") == 1 and run.follows(lengths[1]):
        lengths = lengths[0], lengths[1] + 1
    if end.zone is not None and context.anchor is not None:
        return TimeReading(end.grain, ((wall(context.anchor, UTC), end.best[0]),), True, zone=UTC), lengths[1]
    return TimeReading(
        grain_of(lengths[0][-1][1]), ((context.today * DAY, end.best[0]),), relative=True
    ), lengths[1]
