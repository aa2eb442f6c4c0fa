"""Locality-sensitive candidates: which pairs of passages are compared at all, in a corpus of millions.

TWE-RAG names it as future work (README 7: "MinHash LSH reduces Jaccard computation to O(N log N) at cost of
approximation error"). The shingles of a passage are parted into `bands` by a hash, and of each band the one
with the least other hash stands for it (one permutation hashing: Li, Owen and Zhang 2012). Two passages are
candidates if some band of both has the same one. A band that both have agrees with a probability near their
Jaccard similarity J (Broder 1997), so an edge is found with

    1 - (1 - J)^bands       .56 for J = .05, .81 for .1, .97 for .2, with 16 bands

One row to a band, since edges begin at J = .05: with two rows hardly any of those would be found. The overlap
of candidates is then counted exactly, so a graph of candidates is part of the exact one, with equal weights.
It takes a fraction of the memory, which is what ends an exact graph; not less time, since the cap on shingles
keeps the exact one from growing with the square of the corpus.

Only shingles within the cap (`overlap.py`) stand for a band, those of one passage alone too: whether a pair
is compared depends on both and on what came before them, never on what came later.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from asof.graph.node_table import Rows
from asof.graph.overlap import carriers_in_ranges, within_cap
from asof.graph.postings import Postings
from asof.scientific import scipy
from asof.text.shingles import mixed

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
    """Whether the sketches at these places have a band in common."""
    first, second = sketch[one], sketch[other]
    agreeing: NDArray[np.bool_] = ((first == second) & (first != EMPTY)).any(axis=1)
    return agreeing


def shared_by(
    pairs: Pairs, parts: Sequence[Postings], known: NDArray[np.bool_], cap: int, rows: Rows, at_once: int
) -> NDArray[np.int64]:
    """How many shingles within the cap each pair shares, exactly; `at_once` shingles are read together."""
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
