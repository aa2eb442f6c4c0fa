"""Exact cosines of all passages in a window, in whole numbers.

A float sum depends on its order, and so on slices, batches and threads. Vectors are therefore kept as
`rint(4000 v)` in int16 and multiplied as integer-valued float32: every partial sum is a whole number below
4000² = 1.6e7 < 2^24 (Cauchy-Schwarz), which float32 holds exactly in whatever order it is made.
"""

from __future__ import annotations

import math
import os
from concurrent.futures import ThreadPoolExecutor
from functools import cache

import numpy as np
from numpy.typing import NDArray

from asof.index.prefix import Window

SCALE = 4_000
ROWS_AT_ONCE = 4_096
SINGLE_THREAD_ROWS = 65_536
"""Up to so many rows one thread is as fast as several."""


def quantise(vectors: NDArray[np.float32]) -> NDArray[np.int16]:
    """Vectors of unit length (n, d) as whole numbers; raises ValueError for longer ones."""
    whole = np.rint(vectors.astype(np.float64) * SCALE)
    if len(whole) and float((whole**2).sum(axis=1).max()) >= 2**24:
        raise ValueError("an encoder gives vectors of unit length")
    return whole.astype(np.int16)


def cosines(
    window: Window, query: NDArray[np.int16], *, signed: bool = False, at_once: int = ROWS_AT_ONCE
) -> NDArray[np.float64]:
    """The cosine with `query` of every row of the window, 0 for dead rows and (unless `signed`) where it is
    negative; `at_once` rows are multiplied together."""
    vector = query.astype(np.float32)
    out = np.zeros(window.n, np.float64)
    for part in window.parts:
        segment = part.prefix.segment
        segment.check("vectors", part.first, part.last)
        target = out[part.offset : part.offset + part.last - part.first]
        matrix = segment.unchecked("vectors")[part.first : part.last]
        products(matrix, vector, target, signed=signed, at_once=at_once)
        out[part.dead_places()] = 0.0
    out /= float(SCALE * SCALE)
    return out


def cosines_at(window: Window, places: NDArray[np.int64], query: NDArray[np.int16]) -> NDArray[np.float64]:
    """The same cosines, bit for bit, at a few places of the window (ascending) only."""
    vector = query.astype(np.float32)
    out = np.zeros(len(places), np.float64)
    for part in window.parts:
        begin, end = np.searchsorted(places, [part.offset, part.offset + part.last - part.first])
        if begin < end:
            rows = places[begin:end] - part.offset + part.first
            segment, target = part.prefix.segment, out[begin:end]
            segment.check_rows("vectors", rows)
            _some_products(segment.unchecked("vectors")[rows], vector, target)
            target[part.prefix.dead_mask[rows]] = 0.0
    out /= float(SCALE * SCALE)
    return out


def largest_cosine(query: NDArray[np.int16]) -> float:
    """What no cosine with `query` exceeds: a rounded vector may be longer than 1, up to 2^12 / 4000."""
    length = math.sqrt(float((query.astype(np.int64) ** 2).sum()))
    return length * 2**12 / (SCALE * SCALE)


def products(
    matrix: NDArray[np.int16], vector: NDArray[np.float32], out: NDArray[np.float64], *,
    signed: bool = False, at_once: int = ROWS_AT_ONCE,
) -> None:  # fmt: skip
    """Products of the rows with the vector, 0 where they are negative unless `signed`; many rows by several
    threads."""
    least = -np.inf if signed else 0.0
    if len(matrix) <= SINGLE_THREAD_ROWS:
        _some_products(matrix, vector, out, least, at_once)
        return
    share = -(-len(matrix) // _threads())
    jobs = [slice(begin, begin + share) for begin in range(0, len(matrix), share)]
    list(_pool().map(lambda job: _some_products(matrix[job], vector, out[job], least, at_once), jobs))


def _some_products(
    matrix: NDArray[np.int16], vector: NDArray[np.float32], out: NDArray[np.float64], least: float = 0.0,
    at_once: int = ROWS_AT_ONCE,
) -> None:  # fmt: skip
    """In blocks that stay in the processor's cache.

    vecdot is as fast here as BLAS, whose threads would fight with ours and with other processes.
    """
    block = np.empty((min(at_once, len(matrix)), matrix.shape[1]), np.float32)
    for begin in range(0, len(matrix), at_once):
        rows = matrix[begin : begin + at_once]
        block[: len(rows)] = rows
        np.maximum(np.vecdot(block[: len(rows)], vector), least, out=out[begin : begin + len(rows)])


def _threads() -> int:
    return min(4, os.cpu_count() or 1)


@cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(_threads(), "asof-dense")
