"""Exact cosines of all passages in a window, in whole numbers.

A float sum depends on its order, and so on slices, batches and threads. Vectors are therefore kept as
`rint(4000 v)` in int16 and multiplied as integer-valued float32: every partial sum is a whole number below
4000² = 1.6e7 < 2^24 (Cauchy-Schwarz), which float32 holds exactly in whatever order it is made.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from asof.index.prefix import Window

SCALE = 4_000
ROWS_AT_ONCE = 8_192


def quantise(vectors: NDArray[np.float32]) -> NDArray[np.int16]:
    """Vectors of unit length (n, d) as whole numbers; raises ValueError for longer ones."""
    whole = np.rint(vectors.astype(np.float64) * SCALE)
    if len(whole) and float((whole**2).sum(axis=1).max()) >= 2**24:
        raise ValueError("an encoder gives vectors of unit length")
    return whole.astype(np.int16)


def cosines(window: Window, query: NDArray[np.int16]) -> NDArray[np.float64]:
    """The cosine with `query` of every row of the window, 0 for dead rows and where it is negative."""
    vector = query.astype(np.float32)
    out = np.zeros(window.n, np.float64)
    jobs = []
    for part in window.parts:
        segment = part.prefix.segment
        segment.check("vectors", part.first, part.last)
        matrix = segment.unchecked("vectors")
        for begin in range(part.first, part.last, ROWS_AT_ONCE):
            end = min(begin + ROWS_AT_ONCE, part.last)
            jobs.append((matrix, begin, end, out[part.offset + begin - part.first :][: end - begin]))

    def work(job: tuple[NDArray[np.int16], int, int, NDArray[np.float64]]) -> None:
        matrix, begin, end, target = job
        # vecdot is as fast here as BLAS, whose threads would fight with ours and with other processes
        np.maximum(np.vecdot(matrix[begin:end].astype(np.float32), vector), 0, out=target)

    if len(jobs) > 4:
        with ThreadPoolExecutor(min(4, os.cpu_count() or 1)) as pool:
            list(pool.map(work, jobs))
    else:
        for job in jobs:
            work(job)
    for part in window.parts:
        out[part.dead_places()] = 0.0
    out /= float(SCALE * SCALE)
    return out
