"""What may be replaced in a statement: figures, names, and words of yes and no."""

from __future__ import annotations

import re
from functools import cache

from asof.lang import calendar_words, codes, tables

FIGURE, NAME, MODAL = 1, 2, 4
"""Signs: it has a digit, a number in words, a day or month; a name; a word that says what is so, needed or
allowed, or is not."""

NAMES = re.compile(r"(?<![.!?:|*#\-]\s)(?<=[\w,;(]\s)[A-Z][\w&.-]*\w")
"""Words with a capital letter that begin no sentence."""

_WORDS = re.compile(r"[^\W\d_]+(?:['\u2019][^\W\d_]+)?")


def signs_of(text: str) -> int:
    """The signs of a plain statement."""
    words = {word.lower().replace("\u2019", "'") for word in _WORDS.findall(text)}
    figure = any(map(str.isdigit, text)) or not numbers_and_days().isdisjoint(words)
    modal = not (opposites("negative") | opposites("positive")).isdisjoint(words)
    return FIGURE * figure | NAME * (NAMES.search(text) is not None) | MODAL * modal


@cache
def opposites(kind: str) -> frozenset[str]:
    """A list of `lang/*/opposites.toml`, of all languages."""
    return frozenset(
        word for code in codes("opposites") for word in tables(code, "opposites").get(kind, "").split()
    )


@cache
def cardinals() -> dict[str, float]:
    """Numbers in words, from two on: "one" is mostly no number."""
    return {
        word: float(number)
        for code in codes("time")
        for number, words in tables(code, "time").get("cardinal", {}).items()
        for word in words.split()
        if int(number) > 1
    }


@cache
def days() -> frozenset[str]:
    """Names of days and months, those of more than three letters."""
    return frozenset(word for code in codes("words") for word in calendar_words(code) if len(word) > 3)


@cache
def numbers_and_days() -> frozenset[str]:
    return days() | cardinals().keys()
