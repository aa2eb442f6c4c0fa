"""Flags and cases as they are wanted, without a detector."""

from __future__ import annotations

from pathlib import Path

from asof.data.stale import Quote, Stale
from asof.data.why import Why
from asof.evaluate.staleness.cases import ExpectedStale, StaleCase, UnflaggedQuote


def flag(
    document: str, text: str, score: float, by: str | None = "new.md", *, kind: str = "value", cause: int = 0
) -> Stale:
    """A flag of a sentence, and of one of the document `by`."""
    other = None if by is None else quote(by, "The newer sentence.")
    return Stale(kind, score, quote(document, text), other, cause, "changed", lambda: Why("score", score))


def quote(document: str, text: str) -> Quote:
    return Quote(document, document, f"{document}#1", text, 0, len(text), 0)


def expected(document: str, text: str, kind: str = "value", **more: str) -> ExpectedStale:
    """An expected sentence whose right counterpart is new.md."""
    return ExpectedStale(document, text, ("new.md",), "The newer sentence.", kind, **more)


def case(
    *wanted: ExpectedStale, harmless: tuple[UnflaggedQuote, ...] = (),
    neutral: tuple[UnflaggedQuote, ...] = (), held_out: tuple[str, ...] = (), name: str = "case",
) -> StaleCase:  # fmt: skip
    return StaleCase(name, Path("none.jsonl"), 100, wanted, harmless, neutral, frozenset(held_out), 1)
