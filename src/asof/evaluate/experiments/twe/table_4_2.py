"""`twe/4.2`: the weight of centrality."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from asof.evaluate.experiments.drawing import lines
from asof.evaluate.experiments.experiment import (
    WITHOUT_ENCODER,
    Experiment,
    ExperimentOptions,
    Outcome,
    Parameter,
)
from asof.evaluate.experiments.table import Column, Picture, Table
from asof.evaluate.experiments.twe.corpus import DATA, DOCUMENTS, MRR, PAST, SIZE
from asof.evaluate.experiments.twe.rows import point, ranking_cells, tabled, whole, without_decay
from asof.evaluate.overrides import changed
from asof.recipes.twe import TWE
from asof.schema import boolean

FIELD = "combine-2.weights.centrality"

PUBLISHED = Table.of(
    [Column("recall@5"), Column("mrr")],
    {
        "gamma=0": (0.81, 0.64), "gamma=0.3": (0.83, 0.66), "gamma=0.5": (0.85, 0.68),
        "gamma=1": (0.82, 0.65), "gamma=2": (0.77, 0.59),
    },
)  # fmt: skip
GAMMAS = {"gamma=0": 0.0, "gamma=0.3": 0.3, "gamma=0.5": 0.5, "gamma=1": 1.0, "gamma=2": 2.0}


def run(dataset: Path, options: ExperimentOptions) -> Outcome:
    """Five weights. Raises UsageError."""
    if not options.parameters["decay"]:
        options.refuse(("decay",), "age adds nothing to the score; --set decay=true adds it")
    base = whole(options) if options.parameters["decay"] else without_decay(whole(options))
    recipes = {label: changed(base, {FIELD: gamma}) for label, gamma in GAMMAS.items()}
    return tabled(dataset, recipes, options, PUBLISHED, lambda _: ranking_cells, picture=drawn)


def drawn(table: Table, caption: str) -> Sequence[Picture]:
    rows = tuple(point(table, label, gamma=gamma) for label, gamma in GAMMAS.items())
    draw = partial(lines, x="gamma", y=["recall@5", "mrr"], title="weight of centrality")
    return [Picture("twe-4.2", rows, draw, caption)]


EXPERIMENT = Experiment(
    "twe/4.2",
    "the weight gamma of corroboration by other documents",
    "TWE-RAG, README section 4.2, table",
    PUBLISHED,
    run,
    reading=(
        SIZE,
        DOCUMENTS,
        PAST,
        "Its row gamma = 0 is its hybrid of 4.1, so age adds nothing here; --set decay=true adds it.",
        "The graph is that of all passages as of the question, and only independent documents corroborate.",
        MRR,
    ),
    data=DATA,
    parameters={"decay": Parameter(False, boolean(), "whether age adds to the score")},
    recipe=TWE,
    varies=(FIELD,),
    takes=WITHOUT_ENCODER,
)
