"""Questions whose judgements were made by hidden weights."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from asof.extensions.lab.tuning import TuningQuestions
from asof.extensions.systems.learning import Box, ExpressionLosses, JudgedQuery, JudgedScores
from asof.extensions.systems.loss import gains
from asof.extensions.systems.recipes import PAPERS

WEIGHTS = tuple(f"combine.weights.{name}" for name in ("similarity", "freshness", "coverage", "volume"))
BOX = Box.of(PAPERS, WEIGHTS)
GRADES = (3, 2, 2, 1, 1, 1)
DOCUMENTS = 25

Floats = NDArray[np.float64]


def nowhere(do: object) -> None:
    """Nothing is searched."""


def weighed(columns: Floats, settings: Floats) -> Floats:
    """The weighted sums (m, n) of the columns (n, d) at settings (m, d)."""
    return sum(settings[:, [at]] * column for at, column in enumerate(columns.T))  # type: ignore[no-any-return]


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
        found.append(JudgedScores(partial(weighed, columns), every, gain, DOCUMENTS))
        right = {str(at): each for at, each in enumerate(gain.tolist())}
        posed.append(JudgedQuery(None, nowhere, right))  # type: ignore[arg-type]
    table = ExpressionLosses(posed, found, 5)

    texts = [f"question {at}" for at in range(questions)]
    return TuningQuestions("planted", PAPERS, BOX, texts, table)
