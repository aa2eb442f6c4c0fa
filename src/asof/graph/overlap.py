"""Which passages share how many shingles: exact, by products of sparse matrices.

TWE-RAG, section 2.2: an edge between two passages whose Jaccard similarity J = |A ∩ B| / |A ∪ B| of shingles
is greater than a threshold, and J its weight. We differ in one point, the cap: of all passages that carry a
shingle, in order of time, only the first `cap` share it with each other. A phrase of a template is in every
passage made from it; it would connect all pairs without being evidence for any. The cap counts passages
*before* a passage, so that later ones change no edge. Shingles that are not shared because of the cap do not
count: J = shared / (|A| + |B| - shared).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from asof.graph.node_table import Rows
from asof.graph.postings import Postings
from asof.index.file_format import Array
from asof.scientific import scipy

SCALE = 1_000_000_000
"""Weights are whole numbers: rint(SCALE · J). Sums of them have the same bits in any order."""

ROUNDING = 1e-9

Weighted = tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]
"""Edges: a node, a greater one, the weight."""


@dataclass(frozen=True, slots=True)
class Sharing:
    """The nodes that share each shingle: nodes[start[i]:start[i + 1]]; only shingles of several nodes."""

    start: NDArray[np.int64]
    nodes: NDArray[np.int32]


def within_cap(shingle: Array, node: Array, cap: int, rows: Rows) -> NDArray[np.bool_]:
    """Which (shingle, node) are among the first `cap` in time of their shingle; 0: all are.

    `shingle` is ascending, from 0. Only shingles of more than `cap` nodes have to be sorted.
    """
    counts = np.ones(len(shingle), bool)
    many = np.bincount(shingle) if cap else np.zeros(0, np.int64)
    if not cap or many.max(initial=0) <= cap:
        return counts
    crowded = np.flatnonzero((many > cap)[shingle])
    order = crowded[rows.canonical(node[crowded], shingle[crowded])]
    sizes = many[many > cap]
    place = np.arange(len(order)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    counts[order[place >= cap]] = False
    return counts


def all_sharing(
    parts: Sequence[Postings], known: NDArray[np.bool_], cap: int, rows: Rows, shingles_at_once: int
) -> Sharing:
    """The sharing of all shingles among the nodes that are `known`."""
    sizes, nodes = [np.zeros(0, np.int64)], [np.zeros(0, np.int32)]
    for _, shingle, carriers in carriers_in_ranges(parts, known, shingles_at_once):
        shared = (np.bincount(shingle) > 1)[shingle] if len(shingle) else np.zeros(0, bool)
        some = _sharing(shingle[shared], carriers[shared], cap, rows)
        sizes.append(np.diff(some.start))
        nodes.append(some.nodes)
    start = np.concatenate([[0], np.cumsum(np.concatenate(sizes))])
    return Sharing(start, np.concatenate(nodes))


def carriers_in_ranges(
    parts: Sequence[Postings], known: NDArray[np.bool_], at_once: int
) -> Iterator[tuple[NDArray[np.uint64], NDArray[np.int64], NDArray[np.int32]]]:
    """All shingles of the nodes that are `known`, about `at_once` at a time: for each node of each shingle
    the hash, ascending, the number of the shingle among those of its range, from 0 on, and the node."""
    total = sum(len(part.hashes) for part in parts)
    steps = -(-total // at_once)
    for step in range(steps):
        low, high = step * 2**64 // steps, (step + 1) * 2**64 // steps
        postings = [part.between(low, high) for part in parts]
        hashes = np.concatenate([part for part, _ in postings])
        carriers = np.concatenate([part for _, part in postings])
        keep = known[carriers]
        hashes, carriers = hashes[keep], carriers[keep]
        order = np.argsort(hashes, kind="stable")
        hashes, carriers = hashes[order], carriers[order]
        yield hashes, np.cumsum(np.diff(hashes, prepend=hashes[:1]) != 0), carriers


def sharing_of(
    hashes: NDArray[np.uint64], parts: Sequence[Postings], known: NDArray[np.bool_], cap: int, rows: Rows
) -> Sharing:
    """The sharing of these shingles (distinct) among the nodes that are `known`."""
    shingle, node = carriers_of(hashes, parts, known)
    return _sharing(shingle, node, cap, rows)


def carriers_of(
    hashes: NDArray[np.uint64], parts: Sequence[Postings], known: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Which of `hashes` (ascending) is carried by which node that is `known`."""
    postings = [part.find(hashes) for part in parts]
    shingle = np.concatenate([np.zeros(0, np.int64), *(which for which, _ in postings)])
    node = np.concatenate([np.zeros(0, np.int32), *(nodes for _, nodes in postings)])
    keep = known[node]
    shingle, node = shingle[keep], node[keep]
    order = np.argsort(shingle, kind="stable")
    return shingle[order], node[order]


def _sharing(shingle: Array, node: Array, cap: int, rows: Rows) -> Sharing:
    counts = within_cap(shingle, node, cap, rows)
    sizes = np.bincount(shingle[counts])
    return Sharing(np.concatenate([[0], np.cumsum(sizes[sizes > 0])]), node[counts])


def edges_of(
    selected: NDArray[np.bool_], sharing: Sharing, counts: NDArray[np.int32], rows: Rows, threshold: float,
    products_at_once: int,
) -> Weighted:  # fmt: skip
    """All edges with an end that is `selected`, each once; passages of one document have none.

    `counts`: the number of shingles of each node. `sharing` has all shingles of the selected nodes.
    """
    documents = rows.columns["document"]
    edges: list[Weighted] = [(np.zeros(0, np.int32),) * 3]
    for one, other, shared in _overlaps(selected, sharing, counts, threshold, products_at_once):
        once = (one < other) | ~selected[other]
        once &= documents[one] != documents[other]
        edges.append(weighted(one[once], other[once], shared[once], counts, threshold))
    low, high, weight = (np.concatenate(each) for each in zip(*edges, strict=True))
    order = np.argsort((low.astype(np.int64) << 32) | high, kind="stable")
    return low[order], high[order], weight[order]


def weighted(
    one: NDArray[np.int32],
    other: NDArray[np.int32],
    shared: Array,
    counts: NDArray[np.int32],
    threshold: float,
) -> Weighted:
    """The edges among pairs of nodes that share so many shingles."""
    shared = shared.astype(np.int64)
    jaccard = shared / (counts[one].astype(np.int64) + counts[other] - shared)
    edge = jaccard > threshold
    one, other, jaccard = one[edge], other[edge], jaccard[edge]
    return np.minimum(one, other), np.maximum(one, other), np.rint(SCALE * jaccard).astype(np.int32)


def _overlaps(
    selected: NDArray[np.bool_],
    sharing: Sharing,
    counts: NDArray[np.int32],
    threshold: float,
    products_at_once: int,
) -> Iterator[tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]]:
    """Selected nodes, nodes they share with, and how many shingles; pairs with too few for an edge may be
    missing.

    The size of a block is bounded by its number of multiplications, known beforehand.
    """
    sparse = scipy("sparse")

    used = np.zeros(len(selected), bool)
    used[sharing.nodes] = True
    nodes = np.flatnonzero(used).astype(np.int32)
    if not len(nodes):
        return
    local = (np.cumsum(used, dtype=np.int32) - 1)[sharing.nodes]
    sizes = np.diff(sharing.start)
    ones = np.ones(len(local), np.int32)
    carriers = sparse.csr_array((ones, local, sharing.start), (len(sizes), len(nodes)))
    shingles = carriers.T.tocsr()
    mine = np.flatnonzero(selected[nodes])
    work = (shingles @ sizes)[mine]
    block = np.cumsum(work) // products_at_once
    for ours in np.split(mine, np.flatnonzero(np.diff(block)) + 1):
        product = shingles[ours] @ carriers
        # union >= |A|, so an edge needs more than threshold · |A|: nearly all pairs fall here
        least = threshold * counts[nodes[ours]] * (1 - ROUNDING)
        at = np.flatnonzero(product.data >= least.min(initial=np.inf))
        row = np.searchsorted(product.indptr, at, "right") - 1
        at, row = at[enough := product.data[at] >= least[row]], row[enough]
        yield nodes[ours[row]], nodes[product.indices[at]], product.data[at]
