"""What is stale as commands list it: the worst, with lines and dates, and how many more there are."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from asof.corpus.snapshot import Snapshot
from asof.data.sourced_time import SourcedTime
from asof.index.view import View
from asof.stale.commits_since import CommitsSince
from asof.stale.quote_places import QuotePlace, place_of
from asof.stale.values import Quote, Stale
from asof.store.versions import published_at

MOST = 20
"""How many are listed, unless a number is given."""


@dataclass(frozen=True, slots=True)
class PlacedQuote:
    """A sentence with its lines, and the date of the version that said it first; None: not known."""

    quote: Quote
    place: QuotePlace
    published: SourcedTime | None


@dataclass(frozen=True, slots=True)
class PlacedStale:
    """What is stale, with both places."""

    stale: Stale
    quote: PlacedQuote
    by: PlacedQuote | None


@dataclass(frozen=True, slots=True)
class StaleReport:
    """`found`: the worst. `more`: so many were left out."""

    as_of: int
    known_at: int | None
    found: tuple[PlacedStale, ...]
    more: int


def stale_report(
    then: Snapshot, listed: Iterable[Stale], most: int = MOST, *, commits: CommitsSince | None = None,
    files: Path | None = None,
) -> StaleReport:  # fmt: skip
    """The first `most` of what is `listed`.

    `commits`: only what these made stale. `files`: the folder in which lines are looked up; None: in the
    texts, as for what stood in the past.
    """
    chosen = [each for each in listed if commits is None or commits.made(each.cause)]
    placed = then.use(lambda view: _placed(view, chosen[:most], files))
    found = tuple(PlacedStale(each, *both) for each, both in zip(chosen, placed, strict=False))
    return StaleReport(then.as_of, then.known_at, found, len(chosen) - len(found))


def _placed(
    view: View, listed: list[Stale], files: Path | None
) -> list[tuple[PlacedQuote, PlacedQuote | None]]:
    texts: dict[str, str] = {}

    def placed(quote: Quote) -> PlacedQuote:
        if quote.document not in texts:
            texts[quote.document] = view.store.text(quote.document) or ""
        place = place_of(quote, texts[quote.document], files)
        if not quote.dated:
            return PlacedQuote(quote, place, None)
        date = published_at(view.store.db, quote.document, quote.since, view.known_at)
        return PlacedQuote(quote, place, date)

    return [(placed(each.quote), None if each.by is None else placed(each.by)) for each in listed]
