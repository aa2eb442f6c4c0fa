"""How sure a mean is, and whether two recipes differ: questions with one text are drawn together.

Questions of the same words, asked at several moments, tell one thing several times; drawn one by one they
would make every interval too narrow (Field and Welsh, 2007, the cluster bootstrap). All is seeded.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

RESAMPLES = 1_000
PERMUTATIONS = 10_000
_BLOCK = 100  # resamples or permutations at a time

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean over questions, and the interval that holds it in 95 of 100 drawings of other questions."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """The mean of `a` less that of `b`, and how often chance alone would make it as large, either way.

    `low` to `high` holds the difference in 95 of 100 drawings of other questions.
    """

    a: str
    b: str
    metric: str
    difference: float
    p: float
    low: float
    high: float


def clusters(texts: Sequence[str]) -> NDArray[np.int64]:
    """A number for each text, the same for the same one, from 0 in order of appearance."""
    numbers: dict[str, int] = {}
    return np.array([numbers.setdefault(text, len(numbers)) for text in texts], np.int64)


def estimate(values: Floats, cluster: NDArray[np.int64], seed: int) -> Estimate | None:
    """The mean of what is not NaN, with a percentile interval; None when all is NaN.

    `values`, `cluster`: shape (questions,).
    """
    there = ~np.isnan(values)
    if not there.any():
        return None
    _, group = np.unique(cluster[there], return_inverse=True)
    sums, counts = np.bincount(group, values[there]), np.bincount(group)
    rng = np.random.default_rng(seed)
    means = np.empty(RESAMPLES)
    for at in range(0, RESAMPLES, _BLOCK):
        drawn = rng.integers(0, len(sums), (_BLOCK, len(sums)))
        means[at : at + _BLOCK] = sums[drawn].sum(1) / counts[drawn].sum(1)
    low, high = np.percentile(means, [2.5, 97.5])
    return Estimate(float(values[there].mean()), float(low), float(high))


def compared(
    a: str, b: str, mine: Mapping[str, Floats], theirs: Mapping[str, Floats], cluster: NDArray[np.int64],
    seed: int,
) -> list[Comparison]:  # fmt: skip
    """The paired randomisation test (Fisher; Smucker et al. 2007) for each metric that both have.

    A permutation exchanges the two values of all questions of a cluster, or does not. p = (1 + number of
    permutations whose difference is as large) / (1 + number of permutations), two-sided.
    """
    metrics = [name for name in mine if not (np.isnan(mine[name]).all() or np.isnan(theirs[name]).all())]
    if not metrics:
        return []
    each = np.stack([np.nan_to_num(mine[name] - theirs[name]) for name in metrics], 1)
    counts = np.stack([np.maximum((~np.isnan(mine[name] - theirs[name])).sum(), 1) for name in metrics])
    sums = np.zeros((int(cluster.max()) + 1, len(metrics)))
    np.add.at(sums, cluster, each)
    observed = sums.sum(0)
    least = np.abs(observed) - 1e-9  # sums of the same numbers in another order differ in the last bits
    rng = np.random.default_rng(seed)
    as_large = np.zeros(len(metrics), np.int64)
    for _ in range(0, PERMUTATIONS, _BLOCK):
        signs = rng.integers(0, 2, (_BLOCK, len(sums))) * 2.0 - 1.0
        as_large += (np.abs(np.einsum("pc,cm->pm", signs, sums)) >= least).sum(0)
    p = (1 + as_large) / (1 + PERMUTATIONS)
    found = []
    for metric, difference, chance in zip(metrics, (observed / counts).tolist(), p.tolist(), strict=True):
        interval = estimate(mine[metric] - theirs[metric], cluster, seed)
        low, high = (interval.low, interval.high) if interval else (difference, difference)
        found.append(Comparison(a, b, metric, difference, chance, low, high))
    return found
