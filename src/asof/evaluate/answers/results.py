"""The results of all answer runs: comparisons, groups of questions, and what a judge cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from asof.evaluate.answers.metrics import COMPARED
from asof.evaluate.answers.reference import ReferenceAnswer
from asof.evaluate.answers.run import AnswerRun
from asof.evaluate.runs.compare import Comparison, Estimate, clusters, compare_pairs, estimate
from asof.evaluate.runs.questions import DatasetQuestion


@dataclass(frozen=True, slots=True)
class PreferenceCount:
    """How many answers of recipe `a` to abstract questions a judge preferred to those of `b`, and vice versa.

    `unusable`: how many pairs have no usable verdict.
    """

    a: str
    b: str
    dimension: str
    a_better: int
    b_better: int
    ties: int
    unusable: int


@dataclass(frozen=True, slots=True)
class PreferenceReason:
    """Why a judge prefers an answer of `a` or of `b` to the question with this id, by one dimension.

    `better`: "a", "b" or "tie"; `reasons`: what it said when `a` came first, and when `b` did.
    """

    question: str
    a: str
    b: str
    dimension: str
    better: str
    reasons: tuple[str, str]


@dataclass(frozen=True, slots=True)
class JudgeUsage:
    """The judge, what it cost, which recipes it preferred and why, and the problems of unusable replies."""

    judge: str
    calls: int
    prompt_tokens: int
    reply_tokens: int
    preferred: tuple[PreferenceCount, ...]
    problems: tuple[str, ...]
    reasons: tuple[PreferenceReason, ...] = ()


@dataclass(frozen=True, slots=True)
class AnswerRuns:
    """A run for each recipe over the same questions, their comparisons, and the judge (None: no judge).

    `cluster` has the same number for questions of the same text.
    """

    references: tuple[ReferenceAnswer, ...]
    cluster: NDArray[np.int64]
    runs: tuple[AnswerRun, ...]
    comparisons: tuple[Comparison, ...]
    seed: int
    judging: JudgeUsage | None = None

    @property
    def questions(self) -> list[DatasetQuestion]:
        """The questions that were asked, in order."""
        return [reference.question for reference in self.references]

    def estimate(self, run: AnswerRun, metric: str, at: Sequence[int] | None = None) -> Estimate | None:
        """The mean of a metric with its interval, over all questions or those `at`; None if it applies to
        none."""
        chosen = list(range(len(self.references))) if at is None else list(at)
        return estimate(run.values(metric)[chosen], self.cluster[chosen], self.seed)


def compare_answers(
    runs: Sequence[AnswerRun], references: Sequence[ReferenceAnswer], seed: int
) -> AnswerRuns:
    """The runs with their comparisons."""
    cluster = clusters([reference.question.text for reference in references])
    values = {run.name: {metric: run.values(metric) for metric in COMPARED} for run in runs}
    return AnswerRuns(tuple(references), cluster, tuple(runs), compare_pairs(values, cluster, seed), seed)
