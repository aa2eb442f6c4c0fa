"""Which facts hold in the times that a question names (T_q of TG-RAG, section III-B2)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from asof.knowledge.known import Known
from asof.time.span import BEGINNING, NEVER, Span


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


def nearest(facts: Iterable[Known], scope: Sequence[Span], most: int = 3) -> list[str]:
    """The words of the times of facts nearest to a scope, nearest first; each once."""
    gaps: dict[str, tuple[float, int]] = {}
    for each in facts:
        when = each.fact.when
        if when is None:
            continue
        gap = min((when.span.gap(span).total_seconds() for span in scope), default=0.0)
        label = when.text or str(when.span.start)
        gaps[label] = min(gaps.get(label, (gap, when.span.first)), (gap, when.span.first))
    return [label for label, _ in sorted(gaps.items(), key=lambda each: (each[1], each[0]))][:most]
