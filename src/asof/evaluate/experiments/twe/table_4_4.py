"""`twe/4.4`: the budget of candidates, and what halting saves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from asof.evaluate.evaluation import Evaluation
from asof.evaluate.experiments.drawing import lines
from asof.evaluate.experiments.experiment import (
    WITHOUT_ENCODER,
    Experiment,
    ExperimentOptions,
    Outcome,
)
from asof.evaluate.experiments.measure import LATENCY, cells
from asof.evaluate.experiments.table import Cell, Column, Picture, Table
from asof.evaluate.experiments.twe.corpus import DATA, DOCUMENTS, MRR, PAST, SIZE
from asof.evaluate.experiments.twe.rows import point, tabled, whole
from asof.evaluate.runs.run import Run
from asof.recipes.twe import TWE

PUBLISHED = Table.of(
    [Column("mean K", "low", 1), Column("saved"), Column("recall@5"), Column("mrr")],
    {"Disabled (K=100)": (100, 0.0, 0.85, 0.68), "Enabled (30/60/100)": (58, 0.42, 0.84, 0.67)},
)
FIXED = (10, 20, 30, 60)
"""Further numbers of candidates, as in figure 5."""

COLUMNS = {"mean K": "candidates", "saved": "saved", "recall@5": "recall@5", "mrr": "mrr", LATENCY: LATENCY}


def run(dataset: Path, options: ExperimentOptions) -> Outcome:
    """A hundred candidates, halting, and fixed numbers. Raises UsageError."""
    base = whole(options)
    recipes = {
        "Disabled (K=100)": base.replaced({"budgeted_rerank.sizes": [100, 100, 100]}),
        "Enabled (30/60/100)": base,
        **{f"K={size}": base.replaced({"budgeted_rerank.sizes": [size, size, size]}) for size in FIXED},
    }
    like = Table((*PUBLISHED.columns, Column(LATENCY, "low", 1)))
    return tabled(dataset, recipes, options, like, lambda _: _cells, picture=drawn)


def _cells(evaluation: Evaluation, run: Run) -> Mapping[str, Cell]:
    return cells(evaluation, run, COLUMNS)


def drawn(table: Table, caption: str) -> Sequence[Picture]:
    """Figure 5: the metrics by the number of candidates, and where halting lies."""
    rows = [point(table, f"K={size}", K=float(size), budget="fixed") for size in FIXED]
    rows.append(point(table, "Disabled (K=100)", K=100.0, budget="fixed"))
    halting = point(table, "Enabled (30/60/100)", budget="halting")
    rows.append({"K": halting["mean K"], **halting})
    draw = partial(lines, x="K", y=["recall@5", "mrr"], series="budget", title="budget of candidates")
    return [Picture("twe-fig5-halting", tuple(rows), draw, caption)]


EXPERIMENT = Experiment(
    "twe/4.4",
    "halting: how many candidates are ranked, what is saved, what is lost",
    "TWE-RAG, README section 4.4, table, and figure 5",
    PUBLISHED,
    run,
    reading=(
        SIZE,
        DOCUMENTS,
        PAST,
        (
            "The paper leaves open over how many results margin and agreement are taken: five here, and "
            "agreement is an edge in the evidence graph."
        ),
        (
            "K is for how many candidates the whole score was computed; saved is the share of the budget of "
            "100 for which it was not."
        ),
        (
            "Agreement above .8 wants four of the first five documents to corroborate the first: a corpus in "
            "which few documents tell the same never halts, and saves nothing."
        ),
        MRR,
    ),
    data=DATA,
    recipe=TWE,
    varies=("budgeted_rerank.sizes",),
    takes=WITHOUT_ENCODER,
)
