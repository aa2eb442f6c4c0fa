"""Confidence intervals of means and tests of differences; questions of the same text are drawn together.

Questions of the same text, asked as of several moments, are not independent; drawn one by one they would make
every interval too narrow (Field and Welsh, 2007, the cluster bootstrap). All draws are seeded.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

RESAMPLES = 1_000
PERMUTATIONS = 10_000
_BLOCK = 100  # resamples or permutations at a time

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean over questions with its 95 % interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """The mean of `a` minus that of `b`, its 95 % interval, and the two-sided p of as large a difference."""

    a: str
    b: str
    metric: str
    difference: float
    p: float
    low: float
    high: float


def clusters(texts: Sequence[str]) -> NDArray[np.int64]:
    """A number for each text, equal for equal texts, from 0 in order of appearance."""
    numbers: dict[str, int] = {}
    return np.array([numbers.setdefault(text, len(numbers)) for text in texts], np.int64)


def estimate(values: Floats, cluster: NDArray[np.int64], seed: int) -> Estimate | None:
    """The mean of the values that are not NaN, with a percentile interval; None if all are NaN.

    `values`, `cluster`: shape (questions,).
    """
    valid = ~np.isnan(values)
    if not valid.any():
        return None
    _, group = np.unique(cluster[valid], return_inverse=True)
    sums, counts = np.bincount(group, values[valid]), np.bincount(group)
    rng = np.random.default_rng(seed)
    means = np.empty(RESAMPLES)
    for at in range(0, RESAMPLES, _BLOCK):
        drawn = rng.integers(0, len(sums), (_BLOCK, len(sums)))
        means[at : at + _BLOCK] = sums[drawn].sum(1) / counts[drawn].sum(1)
    low, high = np.percentile(means, [2.5, 97.5])
    return Estimate(float(values[valid].mean()), float(low), float(high))


def compare_pairs(
    values: Mapping[str, Mapping[str, Floats]], cluster: NDArray[np.int64], seed: int
) -> tuple[Comparison, ...]:
    """Each recipe compared with each later one. `values`: of each recipe and metric, shape (questions,)."""
    return tuple(
        comparison
        for a, b in combinations(values, 2)
        for comparison in compare(a, b, values[a], values[b], cluster, seed)
    )


def compare(
    a: str, b: str, mine: Mapping[str, Floats], theirs: Mapping[str, Floats], cluster: NDArray[np.int64],
    seed: int,
) -> list[Comparison]:  # fmt: skip
    """The paired randomisation test (Fisher; Smucker et al. 2007) for each metric that both recipes have.

    A permutation exchanges the two values of all questions of a cluster, or does not. p = (1 + number of
    permutations whose difference is as large) / (1 + number of permutations), two-sided.
    """
    metrics = [name for name in mine if not (np.isnan(mine[name]).all() or np.isnan(theirs[name]).all())]
    if not metrics:
        return []
    differences = np.stack([np.nan_to_num(mine[name] - theirs[name]) for name in metrics], 1)
    counts = np.stack([np.maximum((~np.isnan(mine[name] - theirs[name])).sum(), 1) for name in metrics])
    sums = np.zeros((int(cluster.max()) + 1, len(metrics)))
    np.add.at(sums, cluster, differences)
    observed = sums.sum(0)
    least = np.abs(observed) - 1e-9  # sums of the same numbers in another order differ in the last bits
    rng = np.random.default_rng(seed)
    as_large = np.zeros(len(metrics), np.int64)
    for _ in range(0, PERMUTATIONS, _BLOCK):
        signs = rng.integers(0, 2, (_BLOCK, len(sums))) * 2.0 - 1.0
        as_large += (np.abs(np.einsum("pc,cm->pm", signs, sums)) >= least).sum(0)
    p = (1 + as_large) / (1 + PERMUTATIONS)
    comparisons = []
    for metric, difference, chance in zip(metrics, (observed / counts).tolist(), p.tolist(), strict=True):
        interval = estimate(mine[metric] - theirs[metric], cluster, seed)
        low, high = (interval.low, interval.high) if interval else (difference, difference)
        comparisons.append(Comparison(a, b, metric, difference, chance, low, high))
    return comparisons
