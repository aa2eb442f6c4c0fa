"""The published recipes as near to their papers as they go, and with single readings of ours reverted.

    python bench/published.py DATASET... [--limit 600] [--stem]

Whole documents as passages, words as they are written. Rows: the recipe; without the limit to the hundred
best; with an evidence graph without a cap (slow on templated text).
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from asof import recipes
from asof.evaluate.evaluation import evaluate
from asof.evaluate.options import EvaluationOptions
from asof.rank.recipe import Recipe
from asof.store.settings import CorpusSettings

ALL = 1_000_000


def variants(uncapped: bool) -> list[Recipe]:
    """Each recipe, and the same with one reading reverted."""
    found = []
    for name in ("twe", "twe-365", "tempralm"):
        recipe = recipes.named(name)
        found.append(recipe)
        if name.startswith("twe"):
            whole = recipe.replaced({"pool.n": 100_000, "budgeted_rerank.sizes": [ALL, ALL, ALL]})
            found.append(replace(whole, name=f"{name}, no pool"))
            if uncapped:
                found.append(replace(recipe.replaced({"centrality.cap": 0}), name=f"{name}, no cap"))
    return found


def main() -> None:
    parser = ArgumentParser()
    parser.add_argument("datasets", nargs="+", type=Path)
    parser.add_argument("--limit", type=int)
    parser.add_argument("--stem", action="store_true")
    parser.add_argument("--uncapped", action="store_true")
    given = parser.parse_args()
    settings = CorpusSettings(stem=given.stem, chunking="whole", undated="always")
    for dataset in given.datasets:
        made = evaluate(
            dataset, variants(given.uncapped), EvaluationOptions(limit=given.limit, settings=settings)
        )
        for run in made.runs:
            first = made.estimate(run, "success@1")
            if first is not None:
                print(f"{dataset.name:20} {run.name:20} success@1 {first.value:.3f}"
                      f" ({first.low:.3f} to {first.high:.3f}), {len(made.questions)} questions")  # fmt: skip


if __name__ == "__main__":
    main()
