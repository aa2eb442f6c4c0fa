"""Stages of RAGtriever for linked notes: backlinks, tiers of age (its design of 2026-01, components 2, 3)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from asof.index.view import View
from asof.queries import Query
from asof.rank.expression import Constant, Given, product, total
from asof.rank.stage import Ranking
from asof.rank.times import ages
from asof.revisions.links import backlinks
from asof.schema import within

# -- backlinks (component 2) -----------------------------------------------------------------------


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
        counts = backlinks(view, view.column("document", matches.rows))
        capped = np.minimum(counts, self.cap).astype(np.float64)
        linking = Given(f"documents that link to it, at most {self.cap}", capped)
        gain = product("gain", Constant("weight", self.weight), linking)
        factor = total("factor of its backlinks", Constant("one", 1.0), gain)
        return matches.with_column("linked", product("linked", matches.scores, factor))


# -- tiers of age (component 3) --------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class RecencyTiers:
    """The column `recent`: score · the factor of the age in whole days; all candidates, undated ones · 1.

    1.20 below 14 days, 1.10 below 60, 1.00 below 180, .95 from there on. With all factors 1 nothing changes.
    Raises ValueError unless there is one value more than bounds, and bounds rise.
    """

    bounds: tuple[float, ...] = (14.0, 60.0, 180.0)
    values: tuple[float, ...] = (1.20, 1.10, 1.00, 0.95)

    def __post_init__(self) -> None:
        if len(self.values) != len(self.bounds) + 1:
            raise ValueError(
                f"{len(self.bounds)} bounds part {len(self.bounds) + 1} values, not {len(self.values)}"
            )
        for bound in self.bounds:
            if not (math.isfinite(bound) and bound > 0):
                raise ValueError(f"each bound is a number above 0, not {bound!r}")
        if any(low >= high for low, high in pairwise(self.bounds)):
            raise ValueError(f"bounds rise from each to the next: {self.bounds!r}")
        for value in self.values:
            if not (math.isfinite(value) and value >= 0):
                raise ValueError(f"each value is a number from 0 up, not {value!r}")

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        if set(self.values) == {1.0}:
            return ranking
        ranking = ranking.matching()
        days = np.floor(np.maximum(ages(view.as_of, view.column("said", ranking.rows)), 0.0))
        tier = np.searchsorted(np.array(self.bounds), days, side="right")
        dated = view.column("dated", ranking.rows).astype(bool)
        factor = Given("factor of its age", np.where(dated, np.array(self.values)[tier], 1.0))
        return ranking.with_column("recent", product("recent", ranking.scores, factor))
