"""How fast settings are tried, and whether tuning finds what is there and nothing else.

    .venv/bin/python bench/tune.py [--seeds 10] [DATASET]

`speed`: 1,000 settings of four weights on 2,000 generated questions of 200 candidates; on one core with
OMP_NUM_THREADS=1. With a DATASET the same on its questions by `papers`: how long the columns take to make,
and whether the rankings are those of searches. `planted`: judgements by hidden weights, with noise; tuned
weights are judged on fresh questions. `shuffled`: judgements that no weights explain: a gain that is reported
is false. Seconds are those of the processor.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).parents[1]))

from bench.planted import WEIGHTS, planted, recovered

from asof import engine
from asof.data import Query
from asof.engine import Results
from asof.evaluate.options import EvaluationOptions
from asof.index.view import View
from asof.learn.box import Box
from asof.learn.loss_table import ExpressionLosses
from asof.rank.recipe import Recipe, with_values
from asof.tuning.fields import chosen
from asof.tuning.from_dataset import from_dataset
from asof.tuning.tune import TuningOptions, tune

SETTINGS = 1_000


def speed() -> None:
    made = planted(0, 2_000, 200)
    settings = made.box.sample(np.random.default_rng(0), SETTINGS)
    started = time.process_time()
    made.table.losses(settings)
    took = time.process_time() - started
    print(f"speed: {SETTINGS:,} settings on 2,000 questions of 200 candidates: {took:.1f} s")


def real(dataset: Path) -> None:
    from asof.recipes import named

    recipe, box = chosen(named("papers"), WEIGHTS)
    with tempfile.TemporaryDirectory() as cache:
        started = time.process_time()
        with from_dataset(dataset, recipe, box, 10, EvaluationOptions(), cache=Path(cache)) as material:
            made = time.process_time() - started
            table = material.table
            assert isinstance(table, ExpressionLosses)
            settings = box.sample(np.random.default_rng(0), SETTINGS)
            started = time.process_time()
            table.losses(settings)
            took = time.process_time() - started
            print(f"{material.name}: {table.how}")
            print(f"  corpus and columns {made:.0f} s")
            print(f"  {SETTINGS:,} settings on {material.n:,} questions {took:.1f} s")
            print(
                f"  rankings that differ from those of searches: {_differ(table, recipe, box, settings[:5])}"
            )


def _search(query: Query, recipe: Recipe, view: View) -> Results:
    return engine.search(query, view, recipe)


def _differ(table: ExpressionLosses, recipe: Recipe, box: Box, settings: NDArray[np.float64]) -> str:
    wrong = tried = 0
    for at, asked in list(enumerate(table.questions))[:: max(1, len(table.questions) // 50)]:
        for setting in settings:
            changed = with_values(recipe, box.named(setting))
            wanted = partial(_search, replace(asked.query, k=table.k + 1), changed)
            found = [hit.document for hit in asked.use(wanted).hits if hit.document != asked.left_out]
            wrong += found[: table.k] != table.ranked(setting, at)
            tried += 1
    return f"{wrong} of {tried}"


def planting(seeds: int) -> None:
    print("planted: nDCG@10 on fresh questions; off: sum of the weights' differences")
    good = told = 0
    for seed in range(seeds):
        found = recovered(seed)
        good += found.near
        told += found.tuning.gain
        print(
            f"  seed {seed}: start {found.start:.3f}, tuned {found.tuned:.3f}, hidden {found.hidden:.3f}, "
            f"off {found.off:.3f}, gain {found.tuning.gain}, {found.tuning.seconds:.0f} s"
        )
    print(f"  within .01 of the hidden weights: {good} of {seeds}; a gain is reported: {told} of {seeds}")


def shuffling(seeds: int) -> None:
    none = 0
    for seed in range(seeds):
        found = tune(planted(seed, shuffled=True).material, TuningOptions(seed=seed))
        none += not found.gain
        print(f"  seed {seed}: {found.sentence}")
    print(f"shuffled: no gain is reported: {none} of {seeds}")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("dataset", nargs="?", type=Path)
    parser.add_argument("--seeds", type=int, default=10)
    options = parser.parse_args()
    speed()
    if options.dataset is not None:
        real(options.dataset)
    planting(options.seeds)
    shuffling(options.seeds)


if __name__ == "__main__":
    main()
