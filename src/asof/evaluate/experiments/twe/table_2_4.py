"""`twe/2.4`: the range of scores, and what they consist of."""

from __future__ import annotations

from pathlib import Path

from asof import environment
from asof.evaluate.experiments.experiment import (
    WITHOUT_ENCODER,
    Experiment,
    ExperimentOptions,
    Outcome,
)
from asof.evaluate.experiments.measure import measure
from asof.evaluate.experiments.pictures import as_evaluated
from asof.evaluate.experiments.table import Cell, Column, Table
from asof.evaluate.experiments.twe.corpus import DATA, DOCUMENTS, PAST, SETTINGS
from asof.evaluate.experiments.twe.rows import which_asked, whole
from asof.recipes.twe import TWE

COLUMNS = [Column("least", ""), Column("mean", ""), Column("most", "")]

PUBLISHED = Table.of(COLUMNS, {"score": (0.0, None, 5.5)})

LIMIT = 100
"""The most questions whose scores are taken apart."""


def run(dataset: Path, options: ExperimentOptions) -> Outcome:
    """The scores of the first hundred, and the parts of the first ten. Raises UsageError."""
    from asof.evaluate.figures import drawing
    from asof.evaluate.figures.score_parts import score_part_rows
    from asof.evaluate.figures.trials import Trials
    from asof.evaluate.runs.corpus import prepared

    found = measure(dataset, {"twe": whole(options)}, options, SETTINGS)
    scores = [score for each in found.runs[0].results for _, score in each.ranking]
    rows: dict[str, tuple[Cell, ...]] = {"score": _range(scores)}
    cache = options.cache or environment.cache_folder()
    with prepared(found.dataset, found.options.settings, cache, options.encoder) as corpus:
        trials = Trials.of(found, corpus, LIMIT)
        parts = score_part_rows(trials, found.runs, lambda done, of: options.progress("parts", done, of))
    for label in dict.fromkeys(row.part for row in parts):
        means = [row.mean for row in parts if row.part == label]
        rows[f"part: {label}"] = _range(means)
    notes = which_asked(trials, "parts of the score")
    caption = f"{found.dataset.name}: means over the questions that have a document of that rank."
    return Outcome(
        Table.of(COLUMNS, rows), len(found.questions), (*notes, *found.notes),
        found.dataset.problems,
        (as_evaluated("twe-fig4-scores", parts, drawing.parts, caption),),
    )  # fmt: skip


def _range(values: list[float]) -> tuple[Cell, ...]:
    return (min(values), sum(values) / len(values), max(values)) if values else (None, None, None)


EXPERIMENT = Experiment(
    "twe/2.4",
    "the range of the unified score, and its parts",
    "TWE-RAG, README section 2.4 and figure 4",
    PUBLISHED,
    run,
    reading=(
        DOCUMENTS,
        PAST,
        (
            "The most that the formula admits is alpha + beta + gamma + delta = 5 with the default weights; "
            "the text says about 5.5."
        ),
        "Rows of parts: the least and the most of the means at ranks 1 to 10.",
    ),
    data=DATA,
    recipe=TWE,
    takes=WITHOUT_ENCODER,
)
