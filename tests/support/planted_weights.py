"""Questions whose judgements were made by hidden weights."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from asof.extensions.lab.tuning import TuningQuestions
from asof.extensions.systems.learning import Box, ExpressionLosses, JudgedQuery, JudgedScores, place_of
from asof.extensions.systems.loss import gains
from asof.extensions.systems.recipes import PAPERS
from asof.rank.expression import Constant, Given, product, total

WEIGHTS = tuple(f"combine.weights.{name}" for name in ("similarity", "freshness", "coverage", "volume"))
BOX = Box.of(PAPERS, WEIGHTS)
GRADES = (3, 2, 2, 1, 1, 1)
DOCUMENTS = 25

Floats = NDArray[np.float64]


def nowhere(do: object) -> None:
    """Nothing is searched."""


def planted(
    seed: int, hidden: Floats, questions: int = 60, noise: float = 0.02, *, shuffled: bool = False
) -> TuningQuestions:
    """The best documents by a hidden sum of their columns, plus noise, are right; `shuffled`: any of them."""
    rng = np.random.default_rng(seed)
    found, posed = [], []
    every = np.arange(DOCUMENTS, dtype=np.int64)
    for _ in range(questions):
        columns = rng.random((DOCUMENTS, 4))
        order = np.argsort(-(columns @ hidden + rng.normal(0, noise, DOCUMENTS)), kind="stable")
        grades = np.zeros(DOCUMENTS)
        grades[(rng.permutation(DOCUMENTS) if shuffled else order)[: len(GRADES)]] = GRADES
        gain = np.array(gains(grades.tolist()))
        weighed = [
            product(name, Given(name, column), Constant("weight", 1.0, *name.split(".", 1)))
            for name, column in zip(WEIGHTS, columns.T, strict=True)
        ]
        of = total("paper", *weighed)
        found.append(JudgedScores(of, place_of(PAPERS, BOX), every, every, gain, DOCUMENTS))
        right = {str(at): each for at, each in enumerate(gain.tolist())}
        posed.append(JudgedQuery(None, (0, None), nowhere, right))  # type: ignore[arg-type]
    table = ExpressionLosses(posed, found, 5)

    texts = [f"question {at}" for at in range(questions)]
    return TuningQuestions("planted", PAPERS, BOX, texts, table)
