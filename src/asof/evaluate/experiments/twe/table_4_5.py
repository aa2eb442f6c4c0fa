"""`twe/4.5`: how sensitive accuracy is to delta, tau and gamma, one at a time."""

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
from asof.evaluate.experiments.table import NO_TABLE, Cell, Column, Picture, Table
from asof.evaluate.experiments.twe.corpus import DATA, DOCUMENTS, PAST, SIZE
from asof.evaluate.experiments.twe.rows import (
    ACCURACY,
    SPLIT,
    TEMPORAL,
    Kinds,
    point,
    ranking_cells,
    tabled,
    whole,
)
from asof.evaluate.overrides import changed
from asof.evaluate.runs.run import Run
from asof.recipes.twe import TWE

SWEPT = {
    "delta": ("decay.delta", (0.0, 0.5, 1.0, 2.5, 4.0, 5.0)),
    "tau_min": ("decay.tau_min", (30.0, 90.0, 180.0, 365.0, 730.0)),
    "gamma": ("combine-2.weights.centrality", (0.0, 0.3, 0.5, 1.0, 2.0)),
}
"""By name: the field, and its values."""

COLUMNS = (Column("temporal"), Column("general"), Column("recall@5"), Column("mrr"))


def points() -> list[tuple[str, float, str]]:
    """Name, value and label of each row."""
    return [(name, value, f"{name}={value:g}") for name, (_, values) in SWEPT.items() for value in values]


def run(dataset: Path, options: ExperimentOptions) -> Outcome:
    """Each value of each field, all others as in the recipe. Raises UsageError."""
    base = whole(options)
    recipes = {label: changed(base, {SWEPT[name][0]: value}) for name, value, label in points()}

    def kinds(found: Evaluation) -> Kinds:
        return Kinds.of(found, base, options.parameters["temporal"])

    def both(found: Evaluation, run: Run) -> Mapping[str, Cell]:
        return {**kinds(found).accuracy(found, run), **ranking_cells(found, run)}

    return tabled(
        dataset, recipes, options, Table(COLUMNS), lambda _: both, lambda found: [kinds(found).note], drawn
    )


def drawn(table: Table, caption: str) -> Sequence[Picture]:
    """Figure 8: a picture for each field."""
    made = []
    for name in SWEPT:
        rows = tuple(point(table, label, **{name: value}) for own, value, label in points() if own == name)
        draw = partial(lines, x=name, y=["temporal", "general", "recall@5"], title=f"sensitivity to {name}")
        made.append(Picture(f"twe-fig8-{name.replace('_', '-')}", rows, draw, caption))
    return made


EXPERIMENT = Experiment(
    "twe/4.5",
    "sensitivity to delta, tau_min and gamma, one at a time",
    "TWE-RAG, README section 4.5 and figure 8, which print no numbers",
    NO_TABLE,
    run,
    reading=(
        SIZE,
        DOCUMENTS,
        PAST,
        SPLIT,
        ACCURACY,
        (
            "Its claims: temporal accuracy rises with delta from 0 to 5 (with a peak at 2.5, which the same "
            "sentence says: both cannot be); tau_min is best at 365 days, narrowly; gamma at .5, and loses "
            "sharply beyond 1."
        ),
    ),
    data=DATA,
    parameters={"temporal": TEMPORAL},
    recipe=TWE,
    varies=tuple(field for field, _ in SWEPT.values()),
    takes=WITHOUT_ENCODER,
)
