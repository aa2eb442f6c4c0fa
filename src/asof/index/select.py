"""The best of very many scores, without sorting them all.

The maxima of blocks bound the k-th best score from below: k blocks whose maximum is at least x hold at
least k rows of at least x. One comparison then leaves few rows.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

BLOCK = 1_024
SMALL_BLOCK = 64

ROUNDING = 1e-12
"""Slack for the last bits of sums and quotients."""


def kth_best(scores: NDArray[np.float64], k: int) -> float:
    """The k-th largest of `scores`, 0 when fewer than k are positive."""
    bound = _bound(scores, k)
    left = scores[scores >= bound] if bound > 0 else scores[scores > 0]
    if len(left) < k:
        return 0.0
    return float(np.partition(left, len(left) - k)[len(left) - k])


def at_least(scores: NDArray[np.float64], bound: float) -> NDArray[np.int64]:
    """Places of all positive scores that are at least `bound`, ascending."""
    if bound <= 0:
        return np.flatnonzero(scores > 0)
    return np.flatnonzero(scores >= bound)


def union(one: NDArray[np.int64], other: NDArray[np.int64]) -> NDArray[np.int64]:
    """The different numbers of two ascending arrays, ascending. Two sorted halves are sorted in linear time;
    `np.union1d` hashes all of them first."""
    both = np.sort(np.concatenate([one, other]), kind="stable")
    first = np.ones(len(both), bool)
    np.not_equal(both[1:], both[:-1], out=first[1:])
    return both[first]


def before_rise(score: float, rise: float) -> float:
    """A bound of what can still reach `score`: what is below it stays below after a rise of up to `rise`."""
    return score * (1 - ROUNDING) - rise


def nearly_kth_best(scores: NDArray[np.float64], k: int) -> float:
    """At most the k-th largest of `scores`, and not far below: the k-th largest maximum of 8 k groups.

    0 where fewer than k of them are positive.
    """
    size = max(len(scores) // (8 * k), 1)
    groups = len(scores) // size
    if groups < k:
        return 0.0
    maxima = scores[: groups * size].reshape(size, groups).max(axis=0)  # along the rows: that is fast
    maxima = maxima[maxima > 0]  # many equal values make a partition slow
    return float(np.partition(maxima, len(maxima) - k)[len(maxima) - k]) if len(maxima) >= k else 0.0


def _bound(scores: NDArray[np.float64], k: int) -> float:
    block = BLOCK if len(scores) > 4 * k * BLOCK else SMALL_BLOCK
    whole = len(scores) // block * block
    if whole // block < 2 * k:
        return 0.0
    maxima = scores[:whole].reshape(-1, block).max(axis=1)
    return float(np.partition(maxima, len(maxima) - k)[len(maxima) - k])
