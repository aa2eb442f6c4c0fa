"""Questions whose judgements were made by hidden weights, which tuning has to find; shuffled, by nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from asof.learn.box import Box
from asof.learn.judged_query import JudgedQuery
from asof.learn.judged_scores import JudgedScores, place_of
from asof.learn.loss import gains
from asof.learn.loss_table import ExpressionLosses
from asof.papers.recipe import PAPERS
from asof.rank.expression import Constant, Given, product, total
from asof.rank.recipe import Recipe, value_of
from asof.tuning.outcome import TuningOutcome
from asof.tuning.tune import TuningOptions, tune
from asof.tuning.tuning_questions import Ints, Measure, TuningQuestions

WEIGHTS = tuple(f"combine.weights.{name}" for name in ("similarity", "freshness", "coverage", "volume"))
GRADES = (3, 2, 2, 1, 1, 1, 1, 1)
"""Of the first documents by the hidden score."""

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Planted:
    """Material, its hidden weights (4,), and the box."""

    material: TuningQuestions
    hidden: Floats
    box: Box

    @property
    def table(self) -> ExpressionLosses:
        table = self.material.table
        assert isinstance(table, ExpressionLosses)
        return table


def planted(
    seed: int, questions: int = 150, documents: int = 60, noise: float = 0.03, *, shuffled: bool = False
) -> Planted:
    """Documents with four columns from 0 to 1; grades by a hidden sum of them plus noise (the standard
    deviation; that of the sum is about .1). `shuffled`: a question's grades fall on any of its documents."""
    rng = np.random.default_rng(seed)
    box = Box.of(PAPERS, WEIGHTS)
    hidden = box.sample(rng, 8)[seed % 8]
    found, posed = [], []
    for _ in range(questions):
        columns = rng.random((documents, 4)) ** (1.0, 2.0, 1.0, 2.0)
        order = np.argsort(-(columns @ hidden + rng.normal(0, noise, documents)), kind="stable")
        grades = np.zeros(documents)
        grades[rng.permutation(documents)[: len(GRADES)] if shuffled else order[: len(GRADES)]] = GRADES
        gain = np.array(gains(grades.tolist()))
        found.append(scored(columns, gain, box))
        posed.append(posed_of(gain))
    table = ExpressionLosses(posed, found, 10)
    texts = [f"question {at}" for at in range(questions)]
    material = TuningQuestions(
        "planted",
        PAPERS,
        box,
        10,
        table,
        by_table(table, box),
        texts,
        [[] for _ in texts],
        [[] for _ in texts],
    )
    return Planted(material, hidden, box)


def scored(columns: Floats, gain: Floats, box: Box) -> JudgedScores:
    """One passage for each document: the sum of weight times column."""
    every = np.arange(len(columns), dtype=np.int64)
    weighed = [
        product(name, Given(name, column), Constant("weight", 1.0, *name.split(".", 1)))
        for name, column in zip(WEIGHTS, columns.T, strict=True)
    ]
    of = total("paper", *weighed)
    return JudgedScores(of, place_of(PAPERS, box), every, every, gain, len(columns))


def nowhere(do: object) -> None:
    """Nothing is searched."""


def posed_of(gain: Floats) -> JudgedQuery:
    """A question that nothing is asked of."""
    right = {str(at): each for at, each in enumerate(gain.tolist())}
    return JudgedQuery(None, (0, None), nowhere, right)  # type: ignore[arg-type]


def by_table(table: ExpressionLosses, box: Box) -> Measure:
    """Questions are judged as the table has them."""

    def measure(recipe: Recipe, which: Ints, advance: Callable[[], None]) -> Floats:
        for _ in which:
            advance()
        setting = np.array([[value_of(recipe, name) for name in box.names]])
        return np.asarray(1 - table.losses(setting, which)[0])

    return measure


@dataclass(frozen=True, slots=True)
class Recovered:
    """What tuning found: the mean nDCG on fresh questions of the same hidden weights, at the start, as tuned,
    and by the hidden weights; how far the weights are off (the sum of differences)."""

    tuning: TuningOutcome
    start: float
    tuned: float
    hidden: float
    off: float

    @property
    def near(self) -> bool:
        """Within a hundredth of what the hidden weights have."""
        return self.tuned >= self.hidden - 0.01


def recovered(seed: int) -> Recovered:
    """Tune on planted questions, and judge on others that nobody saw."""
    made = planted(seed)
    found = tune(made.material, TuningOptions(seed=seed))
    values = np.array([found.values[name] for name in made.box.names])
    start = np.array([value_of(PAPERS, name) for name in made.box.names])
    settings = np.array([start, values, made.hidden])
    means = (1 - fresh_questions(seed, made).losses(settings).mean(axis=1)).tolist()
    return Recovered(found, means[0], means[1], means[2], float(np.abs(values - made.hidden).sum()))


def fresh_questions(seed: int, made: Planted, questions: int = 500, noise: float = 0.03) -> ExpressionLosses:
    """Others by the same hidden weights."""
    rng = np.random.default_rng(10_000 + seed)
    found, posed = [], []
    for _ in range(questions):
        columns = rng.random((60, 4)) ** (1.0, 2.0, 1.0, 2.0)
        order = np.argsort(-(columns @ made.hidden + rng.normal(0, noise, 60)), kind="stable")
        grades = np.zeros(60)
        grades[order[: len(GRADES)]] = GRADES
        gain = np.array(gains(grades.tolist()))
        found.append(scored(columns, gain, made.box))
        posed.append(posed_of(gain))
    return ExpressionLosses(posed, found, 10)
