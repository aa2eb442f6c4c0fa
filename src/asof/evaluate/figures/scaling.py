"""Latency by the size of the corpus: rows for a figure, as of several moments."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from asof.evaluate.figures.trials import StepProgress, Trials
from asof.evaluate.runs.dataset import Dataset
from asof.evaluate.runs.run import SHOWN, Run
from asof.time.span import NEVER, iso

MOMENTS = 6


@dataclass(frozen=True, slots=True)
class QueryLatencies:
    """Quartiles of the latency (ms) of a first page of hits, as of a moment, with the number of current
    passages."""

    recipe: str
    as_of: str
    passages: int
    median_ms: float
    low_ms: float
    high_ms: float
    questions: int


def moments(dataset: Dataset) -> list[int]:
    """Up to MOMENTS dates of documents, with equal numbers of documents between them."""
    dates = sorted(date for date in dataset.dates.values() if date is not None and date < NEVER)
    if not dates:
        return []
    return sorted({dates[max(len(dates) * part // MOMENTS, 1) - 1] for part in range(1, MOMENTS + 1)})


def latency_rows(trials: Trials, runs: Sequence[Run], progress: StepProgress) -> list[QueryLatencies]:
    """The latency of the questions as of each moment; the first question only warms up."""
    work = [(as_of, run) for as_of in moments(trials.dataset) for run in runs]
    rows = []
    for done, (as_of, run) in enumerate(work):
        progress(done, len(work))
        latencies = []
        for question in [trials.questions[0], *trials.questions]:
            started = time.perf_counter()
            trials.hits(question, run.recipe, SHOWN, as_of)
            latencies.append(1000 * (time.perf_counter() - started))
        low, middle, high = np.percentile(latencies[1:], [25, 50, 75]).tolist()
        passages = trials.corpus.snapshot(as_of, None).view().n
        rows.append(QueryLatencies(run.name, iso(as_of), passages, middle, low, high, len(latencies) - 1))
    return rows
