"""A time as somebody stated it."""

from __future__ import annotations

from dataclasses import dataclass

from asof.time.span import Span


@dataclass(frozen=True, slots=True)
class SourcedTime:
    """A time as somebody stated it: the span it means, its own words, and where it was stated."""

    span: Span
    text: str
    by: str

    def __str__(self) -> str:
        return self.text


def shortened(text: str, most: int = 60) -> str:
    """The beginning of a text on one line."""
    line = " ".join(text[: 4 * most].split())
    return line if len(line) <= most and len(text) <= 4 * most else line[: most - 1] + "…"
