# ruff: noqa: N999  the paper numbers its tables so
"""`tgrag/IV`: specific questions, base and new ones on the updated corpus."""

from __future__ import annotations

from pathlib import Path

from asof.evaluate.experiments.drawing import beside
from asof.evaluate.experiments.experiment import Experiment, ExperimentOptions, Outcome
from asof.evaluate.experiments.table import Row, Table
from asof.evaluate.experiments.tgrag.protocol import (
    COLUMNS,
    DATA,
    JUDGE,
    LATER,
    MODELS,
    OTHERS,
    REPORTS,
    UNCACHED,
)
from asof.knowledge.tgrag import TGRAG

PUBLISHED = Table.of(
    COLUMNS,
    {
        "LLM-GT, base": (None, None, 0.902, 0.023, 0.075, 0.626, 0.647),
        "NaiveRAG, base": (None, None, 0.366, 0.347, 0.287, 0.352, 0.343),
        "QD-RAG, base": (None, None, 0.362, 0.374, 0.264, 0.354, 0.344),
        "GraphRAG, base": (30_000_000, 7_800_000, 0.380, 0.327, 0.293, 0.370, 0.369),
        "LightRAG, base": (4_600_000, 2_600_000, 0.386, 0.203, 0.412, 0.345, 0.355),
        "HippoRAG2, base": (800_000, 300_000, 0.399, 0.347, 0.253, 0.376, 0.372),
        "TG-RAG, base": (1_600_000, 2_000_000, 0.587, 0.193, 0.220, 0.483, 0.475),
        "LLM-GT, new": (None, None, 0.874, 0.044, 0.082, 0.631, 0.649),
        "NaiveRAG, new": (None, None, 0.390, 0.406, 0.205, 0.384, 0.356),
        "QD-RAG, new": (None, None, 0.407, 0.355, 0.238, 0.413, 0.386),
        "GraphRAG, new": (None, None, 0.398, 0.368, 0.234, 0.392, 0.389),
        "LightRAG, new": (None, None, 0.382, 0.229, 0.389, 0.354, 0.348),
        "HippoRAG2, new": (None, None, 0.372, 0.492, 0.136, 0.367, 0.354),
        "TG-RAG, new": (None, None, 0.617, 0.216, 0.167, 0.524, 0.487),
    },
)


def run(dataset: Path, options: ExperimentOptions) -> Outcome:
    """The systems on base and new questions after the update. Raises UsageError, ModelError."""
    from asof.evaluate.experiments.tgrag.answering import systems
    from asof.evaluate.experiments.tgrag.protocol import ask, cells, columns, notes_of

    found = ask(dataset, systems(options), options, abstract=False)
    rows, count = [], 0
    for kind, stage, cost in zip(("base", "new"), found.stages[1:], (found.update, None), strict=True):
        if stage.answers is not None:
            count += len(stage.answers.references)
            made = ((each.name, cells(stage.answers, each, cost)) for each in stage.answers.runs)
            rows += [Row(f"{name}, {kind}", row) for name, row in made]
    table = Table(columns(PUBLISHED, rows), tuple(rows))
    changed = tuple(
        f"{each.recipe}: {each.answers:,} of {each.answered:,} base questions have another answer afterwards"
        for each in found.changed
    )
    caption = f"{found.dataset.name}: {count:,} questions after the update. Intervals: 95%, bootstrap."
    picture = beside("tgrag-IV", PUBLISHED, table, caption)
    return Outcome(table, count, (*notes_of(found), *changed), found.dataset.problems, (picture,))


EXPERIMENT = Experiment(
    "tgrag/IV",
    "specific questions after an update: base and new ones, and what the update costs",
    "TG-RAG, section VI-A, table IV",
    PUBLISHED,
    run,
    reading=(MODELS, OTHERS, JUDGE, REPORTS),
    data=DATA,
    parameters={"later": LATER},
    recipe=TGRAG,
    takes=UNCACHED,
)
