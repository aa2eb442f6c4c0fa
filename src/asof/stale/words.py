"""The words of `lang/*/stale.toml` as patterns."""

from __future__ import annotations

import re
from functools import cache

from asof.lang import FIRST, codes, detect, stop_words, tables
from asof.text.tokens import tokenize
from asof.time.word_lists import is_unspaced

_TOKENS = 60
"""So many words of a text decide on its language."""


@cache
def listed(code: str, name: str) -> tuple[str, ...]:
    """A list of a language, longest phrase first, with those of scripts that no other language has."""
    own = [code, *(other for other in codes("stale") if other != code and other not in _spaced())]
    phrases = {phrase for each in own for phrase in tables(each, "stale").get(name, ())}
    return tuple(sorted(phrases, key=lambda phrase: (-len(phrase), phrase)))


@cache
def every(name: str) -> tuple[str, ...]:
    """A list of all languages, longest phrase first."""
    phrases = {phrase for code in codes("stale") for phrase in listed(code, name)}
    return tuple(sorted(phrases, key=lambda phrase: (-len(phrase), phrase)))


@cache
def pattern(code: str, *names: str) -> re.Pattern[str]:
    """What finds the phrases of lists of a language as whole words, with any white space in them."""
    return _compiled({phrase for name in names for phrase in listed(code, name)})


@cache
def of_any(name: str) -> re.Pattern[str]:
    """The same of a list of all languages."""
    return _compiled(set(every(name)))


@cache
def months() -> frozenset[str]:
    """The names of the months in full, of all languages."""
    tabled = (tables(code, "time").get("month", {}) for code in codes("time"))
    return frozenset(name for table in tabled for names in table.values() for name in names.split())


def language_of(text: str) -> str:
    """The language of a text, among those with lists; English for one that says nothing."""
    words = tokenize(text[: 10 * _TOKENS])[:_TOKENS]
    return detect(words, _known(), FIRST, least=3)


@cache
def _known() -> dict[str, frozenset[str]]:
    return {code: stop_words(code) for code in _spaced()}


@cache
def _spaced() -> tuple[str, ...]:
    return tuple(code for code in codes("stale") if stop_words(code))


def _compiled(phrases: set[str]) -> re.Pattern[str]:
    """Longest first. The signs around a word are looked at once for all: that is ten times as fast."""
    longest_first = sorted(phrases, key=lambda phrase: (-len(phrase), phrase))
    spaced = "|".join(_spelt(phrase) for phrase in longest_first if not is_unspaced(phrase[0]))
    unspaced = "|".join(re.escape(phrase) for phrase in longest_first if is_unspaced(phrase[0]))
    return re.compile(rf"(?<![\w-])(?:{spaced or '(?!)'})(?![\w-])|(?:{unspaced or '(?!)'})", re.IGNORECASE)


def _spelt(phrase: str) -> str:
    return r"\s+".join(re.escape(word).replace("'", "['’]") for word in phrase.split())
