"""The losses of settings on judged questions, fast enough to try hundreds: two ways, one interface."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from asof.learn.box import Box
from asof.learn.candidate_columns import CandidateColumns
from asof.learn.judged_query import JudgedQuery
from asof.learn.ranking_replay import RankingReplay
from asof.learn.sum_parts import sum_parts
from asof.rank.recipe import Recipe

Floats = NDArray[np.float64]


class LossTable(Protocol):
    """The losses of questions at settings of a box."""

    @property
    def how(self) -> str:
        """A sentence: how a setting is evaluated, and what is left out."""
        ...

    def losses(self, settings: Floats, questions: NDArray[np.int64] | None = None) -> Floats:
        """1 - nDCG (m, q) of q questions (all, or those of these numbers) at m settings (m, d)."""
        ...

    def ranked(self, setting: Floats, question: int) -> list[str]:
        """The first k documents of a question at a setting (d,)."""
        ...


def loss_table(questions: Sequence[JudgedQuery], recipe: Recipe, box: Box, k: int) -> LossTable:
    """The questions ranked by the recipe, prepared for other values of the numbers of the box.

    As columns where a setting only changes a sum of them (`asof.learn.sum_parts`), else by running the stages
    from the first that changes on.
    """
    runs = {id(each.run): each.run for each in questions}
    plan = sum_parts(next(iter(runs.values()))(recipe), box) if len(runs) == 1 else None
    return (
        RankingReplay.of(questions, recipe, box, k)
        if plan is None
        else CandidateColumns.of(questions, plan, box, k)
    )
