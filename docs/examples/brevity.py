"""Brevity: how short a passage is."""

from __future__ import annotations

from dataclasses import dataclass

from asof.data import Query, Why
from asof.index.view import View
from asof.rank.stage import Ranking
from asof.schema import within


@dataclass(frozen=True, slots=True)
class Brevity:
    """The column `brevity`: half / (half + words), 1 for an empty passage and 1/2 for one of `half` words."""

    half: float = within(100.0, 1.0, 10_000.0)  # default, least, largest: what asof.toml accepts

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        words = view.column("length", ranking.rows)
        values = self.half / (self.half + words)

        def tree(at: int) -> Why:
            half = Why("half", self.half)
            both = Why.of("half and words", "sum", half, Why("words of the passage", float(words[at])))
            return Why.of("brevity", "ratio", half, both)

        return ranking.with_feature("brevity", values, tree)
