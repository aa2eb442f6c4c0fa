"""The loss of a ranking against the best order of the judged hits: 1 - nDCG; and the metrics of papers.

    gain = 2^grade - 1 · DCG@k = sum over the first k of gain / log2(rank + 1)
    nDCG@k = DCG@k / DCG@k of all judged gains, largest first · loss = 1 - nDCG@k

(Järvelin and Kekäläinen 2002; the gain of Burges et al. 2005.) Grades are 0 or more, fractions as well; a
grade below 0 has no gain. With clicks the gain is weighted by the inverse of the chance that the place was
looked at (Joachims, Swaminathan and Schnabel 2017), and the best order is that of the weighted gains.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from asof.errors import UsageError

# -- loss ------------------------------------------------------------------------------------------


BLOCK = 1 << 18
"""The number of scores that are processed together: they stay in the processor's cache."""

FEW = 16
"""Up to this many candidates with a gain, on average, have their places counted; more are sorted."""

STEEPEST = 500
"""The highest grade accepted: sums of such gains are finite."""

Floats = NDArray[np.float64]


def gains(grades: Iterable[float | None], weights: Iterable[float] | None = None) -> list[float]:
    """2^grade - 1 of each grade, times its weight; 0 for None, a hit that was not judged.

    `weights`: one for each grade. Raises UsageError for a grade or weight that is not a finite number, a
    grade above STEEPEST, a weight below 0, or another number of them.
    """
    plain = [0.0 if grade is None else _gain(grade) for grade in grades]
    if weights is not None:
        factors = list(weights)
        if len(factors) != len(plain):
            raise UsageError(f"{len(factors)} weights for {len(plain)} grades; each grade has one")
        if not all(weight >= 0 for weight in factors):
            raise UsageError("a weight of a gain is 0 or more")
        plain = [gain * weight for gain, weight in zip(plain, factors, strict=True)]
    if not all(map(math.isfinite, plain)):
        raise UsageError("a grade or its weight is not a finite number")
    return plain


def _gain(grade: float) -> float:
    if grade > STEEPEST:
        raise UsageError(f"a grade is {grade!r:.40}; up to {STEEPEST} is accepted: its gain is a power of 2")
    return float(2.0 ** max(grade, 0) - 1)


def condensed(grades: Iterable[float | None]) -> list[float]:
    """The grades without None: the condensed list of judged hits (Sakai 2007).

    For feedback on a few of many hits: hits without a judgement have no effect then, where None counts as 0.
    """
    return [grade for grade in grades if grade is not None]


def dcg(gains_in_order: Sequence[float], k: int) -> float:
    """The discounted gain of the first `k`, in the order in which they are shown."""
    first = enumerate(gains_in_order[:k], 2)
    return math.fsum(gain / math.log2(place) for place, gain in first)


def ideal(gains_of_all: Iterable[float], k: int) -> float:
    """The largest `dcg` that any order of these gains has."""
    return dcg(sorted(gains_of_all, reverse=True), k)


def ndcg_of_gains(ranked: Sequence[float], of_all: Iterable[float], k: int, *, empty: float = 0.0) -> float:
    """`ndcg` of gains: of grades with weights, say. Both as `gains` gives them."""
    best = ideal(of_all, k)
    return dcg(ranked, k) / best if best > 0 else empty


def ndcg(
    grades_ranked: Iterable[float | None],
    grades_all: Iterable[float | None],
    k: int,
    *,
    empty: float = 0.0,
) -> float:
    """The discounted gain of a ranking over that of the best order, from 0 to 1.

    `grades_ranked`: grades of the hits in order; `grades_all`: of all judged documents, shown or not.
    None is a hit that was not judged and counts as 0 (see `condensed`). `empty` is the value where nothing
    gains: 0, or `math.nan` for a learner, so that a question without a relevant document is ignored.
    """
    return ndcg_of_gains(gains(grades_ranked), gains(grades_all), k, empty=empty)


def loss(
    grades_ranked: Iterable[float | None],
    grades_all: Iterable[float | None],
    k: int,
    *,
    empty: float = 1.0,
) -> float:
    """1 - `ndcg`. `empty` is the loss where nothing gains: 1, or `math.nan` for a learner.

    The worst order does not have the loss 1 unless all that gains is beyond the k-th place.
    """
    return 1 - ndcg(grades_ranked, grades_all, k, empty=1 - empty)


def ndcg_many(
    scores: Floats, gain: Floats, best: Floats, k: int, *, empty: float = 0.0, block_size: int = BLOCK
) -> Floats:
    """nDCG@k (m, q) of q questions by m settings.

    `scores` (m, q, n) are those of the candidates, where -inf fills up what a question has fewer; `gain` (q,
    n) what they gain, 0 for a filler; `best` (q,) is `ideal` over all judged documents, candidates or not.
    The largest score comes first, and of equal scores the earlier candidate. `empty` where `best` is 0.

    Where few candidates gain, their places are counted without sorting. `block_size` scores are processed
    together. Raises UsageError for other shapes and for scores that are not numbers.
    """
    m, q, n = _shapes(scores, gain, best)
    discounts = np.zeros(n + 1)
    discounts[:k] = 1 / np.log2(np.arange(2, min(k, n + 1) + 2))
    step = max(1, block_size // max(1, q * n))
    turns = _turns(gain)
    few = np.count_nonzero(gain > 0) <= FEW * q
    totals = np.zeros((m, q))
    for start in range(0, m, step):
        block = scores[start : start + step]
        if np.isnan(block).any():
            raise UsageError("a score is not a number, so it has no place")
        counted = _counted(block, gain, discounts, turns) if few else _sorted(block, gain, discounts)
        totals[start : start + step] = counted
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(best > 0, totals / best, empty)


def _shapes(scores: Floats, gain: Floats, best: Floats) -> tuple[int, int, int]:
    if scores.ndim != 3 or gain.shape != scores.shape[1:] or best.shape != gain.shape[:1]:
        raise UsageError(
            f"scores {scores.shape}, gains {gain.shape}, best {best.shape}; accepted: (m, q, n), (q, n), (q,)"
        )
    return scores.shape


Turns = list[tuple[NDArray[np.intp], NDArray[np.intp]]]


def _turns(gain: Floats) -> Turns:
    """The candidates that gain: the first of each question, then the second of those that have one, ..."""
    question, candidate = np.nonzero(gain > 0)
    turn = np.arange(len(question)) - np.searchsorted(question, question)
    return [
        (question[turn == each], candidate[turn == each]) for each in range(int(turn.max(initial=-1)) + 1)
    ]


def _counted(scores: Floats, gain: Floats, discounts: Floats, turns: Turns) -> Floats:
    """DCG (m, q): the place of each candidate with a gain is the number of those ranked before it."""
    totals = np.zeros(scores.shape[:2])
    for question, candidate in turns:
        rows = scores if len(question) == scores.shape[1] else scores[:, question]
        own = np.take_along_axis(rows, candidate[None, :, None], axis=2)
        before = np.count_nonzero(rows > own, axis=2)
        equal = rows == own
        if (np.count_nonzero(equal, axis=2) > 1).any():
            earlier = np.arange(rows.shape[2]) < candidate[:, None]
            before += np.count_nonzero(equal & earlier, axis=2)
        totals[:, question] += gain[question, candidate] * discounts[before]
    return totals


def _sorted(scores: Floats, gain: Floats, discounts: Floats) -> Floats:
    """DCG (m, q): all candidates sorted, the earlier of equal scores first."""
    order = np.argsort(-scores, axis=2, kind="stable")[:, :, : np.count_nonzero(discounts)]
    ranked = np.take_along_axis(gain[None], order, axis=2)
    return ranked @ discounts[: order.shape[2]]


# -- metrics of Adaptive RAG for arXiv (embedding_processor.py), over judgements -------------------


RELEVANT = 0.5
"""A hit is relevant with a grade above this, as published (there of a cosine): any grade of 1 to 3 is."""


@dataclass(frozen=True, slots=True)
class RankingMetrics:
    """Metrics of the first `k` of a ranking, hits without a grade counted as 0.

    `dcg`, `idcg`, `ndcg`, `loss` = 1 - nDCG as in `asof.extensions.systems.loss`; `precision`: how many of
    the first k
    are relevant, divided by k, also where fewer are shown; `mean_top` and `mean_all`: the mean grade of the
    first k and of all hits; `improvement`: the first less the second.
    """

    k: int
    ndcg: float
    dcg: float
    idcg: float
    loss: float
    precision: float
    mean_top: float
    mean_all: float
    improvement: float

    @classmethod
    def of(cls, grades: Sequence[float | None], gains: Sequence[float], k: int) -> RankingMetrics:
        """Metrics of hits in their order, from their grades (None: not judged) and gains (`gains`).

        Without a hit that gains, nDCG is 0 and the loss 1.

        >>> one = RankingMetrics.of([0.0, 1.0, None], [0.0, 1.0, 0.0], 2)
        >>> round(one.ndcg, 3), one.precision, one.mean_top, round(one.mean_all, 3)
        (0.631, 0.5, 0.5, 0.333)
        """
        known = [grade or 0.0 for grade in grades]
        found, best = dcg(gains, k), ideal(gains, k)
        ndcg = found / best if best > 0 else 0.0
        top, every = _mean(known[:k]), _mean(known)
        precision = sum(grade > RELEVANT for grade in known[:k]) / k
        return cls(k, ndcg, found, best, 1 - ndcg, precision, top, every, top - every)

    @classmethod
    def mean(cls, each: Sequence[RankingMetrics]) -> RankingMetrics | None:
        """The mean of each metric over rankings with one k; None without any."""
        if not each:
            return None
        names = [field.name for field in fields(cls) if field.name != "k"]
        return cls(each[0].k, *(math.fsum(getattr(one, name) for one in each) / len(each) for name in names))


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values) if values else 0.0
