"""The headings and blocks of documents that links name, as they stand and as they stood."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache

from asof.stale.current import Interval
from asof.text.tokens import tokenize
from asof.time.span import NEVER

_NUMBERED = re.compile(r"[-_]\d{1,2}$")
_NO_HEADING = re.compile(r"L\d+(?:-L?\d+)?|:~:.*|page=.*|[/!?=].*|top|\d+")
_HEADING_LINE = re.compile(r"^[ \t>*+-]*#{1,6}[ \t]+(.{1,300})$", re.MULTILINE)
_HTML_HEADING = re.compile(r"<h[1-6][^<>]{0,200}>([^<>]{1,300})<", re.IGNORECASE)
_MARKUP = re.compile(r"<[^<>]{1,200}>|\{[^{}]{0,200}\}|\]\([^()\s]{0,300}\)")
_MADE = re.compile(r"\{%|\{\{|^:::|--8<--|^import |<[A-Z]\w+", re.MULTILINE)


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

    def changed(self, since: int) -> tuple[float, int]:
        """The share of its words, 0 to 1, that an instant's text and the one of now do not have in common,
        and the instant of its last change; 0 where it was not there."""
        before = [each for each in self.having if each.visible <= since < each.ended]
        now = [each for each in self.having if each.ended == NEVER]
        if not before or not now:
            return 0.0, since
        last = max([each.visible for each in now] + [each.ended for each in before if each.ended != NEVER])
        return differing(before, now), last


def differing(before: list[Interval], now: list[Interval]) -> float:
    """The share of words that two texts do not have in common."""
    old, new = (Counter(word for each in part for word in tokenize(each.text)) for part in (before, now))
    total = old.total() + new.total()
    return 1 - 2 * (old & new).total() / total if total else 0.0
