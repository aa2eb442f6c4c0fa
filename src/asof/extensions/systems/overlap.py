"""Overlap of shingles between passages: the edges of the evidence graph.

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
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from asof.index.columns import Array, ArraySpec, FileFormat
from asof.index.segment import Segment, SegmentWriter
from asof.plugins import scipy
from asof.revisions.rows import Postings, Rows

EDGE_SCALE = 1_000_000_000
"""Weights are whole numbers: rint(SCALE · J). Sums of them have the same bits in any order."""

ROUNDING = 1e-9

# -- edges -----------------------------------------------------------------------------------------


FILE_FORMAT = FileFormat(
    {
        "low": ArraySpec("<i4", "edges", low=0, below="nodes"),
        "high": ArraySpec("<i4", "edges", low=0, below="nodes"),
        "weight": ArraySpec("<i4", "edges", low=1),
    },
    {"nodes": int, "rows": int, "cap": int, "threshold": float, "made": str},
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Edges:
    """Undirected edges between nodes, each once and in order: a node, a greater one, a whole number as
    weight."""

    low: NDArray[np.int32]
    high: NDArray[np.int32]
    weight: NDArray[np.int32]

    def among(self, nodes: NDArray[np.bool_]) -> Edges:
        """The edges both of whose ends are in `nodes`."""
        keep = nodes[self.low] & nodes[self.high]
        return Edges(self.low[keep], self.high[keep], self.weight[keep])

    def sums(self, n: int) -> NDArray[np.int64]:
        """For each of `n` nodes the sum of its weights: whole numbers far below 2^53, exact in float64."""
        low, high = (np.bincount(ends, self.weight, n) for ends in (self.low, self.high))
        return (low + high).astype(np.int64)

    def neighbours(self, node: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """The nodes that a node has an edge with, and the weights; in no order."""
        first, last = np.searchsorted(self.low, [node, node + 1])
        before = np.flatnonzero(self.high == node)
        return (
            np.concatenate([self.low[before], self.high[first:last]]),
            np.concatenate([self.weight[before], self.weight[first:last]]),
        )

    def save(self, path: Path, **facts: str | float) -> None:
        with SegmentWriter(path) as writer:
            writer.add("low", self.low)
            writer.add("high", self.high)
            writer.add("weight", self.weight)
            writer.close(**facts)

    @classmethod
    def opened(cls, segment: Segment) -> Self:
        """The edges in a file, every byte checked. Raises DamagedSegment."""
        return cls(segment["low"], segment["high"], segment["weight"])


# -- overlap, by products of sparse matrices -------------------------------------------------------


def edges_of(
    parts: Sequence[Postings], known: NDArray[np.bool_], rows: Rows, threshold: float, cap: int,
    products_at_once: int,
) -> Edges:  # fmt: skip
    """All edges among the nodes that are `known`; passages of one document have none. `parts` have the
    shingles of all nodes."""
    counts = np.concatenate([np.zeros(0, np.int32), *(part.counts for part in parts)]).astype(np.int64)
    shingle, node = sharing(parts, known, rows, cap)
    documents = rows.columns["document"]
    edges: list[tuple[Array, ...]] = [(np.zeros(0, np.int32),) * 3]
    for one, other, shared in _overlaps(shingle, node, counts, threshold, products_at_once):
        once = (one < other) & (documents[one] != documents[other])
        one, other, shared = one[once], other[once], shared[once].astype(np.int64)
        jaccard = shared / (counts[one] + counts[other] - shared)
        edge = jaccard > threshold
        weight = np.rint(EDGE_SCALE * jaccard[edge]).astype(np.int32)
        edges.append((one[edge].astype(np.int32), other[edge].astype(np.int32), weight))
    low, high, weight = (np.concatenate(each) for each in zip(*edges, strict=True))
    order = np.lexsort((high, low))
    return Edges(low[order], high[order], weight[order])


def sharing(
    parts: Sequence[Postings], known: NDArray[np.bool_], rows: Rows, cap: int
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """The pairs of a shingle (numbers from 0, ascending) and a node that shares it with another; of the nodes
    that are `known`."""
    hashes = np.concatenate([np.zeros(0, np.uint64), *(part.hashes for part in parts)])
    nodes = [part.carriers + np.int32(part.begin) for part in parts]
    node = np.concatenate([np.zeros(0, np.int32), *nodes])
    hashes, node = hashes[known[node]], node[known[node]]
    order = np.argsort(hashes, kind="stable")
    hashes, node = hashes[order], node[order]
    shingle = np.cumsum(np.diff(hashes, prepend=hashes[:1]) != 0)
    shared = np.bincount(shingle)[shingle] > 1
    shingle, node = shingle[shared], node[shared]
    inside = within_cap(shingle, node, cap, rows)
    return np.unique(shingle[inside], return_inverse=True)[1], node[inside]


def within_cap(shingle: Array, node: Array, cap: int, rows: Rows) -> NDArray[np.bool_]:
    """A mask of (shingle, node): those among the first `cap` in time of their shingle; 0: all are.

    `shingle` is ascending. Only shingles of more than `cap` nodes have to be sorted.
    """
    inside = np.ones(len(shingle), bool)
    many = np.bincount(shingle) if cap else np.zeros(0, np.int64)
    if many.max(initial=0) <= cap:
        return inside
    crowded = np.flatnonzero((many > cap)[shingle])
    order = crowded[rows.canonical(node[crowded], shingle[crowded])]
    sizes = many[many > cap]
    place = np.arange(len(order)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    inside[order[place >= cap]] = False
    return inside


def _overlaps(
    shingle: NDArray[np.int64], node: NDArray[np.int32], counts: Array, threshold: float, at_once: int
) -> Iterator[tuple[Array, Array, Array]]:
    """Nodes, nodes they share with, and how many shingles; pairs with too few for an edge may be missing.

    The size of a batch is bounded by its number of multiplications, known beforehand.
    """
    if not len(shingle):
        return
    csr_array = scipy("sparse").csr_array
    sizes = np.bincount(shingle)
    starts = np.concatenate([[0], np.cumsum(sizes)])
    carriers = csr_array((np.ones(len(node), np.int32), node, starts), (len(sizes), len(counts)))
    shingles = carriers.T.tocsr()
    nodes = np.unique(node)
    batch = np.cumsum((shingles @ sizes)[nodes]) // at_once
    for ours in np.split(nodes, np.flatnonzero(np.diff(batch)) + 1):
        product = shingles[ours] @ carriers
        # union >= |A|, so an edge needs more than threshold · |A|: nearly all pairs fall here
        least = threshold * counts[ours] * (1 - ROUNDING)
        row = np.repeat(np.arange(len(ours)), np.diff(product.indptr))
        enough = product.data >= least[row]
        yield ours[row[enough]], product.indices[enough], product.data[enough]
