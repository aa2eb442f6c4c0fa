"""Weighted sums of columns, and columns divided by their largest value: the parts of published formulas."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from asof.data import Query, Why
from asof.index.view import View
from asof.rank.stage import Ranking


@dataclass(frozen=True, slots=True)
class MaxNormalize:
    """The column `of` over its largest value among the candidates, as `share`; 0 stays 0.

    `of` empty: whatever column ranks so far.
    """

    of: str = "lexical"

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        of = self.of or ranking.by
        column = ranking.column(of)
        best = float(column.values.max(initial=0.0))
        values = view.prefix.zeros(len(column.values))[: len(column.values)]
        if best > 0:
            np.divide(column.values, best, out=values)

        def why(row: int) -> Why:
            if best == 0:
                return Why(f"{of}: nothing matches", 0.0)
            return Why.of(
                f"share of the best {of}", "ratio", column.why(row), Why("best of all candidates", best)
            )

        return ranking.with_column("normalized", values, why, by=False, high=1.0)


@dataclass(frozen=True, slots=True)
class Combine:
    """The column `name`: the sum of weight times column, in the order of `weights`.

    A missing column adds nothing, and a note names it.
    """

    weights: tuple[tuple[str, float], ...] = (("lexical", 1.0),)
    name: str = "score"

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        present = [(name, weight) for name, weight in self.weights if name in ranking.columns]
        missing = [name for name, _ in self.weights if name not in ranking.columns]
        columns = [(ranking.columns[name], name, weight) for name, weight in present]
        total = np.zeros(ranking.count)
        for at, (column, _, weight) in enumerate(columns):
            total = column.values * weight if at == 0 else total + column.values * weight

        def why(row: int) -> Why:
            parts = [
                Why.of(name, "product", column.why(row), Why("weight", weight))
                for column, name, weight in columns
            ]
            return Why.of(self.name, "sum", *parts)

        bounds = [column.high * weight for column, _, weight in columns if column.high is not None]
        high = sum(bounds) if len(bounds) == len(columns) else None
        combined = ranking.with_column(self.name, total, why, high=high)
        if missing:
            combined = combined.note(f"{self.name} is without {', '.join(missing)}: no such column")
        return combined
