"""Overlap of shingles between passages: the edges of the evidence graph, exact or by MinHash, and updates.

TWE-RAG, section 2.2: an edge between two passages whose Jaccard similarity J = |A ∩ B| / |A ∪ B| of shingles
is greater than a threshold, and J its weight. We differ in one point, the cap: of all passages that carry a
shingle, in order of time, only the first `cap` share it with each other. A phrase of a template is in every
passage made from it; it would connect all pairs without being evidence for any. The cap counts passages
*before* a passage, so that later ones change no edge. Shingles that are not shared because of the cap do not
count: J = shared / (|A| + |B| - shared).
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from asof.index.columns import Array, ArraySpec, FileFormat
from asof.index.segment import Segment, SegmentWriter
from asof.plugins import scipy
from asof.revisions.rows import DEFAULT, GraphLimits, Postings, Rows
from asof.text.query import Shingler, mixed

# -- exact overlap, by products of sparse matrices -------------------------------------------------


EDGE_SCALE = 1_000_000_000
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
    """A mask of (shingle, node): those among the first `cap` in time of their shingle; 0: all are.

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


def between(part: Postings, low: int, high: int) -> tuple[NDArray[np.uint64], NDArray[np.int32]]:
    """Hashes from `low` to `high` (exclusive) and the nodes that have them."""
    first = int(np.searchsorted(part.hashes, np.uint64(low)))
    last = int(np.searchsorted(part.hashes, np.uint64(high))) if high < 2**64 else len(part.hashes)
    return part.hashes[first:last], part.carriers[first:last] + np.int32(part.begin)


def carriers_in_ranges(
    parts: Sequence[Postings], known: NDArray[np.bool_], at_once: int
) -> Iterator[tuple[NDArray[np.uint64], NDArray[np.int64], NDArray[np.int32]]]:
    """All shingles of the nodes that are `known`, about `at_once` at a time: for each node of each shingle
    the hash, ascending, the number of the shingle among those of its range, from 0 on, and the node."""
    total = sum(len(part.hashes) for part in parts)
    steps = -(-total // at_once)
    for step in range(steps):
        low, high = step * 2**64 // steps, (step + 1) * 2**64 // steps
        postings = [between(part, low, high) for part in parts]
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
    """The pairs of `hashes` (ascending) and the `known` nodes that carry them."""
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
    return np.minimum(one, other), np.maximum(one, other), np.rint(EDGE_SCALE * jaccard).astype(np.int32)


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


# -- MinHash: candidates in a corpus of millions (TWE-RAG, README 7) -------------------------------
#
# One permutation hashing (Li, Owen and Zhang 2012): shingles are parted into `bands` by a hash, and the one
# with the least other hash stands for its band. Two passages are candidates if some band of both has the same
# one, so an edge is found with (Broder 1997)
#
#     1 - (1 - J)^bands       .56 for J = .05, .81 for .1, .97 for .2, with 16 bands
#
# One row to a band, since edges begin at J = .05. The overlap of candidates is counted exactly, so the graph
# is a part of the exact one, with equal weights. It takes a fraction of the memory, not less time. Only
# shingles within the cap stand for a band: whether a pair is compared never depends on what came later.


EMPTY = np.uint32(2**32 - 1)
"""The sketch of a band without a shingle, which agrees with none."""

SALT = np.uint64(0x5851F42D4C957F2D)
"""Hashes of shingles order the postings; the bands need others."""

Pairs = tuple[NDArray[np.int32], NDArray[np.int32]]
"""Nodes, and greater ones; ascending, each pair once."""

Nodes = NDArray[np.int32]


def sketch_of(shingles: NDArray[np.uint64], carriers: Nodes, n: int, bands: int) -> NDArray[np.uint32]:
    """The sketch (n, bands) of each of `n` nodes from their shingles; EMPTY where a band has none."""
    sketch = np.full(n * bands, EMPTY, np.uint32)
    update_sketch(sketch, shingles, carriers, bands)
    return sketch.reshape(n, bands)


def update_sketch(
    sketch: NDArray[np.uint32], shingles: NDArray[np.uint64], carriers: Nodes, bands: int
) -> None:
    """Take further shingles into a sketch (n · bands,)."""
    hashed = mixed(shingles ^ SALT)
    band = (hashed % np.uint64(bands)).astype(np.int64)
    least = np.minimum(hashed >> np.uint64(32), np.uint64(EMPTY - 1)).astype(np.uint32)
    np.minimum.at(sketch, carriers.astype(np.int64) * bands + band, least)


def whole_sketch(
    parts: Sequence[Postings], known: NDArray[np.bool_], cap: int, rows: Rows, bands: int, at_once: int
) -> NDArray[np.uint32]:
    """The sketch (nodes, bands) of all nodes that are `known`; `at_once` shingles are read together."""
    sketch = np.full(len(known) * bands, EMPTY, np.uint32)
    for hashes, shingle, carriers in carriers_in_ranges(parts, known, at_once):
        inside = within_cap(shingle, carriers, cap, rows)
        update_sketch(sketch, hashes[inside], carriers[inside], bands)
    return sketch.reshape(len(known), bands)


def candidates(sketch: NDArray[np.uint32], rows: Rows, at_once: int) -> Pairs:
    """Pairs of nodes of different documents with a band in common; duplicates are dropped every `at_once`."""
    documents = rows.columns["document"]
    coded, waiting, count = np.zeros(0, np.int64), [np.zeros(0, np.int64)], 0
    for band in range(sketch.shape[1]):
        nodes = np.flatnonzero(sketch[:, band] != EMPTY)
        values = sketch[nodes, band]
        order = np.argsort(values, kind="stable")  # so nodes of one value ascend
        nodes, values = nodes[order], values[order]
        for low, high in _together(values):
            one, other = nodes[low], nodes[high]
            apart = documents[one] != documents[other]
            waiting.append((one[apart] << 32) | other[apart])
            count += len(waiting[-1])
        if count > at_once or band == sketch.shape[1] - 1:
            coded = np.unique(np.concatenate([coded, *waiting]))
            waiting, count = [], 0
    return (coded >> 32).astype(np.int32), (coded & 0xFFFFFFFF).astype(np.int32)


def _together(values: NDArray[np.uint32]) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Places of all pairs of equal values, which are ascending: neighbours, then those two apart, ..."""
    low = np.arange(len(values) - 1)
    step = 1
    while len(low):
        low = low[low + step < len(values)]
        low = low[values[low] == values[low + step]]
        yield low, low + step
        step += 1


def agree(sketch: NDArray[np.uint32], one: NDArray[np.int64], other: NDArray[np.int64]) -> NDArray[np.bool_]:
    """A mask: True where the sketches at these places have a band in common."""
    first, second = sketch[one], sketch[other]
    agreeing: NDArray[np.bool_] = ((first == second) & (first != EMPTY)).any(axis=1)
    return agreeing


def shared_by(
    pairs: Pairs, parts: Sequence[Postings], known: NDArray[np.bool_], cap: int, rows: Rows, at_once: int
) -> NDArray[np.int64]:
    """The exact number of shingles within the cap that each pair shares; `at_once` shingles are read
    together."""
    one, other = pairs
    shared = np.zeros(len(one), np.int64)
    compared = np.zeros(len(known), bool)
    compared[one] = compared[other] = True
    local = np.cumsum(compared, dtype=np.int32) - 1
    n, csr_array = int(compared.sum()), scipy("sparse").csr_array
    for _, shingle, carriers in carriers_in_ranges(parts, known, at_once):
        inside = within_cap(shingle, carriers, cap, rows) & compared[carriers]
        inside &= (np.bincount(shingle, inside) > 1)[shingle] if len(shingle) else False
        which, nodes = shingle[inside], local[carriers[inside]]
        if not len(nodes):
            continue
        # by node; shingles ascend in each, for they did
        order = np.argsort(nodes, kind="stable")
        starts = np.concatenate([[0], np.cumsum(np.bincount(nodes, minlength=n))])
        ones = np.ones(len(nodes), np.int32)
        carried = csr_array((ones, which[order].astype(np.int32), starts), (n, int(which.max()) + 1))
        step = max(1, at_once * n // max(1, 2 * len(nodes)))
        for at in range(0, len(one), step):
            some = slice(at, at + step)
            common = carried[local[one[some]]].multiply(carried[local[other[some]]])
            shared[some] += np.asarray(common.sum(axis=1), np.int64).ravel()
    return shared


# -- edges: a base in a file, and the changes since ------------------------------------------------


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


# -- update: only affected edges are computed again ------------------------------------------------


@dataclass(frozen=True, slots=True)
class Graph:
    """The edges among the nodes that are `known`, for the cap, threshold and bands of the `Updater`."""

    known: NDArray[np.bool_]
    edges: Edges

    def is_of(self, known: NDArray[np.bool_]) -> bool:
        """True if this is the graph of these nodes. Nodes added later may be missing on either side."""
        n = min(len(known), len(self.known))
        return bool((known[:n] == self.known[:n]).all() and not known[n:].any() and not self.known[n:].any())


@dataclass(frozen=True, slots=True)
class Updater:
    """Builds graphs of any set of the rows of a corpus. `parts` have the shingles of all of them.

    With `bands` only locality-sensitive candidates are compared; 0: all pairs.
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
        """All shingles of some nodes, distinct and ascending."""
        passages, at_once = np.flatnonzero(nodes) + self.rows.first, self.limits.texts_at_once
        hashes = [np.zeros(0, np.uint64)]
        for at in range(0, len(passages), at_once):
            some = json.dumps(passages[at : at + at_once].tolist())
            texts = self.db.execute(
                "SELECT text FROM passages WHERE id IN (SELECT value FROM json_each(?))", (some,)
            )
            hashes.append(self.shingler([text for (text,) in texts])[0])
        return np.unique(np.concatenate(hashes))
