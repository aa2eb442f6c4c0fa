# ruff: noqa: N999  the paper numbers its tables so
"""`tgrag/VII`: TG-RAG without its temporal retrieval, its PageRank, its temporal index."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from asof.evaluate.experiments.drawing import beside
from asof.evaluate.experiments.experiment import Experiment, ExperimentOptions, Outcome, Parameter
from asof.evaluate.experiments.table import Cell, Column, Row, Table
from asof.evaluate.experiments.tgrag.protocol import ALL_ASKED, DATA, JUDGE, METRICS, MODELS
from asof.knowledge.tgrag import TGRAG
from asof.rank.recipe import Recipe
from asof.schema import boolean

NO_FILTER = (
    "w/o temporal retrieval: every fact counts (local.in_time=false); walks start at all of them, where the "
    "paper has a PageRank without a start."
)
EVIDENCE = "evidence@12000"

PUBLISHED = Table.of(
    [Column("correct"), Column("refusal", ""), Column("incorrect", "low"), Column("rouge_l"), Column("f1")],
    {
        "TG-RAG": (0.599, 0.191, 0.210, 0.493, 0.490),
        "w/o PPR": (0.580, 0.223, 0.197, 0.483, 0.472),
        "w/o temporal retrieval": (0.382, 0.423, 0.195, 0.376, 0.356),
        "w/o both": (0.482, 0.294, 0.223, 0.434, 0.416),
        "w/o all": (0.381, 0.458, 0.161, 0.359, 0.345),
    },
)


def variants(whole: Recipe, *, alone: bool) -> dict[str, Recipe]:
    """The recipe and what is left of it. `alone`: passages are ranked by their facts only, as published."""
    from asof.evaluate.experiments.tgrag.answering import facts_alone

    base = facts_alone(whole) if alone else whole
    without = tuple(stage for name, stage in whole.stages_by_name().items() if name in ("lexical", "top_k"))
    return {
        "TG-RAG": base,
        "w/o PPR": base.replaced({"local.ppr": False}),
        "w/o temporal retrieval": base.replaced({"local.in_time": False}),
        "w/o both": base.replaced({"local.ppr": False, "local.in_time": False}),
        "w/o all": replace(whole, stages=without),
    }


def run(dataset: Path, options: ExperimentOptions) -> Outcome:
    """The variants on the specific questions. Raises UsageError, ModelError."""
    from asof.evaluate.experiments.tgrag.answering import WORDS
    from asof.evaluate.experiments.tgrag.protocol import asked

    if alone := options.parameters["alone"]:
        options.refuse(WORDS, "passages are ranked by their facts alone; --set alone=false mixes in words")
    tried = variants(options.applied(TGRAG), alone=alone)
    found, answers = asked(dataset, tried, options)
    ranked = {each.name: each for each in found.runs}
    rows = []
    for each in answers.runs:
        cells: dict[str, Cell] = {name: answers.estimate(each, name) for name in METRICS}
        if each.name in ranked:
            cells[EVIDENCE] = found.estimate(ranked[each.name], EVIDENCE)
        rows.append(Row(each.name, cells))
    table = Table((*PUBLISHED.columns, Column(EVIDENCE)), tuple(rows))
    count = len(answers.references)
    caption = f"{found.dataset.name}: {count:,} specific questions. Intervals: 95%, bootstrap."
    return Outcome(
        table, count, found.notes, found.dataset.problems, (beside("tgrag-VII", PUBLISHED, table, caption),)
    )


EXPERIMENT = Experiment(
    "tgrag/VII",
    "what temporal retrieval, PageRank and the temporal index are worth",
    "TG-RAG, section VI-B, table VII",
    PUBLISHED,
    run,
    reading=(
        MODELS,
        JUDGE,
        ALL_ASKED,
        NO_FILTER,
        "w/o PPR: a fact is worth its gamma (local.ppr=false).",
        "w/o all: no fact counts, passages are ranked by words; the paper extracts triples without times.",
        "evidence@12000 is ours: the share of the gold sentences in 12,000 tokens, which needs no model.",
    ),
    data=DATA,
    parameters={
        "alone": Parameter(
            True, boolean(), "passages by their facts alone, as published; false: mixed with words, as tgrag"
        )
    },
    recipe=TGRAG,
    varies=("local.ppr", "local.in_time"),
)  # fmt: skip
