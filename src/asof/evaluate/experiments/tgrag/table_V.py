# ruff: noqa: N999  the paper numbers its tables so
"""`tgrag/V`: abstract questions, answers compared in pairs by a judge."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from asof.evaluate.experiments.drawing import beside
from asof.evaluate.experiments.experiment import Experiment, ExperimentOptions, Outcome
from asof.evaluate.experiments.table import Cell, Column, Row, Table
from asof.evaluate.experiments.tgrag.protocol import DATA, LATER, MODELS, UNCACHED
from asof.knowledge.tgrag import TGRAG

if TYPE_CHECKING:
    from asof.evaluate.answers.results import PreferenceCount

STAGES = ("base@base", "base@updated", "new@updated")
DIMENSIONS = ("comprehensiveness", "diversity", "temporal_coverage", "overall")
BOTH_ORDERS = (
    "Each pair is judged in both orders, and is a tie, half a win, where the two disagree; the paper names a "
    "winner each time, does not say in which order, and has a pair of shares that add up to 1.041."
)
_PRINTED = (
    (0.833, 0.833, 0.986), (0.514, 0.569, 0.903), (0.889, 0.764, 0.986), (0.833, 0.819, 0.986),
    (0.778, 0.833, 0.972), (0.528, 0.625, 0.958), (0.889, 0.736, 0.972), (0.764, 0.819, 0.972),
    (0.893, 0.786, 1.000), (0.643, 0.464, 0.929), (1.000, 0.679, 0.893), (0.893, 0.750, 1.000),
)  # fmt: skip

PUBLISHED = Table.of(
    [Column("over GraphRAG"), Column("over HippoRAG2"), Column("over LightRAG")],
    {
        f"{stage}, {dimension}": _PRINTED[4 * at + number]
        for at, stage in enumerate(STAGES)
        for number, dimension in enumerate(DIMENSIONS)
    },
)


def share(counted: PreferenceCount) -> Cell:
    """How often TG-RAG, the second of the pair, is preferred; a tie is half a win. None without a verdict."""
    usable = counted.a_better + counted.b_better + counted.ties
    return (counted.b_better + counted.ties / 2) / usable if usable else None


def run(dataset: Path, options: ExperimentOptions) -> Outcome:
    """TG-RAG against the baselines at each stage. Raises UsageError without a model, ModelError."""
    from asof.evaluate.experiments.tgrag.answering import NAIVE, OURS, SPLIT, systems
    from asof.evaluate.experiments.tgrag.protocol import ask, notes_of

    if options.config.model is None:
        raise options.config.lacking("model", "tgrag/V asks a language model to judge")
    compared = {name: each for name, each in systems(options).items() if name in (NAIVE, SPLIT, OURS)}
    found = ask(dataset, compared, options, abstract=True)
    rows: dict[str, dict[str, Cell]] = {}
    count = 0
    for stage in found.stages:
        if stage.answers is None or stage.answers.judging is None:
            continue
        count += len(stage.answers.references)
        for each in stage.answers.judging.preferred:
            if each.b == OURS:
                cells = rows.setdefault(f"{stage.name}, {each.dimension}", {})
                cells[f"over {each.a}"] = share(each)
    ours = (Column(f"over {NAIVE}"), Column(f"over {SPLIT}"))
    table = Table((*PUBLISHED.columns, *ours), tuple(Row(label, cells) for label, cells in rows.items()))
    caption = f"{found.dataset.name}: {count:,} abstract questions, answers of TG-RAG preferred."
    picture = beside("tgrag-V", PUBLISHED, table, caption)
    return Outcome(table, count, notes_of(found), found.dataset.problems, (picture,))


EXPERIMENT = Experiment(
    "tgrag/V",
    "abstract questions: how often a judge prefers TG-RAG's answer",
    "TG-RAG, section VI-A, table V",
    PUBLISHED,
    run,
    reading=(
        MODELS,
        "The systems of the paper's columns are not here: TG-RAG is compared with NaiveRAG and QD-RAG.",
        BOTH_ORDERS,
    ),
    data=DATA + '; abstract questions have "abstract": true',
    parameters={"later": LATER},
    recipe=TGRAG,
    takes=UNCACHED,
)
