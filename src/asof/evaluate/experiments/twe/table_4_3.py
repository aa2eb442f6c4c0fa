"""`twe/4.3`: delta and tau, temporal and general questions apart."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from asof.evaluate.evaluation import Evaluation
from asof.evaluate.experiments.drawing import heat
from asof.evaluate.experiments.experiment import (
    WITHOUT_ENCODER,
    Experiment,
    ExperimentOptions,
    Outcome,
)
from asof.evaluate.experiments.table import Column, Picture, Table
from asof.evaluate.experiments.twe.corpus import DATA, DOCUMENTS, PAST, SIZE
from asof.evaluate.experiments.twe.rows import ACCURACY, SPLIT, TEMPORAL, Kinds, point, tabled, whole
from asof.recipes.twe import TWE

PUBLISHED = Table.of(
    [Column("temporal"), Column("general")],
    {
        "delta=0": (0.42, 0.85), "delta=2.5 tau_min=90": (0.68, 0.83),
        "delta=2.5 tau_min=365": (0.89, 0.82), "delta=5 tau_min=365": (0.91, 0.78),
    },
)  # fmt: skip
DELTAS, DAYS = (1.0, 2.5, 5.0), (30.0, 90.0, 365.0)
"""The grid: the published rows, and what lies between and around them."""


def label(delta: float, days: float) -> str:
    return f"delta={delta:g} tau_min={days:g}"


def run(dataset: Path, options: ExperimentOptions) -> Outcome:
    """Every pair of the grid, and no decay. Raises UsageError."""
    base = whole(options)
    recipes = {"delta=0": base.replaced({"decay.delta": 0.0})}
    for delta in DELTAS:
        for days in DAYS:
            recipes[label(delta, days)] = base.replaced({"decay.delta": delta, "decay.tau_min": days})

    def kinds(found: Evaluation) -> Kinds:
        return Kinds.of(found, base, options.parameters["temporal"])

    return tabled(
        dataset, recipes, options, PUBLISHED, lambda found: kinds(found).accuracy,
        lambda found: [kinds(found).note], drawn,
    )  # fmt: skip


def drawn(table: Table, caption: str) -> Sequence[Picture]:
    rows = [point(table, "delta=0", delta=0.0, tau_min=days) for days in DAYS]
    rows += [point(table, label(delta, days), delta=delta, tau_min=days) for delta in DELTAS for days in DAYS]
    draw = partial(heat, x="tau_min", y="delta", values=["temporal", "general"], title="accuracy")
    return [Picture("twe-4.3", tuple(rows), draw, caption)]


EXPERIMENT = Experiment(
    "twe/4.3",
    "delta and tau_min of the decay, temporal questions and general ones apart",
    "TWE-RAG, README section 4.3, table",
    PUBLISHED,
    run,
    reading=(
        SIZE,
        DOCUMENTS,
        PAST,
        SPLIT,
        ACCURACY,
        "Section 2.3 has tau_min = 90 as the default, 4.3 calls 365 optimal: recipes twe and twe-365.",
    ),
    data=f"500 temporal questions on {DATA}",
    parameters={"temporal": TEMPORAL},
    recipe=TWE,
    varies=("decay.delta", "decay.tau_min"),
    takes=WITHOUT_ENCODER,
)
