"""The edges of the evidence graph: a base in a file, and the changes since."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from asof.graph.overlap import Weighted
from asof.index.file_format import ArraySpec, FileFormat
from asof.index.segment import Segment, SegmentWriter
from asof.scientific import scipy

FILE_FORMAT = FileFormat(
    {
        "start": ArraySpec("<i8", "base+1", order="offsets", of="edges"),
        "high": ArraySpec("<i4", "edges", low=0, below="base"), "weight": ArraySpec("<i4", "edges", low=1),
        "known": ArraySpec("|u1", "packed"),
    },
    {"nodes": int, "rows": int, "cap": int, "threshold": float, "made": str},
    {
        "start": lambda read, facts: len(read("start")) <= facts["nodes"] + 1,
        "known": lambda read, facts: len(read("known")) == -(-facts["nodes"] // 8),
    },
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Edges:
    """Undirected edges between nodes, each once, with whole numbers as weights.

    The base has, for each node, its neighbours with greater numbers: high[start[i]:start[i + 1]]. An edge of
    the base with a `stale` end is no longer valid; `later` has the edges of stale nodes.
    """

    start: NDArray[np.int64]
    high: NDArray[np.int32]
    weight: NDArray[np.int32]
    stale: NDArray[np.bool_]
    later: Weighted

    @classmethod
    def of(cls, edges: Weighted, n: int) -> Self:
        """From edges in order, of `n` nodes."""
        low, high, weight = edges
        start = np.searchsorted(low, np.arange(n + 1)).astype(np.int64)
        return cls(start, high, weight, np.zeros(n, bool), _none())

    @property
    def n(self) -> int:
        return len(self.stale)

    def replaced(self, nodes: NDArray[np.bool_], edges: Weighted) -> Self:
        """With `edges` in the place of all edges that have one of `nodes` as an end."""
        stale = nodes.copy()
        stale[: self.n] |= self.stale
        low, high, weight = self.later
        keep = ~(nodes[low] | nodes[high])
        later = [
            np.concatenate([old[keep], new]) for old, new in zip((low, high, weight), edges, strict=True)
        ]
        return type(self)(self.start, self.high, self.weight, stale, (later[0], later[1], later[2]))

    def among(self, nodes: NDArray[np.bool_]) -> Weighted:
        """All edges both of whose ends are in `nodes`."""
        base = nodes[: len(self.start) - 1] & ~self.stale[: len(self.start) - 1]
        low = np.repeat(np.arange(len(base), dtype=np.int32), np.diff(self.start))
        keep = base[low] & base[self.high]
        more = self._later_among(nodes)
        return (
            np.concatenate([low[keep], more[0]]),
            np.concatenate([self.high[keep], more[1]]),
            np.concatenate([self.weight[keep], more[2]]),
        )

    def sums(self, nodes: NDArray[np.bool_], sparse_edges: int) -> NDArray[np.int64]:
        """For each of `nodes` the sum of the weights of its edges with others of them; 0 for the rest.

        `sparse_edges`: from so many edges on by a sparse product.
        """
        if len(self.high) < sparse_edges:
            return summed(self.among(nodes), len(nodes))
        sparse = scipy("sparse")

        n = len(self.start) - 1
        base = (nodes[:n] & ~self.stale[:n]).astype(np.float64)
        above = sparse.csr_array((self.weight, self.high, self.start), (n, n))
        total = summed(self._later_among(nodes), len(nodes))
        total[:n] += ((above @ base + above.T @ base) * base).astype(np.int64)
        return total

    def _later_among(self, nodes: NDArray[np.bool_]) -> Weighted:
        low, high, weight = self.later
        keep = nodes[low] & nodes[high]
        return low[keep], high[keep], weight[keep]

    def folded(self) -> Self:
        """The same edges, all of them as a base."""
        low, high, weight = self.among(np.ones(self.n, bool))
        order = np.argsort((low.astype(np.int64) << 32) | high, kind="stable")
        return self.of((low[order], high[order], weight[order]), self.n)

    def neighbours(self, node: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """The nodes that a node has an edge with, and the weights; in no order."""
        low, high, weight = self.later
        before, after = np.flatnonzero(high == node), np.flatnonzero(low == node)
        nodes, weights = [low[before], high[after]], [weight[before], weight[after]]
        if node < len(self.start) - 1 and not self.stale[node]:
            begin, end = self.start[node : node + 2]
            smaller = np.flatnonzero(self.high == node)
            of_base = np.concatenate([
                self.high[begin:end], (np.searchsorted(self.start, smaller, "right") - 1).astype(np.int32)
            ])  # fmt: skip
            sound = ~self.stale[of_base]
            nodes.append(of_base[sound])
            weights.append(np.concatenate([self.weight[begin:end], self.weight[smaller]])[sound])
        return np.concatenate(nodes), np.concatenate(weights)

    def save(self, path: Path, known: NDArray[np.bool_], **facts: str | float) -> Self:
        """Write a base to a file, with the nodes that were known; returns the base mapped from that file."""
        with SegmentWriter(path) as writer:
            writer.add("start", self.start)
            writer.add("high", self.high)
            writer.add("weight", self.weight)
            writer.add("known", np.packbits(known))
            writer.close(nodes=self.n, **facts)
        return self.opened(Segment(path, expected=FILE_FORMAT))[0]

    @classmethod
    def opened(cls, segment: Segment) -> tuple[Self, NDArray[np.bool_]]:
        """The base in a file, every byte checked, and the nodes known in it. Raises DamagedSegment."""
        n = segment.facts["nodes"]
        known = np.unpackbits(segment["known"], count=n).astype(bool)
        return cls(segment["start"], segment["high"], segment["weight"], np.zeros(n, bool), _none()), known


def summed(edges: Weighted, n: int) -> NDArray[np.int64]:
    """For each of `n` nodes the sum of its weights: whole numbers far below 2^53, exact in float64."""
    low, high, weight = edges
    return (np.bincount(low, weight, n) + np.bincount(high, weight, n)).astype(np.int64)


def _none() -> Weighted:
    return (np.zeros(0, np.int32),) * 3
