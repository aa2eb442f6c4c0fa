"""Recency: a bounded factor that reorders near-equals and never lifts what is not relevant."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from asof.data import Query, Why
from asof.index.view import View
from asof.rank.stage import Ranking, Values

DAY = 86_400_000_000


@dataclass(frozen=True, slots=True)
class Recency:
    """score = relevance · (1 + strength · recency · (1/2 - g)),  g = min(1, ln(1 + age) / ln(1 + horizon)).

    `age` in days at the moment of the question, on a log scale: one strength then serves texts that change
    within days and texts that change within years. A new passage gains half of `strength`, one of the age
    of `horizon` (days) loses as much, an undated one neither gains nor loses. `recency` in [0, 1] comes from
    the question; `least` is its smallest value.
    """

    strength: float = 1.0
    least: float = 0.0
    horizon: float = 10_000.0

    def factors(self, query: Query) -> tuple[float, float]:
        """The least and the largest factor that a question can give."""
        strength = self.strength * max(query.recency, self.least)
        return 1 - strength / 2, 1 + strength / 2

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        strength = self.strength * max(query.recency, self.least)
        low, high = self.factors(query)
        near = ranking.shortlist(query.k, low / high)
        near = near.note(f"{len(near.score)} of {view.n} passages in force can reach the first {query.k}")
        if strength == 0.0:
            return near
        rows = near.rows
        dated = view.column("dated", rows).astype(bool)
        days = ages(view.as_of, view.column("visible", rows))
        factors = 1 + strength * (0.5 - self.decay(days))
        factors = np.where(dated, factors, 1.0)
        relevance = near.columns[near.by]

        def why(row: int) -> Why:
            here = np.array([row])
            if not view.column("dated", here)[0]:
                factor = Why("undated: no credit, no blame", 1.0)
            else:
                factor = self._why(float(ages(view.as_of, view.column("visible", here))[0]), strength)
            return Why.of("score", "product", relevance.why(row), factor)

        return near.with_column("score", relevance.values * factors, why)

    def decay(self, days: Values) -> Values:
        """g of ages in days. Not numpy's logarithm: its last bits are not those of `math.log` in the tree."""
        different, which = np.unique(days, return_inverse=True)
        logs = np.array([math.log(1 + day) for day in different.tolist()], np.float64)
        return np.minimum(1.0, logs / math.log(1 + self.horizon))[which]

    def _why(self, days: float, strength: float) -> Why:
        scale = Why.of("ln(1 + horizon)", "log", Why("1 + horizon in days", 1 + self.horizon))
        g = Why.of(
            "age on a log scale",
            "ratio",
            Why.of("ln(1 + age)", "log", Why("1 + age in days", 1 + days)),
            scale,
        )
        if g.value > 1.0:
            g = Why("age beyond the horizon", 1.0)
        return Why.of(
            "recency", "sum", Why("one", 1.0),
            Why.of(
                "gain", "product", Why("strength", strength),
                Why.of(
                    "half less age", "sum", Why("half", 0.5),
                    Why.of("less age", "product", Why("-1", -1.0), g),
                ),
            ),
        )  # fmt: skip


def ages(as_of: int, visible: np.ndarray[tuple[int], np.dtype[np.int64]]) -> Values:
    """Ages in days, never negative."""
    return np.maximum(as_of - visible, 0).astype(np.float64) / DAY
