"""Points: the times that a text can say at a place, one by one or inside each other, and with a time of day.

Which rules are tried depends on the senses of the first word; the one that reads farthest wins.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from asof.time.calendar_names import calendar_name
from asof.time.clock import clock, iso_clock
from asof.time.deictic import deictic_time
from asof.time.durations import distance, from_point, starting, within
from asof.time.eras import century, decade, year
from asof.time.hours import half_of_day
from asof.time.local_time import DAY, HOUR
from asof.time.numerals import year_figures
from asof.time.numeric_dates import numeric_date
from asof.time.parts import nth_of, part_of
from asof.time.reading import ReadingContext, Rule, RuleMatch, TimeReading, reading_in_year
from asof.time.token_run import TokenRun
from asof.time.weekdays import day_of_some_month, weekday
from asof.time.years import fiscal_years, week_label

_CLOCK = frozenset(("figures", "cardinal", "hour"))
_LOOSE = (None, "around")  # relations of "at" that leave the time as it is
_NUMBER = frozenset(("figures", "cardinal"))
_AMOUNT = _NUMBER | {"one", "vague"}
_MOST = 4  # items that a rule may need at least
_Row = tuple[Rule, frozenset[str], int]

_RULES: tuple[_Row, ...] = (
    (numeric_date, frozenset(("figures",)), 1),
    (
        calendar_name,
        _NUMBER
        | frozenset(
            [
                "ordinal",
                "month",
                "month_short",
                "season",
                "holiday",
                "quarter",
                "half",
                "fiscal",
                "fiscal_year",
                "week",
                "the",
                "side",
            ]
        ),
        1,
    ),
    (week_label, frozenset(("figures",)), 3),
    (fiscal_years, frozenset(("fiscal", "fiscal_year")), 2),
    (decade, frozenset(("decade",)), 1),
    (decade, _NUMBER | {"the"}, 2),
    (century, _NUMBER | {"the", "ordinal"}, 2),
    (year, _NUMBER | {"calendar_year", "unit"}, 1),
    (
        deictic_time,
        frozenset(
            ["the", "day", "day_night", "side", "rolling", "unit", "to_date", "end_of_unit", "rest", "so_far"]
        ),
        1,
    ),
    (deictic_time, _NUMBER, 3),
    (weekday, frozenset(["side", "rolling", "weekday", "weekday_short"]), 1),
    (weekday, _NUMBER, 3),
)
"""The rules of times that hold no other time, the senses with which they begin, and the items they need."""


def _longest(run: TokenRun, i: int, context: ReadingContext, name: str) -> RuleMatch | None:
    """What the rule of a table that reads farthest finds at `i`, remembered under a name."""
    if not 0 <= i < run.size:
        return None
    known = run.memo.get((name, i), False)
    if known is not False:
        return known  # type: ignore[no-any-return]
    best: RuleMatch | None = None
    for rule in _able(name, run.items[i].kind, min(run.size - i, _MOST)):
        try:
            match = rule(run, i, context)
        except (ValueError, OverflowError):  # 30 February, or outside the years 1 to 9999
            continue
        if match is not None and (best is None or match[1] > best[1]):
            best = match
    run.memo[name, i] = best
    return best


@lru_cache(maxsize=4096)
def _able(name: str, kind: frozenset[str], items: int) -> tuple[Rule, ...]:
    able = (rule for rule, senses, least in _TABLES[name] if least <= items and senses & kind)
    return tuple(dict.fromkeys(able))


def simple(run: TokenRun, i: int, context: ReadingContext) -> RuleMatch | None:
    """The longest time at `i` that holds no other time."""
    return _longest(run, i, context, "simple")


def _part(run: TokenRun, i: int, context: ReadingContext) -> RuleMatch | None:
    return part_of(run, i, context, _period)


def _period(run: TokenRun, i: int, context: ReadingContext) -> RuleMatch | None:
    return _longest(run, i, context, "period")


def _nth(run: TokenRun, i: int, context: ReadingContext) -> RuleMatch | None:
    return nth_of(run, i, context, simple)


def _shifted(run: TokenRun, i: int, context: ReadingContext) -> RuleMatch | None:
    return from_point(run, i, context, simple)


def _starting(run: TokenRun, i: int, context: ReadingContext) -> RuleMatch | None:
    return starting(run, i, context, simple)


def day_point(run: TokenRun, i: int, context: ReadingContext) -> RuleMatch | None:
    """The longest time at `i` without a time of day."""
    return _longest(run, i, context, "day")


_NTH: _Row = (_nth, _NUMBER | {"the", "ordinal", "unit"}, 3)
_TABLES: dict[str, tuple[_Row, ...]] = {
    "simple": _RULES,
    "period": (*_RULES, _NTH),
    "day": (
        *_RULES,
        (day_of_some_month, frozenset(("the", "figures", "ordinal")), 1),
        (within, frozenset(("within",)), 3),
        (distance, _AMOUNT | {"ago_before", "ahead"}, 3),
        _NTH,
        (_part, frozenset(("part",)), 2),
        (_shifted, _AMOUNT | {"the"}, 4),
        (_starting, _AMOUNT, 4),
    ),
}


def point(run: TokenRun, i: int, context: ReadingContext) -> RuleMatch | None:
    """The longest time at `i`, with the time of day that stands before or after it."""
    if not 0 <= i < run.size:
        return None
    known = run.memo.get(("point", i), False)
    if known is False:
        known = run.memo["point", i] = _point(run, i, context)
    return known  # type: ignore[no-any-return]


def _point(run: TokenRun, i: int, context: ReadingContext) -> RuleMatch | None:
    match = day_point(run, i, context)
    if match is not None and match[0].number is None:
        if match[0].grain == "day":
            return _time_after(run, match, None) or match
        if match[0].grain == "hour" and match[0].choices and run.sense(match[1] - 1, "unit") is None:
            return _time_after(run, match, _half(match[0])) or match
    timed = _time_first(run, i, context) if run.items[i].kind & _CLOCK else None
    if timed is None or (match is not None and match[1] >= timed[1]):
        return match
    return timed


def _half(part_of_day: TimeReading) -> int:
    """0 for a part of the morning, else 12."""
    return 0 if part_of_day.best[0] % DAY < DAY // 2 else 12


def _time_after(run: TokenRun, match: RuleMatch, half: int | None) -> RuleMatch | None:
    """A time after a day or a part of one: `5 March 2024 at 3 pm`, `2024-03-05T14:30`, `tonight at 9`."""
    reading, after = match
    iso = iso_clock(run, after)
    if iso is not None:
        return iso[0].on(reading), iso[1]
    at = after
    if run.follows(at, " ,") and run.sense(at, "at") is not None and run.sense(at, "relation") in _LOOSE:
        at += 1
    if run.follows(at, " ,-") or run[at].glue in (")-", "@"):
        time = clock(run, at, bare=at > after or run[at].glue == "@")
        if time is not None and ends(run, time[1]):
            said_half, stop = half_of_day(run, time[1])
            year = year_figures(run, stop) if run.follows(stop) and ends(run, stop + 1) else None
            if year is not None and reading.yearly is not None:  # Oct 26 15:50:06 2016
                reading, stop = reading_in_year(reading.grain, reading.yearly, year), stop + 1
            return time[0].in_half(half if said_half is None else said_half).on(reading), stop
    if half is not None:
        return None
    at = run.after(after, "of")
    at = run.after(at, "the")
    part = run.sense(at, "daypart")
    if part is None or not run.follows(at):
        return None
    hours = [int(hour) * HOUR for hour in str(part).split()]
    there = reading.mapped(lambda day: (day[0] + hours[0], day[0] + hours[1]), "hour")
    timed = _time_after(run, (there, at + 1), _half(there)) if there.choices else None
    return timed or (there, at + 1)


def ends(run: TokenRun, after: int) -> bool:
    """Whether figures read as a time do not go on as something else."""
    word, gap = run.behind(after - 1)
    return (
        not (gap in ("/", ".", ":", "-") and word[:1].isdigit())
        and not (gap == "" and word)
        and gap[:1] != "%"
    )


def _time_first(run: TokenRun, i: int, context: ReadingContext) -> RuleMatch | None:
    """A time of day before a day, or alone on the anchor's: `3pm on 5 March`, `8.30pm today`."""
    time = clock(run, i, bare=True)
    if time is None:
        return None
    sure = clock(run, i)
    time = sure or time
    if not ends(run, time[1]) or (sure is None and time[0].grain == "hour"):
        return None
    half, after = half_of_day(run, time[1])
    there = time[0].in_half(half)
    signs = " ,." if run[after - 1].last > run[after - 1].first else " ,"  # 3:15 p.m. on Friday
    day_at = run.after(after, "on", signs)
    day_at = run.after(run.after(day_at, "of", " ,"), "the")
    day = day_point(run, day_at, context) if run.follows(day_at, signs) else None
    if (
        day is not None
        and day[0].grain == "hour"
        and day[0].choices
        and run.sense(day[1] - 1, "unit") is None
    ):
        midnight = day[0].mapped(lambda part: (part[0] // DAY * DAY, part[0] // DAY * DAY + DAY), "day")
        return there.in_half(_half(day[0])).on(midnight), day[1]  # 10pm tonight
    if day is not None and day[0].grain == "day" and day[0].choices and day[0].needs_cue != "number":
        end = day[1]
        part = run.sense(end, "daypart")
        if part is not None and run.follows(end):
            there, end = there.in_half(0 if str(part).startswith("8 ") else 12), end + 1
        return (there.on(day[0]), end) if sure is not None or part is not None else None
    if sure is None or context.today is None or not (there.sure or run.sense(i - 1, "at") is not None):
        return None
    today = TimeReading("day", ((context.today * DAY, (context.today + 1) * DAY),), relative=True)
    return replace(there.on(today), daily=there.daily), after


BEGINNINGS = (
    frozenset(sense for table in _TABLES.values() for _, senses, _ in table for sense in senses) | _CLOCK
)
"""The senses of words with which a point may begin."""
