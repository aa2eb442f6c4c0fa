"""Times that point from the anchor: `yesterday`, `last year`, `the past 5 years`, `earlier this month`."""

from __future__ import annotations

from datetime import UTC

from asof.time.calendar_names import name_at
from asof.time.durations import duration, shift_anchor, shift_instant, unit_after_number
from asof.time.local_time import (
    DAY,
    HOUR,
    IN_CLOCK,
    IN_DAYS,
    calendar_units,
    days,
    grain_of,
    wall,
)
from asof.time.numerals import cardinal
from asof.time.reading import (
    ReadingContext,
    RuleMatch,
    TimeReading,
)
from asof.time.sides import fiscal_on_side, name_on_side, unit_on_side
from asof.time.token_run import TokenRun

_WHOLE = frozenset(("quarter", "half"))  # counted in whole ones: "the past two quarters"


def deictic_time(run: TokenRun, i: int, context: ReadingContext) -> RuleMatch | None:
    """Anything in this file that begins at `i`; nothing without an anchor."""
    if context.today is None:
        return None
    return (
        _day(run, i, context.today)
        or _sided(run, i, context)
        or _counted_side(run, i, context)
        or _beyond(run, i, context.today)
        or _so_far(run, i, context)
    )


def _day(run: TokenRun, i: int, today: int) -> RuleMatch | None:
    if run.sense(i, "the") is not None and run.sense(i + 1, "day") in (-2, 2):
        i += 1
    steps = run.sense(i, "day")
    if steps is not None and not run.sense(i, "very_wary"):
        return TimeReading("day", (days(today + steps, today + steps + 1),), relative=True), i + 1
    night = run.sense(i, "day_night")
    if night is not None:
        start = (today + night) * DAY + 20 * HOUR
        return TimeReading("hour", ((start, start + 4 * HOUR),), relative=True), i + 1
    return None


def _sided(run: TokenRun, i: int, context: ReadingContext) -> RuleMatch | None:
    """`last week`, `this quarter`, `next 3 days`, `past year`, `next March`, `last fiscal year`."""
    if run.sense(i, "the") is not None and _long_unit(run, i + 2):
        i += 1
    side, rolling = run.sense(i, "side"), run.sense(i, "rolling")
    if side is None:
        side = rolling
    if side is None or not run.follows(i + 1, " -"):
        return None
    if run.sense(i + 1, "fiscal") or run.sense(i + 1, "fiscal_year"):
        return _fiscal(run, i + 1, side, context)
    unit = run.sense(i + 1, "unit")
    if unit is not None:
        reading = None if _of_follows(run, i + 2) else unit_on_side(unit, side, context, rolling is not None)
        return None if reading is None else (reading, i + 2)
    if side != 0 and (match := _window(run, i + 1, side, context)) is not None:
        return match
    part = run.sense(i + 1, "daypart")
    if part is not None:
        from_hour, to_hour = map(int, str(part).split())
        day = ((context.today or 0) + side) * DAY
        return TimeReading("hour", ((day + from_hour * HOUR, day + to_hour * HOUR),), relative=True), i + 2
    name = name_at(run, i + 1, context)
    if name is None or name.grain == "week" or not _meant(run, i, side):
        return None
    return name_on_side(name, side, context), name.after


def _long_unit(run: TokenRun, i: int) -> bool:
    """Whether decades or centuries stand at `i`, or after a number: they take their article with them."""
    return any(unit_after_number(run, j) in ("decade", "century") for j in (i, i + 1))


def _meant(run: TokenRun, i: int, side: int) -> bool:
    """Whether a word that mostly is another one is a name here: `this may` is not."""
    if run.sense(i + 1, "with_year") is not None:
        return False
    if run.sense(i + 1, "very_wary") is None or run.capital(i + 1):
        return True
    return run.caseless and side != 0


def _of_follows(run: TokenRun, i: int) -> bool:
    """Whether `last week` goes on as `of March`, where it is the last of its weeks."""
    return run[i].word in ("of",) and run.follows(i)


def _fiscal(run: TokenRun, i: int, side: int, context: ReadingContext) -> RuleMatch | None:
    after = i + 1
    unit = "year" if run.sense(i, "fiscal_year") else run.sense(after, "unit")
    if run.sense(i, "fiscal"):
        after += 1
    reading = fiscal_on_side(unit, side, context)
    return None if reading is None else (reading, after)


def _window(run: TokenRun, i: int, side: int, context: ReadingContext) -> RuleMatch | None:
    """`(last) 30 days`, `(next) two weeks`, `(past) few months`: ends or begins at the anchor."""
    lengths = duration(run, i)
    if lengths is not None and len(lengths[0]) > 1 and run.sense(lengths[1], "ago") is not None:
        lengths = duration(run, i, most=1)  # "the last 3 months and 2 days ago"
    if lengths is None or (run.sense(i, "one") is not None and run.sense(i + 1, "vague") is None):
        return None
    reading = _window_of(lengths[0], side, context)
    if reading is None or _of_follows(run, lengths[1]):
        return None
    return reading, lengths[1]


def _window_of(lengths: list[tuple[float, str]], side: int, context: ReadingContext) -> TimeReading | None:
    today, at = context.today, context.at
    if today is None or at is None or context.anchor is None:
        return None
    count, unit = lengths[0]
    if count < 1:
        return None
    if len(lengths) == 1 and count == int(count) and (unit in _WHOLE or (unit == "decade" and side > 0)):
        steps = -int(count) if side < 0 else 1
        return TimeReading(unit, (calendar_units(today, unit, steps, int(count)),), relative=True)
    far = shift_anchor(lengths, context, side)
    if far is None:
        return None
    grain = grain_of(lengths[-1][1])
    if far.zone is not None:
        now = wall(context.anchor, UTC)
        there = shift_instant(now, lengths, side)
        return TimeReading(grain, ((min(there, now), max(there, now)),), True, zone=UTC)
    if side < 0:
        return TimeReading(grain, ((far.best[0], at),), relative=True) if far.best[0] < at else None
    tomorrow = (today + 1) * DAY
    return TimeReading(grain, ((tomorrow, far.best[1]),), relative=True)


def _counted_side(run: TokenRun, i: int, context: ReadingContext) -> RuleMatch | None:
    """`3 next weeks`, `the 13 last minutes`."""
    count = cardinal(run, i)
    if count is None or not run.follows(count[1]):
        return None
    side = run.sense(count[1], "side") or run.sense(count[1], "rolling")
    unit = run.sense(count[1] + 1, "units")
    if not side or unit is None or not run.follows(count[1] + 1):
        return None
    reading = _window_of([(count[0], unit)], side, context)
    return None if reading is None else (reading, count[1] + 2)


def _beyond(run: TokenRun, i: int, today: int) -> RuleMatch | None:
    """`the week before last`, `month after next`."""
    i = i + 1 if run.sense(i, "the") is not None else i
    unit, step = run.sense(i, "unit"), run.sense(i + 1, "shift")
    at = run.after(i + 2, "the")
    if unit is None or step is None or run.sense(at, "side") != step or unit in IN_CLOCK or unit == "day":
        return None
    if not (run.follows(i + 1) and run.follows(at)) or (
        run.follows(at + 1) and run[at + 1].senses.keys() & {"unit", "month", "weekday", "season", "holiday"}
    ):
        return None
    return TimeReading(grain_of(unit), (calendar_units(today, unit, 2 * step),), relative=True), at + 1


def _so_far(run: TokenRun, i: int, context: ReadingContext) -> RuleMatch | None:
    """`earlier this year`, `later today`, `year to date`, `the rest of the month`, `EOY`."""
    today, at = context.today, context.at
    if today is None or at is None:
        return None
    unit = run.sense(i, "to_date")
    if unit is not None:
        whole = calendar_units(today, unit)
        return (TimeReading(unit, ((whole[0], at),), relative=True), i + 1) if whole[0] < at else None
    unit = run.sense(i, "end_of_unit")
    if unit is not None:
        whole = calendar_units(today, unit)
        return TimeReading("day", ((whole[1] - DAY, whole[1]),), relative=True, whole=whole, which=2), i + 1
    rest, way = run.sense(i, "rest"), run.sense(i, "so_far")
    if (rest is None and way is None) or not run.follows(i + 1):
        return None
    j = i + 1
    if rest is not None:
        j = j + 1 if run.sense(j, "the") is not None or run.sense(j, "side") == 0 else j
        unit = run.sense(j, "unit")
    elif run.sense(j, "day") == 0:
        unit = "day"
    else:
        unit = run.sense(j + 1, "unit") if run.sense(j, "side") == 0 else None
        j += 1
    if unit is None or unit in IN_CLOCK or (unit not in IN_DAYS and unit_after_number(run, j) is None):
        return None
    whole = calendar_units(today, unit)
    if rest is not None:
        begin = at if unit == "day" else today * DAY
        return TimeReading(grain_of(unit), ((begin, whole[1]),), relative=True), j + 1
    interval = (whole[0], at) if way < 0 else (at, whole[1])
    return (
        (TimeReading(grain_of(unit), (interval,), relative=True), j + 1)
        if interval[0] < interval[1]
        else None
    )
