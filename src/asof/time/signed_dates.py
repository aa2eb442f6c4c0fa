"""Dates whose numbers have signs after them: `2021年3月15日`, `令和3年`, `去年3月`, `2021年上半年`."""

from __future__ import annotations

from datetime import date
from typing import NamedTuple

from asof.time.calendar_names import Name, name_at
from asof.time.figures import EARLIEST, LATEST
from asof.time.local_time import FINER, LocalInterval, months, third
from asof.time.numerals import below_hundred
from asof.time.reading import (
    ReadingContext,
    RuleMatch,
    TimeReading,
    reading_in_year,
    reading_without_year,
)
from asof.time.token_run import TokenRun
from asof.time.yearly import day_of_month, month


class _Year(NamedTuple):
    """A year, the place after its sign, whether it needed the anchor."""

    number: int
    after: int
    relative: bool = False


def signed_date(run: TokenRun, i: int, context: ReadingContext) -> RuleMatch | None:
    """A year, month or day with its sign, and what stands after it of the same date."""
    year = _year(run, i, context)
    if year is None:
        name = _month_and_day(run, i)
        if name is None:
            return _day_alone(run, i)
        return _part(run, reading_without_year(name.grain, name.yearly, context), name.after)
    at = run.after(year.after, "of")
    name = _month_and_day(run, at) or name_at(run, at, context) or Name("year", months, year.after)
    reading, after = _part(run, reading_in_year(name.grain, name.yearly, year.number), name.after)
    if not year.relative:
        return reading, after
    return (reading._replace(relative=True), after) if after > year.after else None


def _year(run: TokenRun, i: int, context: ReadingContext) -> _Year | None:
    """`2021年`, `令和3年`, `去年`."""
    unit, _, side = str(run.sense(i, "beside") or "").partition(" ")
    if unit == "year" and context.today:
        return _Year(date.fromordinal(context.today).year + int(side), i + 1, relative=True)
    era = run.sense(i, "era")
    counted = (run.sense(i, "year_figures"), i + 1) if era is None else _number(run, i + 1, 3)
    if counted is None or counted[0] is None or run.sense(counted[1], "year_sign") is None:
        return None
    number = counted[0] + (era or 0)
    return _Year(number, counted[1] + 1) if EARLIEST <= number <= LATEST else None


def _number(run: TokenRun, i: int, most: int = 2) -> tuple[int, int] | None:
    """A number of so many figures at most, or in words."""
    figures = run.sense(i, "figures")
    if figures is None:
        return below_hundred(run, i)
    return (run.sense(i, "number"), i + 1) if figures <= most else None


def _month_and_day(run: TokenRun, i: int) -> Name | None:
    found = _number(run, i)
    if found is None or not 1 <= found[0] <= 12 or run.sense(found[1], "month_sign") is None:
        return None
    day = _day(run, found[1] + 1)
    if day is None:
        return Name("month", month(found[0]), found[1] + 1)
    return Name("day", day_of_month(found[0], day[0]), day[1])


def _day(run: TokenRun, i: int) -> tuple[int, int] | None:
    found = _number(run, i)
    if found is None or not 1 <= found[0] <= 31 or run.sense(found[1], "day_sign") is None:
        return None
    return found[0], found[1] + 1


def _day_alone(run: TokenRun, i: int) -> RuleMatch | None:
    """A day without its month, which only the other end of a range says."""
    day = _day(run, i)
    return None if day is None else (TimeReading("day", (), True, needs_cue="number", number=day[0]), day[1])


def _part(run: TokenRun, reading: TimeReading, after: int) -> RuleMatch:
    """A reading, or the third of it that a word after it names: `2021年初`, `今年年底`, `3月中旬`."""
    at = after
    if run.sense(at + 1, "part_after") is not None and run.sense(
        at, "year_sign" if reading.grain == "year" else "of"
    ):
        at += 1
    which = run.sense(at, "part_after")
    if which is None or reading.grain not in FINER or not reading.choices:
        return reading, after

    def cut(whole: LocalInterval) -> LocalInterval:
        return third(whole, reading.grain, which)

    return reading.mapped(cut, FINER[reading.grain])._replace(
        whole=reading.best, which=which, year=reading.year
    ), at + 1
