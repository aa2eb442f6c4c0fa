"""Figures in a text: the words, the amount, and the position.

"about $3.7 billion"  ->  "$3.7 billion", 3.7e9 USD        "60 basis points"  ->  60 bp
"$0.91 per share"     ->  0.91 USD/share                   "31,5 Mio. Euro"   ->  31.5e6 EUR (German)
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from functools import cache, lru_cache
from typing import Any, NamedTuple

from msgspec import Struct

from asof.lang import FIRST, codes, detect, tables

# -- words, from `lang/<code>/facts.toml` --------------------------------------------------------------
# A word has senses, the names of the lists that hold it: `rose` is `rise`, `was` is `link` and `copula`. The
# rules look at senses alone, so a new language is a new file.

Senses = frozenset[str]
NONE: Senses = frozenset()


class RuleLexicon(Struct, frozen=True):
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
    """The commonest words of each language."""
    return {
        code: frozenset(word for word, senses in lexicon(code).senses.items() if "common" in senses)
        for code in codes("facts")
    }


# -- figures -------------------------------------------------------------------------------------------

LONGEST = 18
"""The most digits of a figure; a longer number is an identifier (an account, a key)."""

_SHORT = {"k", "m", "b", "t"}  # are scales only of money: "$5m", but "5 m" are metres
_EACH = (
    "share|barrel|unit|ton|tonne|year|month|week|day|hour|person|head|piece|loaf|ticket|night|gallon|pound"
)


class Figure(NamedTuple):
    """`text[start:end]`; `value` in whole units of `unit`, "" for a bare number."""

    start: int
    end: int
    value: float
    unit: str


@lru_cache(maxsize=4)
def pattern(language: str) -> re.Pattern[str]:
    """Figures as they are written in a language. Possessive where a run could be long: linear time."""
    words = lexicon(language)
    point, comma = (r"\.", ",") if words.decimal == "." else (",", r"\.")
    number = rf"[0-9]{{1,3}}(?>(?:{comma}[0-9]{{3}})+)(?:{point}[0-9]++)?|[0-9]++(?>(?:{point}[0-9]++)?)"
    currency = _either(words.currencies)
    signs = _either(word for word in words.currencies if not word.isalpha())
    return re.compile(
        rf"(?<![\w.,/])(?<!\d:)(?P<sign>[-−+])?(?:(?P<money>{currency})[ \u00a0]?)?(?P<number>{number})"
        rf"(?:[ \u00a0-]?(?P<scale>{_either(words.scales)})(?![\w]))?"
        rf"(?:[ \u00a0-]?(?P<unit>{_either({**words.units, **words.currencies})}|{signs})(?![\w]))?"
        rf"(?:(?:[ \u00a0](?:per|pro|je)[ \u00a0]|/)(?:the )?(?P<per>(?:diluted |basic )?[^\W\d_]{{2,20}})"
        rf"|[ \u00a0](?:an?|each)[ \u00a0](?P<each>{_EACH})(?![\w-]| ago| earlier))?"
        r"(?![\w]|:\d)",
        re.IGNORECASE,
    )


def _either(words: object) -> str:
    return "|".join(re.escape(word) for word in sorted(words, key=lambda w: (-len(w), w)))  # type: ignore[call-overload]


def figure_of(match: re.Match[str], words: RuleLexicon) -> Figure | None:
    """The figure of a match of `pattern`; None for a match that is none (a long number)."""
    number = match["number"]
    if sum(map(str.isdigit, number)) > LONGEST:
        return None
    plain = number.replace("." if words.decimal == "," else ",", "").replace(words.decimal, ".")
    money = (match["money"] or "").lower()
    unit, scale = (match["unit"] or "").lower(), (match["scale"] or "").lower()
    if scale in _SHORT and not (money or unit in words.currencies):
        if unit or match["per"] or match["each"]:
            return None
        unit, scale = words.units.get(scale, ""), ""
        if not unit:
            return None
    named = words.currencies.get(money) or words.currencies.get(unit) or words.units.get(unit, "")
    per = match["per"] or match["each"]
    value = float(Decimal(plain) * int(words.scales.get(scale, 1.0)))
    if match["sign"] in ("-", "−"):
        value = -value
    whole = f"{named}/{per.split()[-1].lower()}" if per else named
    return Figure(match.start(), match.end(), value, whole)


def figures(text: str, language: str) -> list[Figure]:
    """The figures of a text, in the words of a language."""
    words = lexicon(language)
    found = (figure_of(match, words) for match in pattern(language).finditer(text))
    return [figure for figure in found if figure is not None]
