"""The words that facts are told by, read from `words/<language>.toml` when they are first needed.

A word has senses, the names of the lists that hold it: `rose` is `rise`, `was` is `link` and `copula`. The
rules look at senses alone, so a new language is a new file.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

LANGUAGES = ("en", "de")
Senses = frozenset[str]
NONE: Senses = frozenset()


@dataclass(frozen=True, slots=True)
class RuleLexicon:
    """Words with their senses; `phrases` by their first word, longest first; what is read in figures.

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


@lru_cache(maxsize=len(LANGUAGES))
def lexicon(language: str) -> RuleLexicon:
    """The words of one of LANGUAGES."""
    import tomllib
    from importlib.resources import files  # which `asof --help` need not wait for

    text = files("asof.knowledge.rules").joinpath("words", f"{language}.toml").read_text("utf-8")
    return _read(language, tomllib.loads(text), None if language == "en" else lexicon("en"))


def _read(language: str, tables: Mapping[str, Any], ground: RuleLexicon | None) -> RuleLexicon:
    """The tables as a lexicon; the signs of figures that `ground` knows ("$", "%") are known in all."""
    senses: dict[str, set[str]] = {}
    phrases: dict[str, set[tuple[str, ...]]] = {}
    for sense, words in tables.items():
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
        tables["decimal"],
        str(tables["be"]).split()[0],
        {**(ground.scales if ground else {}), **{w: float(s) for w, s in _named(tables["scale"])}},
        {**(ground.units if ground else {}), **dict(_named(tables["unit"]))},
        {**(ground.currencies if ground else {}), **dict(_named(tables["currency"]))},
    )


def _named(table: Mapping[str, str]) -> list[tuple[str, str]]:
    """Each word of a table with the name of its row."""
    return [(word.replace("_", " "), name) for name, words in table.items() for word in words.split()]


_WORD = re.compile(r"[^\W\d_]+")
_SAMPLE = 4000  # characters; the language of a passage shows in them


def language_of(text: str, stated: str) -> str:
    """The one of LANGUAGES that a text is in, by its commonest words; `stated` where they do not tell."""
    words = _WORD.findall(text[:_SAMPLE].lower())
    counts = {code: _count(words, code) for code in LANGUAGES}
    best = max(LANGUAGES, key=lambda code: (counts[code], code == stated))
    return best if counts[best] or stated not in LANGUAGES else stated


def _count(words: list[str], language: str) -> int:
    senses = lexicon(language).senses
    return sum("common" in senses.get(word, NONE) for word in words)
