"""The words of the rules for facts, read from `lang/<code>/facts.toml` when they are first needed.

A word has senses, the names of the lists that hold it: `rose` is `rise`, `was` is `link` and `copula`. The
rules look at senses alone, so a new language is a new file.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from asof.lang import FIRST, codes, detect, tables

Senses = frozenset[str]
NONE: Senses = frozenset()


@dataclass(frozen=True, slots=True)
class RuleLexicon:
    """Words with their senses; `phrases` by their first word, longest first; the words and signs of figures.

    `decimal` is the mark before the decimals, `be` the word for "is"; `units` maps words in lower case to
    a unit (`Amount.unit`), `currencies` those that are money.
    """

    language: str
    senses: Mapping[str, Senses]
    phrases: Mapping[str, tuple[tuple[str, ...], ...]]
    decimal: str
    be: str
    scales: Mapping[str, float]
    units: Mapping[str, str]
    currencies: Mapping[str, str]


@cache
def lexicon(language: str) -> RuleLexicon:
    """The words of a language that has lists of facts."""
    return _read(language, tables(language, "facts"), None if language == FIRST else lexicon(FIRST))


def _read(language: str, lists: Mapping[str, Any], ground: RuleLexicon | None) -> RuleLexicon:
    """The tables as a lexicon; the signs of figures that `ground` knows ("$", "%") are known in all."""
    senses: dict[str, set[str]] = {}
    phrases: dict[str, set[tuple[str, ...]]] = {}
    for sense, words in lists.items():
        if not isinstance(words, str) or sense == "decimal":
            continue
        for word in words.split():
            senses.setdefault(word, set()).add(sense)
            if "_" in word:
                parts = tuple(word.split("_"))
                phrases.setdefault(parts[0], set()).add(parts)
    ordered = {first: tuple(sorted(each, key=lambda p: (-len(p), p))) for first, each in phrases.items()}
    return RuleLexicon(
        language,
        {word: frozenset(each) for word, each in senses.items()},
        ordered,
        lists.get("decimal", "."),
        str(lists.get("be", "is")).split()[0],
        {**(ground.scales if ground else {}), **{w: float(s) for w, s in _named(lists.get("scale", {}))}},
        {**(ground.units if ground else {}), **dict(_named(lists.get("unit", {})))},
        {**(ground.currencies if ground else {}), **dict(_named(lists.get("currency", {})))},
    )


def _named(table: Mapping[str, str]) -> list[tuple[str, str]]:
    """Each word of a table with the name of its row."""
    return [(word.replace("_", " "), name) for name, words in table.items() for word in words.split()]


_WORD = re.compile(r"[^\W\d_]+")
_SAMPLE = 4000  # characters; the language of a passage shows in them


def language_of(text: str, stated: str) -> str:
    """The language of a text, among those with lists of facts, by its commonest words; else `stated`."""
    return detect(_WORD.findall(text[:_SAMPLE].lower()), _common_words(), default=stated)


@cache
def _common_words() -> dict[str, frozenset[str]]:
    """Of each language its commonest words."""
    return {
        code: frozenset(word for word, senses in lexicon(code).senses.items() if "common" in senses)
        for code in codes("facts")
    }
