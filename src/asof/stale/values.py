"""The values of a statement: its figures with their units, versions, dates, days and times of day.

"90 minutes" and "1.5 hours" are one value, as are "4.8 GB" and "about 5 GB": a figure is as exact as it was
written. A figure without a unit counts the things that the next word names.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from asof.lang import codes, stop_words, tables
from asof.stale.signs import cardinals, days

KEPT = 65_536
"""So many statements' values are kept in memory."""

_NUMBER = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?"
_DATE = r"(?:19|20)\d\d-\d\d(?:-\d\d)?"
_CLOCK = r"\d{1,2}:\d\d(?::\d\d)?(?:\s?[ap]\.?m\b\.?)?|\d{1,2}\s?[ap]\.?m\b\.?"
_VERSION = r"v\d+(?:\.\d+)*(?:-[a-z]+\.?\d*)?|\d+(?:\.\d+){2,}(?:-[a-z]+\.?\d*)?"
_WORD = r"[^\W\d_]+"
_ITEM = re.compile(
    rf"(?<![\w.,/-])(?:(?P<date>{_DATE})|(?P<clock>{_CLOCK})|(?P<version>{_VERSION})"
    rf"|(?P<money>[$€£¥])?[ ]?(?P<number>{_NUMBER})(?P<scale>[ ]?(?:k|m|bn|million|billion|thousand)\b)?"
    rf"(?:[ \u00a0-]?(?P<unit>%|{_WORD}))?)(?![\w/]|[.,]\d)|(?<![\w-])(?P<word>{_WORD})",
    re.IGNORECASE,
)
_SCALES = {"k": 1e3, "thousand": 1e3, "m": 1e6, "million": 1e6, "bn": 1e9, "billion": 1e9}
_YEAR = re.compile(r"(?:19|20)\d\d")
_EXACT = 1e-9


class Value(NamedTuple):
    """A value: what it measures ("byte", "date", "n seats"), how much (for others than figures 0) and how far
    that may be off, and how it is written."""

    measure: str
    amount: float
    half: float
    written: str

    def agrees(self, other: Value) -> bool:
        """Whether two values of one measure are the same, as exactly as they are written."""
        if self.measure in _EXACT_KINDS:
            return _same(self.written, other.written)
        off = max(self.half, other.half) + _EXACT * max(abs(self.amount), abs(other.amount))
        return abs(self.amount - other.amount) <= off


_EXACT_KINDS = frozenset({"date", "clock", "version", "day"})
_GOES_ON = ("-", ".", "am", "pm")


def _same(one: str, other: str) -> bool:
    """Whether two dates or versions are the same, or one is the other with less said: "2024", "2024-03"."""
    one, other = (text.lower().lstrip("v").replace(" ", "").replace("a.m.", "am") for text in (one, other))
    return one == other or bool(
        one.startswith(tuple(other + sign for sign in _GOES_ON))
        or other.startswith(tuple(one + sign for sign in _GOES_ON))
    )


@lru_cache(maxsize=KEPT)
def values(text: str) -> tuple[Value, ...]:
    """The values of a statement, in order."""
    found = [value for match in _ITEM.finditer(text) if (value := _value(match)) is not None]
    return tuple(found)


def _value(match: re.Match[str]) -> Value | None:
    for kind in ("date", "clock", "version"):
        if match[kind]:
            return Value(kind, 0.0, 0.0, match[kind])
    if word := match["word"]:
        low = word.lower()
        if low in days():
            return Value("day", 0.0, 0.0, low)
        number = cardinals().get(low)
        return None if number is None else Value("n", number, 0.0, word)
    return _figure(match)


def _figure(match: re.Match[str]) -> Value:
    start, end = (
        match.start(),
        match.end("unit" if match["unit"] else "scale" if match["scale"] else "number"),
    )
    digits = match["number"].replace(",", "")
    scale = _SCALES.get((match["scale"] or "").strip().lower(), 1.0)
    decimals = len(digits.partition(".")[2])
    unit = match["unit"] or ""
    measure, each = _units().get(unit.lower(), ("", 0.0))
    bare = match.end("scale") if match["scale"] else match.end("number")
    if match["money"]:
        measure, each, end = match["money"], 1.0, bare
    elif unit.lower() in days():
        return Value("day", 0.0, 0.0, f"{digits} {unit}")
    elif not each:
        if _YEAR.fullmatch(match["number"]) and (not unit or unit.lower() in _grammar()):
            return Value("date", 0.0, 0.0, digits)
        measure, each, end = f"n {unit.lower()[:5]}".strip(), 1.0, bare
    half = 0.5 * scale * each / 10.0**decimals if decimals or each != 1.0 else 0.0
    return Value(measure, float(digits) * scale * each, half, match.string[start:end])


@cache
def _grammar() -> frozenset[str]:
    """Words of grammar: before them stands a year, and no number of things."""
    return frozenset().union(*(stop_words(code) for code in codes("words")))


@cache
def _units() -> Mapping[str, tuple[str, float]]:
    """What each unit measures, and how many of the first unit of that measure it is."""
    return {"%": ("share", 0.01)} | {
        word: (measure, float(each))
        for code in codes("measures")
        for measure, units in tables(code, "measures").items()
        for each, words in units.items()
        for word in words.split()
    }


class Comparison(NamedTuple):
    """The values that two statements have of the same measure: how many agree, and the pairs that do not, the
    first ones' first."""

    same: int
    differing: tuple[tuple[Value, Value], ...]


def compared(ones: Sequence[Value], others: Sequence[Value]) -> Comparison:
    """How the values of one statement and of another compare; those of a measure in their order."""
    same, differing = 0, []
    measures = dict.fromkeys(_measure(each) for each in ones)
    for measure in measures:
        left = [each for each in ones if _measure(each) == measure]
        right = [each for each in others if _measure(each) == measure]
        for each in list(left):
            twin = next((other for other in right if each.agrees(other)), None)
            if twin is not None:
                left.remove(each)
                right.remove(twin)
                same += 1
        differing += list(zip(left, right, strict=False))
    return Comparison(same, tuple(differing))


def _measure(value: Value) -> str:
    """What is compared: bare numbers with any count."""
    return "n" if value.measure == "n" or value.measure.startswith("n ") else value.measure
