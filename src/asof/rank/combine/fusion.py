"""Fusion by rank: several columns become one, `relevance`. Sums of numbers are in `combine`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from asof.data import Query, Why
from asof.index.select import at_least, kth_best
from asof.index.view import View
from asof.rank.stage import Ranking, Values
from asof.schema import within


@dataclass(frozen=True, slots=True)
class ReciprocalRank:
    """Reciprocal rank fusion (Cormack, Clarke and Buettcher 2009): sum of weight / (k + rank), rank from 1.

    The first `depth` of each column count; a passage that is not among them adds nothing. Scores do not
    matter, only their order, with ties in the order of all ties.
    """

    weights: tuple[tuple[str, float], ...] = (("lexical", 1.0),)
    k: int = within(60, 1, 1_000)
    depth: int = within(1_000, 1, 1_000_000)

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        fused = np.zeros(len(ranking.score))
        ranks: list[tuple[str, float, dict[int, int]]] = []
        for name, weight in self.weights:
            column = ranking.columns.get(name)
            if column is None:
                continue
            order = self._order(ranking, column.values, view)
            fused[order] += weight / (self.k + np.arange(1, len(order) + 1, dtype=np.float64))
            rows = ranking.rows[order].tolist()
            ranks.append((name, weight, {row: rank for rank, row in enumerate(rows, 1)}))
        return ranking.with_column("relevance", fused, self._explain(ranks)).note(
            f"fusion: the first {self.depth} of each list count"
        )

    def _order(
        self, ranking: Ranking, values: Values, view: View
    ) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        best = at_least(values, kth_best(values, self.depth))
        order = view.tie_order(values[best], ranking.rows[best])
        chosen: np.ndarray[tuple[int], np.dtype[np.int64]] = best[order[: self.depth]]
        return chosen

    def _explain(self, ranks: list[tuple[str, float, dict[int, int]]]) -> Callable[[int], Why]:
        def why(row: int) -> Why:
            parts = [
                Why.of(
                    name, "ratio", Why("weight", weight),
                    Why.of("k + rank", "sum", Why("k", float(self.k)), Why("rank", float(rank[row]))),
                )
                for name, weight, rank in ranks
                if row in rank
            ]  # fmt: skip
            return Why.of("relevance", "sum", *parts)

        return why
