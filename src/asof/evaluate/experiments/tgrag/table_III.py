# ruff: noqa: N999  the paper numbers its tables so
"""`tgrag/III`: specific questions, base questions on the base corpus."""

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
        "LLM-GT": (None, None, 0.902, 0.023, 0.075, 0.626, 0.647),
        "NaiveRAG": (None, None, 0.385, 0.325, 0.290, 0.375, 0.366),
        "QD-RAG": (None, None, 0.380, 0.329, 0.291, 0.369, 0.359),
        "GraphRAG": (37_100_000, 17_700_000, 0.405, 0.280, 0.315, 0.371, 0.375),
        "LightRAG": (17_100_000, 9_000_000, 0.406, 0.160, 0.434, 0.350, 0.359),
        "HippoRAG2": (3_200_000, 1_100_000, 0.410, 0.345, 0.245, 0.382, 0.385),
        "TG-RAG": (6_300_000, 7_100_000, 0.599, 0.191, 0.210, 0.493, 0.490),
    },
)


def run(dataset: Path, options: ExperimentOptions) -> Outcome:
    """The systems on base questions before the update. Raises UsageError, ModelError."""
    from asof.evaluate.experiments.tgrag.answering import systems
    from asof.evaluate.experiments.tgrag.protocol import ask, cells, columns, notes_of

    found = ask(dataset, systems(options), options, abstract=False)
    answers = found.stages[0].answers
    rows = (
        () if answers is None else [Row(each.name, cells(answers, each, found.base)) for each in answers.runs]
    )
    table = Table(columns(PUBLISHED, rows), tuple(rows))
    count = 0 if answers is None else len(answers.references)
    caption = f"{found.dataset.name}: {count:,} base questions on the base. Intervals: 95%, bootstrap."
    picture = beside("tgrag-III", PUBLISHED, table, caption)
    return Outcome(table, count, notes_of(found), found.dataset.problems, (picture,))


EXPERIMENT = Experiment(
    "tgrag/III",
    "specific questions: base questions on the base corpus, and what indexing it costs",
    "TG-RAG, section VI-A, table III",
    PUBLISHED,
    run,
    reading=(MODELS, OTHERS, JUDGE, REPORTS),
    data=DATA,
    parameters={"later": LATER},
    recipe=TGRAG,
    takes=UNCACHED,
)
