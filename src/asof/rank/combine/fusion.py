"""Fusion by rank: several columns become one, `relevance`. Sums of numbers are in `combine`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from asof.data import Query, Why
from asof.index.select import at_least, kth_best
from asof.index.view import View
from asof.rank.expression import Constant, Expression, Given, Places, Values, ratio, total
from asof.rank.selections import Where
from asof.rank.stage import Ranking
from asof.rank.traits import Traits
from asof.schema import within


@dataclass(frozen=True, slots=True)
class ReciprocalRank:
    """Reciprocal rank fusion (Cormack, Clarke and Buettcher 2009): sum of weight / (k + rank), rank from 1.

    The first `depth` of each column count; a passage that is not among them adds nothing. Scores do not
    matter, only their order, with ties in the order of all ties.
    """

    weights: tuple[tuple[str, float], ...] = (("lexical", 1.0),)
    k: int = within(60, 1, 1_000)
    depth: int = within(1_000, 1, 1_000_000)
    traits: ClassVar = Traits(total="relevance")

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        lists = [
            (name, weight, self._order(ranking, ranking.columns[name].values, view))
            for name, weight in self.weights
            if name in ranking.columns
        ]
        listed = np.unique(np.concatenate([order for _, _, order in lists] or [np.zeros(0, np.int64)]))
        fused = total("relevance", *[self._summand(*each, listed) for each in lists])
        values = np.zeros(ranking.count)
        values[listed] = fused.evaluated()

        def tree(at: int) -> Why:
            place = int(np.searchsorted(listed, at))
            none = place == len(listed) or listed[place] != at
            return Why.of("relevance", "sum") if none else fused.why(place)

        return ranking.with_column("relevance", Given("relevance", values, tree)).note(
            f"fusion: the first {self.depth} of each list count"
        )

    def _summand(self, name: str, weight: float, order: Places, listed: Places) -> Expression:
        """What a list adds, for the candidates of any list."""
        ranks = np.zeros(len(listed))
        ranks[np.searchsorted(listed, order)] = np.arange(len(order)) + 1
        place = total("k + rank", Constant("k", float(self.k)), Given("rank", ranks))
        return Where(ranks > 0, ratio(name, Constant("weight", weight), place))

    def _order(self, ranking: Ranking, values: Values, view: View) -> Places:
        """The first places of a list, in order."""
        near = at_least(values, kth_best(values, self.depth))
        return near[view.tie_order(values[near], ranking.rows[near])[: self.depth]]
