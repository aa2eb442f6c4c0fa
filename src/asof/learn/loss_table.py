"""The losses of settings on judged questions, fast enough to try hundreds: two ways, one interface."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from asof.learn.box import Box
from asof.learn.judged_query import JudgedQuery
from asof.learn.judged_scores import DEPTH, JudgedScores, expressed
from asof.learn.loss import ndcg_many
from asof.learn.ranking_replay import RankingReplay
from asof.rank.recipe import Recipe

Floats = NDArray[np.float64]


class LossTable(Protocol):
    """The losses of questions at settings of a box."""

    @property
    def how(self) -> str:
        """A sentence: how a setting is evaluated, and what is left out."""
        ...

    def losses(self, settings: Floats, questions: NDArray[np.int64] | None = None) -> Floats:
        """1 - nDCG (m, q) of q questions (all, or those of these numbers) at m settings (m, d); 1 where
        nothing can be gained."""
        ...

    def ranked(self, setting: Floats, question: int) -> list[str]:
        """The first k documents of a question at a setting (d,)."""
        ...


@dataclass(frozen=True, slots=True)
class ExpressionLosses:
    """The losses by the expressions of the questions' scores."""

    questions: Sequence[JudgedQuery]
    scored: Sequence[JudgedScores]
    k: int
    chosen: str = ""

    @property
    def how(self) -> str:
        documents = sum(len(each.gains) for each in self.scored)
        return f"{documents:,} candidates of {len(self.scored):,} questions by expressions{self.chosen}"

    def losses(self, settings: Floats, questions: NDArray[np.int64] | None = None) -> Floats:
        """See `LossTable.losses`."""
        numbers = range(len(self.scored)) if questions is None else questions.tolist()
        losses = np.ones((len(settings), len(numbers)))
        for place, at in enumerate(numbers):
            own, best = self.scored[at], self.questions[at].best(self.k)
            if len(own.gains) and best:
                scores = own.scores(settings)[:, None]
                losses[:, place] = 1 - ndcg_many(scores, own.gains[None], np.array([best]), self.k)[:, 0]
        return losses

    def ranked(self, setting: Floats, question: int) -> list[str]:
        """See `LossTable.ranked`."""
        own = self.scored[question]
        if not len(own.gains):
            return []
        scores = own.scores(setting[None])[0]
        order = np.argsort(-scores, kind="stable")[: self.k]
        rows = own.rows[order[np.isfinite(scores[order])]]
        names: list[str] = self.questions[question].use(
            lambda view: [record.document for record in view.records(rows)]
        )
        return names


def loss_table(questions: Sequence[JudgedQuery], recipe: Recipe, box: Box, k: int) -> LossTable:
    """The questions ranked by the recipe, prepared for other values of the numbers of the box.

    By expressions where scores follow from them (`asof.learn.judged_scores`), else by running the stages from
    the first that changes on.
    """
    if not expressed(recipe, box):
        return RankingReplay.of(questions, recipe, box, k)
    scored = [
        each.use(lambda view, each=each: JudgedScores.of_question(each, view, recipe, box, k))  # type: ignore[misc]
        for each in questions
    ]
    chosen = f": those among the first {DEPTH * k} at one of many settings"
    return ExpressionLosses(questions, scored, k, chosen)
