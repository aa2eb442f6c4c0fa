"""Citations in a model's text: numbers in square brackets, `[2]` or `[2, 5]`, of what it was shown."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

CITED = re.compile(r"\[(-?[0-9]+(?:[ \t]*[,;][ \t]*-?[0-9]+)*)\]")
"""A citation, or several in one pair of brackets."""
_BETWEEN = re.compile(r"[ \t]*[,;][ \t]*")
MAX_UNKNOWN = 8
"""The most numbers of nothing that a note names."""


class CitedText(NamedTuple):
    """A text in pieces: words, and the numbers of a pair of brackets, each from 1 to the count of what was
    shown. `unknown`: other numbers, each once, which are in no piece."""

    parts: tuple[str | tuple[int, ...], ...]
    unknown: tuple[str, ...]

    @property
    def numbers(self) -> tuple[int, ...]:
        """The numbers that are cited, in order of their first citation."""
        return tuple(dict.fromkeys(n for part in self.parts if not isinstance(part, str) for n in part))


def read_citations(text: str, count: int) -> CitedText:
    """The pieces of a text on `count` numbered things.

    Where the removal of an unknown number makes a citation of what stands around it (`[[99]3]`), this gets
    round brackets, for nobody cited it. Numbers of any length are compared as texts.
    """
    number_of = {str(number): number for number in range(1, count + 1)}
    parts: list[str | tuple[int, ...]] = []
    unknown: dict[str, None] = {}
    words, at = "", 0
    for match in CITED.finditer(text):
        numbers = _BETWEEN.split(match[1])
        unknown.update((each, None) for each in numbers if each not in number_of)
        words, at = words + text[at : match.start()], match.end()
        if known := tuple(number_of[each] for each in numbers if each in number_of):
            parts += [in_round_brackets(words), known]
            words = ""
    parts.append(in_round_brackets(words + text[at:]))
    return CitedText(tuple(part for part in parts if part), tuple(unknown))


def in_round_brackets(text: str) -> str:
    """A text in which what looks like a citation cannot be taken for one."""
    return CITED.sub(r"(\1)", text)


def first_of(numbers: Sequence[str]) -> str:
    """The first of these numbers, long ones cut, and how many more there are."""
    listed = ", ".join(number if len(number) <= 20 else f"{number[:20]}…" for number in numbers[:MAX_UNKNOWN])
    more = len(numbers) - MAX_UNKNOWN
    return f"{listed} and {more:,} more" if more > 0 else listed
