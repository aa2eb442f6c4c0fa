"""Freshness by whole days (Adaptive RAG for arXiv, README 1)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from asof.data import Query, Why
from asof.index.view import View
from asof.rank.fields import within
from asof.rank.recency import ages
from asof.rank.signals.decay import exp
from asof.rank.signals.halflife import scales
from asof.rank.stage import Ranking


@dataclass(frozen=True, slots=True)
class Freshness:
    """The column `freshness`: exp(-rate · days), days whole; half of it is gone after ln 2 / rate days.

    .05 is the README's rate (13.9 days), its code has .01 (69.3). An undated passage gets 0: no credit.
    `half_lives` as in `Decay`.
    """

    rate: float = within(0.05, 0.000_1, 1.0)
    half_lives: tuple[tuple[str, float], ...] = ()

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        rows = ranking.rows
        taus = scales(rows, view, 1.0 / self.rate, self.half_lives)
        days = np.floor(ages(view.as_of, view.column("visible", rows)))
        dated = view.column("dated", rows).astype(bool)
        values = np.where(dated, exp(-days / taus), 0.0)

        def why(row: int) -> Why:
            here = np.array([row])
            if not view.column("dated", here)[0]:
                return Why("freshness: undated, no credit", 0.0)
            day = float(np.floor(ages(view.as_of, view.column("visible", here)))[0])
            tau = float(scales(here, view, 1.0 / self.rate, self.half_lives)[0])
            exponent = Why.of("days times rate", "ratio", Why("-whole days", -day), Why("1 / rate", tau))
            return Why.of("freshness", "exp", exponent)

        return ranking.with_column("freshness", values, why, by=False)
