"""The temporal score of TempRALM (Gade and Jetcheva 2024): closeness in time on the scale of the
relevance."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from asof.data import Query, Why
from asof.index.view import View
from asof.rank.features.ages import ages
from asof.rank.stage import Ranking
from asof.schema import within


@dataclass(frozen=True, slots=True)
class Gap:
    """The column `temporal`: s + t, s being the score so far and t the z-scaled inverse of the age.

        t = (1 / age - mean) / deviation · deviation of s + mean of s

    over the candidates (choose them before: the result depends on them). Ages are in days, at least `floor`:
    the published form divides by zero for a passage of the same moment. With one age for all, t is the mean
    of s; undated passages get that too, and do not count in the mean of 1 / age. Ages are never negative:
    later passages are not in the view. The unit of age cancels, and so does the paper's factor alpha.
    """

    floor: float = within(1.0, 0.000_001, 1_000.0)

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        matches = ranking.matching()
        relevance, rows = matches.columns[matches.by], matches.rows
        dated = view.column("dated", rows).astype(bool)
        days = np.maximum(ages(view.as_of, view.column("visible", rows)), self.floor)
        near = 1.0 / days
        middle, spread = moments(near[dated].tolist())
        level, width = moments(relevance.values.tolist())
        values = np.full(len(rows), level)
        if spread > 0:
            values[dated] = (near[dated] - middle) / spread * width + level

        def why(row: int) -> Why:
            here = np.array([row])
            mean = Why("mean relevance of the pool", level)
            if not spread or not view.column("dated", here)[0]:
                reason = "undated" if spread else "one age for all"
                only = Why.of("closeness in time", "sum", Why(f"{reason}: {mean.label}", level))
                return Why.of("temporal", "sum", relevance.why(row), only)
            age = max(float(ages(view.as_of, view.column("visible", here))[0]), self.floor)
            closeness = Why.of("closeness", "ratio", Why("one", 1.0), Why("age in days", age))
            above = Why.of("above the mean", "sum", closeness, Why("-mean closeness", -middle))
            scaled = Why.of(
                "scaled", "product",
                Why.of("in deviations", "ratio", above, Why("deviation of closeness", spread)),
                Why("deviation of relevance", width),
            )  # fmt: skip
            return Why.of(
                "temporal", "sum", relevance.why(row), Why.of("closeness in time", "sum", scaled, mean)
            )

        return matches.with_column("temporal", relevance.values + values, why)


def moments(values: Sequence[float]) -> tuple[float, float]:
    """Mean and standard deviation (of the population), rounded once, so that no order of them shows.

    Equal values deviate by 0; a mean that was rounded would make something of nothing.
    """
    if not values:
        return 0.0, 0.0
    if min(values) == max(values):
        return values[0], 0.0
    mean = math.fsum(values) / len(values)
    return mean, math.sqrt(math.fsum((value - mean) ** 2 for value in values) / len(values))
