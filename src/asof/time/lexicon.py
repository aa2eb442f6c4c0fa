"""The words of a language for time, read from `lang/<code>/time.toml` when they are first needed.

A word has senses: `may` is the month 5, `second` an ordinal and a unit. Which rule reads a word depends on
its senses alone, so a new language is a new file and no code.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from asof.lang import FIRST, codes, tables
from asof.time.word_lists import NAME_LISTS, entries

GROUND = FIRST
"""The language whose words are always known."""


class Senses(dict[str, Any]):
    """The senses of a word and what it means in each; `kind` is the set of them. Not to be changed."""

    __slots__ = ("kind",)

    def __init__(self, senses: Mapping[str, Any]) -> None:
        super().__init__(senses)
        self.kind = frozenset(senses)


NO_SENSES = Senses({})


_ALONE = frozenset(
    [
        "month",
        "month_short",
        "weekday",
        "weekday_short",
        "plural_weekday",
        "unit",
        "units",
        "decade",
        "day",
        "day_night",
        "season",
        "holiday",
        "daypart",
        "hour",
        "fiscal_year",
        "end_of_unit",
        "to_date",
        "decade_label",
        "roman",
        "year_sign",
        "month_sign",
        "day_sign",
        "century_sign",
        "era",
        "beside",
        "quarter_name",
        "half_name",
        "hundreds",
        "one_thousand",
    ]
)
_WARY = frozenset(["wary", "very_wary", "with_year"])
_SUFFICIENT = frozenset(["month", "weekday", "day", "day_night", "holiday", "end_of_unit", "to_date"])
_CUES = frozenset(["cue", "date_cue", "dot_cue", "lower_cue", "clear_cue"])
_LINKS = frozenset(
    [
        "leading",
        "the",
        "elided",
        "of",
        "at",
        "on",
        "and",
        "to",
        "from",
        "between",
        "relation",
        "trailing",
        "onwards",
    ]
)
_STEPS = frozenset(["shift", "ahead", "ago_before", "lasting", "within", "bound", "starting", "not_time"])
_ATTACHED = frozenset(
    ["unit", "units", "unit_short", "daypart", "fiscal", "fiscal_year", "calendar_year", "week", "week_label"]
)
_LETTERS = frozenset(
    ["quarter", "half", "decade_suffix", "ordinal_suffix", "meridiem", "hour_sign", "zone", "iso_t"]
)
_WEAK = _CUES | _LINKS | _STEPS | _ATTACHED | _LETTERS
"""Tables of words that say no time by themselves, nor with one another: "the", "of", "year"."""
_MUTE = _CUES | _LINKS | _STEPS
_INERT = frozenset(["leading", "the", "of", "and", "ahead", "cue", "clear_cue", "lower_cue"])
_FIGURES = frozenset(
    [str(n) for n in range(100)] + [f"0{n}" for n in range(10)] + [str(year) for year in range(1000, 3000)]
)


@dataclass(frozen=True, slots=True, eq=False)
class TimeLexicon:
    """Words and phrases with their senses.

    `triggers` are the words without which no text says a time (`ascii_triggers`: those of ASCII letters, as
    bytes), `sufficient` those that say one alone, `weak` those that say none however they are put together,
    `mute` those that say none with numbers of up to three figures, `inert` those that say none with two such
    numbers and a sign. `lists` holds words around numbers that are no years; `month_first` tells how 3/4/2024
    is read.
    """

    senses: Mapping[str, Senses]
    phrases: Mapping[str, tuple[tuple[tuple[str, ...], Senses], ...]]
    known: frozenset[str]
    triggers: frozenset[str]
    ascii_triggers: frozenset[bytes]
    sufficient: frozenset[str]
    weak: frozenset[str]
    mute: frozenset[str]
    inert: frozenset[str]
    lists: Mapping[str, frozenset[str]]
    month_first: bool

    def names(self, *tables: str) -> dict[str, int]:
        """The single words of some tables and their numbers."""
        return {
            word: senses[table] for word, senses in self.senses.items() for table in tables if table in senses
        }


@lru_cache(maxsize=64)
def lexicon(language: str = GROUND) -> TimeLexicon:
    """The words of `language`, which may name several (`en de`); unknown ones add nothing.

    English is always among them, and so are languages of a script of their own. The order of day and month in
    figures is that of the first one named.
    """
    named = [code for code in re.findall(r"[a-z]+", language.casefold()) if code in codes("time")]
    everywhere = [code for code in codes("time") if tables(code, "time").get("everywhere")]
    return _merged(tuple(dict.fromkeys([*named, GROUND, *everywhere])))


@lru_cache(maxsize=16)
def _merged(named: tuple[str, ...]) -> TimeLexicon:
    senses: dict[str, dict[str, Any]] = {}
    phrases: dict[tuple[str, ...], dict[str, Any]] = {}
    lists: dict[str, frozenset[str]] = {}
    triggers, sufficient = set(_FIGURES), {figures for figures in _FIGURES if len(figures) == 4}
    telling: list[tuple[str, ...]] = []
    for table, value, words in entries(named):
        if table in NAME_LISTS:
            lists[table] = lists.get(table, frozenset()) | {words[-1]}
            continue
        entry = senses.setdefault(words[0], {}) if len(words) == 1 else phrases.setdefault(words, {})
        entry.setdefault(table, value)
        if table in _ALONE or (table == "cardinal" and 11 <= value <= 20) or table == "thousand":
            if len(words) > 1:
                telling.append(words)
                continue
            triggers.add(words[0])
            if table in _SUFFICIENT:
                sufficient.add(words[0])
    triggers.update(max(words, key=len) for words in telling if triggers.isdisjoint(words))
    sufficient.difference_update(word for word in senses if not _WARY.isdisjoint(senses[word]))
    by_first: dict[str, list[tuple[tuple[str, ...], Senses]]] = {}
    for words in sorted(phrases, key=len, reverse=True):
        by_first.setdefault(words[0], []).append((words, Senses(phrases[words])))
    return TimeLexicon(
        {word: Senses(each) for word, each in senses.items()},
        {first: tuple(rest) for first, rest in by_first.items()},
        frozenset(senses).union(*phrases),
        frozenset(triggers),
        frozenset(word.encode() for word in triggers if word.isascii() and word.isalpha()),
        frozenset(sufficient),
        _weak(senses, phrases, sufficient),
        frozenset(word for word, each in senses.items() if each.keys() <= _MUTE),
        frozenset(word for word, each in senses.items() if each.keys() <= _INERT),
        lists,
        tables(named[0], "time").get("figures") == "month",
    )


def _weak(
    senses: Mapping[str, Mapping[str, Any]],
    phrases: Mapping[tuple[str, ...], Mapping[str, Any]],
    sufficient: set[str],
) -> frozenset[str]:
    """The words of which no time can be made: of every phrase that tells one, a word is not among them."""
    weak = {word for word, each in senses.items() if each.keys() <= _WEAK}
    weak.update(word for words in phrases for word in words if word not in senses and word.isalpha())
    for words, each in phrases.items():
        if each.keys() <= _WEAK or not sufficient.isdisjoint(words):
            continue
        weak.difference_update(word for word in words if word not in senses)
        if weak.issuperset(words):
            weak.discard(max(words, key=len))
    return frozenset(weak)
