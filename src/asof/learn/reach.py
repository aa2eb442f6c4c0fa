"""Which candidates can be among the first k at any setting of a box.

A score is a sum of weight times column, so the difference of two candidates is largest and smallest at the
corners of the weights. Where a column depends on a setting itself it has a lower and an upper end. A
candidate is out when k others have, at every corner, a lower end above its upper end.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np
from numpy.typing import NDArray

from asof.learn.box import Box

CORNERS = 256
"""The largest number of corners; where there are more, each weight is bounded by itself."""

CHAMPIONS = 4
"""How many times k candidates are compared as those that may rank before the others."""

SLACK = 1e-9
"""What sums of weights may be off by."""

Floats = NDArray[np.float64]


def corners(box: Box, at: list[int]) -> Floats | None:
    """The corners (v, w) of the box in some of its dimensions that satisfy the sum of its simplex.

    The numbers of a simplex have all or none of their places in `at`. None: there are too many.
    """
    summed = [place for place in at if place in box.simplex]
    free = [place for place in at if place not in box.simplex]
    sets: list[dict[int, float]] = [{}]
    if summed:
        sets = list(_of_sum(box, summed))
    if len(sets) * 2 ** len(free) > CORNERS:
        return None
    points = [
        {**one, **dict(zip(free, ends, strict=True))}
        for one in sets
        for ends in product(*((box.low[place], box.high[place]) for place in free))
    ]
    return np.unique(np.array([[one[place] for place in at] for one in points], np.float64), axis=0)


def _of_sum(box: Box, places: list[int]) -> Iterator[dict[int, float]]:
    """All but one number at an end of its range, and that one such that the sum is right."""
    for last in places:
        others = [place for place in places if place != last]
        for ends in product(*((box.low[place], box.high[place]) for place in others)):
            left = box.total - sum(ends)
            if box.low[last] - SLACK <= left <= box.high[last] + SLACK:
                yield {**dict(zip(others, ends, strict=True)), last: left}


def reached(low: Floats, high: Floats, k: int) -> NDArray[np.bool_]:
    """Which of n candidates can be among the first `k`; `low`, `high` (n, v): their scores' ends at corners.

    Never says no to one that can; may say yes to one that cannot.
    """
    n = len(low)
    if n <= k:
        return np.ones(n, bool)
    least, most = low.min(axis=1), high.max(axis=1)
    alive = most >= np.partition(least, n - k)[n - k]
    some = min(CHAMPIONS * k, n)
    first = np.argpartition(-least, some - 1)[:some]
    left = np.flatnonzero(alive)
    before = np.zeros(len(left), np.int64)
    for champion in first:
        before += (low[champion] > high[left]).all(axis=1)
    alive[left[before >= k]] = False
    return np.asarray(alive)
