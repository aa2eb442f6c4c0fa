"""Incremental update of a graph from one set of rows to another: only affected edges are computed again."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from asof.graph.edges import Edges
from asof.graph.limits import DEFAULT, GraphLimits
from asof.graph.node_table import Rows
from asof.graph.overlap import (
    Sharing,
    Weighted,
    all_sharing,
    carriers_of,
    edges_of,
    sharing_of,
    within_cap,
)
from asof.graph.postings import Postings, shingles_of
from asof.text.shingles import Shingler


@dataclass(frozen=True, slots=True)
class Graph:
    """The edges among the nodes that are `known`, for the cap and threshold of the `Updater`."""

    known: NDArray[np.bool_]
    edges: Edges

    def is_of(self, known: NDArray[np.bool_]) -> bool:
        """Whether this is the graph of these nodes. Nodes added later may be missing on either side."""
        n = min(len(known), len(self.known))
        return bool((known[:n] == self.known[:n]).all() and not known[n:].any() and not self.known[n:].any())


@dataclass(frozen=True, slots=True)
class Updater:
    """Builds graphs of any set of the rows of a corpus. `parts` have the shingles of all of them."""

    db: sqlite3.Connection
    rows: Rows
    parts: Sequence[Postings]
    shingler: Shingler
    threshold: float
    cap: int
    limits: GraphLimits = DEFAULT
    counts: NDArray[np.int32] = field(init=False)

    def __post_init__(self) -> None:
        counts = np.concatenate([np.zeros(0, np.int32), *(part.counts for part in self.parts)])
        object.__setattr__(self, "counts", counts)

    def anew(self, known: NDArray[np.bool_]) -> Graph:
        sharing = all_sharing(self.parts, known, self.cap, self.rows, self.limits.shingles_at_once)
        return Graph(known, Edges.of(self._edges(known, sharing), self.rows.n))

    def moved(self, graph: Graph, known: NDArray[np.bool_]) -> Graph:
        """The graph of the nodes that are known now, from that of another set of nodes.

        *Dirty* are the added and removed nodes, and those that entered or left the first `cap` of a shingle
        because of them. Edges between two other nodes are unchanged; all edges of dirty ones are computed
        again.
        """
        before = np.zeros(self.rows.n, bool)
        before[: len(graph.known)] = graph.known[: self.rows.n]
        dirty = before != known
        if self._too_many(dirty, known):
            return self.anew(known)
        if self.cap:
            self._mark_displaced(dirty, before, known)
            if self._too_many(dirty, known):
                return self.anew(known)
        selected = dirty & known
        sharing = sharing_of(self._shingles(selected), self.parts, known, self.cap, self.rows)
        return Graph(known, graph.edges.replaced(dirty, self._edges(selected, sharing)))

    def _edges(self, selected: NDArray[np.bool_], sharing: Sharing) -> Weighted:
        at_once = self.limits.products_at_once
        return edges_of(selected, sharing, self.counts, self.rows, self.threshold, at_once)

    def _too_many(self, dirty: NDArray[np.bool_], known: NDArray[np.bool_]) -> bool:
        return int(dirty.sum()) * self.limits.rebuild_share > int(known.sum())

    def _mark_displaced(
        self, dirty: NDArray[np.bool_], before: NDArray[np.bool_], after: NDArray[np.bool_]
    ) -> None:
        shingle, node = carriers_of(self._shingles(dirty), self.parts, before | after)
        inside = np.zeros((2, len(node)), bool)
        for now, nodes in zip(inside, (before, after), strict=True):
            here = nodes[node]
            now[here] = within_cap(shingle[here], node[here], self.cap, self.rows)
        dirty[node[inside[0] != inside[1]]] = True

    def _shingles(self, nodes: NDArray[np.bool_]) -> NDArray[np.uint64]:
        passages = np.flatnonzero(nodes) + self.rows.first
        return shingles_of(self.db, passages, self.shingler, self.limits.texts_at_once)
