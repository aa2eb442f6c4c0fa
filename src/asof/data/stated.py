"""A time as somebody stated it."""

from __future__ import annotations

from dataclasses import dataclass

from asof.time.span import Span


@dataclass(frozen=True, slots=True)
class Stated:
    """A time as somebody stated it: the span it means, its own words, and where it was stated."""

    span: Span
    text: str
    by: str

    def __str__(self) -> str:
        return self.text
