"""Ranges, both ends included: `from March to May 2021`, `2019-21`, `between 4 and 22 May`, `9am to 5pm`."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

from asof.time import yearly
from asof.time.calendar_names import month_at
from asof.time.clock import clock
from asof.time.hours import hours_of_day, joint, opening
from asof.time.local_time import DAY, GRAINS, LocalInterval, calendar_day, months
from asof.time.numerals import day_number, year_figures
from asof.time.numeric_dates import attached_left, attached_right
from asof.time.reading import (
    ReadingContext,
    Rule,
    RuleMatch,
    TimeReading,
    distinct,
    reading_in_year,
    reading_without_year,
)
from asof.time.token_run import TokenRun
from asof.time.years import year_after

CLOCK = ("hour", "minute", "second")


def time_range(
    run: TokenRun, i: int, context: ReadingContext, point: Rule, day_point: Rule
) -> RuleMatch | None:
    """A range that begins at `i`, with or without `from` or `between` before it.

    `point` reads an end of it, `day_point` one without a time of day.
    """
    rules = (
        (hours_of_day, day_point),
        (_days_of_month, day_point),
        (_years, point),
        (_points, point),
    )
    for rule, ends in rules if run.may_hold_hours else rules[1:]:
        try:
            match = rule(run, i, context, ends)
        except (ValueError, OverflowError):  # 30 February, or outside the years 1 to 9999
            continue
        if match is not None and match[0].choices:
            return match
    return None


def _years(run: TokenRun, i: int, _setting: ReadingContext, _point: Rule) -> RuleMatch | None:
    """`2019-2021`, `2019-21`, `2019/20`."""
    word, at = opening(run, i)
    first = year_figures(run, at)
    if first is None or run[at + 1].glue not in ("-", "/") or (attached_left(run, at) and not word):
        return None
    second = year_figures(run, at + 1)
    if second is None and run.sense(at + 1, "figures") == 2 and not run[at + 1].wide:
        second = first // 100 * 100 + run.sense(at + 1, "number")
        if (
            second % 100 <= 12
            and second != first + 1
            and run[at + 1].glue == "-"
            and "-" in run.behind(at)[1]
        ):
            second = None  # 2019-04 is a month
        if second is not None and second % 100 <= 12 and "-" in run.behind(at)[1]:
            second = None
    if second is None or second <= first or attached_right(run, at + 1) or second - first > 400:
        return None
    if run[at + 1].glue == "/" and second != first + 1:
        return None
    after = run.after(at + 2, "year_sign")
    return TimeReading("year", ((months(first)[0], months(second)[1]),)), after


def _points(run: TokenRun, i: int, context: ReadingContext, point: Rule) -> RuleMatch | None:
    word, at = opening(run, i)
    first = _end(run, at, context, point)
    if first is None:
        return None
    after = joint(run, first[1], word)
    last = None if after is None else _end(run, after, context, point)
    if last is None:
        return None
    a, b = first[0], last[0]
    if "dot_cue" in (a.needs_cue, b.needs_cue) or (
        not word and "date_cue" in (a.needs_cue, b.needs_cue) and a.year == b.year
    ):
        return None  # "1.1 to 2.9" and "1/2 - 3/4" are no days
    if a.yearly is not None and b.number is not None and (tail := year_after(run, last[1], " ,", context)):
        a, last = reading_in_year(a.grain, a.yearly, tail[0]), (b, tail[1])  # March 5-9, 2024
    if (
        not word
        and run[first[1]].glue == "-"
        and ((a.number and b.number) or (a.grain in CLOCK) != (b.grain in CLOCK))
    ):
        return None
    choices = distinct(_between(a, b))
    if not choices:
        return None
    grain = min(a.grain, b.grain, key=GRAINS.index)
    relative = (a.relative and not (b.year and (a.yearly or a.number))) or (
        b.relative and not (a.year and (b.yearly or b.number or b.daily))
    )
    return TimeReading(grain, choices, relative, a.fiscal or b.fiscal, zone=b.zone or a.zone), last[1]


def _end(run: TokenRun, i: int, context: ReadingContext, point: Rule) -> RuleMatch | None:
    """An end of a range; `now`, a bare day of a month and `eight o'clock` may be one."""
    at = i + 1 if run.sense(i, "the") is not None else i
    if run.sense(i, "now") is not None and context.at is not None:
        return TimeReading("second", ((context.at, context.at),), relative=True), i + 1
    match = point(run, i, context)
    bare = point(run, at, context) if at > i else None
    if bare is not None and (match is None or bare[1] > match[1]):
        match = bare
    time = clock(run, i)
    if time is not None and context.today is not None and (match is None or time[1] > match[1]):
        today = TimeReading("day", ((context.today * DAY, (context.today + 1) * DAY),), relative=True)
        return time[0].on(today)._replace(daily=time[0].daily), time[1]
    if match is None and (day := day_number(run, at)) is not None and run.sense(at, "cardinal") is None:
        return TimeReading("day", (), True, needs_cue="number", number=day[0]), day[1]
    return match


def _days_of_month(run: TokenRun, i: int, context: ReadingContext, point: Rule) -> RuleMatch | None:
    """Two days of a month: `4 to 23 next month`, `4-22 January 1995`, `November between 19 and 20`."""
    pair = _day_pair(run, i)
    if pair is not None:
        first, last, after = pair
        month = point(run, run.after(after, "of"), context) if run.follows(after) else None
        if (
            month is None
            or month[0].grain != "month"
            or run.sense(run.after(after, "of"), "figures") is not None
        ):
            return None
        return _days_in(month[0], first, last, context), month[1]
    number = month_at(run, i)
    if number is None or not opening(run, i + 1)[0]:
        return None
    pair = _day_pair(run, i + 1)
    if pair is None:
        return None
    year = year_after(run, pair[2], " ,", context)
    month_of = yearly.month(number)
    reading = (
        reading_without_year("month", month_of, context)
        if year is None
        else reading_in_year("month", month_of, year[0])
    )
    return _days_in(reading, pair[0], pair[1], context), pair[2] if year is None else year[1]


def _day_pair(run: TokenRun, i: int) -> tuple[int, int, int] | None:
    word, at = opening(run, i)
    at = run.after(at, "the") if run.sense(at, "the") is None else at + 1
    first = day_number(run, at)
    if first is None or (run.sense(at, "figures") is not None and attached_left(run, at)):
        return None
    after = joint(run, first[1], word)
    if after is None:
        return None
    last = day_number(run, after + 1 if run.sense(after, "the") is not None else after)
    return None if last is None or last[0] <= first[0] else (first[0], last[0], last[1])


def _days_in(month: TimeReading, first: int, last: int, context: ReadingContext) -> TimeReading:
    def place(whole: LocalInterval) -> LocalInterval:
        start = whole[0] + (first - 1) * DAY
        end = whole[0] + last * DAY
        if end > whole[1]:
            raise ValueError("the month has no such day")
        return start, end

    if month.yearly is not None:
        yearly = month.yearly
        return reading_without_year("day", lambda year: place(yearly(year)), context)
    return month.mapped(place, "day")._replace(year=month.year)


def _between(a: TimeReading, b: TimeReading) -> Iterator[LocalInterval]:
    """The ranges from `a` to `b`, best first; what one end leaves open (day, month, year) the other tells."""
    if a.number is not None and (b.number is None or not a.choices):
        for there in b.choices if b.grain == "day" else ():
            day = date.fromordinal(there[0] // DAY)
            yield from _ordered(calendar_day(day.year, day.month, a.number), there)
    elif b.number is not None:
        for here in a.choices if a.grain == "day" else ():
            day = date.fromordinal(here[0] // DAY)
            yield from _ordered(here, calendar_day(day.year, day.month, b.number))
    elif a.yearly is not None and b.year is not None:
        here = a.yearly(b.year)
        if b.choices and here[0] >= b.best[1]:
            here = a.yearly(b.year - 1)
        yield from _ordered(here, b.best)
    elif b.yearly is not None:
        for here in a.choices:
            year = date.fromordinal(here[0] // DAY).year
            there = b.yearly(year)
            yield from _ordered(here, there if there[1] > here[0] else b.yearly(year + 1))
    else:
        ends = b.choices
        if b.daily is not None and a.daily is None:
            ends = tuple(b.daily(here[0] // DAY) for here in a.choices)
        for here in a.choices:
            for there in ends:
                yield from _ordered(here, (there[0], there[0]) if b.grain in CLOCK else there)


def _ordered(here: LocalInterval, there: LocalInterval) -> Iterator[LocalInterval]:
    if here[0] < there[1]:
        yield here[0], there[1]
