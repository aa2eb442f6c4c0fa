"""Centrality: how much a passage is corroborated by passages of independent documents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from asof.data import Query, Why
from asof.graph.evidence import CAP, INDEPENDENT, THRESHOLD, Evidence, evidence
from asof.graph.overlap import SCALE
from asof.index.view import View
from asof.rank.expression import Constant, Expression, Given, Values, ratio
from asof.rank.stage import Ranking
from asof.rank.traits import Traits
from asof.schema import choice, within


@dataclass(frozen=True, slots=True)
class Centrality:
    """The column `centrality`, in [0, 1]; it does not rank by itself (TWE-RAG, section 2.2).

    "degree": sum of the overlaps (Jaccard of shingles) with all that corroborate the passage, as a share of
    the largest such sum in the view; 0 when no passage is corroborated, 1 for all when all are equal.

    "pagerank": PageRank as a share of the largest. The published formula is not normalised, and loses the
    mass of isolated passages; spreading it over all passages scales all values alike, so the share is the
    same. `asof.graph.centrality.pagerank` gives both forms.

    `threshold`, `cap` and `independent` are those of `asof.graph.evidence.evidence`; so are `bands` in views
    of more than `exact_up_to` passages, where only locality-sensitive candidates are compared. In smaller
    views, and with `bands` 0, all pairs are.
    """

    kind: str = choice("degree", "pagerank")
    threshold: float = within(THRESHOLD, 0.0, 1.0)
    cap: int = within(CAP, 0, 1_000_000)
    independent: str = INDEPENDENT
    damping: float = within(0.85, 0.0, 0.99)
    bands: int = within(16, 0, 256)
    exact_up_to: int = within(2_000_000, 0, 1_000_000_000)
    traits: ClassVar = Traits(alone=True)

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        graph = self.evidence(view)
        if bands := self._bands(view):
            ranking = ranking.note(f"corroboration: candidates are found by MinHash with {bands} bands")
        if self.cap:
            ranking = ranking.note(
                f"corroboration: of the passages that have a phrase, only the first {self.cap} are counted"
            )
        if self.kind == "pagerank":
            shares = self._pageranks(graph, view)[ranking.rows]
            of: Expression = Given("centrality (PageRank, share of the largest)", shares)
        else:
            of = _degree(graph, ranking)
        return ranking.with_column("centrality", of, by=False)

    def evidence(self, view: View) -> Evidence:
        """The graph of a view."""
        return evidence(
            view,
            threshold=self.threshold,
            cap=self.cap,
            independent=self.independent,
            bands=self._bands(view),
        )

    def _bands(self, view: View) -> int:
        """0 where all pairs are compared; it follows from the view alone, so nothing later has a say."""
        return self.bands if view.n > self.exact_up_to else 0

    def _pageranks(self, graph: Evidence, view: View) -> Values:
        own = f"{self.threshold!r} {self.cap} {self.independent} {self._bands(view)}"
        key = f"pagerank {own} {self.damping!r}"
        shares: Values | None = view.prefix.memo.get(key)
        if shares is None:
            shares = view.prefix.memo[key] = graph.pagerank(self.damping)
        return shares


def _degree(graph: Evidence, ranking: Ranking) -> Expression:
    """Degree centrality."""
    if not graph.largest:
        return Constant("centrality: no passage corroborates another", 0.0)
    degrees = graph.degrees[ranking.rows].astype(np.float64)

    def tree(at: int) -> Why:
        others = len(graph.neighbours(ranking.row(at))[0])
        label = f"overlaps with {others} passages of independent documents, in 1/{SCALE:,}"
        return Why(label, float(degrees[at]))

    return ratio(
        "centrality", Given("overlaps", degrees, tree), Constant("largest in the view", float(graph.largest))
    )
