"""`twe/4.1`: words alone, SVD alone, both."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from asof.evaluate.experiments.drawing import beside
from asof.evaluate.experiments.experiment import (
    WITHOUT_ENCODER,
    Experiment,
    ExperimentOptions,
    Outcome,
)
from asof.evaluate.experiments.table import Column, Row, Table
from asof.evaluate.experiments.twe.corpus import (
    DATA,
    DOCUMENTS,
    LATENCY,
    MRR,
    PAST,
    SETTINGS,
    SIZE,
)
from asof.rank.candidates.top_k import TopK
from asof.rank.recipe import Recipe
from asof.recipes.twe import TWE

COLUMNS = {"recall@5": "recall@5", "mrr": "mrr", "latency_ms": "latency_ms"}

PUBLISHED = Table.of(
    [Column("recall@5"), Column("mrr"), Column("latency_ms", "low", 1)],
    {"BM25 only": (0.68, 0.52, 40), "Dense (SVD)": (0.71, 0.55, 55), "Hybrid": (0.81, 0.64, 95)},
)


FIRST = ("lexical", "max_normalize", "latent", "combine")
"""The stages of `twe` that rank by words, by latent semantics, and by their sum."""


def signals(whole: Recipe) -> dict[str, Recipe]:
    """The first stages of `twe`: by words, by latent semantics, by their sum; what follows is left out."""
    stages = whole.stages_by_name()
    words, scaled, meaning, both = (stages[name] for name in FIRST)
    end = TopK()
    return {
        "BM25 only": replace(whole, stages=(words, end)),
        "Dense (SVD)": replace(whole, stages=(meaning, end)),
        "Hybrid": replace(whole, stages=(words, scaled, meaning, both, end)),
    }


def run(dataset: Path, options: ExperimentOptions) -> Outcome:
    """Three rankings of the same questions. Raises UsageError."""
    from asof.evaluate.experiments.measure import cells, measure

    found = measure(dataset, signals(options.applied(TWE)), options, SETTINGS)
    rows = tuple(Row(each.name, cells(found, each, COLUMNS)) for each in found.runs)
    table = Table(PUBLISHED.columns, rows)
    caption = f"{found.dataset.name}: {len(found.questions):,} questions. Intervals: 95%, bootstrap."
    return Outcome(
        table, len(found.questions), found.notes, found.dataset.problems,
        (beside("twe-4.1", PUBLISHED, table, caption),),
    )  # fmt: skip


EXPERIMENT = Experiment(
    "twe/4.1",
    "words alone, latent semantics alone, and their sum",
    "TWE-RAG, README section 4.1, table",
    PUBLISHED,
    run,
    reading=(
        SIZE,
        DOCUMENTS,
        PAST,
        MRR,
        LATENCY,
    ),
    data=DATA,
    recipe=TWE,
    varies=tuple(f"{name}." for name in TWE.stages_by_name() if name not in FIRST),
    takes=WITHOUT_ENCODER,
)
