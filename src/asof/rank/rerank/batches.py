"""Stages in batches: those before a stage that halts get further candidates only when they are needed.

TWE-RAG (README 2.5) halts to save work, so what comes before the test has to be done for the candidates that
have entered and for no others. A run of stages directly before one that `halts` (`asof.rank.traits`), each of
which ranks a candidate `alone`, is run by it. What is found is that of running the stages one after another
(`tests/rank/rerank/test_batches.py`), so tracing, learning and figures may do that.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from asof.data import Query
from asof.index.view import View
from asof.rank.recipe import Recipe
from asof.rank.stage import Ranking, Stage
from asof.rank.traits import traits_of


@dataclass(frozen=True, slots=True)
class Batches:
    """The stages before one that halts, with their queries, and the one that runs them."""

    steps: tuple[tuple[Stage, Query], ...]
    halting: Any

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        ranked: Ranking = self.halting.over(self.steps, ranking, view)
        return ranked


def batched(recipe: Recipe, query: Query) -> Iterator[tuple[Stage, Query]]:
    """The stages of a recipe and their queries in order; those before one that halts as one, where the result
    is the same.

    It is not where a later stage may look for a column by name: what was not examined has none.
    """
    steps = [(stage, own) for _, stage, own in recipe.steps(query)]
    at = next((at for at, (stage, _) in enumerate(steps) if traits_of(stage).halts), None)
    if at is None:
        return iter(steps)
    begin = at
    while begin and traits_of(steps[begin - 1][0]).alone:
        begin -= 1
    halting, own = steps[at]
    later = all(traits_of(stage).by_score for stage, _ in steps[at + 1 :])
    if begin < at and later:
        steps[begin : at + 1] = [(Batches(tuple(steps[begin:at]), halting), own)]
    return iter(steps)
