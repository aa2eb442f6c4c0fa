"""`twe/2.3`: how questions are read for recency, and how the worth of a document fades."""

from __future__ import annotations

from pathlib import Path

from asof.evaluate.experiments.experiment import (
    WITHOUT_ENCODER,
    Experiment,
    ExperimentOptions,
    Outcome,
)
from asof.evaluate.experiments.measure import measure
from asof.evaluate.experiments.pictures import as_evaluated
from asof.evaluate.experiments.table import Cell, Column, Table
from asof.evaluate.experiments.twe.corpus import SETTINGS
from asof.evaluate.experiments.twe.rows import whole
from asof.rank.features.decay import Decay
from asof.recipes.twe import TWE

COLUMNS = [Column("delta", ""), Column("tau", "", 0), Column("decay", "")]

PUBLISHED = Table.of(
    COLUMNS,
    {
        "recency question": (2.5, 90, None),
        "general question": (0.75, 538, None),
        "age tau": (None, None, 0.368),
        "age 2 tau": (None, None, 0.135),
        "age 3 tau": (None, None, 0.050),
    },
)


def run(dataset: Path, options: ExperimentOptions) -> Outcome:
    """The numbers of the stage itself, and figure 3 by running it; the dataset tells how often which holds.

    Raises UsageError.
    """
    from asof.evaluate.figures import drawing
    from asof.evaluate.figures.age_curves import age_rows

    recipe = whole(options)
    decay = next(stage for stage in recipe.stages if isinstance(stage, Decay))
    found = measure(dataset, {"twe": recipe}, options, SETTINGS)
    curves = age_rows(found.runs)
    rows: dict[str, tuple[Cell, Cell, Cell]] = {
        "recency question": (*decay.adapted(1.0), None),
        "general question": (*decay.adapted(decay.general), None),
    }
    for times in (1, 2, 3):
        rows[f"age {times} tau".replace(" 1 ", " ")] = (None, None, _faded(decay, times))
    wishes = sum(decay.recency(question.text) == 1.0 for question in found.questions)
    note = f"{wishes:,} of {len(found.questions):,} questions of the dataset are recency questions"
    caption = "Computed by the stage of the recipe, over passages of all ages."
    picture = as_evaluated("twe-fig3-decay", curves, drawing.decay, caption)
    return Outcome(
        Table.of(COLUMNS, rows),
        len(found.questions),
        (note, *found.notes),
        found.dataset.problems,
        (picture,),
    )


def _faded(decay: Decay, times: int) -> float:
    """What the stage gives a passage of so many tau for a recency question, over what it gives a new one.

    It is run over passages of two ages: 0 and that one, rounded to whole days.
    """
    from asof.evaluate.figures.age_curves import weights_at

    delta, tau = decay.adapted(1.0)
    return weights_at(decay, "What is the latest?", [0, round(times * tau)])[1] / delta


EXPERIMENT = Experiment(
    "twe/2.3",
    "recency of questions, and the decay with age",
    "TWE-RAG, README section 2.3 and figure 3",
    PUBLISHED,
    run,
    reading=(
        "The text also calls tau of a general question two years; its formula gives 538 days, which holds.",
        "Ages are whole days, so 90 days and two or three times as many are exact multiples of tau.",
        "Words that ask for the newest count as whole words; the published code finds now in snow.",
    ),
    data="any folder as of asof evaluate: the numbers do not depend on it",
    recipe=TWE,
    takes=WITHOUT_ENCODER,
)
