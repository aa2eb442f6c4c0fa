"""Personalised PageRank of an undirected multigraph (Page and Brin 1998; TG-RAG, section III-B).

With w(i, j) the number of edges between two nodes, m(j) that of all edges of a node, d the damping, and v the
seeds, of sum 1:

    x(i) = (1 - d) v(i) + d · sum over j of w(i, j) x(j) / m(j) + d v(i) · sum over j without edges of x(j)
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from asof.errors import UsageError

DAMPING = 0.85
TOLERANCE = 1e-6
ITERATIONS = 50_000
"""Steps; 85 are enough for 1e-6 at a damping of 0.85, 27,600 for 1e-12 at 0.999."""

Floats = NDArray[np.float64]


def personalized_pagerank(
    n: int, sources: ArrayLike, targets: ArrayLike, seeds: ArrayLike, *,
    damping: float = DAMPING, tolerance: float = TOLERANCE, iterations: int = ITERATIONS,
) -> Floats:  # fmt: skip
    """The personalised PageRank (n,) of the nodes 0 to n - 1; its sum is 1, or all of it 0 without a seed.

    Each edge is given once, in either direction; parallel edges add up, and a loop counts once for its node,
    as in networkx. The order and direction of the edges do not affect the result in any bit; the numbering of
    the nodes can. `seeds` (n,) are weights, finite and at least 0. The value of a node without edges goes
    back to the seeds. The last step of the equation changed the values by `tolerance` at most, summed over
    all nodes (networkx accepts n times its `tol`), so they are within d / (1 - d) times that of the solution:
    5.7 times at 0.85.

    Raises UsageError if so many `iterations` are not enough.
    """
    weights = np.asarray(seeds, np.float64)
    if not weights.any():
        return np.zeros(n)
    ends = np.sort(np.array([sources, targets], np.int64).reshape(2, -1), axis=0)
    low, high = ends[:, np.lexsort(tuple(ends))]  # one order of summation, whatever that of the edges
    other = low != high

    def received(given: Floats) -> Floats:
        """What each node gets over its edges, if their other ends give so much over each of theirs."""
        there = np.bincount(high[other], given[low][other], n)
        return np.asarray(there + np.bincount(low, given[high], n))

    mass = received(np.ones(n))
    linked = mass > 0
    mass[~linked] = 1.0
    share = values = weights / weights.sum()
    change = np.inf
    for _ in range(iterations):
        back = 1 - damping + damping * float(values[~linked].sum())
        after = back * share + damping * received(np.where(linked, values / mass, 0.0))
        change = float(np.abs(after - values).sum())
        values = after
        if change <= tolerance:
            return np.asarray(values / values.sum())
    raise UsageError(
        f"PageRank with damping {damping:g}: {iterations} iterations do not reach a tolerance of"
        f" {tolerance:g} (last change {change:.2g}); give more iterations or a greater tolerance"
    )
