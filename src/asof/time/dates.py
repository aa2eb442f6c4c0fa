"""Dates and longer times, alone or inside each other: `March 2021`, `early 2024`, `last year`.

Which rules are tried depends on the senses of the first item and of the one after it; the one that reads
farthest wins.
"""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC
from functools import lru_cache
from typing import NamedTuple

from asof.time.calendar_names import Name, calendar_name, name_at, nth_of, part_of, side_at, stretch, weekday
from asof.time.lexicon import EARLIEST, LATEST, TokenRun
from asof.time.numeric_dates import (
    Lengths,
    century,
    decade,
    distance,
    duration,
    numeric_date,
    shift_anchor,
    shift_instant,
    unit_after_number,
    year,
)
from asof.time.reading import (
    DAY,
    HOUR,
    IN_CLOCK,
    IN_MONTHS,
    Anchor,
    LocalInterval,
    ParseContext,
    ParsedTime,
    Rule,
    RuleMatch,
    below_hundred,
    calendar_units,
    cardinal,
    day_of_month,
    distinct,
    fiscal_years,
    grain_of,
    intervals_around,
    month,
    months,
    on_side,
    parts,
    reading_in_year,
    reading_without_year,
    relative_day,
    shift_day,
    third_of,
    week_label,
)

# -- Chinese, Japanese and Korean dates: `2021年3月15日`, `令和3年`, `去年3月` ------------------


class _Year(NamedTuple):
    """A year, the place after its sign, whether it needed the anchor."""

    number: int
    after: int
    relative: bool = False


def cjk_date(run: TokenRun, i: int, context: ParseContext) -> RuleMatch | None:
    """A year, month or day with its sign, and what follows of the same date."""
    year = _year(run, i, context)
    if year is None:
        name = _month_and_day(run, i)
        if name is None:
            return _day_alone(run, i)
        return _with_part(run, reading_without_year(name.grain, name.yearly, context), name.after)
    at = run.after(year.after, "of")
    name = _month_and_day(run, at) or name_at(run, at, context) or Name("year", months, year.after)
    reading, after = _with_part(run, reading_in_year(name.grain, name.yearly, year.number), name.after)
    if not year.relative:
        return reading, after
    return (reading._replace(relative=True), after) if after > year.after else None


def _year(run: TokenRun, i: int, context: ParseContext) -> _Year | None:
    """`2021年`, `令和3年`, `去年`."""
    unit, _, side = str(run.sense(i, "beside") or "").partition(" ")
    if unit == "year" and context.now:
        return _Year(context.now.year + int(side), i + 1, relative=True)
    era = run.sense(i, "era")
    counted = (run.sense(i, "year_figures"), i + 1) if era is None else _number(run, i + 1, 3)
    if counted is None or counted[0] is None or not run.has(counted[1], "year_sign"):
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
    if found is None or not 1 <= found[0] <= 12 or not run.has(found[1], "month_sign"):
        return None
    day = _day(run, found[1] + 1)
    if day is None:
        return Name("month", month(found[0]), found[1] + 1)
    return Name("day", day_of_month(found[0], day[0]), day[1])


def _day(run: TokenRun, i: int) -> tuple[int, int] | None:
    found = _number(run, i)
    if found is None or not 1 <= found[0] <= 31 or not run.has(found[1], "day_sign"):
        return None
    return found[0], found[1] + 1


def _day_alone(run: TokenRun, i: int) -> RuleMatch | None:
    """A day without its month, which only the other end of a range names."""
    day = _day(run, i)
    return None if day is None else (ParsedTime("day", (), True, needs_cue="number", number=day[0]), day[1])


def _with_part(run: TokenRun, reading: ParsedTime, after: int) -> RuleMatch:
    """A reading, or the third of it that a word after it names: `2021年初`, `今年年底`, `3月中旬`."""
    at = after
    if run.has(at + 1, "part_after") and run.sense(at, "year_sign" if reading.grain == "year" else "of"):
        at += 1
    which = run.sense(at, "part_after")
    part = None if which is None else third_of(reading, which)
    return (reading, after) if part is None else (part, at + 1)


# -- relative times with the side after the word or in it: `le mois dernier`, `l'exercice en cours` ----


def side_after(run: TokenRun, i: int, context: ParseContext) -> RuleMatch | None:
    """A side (last, next, this) after its noun: `le mois dernier`, `marzo pasado`, `l'exercice en cours`."""
    if context.now is None:
        return None
    unit, fiscal = run.sense(i, "unit"), run.has(i, "fiscal_year")
    if unit is None and not fiscal:
        name = name_at(run, i, context)
        behind = None if name is None or name.grain == "week" else side_at(run, name.after)
        if name is None or behind is None:
            return None
        return name_on_side(name, behind[0], context, context.now), behind[1]
    at = i + 2 if run.has(i + 1, "fiscal") and run.follows(i + 1) else i + 1
    behind = side_at(run, at)
    if behind is None:
        return None
    side, after = behind
    if fiscal or at > i + 1:
        reading = fiscal_on_side("year" if fiscal else unit, side, context, context.now)
    else:
        reading = unit_on_side(unit, side, context.now)
    return None if reading is None else (reading, after)


def beside(run: TokenRun, i: int, context: ParseContext) -> RuleMatch | None:
    """A unit and its side in one word: `去年`."""
    unit, _, side = str(run.sense(i, "beside") or "").partition(" ")
    reading = unit_on_side(unit, int(side), context.now) if unit and context.now else None
    return None if reading is None else (reading, i + 1)


def unit_on_side(unit: str, side: int, now: Anchor, rolling: bool = False) -> ParsedTime | None:
    """The calendar's unit on a side of the anchor; `rolling`: as long before it ends there."""
    if unit == "day":
        return None
    if unit in IN_CLOCK:
        size = IN_CLOCK[unit]
        begin = now.utc // size * size if side == 0 else now.utc - size if side < 0 else now.utc
        return ParsedTime(unit, ((begin, begin + size),), True, zone=UTC)
    calendar, grain = calendar_units(now.today, unit, side), grain_of(unit)
    if rolling and unit != "weekend":
        first = shift_day(now.today, unit, side)
        return ParsedTime(grain, distinct([(first * DAY, now.at), calendar]), relative=True)
    return ParsedTime(grain, (calendar,), relative=True)


def name_on_side(name: Name, side: int, context: ParseContext, now: Anchor) -> ParsedTime:
    """A month, season or holiday on a side of the anchor, and other readings of it."""
    chosen = on_side(intervals_around(name.yearly, now.year), side, context)
    if abs(side) == 2:
        return ParsedTime(name.grain, chosen[1:], relative=True)  # the March before last
    other: tuple[LocalInterval, ...] = ()
    with suppress(ValueError):  # not every year has a 29 February
        other = (name.yearly(now.year + side),)
    choices = (*other, *chosen) if side == 0 else (*chosen[:1], *other, *chosen[1:])
    return ParsedTime(name.grain, distinct(choices), relative=True)


def fiscal_on_side(unit: str | None, side: int, context: ParseContext, now: Anchor) -> ParsedTime | None:
    """The fiscal year or quarter on a side of the anchor."""
    if unit not in ("year", "quarter"):
        return None
    size = IN_MONTHS[unit]
    parted = [parts(size, number, context.fiscal_start) for number in range(1, 12 // size + 1)]
    intervals = sorted(place for each in parted for place in intervals_around(each, now.year))
    here = next((n for n, place in enumerate(intervals) if place[0] <= now.at < place[1]), 0)
    if here == 0 or not 0 <= here + side < len(intervals):  # at the ends of the calendar
        return None
    return ParsedTime(unit, (intervals[here + side],), relative=True, fiscal=True)


# -- relative times: `yesterday`, `last year`, `the past 5 years`, `earlier this month` ----------------

_WHOLE = frozenset(("quarter", "half"))  # counted in whole ones: "the past two quarters"


def relative_time(run: TokenRun, i: int, context: ParseContext) -> RuleMatch | None:
    """A relative time that begins at `i`; nothing without an anchor."""
    if context.now is None:
        return None
    return (
        _relative_day(run, i, context.now)
        or _sided(run, i, context, context.now)
        or _counted_side(run, i, context)
        or _so_far(run, i, context.now)
    )


def _relative_day(run: TokenRun, i: int, now: Anchor) -> RuleMatch | None:
    if run.has(i, "the") and run.sense(i + 1, "day") in (-2, 2):
        i += 1
    steps = run.sense(i, "day")
    if steps is not None and not run.sense(i, "very_wary"):
        return relative_day(now.today + steps), i + 1
    night = run.sense(i, "day_night")
    return None if night is None else (_hours(now.today + night, 20, 24), i + 1)


def _hours(day: int, first: int, after: int) -> ParsedTime:
    """Some hours of a day."""
    return ParsedTime("hour", ((day * DAY + first * HOUR, day * DAY + after * HOUR),), relative=True)


def _sided(run: TokenRun, i: int, context: ParseContext, now: Anchor) -> RuleMatch | None:
    """`last week`, `this quarter`, `next 3 days`, `past year`, `next March`, `last fiscal year`."""
    if run.has(i, "the") and _long_unit(run, i + 2):
        i += 1
    side, rolling = run.sense(i, "side"), run.sense(i, "rolling")
    if side is None:
        side = rolling
    if side is None or not run.follows(i + 1, " -"):
        return None
    if run.sense(i + 1, "fiscal") or run.sense(i + 1, "fiscal_year"):
        at = i + 3 if run.sense(i + 1, "fiscal") else i + 2
        unit = "year" if run.sense(i + 1, "fiscal_year") else run.sense(i + 2, "unit")
        reading = fiscal_on_side(unit, side, context, now)
        return None if reading is None else (reading, at)
    unit = run.sense(i + 1, "unit")
    if unit is not None:
        reading = None if _of_follows(run, i + 2) else unit_on_side(unit, side, now, rolling is not None)
        return None if reading is None else (reading, i + 2)
    if side in (-1, 1) and (match := _window(run, i + 1, side, context)) is not None:
        return match
    part = run.sense(i + 1, "daypart")
    if part is not None:
        return _hours(now.today + side, *map(int, str(part).split())), i + 2
    name = name_at(run, i + 1, context)
    if name is None or name.grain == "week" or not _meant(run, i, side):
        return None
    return name_on_side(name, side, context, now), name.after


def _long_unit(run: TokenRun, i: int) -> bool:
    """True if decades or centuries are at `i`, or after a number: they take their article with them."""
    return any(unit_after_number(run, j) in ("decade", "century") for j in (i, i + 1))


def _meant(run: TokenRun, i: int, side: int) -> bool:
    """True if a word that mostly is another one is a name here: `this may` is not."""
    if run.has(i + 1, "with_year"):
        return False
    return not run.has(i + 1, "very_wary") or run.capital(i + 1) or (run.caseless and side != 0)


def _of_follows(run: TokenRun, i: int) -> bool:
    """True if `last week` continues as `of March`, so that it is the last of its weeks."""
    return (run[i].word == "of" or (run.has(i, "of") and run.sense(i - 2, "side") == -2)) and run.follows(i)


def _window(run: TokenRun, i: int, side: int, context: ParseContext) -> RuleMatch | None:
    """`(last) 30 days`, `(next) two weeks`, `(past) few months`: ends or begins at the anchor."""
    lengths = duration(run, i)
    if lengths is not None and len(lengths[0]) > 1 and run.has(lengths[1], "ago"):
        lengths = duration(run, i, most=1)  # "the last 3 months and 2 days ago"
    if lengths is None or (run.has(i, "one") and not run.has(i + 1, "vague")):
        return None
    reading = _window_of(lengths[0], side, context)
    return None if reading is None or _of_follows(run, lengths[1]) else (reading, lengths[1])


def _window_of(lengths: Lengths, side: int, context: ParseContext) -> ParsedTime | None:
    now, (count, unit) = context.now, lengths[0]
    if now is None or count < 1:
        return None
    if len(lengths) == 1 and (unit in _WHOLE or (unit == "decade" and side > 0)):
        steps = -count if side < 0 else 1
        return ParsedTime(unit, (calendar_units(now.today, unit, steps, count),), relative=True)
    far, grain = shift_anchor(lengths, context, side), grain_of(lengths[-1][1])
    if far.zone is not None:
        there = shift_instant(now.utc, lengths, side)
        return ParsedTime(grain, ((min(there, now.utc), max(there, now.utc)),), True, zone=UTC)
    if side > 0:
        return ParsedTime(grain, (((now.today + 1) * DAY, far.best[1]),), relative=True)
    return ParsedTime(grain, ((far.best[0], now.at),), relative=True) if far.best[0] < now.at else None


def _counted_side(run: TokenRun, i: int, context: ParseContext) -> RuleMatch | None:
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


def _so_far(run: TokenRun, i: int, now: Anchor) -> RuleMatch | None:
    """`earlier this year`, `later today`, `year to date`, `EOY`."""
    if (unit := run.sense(i, "to_date")) is not None:
        whole = calendar_units(now.today, unit)
        return (ParsedTime(unit, ((whole[0], now.at),), relative=True), i + 1) if whole[0] < now.at else None
    if (unit := run.sense(i, "end_of_unit")) is not None:
        whole = calendar_units(now.today, unit)
        return ParsedTime("day", ((whole[1] - DAY, whole[1]),), relative=True, which=2), i + 1
    way, j = run.sense(i, "so_far"), i + 1
    if way is None or not run.follows(j):
        return None
    unit = "day" if run.sense(j, "day") == 0 else None
    if run.sense(j, "side") == 0:
        unit, j = run.sense(j + 1, "unit"), j + 1
    if unit is None or unit in IN_CLOCK:
        return None
    first, after = calendar_units(now.today, unit)
    first, after = (first, now.at) if way < 0 else (now.at, after)
    if first >= after:
        return None
    return ParsedTime(grain_of(unit), ((first, after),), relative=True), j + 1


# -- the table of rules --------------------------------------------------------------------------------

MOST_NEEDED = 4
"""The most items that a rule may need at least."""


class _Row(NamedTuple):
    """A rule, the senses of the item at which it may begin, those that the next one must have (None: any,
    or no next item), the items that it needs, and the signs between both (none: any)."""

    rule: Rule
    begins: frozenset[str]
    follows: frozenset[str] | None = None
    least: int = 1
    signs: str = ""


def _row(rule: Rule, begins: str, follows: str = "", least: int = 1, signs: str = "") -> _Row:
    return _Row(rule, frozenset(begins.split()), frozenset(follows.split()) or None, least, signs)


_UNIT = "unit units unit_short and_half"
_AMOUNT = "cardinal one vague"
_AFTER_ONE = f"{_UNIT} vague"
_ORDINAL = "ordinal_suffix unit to and"  # before the last three, figures and a full stop are one: 1. Quartal
_RULES = (
    _row(numeric_date, "long_figures"),
    _row(numeric_date, "figures", "figures", signs="-/."),
    _row(calendar_name, "month month_short season holiday quarter half fiscal fiscal_year week"),
    _row(calendar_name, "unit unit_short", "figures", least=3),
    _row(calendar_name, "cardinal ordinal", "cardinal ordinal unit fiscal of month month_short"),
    _row(calendar_name, "figures", "ordinal_suffix unit of month month_short quarter half"),
    _row(
        calendar_name,
        "year_figures",
        "the fiscal quarter half week figures cardinal ordinal month month_short decade_suffix",
    ),
    _row(calendar_name, "the", "season figures cardinal ordinal fiscal fiscal_year"),
    _row(week_label, "year_figures", "week_label", least=3),
    _row(fiscal_years, "fiscal fiscal_year", least=2),
    _row(decade, "decade"),
    _row(decade, "figures", "decade_suffix"),
    _row(decade, "the", "figures decade"),
    _row(decade, "decade_label", "figures cardinal the of"),
    _row(century, "figures", "ordinal_suffix unit century_sign"),
    _row(century, "cardinal", "ordinal"),
    _row(century, "ordinal", "unit"),
    _row(century, "unit", "roman cardinal figures"),
    _row(century, "the", "figures cardinal ordinal"),
    _row(year, "year_figures short_year"),
    _row(year, "calendar_year unit", least=2),
    _row(relative_time, "day day_night side rolling to_date end_of_unit so_far"),
    _row(cjk_date, "figures cardinal", "year_sign month_sign day_sign cardinal", least=2),
    _row(cjk_date, "era beside", least=2),
    _row(calendar_name, "quarter_name half_name"),
    _row(beside, "beside"),
    _row(side_after, "unit fiscal_year", "side_after fiscal shift"),
    _row(side_after, "month month_short season holiday", "side_after shift"),
    _row(relative_time, "the", "day side rolling"),
    _row(relative_time, "figures", "side rolling", least=3),
    _row(relative_time, "cardinal", least=3),
    _row(weekday, "side rolling weekday weekday_short"),
    _row(weekday, "beside", "weekday weekday_short weekday_letter of"),
)
"""The rules of times that hold no other time."""


def _longest(run: TokenRun, i: int, context: ParseContext, name: str) -> RuleMatch | None:
    """The match of the rule of a table that reads farthest at `i`, cached under a name."""
    if not 0 <= i < run.size:
        return None
    known = run.memo.get((name, i), False)
    if known is not False:
        return known  # type: ignore[no-any-return]
    best: RuleMatch | None = None
    for rule in rules_at(run, i, name):
        try:
            match = rule(run, i, context)
        except (ValueError, OverflowError):  # 30 February, or outside the years 1 to 9999
            continue
        if match is not None and (best is None or match[1] > best[1]):
            best = match
    run.memo[name, i] = best
    return best


def rules_at(run: TokenRun, i: int, name: str = "day") -> tuple[Rule, ...]:
    """The rules of a table that can read a time at `i`, as far as its item and the next one show."""
    following = run[i + 1]
    return _able(name, run.items[i].kind, following.kind, following.glue, min(run.size - i, MOST_NEEDED))


@lru_cache(maxsize=16384)
def _able(
    name: str, kind: frozenset[str], following: frozenset[str], glue: str, items: int
) -> tuple[Rule, ...]:
    able = (
        row.rule
        for row in _TABLES[name]
        if row.least <= items
        and row.begins & kind
        and (row.follows is None or row.follows & following)
        and (not row.signs or (glue and glue in row.signs))
    )
    return tuple(dict.fromkeys(able))


def simple(run: TokenRun, i: int, context: ParseContext) -> RuleMatch | None:
    """The longest time at `i` that holds no other time."""
    return _longest(run, i, context, "simple")


def _part(run: TokenRun, i: int, context: ParseContext) -> RuleMatch | None:
    return part_of(run, i, context, _period)


def _period(run: TokenRun, i: int, context: ParseContext) -> RuleMatch | None:
    return _longest(run, i, context, "period")


def _stretch(run: TokenRun, i: int, context: ParseContext) -> RuleMatch | None:
    return stretch(run, i, context, lambda *at: _period(*at) or _part(*at))


def _nth(run: TokenRun, i: int, context: ParseContext) -> RuleMatch | None:
    return nth_of(run, i, context, simple)


def day_point(run: TokenRun, i: int, context: ParseContext) -> RuleMatch | None:
    """The longest time at `i` without a time of day."""
    return _longest(run, i, context, "day")


_NTH = (
    _row(_nth, "the", "unit figures cardinal ordinal", least=3),
    _row(_nth, "figures", _ORDINAL, least=3),
    _row(_nth, "cardinal", "ordinal", least=3),
    _row(_nth, "ordinal", least=3),
    _row(_nth, "unit", "of", least=3),
)
_TABLES: dict[str, tuple[_Row, ...]] = {
    "simple": _RULES,
    "period": (*_RULES, *_NTH),
    "day": (
        *_RULES,
        _row(distance, "figures", _UNIT, least=3),
        _row(distance, "ago_before cardinal", least=3),
        _row(distance, "one vague", _AFTER_ONE, least=3),
        _row(distance, "ahead", f"figures {_AMOUNT}", least=3),
        _row(distance, "day", "ago_before", least=4),
        _row(_stretch, "ends_at", least=2),
        _row(_stretch, "unit units fiscal_year", "ending", least=3),
        _row(_stretch, "figures cardinal ordinal fiscal", f"{_UNIT} ordinal_suffix fiscal", least=4),
        _row(_stretch, "the", "ordinal", least=4),
        *_NTH,
        _row(_part, "part", least=2),
    ),
}


DATE_BEGINNINGS = frozenset(sense for table in _TABLES.values() for row in table for sense in row.begins)
"""The senses of items at which some rule may begin."""
