"""Steps of age as a factor (the ranking of RAGtriever, design of 2026-01, component 3)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from asof.data import Query
from asof.errors import UsageError
from asof.index.view import View
from asof.rank.expression import Given, product
from asof.rank.features import by_source
from asof.rank.features.ages import ages
from asof.rank.features.by_source import BySource
from asof.rank.stage import Ranking
from asof.rank.traits import Traits
from asof.time.decay import TieredDecay

DAYS, FACTORS = ("fresh_days", "recent_days", "old_days"), ("fresh", "recent", "old", "older")
"""The names of bounds and factors in `RecencyTiers.by_source`."""


@dataclass(frozen=True, slots=True)
class RecencyTiers:
    """The column `recent`: score · the factor of the age in whole days; all candidates, undated ones · 1.

    1.20 below 14 days, 1.10 below 60, 1.00 below 180, .95 from there on. With all factors 1 nothing changes.
    `by_source`: other bounds (DAYS) and factors (FACTORS) for some sources, `("work:fresh_days", 7.0)`.
    """

    bounds: tuple[float, ...] = (14.0, 60.0, 180.0)
    values: tuple[float, ...] = (1.20, 1.10, 1.00, 0.95)
    by_source: BySource = ()
    traits: ClassVar = Traits(by_age="factor")

    def __post_init__(self) -> None:
        TieredDecay(self.bounds, self.values)
        if self.by_source:
            by_source.check(self.by_source, self._numbers, lambda **own: _decay(own))

    @property
    def off(self) -> bool:
        """Whether nothing changes."""
        own = by_source.read(self.by_source, self._numbers).values() if self.by_source else ()
        return set(self.values) == {1.0} and all({each[name] for name in FACTORS} == {1.0} for each in own)

    @property
    def _numbers(self) -> Mapping[str, float]:
        if len(self.values) != len(FACTORS):
            raise UsageError(f"by_source: steps with {len(FACTORS)} factors are expected, not {self.values}")
        return dict(zip((*DAYS, *FACTORS), (*self.bounds, *self.values), strict=True))

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        if self.off:
            return ranking
        ranking = ranking.matching()
        factor = Given("factor of its age", self._factors(ranking.rows, view))
        return ranking.with_column("recent", product("recent", ranking.scores, factor))

    def _factors(self, rows: NDArray[np.int64], view: View) -> NDArray[np.float64]:
        days = ages(view.as_of, view.column("visible", rows))
        factors = TieredDecay(self.bounds, self.values)(days)
        if self.by_source:
            for here, own in by_source.parts(rows, view, self.by_source, self._numbers):
                factors[here] = _decay(own)(days[here])
        return np.where(view.column("dated", rows).astype(bool), factors, 1.0)


def _decay(own: Mapping[str, float]) -> TieredDecay:
    return TieredDecay(tuple(own[name] for name in DAYS), tuple(own[name] for name in FACTORS))
