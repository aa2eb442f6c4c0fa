"""Tests whether a time lies in the times that a question names (T_q of TG-RAG, section III-B2)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from asof.time.span import BEGINNING, GRAINS, NEVER, Period, Span

_YEAR = re.compile(r"[0-9]{4}")


def holds_in(when: Span | None, scope: Sequence[Span]) -> bool:
    """True if a time lies in one of the spans: at least half of it does, or, if it is open to one side (since
    2020), some of it. A year does not lie in one of its quarters; no time lies in no span."""
    if when is None:
        return False
    for span in scope:
        common = when.overlap(span)
        if common is None:
            continue
        if when.first <= BEGINNING or when.last >= NEVER:
            return True
        if 2 * (common.last + 1 - common.first) >= when.last + 1 - when.first:
            return True
    return False


def label(span: Span) -> str:
    """A span in words: a period by its name, else its first and last day."""
    if span.start is not None and span.end is not None:
        for grain in GRAINS:
            period = Period.containing(span.start, grain)
            if period.span == span:
                return str(period)
    start = "" if span.start is None else span.start.date().isoformat()
    end = "" if span.end is None else span.end.date().isoformat()
    return f"before {end}" if not start else f"from {start}" if not end else f"{start} to {end}"


def nearest(times: Iterable[tuple[Span, str]], scope: Sequence[Span], most: int = 3) -> list[str]:
    """The times nearest to a scope, nearest first, each once: in their own words, given with each, where
    these name a year, else by their label."""
    gaps: dict[Span, tuple[float, int, int]] = {}
    words: dict[Span, str] = {}
    for when, text in times:
        gap = min((when.gap(span).total_seconds() for span in scope), default=0.0)
        gaps[when] = gap, when.first, when.last
        if _YEAR.search(text):
            words.setdefault(when, text)
    return [words.get(span) or label(span) for span in sorted(gaps, key=gaps.__getitem__)[:most]]
