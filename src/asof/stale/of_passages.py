"""What passages of a view say that a newer document contradicts: what is told of hits."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from asof.data import Hit
from asof.data.stale import QUOTED, STATEMENT, VALUE, Quote, Stale
from asof.index.view import View
from asof.stale.find import stale
from asof.store.versions import published_at

KEY = "stale by passage"
KINDS = (VALUE, STATEMENT, QUOTED)

LEAST = 0.2
"""The least score that is told of a hit: a list of candidates may be longer than what a search interrupts
with."""


@dataclass(frozen=True, slots=True)
class StalePassages:
    """The stale sentences of passages of a view, by the ids of hits; without the `dismissed` ones, by id."""

    view: View
    dismissed: frozenset[str]

    def of(self, ids: Iterable[str]) -> dict[str, tuple[Stale, ...]]:
        """Those of these passages, best first, with the date of each newer sentence; passages that have none
        are left out."""
        known, found = _by_passage(self.view), {}
        for id_ in ids:
            listed = [each for each in known.get(id_, ()) if each.id not in self.dismissed]
            if listed:
                found[id_] = tuple(map(self._dated, listed))
        return found

    def marked(self, hits: Iterable[Hit]) -> tuple[Hit, ...]:
        """The hits, each with the best of its stale sentences."""
        given = tuple(hits)
        found = self.of(hit.id for hit in given)
        return tuple(replace(hit, stale=found[hit.id][0]) if hit.id in found else hit for hit in given)

    def _dated(self, each: Stale) -> Stale:
        return each if each.by is None else replace(each, by=self._published(each.by))

    def _published(self, quote: Quote) -> Quote:
        db, known_at = self.view.store.db, self.view.known_at
        date = published_at(db, quote.document, quote.since, known_at) if quote.dated else None
        return replace(quote, published=date)


def _by_passage(view: View) -> Mapping[str, tuple[Stale, ...]]:
    """Those of all passages of a view, best first; grouped once for a question."""
    memo = view.memo
    if KEY not in memo:
        grouped = defaultdict(list)
        for each in stale(view):
            if each.kind in KINDS and each.by is not None and each.score >= LEAST:
                grouped[each.quote.passage].append(each)
        memo[KEY] = {id_: tuple(listed) for id_, listed in grouped.items()}
    kept: Mapping[str, tuple[Stale, ...]] = memo[KEY]
    return kept
