"""Postings by row: which terms stand in each row of a segment, and how often."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from asof.index.file_format import Array
from asof.index.offsets import offsets, stretches
from asof.index.prefix import Prefix
from asof.index.segment import Segment

ROWS_AT_ONCE = 1_024
"""The rows whose terms are looked through at a time: they stay in the cache of a processor."""

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


def terms_of(prefix: Prefix, rows: NDArray[np.int64]) -> RowTerms:
    """The terms of a few rows of a view, in their order."""
    counts: list[int] = []
    hashes, tf = [np.zeros(0, np.uint64)], [np.zeros(0, np.int64)]
    for part, row in map(prefix.locate, rows.tolist()):
        segment = part.segment
        first, last = segment["forward_start"][row : row + 2].tolist()
        segment.check("forward", first, last)
        segment.check("forward_tf", first, last)
        counts.append(last - first)
        hashes.append(segment["terms"][segment.unchecked("forward")[first:last]])
        tf.append(segment.unchecked("forward_tf")[first:last].astype(np.int64))
    return RowTerms(np.array(counts, np.int64), np.concatenate(hashes), np.concatenate(tf))


class Occurrences(NamedTuple):
    """Which of some terms stand in which of some rows, by term, then by row: places in both, and counts."""

    which: NDArray[np.int16]
    rows: NDArray[np.int64]
    tf: NDArray[np.float64]


def occurrences(segment: Segment, rows: NDArray[np.int64], terms: NDArray[np.uint64]) -> Occurrences:
    """The occurrences of different terms (at most 32,767 hashes) in rows of a segment."""
    numbers = segment.places_of(terms)
    known = np.flatnonzero(numbers >= 0)
    table = np.zeros(len(segment["terms"]), np.int16)  # 0: none of them
    table[numbers[known]] = known + 1
    blocks = [
        _block(segment, rows[first : first + ROWS_AT_ONCE], table, first)
        for first in range(0, len(rows), ROWS_AT_ONCE)
    ]
    which, row, tf = (
        blocks[0] if len(blocks) == 1 else (np.concatenate(each) for each in zip(*blocks, strict=True))
    )
    order = np.argsort(which, kind="stable")
    return Occurrences(which[order], row[order], tf[order].astype(np.float64))


def _block(
    segment: Segment, rows: NDArray[np.int64], table: NDArray[np.int16], first: int
) -> tuple[Array, ...]:
    """The occurrences in some of the rows, which are counted from `first`, by row."""
    start = segment["forward_start"]
    begin = start[rows]
    counts = start[rows + 1] - begin
    segment.check_stretches("forward", begin, counts)
    segment.check_stretches("forward_tf", begin, counts)
    entries = stretches(begin, counts)
    which = table[segment.unchecked("forward")[entries]]
    hits = np.flatnonzero(which)
    row = np.searchsorted(offsets(counts), hits, "right") - 1 + first
    return which[hits] - 1, row, segment.unchecked("forward_tf")[entries[hits]]


def stems_of(prefix: Prefix, hashes: NDArray[np.uint64]) -> list[str]:
    """The stems of terms, in their order; of one that no segment has, its hash."""
    stems = [f"#{each:016x}" for each in hashes.tolist()]
    missing = np.arange(len(hashes))
    for part in prefix.parts:
        places = part.segment.places_of(hashes[missing])
        known = places >= 0
        for at, stem in zip(missing[known].tolist(), part.segment.stems(places[known]), strict=True):
            stems[at] = stem
        missing = missing[~known]
        if not len(missing):
            break
    return stems
