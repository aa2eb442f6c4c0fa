"""Losses for any number of a recipe: the stages before the first that it changes run once for each question.

The view and the ranking of a question at that place are cached; for each setting the stages from there on are
run. That takes milliseconds for a question and setting.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from asof.index.view import View
from asof.learn.box import Box
from asof.learn.judged_query import JudgedQuery
from asof.learn.loss import dcg
from asof.rank.recipe import Recipe, with_values
from asof.rank.stage import Ranking

Floats = NDArray[np.float64]

MOST_BYTES = 256_000_000
"""Bytes of all cached rankings; further questions are run from the first stage each time."""

A_RECORD = 2_000
"""Bytes of a passage that was read, roughly."""

WIDE = 4
"""How many passages are ranked for each document that is needed: some are of the same document."""


@dataclass(frozen=True, slots=True)
class ReplayedRanking:
    """A question's view, and its ranking before the stage at which settings begin to differ."""

    view: View
    ranking: Ranking

    @property
    def size(self) -> int:
        """Bytes, roughly; what views share is not counted."""
        ranking: Ranking | None = self.ranking
        size = A_RECORD * len(self.view._records)
        while ranking is not None:
            size += sum(column.values.nbytes for column in ranking.columns.values())
            ranking = ranking.deferred
        return size

    def again(self) -> tuple[View, Ranking]:
        """A copy to continue from: stages reuse the arrays of columns, and views memoise."""
        return replace(self.view, memo=dict(self.view.memo)), _copied(self.ranking)


def _copied(ranking: Ranking) -> Ranking:
    columns = {name: replace(each, values=each.values.copy()) for name, each in ranking.columns.items()}
    return replace(ranking, columns=columns)


@dataclass(slots=True)
class RankingReplay:
    """The questions, and the cached ranking of each (None: too large). `at`: the first stage that differs."""

    recipe: Recipe
    box: Box
    k: int
    questions: tuple[JudgedQuery, ...]
    at: int
    cached: list[ReplayedRanking | None] = field(default_factory=list)

    @classmethod
    def of(
        cls, questions: Sequence[JudgedQuery], recipe: Recipe, box: Box, k: int, most: int = MOST_BYTES
    ) -> RankingReplay:
        """Runs the stages before the first that a setting changes, once for each question."""
        queries = tuple(replace(each, query=replace(each.query, k=WIDE * k)) for each in questions)
        replay = cls(recipe, box, k, queries, first_changed(recipe, box, queries))
        left = most
        views: dict[object, View] = {}
        for each in queries:
            cached = each.use(lambda view, each=each: replay._begun(each, view, views))  # type: ignore[misc]
            left -= cached.size
            replay.cached.append(cached if left >= 0 and replay.at else None)
        return replay

    @property
    def how(self) -> str:
        stage = list(self.recipe.stages_by_name())[self.at]
        again = sum(cached is None for cached in self.cached)
        more = f"; {again:,} of {len(self.cached):,} questions from the beginning" if again else ""
        return f"the stages from {stage} on are run for each question and setting{more}"

    def losses(self, settings: Floats, questions: NDArray[np.int64] | None = None) -> Floats:
        """1 - nDCG of questions (all, or those of these numbers) at each setting, (m, q); 1 where nothing
        can be gained."""
        numbers = range(len(self.questions)) if questions is None else questions.tolist()
        recipes = [with_values(self.recipe, self.box.named(setting)) for setting in settings]
        return np.array(
            [[self._loss(recipe, self._ranked(recipe, at), at) for at in numbers] for recipe in recipes]
        ).reshape(len(settings), len(numbers))

    def ranked(self, setting: Floats, question: int) -> list[str]:
        """The first k documents of a question at a setting (d,)."""
        return self._ranked(with_values(self.recipe, self.box.named(setting)), question)

    def _loss(self, recipe: Recipe, ranked: Sequence[str], at: int) -> float:
        gains, best = self.questions[at].gains, self.questions[at].best(self.k)
        return 1 - dcg([gains.get(each, 0.0) for each in ranked], self.k) / best if best else 1.0

    def _ranked(self, recipe: Recipe, at: int) -> list[str]:
        question, cached = self.questions[at], self.cached[at]
        steps = list(recipe.steps(question.query))

        def rest(view: View) -> list[str]:
            here, ranking, first = view, Ranking(view.window(question.query.filters)), 0
            if cached is not None:
                here, ranking = cached.again()
                first = self.at
            for _, stage, query in steps[first:]:
                ranking = stage(query, ranking, here)
            records = here.records(ranking.rows)
            names = dict.fromkeys(
                record.document for record in records if record.document != question.left_out
            )
            return list(names)[: self.k]

        documents: list[str] = question.use(rest)
        return documents

    def _begun(self, question: JudgedQuery, view: View, views: dict[object, View]) -> ReplayedRanking:
        """The ranking of the stages that do not change. Questions of one moment share a view of the index."""
        shared = views.setdefault(question.moment, view)
        view = replace(shared, memo={}, _records={})
        ranking = Ranking(view.window(question.query.filters))
        for _, stage, query in list(self.recipe.steps(question.query))[: self.at]:
            ranking = stage(query, ranking, view)
        return ReplayedRanking(view, ranking)


def first_changed(recipe: Recipe, box: Box, questions: Sequence[JudgedQuery]) -> int:
    """The place of the first stage that differs, or has another query, at some setting of the box."""
    at = len(recipe.stages)
    before = list(recipe.steps(questions[0].query))
    for changed in _ends(recipe, box):
        after = list(changed.steps(questions[0].query))
        same = [one[1:] == other[1:] for one, other in zip(before, after, strict=True)]
        at = min(at, same.index(False) if False in same else at)
    return at


def _ends(recipe: Recipe, box: Box) -> Iterator[Recipe]:
    """The recipe with each number at each of its ends, alone."""
    for name, low, high in zip(box.names, box.low.tolist(), box.high.tolist(), strict=True):
        for value in (low, high):
            yield with_values(recipe, {name: value})
