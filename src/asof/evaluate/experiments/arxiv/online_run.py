"""Questions asked one after the other, each ranked by what was learned from those before."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from asof.evaluate.experiments.arxiv.judged import JudgedQuestions, start_of
from asof.learn.online import OnlineLearner

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Step:
    """A question, its number from 1, its stage, what its setting lost on it and, on average, on the questions
    until then, and what the initial numbers lost on them."""

    question: int
    stage: str
    setting: dict[str, float]
    loss: float
    on_all: float
    initial: float


@dataclass(frozen=True, slots=True)
class OnlineRun:
    """All steps, and the setting (d,) of the lowest expected loss at the end."""

    steps: tuple[Step, ...]
    best: Floats


def run_online(judged: JudgedQuestions, first: int, seed: int) -> OnlineRun:
    """Learn from the first questions, as `asof papers` does when all hits of each are graded at once.

    All settings that were tried are compared on the questions until then (`OnlineLearner.rescore`).
    """
    start = judged.box.project(start_of(judged.recipe, judged.box))
    learner = OnlineLearner.begin(judged.box, start, seed)
    steps = []
    for number in range(1, first + 1):
        stage, named = learner.stage, learner.ask()
        setting, asked = np.array(list(named.values())), np.arange(number)
        lost = judged.table.losses(np.stack([setting, start]), asked)
        learner.tell(float(lost[0, -1]))
        learner.rescore(_means(judged.table.losses(learner.settings, asked)))
        on_all, initial = _means(lost)
        steps.append(Step(number, stage, named, float(lost[0, -1]), on_all, initial))
    return OnlineRun(tuple(steps), np.array(list(learner.best.values())))


def _means(losses: Floats) -> Sequence[float]:
    return [math.fsum(each) / len(each) for each in losses.tolist()]
