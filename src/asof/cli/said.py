"""Statements on a terminal, as `asof timeline` and `asof diff` show them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from asof.cli.main import tell
from asof.time.span import iso

if TYPE_CHECKING:
    from asof.corpus.snapshot import Snapshot
    from asof.time.bounds import When

SAID = 240
"""The most characters of a sentence, and of the words that changed."""


def shortened(text: str, width: int = SAID) -> str:
    return text if len(text) <= width else f"{text[: width - 1]}…"


def when(instant: int) -> str:
    """An instant in UTC; the date alone if it is the last one of a day, from which on what is dated by the
    day is seen.

    >>> when(1_709_251_199_999_999), when(1_709_251_200_000_000)
    ('2024-02-29', '2024-03-01T00:00:00Z')
    """
    return iso(instant).removesuffix("T23:59:59.999999Z")


def tell_why_nothing(then: Snapshot, since: When | None = None, until: When | None = None) -> None:
    """Say why nothing was found, where that is not for the words that were asked for."""
    for note in then.unmet(then.filters(since, until)):
        tell(f"note: {note}")
