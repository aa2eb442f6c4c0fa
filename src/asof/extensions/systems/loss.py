"""The loss of a ranking against the best order of the judged hits: 1 - nDCG; and the metrics of papers.

    gain = 2^grade - 1 · DCG@k = sum over the first k of gain / log2(rank + 1)
    nDCG@k = DCG@k / DCG@k of all judged gains, largest first · loss = 1 - nDCG@k

(Järvelin and Kekäläinen 2002; the gain of Burges et al. 2005.) Grades are 0 or more, fractions as well; a
grade below 0 has no gain.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from asof.errors import UsageError
from asof.wire import As

# -- loss ------------------------------------------------------------------------------------------


FEW = 16
"""Up to this many candidates with a gain have their places counted; more are sorted."""

STEEPEST = 500
"""The highest grade accepted: sums of such gains are finite."""

Floats = NDArray[np.float64]


def gains(grades: Iterable[float | None]) -> list[float]:
    """2^grade - 1 of each grade; 0 for None, a hit that was not judged.

    Raises UsageError for a grade that is not a finite number, or above STEEPEST.
    """
    return [0.0 if grade is None else _gain(grade) for grade in grades]


def _gain(grade: float) -> float:
    if not grade <= STEEPEST:
        raise UsageError(f"a grade is {grade!r:.40}; up to {STEEPEST} is accepted: its gain is a power of 2")
    return float(2.0 ** max(grade, 0) - 1)


def dcg(gains_in_order: Sequence[float], k: int) -> float:
    """The discounted gain of the first `k`, in the order in which they are shown."""
    first = enumerate(gains_in_order[:k], 2)
    return math.fsum(gain / math.log2(place) for place, gain in first)


def ideal(gains_of_all: Iterable[float], k: int) -> float:
    """The largest `dcg` that any order of these gains has."""
    return dcg(sorted(gains_of_all, reverse=True), k)


def ndcg_of_gains(ranked: Sequence[float], of_all: Iterable[float], k: int) -> float:
    """`ndcg` of gains, as `gains` gives them."""
    best = ideal(of_all, k)
    return dcg(ranked, k) / best if best > 0 else 0.0


def ndcg(grades_ranked: Iterable[float | None], grades_all: Iterable[float | None], k: int) -> float:
    """The discounted gain of a ranking over that of the best order, from 0 to 1; 0 where nothing gains.

    `grades_ranked`: grades of the hits in order; `grades_all`: of all judged documents, shown or not. None is
    a hit that was not judged and counts as 0.
    """
    return ndcg_of_gains(gains(grades_ranked), gains(grades_all), k)


def ndcg_many(scores: Floats, gain: Floats, best: float, k: int) -> Floats:
    """nDCG@k (m,) of a question by m settings.

    `scores` (m, n) are those of the candidates, `gain` (n,) what they gain; `best` is `ideal` over all judged
    documents, candidates or not, above 0. The largest score comes first, and of equal scores the earlier
    candidate. Where few candidates gain, their places are counted without sorting.
    """
    discounts = np.zeros(len(gain) + 1)
    discounts[:k] = 1 / np.log2(np.arange(2, min(k, len(gain) + 1) + 2))
    if np.count_nonzero(gain > 0) > FEW:
        order = np.argsort(-scores, axis=1, kind="stable")[:, : np.count_nonzero(discounts)]
        return gain[order] @ discounts[: order.shape[1]] / best
    totals = np.zeros(len(scores))
    for candidate in np.flatnonzero(gain > 0):
        own = scores[:, [candidate]]
        before = np.count_nonzero(scores > own, axis=1)
        before += np.count_nonzero(scores[:, :candidate] == own, axis=1)
        totals += gain[candidate] * discounts[before]
    return totals / best


# -- metrics of Adaptive RAG for arXiv (embedding_processor.py), over judgements -------------------


RELEVANT = 0.5
"""A hit is relevant with a grade above this, as published (there of a cosine): any grade of 1 to 3 is."""


@dataclass(frozen=True, slots=True)
class RankingMetrics:
    """Metrics of an order of judged papers; papers without a grade count as 0."""

    k: int
    ndcg: Annotated[float, "nDCG@k"]
    dcg: Annotated[float, "the sum of (2^grade - 1) / log2(rank + 1) over the first k"]
    idcg: Annotated[float, "that of the best order"]
    loss: Annotated[float, "1 - nDCG@k"]
    precision: Annotated[float, "how many of the first k have a grade above .5, divided by k"]
    mean_top: Annotated[float, As("mean_relevance_top_k"), "the mean grade of the first k"]
    mean_all: Annotated[float, As("mean_relevance_all"), "the mean grade of all that were shown"]
    improvement: Annotated[float, "the first mean less the second"]

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
