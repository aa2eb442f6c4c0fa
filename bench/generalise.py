"""Do the constants of the default recipe hold on kinds of questions that they were not chosen on?

`bench/generalise.py DATASET... [--limit N]`: every setting of a list is asked on every dataset, once. Printed
are, for each dataset, the recipe as it is; **over questions**: the setting that is best over one half of the
questions of all sets, on the other half; **one set left out**: the setting that is best on all other sets, on
this one. Success@1, recall@5 or nDCG@10, as the set is judged.
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from collections.abc import Mapping, Sequence
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).parents[1]))

from bench.ablation import JUDGED

from asof import recipes
from asof.evaluate.evaluation import evaluate
from asof.evaluate.options import EvaluationOptions
from asof.rank.recipe import with_values

GRID: Mapping[str, Sequence[float]] = {
    "combine.weights.query_coverage": (0.25, 1.0),
    "combine.weights.neighbouring_text": (0.1, 0.4),
    "combine.weights.just_published": (0.0, 0.75, 3.0),
    "requested_time.time_weight": (0.0, 0.3, 1.0),
    "requested_time.bounds_weight": (0.0, 0.3, 1.0),
    "requested_time.off_topic_weight": (0.0, 1.4),
    "time_preference.equal_margin": (0.0, 0.01, 0.1),
    "time_preference.recency_weight": (0.1, 0.6),
    "time_preference.tie_margin": (0.1, 0.4),
    "time_preference.cautious_margin": (0.0, 0.1, 0.4),
    "time_preference.termination_penalty": (0.0, 1.6),
}
"""Other values of each constant; all others stay as they are."""

Scores = NDArray[np.float64]


def main() -> None:
    parser = ArgumentParser()
    parser.add_argument("datasets", nargs="+", type=Path)
    parser.add_argument("--limit", type=int, default=200)
    parser.add_argument("--cache", type=Path)
    given = parser.parse_args()
    base = recipes.named("asof")
    settings: list[Mapping[str, Any]] = [
        {}, *({name: value} for name, values in GRID.items() for value in values)
    ]  # fmt: skip
    variants = [replace(with_values(base, each), name=f"{at}") for at, each in enumerate(settings)]
    scores, halves = {}, {}
    for folder in given.datasets:
        found = evaluate(folder, variants, EvaluationOptions(limit=given.limit), cache=given.cache)
        metric = JUDGED.get(folder.name, "success@1")
        scores[folder.name] = np.array([run.values(metric) for run in found.runs])
        halves[folder.name] = np.array([_half(each.question.id) for each in found.runs[0].results])
    report(settings, scores, halves)


def report(
    settings: Sequence[Mapping[str, Any]], scores: Mapping[str, Scores], halves: Mapping[str, Any]
) -> None:
    """A line for each set; scores: (settings, questions) of each."""
    means = {name: np.nanmean(each, axis=1) for name, each in scores.items()}
    chosen = [
        int(np.argmax(sum(np.nanmean(scores[name][:, halves[name] == half], axis=1) for name in scores)))
        for half in (0, 1)
    ]
    print("| | as it is | over questions | one set left out | chosen without it |\n|---|---|---|---|---|")
    for name, values in scores.items():
        over = np.concatenate([values[chosen[half]][halves[name] != half] for half in (0, 1)])
        best = int(np.argmax(sum(mean for other, mean in means.items() if other != name)))
        shown = ", ".join(f"{key} = {value:g}" for key, value in settings[best].items()) or "as it is"
        print(
            f"| {name} | {means[name][0]:.3f} | {np.nanmean(over):.3f} | {means[name][best]:.3f} | {shown} |"
        )


def _half(question: str) -> int:
    return blake2b(question.encode(), digest_size=1).digest()[0] % 2


if __name__ == "__main__":
    main()
