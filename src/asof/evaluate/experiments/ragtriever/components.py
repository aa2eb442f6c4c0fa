"""`ragtriever/components`: the baseline, then with each component alone, then with all of them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from asof.evaluate.evaluation import Evaluation
from asof.evaluate.experiments.drawing import beside
from asof.evaluate.experiments.experiment import Experiment, ExperimentOptions, Outcome, Parameter
from asof.evaluate.experiments.table import Cell, Column, Row, Table
from asof.evaluate.runs.compare import estimate
from asof.evaluate.runs.run import Run
from asof.rank.recipe import Recipe
from asof.recipes.vault import KEYS, vault

COLUMNS = [
    Column("mrr"), Column("mrr change"), Column("precision@3"), Column("precision@3 change"),
    Column("better", ""), Column("worse", "low"),
]  # fmt: skip

BASELINE, ALL = "baseline", "all components"

PUBLISHED = Table.of(
    COLUMNS,
    {
        **dict.fromkeys((BASELINE, "+ rank fusion", "+ backlinks", "+ recency"), (None,) * len(COLUMNS)),
        ALL: (None, "at least +10%", None, "at least 0", None, 0),
    },
)
"""The design prints no results: these are its rows and its criteria of success."""

SWITCHES = ("fusion_algorithm", "backlink_boost_weight", "recency_boost_enabled")
"""The keys that turn the components off."""

GAIN = 0.1
"""MRR has to improve by this share of the baseline's."""


def recipes(keys: Mapping[str, Any]) -> dict[str, Recipe]:
    """By row. `keys`: RAGtriever's own keys, of the components that are on. Raises UsageError."""
    off: dict[str, Any] = {
        "fusion_algorithm": "weighted", "backlink_boost_weight": 0.0, "recency_boost_enabled": False,
    }  # fmt: skip
    on = {
        "+ rank fusion": {"fusion_algorithm": "rrf"},
        "+ backlinks": {"backlink_boost_weight": keys["backlink_boost_weight"]},
        "+ recency": {"recency_boost_enabled": True},
    }
    every = {key: value for part in on.values() for key, value in part.items()}
    parts = {BASELINE: {}, **on, ALL: every}
    return {label: vault(**{**keys, **off, **part}) for label, part in parts.items()}


def run(dataset: Path, options: ExperimentOptions) -> Outcome:
    """Five rankings of the same questions, each compared with the baseline question by question.

    Raises UsageError.
    """
    from asof.evaluate.experiments.measure import measure

    found = measure(dataset, recipes(options.parameters), options)
    baseline = found.runs[0]
    table = Table(tuple(COLUMNS), tuple(Row(each.name, _cells(found, each, baseline)) for each in found.runs))
    caption = f"{found.dataset.name}: {len(found.questions):,} questions. Intervals: 95%, bootstrap."
    return Outcome(
        table, len(found.questions), (_verdict(found), *found.notes), found.dataset.problems,
        (beside("ragtriever-components", PUBLISHED, table, caption),), _each(found),
    )  # fmt: skip


def _cells(found: Evaluation, run: Run, baseline: Run) -> dict[str, Cell]:
    cells: dict[str, Cell] = {name: found.estimate(run, name) for name in ("mrr", "precision@3")}
    if run is baseline:
        return cells
    for name in ("mrr", "precision@3"):
        differences = run.values(name) - baseline.values(name)
        cells[f"{name} change"] = estimate(differences, found.cluster, found.options.seed)
    differences = run.values("mrr") - baseline.values("mrr")
    return {**cells, "better": int((differences > 0).sum()), "worse": int((differences < 0).sum())}


def _verdict(found: Evaluation) -> str:
    """Whether the criteria of success hold, in a sentence."""
    baseline, whole = found.runs[0], found.runs[-1]
    before, after = float(baseline.values("mrr").mean()), float(whole.values("mrr").mean())
    gain = f"{after / before - 1:+.0%}" if before else "from nothing"
    worse = int((whole.values("mrr") < baseline.values("mrr")).sum())
    held = after >= before * (1 + GAIN) and after > 0
    kept = float(whole.values("precision@3").mean()) >= float(baseline.values("precision@3").mean())
    return (
        f"its criteria: MRR {gain} ({'met' if held else 'not met'}, +10%); precision@3 "
        f"{'kept' if kept else 'lower'} ({'met' if kept else 'not met'}); {worse:,} questions worse "
        f"({'met' if not worse else 'not met'}, none)"
    )


def _each(found: Evaluation) -> tuple[Mapping[str, Any], ...]:
    """A row for each question: the reciprocal rank by the baseline, and what each component changes."""
    baseline = found.runs[0]
    rows = []
    for number, question in enumerate(found.questions):
        before = baseline.results[number].scores["mrr"]
        changes = {run.name: run.results[number].scores["mrr"] - before for run in found.runs[1:]}
        rows.append({"query_id": question.id, "query": question.text, BASELINE: before, **changes})
    return tuple(rows)


EXPERIMENT = Experiment(
    "ragtriever/components",
    "rank fusion, backlinks and recency, each alone and all together, against weighted fusion",
    "RAGtriever, design of its ranking (2026-01-25), section Evaluation",
    PUBLISHED,
    run,
    reading=(
        "The design states how it is evaluated and what success is; it prints no results.",
        (
            "Its test vault of ten questions is not published: a dataset here needs documents with links "
            "(the field links of corpus.jsonl) and dates for backlinks and recency to change anything."
        ),
        (
            "Weighted fusion is 1.0 meaning + .5 words, words as a share of the best, since raw BM25 would "
            "outweigh any cosine."
        ),
        "Meaning is by the encoder (--encoder); without one by latent semantics of the notes themselves.",
        "A question is worse if its reciprocal rank is lower than by the baseline.",
    ),
    data="ten questions on a test vault; here a folder as of asof evaluate with links and dates",
    parameters={
        name: Parameter(default, accepted, f"key {name} of [retrieval]")
        for name, (default, accepted) in KEYS.items()
        if name not in SWITCHES or name == "backlink_boost_weight"
    },
)
