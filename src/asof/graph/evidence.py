"""The evidence graph: which current passages state the same, so that they corroborate each other.

TWE-RAG, section 2.2: nodes are passages, an edge joins two whose shingles overlap enough (`overlap.py`), and
a passage with heavy edges to many others is central. Differences, because the corpus changes:

- Only current passages are nodes of a view, and the cap on shingles counts earlier passages only.
- Only *independent* documents corroborate. All versions of a document are one source.
- Weights are whole numbers, so that degrees have the same bits for any division of rows into segments.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from asof import corpus_files
from asof.errors import DamagedSegment
from asof.graph.centrality import DAMPING, mean_visits
from asof.graph.edges import FILE_FORMAT as EDGES
from asof.graph.edges import Edges, summed
from asof.graph.evidence_cache import FOLDER, SHINGLES, graph_cache
from asof.graph.node_table import Rows
from asof.graph.overlap import Weighted
from asof.graph.postings import FILE_FORMAT as POSTINGS
from asof.index.prefix import Prefix
from asof.index.segment import Segment
from asof.index.view import View
from asof.scientific import scipy
from asof.store.reader import sources_of_heads, values_of_heads

THRESHOLD = 0.05
CAP = 256
INDEPENDENT = "document"


@dataclass(slots=True)
class Evidence:
    """The evidence graph of a view: edges among its current rows, between independent documents.

    `degrees`: for each row of the view the sum of the weights of its edges, whole numbers in units of
    1 / SCALE; 0 for rows that are not current. `largest` is the largest of them.
    """

    prefix: Prefix
    rows: Rows
    edges: Edges
    sparse_edges: int  # see `GraphLimits`
    source_groups: NDArray[np.int64] | None  # by node: no edge joins equal numbers, except negative ones
    nodes: NDArray[np.int64] = field(init=False)  # of the view's rows
    alive: NDArray[np.bool_] = field(init=False)  # by node
    degrees: NDArray[np.int64] = field(init=False)
    largest: int = field(init=False)
    _row_of: NDArray[np.int32] | None = None

    def __post_init__(self) -> None:
        parts = self.prefix.parts
        nodes = [self.rows.nodes(part.segment, part.hi) for part in parts]
        self.nodes = np.concatenate([np.zeros(0, np.int64), *nodes])
        self.alive = np.zeros(self.rows.n, bool)
        self.alive[self.nodes] = True
        for part, here in zip(parts, nodes, strict=True):
            self.alive[here[part.dead]] = False
        every = self.source_groups is None
        sums = self.edges.sums(self.alive, self.sparse_edges) if every else summed(self._edges(), self.rows.n)
        self.degrees = sums[self.nodes]
        self.largest = int(self.degrees.max(initial=0))

    def neighbours(self, row: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The rows that corroborate a row, in order of time, and the weights of the edges to them."""
        node = int(self.nodes[row])
        if not self.alive[node]:
            return np.zeros(0, np.int64), np.zeros(0, np.int64)
        nodes, weights = self.edges.neighbours(node)
        keep = self.alive[nodes]
        if self.source_groups is not None:
            keep &= (self.source_groups[nodes] != self.source_groups[node]) | (self.source_groups[nodes] < 0)
        nodes, weights = nodes[keep], weights[keep]
        order = self.rows.canonical(nodes)
        return self._rows_of(nodes[order]), weights[order].astype(np.int64)

    def pagerank(self, damping: float = DAMPING) -> NDArray[np.float64]:
        """For each row of the view its PageRank as a share of the largest; 0 for rows that are not current.

        Isolated passages scale all values alike, so a share is the same in the published form and in the one
        that redistributes their values. Nodes are in order of time: the same bits for any segments.
        """
        sparse = scipy("sparse")

        low, high, weight = self._edges()
        linked = np.unique(np.concatenate([low, high]))
        linked = linked[self.rows.canonical(linked)]
        place = np.zeros(self.rows.n, np.int64)
        place[linked] = np.arange(len(linked))
        one, other = place[low], place[high]
        weights = sparse.coo_array(
            (
                np.concatenate([weight, weight]).astype(np.float64),
                (np.concatenate([one, other]), np.concatenate([other, one])),
            ),
            (len(linked), len(linked)),
        ).tocsr()
        weights.sort_indices()
        values = np.where(self.alive, 1 - damping, 0.0)
        values[linked] = mean_visits(weights, damping)
        largest = float(values.max(initial=0.0))
        shares: NDArray[np.float64] = values[self.nodes] / (largest or 1.0)
        return shares

    def _edges(self) -> Weighted:
        low, high, weight = self.edges.among(self.alive)
        if self.source_groups is None:
            return low, high, weight
        apart = (self.source_groups[low] != self.source_groups[high]) | (self.source_groups[low] < 0)
        return low[apart], high[apart], weight[apart]

    def _rows_of(self, nodes: NDArray[np.int32]) -> NDArray[np.int64]:
        if self._row_of is None:
            self._row_of = np.full(self.rows.n, -1, np.int32)
            self._row_of[self.nodes] = np.arange(len(self.nodes), dtype=np.int32)
        return self._row_of[nodes].astype(np.int64)


def evidence(
    view: View,
    *,
    threshold: float = THRESHOLD,
    cap: int = CAP,
    independent: str = INDEPENDENT,
    bands: int = 0,
) -> Evidence:
    """The evidence graph of a view; cached with it.

    An edge needs J > `threshold`. Of the passages with a shingle the first `cap` in time share it (0: all).
    `independent`: which passages do not corroborate each other: those of one "document", of one "source", or
    of documents with the same value of a metadata key, for example "publisher"; a document without the key
    corroborates all others. `bands`: only locality-sensitive candidates are compared (`minhash.py`), which
    finds nearly all edges; 0: all pairs are.
    """
    threshold = float(threshold)
    key = f"evidence {threshold!r} {cap} {independent} {bands}"
    cached: Evidence | None = view.prefix.memo.get(key)
    if cached is None:
        cache = graph_cache(view.derived)
        rows, graph = cache.graph(view, threshold, cap, bands)
        groups = _source_groups(view, rows, independent)
        cached = Evidence(view.prefix, rows, graph.edges, cache.limits.sparse_edges, groups)
        view.prefix.memo[key] = cached
    return cached


def _source_groups(view: View, rows: Rows, independent: str) -> NDArray[np.int64] | None:
    """For each node the number of its independent source, negative where it has no value of the key.

    None: each document is a source, and no edge joins passages of one document.
    """
    if independent == INDEPENDENT:
        return None
    db = view.store.db
    head_values = sources_of_heads(db) if independent == "source" else values_of_heads(db, independent)
    numbers: dict[object, int] = {}
    heads = np.array([head for head, _ in head_values], np.int64)
    group_of_head = np.array([numbers.setdefault(value, len(numbers)) for _, value in head_values], np.int64)
    groups = np.full(rows.n, -1, np.int64)
    if len(heads):
        for part in view.prefix.parts:
            head = part.segment["head"][: part.hi]
            at = np.minimum(np.searchsorted(heads, head), len(heads) - 1)
            groups[rows.nodes(part.segment, part.hi)] = np.where(heads[at] == head, group_of_head[at], -1)
    return groups


def status(folder: Path) -> list[str]:
    """Lines for `asof status` about the cache files, if any; `folder` is the one of all derived files."""
    files = [name for name in corpus_files.names(folder / FOLDER) if name.endswith(".seg")]
    if not files:
        return []
    lines, rows, size = [], 0, 0
    for name in files:
        try:
            expected = POSTINGS if SHINGLES.fullmatch(name) else EDGES
            segment = Segment(folder / FOLDER / name, expected=expected)
        except DamagedSegment:
            lines.append(f"evidence graph: {name} is damaged; it will be rebuilt")
            continue
        size += segment.size
        if "known" in segment:
            facts, edges = segment.facts, len(segment.unchecked("high"))
            lines.append(
                f"evidence graph: {facts['rows']:,} passages, {edges:,} edges"
                f" (J > {facts['threshold']:g}, cap {facts['cap'] or 'none'})"
            )
        else:
            rows += len(segment.unchecked("counts"))
    return [*lines, f"evidence graph: shingles of {rows:,} passages; {size:,} bytes in all"]
