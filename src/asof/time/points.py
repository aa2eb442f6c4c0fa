"""Points: the times that a text can say at a place, with the time of day that stands before or after."""

from __future__ import annotations

from functools import lru_cache

from asof.time.clock import clock, is_after_hour, iso_clock
from asof.time.dates import DATE_BEGINNINGS, MOST_NEEDED, date_begins, day_point
from asof.time.hours import half_of_day
from asof.time.local_time import DAY, HOUR
from asof.time.numerals import year_figures
from asof.time.reading import ReadingContext, RuleMatch, TimeReading, reading_in_year
from asof.time.token_run import TokenRun

_SPELLED_HOURS = frozenset(("cardinal", "hour"))
_LOOSE = (None, "around")  # relations of "at" that leave the time as it is


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
    following = run[i + 1]
    hour = _may_be_clock(run.items[i].kind, following.kind, following.glue)
    timed = _time_first(run, i, context) if hour else None
    if timed is None or (match is not None and match[1] >= timed[1]):
        return match
    return timed


def may_begin(run: TokenRun, i: int) -> bool:
    """Whether a point may begin at item `i`, as far as it and the next one show."""
    following = run[i + 1]
    return _begins(run.items[i].kind, following.kind, following.glue, min(run.size - i, MOST_NEEDED))


@lru_cache(maxsize=16384)
def _begins(kind: frozenset[str], following: frozenset[str], glue: str, items: int) -> bool:
    return date_begins(kind, following, glue, items) or _may_be_clock(kind, following, glue)


def _may_be_clock(kind: frozenset[str], following: frozenset[str], glue: str) -> bool:
    """Whether a time of day may begin with an item; figures need `:`, `pm` or the like after them."""
    return is_after_hour(following, glue) if "day_figures" in kind else not kind.isdisjoint(_SPELLED_HOURS)


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
    signs = " ,." if run.words(after - 1) > 1 else " ,"  # 3:15 p.m. on Friday
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
    return there.on(today)._replace(daily=there.daily), after


BEGINNINGS = DATE_BEGINNINGS | _SPELLED_HOURS
"""The senses of items at which a point may begin."""
