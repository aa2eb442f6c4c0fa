"""Measures recipes on a dataset for an experiment: one evaluation, whose metrics become rows of a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from asof.evaluate.evaluation import Evaluation, evaluate
from asof.evaluate.experiments.experiment import ExperimentOptions
from asof.evaluate.experiments.table import Cell
from asof.evaluate.options import EvaluationOptions
from asof.evaluate.runs.run import Run
from asof.rank.recipe import Recipe
from asof.store.settings import CorpusSettings

LATENCY = "latency_ms"
"""The column of the median time of a search."""


def measure(
    dataset: Path, recipes: Mapping[str, Recipe], options: ExperimentOptions,
    settings: CorpusSettings | None = None, metrics: Sequence[str] = (),
) -> Evaluation:  # fmt: skip
    """The evaluation of recipes, each named by its row. `settings`: of the corpus (default: asof's own);
    `metrics`: further ones, `recall@1`.

    Raises UsageError for a dataset that cannot be evaluated.
    """
    named = [replace(recipe, name=label) for label, recipe in recipes.items()]
    how = EvaluationOptions(
        options.queries, options.limit, filter_by=options.filter_by, seed=options.seed,
        settings=options.indexed(settings), metrics=tuple(metrics),
    )  # fmt: skip
    return evaluate(
        dataset, named, how, encoder=options.encoder, cache=options.cache, progress=options.progress,
        compare=False,
    )  # fmt: skip


def cells(
    evaluation: Evaluation, run: Run, columns: Mapping[str, str], at: Sequence[int] | None = None
) -> dict[str, Cell]:
    """The cells of a run: for each column the metric that it shows, `LATENCY` for the median time.

    `at`: the places of the questions that count (default: all).
    """
    found: dict[str, Cell] = {}
    for column, metric in columns.items():
        if metric == LATENCY:
            found[column] = round(run.latency(50), 1)
        else:
            found[column] = evaluation.estimate(run, metric, at)
    return found
