"""Backlinks as a factor (the ranking of RAGtriever, design of 2026-01, component 2)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from asof.data import Query
from asof.graph.links import backlinks
from asof.index.view import View
from asof.rank.expression import Constant, Expression, Given, product, total
from asof.rank.features import by_source
from asof.rank.features.by_source import BySource
from asof.rank.stage import Ranking
from asof.rank.traits import Traits
from asof.schema import within


@dataclass(frozen=True, slots=True)
class Backlinks:
    """The column `linked`: score · (1 + weight · min(backlinks, cap)); all candidates.

    Backlinks are the other current documents in the view that link to the passage's document, each counted
    once. With `weight` 0 nothing changes. `by_source`: another weight or cap for passages of some sources,
    `("work:weight", 0.2)`.
    """

    weight: float = within(0.1, 0.0, 1.0)
    cap: int = within(10, 1, 100)
    by_source: BySource = ()
    traits: ClassVar = Traits(alone=True)

    def __post_init__(self) -> None:
        if self.by_source:
            by_source.check(self.by_source, self._numbers, by_source.within(self))

    @property
    def off(self) -> bool:
        """Whether nothing changes."""
        return self.weight == 0.0 and not self.by_source

    @property
    def _numbers(self) -> Mapping[str, float]:
        return {"weight": self.weight, "cap": self.cap}

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        if self.off:
            return ranking
        matches = ranking.matching()
        counts = backlinks(view, view.column("document", matches.rows))
        weight: Expression = Constant("weight", self.weight)
        if self.by_source:
            rows, numbers = matches.rows, self._numbers
            caps = by_source.column(rows, view, self.by_source, numbers, "cap")
            linking = Given(
                "documents that link to it, at most the cap of its source", np.minimum(counts, caps)
            )
            weight = Given(
                "weight of its source", by_source.column(rows, view, self.by_source, numbers, "weight")
            )
        else:
            capped = np.minimum(counts, self.cap).astype(np.float64)
            linking = Given(f"documents that link to it, at most {self.cap}", capped)
        gain = product("gain", weight, linking)
        factor = total("factor of its backlinks", Constant("one", 1.0), gain)
        return matches.with_column("linked", product("linked", matches.scores, factor))
