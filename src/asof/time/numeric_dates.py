"""Dates in figures (`2024-03-05`, `3/5/2024`, `20240305`), durations, years, decades and centuries, times of
day (`3pm`, `8.30 p.m.`, `14:30 UTC`, `T14:30:07.25+01:00`, `noon`, `four o'clock`, `14 Uhr`)."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC

from asof.lang import set_of
from asof.time.lexicon import EARLIEST, LATEST, TokenRun, is_unspaced, two_figures
from asof.time.reading import (
    DAY,
    IN_CLOCK,
    MINUTE,
    SECOND,
    ParseContext,
    ParsedTime,
    RuleMatch,
    amount,
    below_hundred,
    calendar_day,
    day_of_month,
    distinct,
    month,
    months,
    ordinal,
    reading_in_year,
    reading_without_year,
    relative_day,
    shift_day,
    short_year,
    year_figures,
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
        if not _month_first(run, sign, context):
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
    if run.before(i)[0].casefold() in set_of("acts", "provision"):
        return None  # "Resolution 2024-06" is a number
    if year_figures(run, i) and 1 <= b <= 12 and sizes[1] <= 2:
        return ParsedTime("month", (months(a, b, 1),), needs_cue=needs_cue, year=a), i + 2
    if year_figures(run, i + 1) and 1 <= a <= 12 and sizes[0] <= 2:
        return reading_in_year("month", month(a), b)._replace(needs_cue=needs_cue), i + 2
    if max(sizes) > 2 or run.has(i + 2, "meridiem") or run.has(i + 2, "clock"):
        return None
    word, gap = run.behind(i + 1)
    if gap == " " and word in run.lexicon.lists["counted"]:
        return None
    dotted = sign == "." and _dotted(run, i)
    if sign == "." and not dotted and run.places[i] and run.before(i)[0] not in run.lexicon.known:
        return None  # a number: no word before it can make it a day
    first, second = (a, b) if _month_first(run, sign, context) else (b, a)
    if first > 12:
        first, second = second, first
    if not (1 <= first <= 12 and 1 <= second <= LONGEST_MONTHS[first - 1]):
        return None
    yearly = day_of_month(first, second)
    if run[i + 2].glue == "," and (year := year_figures(run, i + 2)) and sign == "/":
        return reading_in_year("day", yearly, year), i + 3
    needs_cue = "date_cue" if sign != "." else "" if dotted else "dot_cue"
    return reading_without_year("day", yearly, context, needs_cue=needs_cue), i + 2


def _month_first(run: TokenRun, sign: str, context: ParseContext) -> bool:
    """True if the month comes first: never with full stops, with `/` as in other dates of the text."""
    told = run.window.text.written & {"day", "month"} if sign == "/" else ()
    return "month" in told if len(told) == 1 else context.month_first and sign != "."


def _dotted(run: TokenRun, i: int) -> bool:
    """True if `5.3.` is a day, since the text has dates as 05.03.2024: no number at the end of a sentence."""
    (word, gap), text = run.behind(i + 1), run.window.text
    if len(gap) < 2 or gap[0] != "." or not word or "." not in text.written or _named(run, i):
        return False
    return not text.text[run.window.starts[run.places[i + 2]]].isupper()


# -- durations: `three weeks ago`, `in 2 days` ---------------------------------------------------------

Lengths = list[tuple[int, str]]
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
        if (
            unit in (None, "half")
            or glue not in (" ", "-", "")
            or (not glue and not run.has(after - 1, "number"))
        ):
            break
        after += 1
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
    return at + sign * sum(count * IN_CLOCK[unit] for count, unit in lengths if unit in IN_CLOCK)


def shift_anchor(lengths: Lengths, context: ParseContext, sign: int) -> ParsedTime:
    """The day, or within a day the minute, at a distance from the anchor. Raises ValueError without one."""
    if context.now is None:
        raise ValueError("no day to count from")
    units = [unit for _, unit in lengths if unit in IN_CLOCK]
    if units:
        grain, size = ("second", SECOND) if "second" in units else ("minute", MINUTE)
        at = shift_instant(context.now.utc, lengths, sign) // size * size
        return ParsedTime(grain, ((at, at + size),), relative=True, zone=UTC)
    return relative_day(shift_instant(context.now.today * DAY, lengths, sign) // DAY)


def distance(run: TokenRun, i: int, context: ParseContext) -> RuleMatch | None:
    """A distance from the anchor, or from the time that follows it; the German `vor drei Wochen` as well."""
    day = run.sense(i, "day") if run.has(i + 1, "ago_before") else None  # heute vor einem Jahr
    i += day is not None
    before, ahead = run.sense(i, "ago_before"), run.has(i, "ahead")
    lengths = duration(run, i if before is None and not ahead else i + 1)
    if lengths is None:
        return None
    parts, after = lengths
    if before is not None:
        return shift_anchor(_from_day(parts, before, day), context, before), after
    if ahead:
        return (shift_anchor(parts, context, 1), after) if _is_ahead(run, i, after) else None
    sign = run.sense(after, "ago") if run.follows(after) else None
    if sign is None:
        return None
    day = run.sense(after + 1, "day") if run.follows(after + 1) else None  # a year ago today
    from_day = _from_day(parts, sign, day)
    return shift_anchor(from_day, context, sign), after + (1 if from_day is parts else 2)


def _from_day(lengths: Lengths, sign: int, day: int | None) -> Lengths:
    """The distance from the anchor, of one that counts from a day beside it; a clock's from the anchor."""
    if day is None or any(unit in IN_CLOCK for _, unit in lengths):
        return lengths
    return [*lengths, (sign * day, "day")]


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


# -- years, decades, centuries: `2019`, `the year 2000`, `1990s`, `19th century` -----------------------

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
    number = short_year(run, i)
    return None if number is None or attached_right(run, i) else (_year(number, "cue"), i + 1)


def _labelled_year(run: TokenRun, i: int) -> RuleMatch | None:
    """`2000` after `the year`."""
    number = year_figures(run, i) if run.follows(i) or not run[i].glue else None
    if run.sense(i, "figures") == 2 and run[i].glue == "":
        number = two_figures(run.sense(i, "number"))
    return None if number is None or attached_right(run, i) else (_year(number), i + 1)


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
    """A decade: `1990s`, `the '90s`, `the 1990's`, `the nineties`, `1990er`."""
    if run.has(i, "decade_label"):
        return _labelled(run, run.after(run.after(i + 1, "of"), "the"))
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


# -- the ends of a range, and halves of a day ----------------------------------------------------------


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
