"""Which facts hold in the times that a question names (T_q of TG-RAG, section III-B2)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from asof.knowledge.visible_facts import StatedFact
from asof.time.period import GRAINS, Period
from asof.time.span import BEGINNING, NEVER, Span

_YEAR = re.compile(r"[0-9]{4}")


def holds_in(when: Span | None, scope: Sequence[Span]) -> bool:
    """Whether a fact's time lies in one of the spans: at least half of it does, or, where it is open to one
    side (since 2020), some of it. A year does not lie in one of its quarters; a fact without a time lies in
    no span."""
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


def nearest(facts: Iterable[StatedFact], scope: Sequence[Span], most: int = 3) -> list[str]:
    """The times of facts nearest to a scope, nearest first, each once: in their own words where these name a
    year, else by their label."""
    gaps: dict[Span, tuple[float, int, int]] = {}
    words: dict[Span, str] = {}
    for each in facts:
        when = each.fact.when
        if when is None:
            continue
        gap = min((when.span.gap(span).total_seconds() for span in scope), default=0.0)
        gaps[when.span] = gap, when.span.first, when.span.last
        if _YEAR.search(when.text):
            words.setdefault(when.span, when.text)
    return [words.get(span) or label(span) for span in sorted(gaps, key=gaps.__getitem__)[:most]]
