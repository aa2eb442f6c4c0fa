# ruff: noqa: N999  the paper numbers its tables so
"""`tgrag/X`: questions of other sets, most of them without a time."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from asof.evaluate.experiments.drawing import beside
from asof.evaluate.experiments.experiment import Experiment, ExperimentOptions, Outcome, Parameter
from asof.evaluate.experiments.table import Cell, Column, Row, Table
from asof.knowledge.tgrag import TGRAG
from asof.schema import one_of

if TYPE_CHECKING:
    from asof.evaluate.answers.run import AnswerRun
    from asof.evaluate.runs.compare import Floats

LLAMA = (
    "The paper indexes and answers with Llama-3.3-70B-Instruct and encodes with NV-Embed-v2; here that is "
    "the [model] of asof.toml and --encoder. Without a model answers are quotes, whose F1 is low where the "
    "right answer is short."
)
SETS = ("NaturalQuestions", "2WikiMultihopQA", "HotpotQA")
OTHER = "this set"

PUBLISHED = Table.of(
    [Column(name) for name in SETS],
    {
        "NaiveRAG": (0.619, 0.615, 0.753),
        "GraphRAG": (0.469, 0.586, 0.686),
        "LightRAG": (0.166, 0.116, 0.024),
        "HippoRAG2": (0.633, 0.710, 0.755),
        "TG-RAG": (0.648, 0.719, 0.757),
    },
)


def best_f1(run: AnswerRun) -> Floats:
    """F1 of each answer with the accepted answer that it is nearest to; 0 for a refusal."""
    import numpy as np

    from asof.evaluate.answers.metrics import refuses
    from asof.evaluate.answers.word_overlap import f1, uncited

    values = []
    for each in run.replies:
        text = uncited(each.answer.text)
        shared = [f1(text, accepted) for accepted in each.reference.accepted]
        values.append(0.0 if refuses(each.answer) else max(shared, default=np.nan))
    return np.array(values, np.float64)


def run(dataset: Path, options: ExperimentOptions) -> Outcome:
    """NaiveRAG, QD-RAG, TG-RAG on the questions of the set. Raises UsageError, ModelError."""
    from asof.evaluate.experiments.tgrag.answering import GOLD, systems
    from asof.evaluate.experiments.tgrag.protocol import asked
    from asof.evaluate.runs.compare import estimate

    compared = {name: recipe for name, recipe in systems(options).items() if name != GOLD}
    found, answers = asked(dataset, compared, options)
    column = options.parameters["set"]
    ranked = {each.name: each for each in found.runs}
    rows = []
    for each in answers.runs:
        cells: dict[str, Cell] = {column: estimate(best_f1(each), answers.cluster, options.seed)}
        if each.name in ranked:
            cells["recall@5"] = found.estimate(ranked[each.name], "recall@5")
        rows.append(Row(each.name, cells))
    own = () if column in SETS else (Column(column),)
    table = Table((*PUBLISHED.columns, *own, Column("recall@5")), tuple(rows))
    count = len(answers.references)
    caption = f"{found.dataset.name}: {count:,} questions. Intervals: 95%, bootstrap."
    return Outcome(
        table, count, found.notes, found.dataset.problems, (beside("tgrag-X", PUBLISHED, table, caption),)
    )


EXPERIMENT = Experiment(
    "tgrag/X",
    "questions of other sets: F1 of answers",
    "TG-RAG, section VI-C, table X",
    PUBLISHED,
    run,
    reading=(
        LLAMA,
        "F1 is that with the nearest of the accepted answers.",
        "A question that names no time is not filtered by time, as in the paper.",
        "recall@5 is ours: whether the passages were found, whatever was answered.",
    ),
    data="one of its three sets, as a folder of asof evaluate",
    parameters={"set": Parameter(OTHER, one_of(*SETS, OTHER), "which of the paper's sets it is")},
    recipe=TGRAG,
)
