"""Backlinks as a factor (the ranking of RAGtriever, design of 2026-01, component 2)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from asof.data import Query, Why
from asof.graph.links import backlinks
from asof.index.view import View
from asof.rank.stage import Ranking
from asof.schema import within


@dataclass(frozen=True, slots=True)
class Backlinks:
    """The column `linked`: score · (1 + weight · min(backlinks, cap)); all candidates.

    Backlinks are the other current documents in the view that link to the passage's document, each counted
    once. With `weight` 0 nothing changes.
    """

    weight: float = within(0.1, 0.0, 1.0)
    cap: int = within(10, 1, 100)

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        if self.weight == 0.0:
            return ranking
        matches = ranking.matching()
        before = matches.columns[matches.by]
        rows = matches.rows
        counts = backlinks(view, view.column("document", rows))
        factors = 1.0 + self.weight * np.minimum(counts, self.cap)

        def why(row: int) -> Why:
            count = int(counts[np.flatnonzero(rows == row)[0]])  # the store may have changed, or be closed
            gain = Why.of(
                "gain", "product", Why("weight", self.weight),
                Why(f"documents that link to it, at most {self.cap}", float(min(count, self.cap))),
            )  # fmt: skip
            factor = Why.of("factor of its backlinks", "sum", Why("one", 1.0), gain)
            return Why.of("linked", "product", before.why(row), factor)

        return matches.with_column("linked", before.values * factors, why)
