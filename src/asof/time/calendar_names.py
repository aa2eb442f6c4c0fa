"""Names that recur every year, with or without a year: days, months, quarters, seasons, weeks, holidays."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import date
from functools import lru_cache
from typing import NamedTuple

from asof.time.lexicon import NO_SENSES, TokenRun, sense_set
from asof.time.numeric_dates import Lengths, attached_left, duration, numeric_date, unit_after_number
from asof.time.reading import (
    DAY,
    GRAINS,
    IN_CLOCK,
    IN_MONTHS,
    LocalInterval,
    ParseContext,
    ParsedTime,
    Rule,
    RuleMatch,
    Yearly,
    calendar_day,
    calendar_units,
    cardinal,
    day_number,
    day_of_month,
    days,
    distinct,
    first_ordinal,
    fiscal_year_number,
    grain_of,
    holiday,
    iso_week,
    month,
    months,
    nearest,
    nth_weekday,
    on_side,
    ordinal,
    parts,
    reading_in_year,
    reading_without_year,
    relative_day,
    season,
    shift_day,
    third_of,
    week_of_day,
    weeks_of,
    year_after,
    year_figures,
)

# -- names ---------------------------------------------------------------------------------------------


class Name(NamedTuple):
    """A recurring time of the year, and the place after its last item.

    `fiscal` is its place in a fiscal year that follows; `is_fiscal`: its own words say fiscal. `needs_cue`:
    see `ParsedTime`. `glue` holds the signs that may stand before the year.
    """

    grain: str
    yearly: Yearly
    after: int
    needs_cue: str = ""
    fiscal: Yearly | None = None
    is_fiscal: bool = False
    glue: str = " ,"


_FISCAL = sense_set("the fiscal fiscal_year")


def calendar_name(run: TokenRun, i: int, context: ParseContext) -> RuleMatch | None:
    """A name with the year after it or before it, or without a year."""
    year = year_figures(run, i)
    if year is not None and run[i + 1].glue in ("", " ", "-", "/"):
        at = run.after(i + 1, "the")
        name = _label(run, at, context) or _ordinal_part(run, at, context) or _reversed_day(run, i + 1)
        name = name or _month(run, at, context) or _week(run, at, context)
        if name is not None:
            return _in_year(name, year, fiscal=name.is_fiscal), name.after
    kind = run[i].kind
    fiscal = None if kind.isdisjoint(_FISCAL) else fiscal_year_number(run, i)
    if fiscal is not None and (name := _label(run, fiscal[1], context)) is not None:
        return _in_year(name, fiscal[0], fiscal=True), name.after
    name = name_at(run, i, context)
    return None if name is None else with_year(run, name, context)


def name_at(run: TokenRun, i: int, context: ParseContext) -> Name | None:
    """The longest name that begins at `i`."""
    best: Name | None = None
    for attempt in _attempts(run[i].kind):
        name = attempt(run, i, context)
        if name is not None and (best is None or name.after > best.after):
            best = name
    return best


def with_year(run: TokenRun, name: Name, context: ParseContext) -> RuleMatch:
    """A name and the year after it, if one follows."""
    i = name.after
    said = year_after(run, i, name.glue, context)
    if said is not None and name.needs_cue == "clear_cue" and run.sense(i, "ahead"):
        said = said if _capital(run, i - 1) else None  # "they may march in 2024"
    of = i - 1 if run.has(i - 1, "fiscal_year") else run.after(i, "of")  # 3QFY24
    glued = run[i].glue == "" or run.follows(i, " ,-")
    fiscal = fiscal_year_number(run, of) if name.fiscal and glued else None
    if fiscal is not None:
        return _in_year(name, fiscal[0], fiscal=True), fiscal[1]
    if said is not None:
        year, after, relative = said
        reading = _in_year(name, year, fiscal=name.is_fiscal)
        return (reading._replace(relative=True) if relative and reading.choices else reading), after
    yearly = name.fiscal if name.is_fiscal and name.fiscal else name.yearly
    reading = reading_without_year(name.grain, yearly, context, name.needs_cue, fiscal=name.is_fiscal)
    return reading, i


def _capital(run: TokenRun, i: int) -> bool:
    return run.capital(i) or run.caseless


def _in_year(name: Name, year: int, *, fiscal: bool) -> ParsedTime:
    if not fiscal or name.fiscal is None:
        return reading_in_year(name.grain, name.yearly, year)
    match = reading_in_year(name.grain, name.fiscal, year, fiscal=True)
    if not match.impossible and name.is_fiscal and (other := name.yearly(year)) != match.best:
        return match._replace(choices=(match.best, other))
    return match


def _holiday(run: TokenRun, i: int, _: ParseContext) -> Name | None:
    rule = run.sense(i, "holiday")
    return None if rule is None else Name("day", holiday(str(rule)), i + 1, needed_cue(run, i))


def month_at(run: TokenRun, i: int) -> int | None:
    """The number of the month at `i`, named in full or short."""
    number: int | None = run.sense(i, "month") or run.sense(i, "month_short")
    return number


def is_foreign_name(run: TokenRun, i: int) -> bool:
    """True if a month of another language has a capital, which only names have there: `Mars 2020`."""
    if not run.has(i, "with_year") or not run.has(i, "lower_case"):
        return False
    return run.capital(i) and not run.caseless


def needed_cue(run: TokenRun, i: int) -> str:
    """The cue that a name needs because it may be another word."""
    if run.sense(i, "with_year"):
        return "number"
    if run.sense(i, "very_wary") or (run.sense(i, "month_short") and run.sense(i, "cardinal")):
        return "clear_cue"  # "sept" is seven in French
    if run.sense(i, "month_short") or run.sense(i, "weekday_short") or run.sense(i, "wary"):
        return "cue"
    return ""


def _month(run: TokenRun, i: int, _: ParseContext) -> Name | None:
    number = month_at(run, i)
    word, gap = run.behind(i)
    if number is None or (word and not gap) or (run.sense(i, "cardinal") and unit_after_number(run, i + 1)):
        return None
    if is_foreign_name(run, i):
        return None
    return Name("month", month(number), i + 1, needed_cue(run, i), glue=" ,-/")


def _day(run: TokenRun, i: int, _: ParseContext) -> Name | None:
    """`5 March`, `the 5th of March`, `March 5`, `March the 5th`, `Mar. 5`."""
    day = day_number(run, i)
    if day is not None and not (run.sense(i, "figures") and attached_left(run, i)):
        at = day[1]
        if run.sense(at, "unit") == "day" and run.follows(at, " "):
            at += 1
        of = run.after(at, "of")
        number = month_at(run, of)
        if is_foreign_name(run, of) or (run.sense(i, "cardinal") == 1 and of == at):
            return None  # "un mars" is a bar
        if number is not None and (of > at or run[of].glue in ("", " ", "-", ".", "/", ",")):
            same = "-" if run[of].glue == "-" else "/" if run[of].glue == "/" else ""
            cue = "number" if run.sense(of, "with_year") else ""
            return Name("day", day_of_month(number, day[0]), of + 1, cue, glue=" ," + same)
    number = month_at(run, i)
    if number is None or run.has(i, "with_year"):
        return None
    at = run.after(i + 1, "the")
    glue, short = run[at].glue, run.sense(i, "month_short")
    if glue not in ("", " ", "-", "/") and not (glue == "." and (short or not run[at].wide)):
        return None
    if at == i + 1 and run.sense(at, "ordinal") == 2 and not run.has(at + 1, "unit") and glue != " ":
        return None
    if glue == "" and short:  # Oct4 is a gene
        return None
    day = day_number(run, at) or _beyond_month(run, at)
    if day is None or not _counts_days(run, day[1], exact=not run.has(at, "number") or day[1] > at + 1):
        return None
    return Name("day", day_of_month(number, day[0]), day[1], glue=" ,-/" if glue in "-/" and glue else " ,")


def _beyond_month(run: TokenRun, i: int) -> tuple[int, int] | None:
    """The number of `May 32, 2021`, which no month has as a day."""
    if run.sense(i, "figures") == 2 and run[i + 1].glue == "," and year_figures(run, i + 1):
        return run.sense(i, "number"), i + 1
    return None


def _counts_days(run: TokenRun, after: int, *, exact: bool) -> bool:
    """True if a number after a month is a day, no count (`In March 12 people`), time or longer number."""
    word, gap = run.behind(after - 1)
    if not gap:
        return not word
    if gap in (":", ".", "/") and word[:1].isdigit():
        return False
    if gap == "," and word[:1].isdigit() and len(word) == 3:
        return False
    return exact or (gap[0] != "%" and not (gap == " " and word in run.lexicon.lists["counted"]))


def _reversed_day(run: TokenRun, i: int) -> Name | None:
    """The rest of a date after its year: `2020/Sep/23`, `2019-aug-01`, `2024 March 5`."""
    glue = run[i].glue
    number = month_at(run, i)
    if number is not None and run.sense(i + 1, "figures") in (1, 2) and run[i + 1].glue == glue:
        day = run.sense(i + 1, "number")
        if 1 <= day <= 31 and _counts_days(run, i + 2, exact=False):
            return Name("day", day_of_month(number, day), i + 2)
    return None


def _season(run: TokenRun, i: int, _: ParseContext) -> Name | None:
    at = run.after(i, "the") if not run.has(i, "the") else i + 1
    start = run.sense(at, "season")
    if start is None:
        return None
    return Name("season", season(start), at + 1, needed_cue(run, at) or "cue")


_PARTS = {"quarter": 4, "half": 2}
"""How many of them a year has."""


def _label(run: TokenRun, i: int, context: ParseContext) -> Name | None:
    """`Q3`, `3Q`, `H1`, `2H`, `fiscal Q3`, and before a year `quarter 3`. There is no `Q5` in any year."""
    is_fiscal = run.has(i, "fiscal") and run.follows(i + 1, " ")
    at = i + 1 if is_fiscal else i
    for grain in _PARTS if run[at + 1].glue == "" else ():
        for letter, figure in ((at, at + 1), (at + 1, at)):
            number = run.sense(figure, "number") if run.sense(figure, "figures") == 1 else None
            if number is None or not run.has(letter, grain):
                continue
            if (1 <= number <= _PARTS[grain] or grain == "quarter") and not (
                letter > figure and run.sense(at - 1, "figures") and run[at].glue
            ):
                glue = " ,-/_" if letter > figure else " ,-/"
                hours = letter > figure and run.has(letter, "hour_sign")  # 2h
                cue = "number" if hours else "cue"
                return _part(grain, number, at + 2, is_fiscal, context, needs_cue=cue, glue=glue)
    unit, number = unit_after_number(run, at), run.sense(at + 1, "number")
    if unit not in _PARTS or run.sense(at + 1, "figures") != 1 or run[at + 1].glue not in ("", " ", "."):
        return None
    if not 1 <= number <= _PARTS[unit]:
        return None
    return _part(unit, number, at + 2, is_fiscal, context, needs_cue="number")


def _part(
    grain: str,
    number: int,
    after: int,
    is_fiscal: bool,
    context: ParseContext,
    *,
    needs_cue: str = "cue",
    glue: str = " ,-/",
) -> Name:
    """A quarter or half by its number, which may be one that no year has."""
    size = 12 // _PARTS[grain]
    fiscal = parts(size, number, context.fiscal_start)
    is_fiscal = is_fiscal or context.fiscal_start != 1
    return Name(grain, parts(size, number), after, needs_cue, fiscal, is_fiscal, glue)


def _ordinal_part(run: TokenRun, i: int, context: ParseContext) -> Name | None:
    """`the third quarter`, `first half`, `third-quarter`."""
    at = i + 1 if run.has(i, "the") else i
    match = ordinal(run, at)
    if match is None or not run.follows(match[1], " -."):
        return None
    number, unit = match[0], run.after(match[1], "fiscal")
    is_fiscal = unit > match[1]
    grain = run.sense(unit, "unit") or run.sense(unit, "unit_short")
    if grain not in _PARTS:
        return None
    said = run.has(unit + 1, "of") or year_figures(run, unit + 1) is not None
    number = _PARTS[grain] if number == -1 and said and run.follows(unit + 1) else number
    if not 1 <= number <= _PARTS[grain]:
        return None
    size = 12 // _PARTS[grain]
    fiscal = parts(size, number, context.fiscal_start)
    return Name(grain, parts(size, number), unit + 1, "cue", fiscal, is_fiscal)


def _named_part(run: TokenRun, i: int, context: ParseContext) -> Name | None:
    """A quarter or half that a word names: `上半年`."""
    for grain, sense in (("quarter", "quarter_name"), ("half", "half_name")):
        number = run.sense(i, sense)
        if number is not None:
            return _part(grain, number, i + 1, False, context)
    return None


def _week(run: TokenRun, i: int, _: ParseContext) -> Name | None:
    """`week 9`, `CW14`, `KW 9`, `第9周` of a year; a title (`Week 12` of a league) needs a cue."""
    way, glue = run.sense(i, "week"), run[i + 1].glue
    number = cardinal(run, i + 1) if way is not None and glue in ("", " ") else None
    if number is None or not 1 <= number[0] <= 53:
        return None
    if way == 0:
        signed = run.has(number[1], "week_sign")
        return Name("week", iso_week(number[0]), number[1] + 1, "number") if signed else None
    word, gap = run.behind(number[1] - 1)
    if word[:1].isdigit() and len(word) != 4 and (gap in ("-", "/", ".") or (not glue and gap == " ")):
        return None  # KW 14/15, the postcode CW1 2AB
    title = run.sense(i + 1, "figures") not in (1, 2) or (run.capital(i) and not run.caseless)
    return Name("week", iso_week(number[0]), number[1], "cue" if title and way == 1 else "", glue=" ,-/")


_NUMBER = "figures cardinal ordinal"
_NAMES: tuple[tuple[Callable[[TokenRun, int, ParseContext], Name | None], frozenset[str]], ...] = (
    (_holiday, sense_set("holiday")),
    (_day, sense_set(f"{_NUMBER} month month_short")),
    (_month, sense_set("month month_short")),
    (_season, sense_set("the season")),
    (_label, sense_set("figures quarter half fiscal unit unit_short units")),
    (_ordinal_part, sense_set(f"{_NUMBER} the")),
    (_week, sense_set("week")),
    (_named_part, sense_set("quarter_name half_name")),
)
"""The rules of names and the senses with which they begin."""


@lru_cache(maxsize=4096)
def _attempts(kind: frozenset[str]) -> tuple[Callable[[TokenRun, int, ParseContext], Name | None], ...]:
    return tuple(rule for rule, senses in _NAMES if senses & kind)


# -- days of the week and of the month: `Friday`, `Friday the 22nd`, `Sunday next week`, `the 18th` ----


def weekday_at(run: TokenRun, i: int) -> int | None:
    """The ISO number of the weekday at `i`, named in full or short."""
    number: int | None = run.sense(i, "weekday") or run.sense(i, "weekday_short")
    return number


def weekday(run: TokenRun, i: int, context: ParseContext) -> RuleMatch | None:
    """A weekday, alone or with the date, the day of the month or the week that determines it."""
    unit, _, step = str(run.sense(i, "beside") or "").partition(" ")
    if unit == "week":
        of = run.after(i + 1, "of")
        number = weekday_at(run, of) or run.sense(of, "weekday_letter")  # 上周五
        return (_in_week(number, int(step), context), of + 1) if number and run.follows(of) else None
    side = run.sense(i, "side") if run.has(i, "side") else run.sense(i, "rolling")
    if side is not None:
        after = weekday_at(run, i + 2) if run.sense(i + 1, "unit") == "week" else None
        if after and run.follows(i + 2, " -"):
            return _in_week(after, side, context), i + 3
        i += 1
        if not run.follows(i):
            return None
    number = weekday_at(run, i)
    if number is None:
        return None
    dated = _dated(run, i + 1, number, context)
    if dated is not None:
        return dated
    if side is not None:
        return _by_side(number, side, context), i + 1
    at = run.after(i + 1, "of")
    that = run.sense(at, "side") if run.sense(at + 1, "unit") == "week" and run.follows(at) else None
    if that is not None and run.follows(at + 1):
        return _in_week(number, that, context), at + 2
    if (behind := side_at(run, i + 1)) is not None:
        return _by_side(number, behind[0], context), behind[1]  # lundi prochain
    if run.has(i + 1, "shift") and run.follows(i + 1) and run[i + 2].kind & _NAMED:
        return None  # the Monday before Christmas
    choices = nearest(_weekly(number, context), context)
    return ParsedTime("day", choices, True, needs_cue=needed_cue(run, i)), i + 1


def _weekly(number: int, context: ParseContext) -> Iterator[LocalInterval]:
    if context.now is not None:
        here = week_of_day(context.now.today)[0] // DAY + number - 1
        for day in (here - 14, here - 7, here, here + 7, here + 14):
            yield days(day)


def _in_week(number: int, side: int, context: ParseContext) -> ParsedTime:
    if context.now is None:
        return ParsedTime("day", (), relative=True)
    return relative_day(week_of_day(context.now.today)[0] // DAY + 7 * side + number - 1)


def _by_side(number: int, side: int, context: ParseContext) -> ParsedTime:
    """Last Tuesday is the newest before today, or that of last week; this Tuesday is that of this week, and
    the Tuesday before last (-2) the one before the newest."""
    own = _in_week(number, side, context)
    if side == 0 or not own.choices:
        return own
    beside = on_side(_weekly(number, context), side, context)
    if abs(side) == 2:
        return ParsedTime("day", beside[1:], relative=True)
    beside = beside[:1]
    return ParsedTime("day", distinct((*beside, own.best)), relative=True)


_WITHIN = sense_set("the of")
_NAMED = sense_set("side unit month month_short weekday weekday_short season holiday")


def side_at(run: TokenRun, i: int) -> tuple[int, int] | None:
    """The side at `i`, after its noun, and the place after it: `dernier` is -1, `before last` -2."""
    if not run.follows(i):
        return None
    if (side := run.sense(i, "side_after")) is not None:
        return side, i + 1
    side = run.sense(i, "shift")
    if side is None or run.sense(i + 1, "side") != side or not run.follows(i + 1):
        return None
    return None if run.follows(i + 2) and run[i + 2].kind & _NAMED else (2 * side, i + 2)


def _dated(run: TokenRun, i: int, number: int, context: ParseContext) -> RuleMatch | None:
    """The date after a weekday; the weekday is not checked against it, because texts err."""
    glue = run[i].glue
    if glue not in (" ", ",", "-", "/", "(", " (", ".", ".,"):
        return None
    at = run.after(i, "the", " ,")
    for rule, place in ((numeric_date, i), (calendar_name, i), (calendar_name, at)):
        match = rule(run, place, context)
        if match is not None and match[0].grain == "day":
            return match[0].sure(), match[1]
    day = day_number(run, at) if at > i or ordinal(run, i) or run.sense(i, "figures") == 2 else None
    if day is None or glue not in (" ", ",") or run.behind(day[1] - 1)[1][:1] in (":", "-", "/"):
        return None
    return ParsedTime("day", nearest(_monthly(day[0], context, number), context), relative=True), day[1]


def _monthly(day: int, context: ParseContext, weekday: int) -> Iterator[LocalInterval]:
    """The days of the months around the anchor with this number that are such a weekday."""
    if context.now is not None:
        today = date.fromordinal(context.now.today)
        here = today.year * 12 + today.month - 1
        for index in range(here - 18, here + 19):
            with suppress(ValueError):
                place = calendar_day(index // 12, index % 12 + 1, day)
                if (place[0] // DAY - 1) % 7 + 1 == weekday:
                    yield place


# -- times by their length and their end or beginning: `year ended 31 March 2023` ------------------------


def stretch(run: TokenRun, i: int, context: ParseContext, period: Rule) -> RuleMatch | None:
    """A length with its last day: `year ended 31 March 2023`, `3 months to March 2024`, `w/e 12 May`.

    Of a week it may be the first day: `w/c 8 May`.
    """
    i = i + 1 if run.has(i, "the") else i
    unit, _, side = str(run.sense(i, "ends_at") or "").partition(" ")
    if unit and "one" in run.lexicon.senses.get(run.before(i)[0], NO_SENSES):
        return None  # two hours a week beginning 5 May
    counted = ([(1, unit)], i + 1, False) if unit else _length_ended(run, i)
    match = None if counted is None else period(run, run.after(counted[1], "the"), context)
    if counted is None or match is None or not run.follows(counted[1]):
        return None
    (lengths, at, dated), (end, after), way = counted, match, int(side or -1)
    unit, cue = grain_of(lengths[-1][1]), end.needs_cue
    if (dated and end.year is None) or cue == "number" or (cue and not run.capital(at)):
        return None
    if unit in IN_CLOCK or end.zone is not None or GRAINS.index(end.grain) > GRAINS.index(unit):
        return None

    def place(known: LocalInterval) -> LocalInterval:
        here = there = known[0 if way > 0 else 1] // DAY
        for count, each in lengths:
            there = shift_day(there, each, way * count)
        return days(min(here, there), max(here, there))

    return _placed(end, place, unit), after


def _length_ended(run: TokenRun, i: int) -> tuple[Lengths, int, bool] | None:
    """A length, the place after the word for its end, and whether that end has to name its year."""
    counted = duration(run, i)
    if counted is None:
        which = ordinal(run, i)
        at = run.after(which[1] if which else i, "fiscal")
        years = run.has(at, "fiscal_year") or run.sense(at, "units") == "year"
        unit = "year" if years else run.sense(at, "unit")
        counted = ([(1, unit)], at + 1) if unit not in (None, "day") else None
    way = None if counted is None else run.sense(counted[1], "ending")
    if counted is None or way is None or not run.follows(counted[1], " -"):
        return None
    word = run.before(i)[0]
    if way == 2 and word and run.lexicon.senses.get(word, NO_SENSES).kind.isdisjoint(_WITHIN):
        return None  # every year to 2030, add 7 days to 5 May 2024
    return counted[0], counted[1] + 1, way == 2


# -- parts: `early 2024`, `end of May`, `first Friday of March`, `last 3 weeks of 2019` ----------------


def part_of(run: TokenRun, i: int, context: ParseContext, point: Rule) -> RuleMatch | None:
    """`early`, `mid` or `late` with a time: a third of it."""
    which = run.sense(i, "part")
    if which is None or not run.follows(i + 1, " -"):
        return None
    at = run.after(i + 1, "the") if not run.has(i + 1, "the") else i + 2
    match = point(run, i + 1, context) or (point(run, at, context) if at > i + 1 else None)
    if match is None and context.now is not None and at > i + 1:
        unit = run.sense(at, "unit")  # "the end of the year"
        if unit in IN_MONTHS or unit == "week":
            match = ParsedTime(unit, (calendar_units(context.now.today, unit),), relative=True), at + 1
    if match is None:
        return None
    part = third_of(match[0], which)
    return None if part is None else (part, match[1])


def nth_of(run: TokenRun, i: int, context: ParseContext, period: Rule) -> RuleMatch | None:
    """An ordinal with a unit or weekday of a time: `the third week of 2027`, `first 2 weeks of 2021`.

    Also `the week of March 4`.
    """
    at = i + 1 if run.has(i, "the") else i
    if run.sense(at, "unit") == "week":
        return _week_with(run, at, context, period)
    match = ordinal(run, at)
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
        return None
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
            return days(nth_weekday(weekday, number, interval))
        return nth(unit or "day", number, size, interval)

    return _placed(reading, place, "day" if weekday is not None else unit or "day"), after


def _placed(reading: ParsedTime, place: Callable[[LocalInterval], LocalInterval], grain: str) -> ParsedTime:
    if reading.choices:
        return reading.mapped(place, grain)
    yearly = reading.yearly
    placed = None if yearly is None else lambda year: place(yearly(year))
    return ParsedTime(grain, (), True, yearly=placed)


def _period(run: TokenRun, i: int, context: ParseContext, period: Rule) -> RuleMatch | None:
    """The longer time of a part; `the year` and `the month` are those of the anchor."""
    i = i + 1 if run.has(i, "the") else i
    match = period(run, i, context)
    if match is not None:
        known = bool(match[0].choices or match[0].yearly) and match[0].grain in (*IN_MONTHS, "season")
        return match if known else None
    if run.sense(i, "unit") == "year" and run.has(i - 1, "the"):
        return reading_without_year("year", months, context), i + 1
    return None


def _week_with(run: TokenRun, i: int, context: ParseContext, period: Rule) -> RuleMatch | None:
    """`week of March 4`: the week that holds the day."""
    at = i + 1
    if not run.has(at, "of"):
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
        begin = end - count * DAY if number < 0 else start + (number - 1) * DAY
        if not start <= begin < begin + count * DAY <= end:
            raise ValueError(f"no such day in {unit}")
        return begin, begin + count * DAY
    first, last = date.fromordinal(start // DAY), date.fromordinal(end // DAY - 1)
    whole = (last.year - first.year) * 12 + last.month - first.month + 1
    if unit == "half" and whole != 12:
        days_there = start // DAY + end // DAY
        middle = days_there // 2 if whole < 2 else first_ordinal(first.year, first.month + whole // 2)
        return (start, middle * DAY) if number == 1 else (middle * DAY, end)
    size = IN_MONTHS.get(unit, 0) * count
    if not 0 < size < whole:
        raise ValueError(f"no {unit} in that time")
    offset = whole - size if number < 0 else (number - 1) * IN_MONTHS[unit]
    if offset + size > whole:
        raise ValueError(f"no {unit} number {number} in that time")
    return months(first.year, first.month + offset, size)
