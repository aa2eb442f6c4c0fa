"""The parts that re-ranking stages share: they are inserted before the last cut, and other candidates stay
below."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from asof.rank.candidates.top_k import TopK
from asof.rank.computed import Column
from asof.rank.expression import Constant, Given, Places, Values, product, ratio, total
from asof.rank.recipe import Recipe
from asof.rank.selections import Joined, Taken
from asof.rank.stage import Ranking, Stage


def append_below(ranking: Ranking, name: str, above: Column, skipped: int) -> Ranking:
    """The ranking by a column of which `above` has the numbers of the first candidates; the next `skipped`
    ones, then all others, come below them.

    Their score is the lowest of the first over 1 + their place below, if the column's numbers lie in [0, 1],
    and otherwise the lowest less their place. Equal scores share a place.
    """
    n = len(above.values)
    later = np.arange(n, ranking.count)
    before = Taken(ranking.scores, later)
    scores = ranking.score[later]
    below = np.concatenate([dense_ranks(scores[:skipped]), dense_ranks(scores[skipped:])])
    below[skipped:] += below[:skipped].max(initial=0)
    # a tree of its own would repeat in each passage below
    lowest = Constant("lowest score above", float(above.values.min()))
    earlier = product("score before, which gives the place", before, Constant("weight", 0.0))
    label = "after the passages ranked first"
    if above.high == 1.0:
        lower = ratio("below that score", lowest, Given("1 + place below", below + 1.0))
        moved = total(label, lower, earlier)
    else:
        moved = total(label, lowest, Given("-place below", -below.astype(np.float64)), earlier)
    return ranking.with_column(name, Joined(above, moved, n, ranking.count - n), high=above.high)


def dense_ranks(scores: Values) -> Places:
    """1 for the best, 2 for the next lower score, ..."""
    _, places = np.unique(-scores, return_inverse=True)
    return places.astype(np.int64) + 1


def insert_before_cut(recipe: Recipe, stage: Stage, what: str) -> Recipe:
    """The recipe with a stage before its last cut, named NAME-`what`."""
    stages = list(recipe.stages)
    stages.insert(len(stages) - isinstance(stages[-1], TopK), stage)
    return replace(recipe, name=f"{recipe.name}-{what}", stages=tuple(stages))
