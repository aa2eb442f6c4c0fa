"""Recency: a bounded factor that reorders near-equals and never lifts what is not relevant."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from asof.data import Query, Why
from asof.index.select import at_least, kth_best
from asof.index.view import View
from asof.rank.fields import within
from asof.rank.stage import Ranking, Values

DAY = 86_400_000_000

SAMPLE = 16
"""How many times k of the best are looked at to bound what the k-th will be."""

ROUNDING = 1e-12
"""Slack of a bound that was divided."""


@dataclass(frozen=True, slots=True)
class Recency:
    """score = relevance · (1 + strength · recency · (1/2 - g)),  g = min(1, ln(1 + age) / ln(1 + horizon)).

    `age` in days at the moment of the question, on a log scale: one strength then serves texts that change
    within days and texts that change within years. A new passage gains half of `strength`, one of the age
    of `horizon` (days) loses as much, an undated one neither gains nor loses. `recency` in [0, 1] comes from
    the question; `least` is its smallest value.
    """

    strength: float = within(1.0, 0.0, 1.99)
    least: float = within(0.0, 0.0, 1.0)
    horizon: float = within(10_000.0, 1.0, 1_000_000.0)

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        strength = self._strength(query)
        near = ranking.keep(at_least(ranking.score, self.bound(query, ranking, view)))
        near = near.note(f"{len(near.score)} of {view.n} passages in force can reach the first {query.k}")
        if strength == 0.0:
            return near
        relevance = near.columns[near.by]

        def why(row: int) -> Why:
            here = np.array([row])
            if not view.column("dated", here)[0]:
                factor = Why.of("recency", "sum", Why("undated: no credit, no blame", 1.0))
            else:
                factor = self._why(float(ages(view.as_of, view.column("visible", here))[0]), strength)
            return Why.of("score", "product", relevance.why(row), factor)

        return near.with_column("score", relevance.values * self._factors(strength, near.rows, view), why)

    def bound(self, query: Query, ranking: Ranking, view: View) -> float:
        """What a score needs so that its factor can still lift it into the first k.

        The k-th of the best scores times their factors can only be surpassed by a score that, times the
        largest factor, is as large.
        """
        strength, score = self._strength(query), ranking.score
        if strength == 0.0:
            return kth_best(score, query.k)
        best = at_least(score, kth_best(score, SAMPLE * query.k))
        rows = ranking.window.rows(best if ranking.places is None else ranking.places[best])
        reached = kth_best(score[best] * self._factors(strength, rows, view), query.k)
        return reached / (1 + strength / 2) * (1 - ROUNDING)

    def _strength(self, query: Query) -> float:
        return self.strength * max(query.recency, self.least)

    def _factors(self, strength: float, rows: NDArray[np.int64], view: View) -> Values:
        days = ages(view.as_of, view.column("visible", rows))
        factors = 1 + strength * (0.5 - self.decay(days))
        return np.where(view.column("dated", rows).astype(bool), factors, 1.0)

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


def ages(as_of: int, visible: NDArray[np.int64]) -> Values:
    """Ages in days, never negative."""
    return np.maximum(as_of - visible, 0).astype(np.float64) / DAY
