"""Stages in batches: those that lead to a budget get the candidates of a larger size only when it is needed.

TWE-RAG (README 2.5) halts to save work, so what comes before the test has to be done for the candidates that
have entered and for no others. A run of stages directly before a `BudgetedRerank`, each of which ranks a
candidate `alone`, is run by it. What is found is that of running the stages one after another
(`tests/rank/rerank/test_batches.py`), so tracing, learning and figures may do that.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from asof.data import Query
from asof.index.view import View
from asof.rank.recipe import Recipe
from asof.rank.rerank.budget import BudgetedRerank
from asof.rank.stage import Ranking, Stage
from asof.rank.traits import traits_of


@dataclass(frozen=True, slots=True)
class Batches:
    """The stages before a budget, with their queries, and the budget that runs them."""

    steps: tuple[tuple[Stage, Query], ...]
    budget: BudgetedRerank

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        return self.budget.over(self.steps, ranking, view)


def batched(recipe: Recipe, query: Query) -> Iterator[tuple[Stage, Query]]:
    """The stages of a recipe and their queries in order; those before a budget as one where it is the same.

    It is not where a later stage may look for a column by name: what was not examined has none.
    """
    steps = [(stage, own) for _, stage, own in recipe.steps(query)]
    at = next((at for at, (stage, _) in enumerate(steps) if isinstance(stage, BudgetedRerank)), None)
    if at is None:
        return iter(steps)
    begin = at
    while begin and traits_of(steps[begin - 1][0]).alone:
        begin -= 1
    budget, own = steps[at]
    later = all(traits_of(stage).by_score for stage, _ in steps[at + 1 :])
    if isinstance(budget, BudgetedRerank) and begin < at and later:
        steps[begin : at + 1] = [(Batches(tuple(steps[begin:at]), budget), own)]
    return iter(steps)
