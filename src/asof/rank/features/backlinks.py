"""Backlinks as a factor (the ranking of RAGtriever, design of 2026-01, component 2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from asof.data import Query
from asof.graph.links import backlinks
from asof.index.view import View
from asof.rank.expression import Constant, Given, product, total
from asof.rank.stage import Ranking
from asof.rank.traits import Traits
from asof.schema import within


@dataclass(frozen=True, slots=True)
class Backlinks:
    """The column `linked`: score · (1 + weight · min(backlinks, cap)); all candidates.

    Backlinks are the other current documents in the view that link to the passage's document, each counted
    once. With `weight` 0 nothing changes.
    """

    weight: float = within(0.1, 0.0, 1.0)
    cap: int = within(10, 1, 100)
    traits: ClassVar = Traits(part="backlinks", varied=("weight",), alone=True)

    @property
    def off(self) -> bool:
        """Whether nothing changes."""
        return self.weight == 0.0

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        if self.off:
            return ranking
        matches = ranking.matching()
        counts = np.minimum(backlinks(view, view.column("document", matches.rows)), self.cap)
        linking = Given(f"documents that link to it, at most {self.cap}", counts.astype(np.float64))
        gain = product("gain", Constant("weight", self.weight), linking)
        factor = total("factor of its backlinks", Constant("one", 1.0), gain)
        return matches.with_column("linked", product("linked", matches.scores, factor))
