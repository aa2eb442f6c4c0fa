"""A time as somebody stated it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from asof.time.span import Span

_WITH_TIME = re.compile(r"\d{4}-\d{2}-\d{2}[T ]\d{2}:")


@dataclass(frozen=True, slots=True)
class SourcedTime:
    """A time as somebody stated it: the span it means, its own words, and where it was stated."""

    span: Span
    text: str
    by: str

    def __str__(self) -> str:
        return self.text

    @property
    def day(self) -> str:
        """Its own words; of a date with a time of day the date alone ("2025-11-25T16:39:10-06:00")."""
        return self.text[:10] if _WITH_TIME.match(self.text) else self.text


def shortened(text: str, most: int = 60) -> str:
    """The beginning of a text on one line."""
    line = " ".join(text[: 4 * most].split())
    return line if len(line) <= most and len(text) <= 4 * most else line[: most - 1] + "…"
