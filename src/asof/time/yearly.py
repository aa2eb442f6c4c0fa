"""Intervals that recur every year: quarters, fiscal or not, seasons, weeks, holidays, days of a month."""

from __future__ import annotations

from datetime import date
from functools import lru_cache

from asof.time.local_time import DAY, LocalInterval, calendar_day, days, first_ordinal, months, week_of_day
from asof.time.reading import Yearly


def month(number: int) -> Yearly:
    """A month of a year."""
    return lambda year: months(year, number, 1)


def day_of_month(number: int, day: int) -> Yearly:
    """A day of a year."""
    return lambda year: calendar_day(year, number, day)


def parts(size: int, number: int, fiscal_start: int = 1) -> Yearly:
    """The quarter (`size` 3) or half (6) of a year that starts in the month `fiscal_start`.

    A fiscal year is named by the calendar year in which it ends. There is none beyond the year's last.
    """
    if not 1 <= number <= 12 // size:
        return _none_there
    back = 1 if fiscal_start > 1 else 0
    return lambda year: months(year - back, fiscal_start + (number - 1) * size, size)


def _none_there(year: int) -> LocalInterval:
    raise ValueError(f"{year} has no such part")


def fiscal_year(fiscal_start: int) -> Yearly:
    """The fiscal year that ends in a calendar year."""
    return parts(12, 1, fiscal_start)


def season(start: int) -> Yearly:
    """Three months from `start` on, as in the weather of the north; winter 2024 starts in December 2024."""
    return lambda year: months(year, start, 3)


def iso_week(number: int) -> Yearly:
    """A week of the ISO year: week 1 holds the first Thursday."""

    def place(year: int) -> LocalInterval:
        first = date.fromisocalendar(year, number, 1).toordinal()
        return days(first, first + 7)

    return place


def holiday(rule: str) -> Yearly:
    """A day by its rule in the word list: `12-25`, `easter-2`, `11 4 4` (month, weekday, which one)."""
    if rule.startswith("easter"):
        offset = int(rule.removeprefix("easter") or 0)
        return lambda year: days(easter(year) + offset, easter(year) + offset + 1)
    if " " not in rule:
        number, day = map(int, rule.split("-"))
        return day_of_month(number, day)
    number, weekday, which, *later = map(int, rule.split())
    offset = later[0] if later else 0

    def place(year: int) -> LocalInterval:
        ordinal = nth_weekday(weekday, which, months(year, number, 1)) + offset
        return days(ordinal, ordinal + 1)

    return place


def nth_weekday(weekday: int, which: int, within: LocalInterval) -> int:
    """The ordinal of a weekday in a stretch of days: the first (1), second, ..., last (-1).

    Raises ValueError when there are not so many.
    """
    first, after = within[0] // DAY, within[1] // DAY
    if which < 0:
        found = after - 1 - (after - 1 - weekday) % 7 + 7 * (which + 1)
    else:
        found = first + (weekday - first) % 7 + 7 * (which - 1)
    if not first <= found < after:
        raise ValueError(f"there is no weekday number {which} in that time")
    return found


def weeks_of(within: LocalInterval, which: int, count: int = 1) -> LocalInterval:
    """Weeks that belong to a stretch: those whose Thursday lies in it, the first one on, or the last ones."""
    monday = week_of_day(nth_weekday(4, which, within))[0] // DAY
    return days(monday - 7 * (count - 1), monday + 7) if which < 0 else days(monday, monday + 7 * count)


@lru_cache(maxsize=256)
def easter(year: int) -> int:
    """The ordinal of Easter Sunday in the Gregorian calendar.

    The first Sunday after the church's full moon on or after 21 March, by Gauss's rule with Lichtenberg's
    correction. Raises ValueError outside the years 1 to 9999.
    """
    century = year // 100
    moon = 15 + (3 * century + 3) // 4 - (8 * century + 13) // 25
    epact = (19 * (year % 19) + moon) % 30
    correction = (epact + year % 19 // 11) // 29
    full_moon = 21 + epact - correction
    sunday = 7 - (year + year // 4 + 2 - (3 * century + 3) // 4) % 7
    distance = 7 - (full_moon - sunday) % 7
    return first_ordinal(year, 3) - 1 + full_moon + distance
