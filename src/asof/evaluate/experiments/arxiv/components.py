"""`arxiv/components`: the ranking of papers without each of its four parts, and by each alone."""

from __future__ import annotations

from pathlib import Path

from asof.evaluate.experiments.arxiv.learning import DATA
from asof.evaluate.experiments.experiment import Experiment, ExperimentOptions, Outcome
from asof.evaluate.experiments.table import Column, Row, Table
from asof.rank.recipe import Recipe
from asof.recipes import named

PARTS = ("similarity", "freshness", "coverage", "volume")

PUBLISHED = Table((Column("NDCG@10"), Column("Loss", "low"), Column("Precision@10")))


def variants(recipe: Recipe) -> dict[str, Recipe]:
    """The rows: all four parts, each left out, each alone; the weights of the others stay as they are."""
    fields = dict(recipe.fields())
    weights = dict(fields["combine.weights"])
    found = {"all four": recipe}
    for name in PARTS:
        found[f"without {name}"] = recipe.replaced({"combine.weights": weights | {name: 0.0}})
    for name in PARTS:
        found[f"{name} alone"] = recipe.replaced({"combine.weights": dict.fromkeys(PARTS, 0.0) | {name: 1.0}})
    return found


def run(dataset: Path, options: ExperimentOptions) -> Outcome:
    """All four, each left out, each alone. Raises UsageError."""
    from asof.evaluate.experiments.arxiv.judged import SETTINGS
    from asof.evaluate.experiments.measure import measure
    from asof.evaluate.runs.compare import Estimate

    found = measure(dataset, variants(options.applied(named("papers"))), options, SETTINGS)
    rows = []
    for each in found.runs:
        gained, precise = (found.estimate(each, metric) for metric in ("ndcg@10", "precision@10"))
        lost = None if gained is None else Estimate(1 - gained.value, 1 - gained.high, 1 - gained.low)
        rows.append(Row(each.name, {"NDCG@10": gained, "Loss": lost, "Precision@10": precise}))
    return Outcome(
        Table(PUBLISHED.columns, tuple(rows)), len(found.questions), found.notes, found.dataset.problems
    )


EXPERIMENT = Experiment(
    "arxiv/components",
    "the ranking without each of similarity, freshness, coverage and volume, and by each alone",
    "Adaptive RAG for arXiv, README section 1 (it has no ablation)",
    PUBLISHED,
    run,
    reading=(
        "The README prints no ablation: the rows are what its ranking function consists of.",
        "Relevance is judged (qrels).",
        "Weights of the other parts stay as they are; only the order counts, so their sum does not matter.",
    ),
    data=DATA,
    recipe=named("papers"),
    varies=("combine.weights",),
)
