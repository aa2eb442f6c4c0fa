"""The headings and blocks of documents that links name, as they stand and as they stood."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from asof.stale.current import Interval
from asof.text.tokens import tokenize
from asof.time.span import NEVER

_NUMBERED = re.compile(r"[-_]\d{1,2}$")
_NO_HEADING = re.compile(r"L\d+(?:-L?\d+)?|:~:.*|page=.*|[/!?=].*|top|\d+")
_HEADING_LINE = re.compile(r"^[ \t>*+-]*#{1,6}[ \t]+(.{1,300})$", re.MULTILINE)
_HTML_HEADING = re.compile(r"<h[1-6][^<>]{0,200}>([^<>]{1,300})<", re.IGNORECASE)
_MARKUP = re.compile(r"<[^<>]{1,200}>|\{[^{}]{0,200}\}|\]\([^()\s]{0,300}\)")
_MADE = re.compile(r"\{%|\{\{|^:::|--8<--|^import |<[A-Z]\w+", re.MULTILINE)


LONG_ENOUGH = 6
"""Letters of a heading that is found in another one."""


def is_named(heading: str) -> bool:
    """Whether what stands after the # of a link names a heading or a block, and no line or page."""
    return bool(heading) and _NO_HEADING.fullmatch(heading) is None and bool(folded(heading))


@lru_cache(maxsize=65_536)
def folded(heading: str) -> str:
    """The letters and figures of a heading or of its slug, as they are compared."""
    plain = unicodedata.normalize("NFKD", heading.casefold())
    return "".join(sign for sign in plain if sign.isalnum())


def keys_of(heading: str) -> tuple[str, ...]:
    """The ways in which a link's heading is compared: whole, and without the number of a repeated slug."""
    last = heading.rpartition("#")[2]
    return tuple(dict.fromkeys((folded(last), folded(_NUMBERED.sub("", last)))))


class Section:
    """A heading or block that a link names, in the history of its document."""

    def __init__(self, heading: str, intervals: Iterable[Interval]) -> None:
        self.block = heading.rpartition("#")[2].removeprefix("^") if "^" in heading else ""
        self.heading = heading
        self.keys = frozenset(keys_of(heading))
        self.all = list(intervals)
        self.having = [each for each in self.all if self._has(each)]

    def _has(self, each: Interval) -> bool:
        if self.block:
            return re.search(rf"\^{re.escape(self.block)}\s*$", each.text, re.MULTILINE) is not None
        if not self.keys.isdisjoint(map(folded, each.headings.split("\n"))):
            return True
        return self._in_text(each.text)

    def _in_text(self, text: str) -> bool:
        """Headings that are in no outline, and names that are written into the text."""
        if self.heading in text and re.search(
            rf"(?:[{{(#_]|(?:id|name)=[\"']?){re.escape(self.heading)}(?![\w-])", text
        ):
            return True
        if "#" not in text and "<" not in text:
            return False
        titles = (*_HEADING_LINE.findall(text), *_HTML_HEADING.findall(text))
        return any(folded(_MARKUP.sub("", title)) in self.keys for title in titles)

    @property
    def stands(self) -> bool:
        """Whether the document has it now."""
        return any(each.ended == NEVER for each in self.having)

    @property
    def made(self) -> bool:
        """Whether the document is made up from others, so that it may have more headings than are seen."""
        return any(_MADE.search(each.text) for each in self.all if each.ended == NEVER)

    @property
    def gone(self) -> int | None:
        """The instant since which it is gone; None where it never was there."""
        return max((each.ended for each in self.having), default=None)

    @property
    def renamed(self) -> str:
        """The heading that its text stands under now; "" if it is not known."""
        old = {line for each in self.having if each.ended == self.gone for line in _lines(each)}
        best = ""
        for each in self.all:
            heading = each.headings.rpartition("\n")[2]
            if each.ended == NEVER and heading:
                key = min(self.keys, key=len)
                if len(key) >= LONG_ENOUGH and key in folded(heading):
                    return heading
                if old and 2 * len(old.intersection(_lines(each))) > len(old):
                    best = max(best, heading)
        return best

    def at(self, since: int) -> tuple[list[Interval], list[Interval]]:
        """What it said at an instant, and what it says now."""
        return at(self.having, since)


def at(intervals: Iterable[Interval], since: int) -> tuple[list[Interval], list[Interval]]:
    """Those that stood at an instant, and those that stand now."""
    every = list(intervals)
    before = [each for each in every if each.visible <= since < each.ended]
    return before, [each for each in every if each.ended == NEVER]


def _lines(each: Interval) -> set[str]:
    """The lines of a text without its headings."""
    return {words for line in each.text.splitlines() if (words := line.strip()) and not words.startswith("#")}


class Difference(NamedTuple):
    """How the words of two texts differ: the share that they do not have in common, and what was lost."""

    share: float
    lost: frozenset[str]


def differing(before: Iterable[Interval], now: Iterable[Interval]) -> Difference:
    """How two texts differ; not at all where one of them is missing."""
    old, new = (Counter(word for each in part for word in tokenize(each.text)) for part in (before, now))
    if not old or not new:
        return Difference(0.0, frozenset())
    share = 1 - 2 * (old & new).total() / (old.total() + new.total())
    return Difference(share, frozenset(old.keys() - new.keys()))
