"""What is stale, made by hand: for what lists and prints it."""

from __future__ import annotations

from pathlib import Path

from asof.documents import SourcedTime
from asof.extensions.facts.current import LINK, Stale, StaleQuote
from asof.extensions.facts.stale import PlacedQuote, PlacedStale, StaleReport
from asof.hits import Why
from asof.time.moment import read

DAY = 86_400_000_000
"""Microseconds."""


def quote(
    document: str = "old.md", text: str = "The free plan has 10 GB.", since: int = 0, *,
    title: str = "Old", start: int = 0, dated: bool = True,
) -> StaleQuote:  # fmt: skip
    return StaleQuote(document, title, f"{document}#0", text, start, start + len(text), since, dated)


NEW = quote("new.md", "The free plan has 50 GB.", 30 * DAY, title="New")


def stale(
    one: StaleQuote | None = None, by: StaleQuote | None = NEW, kind: str = LINK, score: float = 0.5,
    cause: int = 30 * DAY, change: str = "10 GB became 50 GB",
) -> Stale:  # fmt: skip
    tree = Why.of("sure", "product", Why("half", 0.5), Why("of it", 2 * score))
    return Stale(kind, score, one or quote(), by, cause, change, tree)


def placed(one: Stale, line: int = 7, file: Path | None = None, by_file: Path | None = None) -> PlacedStale:
    """It with lines; its own in `file`, those of the other sentence, line 4, in `by_file`."""
    date = SourcedTime(read("2021-03"), "2021-03", "frontmatter")
    return PlacedStale(
        one, PlacedQuote(one.quote, line, file, date),
        None if one.by is None else PlacedQuote(one.by, 4, by_file, None),
    )  # fmt: skip


def report(*found: PlacedStale, more: int = 0) -> StaleReport:
    return StaleReport(400 * DAY, None, found, more)
