"""PageRank of a weighted undirected graph (Page and Brin 1998; TWE-RAG, section 2.2)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy.sparse import csr_array

DAMPING = 0.85
TOLERANCE = 1e-12
"""Largest change of a value, as a share of it, at which the iteration ends."""


def pagerank(
    weights: csr_array, damping: float = DAMPING, *, dangling: bool = True, iterations: int | None = None
) -> NDArray[np.float64]:
    """The PageRank of each node of a graph with these symmetric weights (n, n).

    PR(i) = (1 - damping) / n + damping · sum over j of w(j, i) · PR(j) / sum over k of w(j, k)

    A node without an edge passes nothing on. `dangling`: its value is spread over all nodes, so that the sum
    is 1 (the standard form); else it is lost, as in the published formula. The iteration starts from equal
    values and ends when no value changes (TOLERANCE), or after `iterations` steps.
    """
    n = weights.shape[0]
    # the values of isolated nodes are spread over all in equal shares, which only scales the values
    isolated = int((np.diff(weights.indptr) == 0).sum()) if dangling else 0
    ranks: NDArray[np.float64] = mean_visits(weights, damping, iterations) / (n - damping * isolated)
    return ranks


def mean_visits(
    weights: csr_array, damping: float = DAMPING, iterations: int | None = None
) -> NDArray[np.float64]:
    """PageRank in units of 1/n as published: y = (1 - damping) + damping · W y / degree.

    A node with no edge has 1 - damping; the values of others depend on their own component only. Each sum is
    in the order of the columns of a row, so the exact bits depend on the order of the nodes only.
    """
    n = weights.shape[0]
    degrees = np.asarray(weights.sum(axis=1), np.float64).reshape(n)
    linked = degrees > 0
    values = np.where(linked, 1.0, 1 - damping)
    # the distance to the limit shrinks by `damping` with each step: this many are always enough
    most = math.ceil(math.log(TOLERANCE / max(n, 1)) / math.log(damping)) if damping else 1
    for _ in range(most if iterations is None else iterations):
        passed = np.divide(values, degrees, out=np.zeros(n), where=linked)
        after = (1 - damping) + damping * (weights @ passed)
        change = np.abs(after - values) / after if n else np.zeros(0)
        values = after
        if iterations is None and change.max(initial=0.0) <= TOLERANCE:
            break
    return values
