"""Dates in figures (`2024-03-05`, `3/5/2024`, `20240305`), durations, years, decades and centuries, times of
day (`3pm`, `8.30 p.m.`, `14:30 UTC`, `T14:30:07.25+01:00`, `noon`, `four o'clock`, `14 Uhr`)."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, timedelta, timezone, tzinfo
from functools import lru_cache
from typing import NamedTuple

from asof.time.lexicon import EARLIEST, LATEST, TokenRun, is_unspaced, sense_set, two_figures
from asof.time.reading import (
    DAY,
    GRAINS,
    HOUR,
    IN_CLOCK,
    IN_MONTHS,
    MINUTE,
    SECOND,
    Daily,
    LocalInterval,
    ParseContext,
    ParsedTime,
    Rule,
    RuleMatch,
    amount,
    below_hundred,
    calendar_day,
    day_of_month,
    days,
    distinct,
    grain_of,
    month,
    months,
    ordinal,
    reading_in_year,
    reading_without_year,
    relative_day,
    shift_day,
    short_year,
    year_figures,
    year_words,
)

# -- dates ---------------------------------------------------------------------------------------------

LONGEST_MONTHS = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
"""The days that each month can have."""

_SIGNS = ("-", "/", ".")
_JOINING = frozenset("-/.,:_+'")


def numeric_date(run: TokenRun, i: int, context: ParseContext) -> RuleMatch | None:
    """A date of figures that begins at `i` and is no part of a longer row of figures."""
    kind = run[i].kind
    if "figures" not in kind or ("long_figures" not in kind and run[i + 1].glue not in _SIGNS):
        return None
    if attached_left(run, i):
        return None
    match = _compact(run, i) or _row(run, i, context)
    if match is None or attached_right(run, match[1] - 1, run[match[1] - 1].glue):
        return None
    return match


def attached_left(run: TokenRun, i: int) -> bool:
    """True if figures belong to a longer row (`10.0.2019`), a word (`A2019`) or an amount (`$2019`)."""
    word, gap = run.before(i)
    if not gap:
        return bool(word)
    if gap[-1] in "$€£¥#&=?@~" and gap[-1] not in "=~":
        return True
    if gap == "-" and run[i + 1].glue in ("/", "."):
        return False
    return gap in _JOINING and bool(word) and (word[-1] in "0123456789" or (gap == "." and len(word) <= 2))


def attached_right(run: TokenRun, i: int, sign: str = "") -> bool:
    """True if what follows item `i` belongs to it: letters, a sign and figures, `%`.

    A date with the sign `/` may be followed by `-`, which joins it with another.
    """
    word, gap = run.behind(i)
    if not gap:
        return bool(word) and not run.has(i + 1, "iso_t")
    if gap == "-" and sign in ("/", "."):
        return False
    return gap[0] in "%°€$" or (gap in _JOINING and bool(word) and word[0] in "0123456789")


def _compact(run: TokenRun, i: int) -> RuleMatch | None:
    item = run[i]
    if item.senses["figures"] not in (8, 14):
        return None
    year, month_number, day = int(item.word[:4]), int(item.word[4:6]), int(item.word[6:8])
    if not 1900 <= year <= 2099:
        return None
    try:
        whole = calendar_day(year, month_number, day)
    except ValueError:
        return None
    if len(item.word) == 8:
        return ParsedTime("day", (whole,), year=year), i + 1
    hour, minute, second = int(item.word[8:10]), int(item.word[10:12]), int(item.word[12:])
    if hour > 23 or minute > 59 or second > 59:
        return None
    start = whole[0] + (hour * 3600 + minute * 60 + second) * 10**6
    return ParsedTime("second", ((start, start + SECOND),), year=year), i + 1


def _row(run: TokenRun, i: int, context: ParseContext) -> RuleMatch | None:
    sign = run[i + 1].glue
    if sign not in _SIGNS or run[i + 1].wide or not run.has(i + 1, "figures"):
        return None
    third = run[i + 2]
    if third.glue == sign and not third.wide and "figures" in third.senses:
        return _three(run, i, sign, context)
    return _two(run, i, sign, context)


def _three(run: TokenRun, i: int, sign: str, context: ParseContext) -> RuleMatch | None:
    a, b, c = (run.sense(i + n, "number") for n in range(3))
    sizes = [run.sense(i + n, "figures") for n in range(3)]
    if year_figures(run, i) and max(sizes[1:]) <= 2:
        year, orders = a, [(a, b, c)]
    elif max(sizes[:2]) <= 2 and (year_figures(run, i + 2) or sizes[2] == 2):
        year = c if sizes[2] == 4 else two_figures(c)
        orders = [(year, a, b), (year, b, a)]
        if not context.month_first or sign == ".":
            orders.reverse()
    else:
        return None
    choices = []
    for order in orders:
        with suppress(ValueError):
            choices.append(calendar_day(*order))
    if not choices:
        return None
    needs_cue = "cue" if sign == "." and sizes[0] < 4 and sizes[2] == 2 else ""
    return ParsedTime("day", distinct(choices), needs_cue=needs_cue, year=year), i + 3


def _two(run: TokenRun, i: int, sign: str, context: ParseContext) -> RuleMatch | None:
    a, b = run.sense(i, "number"), run.sense(i + 1, "number")
    sizes = run.sense(i, "figures"), run.sense(i + 1, "figures")
    needs_cue = "cue" if sign == "." else ""
    if year_figures(run, i) and 1 <= b <= 12 and sizes[1] <= 2:
        return ParsedTime("month", (months(a, b, 1),), needs_cue=needs_cue, year=a), i + 2
    if year_figures(run, i + 1) and 1 <= a <= 12 and sizes[0] <= 2:
        return reading_in_year("month", month(a), b)._replace(needs_cue=needs_cue), i + 2
    if max(sizes) > 2 or run.has(i + 2, "meridiem") or run.has(i + 2, "clock"):
        return None
    word, gap = run.behind(i + 1)
    if gap == " " and word in run.lexicon.lists["counted"]:
        return None
    first, second = (a, b) if context.month_first else (b, a)
    if first > 12:
        first, second = second, first
    if not (1 <= first <= 12 and 1 <= second <= LONGEST_MONTHS[first - 1]):
        return None
    yearly = day_of_month(first, second)
    if run[i + 2].glue == "," and (year := year_figures(run, i + 2)) and sign == "/":
        return reading_in_year("day", yearly, year), i + 3
    needs_cue = "dot_cue" if sign == "." else "date_cue"
    return reading_without_year("day", yearly, context, needs_cue=needs_cue), i + 2


# -- durations: `three weeks ago`, `in 2 days`, `within a year`, `2 weeks before Easter` ---------------

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
        count, after = match
        unit, glue = unit_after_number(run, after), run[after].glue
        if unit is None or glue not in (" ", "-", "") or (not glue and not run.has(after - 1, "number")):
            break
        after += 1
        if run.has(after, "and_half") and run.follows(after):
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


def shift_anchor(lengths: Lengths, context: ParseContext, sign: int, day: int | None = None) -> ParsedTime:
    """The day, or within a day the minute, at a distance from the anchor (or from a day).

    Raises ValueError without an anchor, and for hours from a day.
    """
    units = [unit for _, unit in lengths if unit in IN_CLOCK]
    if day is None and context.now is not None:
        if units:
            grain, size = ("second", SECOND) if "second" in units else ("minute", MINUTE)
            at = shift_instant(context.now.utc, lengths, sign) // size * size
            return ParsedTime(grain, ((at, at + size),), relative=True, zone=UTC)
        return relative_day(shift_instant(context.now.today * DAY, lengths, sign) // DAY)
    if day is None or units:
        raise ValueError("no day to count from")
    return ParsedTime("day", (days(shift_instant(day * DAY, lengths, sign) // DAY),))


def distance(run: TokenRun, i: int, context: ParseContext) -> RuleMatch | None:
    """A distance from the anchor, or from the time that follows it; the German `vor drei Wochen` as well."""
    before, ahead = run.sense(i, "ago_before"), run.has(i, "ahead")
    lengths = duration(run, i if before is None and not ahead else i + 1)
    if lengths is None:
        return None
    parts, after = lengths
    if before is not None:
        return shift_anchor(parts, context, before), after
    if ahead:
        return (shift_anchor(parts, context, 1), after) if _is_ahead(run, i, after) else None
    sign = run.sense(after, "ago") if run.follows(after) else None
    return None if sign is None else (shift_anchor(parts, context, sign), after + 1)


def lasting(run: TokenRun, i: int, context: ParseContext) -> RuleMatch | None:
    """A duration until the anchor: of `depuis trois ans` the day three years ago."""
    lengths = duration(run, i)
    return None if lengths is None else (shift_anchor(lengths[0], context, -1), lengths[1])


def _is_ahead(run: TokenRun, i: int, after: int) -> bool:
    """True if the duration after "in" is one until a time: not in `in 3D`, `in 2 days of rain`."""
    word, gap = run.behind(after - 1)
    return (
        run.follows(i + 1)
        and len(run[after - 1].word) > 1
        and not (word in ("of", "or", "and") and gap == " ")
        and not (run.has(after, "ago") or run.has(after, "shift"))
    )


def from_point(run: TokenRun, i: int, context: ParseContext, point: Rule) -> RuleMatch | None:
    """A distance from another time: `two weeks before Christmas`, `3 days after 5 March 2024`."""
    lengths = duration(run, i)
    if lengths is None and run.has(i, "the") and run.sense(i + 1, "unit") == "day":
        lengths = [(1, "day")], i + 2
    if lengths is None:
        return None
    parts, at = lengths
    sign = run.sense(at, "shift") if run.follows(at) and run.follows(at + 1) else None
    if sign is None:
        return None
    match = point(run, run.after(at + 1, "the"), context)
    if match is None or not match[0].choices or match[0].zone is not None:
        return None
    reading, after = match
    size = IN_MONTHS.get(reading.grain)
    if size is not None and all(IN_MONTHS.get(unit, 0) >= size for _, unit in parts):
        count = round(sign * sum(count * IN_MONTHS[unit] for count, unit in parts))
        return reading.mapped(lambda whole: _months_on(whole, count)), after
    late = sign > 0 and reading.grain != "day"
    choices = [
        shift_anchor(parts, context, sign, (end - DAY if late else start) // DAY).best
        for start, end in reading.choices
    ]
    return ParsedTime("day", tuple(choices), reading.relative), after


def _months_on(whole: LocalInterval, count: int) -> LocalInterval:
    return days(*(shift_day(side // DAY, "month", count) for side in whole))


def bounded(
    run: TokenRun, i: int, context: ParseContext, point: Rule
) -> tuple[LocalInterval, str, ParsedTime, int] | None:
    """`more than 2 weeks ago`, `less than 3 days after today`: what is left, how, the core, the place after.

    More than a distance is everything beyond it, less than a distance everything up to it.
    """
    ago = run.sense(i, "ago_before")
    at = i if ago is None else i + 1  # hace más de dos años
    more, lengths = run.sense(at, "bound"), duration(run, at + 1)
    if more is None or lengths is None or not run.follows(at + 1) or not (ago is None or run.follows(at)):
        return None
    if ago is not None:
        match: RuleMatch | None = (shift_anchor(lengths[0], context, ago), lengths[1])
    else:
        match = distance(run, at + 1, context) or from_point(run, at + 1, context, point)
    if match is None or match[0].grain != "day" or not match[0].choices:
        return None
    there = match[0].best
    sign = ago or run.sense(lengths[1], "ago") or run.sense(lengths[1], "shift")
    here = context.now and context.now.at
    if run.has(lengths[1], "shift"):
        other = point(run, run.after(lengths[1] + 1, "the"), context)
        here = other[0].best[0] if other is not None and other[0].choices else None
    if more > 0:
        return there, "since" if sign > 0 else "before", match[0], match[1]
    if here is None:
        return None
    return ((here, there[0]) if sign > 0 else (there[0], here)), "in", match[0], match[1]


def starting(run: TokenRun, i: int, context: ParseContext, point: Rule) -> RuleMatch | None:
    """`2 weeks starting 20 May`: so long from a day on."""
    lengths = duration(run, i)
    if lengths is None or not run.has(lengths[1], "starting") or not run.follows(lengths[1]):
        return None
    match = point(run, run.after(lengths[1] + 1, "the"), context)
    if match is None or match[0].grain != "day" or not run.follows(lengths[1] + 1):
        return None
    choices = [
        (start, shift_anchor(lengths[0], context, 1, start // DAY).best[0]) for start, _ in match[0].choices
    ]
    return ParsedTime(grain_of(lengths[0][-1][1]), tuple(choices), match[0].relative), match[1]


def within(run: TokenRun, i: int, context: ParseContext) -> RuleMatch | None:
    """`within 10 months`: from the anchor's day so far on."""
    if not run.has(i, "within") or context.now is None:
        return None
    at = run.after(i + 1, "the")
    if run.has(at, "rolling") or run.sense(at, "side") == -1:
        return None  # "within the last 6 months" occurs without the word as well
    lengths = duration(run, run.after(at, "side"))
    if lengths is None:
        return None
    parts, after = lengths
    end = shift_anchor(parts, context, 1)
    if run.sense(after, "ago") == 1 and run.follows(after):
        after += 1
    now = context.now
    if end.zone is not None:
        return ParsedTime(end.grain, ((now.utc, end.best[0]),), True, zone=UTC), after
    return ParsedTime(grain_of(parts[-1][1]), ((now.today * DAY, end.best[0]),), relative=True), after


# -- years, decades, centuries: `2019`, `the year 2000`, `nineteen eighty-six`, `1990s`, `19th century` --

COMMON = range(1900, 2100)
"""Years that four figures mean without another word as evidence."""


def year(run: TokenRun, i: int, _: ParseContext) -> RuleMatch | None:
    """A year alone."""
    if run.has(i, "calendar_year") or run.sense(i, "unit") == "year":
        return _labelled_year(run, i + 1)
    number = year_figures(run, i)
    if number is not None:
        if attached_left(run, i) or attached_right(run, i) or _named(run, i) or _counting(run, i):
            return None
        return _year(number, "" if number in COMMON else "cue"), i + 1
    spelled = year_words(run, i)
    if spelled is not None and not _counting(run, spelled[1] - 1):
        return _year(spelled[0], "" if spelled[0] % 100 and spelled[0] < 2100 else "cue"), spelled[1]
    number = short_year(run, i)
    return None if number is None or attached_right(run, i) else (_year(number, "cue"), i + 1)


def _labelled_year(run: TokenRun, i: int) -> RuleMatch | None:
    """`2000` after `the year`."""
    number = year_figures(run, i) if run.follows(i) else None
    if run.sense(i, "figures") == 2 and run[i].glue == "":
        number = two_figures(run.sense(i, "number"))
    if number is not None and not attached_right(run, i):
        return _year(number), i + 1
    spelled = year_words(run, i) if run.follows(i) else None
    return None if spelled is None else (_year(spelled[0]), spelled[1])


def _year(number: int, needs_cue: str = "") -> ParsedTime:
    return ParsedTime("year", (months(number),), needs_cue=needs_cue, year=number)


def _named(run: TokenRun, i: int) -> bool:
    """True if figures belong to the name before them (`Windows 2000`, `ISO 8601`)."""
    word, gap = run.before(i)
    return word in run.lexicon.lists["product"] and gap in (" ", "-", ". ", ": ", " #", "", ".")


def _counting(run: TokenRun, i: int) -> bool:
    """True if a number counts what follows it (`2000 people`)."""
    word, gap = run.behind(i)
    return gap in (" ", "-") and word in run.lexicon.lists["counted"]


def decade(run: TokenRun, i: int, _: ParseContext) -> RuleMatch | None:
    """A decade: `1990s`, `the '90s`, `the 1990's`, `the nineties`, `1990er`, `nineteen nineties`."""
    if run.has(i, "decade_label"):
        return _labelled(run, run.after(run.after(i + 1, "of"), "the"))
    if run.has(i, "decade_article") and _led(run, i) and run.sense(i + 1, "figures") == 2:
        return None if unit_after_number(run, i + 2) or _counting(run, i + 1) else _labelled(run, i + 1)
    start = i
    the = run.has(i, "the")
    i = i + 1 if the else i
    if run.sense(i, "figures") in (2, 4) and not attached_left(run, i):
        number, suffix = run.sense(i, "number"), run[i + 1]
        apostrophe = "'" in run[i].glue
        if (
            (suffix.glue in ("", "'") or is_unspaced(suffix.word))
            and run.sense(i + 1, "decade_suffix")
            and number % 10 == 0
            and number != 1000
        ):
            if attached_right(run, i + 1):
                return None
            if run.sense(i, "figures") == 4:
                return (_decade(number), i + 2) if year_figures(run, i) else None
            if the or apostrophe or _led(run, start) or is_unspaced(suffix.word):
                return _decade(number + (1900 if number >= 30 else 2000)), i + 2
        return None
    century = run.sense(i, "cardinal")
    if century is not None and 11 <= century <= 20 and (named := run.sense(i + 1, "decade")) is not None:
        return _decade(century * 100 + named), i + 2
    named = run.sense(i, "decade")
    if named is None or not (the or _led(run, start)):
        return None
    return _decade(1900 + named if named >= 30 else 2000 + named), i + 1


def _labelled(run: TokenRun, i: int) -> RuleMatch | None:
    """The number of a decade after a word for it: `années 90`, `los años noventa`."""
    figures = run.sense(i, "number")
    number = below_hundred(run, i) if figures is None else (figures, i + 1)
    if number is None or not run.follows(i, " '") or attached_right(run, number[1] - 1):
        return None
    first, after = number
    if 10 <= first < 100:
        first += 1900 if first >= 30 else 2000
    return (_decade(first), after) if first % 10 == 0 and EARLIEST <= first <= LATEST else None


def _led(run: TokenRun, i: int) -> bool:
    """True if a part comes before: `late 80s`; `his 80s` are an age."""
    return run.has(i - 1, "part") and run.follows(i, " -")


def _decade(first: int) -> ParsedTime:
    if first % 100 == 0 and first < 2000:  # the 1800s are a hundred years, the 2000s mostly ten
        return ParsedTime("century", (months(first, 1, 1200),))
    return ParsedTime("decade", (months(first, 1, 120),))


def century(run: TokenRun, i: int, _: ParseContext) -> RuleMatch | None:
    """A century as ISO 8601 counts hundreds: the 19th is 1800-1899."""
    if run.sense(i, "unit") == "century":  # siglo XIX
        number = run.sense(i + 1, "roman") or run.sense(i + 1, "cardinal") or run.sense(i + 1, "day_figures")
        return _century(number, i + 2) if number and run.follows(i + 1) else None
    if run.has(i + 1, "century_sign") and run.sense(i, "day_figures"):
        number, tens = run.sense(i, "day_figures"), run.sense(i + 2, "day_figures")
        if tens and tens % 10 == 0 and run.has(i + 3, "decade_suffix"):
            return _decade((number - 1) * 100 + tens), i + 4  # 20世纪90年代
        return _century(number, i + 2)
    i = i + 1 if run.has(i, "the") else i
    match = ordinal(run, i)
    if match is None or run.sense(match[1], "unit") != "century" or run[match[1]].glue not in (" ", "-", "."):
        return None
    return _century(match[0], match[1] + 1)


def _century(number: int, after: int) -> RuleMatch | None:
    if not 2 <= number <= 30:
        return None
    return ParsedTime("century", (months((number - 1) * 100, 1, 1200),)), after


# -- one time of day -----------------------------------------------------------------------------------

_BEGINNINGS = sense_set("hour figures cardinal")
_AFTER_HOUR = sense_set("meridiem clock hour_sign")


class Clock(NamedTuple):
    """A time of day in microseconds since midnight; it lasts a `grain`. `sure` if nothing else can be meant.

    `half` is 0 or 12 if the text names the half of the day, else None.
    """

    time: int
    grain: str
    half: int | None
    sure: bool
    zone: tzinfo | None = None

    @property
    def lasts(self) -> int:
        """The length of a unit of its grain, in microseconds."""
        return {"hour": HOUR, "minute": MINUTE}.get(self.grain, SECOND)

    @property
    def daily(self) -> Daily:
        """The interval within the day of an ordinal."""
        return lambda day: (day * DAY + self.time, day * DAY + self.time + self.lasts)

    def in_half(self, half: int | None) -> Clock:
        """The same in a half of the day, if it has none itself: 7 with 12 is 19 o'clock."""
        if half is None or self.half is not None or not 0 < self.time // HOUR <= 12:
            return self
        return self._replace(time=self.time % (12 * HOUR) + half * HOUR, half=half)

    def on(self, reading: ParsedTime) -> ParsedTime:
        """This time on a day; a day with several choices has as many times."""

        at = reading.mapped(lambda day: self.daily(day[0] // DAY), self.grain)
        if self.half is None and not self.sure and 0 < self.time // HOUR < 12:
            other = self._replace(time=self.time + 12 * HOUR)
            later = tuple(other.daily(day[0] // DAY) for day in reading.choices)
            at = at._replace(choices=at.choices + later)
        return at._replace(zone=self.zone)


def clock(run: TokenRun, i: int, *, bare: bool = False) -> tuple[Clock, int] | None:
    """A time of day at `i` and the place after it; `bare` takes a naked hour too (`at 7`)."""
    kind = run[i].kind
    if kind.isdisjoint(_BEGINNINGS):
        return None
    if "figures" in kind:
        following = run[i + 1]
        if "day_figures" not in kind or not (bare or is_after_hour(following.kind, following.glue)):
            return None
    named = run.sense(i, "hour")
    if named is not None and isinstance(named, int):
        return Clock(named * HOUR, "minute", named, True), i + 1
    attached = not run[i].glue and bool(run.before(i)[0]) and not run.has(i - 1, "iso_t")
    found = None if attached else _hour(run, i)  # "A2A" is no time
    if found is None:
        return None
    hour, minute, micros, grain, after, plain = found
    half = run.sense(after, "meridiem") if run[after].glue in ("", " ") else None
    letter = run.words(after) == 1 and len(run[after].word) == 1
    if half is not None and not (letter and (run[after].glue or run.behind(after)[1] == "'")):
        if hour > 12 and plain:
            return None
        hour = hour % 12 + half if hour <= 12 else hour
        after += 1
    else:
        half = None
        if run.sense(after, "clock") and run.follows(after, " "):
            after += 1
            plain = False
        elif plain and not bare:
            return None
    time = hour * HOUR + minute * MINUTE + micros
    west = grain == "second" or run.has(i - 1, "iso_t") or run[i - 1].glue == "-"
    zone, after = _zone(run, after, plain=plain, west=west)
    sure = (
        (not letter if half is not None else hour > 12 or hour == 0) or zone is not None or grain == "second"
    )
    sure = sure or (run.sense(i, "figures") == 2 and run[i].word[0] == "0")
    return Clock(time, grain, half, sure, zone), after


@lru_cache(maxsize=4096)
def is_after_hour(kind: frozenset[str], glue: str) -> bool:
    """True if an item of a kind after a sign marks the figures before it as an hour: `:30`, `pm`, `Uhr`."""
    return (glue in (":", ".") and "figures" in kind) or not kind.isdisjoint(_AFTER_HOUR)


def _hour(run: TokenRun, i: int) -> tuple[int, int, int, str, int, bool] | None:
    hour = run.sense(i, "day_figures")
    if hour is not None:
        if hour > 23:
            return None
        following = run[i + 1]
        sign = following.glue
        if sign in (":", ".") and not following.wide and following.senses.get("figures") == 2:
            minute = run.sense(i + 1, "number")
            if minute > 59:
                return None
            told = run.has(i + 2, "meridiem") or run.has(i + 2, "clock")
            if sign == ":":
                return _seconds(run, i, hour, minute)
            if told and run[i + 2].glue in ("", " "):
                return hour, minute, 0, "minute", i + 2, False
            return (hour, minute, 0, "minute", i + 2, True) if run[i + 2].glue != "." else None
        return _signed(run, i, hour) or (hour, 0, 0, "hour", i + 1, True)
    spelled = below_hundred(run, i)
    if spelled is None or not 1 <= spelled[0] <= 12:
        return None
    if run.follows(spelled[1], " -"):
        minutes = below_hundred(run, spelled[1])
        if minutes is not None and 10 <= minutes[0] <= 59:
            return spelled[0], minutes[0], 0, "minute", minutes[1], True
    return spelled[0], 0, 0, "hour", spelled[1], True


def _signed(run: TokenRun, i: int, hour: int) -> tuple[int, int, int, str, int, bool] | None:
    """An hour with the sign of hours, and minutes after it: `14h30`, `9 h 05`; `14h` alone needs a word."""
    if not run.has(i + 1, "hour_sign") or run[i + 1].glue not in ("", " "):
        return None
    if run.sense(i + 2, "figures") == 2 and run[i + 2].glue in ("", " ") and run.sense(i + 2, "number") <= 59:
        after = i + 4 if run.has(i + 3, "minute_sign") else i + 3
        return hour, run.sense(i + 2, "number"), 0, "minute", after, False
    led = not run[i - 1].kind.isdisjoint(("at", "from", "between", "day_sign", "day"))
    return hour, 0, 0, "hour", i + 2, not led


def _seconds(run: TokenRun, i: int, hour: int, minute: int) -> tuple[int, int, int, str, int, bool] | None:
    if run[i + 2].glue != ":" or run.sense(i + 2, "figures") != 2:
        return hour, minute, 0, "minute", i + 2, False
    second = run.sense(i + 2, "number")
    if second > 59:
        return None
    fraction = run[i + 3].glue in (".", ",") and not run[i + 3].wide and run.sense(i + 3, "figures")
    return hour, minute, second * SECOND, "second", i + 4 if fraction else i + 3, False


def iso_clock(run: TokenRun, i: int) -> tuple[Clock, int] | None:
    """A time right after an ISO date: `T14:30Z`, `T1430`."""
    if not run.has(i, "iso_t") or run[i].glue or run[i + 1].glue:
        return None
    figures, number = run.sense(i + 1, "figures"), run.sense(i + 1, "number")
    if figures in (4, 6):
        number *= 100 if figures == 4 else 1
        hour, minute, second = number // 10000, number // 100 % 100, number % 100
        if hour > 23 or minute > 59 or second > 59:
            return None
        zone, after = _zone(run, i + 2, plain=False, west=True)
        time = hour * HOUR + minute * MINUTE + second * SECOND
        return Clock(time, "minute" if figures == 4 else "second", None, True, zone), after
    found = clock(run, i + 1, bare=True)
    return (found[0]._replace(sure=True), found[1]) if found else None


def _zone(run: TokenRun, i: int, *, plain: bool, west: bool) -> tuple[tzinfo | None, int]:
    """The zone at `i`, if any, and the place after it; unless `west`, a hyphen is none: `8:30-10:00`."""
    offset = run.sense(i, "zone")
    if offset is not None and run[i].glue in ("", " ") and (len(run[i].word) > 1 or run[i].glue == ""):
        return (UTC if offset == 0 else timezone(timedelta(minutes=offset))), i + 1
    sign = run[i].glue
    if not plain and sign in (("+", "-") if west else ("+",)) and run.sense(i, "figures") in (2, 4):
        number, after = run.sense(i, "number"), i + 1
        if run.sense(i, "figures") == 4:
            hours, minutes = divmod(number, 100)
        elif run[i + 1].glue == ":" and run.sense(i + 1, "figures") == 2:
            hours, minutes, after = number, run.sense(i + 1, "number"), i + 2
        else:
            return None, i
        if hours <= 14 and minutes < 60:
            distance = timedelta(hours=hours, minutes=minutes)
            return timezone(-distance if sign == "-" else distance), after
    return None, i


# -- two of them, with their day: `3 to 5pm tomorrow`, `Friday from 7:00 to 8:00`, `10am-12pm on 5 May` --


def opening(run: TokenRun, i: int) -> tuple[str, int]:
    """`between` or `from` at `i`, or nothing, and the place after it."""
    kind = run[i].kind
    word = "between" if "between" in kind else "from" if "from" in kind else ""
    return (word, i + 1) if word and run.follows(i + 1) else ("", i)


def joint(run: TokenRun, i: int, word: str) -> int | None:
    """The place after what joins two ends at `i`; None if nothing does."""
    if run[i].glue in ("-", "--"):
        return i
    if not run.follows(i, " .,") or not run.follows(i + 1):
        return None
    if run[i].glue == "." and run.capital(i) and not run.caseless:
        return None  # a new sentence
    if run.has(i, "to") or (word == "between" and run.has(i, "and")):
        return i + 1
    return None


def half_of_day(run: TokenRun, i: int) -> tuple[int | None, int]:
    """0 or 12 for `in the morning`, `in the evening` at `i`, and the place after it."""
    at = run.after(run.after(i, "of"), "the")
    part = run.sense(at, "daypart")
    if part is None or not run.follows(at):
        return None, i
    return (0 if str(part).startswith("8 ") else 12), at + 1


def hours_of_day(run: TokenRun, i: int, context: ParseContext, day_point: Rule) -> RuleMatch | None:
    """Two times of day, with the day before or after them."""
    pair = clock_pair(run, i)
    if pair is not None:
        begin, end, after = pair
        day_at = run.after(run.after(after, "on", " ,"), "of")
        day = day_point(run, day_at, context) if run.follows(day_at, " ,") else None
        if day is None or not day[0].choices or day[0].grain not in ("day", "hour"):
            return None
        half, stop = half_of_day(run, day[1])
        if day[0].grain == "hour":  # "from 10 to 11 this morning"
            if run.has(day[1] - 1, "unit"):
                return None
            half = 0 if day[0].best[0] % DAY < DAY // 2 else 12
        return _on_days(begin.in_half(half), end.in_half(half), day[0]), stop
    day = day_point(run, i, context)
    if day is None or not day[0].choices or day[0].grain not in ("day", "hour"):
        return None
    half, at = half_of_day(run, day[1])
    if day[0].grain == "hour":
        half = 0 if day[0].best[0] % DAY < DAY // 2 else 12
    for place in (run.after(run.after(at, "on", " ,"), "at", " ,"), at):
        pair = clock_pair(run, place) if run.follows(place, " ,") else None
        if pair is not None:
            begin, end, after = pair
            return _on_days(begin.in_half(half), end.in_half(half), day[0]), after
    return None


def _on_days(begin: Clock, end: Clock, day: ParsedTime) -> ParsedTime:
    choices = []
    for choice in day.choices:
        midnight = choice[0] // DAY * DAY
        start, stop = midnight + begin.time, midnight + end.time
        if stop <= start:
            stop += DAY // 2 if end.half is None and stop + DAY // 2 > start else DAY
        choices.append((start, stop))
    grain = min(begin.grain, end.grain, key=GRAINS.index)
    return ParsedTime(grain, tuple(choices), day.relative, zone=end.zone or begin.zone)


def clock_pair(run: TokenRun, i: int) -> tuple[Clock, Clock, int] | None:
    """`3 to 5pm`, `from 7:00 to 8:00pm`, `between 10 and 11:30`: two times and the place after."""
    word, at = opening(run, i)
    first = clock(run, at, bare=True)
    if first is None:
        return None
    middle = joint(run, first[1], word)
    last = clock(run, middle, bare=True) if middle is not None else None
    if last is None:
        return None
    begin, end = first[0], last[0]
    after_part = run.has(i - 1, "daypart")  # Monday morning 6-8
    named = begin.half is not None or end.half is not None
    if not (word or after_part or named or begin.grain == "minute"):
        return None
    if begin.half is None and end.half is not None and not (begin.grain == "minute" and begin.sure):
        same = begin.in_half(end.half)
        begin = same if same.time < end.time else begin.in_half(0)
    return begin, end, last[1]
