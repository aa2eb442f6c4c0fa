"""The values that the rules of the grammar share: local intervals, a reading and its context, numbers, years.

An interval is a pair of whole microseconds of local time, start and end (half-open), counted so that midnight
at the start of a day is its `date.toordinal()` times `DAY`. Integers cannot overflow: what lies outside the
years 1 to 9999 is found when a date is asked for (ValueError) or a span is made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from datetime import MAXYEAR, UTC, date, datetime, timedelta, tzinfo
from functools import lru_cache
from typing import NamedTuple

from asof.time.lexicon import TokenRun, two_figures
from asof.time.span import DAY as DAY
from asof.time.span import TICK, Span, months_later

# -- local intervals -----------------------------------------------------------------------------------

LocalInterval = tuple[int, int]

SECOND = 10**6
MINUTE = 60 * SECOND
HOUR = 60 * MINUTE

IN_MONTHS = {"month": 1, "quarter": 3, "half": 6, "year": 12, "decade": 120, "century": 1200}
IN_DAYS = {"day": 1, "week": 7, "weekend": 7, "fortnight": 14}
IN_CLOCK = {"second": SECOND, "minute": MINUTE, "hour": HOUR}

FINER = {
    "century": "decade",
    "decade": "year",
    **dict.fromkeys(("year", "half", "quarter", "season"), "month"),
    **dict.fromkeys(("month", "week"), "day"),
    "day": "hour",
    "hour": "minute",
    **dict.fromkeys(("minute", "second"), "second"),
}
GRAINS = "second minute hour day week month quarter half season year decade century".split()  # noqa: SIM905
"""Fine to coarse."""

_BEGINNING = datetime(1, 1, 1)  # noqa: DTZ001 (the wall has no zone)
_THIRDS = {"week": (0, 2, 4, 7), "day": (0, 8, 16, 24), "decade": (0, 4, 7, 10), "century": (0, 33, 67, 100)}


def grain_of(unit: str) -> str:
    """The grain of a unit that is none itself: a weekend is counted in days, a fortnight in weeks."""
    return {"weekend": "day", "fortnight": "week"}.get(unit, unit)


def days(first: int, after: int | None = None) -> LocalInterval:
    """The day of an ordinal, or from there to before another."""
    return first * DAY, (first + 1 if after is None else after) * DAY


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
    return days(date(year, month, day).toordinal())


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


def shift_day(ordinal: int, unit: str, count: int) -> int:
    """The day so many units after a day (negative: before). Raises ValueError outside the calendar."""
    if unit in IN_DAYS:
        return ordinal + count * IN_DAYS[unit]
    return months_later(date.fromordinal(ordinal), count * IN_MONTHS[unit]).toordinal()


def third(interval: LocalInterval, grain: str, which: int) -> LocalInterval:
    """The early (0), middle (1) or late (2) third of an interval, cut where its calendar has joints.

    A month has the days 1-10, 11-20 and the rest; a week Mon-Tue, Wed-Thu and Fri-Sun; a decade the years
    0-3, 4-6 and 7-9; years, halves and quarters have whole months.
    """
    start, end = interval
    first = date.fromordinal(start // DAY)
    if grain in ("decade", "century"):
        cuts = [first_ordinal(first.year + years) * DAY for years in _THIRDS[grain]]
    elif grain in _THIRDS:
        cuts = [start + size * (HOUR if grain == "day" else DAY) for size in _THIRDS[grain]]
    elif grain in ("year", "half", "quarter", "season"):
        size = {"year": 4, "half": 2}.get(grain, 1)
        cuts = [first_ordinal(first.year, first.month + n * size) * DAY for n in range(4)]
    else:
        size = 10 * DAY if grain == "month" else (end - start) // 3
        cuts = [start, start + size, start + 2 * size, end]
    return cuts[which], cuts[which + 1]


def widen(interval: LocalInterval) -> LocalInterval:
    """As much again on either side; whole months are counted by months, so around 2020 is 2019 to 2021."""
    start, end = interval
    size = end - start
    try:
        first, after = date.fromordinal(start // DAY), date.fromordinal(end // DAY)
        if first.day == after.day == 1 and start % DAY == end % DAY == 0:
            count = (after.year - first.year) * 12 + after.month - first.month
            return days(
                first_ordinal(first.year, first.month - count), first_ordinal(after.year, after.month + count)
            )
    except ValueError:  # one of the three is outside the calendar
        pass
    return start - size, end + size


@lru_cache(maxsize=4096)
def span_of(interval: LocalInterval, zone: tzinfo = UTC) -> Span:
    """The span between two readings of the clocks in a zone; a side that UTC cannot represent is None.

    A time that the clocks show twice gives the span around both. Raises ValueError when the zone has no such
    time (clocks skipped it, or the whole day).
    """
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
    """The instant at which the clocks of a zone show a local time; None outside UTC's years 1 to 9999."""
    try:
        naive = _BEGINNING + (wall - DAY) * TICK
        return naive.replace(tzinfo=zone, fold=fold).astimezone(UTC)
    except OverflowError:
        return None


def wall(moment: datetime, zone: tzinfo) -> int:
    """The local time in a zone at an aware moment (the inverse of `instant_of`)."""
    try:
        there = moment.astimezone(zone)
    except OverflowError:  # before the year 1 or after 9999 in that zone
        there = moment.astimezone(UTC)
    return (there.replace(tzinfo=None) - _BEGINNING) // TICK + DAY


# -- readings ------------------------------------------------------------------------------------------

Yearly = Callable[[int], LocalInterval]
"""The interval of a name in a year. Raises ValueError if that year has none."""


class Anchor(NamedTuple):
    """The moment from which relative times count: what clocks of the zone and of UTC show, in microseconds,
    the ordinal of its day and its year."""

    at: int
    utc: int
    today: int
    year: int


class ParseContext(NamedTuple):
    """The place and time in which a text is read; `now` is its anchor, if any."""

    now: Anchor | None
    zone: tzinfo = UTC
    fiscal_start: int = 1
    future: bool = False
    month_first: bool = True


def anchor_at(moment: datetime, zone: tzinfo) -> Anchor:
    """The anchor at an aware moment; at the very ends of the calendar its clocks are those of UTC."""
    at = wall(moment, zone)
    return Anchor(at, wall(moment, UTC), at // DAY, date.fromordinal(at // DAY).year)


class ParsedTime(NamedTuple):
    """The meaning of some words: `choices` of intervals, best first; none if they need an anchor that is
    missing (then they are `relative`), or name a date that does not exist (30 February).

    `yearly` is set when the text names no year; `number` is a bare day of a month; `year` is a year in the
    text. `needs_cue` names the sense that the word before must have (`cue`, `clear_cue`), because the words
    may mean something else. `zone` is set when the text names one. `which` third of a time is meant
    where the words name a third.
    """

    grain: str
    choices: tuple[LocalInterval, ...]
    relative: bool = False
    fiscal: bool = False
    needs_cue: str = ""
    zone: tzinfo | None = None
    yearly: Yearly | None = None
    number: int | None = None
    year: int | None = None
    which: int | None = None

    @property
    def best(self) -> LocalInterval:
        """The first choice."""
        return self.choices[0]

    def mapped(self, change: Callable[[LocalInterval], LocalInterval], grain: str) -> ParsedTime:
        """This reading with every choice changed, and nothing left open."""
        choices = distinct(change(choice) for choice in self.choices)
        return ParsedTime(grain, choices, self.relative, self.fiscal, zone=self.zone)

    @property
    def impossible(self) -> bool:
        """True if the words name a date that does not exist, so that none of them is a time."""
        return not self.choices and not self.relative

    def sure(self) -> ParsedTime:
        """This reading where no cue is needed."""
        return self._replace(needs_cue="") if self.needs_cue else self


def third_of(reading: ParsedTime, which: int) -> ParsedTime | None:
    """The early (0), middle (1) or late (2) third of a time; None if it has none."""
    if reading.grain not in FINER or reading.which is not None or reading.zone is not None:
        return None

    def cut(whole: LocalInterval) -> LocalInterval:
        return third(whole, reading.grain, which)

    yearly, grain = reading.yearly, FINER[reading.grain]
    part = ParsedTime(grain, (), True)
    if reading.choices:
        part = reading.mapped(cut, grain)._replace(year=reading.year)
    elif yearly is None:
        return None
    return part._replace(which=which, yearly=None if yearly is None else lambda year: cut(yearly(year)))


RuleMatch = tuple[ParsedTime, int]
"""A reading and the place after its last item."""
Rule = Callable[[TokenRun, int, ParseContext], RuleMatch | None]
"""What reads a time at a place of a run; ValueError or OverflowError if there is no such time."""


def relative_day(ordinal: int) -> ParsedTime:
    """A day that counts from the anchor."""
    return ParsedTime("day", (days(ordinal),), relative=True)


def distinct(choices: Iterable[LocalInterval]) -> tuple[LocalInterval, ...]:
    """Without repetition, in order."""
    return tuple(dict.fromkeys(choices))


@lru_cache(maxsize=1024)
def intervals_around(yearly: Yearly, around: int) -> tuple[LocalInterval, ...]:
    """The intervals in the years around one, in order; farther years only if it is rare (29 February)."""
    for reach in (2, 8):
        intervals = []
        for year in range(around - reach, around + reach + 1):
            with suppress(ValueError):
                intervals.append(yearly(year))
        if len(intervals) > 1:
            break
    return tuple(intervals)


def nearest(intervals: Iterable[LocalInterval], context: ParseContext) -> tuple[LocalInterval, ...]:
    """The newest stretch that is not after the anchor and the coming one, the preferred first."""
    if context.now is None:
        return ()
    intervals, at = list(intervals), context.now.at
    past = [place for place in intervals if place[0] <= at][-1:]
    coming = [place for place in intervals if place[0] > at][:1]
    return tuple(coming + past if context.future else past + coming)


def on_side(
    intervals: Iterable[LocalInterval], side: int, context: ParseContext
) -> tuple[LocalInterval, ...]:
    """The last stretch that is over, that of now, or the coming one, and the one beyond as other choice."""
    if context.now is None:
        return ()
    intervals, at = list(intervals), context.now.at
    if side < 0:
        return tuple([place for place in intervals if place[1] <= at][-1:-3:-1])
    if side > 0:
        return tuple([place for place in intervals if place[0] > at][:2])
    here = [place for place in intervals if place[0] <= at < place[1]]
    return tuple(here) or nearest(intervals, context)


def reading_without_year(
    grain: str, yearly: Yearly, context: ParseContext, needs_cue: str = "", *, fiscal: bool = False
) -> ParsedTime:
    """A reading whose year is not in the text."""
    intervals = intervals_around(yearly, context.now.year) if context.now else ()
    if context.now and not intervals:
        return ParsedTime(grain, ())  # 30 February
    return ParsedTime(grain, nearest(intervals, context), True, fiscal, needs_cue, yearly=yearly)


def reading_in_year(grain: str, yearly: Yearly, year: int, *, fiscal: bool = False) -> ParsedTime:
    """A reading in a year, an impossible one if that year has no such interval."""
    try:
        return ParsedTime(grain, (yearly(year),), fiscal=fiscal, year=year)
    except ValueError:
        return ParsedTime(grain, ())


# -- intervals that recur every year: quarters, fiscal or not, seasons, weeks, holidays, days of a month --


@lru_cache(maxsize=16)
def month(number: int) -> Yearly:
    """A month of a year."""
    return lambda year: months(year, number, 1)


@lru_cache(maxsize=400)
def day_of_month(number: int, day: int) -> Yearly:
    """A day of a year."""
    return lambda year: calendar_day(year, number, day)


@lru_cache(maxsize=128)
def parts(size: int, number: int, fiscal_start: int = 1) -> Yearly:
    """The quarter (`size` 3), half (6) or whole (12) of a year that starts in the month `fiscal_start`.

    A fiscal year is named by the calendar year in which it ends. There is none beyond the year's last.
    """
    if not 1 <= number <= 12 // size:
        return _none_there
    back = 1 if fiscal_start > 1 else 0
    return lambda year: months(year - back, fiscal_start + (number - 1) * size, size)


def _none_there(year: int) -> LocalInterval:
    raise ValueError(f"{year} has no such part")


def season(start: int) -> Yearly:
    """Three months from `start` on, as in the weather of the north; winter 2024 starts in December 2024."""
    return lambda year: months(year, start, 3)


@lru_cache(maxsize=64)
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
        return lambda year: days(easter(year) + offset)
    if " " not in rule:
        number, day = map(int, rule.split("-"))
        return day_of_month(number, day)
    number, weekday, which, *later = map(int, rule.split())
    offset = later[0] if later else 0

    def place(year: int) -> LocalInterval:
        return days(nth_weekday(weekday, which, months(year, number, 1)) + offset)

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
    """Weeks of an interval: those whose Thursday is in it, from the first one on, or the last ones."""
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


# -- numbers in figures and in words: cardinals, ordinals, years ---------------------------------------

_COUNTABLE = frozenset(("unit", "to", "and"))
_ORDINAL = frozenset(("number", "ordinal", "cardinal"))
_AMOUNT = frozenset(("number", "cardinal", "one", "vague"))

Number = tuple[int, int]
"""A number and the place after its last item."""


def cardinal(run: TokenRun, i: int) -> Number | None:
    """`12`, `twelve`, `twenty-one`."""
    number = run.sense(i, "number")
    return below_hundred(run, i) if number is None else (number, i + 1)


def below_hundred(run: TokenRun, i: int) -> Number | None:
    """A number below 100 in words."""
    number = run.sense(i, "cardinal")
    if number is None:
        return None
    if number >= 20 and run.follows(i + 1, " -"):
        at = run.after(i + 1, "tens_and")
        unit = run.sense(at, "cardinal")
        if unit is not None and 0 < unit < 10 and run.follows(at, " -"):
            return number + unit, at + 1
    return number, i + 1


def amount(run: TokenRun, i: int) -> Number | None:
    """The amount before a unit: a number, `a`, `a few`, `a couple of`."""
    if run[i].kind.isdisjoint(_AMOUNT):
        return None
    at = i + 1 if run.has(i, "one") and run.has(i + 1, "vague") else i
    vague = run.sense(at, "vague")
    if vague is not None:
        return vague, at + 1
    return (1, i + 1) if run.has(i, "one") else cardinal(run, i)


def ordinal(run: TokenRun, i: int) -> Number | None:
    """`5th`, `fifth`, `twenty-first`, `last` (-1)."""
    item = run[i]
    if item.kind.isdisjoint(_ORDINAL):
        return None
    number: int | None = item.senses.get("number")
    if number is not None:
        after = run[i + 1]
        if after.glue == " ":
            return None
        if after.senses.get("ordinal_suffix") and after.glue in ("", ".", ":") and not after.wide:
            return number, i + 2
        dotted = after.glue == "." and after.wide and after.kind & _COUNTABLE and len(item.word) < 3
        return (number, i + 1) if dotted else None  # 1. Quartal
    found = run.sense(i, "ordinal")
    if found is not None:
        return found, i + 1
    tens = run.sense(i, "cardinal")
    if tens is not None and tens >= 20 and run.follows(i + 1, " -"):
        unit = run.sense(i + 1, "ordinal")
        if unit is not None and 0 < unit < 10:
            return tens + unit, i + 2
    return None


def day_number(run: TokenRun, i: int) -> Number | None:
    """A day of a month: `5`, `5th`, `fifth`, `twenty one`."""
    kind = run[i].kind
    if kind.isdisjoint(_ORDINAL):
        return None
    found = ordinal(run, i) or (
        (run.sense(i, "number"), i + 1) if "day_figures" in kind else below_hundred(run, i)
    )
    return found if found is not None and 1 <= found[0] <= 31 else None


def year_figures(run: TokenRun, i: int) -> int | None:
    """The year of four figures at `i`, or None."""
    number: int | None = run.sense(i, "year_figures")
    return number


def short_year(run: TokenRun, i: int) -> int | None:
    """The year of `'24` at `i`, or None."""
    number: int | None = run.sense(i, "short_year")
    return number


# -- the year after or before a name: `, 2024`, `of '24`, `next year`, `FY24`, `2023's` ----------------


def year_after(run: TokenRun, i: int, glue: str, context: ParseContext) -> tuple[int, int, bool] | None:
    """A year at `i`, after a comma or `of`: the year, the place after it, whether it needed the anchor."""
    if run[i].glue == "" and "_" in glue and run.sense(i, "figures") in (2, 4):
        number = run.sense(i, "number")  # 1Q23
        return (number if run.sense(i, "figures") == 4 else two_figures(number)), i + 1, False
    if run[i].glue in ("'", ",'") and (short := short_year(run, i)):
        return short, i + 1, False
    if not (run[i].glue in glue or run[i].glue == ".") or not run[i].glue:
        return None
    if run[i].glue == "." and not run[i].wide:
        return None
    of = run.after(i, "of", " ," if run.capital(i) else " ,.")  # ene. de 2020
    the = run.after(of, "the")
    at = the if run.sense(the, "calendar_year") else of
    at = run.after(at, "calendar_year") if run.sense(at + 1, "figures") else at
    year = year_figures(run, at) or short_year(run, at)
    if year is None and of > i and run.sense(of, "figures") == 2 and run.sense(of, "number") >= 32:
        year = two_figures(run.sense(of, "number"))
    if year is not None:
        word, gap = run.behind(at)
        counted = gap == " " and word in run.lexicon.lists["counted"] and at == i
        return None if counted or (gap in (":", "") and word) else (year, at + 1, False)
    side = _sided_year(run, at)
    if side is not None and context.now:
        return context.now.year + side, at + 2, True
    return None


def _sided_year(run: TokenRun, i: int) -> int | None:
    """The side of `last year`, `année dernière` at `i`."""
    if run.sense(i + 1, "unit") == "year":
        side: int | None = run.sense(i, "side")
        return side
    return run.sense(i + 1, "side_after") if run.sense(i, "unit") == "year" and run.follows(i + 1) else None


def fiscal_year_number(run: TokenRun, i: int) -> tuple[int, int] | None:
    """`FY2024`, `FY24`, `FY'24`, `fiscal 2024`, `fiscal year 2024`."""
    i = run.after(i, "the")
    if not run.has(i, "fiscal_year") and not run.has(i, "fiscal"):
        return None
    at = i + 1
    glued = run[at].glue
    if glued not in ("", " ", "-", "'"):
        return None
    year = year_figures(run, at)
    if year is None and run.sense(at, "figures") == 2 and run.has(i, "fiscal_year"):
        year = two_figures(run.sense(at, "number"))
    if year is None:
        return None
    ends, glue = run.sense(at + 1, "number"), run[at + 1].glue
    if run.sense(at + 1, "figures") == 2 and glue in ("/", "-") and ends == (year + 1) % 100:
        return year + 1, at + 2  # FY2023/24
    return year, at + 1


def fiscal_years(run: TokenRun, i: int, context: ParseContext) -> RuleMatch | None:
    """A fiscal year by its number."""
    if run.has(i, "the"):
        return None
    match = fiscal_year_number(run, i)
    if match is None:
        return None
    return reading_in_year("year", parts(12, 1, context.fiscal_start), match[0], fiscal=True), match[1]


def week_label(run: TokenRun, i: int, _: ParseContext) -> RuleMatch | None:
    """`2024-W09`, `2024W09`."""
    year = year_figures(run, i)
    if year is None or run[i + 1].glue not in ("", "-") or not run.has(i + 1, "week_label"):
        return None
    if run[i + 2].glue == "" and run.sense(i + 2, "figures") in (1, 2):
        return reading_in_year("week", iso_week(run.sense(i + 2, "number")), year), i + 3
    return None
