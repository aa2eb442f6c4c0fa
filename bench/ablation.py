"""What constants of the default recipe are worth: `bench/ablation.py DATASET... [--limit N] [--cache DIR]`.

Every dataset is asked with the recipe as it is and with one constant changed at a time; printed is success@1
(recall@5 or nDCG@10 where that is what the set is judged by) less that of the recipe, in points.
"""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from asof import recipes
from asof.evaluate.evaluation import evaluate
from asof.evaluate.options import EvaluationOptions
from asof.rank.recipe import Recipe

WEIGHTS = {"normalized": 1.0, "query_coverage": 0.5, "title": 0.2, "neighbouring_text": 0.2}
CHANGES: Mapping[str, Mapping[str, Any]] = {
    "no coverage": {"combine.weights": {**WEIGHTS, "query_coverage": 0.0}},
    "no titles in relevance": {"combine.weights": {**WEIGHTS, "title": 0.0}},
    "no neighbouring text": {"combine.weights": {**WEIGHTS, "neighbouring_text": 0.0}},
    "no feedback": {"pseudo_relevance_feedback.weight": 0.0},
    "k1 1.5, b .75": {"lexical.k1": 1.5, "lexical.b": 0.75},
    "recency_weight .1": {"time_preference.recency_weight": 0.1},
    "recency_weight .6": {"time_preference.recency_weight": 0.6},
    "tie_margin .05": {"time_preference.tie_margin": 0.05},
    "tie_margin .4": {"time_preference.tie_margin": 0.4},
    "cautious_margin 0": {"time_preference.cautious_margin": 0.0},
    "same_kind_threshold 1 (only where all are)": {"time_preference.same_kind_threshold": 1.0},
    "no uncertainty": {"time_preference.uncertainty": 0.0},
    "uncertainty .3": {"time_preference.uncertainty": 0.3},
    "relevance_floor 0": {"time_preference.relevance_floor": 0.0},
    "title_weight 0": {"time_preference.title_weight": 0.0},
    "extra_title_terms 0": {"time_preference.extra_title_terms": 0.0},
    "what is over counts": {"time_preference.termination_penalty": 0.0},
    "30 looked at": {"rerank_window.n": 30},
}
JUDGED = {"scifact": "ndcg@10", "cranfield": "ndcg@10", "csfcube": "ndcg@10", "locomo-turns": "recall@5",
          "ect-qa": "evidence@4000"}  # fmt: skip


def main() -> None:
    parser = ArgumentParser()
    parser.add_argument("datasets", nargs="+", type=Path)
    parser.add_argument("--limit", type=int, default=300)
    parser.add_argument("--cache", type=Path)
    given = parser.parse_args()
    whole = recipes.named("asof")
    variants = [
        whole,
        *(
            _without(whole, "time_preference", "round_robin_by_document"),
            _without(whole, "round_robin_by_document"),
        ),
    ]
    variants += [replace(whole.replaced(values), name=name) for name, values in CHANGES.items()]
    names = [each.name for each in variants]
    table: dict[str, list[str]] = {name: [] for name in names}
    for dataset in given.datasets:
        found = evaluate(dataset, variants, EvaluationOptions(limit=given.limit), cache=given.cache)
        metric = JUDGED.get(dataset.name, "success@1")
        values = [float(np.nanmean(run.values(metric))) for run in found.runs]
        for name, value in zip(names, values, strict=True):
            shown = f"{value:.3f}" if name == whole.name else f"{100 * (value - values[0]):+.1f}"
            table[name].append(shown)
    print("| |", " | ".join(each.name for each in given.datasets), "|")
    for name, row in table.items():
        print(f"| {name} |", " | ".join(row), "|")


def _without(recipe: Recipe, *names: str) -> Recipe:
    stages = tuple(stage for name, stage in recipe.stages_by_name().items() if name not in names)
    return replace(recipe, name=f"without {' and '.join(names)}", stages=stages)


if __name__ == "__main__":
    main()
