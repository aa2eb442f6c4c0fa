"""MaxScore: which passages can be among the best by words, without scoring all of them.

For a term a passage gets less than its weight, so one without any of the weightiest terms has less than the
sum of the weights of the others (Turtle and Flood, "Query Evaluation: Strategies and Optimizations", 1995).
Rare terms weigh most and stand in few passages. They are added up first; once the score that matters is
above what the other terms can give, only passages with one of the terms so far are left.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from asof.index.exchange import Exchange, largest, total
from asof.index.lexical import Bm25, Weighed, postings_of
from asof.index.prefix import Window
from asof.index.select import ROUNDING, different, kth_best

Values = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class MaxScoreLimits:
    """Where a pass over all passages is as fast: in corpora of up to `passages`, where the terms to be added
    up stand in more than the share `postings` of the passages together, or more than `candidates` of them are
    left. `promising`: the share of all weights that the other terms have at most when it is first looked."""

    passages: int = 2_000_000
    postings: float = 0.25
    candidates: float = 0.02
    promising: float = 0.35


MAX_SCORE_LIMITS = MaxScoreLimits()


class Scored(NamedTuple):
    """Places of a window, ascending, and their scores."""

    places: NDArray[np.int64]
    scores: Values


Needed = Callable[[Scored, float], float]
"""From some passages (places, scores) and a number that no score exceeds: the least score that matters, 0 for
all. More passages can only raise it."""


def possible(
    window: Window,
    weighed: Sequence[Weighed],
    bm25: Bm25,
    n: int,
    exchange: Exchange,
    first: int,
    needed: Needed,
    limits: MaxScoreLimits = MAX_SCORE_LIMITS,
) -> Scored | None:
    """All passages of the window with a score that matters, and some others; None where a pass over all
    passages is better, or nothing can be left out.

    `n`: how many passages the corpus has. The score that matters is found from about the `first` best. The
    scores are those of `lexical.scores`, bit for bit. Whatever decides here is equal at all shards.
    """
    if n <= limits.passages or not weighed:
        return None
    weights = np.array([each.weight for each in weighed])
    order = np.argsort(-weights, kind="stable")
    others = np.maximum(weights.sum() - np.cumsum(weights[order]), 0.0)
    postings = np.cumsum([weighed[at].df for at in order])
    looked = (others <= limits.promising * weights.sum()) & (postings <= limits.postings * n)
    if not looked.any():  # before anything is added up: then it would have been in vain
        return None
    sums = PartialSums(window, weighed, bm25)
    try:
        for step in range(int(np.flatnonzero(looked)[-1]) + 1):
            sums.add(int(order[step]))
            if looked[step]:
                rest = float(others[step])
                found = _above(sums, rest, exchange, first, needed, limits.candidates * n)
                if found is not None:
                    return found.scored
        return None
    finally:
        sums.clear()


class _Found(NamedTuple):
    """What came out: None where it cannot be told, whatever is added."""

    scored: Scored | None


def _above(
    sums: PartialSums, others: float, exchange: Exchange, first: int, needed: Needed, most_left: float
) -> _Found | None:
    """The passages with a score that matters, where terms that give less than `others` are not added up yet;
    None where more terms have to be."""
    best, last = sums.best(first)
    scored = sums.scored(best)
    most = max(float(scored.scores.max(initial=0.0)), last + others)
    least = needed(scored, largest(exchange, most)) * (1 - ROUNDING)
    if least <= 0.0:
        return _Found(None)
    if least <= others * (1 + ROUNDING):
        return None
    left = sums.at_least(least - others * (1 + ROUNDING))
    if total(exchange, len(left)) > most_left:
        return None
    found = sums.scored(left)
    matters = found.scores >= least
    return _Found(Scored(found.places[matters], found.scores[matters]))


class PartialSums:
    """The sums of what some of the terms give to the places of a window.

    They lie in an array of zeros that is used again, so what was added is undone in the end (`clear`).
    """

    def __init__(self, window: Window, weighed: Sequence[Weighed], bm25: Bm25) -> None:
        self.window, self.weighed, self.bm25 = window, weighed, bm25
        self._postings = postings_of(window, [each.term for each in weighed])
        self._sums = window.prefix.sums()
        self._touched: list[tuple[int, NDArray[np.int64]]] = []

    def add(self, at: int) -> None:
        """Add what the term at this place of `weighed` gives."""
        for each in self._postings[at]:
            places, share = each.shares(self.bm25)
            share *= self.weighed[at].weight
            self._touched.append((each.part.offset, places))
            self._sums[each.part.offset :][places] += share

    def best(self, n: int) -> tuple[NDArray[np.int64], float]:
        """The places with the n largest sums (ties too), ascending, and a sum that no other exceeds."""
        values = [self._sums[offset:][places] for offset, places in self._touched]
        # a place stands here once for each of its terms: so many more are looked at
        bound = kth_best(np.concatenate([*values, np.zeros(0)]), n * max(len(self.weighed), 1))
        return self._where(values, bound), bound

    def at_least(self, bound: float) -> NDArray[np.int64]:
        """The places with a sum of at least a positive number, ascending."""
        return self._where([self._sums[offset:][places] for offset, places in self._touched], bound)

    def _where(self, values: Sequence[Values], bound: float) -> NDArray[np.int64]:
        chosen = [
            places[(sums >= bound) & (sums > 0)] + np.int64(offset)
            for (offset, places), sums in zip(self._touched, values, strict=True)
        ]
        return different(np.concatenate([*chosen, np.zeros(0, np.int64)]))

    def scored(self, places: NDArray[np.int64]) -> Scored:
        """The whole scores of some places (ascending): the terms are added in their order, as everywhere."""
        out = np.zeros(len(places))
        for weighed, parts in zip(self.weighed, self._postings, strict=True):
            for each in parts:
                begin, end, share = each.shares_at(places, self.bm25)
                share *= weighed.weight
                out[begin:end] += share
        return Scored(places, out)

    def clear(self) -> None:
        """Give the array back as it was: zeros."""
        for offset, places in self._touched:
            self._sums[offset:][places] = 0.0
        self._touched.clear()
        self.window.prefix.give_back_sums(self._sums)
