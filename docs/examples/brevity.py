"""Brevity: how short a passage is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from asof.index.view import View
from asof.queries import Query
from asof.rank.expression import Constant, Given, ratio, total
from asof.rank.stage import Ranking, Traits
from asof.schema import within


@dataclass(frozen=True, slots=True)
class Brevity:
    """The column `brevity`: half / (half + words), 1 for an empty passage and 1/2 for one of `half` words."""

    half: float = within(100.0, 1.0, 10_000.0)  # default, least, largest: what asof.toml accepts
    traits: ClassVar = Traits(constants=("half",))  # other values can be tried in the expression

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        words = Given("words of the passage", view.column("length", ranking.rows))
        half = Constant("half", self.half, self, "half")
        return ranking.with_feature("brevity", ratio("brevity", half, total("half and words", half, words)))
