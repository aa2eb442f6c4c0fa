"""Incremental update of a graph from one set of rows to another: only affected edges are computed again."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from asof.graph.edges import Edges
from asof.graph.limits import DEFAULT, GraphLimits
from asof.graph.minhash import agree, candidates, shared_by, sketch_of, whole_sketch
from asof.graph.node_table import Rows
from asof.graph.overlap import (
    Sharing,
    Weighted,
    all_sharing,
    carriers_of,
    edges_of,
    sharing_of,
    weighted,
    within_cap,
)
from asof.graph.postings import Postings, shingles_of
from asof.text.shingles import Shingler


@dataclass(frozen=True, slots=True)
class Graph:
    """The edges among the nodes that are `known`, for the cap, threshold and bands of the `Updater`."""

    known: NDArray[np.bool_]
    edges: Edges

    def is_of(self, known: NDArray[np.bool_]) -> bool:
        """Whether this is the graph of these nodes. Nodes added later may be missing on either side."""
        n = min(len(known), len(self.known))
        return bool((known[:n] == self.known[:n]).all() and not known[n:].any() and not self.known[n:].any())


@dataclass(frozen=True, slots=True)
class Updater:
    """Builds graphs of any set of the rows of a corpus. `parts` have the shingles of all of them.

    With `bands` only locality-sensitive candidates are compared (`minhash.py`); 0: all pairs.
    """

    db: sqlite3.Connection
    rows: Rows
    parts: Sequence[Postings]
    shingler: Shingler
    threshold: float
    cap: int
    bands: int = 0
    limits: GraphLimits = DEFAULT
    counts: NDArray[np.int32] = field(init=False)

    def __post_init__(self) -> None:
        counts = np.concatenate([np.zeros(0, np.int32), *(part.counts for part in self.parts)])
        object.__setattr__(self, "counts", counts)

    def anew(self, known: NDArray[np.bool_]) -> Graph:
        if self.bands:
            return Graph(known, Edges.of(self._of_candidates(known), self.rows.n))
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
        edges = self._edges(selected, sharing)
        return Graph(known, graph.edges.replaced(dirty, self._among_candidates(edges, known)))

    def _edges(self, selected: NDArray[np.bool_], sharing: Sharing) -> Weighted:
        at_once = self.limits.products_at_once
        return edges_of(selected, sharing, self.counts, self.rows, self.threshold, at_once)

    def _of_candidates(self, known: NDArray[np.bool_]) -> Weighted:
        """The edges among all pairs that have a band in common."""
        at_once = self.limits.sketched_at_once
        sketch = whole_sketch(self.parts, known, self.cap, self.rows, self.bands, at_once)
        pairs = candidates(sketch, self.rows, at_once)
        del sketch
        shared = shared_by(pairs, self.parts, known, self.cap, self.rows, at_once)
        return weighted(*pairs, shared, self.counts, self.threshold)

    def _among_candidates(self, edges: Weighted, known: NDArray[np.bool_]) -> Weighted:
        """Those of some exact edges that have a band in common: those that all pairs would have given."""
        if not self.bands:
            return edges
        low, high, weight = edges
        ends = np.unique(np.concatenate([low, high]))
        selected = np.zeros(self.rows.n, bool)
        selected[ends] = True
        hashes = self._shingles(selected)
        shingle, node = carriers_of(hashes, self.parts, known)
        inside = within_cap(shingle, node, self.cap, self.rows) & selected[node]
        places = np.searchsorted(ends, node[inside]).astype(np.int32)
        sketch = sketch_of(hashes[shingle[inside]], places, len(ends), self.bands)
        keep = agree(sketch, np.searchsorted(ends, low), np.searchsorted(ends, high))
        return low[keep], high[keep], weight[keep]

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
