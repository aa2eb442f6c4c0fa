"""How long a question takes, by how much there was to look at: as of moments of the corpus."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from asof.corpus.snapshot import Snapshot
from asof.evaluate.figures.trials import Tell, Trials
from asof.evaluate.runs.dataset import Dataset
from asof.evaluate.runs.run import SHOWN, Run
from asof.time.span import NEVER, iso

MOMENTS = 6


@dataclass(frozen=True, slots=True)
class QueryLatencies:
    """Latencies (ms, quartiles) of the first ten hits as of a moment when so many passages are in force."""

    recipe: str
    as_of: str
    passages: int
    median_ms: float
    low_ms: float
    high_ms: float
    questions: int


def moments(dataset: Dataset) -> list[int]:
    """Up to six different dates of documents, an equal number of documents from each to the next."""
    dates = sorted(date for date in dataset.dates.values() if date is not None and date < NEVER)
    if not dates:
        return []
    return sorted({dates[max(len(dates) * part // MOMENTS, 1) - 1] for part in range(1, MOMENTS + 1)})


def timed(trials: Trials, runs: Sequence[Run], tell: Tell) -> list[QueryLatencies]:
    """How long the questions take as of each of a few moments; the first of them only warms up."""
    work = [(as_of, run) for as_of in moments(trials.dataset) for run in runs]
    rows = []
    for done, (as_of, run) in enumerate(work):
        tell(done, len(work))
        took = []
        for question in [trials.questions[0], *trials.questions]:
            started = time.perf_counter()
            trials.hits(question, run.recipe, SHOWN, as_of)
            took.append(1000 * (time.perf_counter() - started))
        low, middle, high = np.percentile(took[1:], [25, 50, 75]).tolist()
        passages = Snapshot(trials.corpus, as_of, None).view().n
        rows.append(QueryLatencies(run.name, iso(as_of), passages, middle, low, high, len(took) - 1))
    return rows
