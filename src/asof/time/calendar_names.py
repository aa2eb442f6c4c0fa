"""Names that lie in every year, with or without one: days, months, quarters, seasons, weeks, holidays."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

from asof.time.durations import unit_after_number
from asof.time.numerals import (
    cardinal,
    day_number,
    ordinal,
    year_figures,
    year_words,
)
from asof.time.numeric_dates import attached_left
from asof.time.reading import (
    ReadingContext,
    RuleMatch,
    TimeReading,
    Yearly,
    reading_in_year,
    reading_without_year,
)
from asof.time.token_run import TokenRun
from asof.time.yearly import day_of_month, holiday, iso_week, month, parts, season
from asof.time.years import fiscal_year_number, possessive_year, year_after


class Name(NamedTuple):
    """Something that lies in every year, and the place after its last item.

    `fiscal` is where it lies when the year that follows is a fiscal one; `is_fiscal` when it said so itself.
    `needs_cue`: see `TimeReading`. `glue` holds the signs that may stand before the year.
    """

    grain: str
    yearly: Yearly
    after: int
    needs_cue: str = ""
    fiscal: Yearly | None = None
    is_fiscal: bool = False
    glue: str = " ,"


_FISCAL = frozenset(("the", "fiscal", "fiscal_year"))
_POSSESSIVE = frozenset(("side", "year_figures"))


def calendar_name(run: TokenRun, i: int, context: ReadingContext) -> RuleMatch | None:
    """A name with the year that stands after it, or before it, or with no year."""
    year = year_figures(run, i)
    if year is not None and run[i + 1].glue in ("", " ", "-", "/"):
        at = run.after(i + 1, "the")
        name = _label(run, at, context) or _ordinal_part(run, at, context) or _reversed_day(run, i + 1)
        name = name or _month(run, at, context)
        if name is not None:
            return _in_year(name, year, fiscal=name.is_fiscal), name.after
    kind = run[i].kind
    fiscal = None if kind.isdisjoint(_FISCAL) else fiscal_year_number(run, i)
    if fiscal is not None and (name := _label(run, fiscal[1], context)) is not None:
        return _in_year(name, fiscal[0], fiscal=True), name.after
    possessive = None if kind.isdisjoint(_POSSESSIVE) else possessive_year(run, i, context)
    if possessive is not None and (name := name_at(run, possessive[1], context)) is not None:
        return _in_year(name, possessive[0], fiscal=name.is_fiscal)._replace(
            relative=possessive[2]
        ), name.after
    name = name_at(run, i, context)
    return None if name is None else with_year(run, name, context)


def name_at(run: TokenRun, i: int, context: ReadingContext) -> Name | None:
    """The longest name that begins at `i`."""
    best: Name | None = None
    for attempt in _attempts(run[i].kind):
        name = attempt(run, i, context)
        if name is not None and (best is None or name.after > best.after):
            best = name
    return best


def with_year(run: TokenRun, name: Name, context: ReadingContext) -> RuleMatch:
    """A name and the year after it, if one follows."""
    i = name.after
    said = year_after(run, i, name.glue, context)
    if (
        said is not None
        and name.needs_cue == "clear_cue"
        and run.sense(i, "ahead")
        and not _capital(run, i - 1)
    ):
        said = None  # "they may march in 2024"
    fiscal = fiscal_year_number(run, run.after(i, "of")) if name.fiscal and run.follows(i, " ,-") else None
    if fiscal is not None:
        return _in_year(name, fiscal[0], fiscal=True), fiscal[1]
    if said is not None:
        year, after, relative = said
        reading = _in_year(name, year, fiscal=name.is_fiscal)
        return (reading._replace(relative=True) if relative and reading.choices else reading), after
    yearly = name.fiscal if name.is_fiscal and name.fiscal else name.yearly
    return reading_without_year(
        name.grain, yearly, context, needs_cue=name.needs_cue, fiscal=name.is_fiscal
    ), i


def _capital(run: TokenRun, i: int) -> bool:
    return run.capital(i) or run.caseless


def _in_year(name: Name, year: int, *, fiscal: bool) -> TimeReading:
    if fiscal and name.fiscal is not None:
        match = reading_in_year(name.grain, name.fiscal, year, fiscal=True)
        if match.impossible:
            return match
        other = name.yearly(year)
        return (
            match._replace(choices=(match.best, other)) if name.is_fiscal and other != match.best else match
        )
    return reading_in_year(name.grain, name.yearly, year)


def _holiday(run: TokenRun, i: int, _: ReadingContext) -> Name | None:
    rule = run.sense(i, "holiday")
    return None if rule is None else Name("day", holiday(str(rule)), i + 1, needed_cue(run, i))


def month_at(run: TokenRun, i: int) -> int | None:
    """The number of the month at `i`, named in full or short."""
    number: int | None = run.sense(i, "month") or run.sense(i, "month_short")
    return number


def is_foreign_name(run: TokenRun, i: int) -> bool:
    """Whether a month of another language has the capital that there only names have: `Mars 2020`."""
    if run.sense(i, "with_year") is None or run.sense(i, "lower_case") is None:
        return False
    return run.capital(i) and not run.caseless


def needed_cue(run: TokenRun, i: int) -> str:
    """Which cue a name needs because it may be another word."""
    if run.sense(i, "with_year"):
        return "number"
    if run.sense(i, "very_wary") or (run.sense(i, "month_short") and run.sense(i, "cardinal")):
        return "clear_cue"  # "sept" is seven in French
    if run.sense(i, "month_short") or run.sense(i, "weekday_short") or run.sense(i, "wary"):
        return "cue"
    return ""


def _month(run: TokenRun, i: int, _: ReadingContext) -> Name | None:
    number = month_at(run, i)
    word, gap = run.behind(i)
    if number is None or (word and not gap) or (run.sense(i, "cardinal") and unit_after_number(run, i + 1)):
        return None
    if is_foreign_name(run, i):
        return None
    return Name("month", month(number), i + 1, needed_cue(run, i), glue=" ,-/")


def _day(run: TokenRun, i: int, _: ReadingContext) -> Name | None:
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
    if number is None or run.sense(i, "with_year") is not None:
        return None
    at = run.after(i + 1, "the")
    glue = run[at].glue
    if glue not in ("", " ", "-", "/") and not (
        glue == "." and (run.sense(i, "month_short") or not run[at].wide)
    ):
        return None
    if at == i + 1 and run.sense(at, "ordinal") == 2 and run.sense(at + 1, "unit") is None and glue != " ":
        return None
    if year_words(run, at) is not None or (glue == "" and run.sense(i, "month_short")):  # Oct4 is a gene
        return None
    day = day_number(run, at) or _beyond_month(run, at)
    if day is None or not _counts_days(run, day[1], exact=run.sense(at, "number") is None or day[1] > at + 1):
        return None
    return Name("day", day_of_month(number, day[0]), day[1], glue=" ,-/" if glue in "-/" and glue else " ,")


def _beyond_month(run: TokenRun, i: int) -> tuple[int, int] | None:
    """The number of `May 32, 2021`, which no month has as a day."""
    if run.sense(i, "figures") == 2 and run[i + 1].glue == "," and year_figures(run, i + 1):
        return run.sense(i, "number"), i + 1
    return None


def _counts_days(run: TokenRun, after: int, *, exact: bool) -> bool:
    """Whether a number after a month is a day and no count (`In March 12 people`), time or longer number."""
    word, gap = run.behind(after - 1)
    if not gap:
        return not word
    if gap in (":", ".", "/") and word[:1].isdigit():
        return False
    if gap == "," and word[:1].isdigit() and len(word) == 3:
        return False
    return exact or (gap[0] != "%" and not (gap == " " and word in run.lexicon.lists["counted"]))


def _reversed_day(run: TokenRun, i: int) -> Name | None:
    """The rest of a date after its year: `2020/Sep/23`, `2019-aug-01`, `2024 March 5`, `2020/23/Sep`."""
    glue = run[i].glue
    number = month_at(run, i)
    if number is not None and run.sense(i + 1, "figures") in (1, 2) and run[i + 1].glue == glue:
        day = run.sense(i + 1, "number")
        if 1 <= day <= 31 and _counts_days(run, i + 2, exact=False):
            return Name("day", day_of_month(number, day), i + 2)
    number = month_at(run, i + 1)
    if number is not None and run.sense(i, "figures") in (1, 2) and run[i + 1].glue == glue and glue in "-/":
        return Name("day", day_of_month(number, run.sense(i, "number")), i + 2)
    return None


def _season(run: TokenRun, i: int, _: ReadingContext) -> Name | None:
    at = run.after(i, "the") if run.sense(i, "the") is None else i + 1
    start = run.sense(at, "season")
    if start is None:
        return None
    return Name("season", season(start), at + 1, needed_cue(run, at) or "cue")


_PARTS = {"quarter": 4, "half": 2}
"""How many of them a year has."""


def _label(run: TokenRun, i: int, context: ReadingContext) -> Name | None:
    """`Q3`, `3Q`, `H1`, `2H`, `fiscal Q3`, and before a year `quarter 3`. There is no `Q5` in any year."""
    is_fiscal = run.sense(i, "fiscal") is not None and run.follows(i + 1, " ")
    at = i + 1 if is_fiscal else i
    glued = run[at + 1].glue == ""
    for sense, size, grain in (("quarter", 3, "quarter"), ("half", 6, "half")) if glued else ():
        for letter, figure in ((at, at + 1), (at + 1, at)):
            if run.sense(letter, sense) is None or run.sense(figure, "figures") != 1:
                continue
            number = run.sense(figure, "number")
            if (1 <= number <= 12 // size or grain == "quarter") and not (
                letter > figure and run.sense(at - 1, "figures") and run[at].glue
            ):
                glue = " ,-/_" if letter > figure else " ,-/"
                hours = letter > figure and run.sense(letter, "hour_sign") is not None  # 2h
                cue = "number" if hours else "cue"
                return _part(grain, number, at + 2, is_fiscal, context, needs_cue=cue, glue=glue)
    unit, number = unit_after_number(run, at), run.sense(at + 1, "number")
    if number is None or unit not in _PARTS or run[at + 1].glue not in ("", " ", "."):
        return None
    if run.sense(at + 1, "figures") != 1 or not 1 <= number <= _PARTS[unit]:
        return None
    return _part(unit, number, at + 2, is_fiscal, context, needs_cue="number")


def _part(
    grain: str,
    number: int,
    after: int,
    is_fiscal: bool,
    context: ReadingContext,
    *,
    needs_cue: str = "cue",
    glue: str = " ,-/",
) -> Name:
    """A quarter or half by its number, which may be one that no year has."""
    size = 12 // _PARTS[grain]
    fiscal = parts(size, number, context.fiscal_start)
    is_fiscal = is_fiscal or context.fiscal_start != 1
    return Name(grain, parts(size, number), after, needs_cue, fiscal, is_fiscal, glue)


def _ordinal_part(run: TokenRun, i: int, context: ReadingContext) -> Name | None:
    """`the third quarter`, `first half`, `third-quarter`."""
    at = i + 1 if run.sense(i, "the") is not None else i
    match = ordinal(run, at)
    if match is None or not run.follows(match[1], " -."):
        return None
    number, unit = match[0], run.after(match[1], "fiscal")
    is_fiscal = unit > match[1]
    grain = run.sense(unit, "unit") or run.sense(unit, "unit_short")
    if grain not in _PARTS:
        return None
    said = run.sense(unit + 1, "of") is not None or year_figures(run, unit + 1) is not None
    number = _PARTS[grain] if number == -1 and said and run.follows(unit + 1) else number
    if not 1 <= number <= _PARTS[grain]:
        return None
    fiscal = parts(12 // _PARTS[grain], number, context.fiscal_start)
    return Name(grain, parts(12 // _PARTS[grain], number), unit + 1, "cue", fiscal, is_fiscal)


def _named_part(run: TokenRun, i: int, context: ReadingContext) -> Name | None:
    """A quarter or half that a word names: `上半年`."""
    for grain, sense in (("quarter", "quarter_name"), ("half", "half_name")):
        number = run.sense(i, sense)
        if number is not None:
            return _part(grain, number, i + 1, False, context)
    return None


def _title(run: TokenRun, i: int) -> str:
    """The cue that a word needs which is written as a title (`Week 12` of a league)."""
    return "cue" if run.capital(i) and not run.caseless else ""


def _week(run: TokenRun, i: int, _: ReadingContext) -> Name | None:
    """`week 9`, `KW 9`, and `W09` after a year."""
    if run.sense(i, "week") is not None and run.follows(i + 1, " "):
        if run.sense(i + 1, "figures") in (1, 2) and 1 <= run.sense(i + 1, "number") <= 53:
            return Name("week", iso_week(run.sense(i + 1, "number")), i + 2, _title(run, i))
        spelled = cardinal(run, i + 1)
        if spelled is not None and 1 <= spelled[0] <= 53:
            return Name("week", iso_week(spelled[0]), spelled[1], "cue")
    return None


_UNITS = ("unit", "unit_short", "units")
_NUMBER = ("figures", "cardinal")
_NAMES: tuple[tuple[Callable[[TokenRun, int, ReadingContext], Name | None], frozenset[str]], ...] = (
    (_holiday, frozenset(("holiday",))),
    (_day, frozenset((*_NUMBER, "ordinal", "month", "month_short"))),
    (_month, frozenset(("month", "month_short"))),
    (_season, frozenset(("the", "season"))),
    (_label, frozenset(("figures", "quarter", "half", "fiscal", *_UNITS))),
    (_ordinal_part, frozenset((*_NUMBER, "ordinal", "the"))),
    (_week, frozenset(("week",))),
    (_named_part, frozenset(("quarter_name", "half_name"))),
)
"""The rules of names and the senses with which they begin."""


@lru_cache(maxsize=4096)
def _attempts(kind: frozenset[str]) -> tuple[Callable[[TokenRun, int, ReadingContext], Name | None], ...]:
    return tuple(rule for rule, senses in _NAMES if senses & kind)
