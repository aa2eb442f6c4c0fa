"""Dates and longer times, alone or inside each other: `March 2021`, `early 2024`, `two weeks before Easter`.

Which rules are tried depends on the senses of the first item and of the one after it; the one that reads
farthest wins.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from asof.time.calendar_names import calendar_name
from asof.time.deictic import deictic_time
from asof.time.durations import distance, from_point, starting, within
from asof.time.eras import century, decade, year
from asof.time.numeric_dates import numeric_date
from asof.time.parts import nth_of, part_of
from asof.time.reading import ReadingContext, Rule, RuleMatch
from asof.time.sides import beside, side_after
from asof.time.signed_dates import signed_date
from asof.time.token_run import TokenRun
from asof.time.weekdays import day_of_some_month, weekday
from asof.time.years import fiscal_years, week_label

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
    _row(calendar_name, "month month_short season holiday quarter half fiscal fiscal_year week side"),
    _row(calendar_name, "unit unit_short", "figures", least=3),
    _row(calendar_name, "cardinal ordinal", "cardinal ordinal unit fiscal of month month_short"),
    _row(calendar_name, "figures", "ordinal_suffix unit of month month_short quarter half"),
    _row(
        calendar_name,
        "year_figures",
        "the fiscal quarter half figures cardinal ordinal month month_short decade_suffix",
    ),
    _row(calendar_name, "the", "season figures cardinal ordinal fiscal fiscal_year"),
    _row(week_label, "year_figures", "week_label", least=3),
    _row(fiscal_years, "fiscal fiscal_year", least=2),
    _row(decade, "decade"),
    _row(decade, "figures", "decade_suffix"),
    _row(decade, "cardinal", "decade"),
    _row(decade, "the", "figures cardinal decade"),
    _row(decade, "decade_label", "figures cardinal the of"),
    _row(decade, "decade_article", "figures"),
    _row(century, "figures", "ordinal_suffix unit century_sign"),
    _row(century, "cardinal", "ordinal"),
    _row(century, "ordinal", "unit"),
    _row(century, "unit", "roman cardinal figures"),
    _row(century, "the", "figures cardinal ordinal"),
    _row(year, "year_figures short_year"),
    _row(year, "cardinal one_thousand calendar_year unit", least=2),
    _row(deictic_time, "day day_night side rolling to_date end_of_unit rest so_far"),
    _row(signed_date, "figures cardinal", "year_sign month_sign day_sign cardinal", least=2),
    _row(signed_date, "era beside", least=2),
    _row(calendar_name, "quarter_name half_name"),
    _row(beside, "beside"),
    _row(deictic_time, "unit", "shift", least=3),
    _row(side_after, "unit fiscal_year", "side_after fiscal"),
    _row(side_after, "month month_short season holiday", "side_after"),
    _row(deictic_time, "the", "day side rolling unit"),
    _row(deictic_time, "figures", "side rolling", least=3),
    _row(deictic_time, "cardinal", least=3),
    _row(weekday, "side rolling weekday weekday_short"),
    _row(weekday, "beside", "weekday weekday_short weekday_letter of"),
    _row(weekday, "figures", "weekday plural_weekday", least=3),
    _row(weekday, "cardinal", least=3),
)
"""The rules of times that hold no other time."""


def _longest(run: TokenRun, i: int, context: ReadingContext, name: str) -> RuleMatch | None:
    """What the rule of a table that reads farthest finds at `i`, remembered under a name."""
    if not 0 <= i < run.size:
        return None
    known = run.memo.get((name, i), False)
    if known is not False:
        return known  # type: ignore[no-any-return]
    best: RuleMatch | None = None
    items = run.items
    following = run[i + 1]
    for rule in _able(name, items[i].kind, following.kind, following.glue, min(run.size - i, MOST_NEEDED)):
        try:
            match = rule(run, i, context)
        except (ValueError, OverflowError):  # 30 February, or outside the years 1 to 9999
            continue
        if match is not None and (best is None or match[1] > best[1]):
            best = match
    run.memo[name, i] = best
    return best


@lru_cache(maxsize=16384)
def _able(
    name: str, kind: frozenset[str], following: frozenset[str], glue: str, items: int
) -> tuple[Rule, ...]:
    """The rules of a table that can read a time at an item of a kind before one of another kind and glue."""
    able = (
        row.rule
        for row in _TABLES[name]
        if row.least <= items
        and row.begins & kind
        and (row.follows is None or row.follows & following)
        and (not row.signs or (glue and glue in row.signs))
    )
    return tuple(dict.fromkeys(able))


def date_begins(kind: frozenset[str], following: frozenset[str], glue: str, items: int) -> bool:
    """Whether some rule is tried at an item of a kind, the first of so many, before one of another kind."""
    return bool(_able("day", kind, following, glue, items))


def simple(run: TokenRun, i: int, context: ReadingContext) -> RuleMatch | None:
    """The longest time at `i` that holds no other time."""
    return _longest(run, i, context, "simple")


def _part(run: TokenRun, i: int, context: ReadingContext) -> RuleMatch | None:
    return part_of(run, i, context, _period)


def _period(run: TokenRun, i: int, context: ReadingContext) -> RuleMatch | None:
    return _longest(run, i, context, "period")


def _nth(run: TokenRun, i: int, context: ReadingContext) -> RuleMatch | None:
    return nth_of(run, i, context, simple)


def _shifted(run: TokenRun, i: int, context: ReadingContext) -> RuleMatch | None:
    return from_point(run, i, context, simple)


def _starting(run: TokenRun, i: int, context: ReadingContext) -> RuleMatch | None:
    return starting(run, i, context, simple)


def day_point(run: TokenRun, i: int, context: ReadingContext) -> RuleMatch | None:
    """The longest time at `i` without a time of day."""
    return _longest(run, i, context, "day")


_NTH = (
    _row(_nth, "the", "unit figures cardinal ordinal", least=3),
    _row(_nth, "figures", _ORDINAL, least=3),
    _row(_nth, "cardinal", "ordinal", least=3),
    _row(_nth, "ordinal", least=3),
    _row(_nth, "unit", "of starting", least=3),
)
_TABLES: dict[str, tuple[_Row, ...]] = {
    "simple": _RULES,
    "period": (*_RULES, *_NTH),
    "day": (
        *_RULES,
        _row(day_of_some_month, "the", "figures cardinal"),
        _row(day_of_some_month, "figures", _ORDINAL),
        _row(within, "within", least=3),
        _row(distance, "figures", _UNIT, least=3),
        _row(distance, "ago_before cardinal", least=3),
        _row(distance, "one vague", _AFTER_ONE, least=3),
        _row(distance, "ahead", f"figures {_AMOUNT}", least=3),
        *_NTH,
        _row(_part, "part", least=2),
        _row(_shifted, "figures", _UNIT, least=4),
        _row(_shifted, "cardinal", least=4),
        _row(_shifted, "one vague", _AFTER_ONE, least=4),
        _row(_shifted, "the", "unit", least=4),
        _row(_starting, "figures", _UNIT, least=4),
        _row(_starting, "cardinal", least=4),
        _row(_starting, "one vague", _AFTER_ONE, least=4),
    ),
}


DATE_BEGINNINGS = frozenset(sense for table in _TABLES.values() for row in table for sense in row.begins)
"""The senses of items at which some rule may begin."""
