"""Postings by row: which terms stand in each row of a segment, and how often."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from asof.index.segment import Segment
from asof.index.view import View

Counts = Any
"""A `scipy.sparse.csr_array` of whole numbers, (rows, terms), terms ascending in each row."""


def term_counts(segment: Segment) -> Counts:
    """How often each row of the segment (n) has each of its terms, in the order of `segment["terms"]`."""
    from scipy.sparse import csr_array

    start = segment["forward_start"]
    small = np.int32 if len(segment["forward"]) < 2**31 else np.int64
    return csr_array(
        (segment["forward_tf"], segment["forward"].astype(small, copy=False), start.astype(small)),
        shape=(segment.n, len(segment["terms"])),
    )


class RowTerms(NamedTuple):
    """The different terms of n rows: `counts` int64 (n), how many each has, and one row after another their
    `hashes` uint64 and how often each stands in the row, `tf` int64."""

    counts: NDArray[np.int64]
    hashes: NDArray[np.uint64]
    tf: NDArray[np.int64]


def terms_of(view: View, rows: NDArray[np.int64]) -> RowTerms:
    """The terms of a few rows of the view, in their order."""
    counts: list[int] = []
    hashes, tf = [np.zeros(0, np.uint64)], [np.zeros(0, np.int64)]
    for part, row in map(view.prefix.locate, rows.tolist()):
        segment = part.segment
        first, last = segment["forward_start"][row : row + 2].tolist()
        segment.check("forward", first, last)
        segment.check("forward_tf", first, last)
        counts.append(last - first)
        hashes.append(segment["terms"][segment.unchecked("forward")[first:last]])
        tf.append(segment.unchecked("forward_tf")[first:last].astype(np.int64))
    return RowTerms(np.array(counts, np.int64), np.concatenate(hashes), np.concatenate(tf))


def stems_of(view: View, hashes: NDArray[np.uint64]) -> list[str]:
    """The stems of terms, in their order; of one that no segment has, its hash."""
    stems = [f"#{each:016x}" for each in hashes.tolist()]
    for part in view.prefix.parts:
        terms = part.segment["terms"]
        if not len(terms):
            continue
        at = np.minimum(np.searchsorted(terms, hashes), len(terms) - 1)
        for place in np.flatnonzero(terms[at] == hashes).tolist():
            stems[place] = part.segment.stem(int(at[place]))
    return stems
