"""The temporal score of TempRALM (Gade and Jetcheva 2024): closeness in time on the scale of the
relevance."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from asof.data import Query
from asof.index.view import View
from asof.rank.expression import Constant, Given, product, ratio, total
from asof.rank.features.ages import ages
from asof.rank.selections import Where
from asof.rank.stage import Ranking
from asof.rank.traits import Traits
from asof.schema import within


@dataclass(frozen=True, slots=True)
class Gap:
    """The column `temporal`: s + t, s being the score so far and t the z-scaled inverse of the age.

        t = (1 / age - mean) / deviation · deviation of s + mean of s

    over the candidates (choose them before: the result depends on them). Ages are in days, at least `floor`:
    the published form divides by zero for a passage of the same moment. With one age for all, t is the mean
    of s; undated passages get that too, and do not count in the mean of 1 / age. Ages are never negative:
    later passages are not in the view. The unit of age cancels, and so does the paper's factor alpha.
    """

    floor: float = within(1.0, 0.000_001, 1_000.0)
    traits: ClassVar = Traits(part="closeness in time", varied=("floor",), total="temporal")

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        matches = ranking.matching()
        relevance, rows = matches.columns[matches.by], matches.rows
        dated = view.column("dated", rows).astype(bool)
        days = np.maximum(ages(view.as_of, view.column("visible", rows)), self.floor)
        near = 1.0 / days
        middle, spread = moments(near[dated].tolist())
        level, width = moments(relevance.values.tolist())
        mean = Constant("mean relevance of the pool", level)
        reason = "undated" if spread else "one age for all"
        neutral = total("closeness in time", Constant(f"{reason}: {mean.label}", level))
        closeness = ratio("closeness", Constant("one", 1.0), Given("age in days", days))
        above = total("above the mean", closeness, Constant("-mean closeness", -middle))
        deviations = ratio("in deviations", above, Constant("deviation of closeness", spread))
        scaled = product("scaled", deviations, Constant("deviation of relevance", width))
        near_in_time = Where(dated & (spread > 0), total("closeness in time", scaled, mean), neutral)
        return matches.with_column("temporal", total(self.traits.total, relevance, near_in_time))


def moments(values: Sequence[float]) -> tuple[float, float]:
    """Mean and standard deviation (of the population), rounded once, so that no order of them shows.

    Equal values deviate by 0; a mean that was rounded would make something of nothing.
    """
    if not values:
        return 0.0, 0.0
    if min(values) == max(values):
        return values[0], 0.0
    mean = math.fsum(values) / len(values)
    return mean, math.sqrt(math.fsum((value - mean) ** 2 for value in values) / len(values))
