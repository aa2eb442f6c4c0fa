"""States that last: who held an office in a year is told by who took it before and has not been followed."""

from __future__ import annotations

from asof.data import Fact
from asof.knowledge.lines.holding import is_state
from asof.time.span import Span

_FROM = ("since ", "from ", "as of ", "seit ", "ab ")


def lasts(fact: Fact, span: Span) -> bool:
    """Whether a fact is a state that began by the end of a span and was not said to end: one that is said to
    hold since a time, or in the present of a dated text."""
    when = fact.when
    if when is None or not is_state(fact) or when.span.first > span.last:
        return False
    return when.by == "published" or when.text.casefold().startswith(_FROM)
