"""The parts that re-ranking stages share: they are inserted before the last cut, and other candidates stay
below."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from asof.data import Why
from asof.rank.candidates.top_k import TopK
from asof.rank.recipe import Recipe
from asof.rank.stage import Column, Ranking, Stage, Values

Places = NDArray[np.int64]


def append_below(
    ranking: Ranking, name: str, column: Column, ranked: Places, skipped: Places, rest: Places
) -> Ranking:
    """The ranking by `column`, whose values count for `ranked`; `skipped`, then `rest`, come below.

    Their score is the lowest of `ranked` over 1 + their place below, if the column's numbers lie in [0, 1],
    and otherwise the lowest less their place. Equal scores share a place.
    """
    before, rows, values = ranking.columns[ranking.by], ranking.rows, column.values.copy()
    lowest_at = ranked[np.argmin(values[ranked])]
    lowest = float(values[lowest_at])
    below = np.concatenate([dense_ranks(before.values[skipped]), dense_ranks(before.values[rest])])
    below[len(skipped) :] += below[: len(skipped)].max(initial=0)
    moved = np.concatenate([skipped, rest])
    in_unit = column.high == 1.0
    values[moved] = lowest / (below + 1.0) if in_unit else lowest - below

    def why(row: int) -> Why:
        at = np.flatnonzero(rows[moved] == row)
        if not len(at):
            return column.why(row)
        place = float(below[at[0]])
        above = Why("lowest score above", lowest)  # a tree of its own would repeat in each passage below
        earlier = Why.of(
            "score before, which gives the place", "product", before.why(row), Why("weight", 0.0)
        )
        if in_unit:
            lower = Why.of("below that score", "ratio", above, Why("1 + place below", place + 1.0))
            return Why.of("after the passages ranked first", "sum", lower, earlier)
        return Why.of("after the passages ranked first", "sum", above, Why("-place below", -place), earlier)

    return ranking.with_column(name, values, why, high=column.high)


def dense_ranks(scores: Values) -> Places:
    """1 for the best, 2 for the next lower score, ..."""
    _, places = np.unique(-scores, return_inverse=True)
    return places.astype(np.int64) + 1


def insert_before_cut(recipe: Recipe, stage: Stage, what: str) -> Recipe:
    """The recipe with a stage before its last cut, named NAME-`what`."""
    stages = list(recipe.stages)
    stages.insert(len(stages) - isinstance(stages[-1], TopK), stage)
    return replace(recipe, name=f"{recipe.name}-{what}", stages=tuple(stages))
