"""Steps of age as a factor (the ranking of RAGtriever, design of 2026-01, component 3)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from asof.data import Query
from asof.index.view import View
from asof.rank.expression import Given, product
from asof.rank.features.ages import ages
from asof.rank.stage import Ranking
from asof.rank.traits import Traits
from asof.time.decay import TieredDecay


@dataclass(frozen=True, slots=True)
class RecencyTiers:
    """The column `recent`: score · the factor of the age in whole days; all candidates, undated ones · 1.

    1.20 below 14 days, 1.10 below 60, 1.00 below 180, .95 from there on. With all factors 1 nothing changes.
    """

    bounds: tuple[float, ...] = (14.0, 60.0, 180.0)
    values: tuple[float, ...] = (1.20, 1.10, 1.00, 0.95)
    traits: ClassVar = Traits(part="steps of age", by_age="factor")

    def __post_init__(self) -> None:
        TieredDecay(self.bounds, self.values)

    @property
    def off(self) -> bool:
        """Whether nothing changes."""
        return set(self.values) == {1.0}

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        if self.off:
            return ranking
        ranking = ranking.matching()
        factor = Given("factor of its age", self._factors(ranking.rows, view))
        return ranking.with_column("recent", product("recent", ranking.scores, factor))

    def _factors(
        self, rows: np.ndarray[tuple[int], np.dtype[np.int64]], view: View
    ) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        days = ages(view.as_of, view.column("visible", rows))
        dated = view.column("dated", rows).astype(bool)
        return np.where(dated, TieredDecay(self.bounds, self.values)(days), 1.0)
