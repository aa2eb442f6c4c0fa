"""The candidates of a question that can be among the first k at some setting of a box: the only ones to keep.

What `reach` needs are the ends of their scores: they follow from the ends of the columns, which are near each
other once the ranges of thresholds and rates are cut into pieces.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from asof.learn.box import Box
from asof.learn.candidates import Candidates, relevant, rising, taken
from asof.learn.reach import corners, reached
from asof.learn.sum_parts import COUNTED, FRESH, SumParts, logs
from asof.rank.features.decay import exp
from asof.rank.features.passages import WHOLE as ONE

MOST = 2_000
"""So many documents of a question are kept at most; beyond that the ones that can come highest."""

PIECES = 6
"""Into so many pieces a range is cut."""

NARROW = 100
"""Where so few are left, pieces would not pay."""

Floats = NDArray[np.float64]


def reachable(found: Candidates, plan: SumParts, box: Box, k: int) -> Candidates:
    """Without documents that are behind k others whatever the setting."""
    if found.n <= k or not rising(plan, box):
        return found
    weights, tuned = _corners(plan, box)
    alive = reached(*_ends(found, plan, weights, tuned, box.low, box.high), k)
    cut = False
    if alive.sum() > NARROW and any(part.number in plan.sources for part in plan.parts):
        found, alive = _only(found, alive), np.zeros(int(alive.sum()), bool)
        for low, high in _pieces(plan, box):
            alive |= reached(*_ends(found, plan, weights, tuned, low, high), k)
    if alive.sum() > MOST:
        _, most = _ends(found, plan, weights, tuned, box.low, box.high)
        highest = np.where(alive, most.max(axis=1), -np.inf)
        alive = highest >= np.partition(highest, len(alive) - MOST)[len(alive) - MOST]
        cut = True
    return _only(found, alive, cut=cut)


def _only(found: Candidates, alive: NDArray[np.bool_], *, cut: bool = False) -> Candidates:
    size = np.diff(np.append(found.starts, len(found.rows)))
    return taken(found, np.flatnonzero(np.repeat(alive, size)), np.flatnonzero(alive), cut=cut)


def _corners(plan: SumParts, box: Box) -> tuple[Floats, bool]:
    """The weights of all parts at the corners of the box (v, parts); False: too many, only ends of each."""
    at = sorted({plan.sources[part.weight] for part in plan.parts if part.weight in plan.sources})
    found = corners(box, at)
    ends = np.array([box.low, box.high]) if found is None else None
    rows = ends if ends is not None else found
    assert rows is not None  # noqa: S101
    weights = np.empty((len(rows), len(plan.parts)))
    for place, part in enumerate(plan.parts):
        if part.weight not in plan.sources:
            weights[:, place] = plan.fixed(part.weight)
        elif ends is not None:
            weights[:, place] = ends[:, plan.sources[part.weight]]
        else:
            weights[:, place] = rows[:, at.index(plan.sources[part.weight])]
    return weights, ends is None


def _ends(
    found: Candidates, plan: SumParts, weights: Floats, exact: bool, low: Floats, high: Floats
) -> tuple[Floats, Floats]:
    """The lowest and highest score of each document at each corner (n, v), within a piece of the box."""
    pairs = [_ends_of(found, plan, place, low, high) for place in range(len(plan.parts))]
    least, most = (np.stack([pair[side] for pair in pairs], axis=1) for side in (0, 1))
    if exact:
        below, above = least @ weights.T, most @ weights.T
    else:
        below, above = least @ weights[:1].T, most @ weights[1:].T
    slack = 1e-12 * np.maximum(1.0, np.abs(above))
    return (
        np.maximum.reduceat(below - slack, found.starts, axis=0),
        np.maximum.reduceat(above + slack, found.starts, axis=0),
    )


def _ends_of(
    found: Candidates, plan: SumParts, place: int, low: Floats, high: Floats
) -> tuple[Floats, Floats]:
    """The lowest and highest value of a part for each passage."""
    part, column = plan.parts[place], found.columns[place]
    if part.number not in plan.sources:
        return column, column
    at = plan.sources[part.number]
    if part.kind == FRESH:
        return exp(-column * high[at]), exp(-column * low[at])
    ends = [relevant(found, np.array([each[at]])) for each in (low, high)]
    (many, total), (few, fewer) = ((count[0], sums[0]) for count, sums in ends)
    if part.kind == COUNTED:
        table = logs(int(found.passages.max(initial=1)))
        pair = (table[few] / table[found.passages], table[many] / table[found.passages])
    else:  # a higher threshold leaves the larger ones: their mean rises, until none is left
        top = np.maximum.reduceat(found.similar, found.similar_starts)
        mean = total / np.maximum(many, 1) / ONE
        last = np.where(few > 0, fewer / np.maximum(few, 1) / ONE, np.where(many > 0, top, 0.0))
        pair = (np.where(few > 0, mean, 0.0), np.maximum(last, mean))
    size = np.diff(np.append(found.starts, len(found.rows)))
    return np.repeat(pair[0], size), np.repeat(pair[1], size)


def _pieces(plan: SumParts, box: Box) -> list[tuple[Floats, Floats]]:
    """The box cut along the numbers of its columns, into PIECES each."""
    at = sorted({plan.sources[part.number] for part in plan.parts if part.number in plan.sources})
    found = [(box.low, box.high)]
    for place in at:
        cuts = np.linspace(box.low[place], box.high[place], PIECES + 1)
        found = [
            (_with(low, place, a), _with(high, place, b)) for low, high in found for a, b in pairwise(cuts)
        ]
    return found


def _with(values: Floats, place: int, value: float) -> Floats:
    changed = values.copy()
    changed[place] = value
    return changed
