"""What parts of `tgrag` are worth: `bench/tgrag.py DATASET [--limit N] [--cache DIR]`.

A dataset with evidence.jsonl is asked by the recipe, by the recipe without each of its parts (as the ablation
of TG-RAG has it), by words alone, and by the default recipe; printed is the share of the gold sentences in
4,000 and 12,000 tokens.
"""

from __future__ import annotations

from argparse import ArgumentParser
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from asof import recipes
from asof.evaluate.evaluation import evaluate
from asof.evaluate.options import EvaluationOptions
from asof.rank.recipe import Recipe

METRICS = ("evidence@4000", "evidence@12000")


def main() -> None:
    parser = ArgumentParser()
    parser.add_argument("dataset", type=Path)
    parser.add_argument("--limit", type=int)
    parser.add_argument("--cache", type=Path)
    given = parser.parse_args()
    whole = recipes.named("tgrag")
    alone = _without(whole, "s(c) alone, as published", "max_normalize", "combine", "round_robin_by_document")
    variants = [
        whole,
        _changed(whole, "without the temporal filter", {"local.in_time": False}),
        _changed(whole, "without PageRank (gamma instead)", {"local.ppr": False}),
        _without(whole, "without facts", "local", "max_normalize", "combine"),
        _without(whole, "without words", "max_normalize", "combine"),
        _without(whole, "without turns", "round_robin_by_document"),
        alone,
        _changed(alone, "… without the temporal filter", {"local.in_time": False}),
        _changed(alone, "… without PageRank", {"local.ppr": False}),
        _changed(alone, "… K = 20", {"local.facts": 20}),
        _changed(alone, "… Eq. 3 as printed", {"local.sum_over": "graph"}),
        _without(whole, "words alone (BM25)", "local", "max_normalize", "combine", "round_robin_by_document"),
        recipes.named("asof"),
    ]
    found = evaluate(given.dataset, variants, EvaluationOptions(limit=given.limit), cache=given.cache)
    for run in found.runs:
        values = " | ".join(f"{float(np.nanmean(run.values(metric))):.3f}" for metric in METRICS)
        print(f"| {run.name} | {values} |")


def _changed(recipe: Recipe, name: str, values: dict[str, Any]) -> Recipe:
    return replace(recipe.replaced(values), name=name)


def _without(recipe: Recipe, name: str, *stages: str) -> Recipe:
    kept = tuple(stage for called, stage in recipe.stages_by_name().items() if called not in stages)
    return replace(recipe, name=name, stages=kept)


if __name__ == "__main__":
    main()
