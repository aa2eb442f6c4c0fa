# ruff: noqa: N999  the paper numbers its tables so
"""`tgrag/IX`: TG-RAG with different language models that answer."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from asof.evaluate.experiments.drawing import beside
from asof.evaluate.experiments.experiment import Experiment, ExperimentOptions, Outcome, Parameter
from asof.evaluate.experiments.table import Cell, Column, Row, Table
from asof.evaluate.experiments.tgrag.protocol import ALL_ASKED, ANSWERS, DATA, JUDGE, METRICS
from asof.knowledge.tgrag import TGRAG
from asof.schema import AcceptedValue

PUBLISHED = Table.of(
    [Column("correct"), Column("refusal", ""), Column("incorrect", "low"), Column("rouge_l"), Column("f1")],
    {
        "GPT-4o-mini": (0.599, 0.191, 0.210, 0.493, 0.490),
        "Llama-3.3-70B-Instruct": (0.466, 0.373, 0.160, 0.419, 0.403),
        "Qwen3-235B-A22B-Instruct-2507": (0.619, 0.200, 0.180, 0.500, 0.482),
        "DeepSeek-R1": (0.625, 0.174, 0.201, 0.493, 0.468),
    },
)


def _names(value: object) -> bool:
    if not isinstance(value, list | tuple) or not all(isinstance(each, str) and each for each in value):
        return False
    return len(set(value)) == len(value)


def run(dataset: Path, options: ExperimentOptions) -> Outcome:
    """Each model on the specific questions. Raises UsageError without a model, ModelError."""
    from asof.evaluate.answers.models import EvaluationModels
    from asof.evaluate.experiments.tgrag.protocol import asked

    config = options.config
    if config.model is None:
        raise config.lacking("model", "tgrag/IX asks language models")
    names = tuple(options.parameters["models"]) or (config.model.model,)
    rows, notes = [], dict[str, None]()
    for name in names:
        writes = replace(config, model=replace(config.model, model=name))
        models = EvaluationModels(writes, writes=True, judges=True, judged_by=config)
        found, answers = asked(dataset, {name: options.applied(TGRAG)}, options, models=models)
        (run_,) = answers.runs
        count = len(answers.references)
        cells: dict[str, Cell] = {metric: answers.estimate(run_, metric) for metric in METRICS}
        if run_.cost is not None:
            for column, key in zip(ANSWERS, ("prompt_tokens", "reply_tokens"), strict=True):
                cells[column] = run_.cost.get(key, 0.0) / max(count, 1)
        rows.append(Row(name, cells))
        notes |= dict.fromkeys(found.notes)
    table = Table((*PUBLISHED.columns, *(Column(name, "low", 0) for name in ANSWERS)), tuple(rows))
    caption = f"{found.dataset.name}: {count:,} specific questions. Intervals: 95%, bootstrap."
    picture = beside("tgrag-IX", PUBLISHED, table, caption)
    return Outcome(
        table, count, (f"judged by {config.model.model}", *notes), found.dataset.problems, (picture,)
    )


EXPERIMENT = Experiment(
    "tgrag/IX",
    "TG-RAG with different language models that answer",
    "TG-RAG, section VI-C, table IX",
    PUBLISHED,
    run,
    reading=(
        JUDGE,
        "Models are asked by name at the address of [model] of asof.toml, whose own model judges them all.",
        ALL_ASKED,
    ),
    data=DATA,
    parameters={
        "models": Parameter(
            [], AcceptedValue(_names, "a list of different names of models"),
            "which models answer; none: that of asof.toml",
        )
    },
    recipe=TGRAG,
)  # fmt: skip
