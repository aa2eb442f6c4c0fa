"""Statements on a terminal, as `asof timeline` and `asof diff` show them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from asof.cli.main import tell

if TYPE_CHECKING:
    from asof.corpus.snapshot import Snapshot
    from asof.time.bounds import When

SAID = 240
"""The most characters of a sentence, and of the words that changed."""


def shortened(text: str, width: int = SAID) -> str:
    return text if len(text) <= width else f"{text[: width - 1]}…"


def tell_why_nothing(then: Snapshot, since: When | None = None, until: When | None = None) -> None:
    """Say why nothing was found, where that is not for the words that were asked for."""
    for note in then.unmet(then.filters(since, until)):
        tell(f"note: {note}")
