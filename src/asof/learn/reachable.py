"""The candidates of a question that can be among the first k at some setting of a box; others can be dropped.

They follow from bounds of their scores (`reach`), which follow from bounds of the columns; those are close
together once the ranges of thresholds and rates are cut into pieces.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from asof.learn.box import Box
from asof.learn.candidates import Candidates, relevant, rising, subset
from asof.learn.reach import corners, reached
from asof.learn.sum_parts import COUNTED, FRESH, SumParts, logs
from asof.rank.features.passages import WHOLE as ONE

MOST = 2_000
"""The largest number of documents of a question; of more, those that can rank highest are used."""

PIECES = 6
"""The number of pieces that a range is cut into."""

NARROW = 100
"""With this many candidates or fewer no range is cut into pieces: it would cost more than it saves."""

Floats = NDArray[np.float64]


def reachable(candidates: Candidates, plan: SumParts, box: Box, k: int) -> Candidates:
    """The candidates without documents that rank behind k others at every setting."""
    if candidates.n <= k or not rising(plan, box):
        return candidates
    weights, tuned = _corners(plan, box)
    alive = reached(*_ends(candidates, plan, weights, tuned, box.low, box.high), k)
    cut = False
    if alive.sum() > NARROW and any(part.number in plan.sources for part in plan.parts):
        candidates, alive = _only(candidates, alive), np.zeros(int(alive.sum()), bool)
        for low, high in _pieces(plan, box):
            alive |= reached(*_ends(candidates, plan, weights, tuned, low, high), k)
    if alive.sum() > MOST:
        _, most = _ends(candidates, plan, weights, tuned, box.low, box.high)
        highest = np.where(alive, most.max(axis=1), -np.inf)
        alive = highest >= np.partition(highest, len(alive) - MOST)[len(alive) - MOST]
        cut = True
    return _only(candidates, alive, cut=cut)


def _only(candidates: Candidates, alive: NDArray[np.bool_], *, cut: bool = False) -> Candidates:
    size = np.diff(np.append(candidates.starts, len(candidates.rows)))
    return subset(candidates, np.flatnonzero(np.repeat(alive, size)), np.flatnonzero(alive), cut=cut)


def _corners(plan: SumParts, box: Box) -> tuple[Floats, bool]:
    """The weights of all parts at the corners of the box (v, parts); False: too many, only ends of each."""
    at = sorted({plan.sources[part.weight] for part in plan.parts if part.weight in plan.sources})
    at_corners = corners(box, at)
    ends = np.array([box.low, box.high]) if at_corners is None else None
    rows = ends if ends is not None else at_corners
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
    candidates: Candidates, plan: SumParts, weights: Floats, exact: bool, low: Floats, high: Floats
) -> tuple[Floats, Floats]:
    """The lowest and highest score of each document at each corner (n, v), within a piece of the box."""
    pairs = [_ends_of(candidates, plan, place, low, high) for place in range(len(plan.parts))]
    least, most = (np.stack([pair[side] for pair in pairs], axis=1) for side in (0, 1))
    if exact:
        below, above = least @ weights.T, most @ weights.T
    else:
        below, above = least @ weights[:1].T, most @ weights[1:].T
    slack = 1e-12 * np.maximum(1.0, np.abs(above))
    return (
        np.maximum.reduceat(below - slack, candidates.starts, axis=0),
        np.maximum.reduceat(above + slack, candidates.starts, axis=0),
    )


def _ends_of(
    candidates: Candidates, plan: SumParts, place: int, low: Floats, high: Floats
) -> tuple[Floats, Floats]:
    """The lowest and highest value of a part for each passage."""
    part, column = plan.parts[place], candidates.columns[place]
    if part.number not in plan.sources:
        return column, column
    at = plan.sources[part.number]
    if part.kind == FRESH:
        return np.exp(-column * high[at]), np.exp(-column * low[at])
    ends = [relevant(candidates, np.array([each[at]])) for each in (low, high)]
    (many, total), (few, fewer) = ((count[0], sums[0]) for count, sums in ends)
    if part.kind == COUNTED:
        table = logs(int(candidates.passages.max(initial=1)))
        pair = (table[few] / table[candidates.passages], table[many] / table[candidates.passages])
    else:  # a higher threshold leaves the larger ones: their mean rises, until none is left
        top = np.maximum.reduceat(candidates.similar, candidates.similar_starts)
        mean = total / np.maximum(many, 1) / ONE
        last = np.where(few > 0, fewer / np.maximum(few, 1) / ONE, np.where(many > 0, top, 0.0))
        pair = (np.where(few > 0, mean, 0.0), np.maximum(last, mean))
    size = np.diff(np.append(candidates.starts, len(candidates.rows)))
    return np.repeat(pair[0], size), np.repeat(pair[1], size)


def _pieces(plan: SumParts, box: Box) -> list[tuple[Floats, Floats]]:
    """The box cut along the numbers of its columns, into PIECES each."""
    at = sorted({plan.sources[part.number] for part in plan.parts if part.number in plan.sources})
    pieces = [(box.low, box.high)]
    for place in at:
        cuts = np.linspace(box.low[place], box.high[place], PIECES + 1)
        pieces = [
            (_with(low, place, a), _with(high, place, b)) for low, high in pieces for a, b in pairwise(cuts)
        ]
    return pieces


def _with(values: Floats, place: int, value: float) -> Floats:
    changed = values.copy()
    changed[place] = value
    return changed
