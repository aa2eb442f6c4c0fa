"""`tempralm/1`: recall by the form of the question, with and without the temporal score."""

from __future__ import annotations

from pathlib import Path

from asof.evaluate.experiments.drawing import beside
from asof.evaluate.experiments.experiment import Experiment, ExperimentOptions, Outcome
from asof.evaluate.experiments.table import Column, Row, Table
from asof.evaluate.experiments.tempralm.forms import (
    ALL_VISIBLE,
    DATA,
    FORMS,
    OWN_FACTS,
    SETTINGS,
    WITH,
    WITHOUT,
    WORDS,
    places_by_form,
    without_time,
)
from asof.recipes.tempralm import TEMPRALM

METRICS = {f"recall@{k}": f"recall@{k}" for k in (1, 5, 10)}

PUBLISHED = Table((*map(Column, METRICS), Column("questions", "", 0)))


def run(dataset: Path, options: ExperimentOptions) -> Outcome:
    """Two rankings of the same questions, by form. Raises UsageError."""
    from asof.evaluate.experiments.measure import cells, measure

    whole = options.applied(TEMPRALM)
    found = measure(
        dataset, {WITHOUT: without_time(whole), WITH: whole}, options, SETTINGS, tuple(METRICS.values())
    )
    rows = tuple(
        Row(f"{form}, {each.name}", {**cells(found, each, METRICS, at), "questions": len(at)})
        for form, at in places_by_form(found.questions).items()
        for each in found.runs
    )
    table = Table(PUBLISHED.columns, rows)
    drawn = Table(PUBLISHED.columns[:-1], rows)
    caption = f"{found.dataset.name}: {len(found.questions):,} questions. Intervals: 95%, bootstrap."
    return Outcome(
        table, len(found.questions), found.notes, found.dataset.problems,
        (beside("tempralm-1", PUBLISHED, drawn, caption),),
    )  # fmt: skip


EXPERIMENT = Experiment(
    "tempralm/1",
    "recall by form of the question, with and without the temporal score",
    "TempRALM, table 1 (recall of the retriever on TPQ-2019 and TPQ-2020)",
    PUBLISHED,
    run,
    reading=(
        "The text that is reproduced prints no figure of the table, but what is to be seen in it.",
        "Recall@1 is to be equal where the year is that of a passage, and to rise where it is not.",
        OWN_FACTS,
        FORMS,
        ALL_VISIBLE,
        WORDS,
        "Speculative questions: --set gap.mask=false ranks what is later than the year that is named, too.",
    ),
    data=DATA,
    recipe=TEMPRALM,
)
