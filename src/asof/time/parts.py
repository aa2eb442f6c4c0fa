"""Parts of a longer time: `early 2024`, `end of May`, `first Friday of March`, `last 3 weeks of 2019`."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

from asof.time.calendar_names import month_at
from asof.time.local_time import (
    DAY,
    FINER,
    IN_MONTHS,
    LocalInterval,
    calendar_units,
    days,
    first_ordinal,
    months,
    third,
    week_of_day,
)
from asof.time.numerals import cardinal, ordinal
from asof.time.reading import ReadingContext, Rule, RuleMatch, TimeReading, Yearly, reading_without_year
from asof.time.token_run import TokenRun
from asof.time.weekdays import weekday_at
from asof.time.yearly import nth_weekday, weeks_of


def part_of(run: TokenRun, i: int, context: ReadingContext, point: Rule) -> RuleMatch | None:
    """`early`, `mid` or `late` with a time: a third of it."""
    which = run.sense(i, "part")
    if which is None or not run.follows(i + 1, " -"):
        return None
    at = run.after(i + 1, "the") if run.sense(i + 1, "the") is None else i + 2
    match = point(run, i + 1, context) or (point(run, at, context) if at > i + 1 else None)
    if match is None and context.today is not None and at > i + 1:
        unit = run.sense(at, "unit")  # "the end of the year"
        if unit in IN_MONTHS or unit == "week":
            match = TimeReading(unit, (calendar_units(context.today, unit),), relative=True), at + 1
    if match is None:
        return None
    reading, after = match
    if reading.grain not in FINER or reading.which is not None or reading.zone is not None:
        return None

    def cut(whole: LocalInterval) -> LocalInterval:
        return third(whole, reading.grain, which)

    if not reading.choices:
        if reading.yearly is None:
            return None
        yearly = reading.yearly
        return TimeReading(
            FINER[reading.grain], (), True, yearly=lambda year: cut(yearly(year)), which=which
        ), after
    return reading.mapped(cut, FINER[reading.grain])._replace(
        whole=reading.best,
        which=which,
        year=reading.year,
        yearly=None if reading.yearly is None else _cut_yearly(reading.yearly, cut),
    ), after


def _cut_yearly(yearly: Yearly, cut: Callable[[LocalInterval], LocalInterval]) -> Yearly:
    return lambda year: cut(yearly(year))


def nth_of(run: TokenRun, i: int, context: ReadingContext, period: Rule) -> RuleMatch | None:
    """An ordinal with a unit or weekday of a time: `the third week of 2027`, `first 2 weeks of 2021`.

    Also `20th of next month` and `the week of March 4`.
    """
    at = i + 1 if run.sense(i, "the") is not None else i
    if run.sense(at, "unit") == "week":
        return _week_with(run, at, context, period)
    match = ordinal(run, at)
    if match is None and at > i and (day := run.sense(at, "day_figures")) and run.follows(at + 1):
        return _day_of(run, at + 1, day, context, period)  # le 5 du mois dernier
    if match is None:
        return None
    number, j = match
    if not run.follows(j, " -."):
        return None
    count = cardinal(run, j)
    if count is not None and run.follows(count[1]) and (number == 1 or number == -1):
        unit = run.sense(count[1], "units") or run.sense(count[1], "unit")
        size, j = count[0], count[1]
    else:
        unit, size = run.sense(j, "unit"), 1
    weekday = weekday_at(run, j) if size == 1 else None
    if weekday is None and unit is None:
        return _day_of(run, j, number, context, period)
    j += 1
    of = run.after(j, "of")
    if unit == "day" and size == 1 and month_at(run, of) is not None:
        return None  # a date, which goes without the article
    if (of == j and (number == -1 or size > 1)) or not run.follows(of, " '"):
        return None
    whole = _period(run, of, context, period)
    if whole is None:
        return None
    reading, after = whole

    def place(interval: LocalInterval) -> LocalInterval:
        if weekday is not None:
            day = nth_weekday(weekday, number, interval)
            return days(day, day + 1)
        return nth(unit or "day", number, size, interval)

    return _placed(reading, place, "day" if weekday is not None else unit or "day"), after


def _placed(reading: TimeReading, place: Callable[[LocalInterval], LocalInterval], grain: str) -> TimeReading:
    if reading.choices:
        return reading.mapped(place, grain)
    yearly = reading.yearly
    if yearly is None:
        return TimeReading(grain, (), relative=True)
    return TimeReading(grain, (), True, yearly=lambda year: place(yearly(year)))


def _period(run: TokenRun, i: int, context: ReadingContext, period: Rule) -> RuleMatch | None:
    """What a part is part of; `the year` and `the month` are those of the anchor."""
    i = i + 1 if run.sense(i, "the") is not None else i
    match = period(run, i, context)
    if match is not None:
        reading = match[0]
        return (
            match if (reading.choices or reading.yearly) and reading.grain in (*IN_MONTHS, "season") else None
        )
    unit = run.sense(i, "unit")
    if unit == "year" and run.sense(i - 1, "the") is not None:
        return reading_without_year("year", months, context), i + 1
    return None


def _day_of(run: TokenRun, j: int, number: int, context: ReadingContext, period: Rule) -> RuleMatch | None:
    """`20th of next month`."""
    of = run.after(j, "of")
    if of == j or number < 1 or month_at(run, of) is not None:
        return None
    match = _period(run, of, context, period)
    if match is None or match[0].grain != "month":
        return None
    return _placed(match[0], lambda month: nth("day", number, 1, month), "day"), match[1]


def _week_with(run: TokenRun, i: int, context: ReadingContext, period: Rule) -> RuleMatch | None:
    """`week of March 4`, `the week commencing 4 March`: the week that holds the day."""
    at = i + 1
    if run.sense(at, "of") is None and run.sense(at, "starting") is None:
        return None
    match = period(run, run.after(at + 1, "the"), context)
    if match is None or match[0].grain != "day" or not run.follows(at + 1):
        return None
    return _placed(match[0], lambda day: week_of_day(day[0] // DAY), "week"), match[1]


def nth(unit: str, number: int, count: int, within: LocalInterval) -> LocalInterval:
    """`count` units of a stretch from the number-th on; -1 are its last ones.

    Weeks belong to it by their Thursday, as in ISO 8601; a half is one in days if it has no halves in months.
    Raises ValueError if there are not so many, or the unit is too long or too short to count them.
    """
    start, end = within
    if unit == "week":
        return weeks_of((start, end), number, count)
    if unit == "day":
        match = (end - count * DAY, end) if number < 0 else _from(start, number, count)
        if not start <= match[0] < match[1] <= end:
            raise ValueError(f"no such day in {unit}")
        return match
    first, after = date.fromordinal(start // DAY), end // DAY
    whole = _months_between(first, after)
    if unit == "half" and whole != 12:
        middle = (
            (start // DAY + after) // 2 if whole < 2 else first_ordinal(first.year, first.month + whole // 2)
        )
        return (start, middle * DAY) if number == 1 else (middle * DAY, end)
    size = IN_MONTHS.get(unit, 0) * count
    if not 0 < size < whole:
        raise ValueError(f"no {unit} in that time")
    offset = whole - size if number < 0 else (number - 1) * IN_MONTHS[unit]
    if offset + size > whole:
        raise ValueError(f"no {unit} number {number} in that time")
    return months(first.year, first.month + offset, size)


def _from(start: int, number: int, count: int) -> LocalInterval:
    begin = start + (number - 1) * DAY
    return begin, begin + count * DAY


def _months_between(first: date, after: int) -> int:
    last = date.fromordinal(after - 1)
    return (last.year - first.year) * 12 + last.month - first.month + 1
