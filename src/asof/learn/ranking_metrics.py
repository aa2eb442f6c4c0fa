"""What an order of judged hits is worth: the dictionary of metrics of Adaptive RAG for arXiv (its code,
embedding_processor.py), over judgements instead of its own similarity."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields

from asof.learn.loss import dcg, ideal

RELEVANT = 0.5
"""A hit is relevant with a grade above this, as published (there of a cosine): any grade of 1 to 3 is."""


@dataclass(frozen=True, slots=True)
class RankingMetrics:
    """Metrics of the first `k` of a ranking, hits without a grade counted as 0.

    `dcg`, `idcg`, `ndcg`, `loss` = 1 - nDCG as in `asof.learn.loss`; `precision`: how many of the first k
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
        """Of hits in their order: their grades (None: not judged) and what each gains (`loss.gains`).

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
