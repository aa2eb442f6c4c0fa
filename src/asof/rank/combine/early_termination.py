"""Early termination: the expensive part of a score is computed only where it can change the first k.

The part of words is cheap and known exactly for every passage. A cosine is expensive, and at most 1
(`largest_cosine`). Once some passages have both, a passage whose part of words plus the largest cosine is
below the score that the first k need is out, whatever its vector. The result is that of reading all vectors.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from asof.data import Query, Why
from asof.index.dense import cosines, cosines_at, largest_cosine
from asof.index.prefix import Window
from asof.index.select import ROUNDING, at_least, kth_best, nearly_kth_best
from asof.index.view import View
from asof.rank.candidates.gather import cosine_why, question_vector
from asof.rank.candidates.phrases import admitted
from asof.rank.features.pseudo_relevance_feedback import UsesScores
from asof.rank.stage import Column, Ranking, Values
from asof.schema import within


@dataclass(frozen=True, slots=True)
class ScanLimits:
    """When single vectors are read rather than all of them in order.

    Windows of up to `scanned` current passages are always read in order, which is as fast. In larger ones
    the vectors of the best 1/`trials` of the passages by words, `min_trial` at least, are read to find the
    score that the first k need; few enough that they cost little if all are read in the end. Up to
    `max_share` of the passages, reading single vectors is faster than reading all.
    """

    trials: tuple[int, ...] = (1_000, 100)
    min_trial: int = 64
    max_share: float = 0.15
    scanned: int = 16_384


SCAN_LIMITS = ScanLimits()


@dataclass(frozen=True, slots=True)
class EarlyTermination:
    """relevance = lexical · (words / best words in the view) + dense · max(0, cosine of the vectors)

    Expects the column `lexical`. `then` is a later stage that has a lower bound of the scores it needs.
    Without `prune`, and where too many passages can still matter (above 15%), all vectors are read.
    A corpus without an encoder has the first summand only.
    """

    lexical: float = within(1.0, 0.0, 10.0)
    dense: float = within(0.5, 0.0, 10.0)
    then: UsesScores | None = None
    prune: bool = True
    limits: ScanLimits = SCAN_LIMITS

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        words = ranking.columns["lexical"]
        best = float(words.values.max(initial=0.0))
        cheap = view.prefix.zeros(len(words.values))[: len(words.values)]
        if best > 0:
            np.divide(words.values, best, out=cheap)
            cheap *= self.lexical
        if view.encoder is None or self.dense == 0.0:
            return ranking.with_column("relevance", cheap, lambda row: self._why(words, best, row))
        vector = question_vector(query, view)

        def why(row: int) -> Why:
            return self._why(words, best, row, cosine_why(view, row, vector))

        prune = self.prune and not query.about  # passages of a named time are needed however low
        read = self._certified(query, ranking, view, cheap, vector) if prune else None
        if read is None:
            values = cosines(ranking.window, vector)
            allowed = admitted(query, ranking.window, view)
            if allowed is not None:
                values[~allowed] = 0.0
            return ranking.with_column("relevance", cheap + values * self.dense, why).note(
                f"exact: the vectors of all {ranking.window.n_live} passages were read"
            )
        places, values = read
        count = ranking.window.n_live
        relevance = cheap[places] + values * self.dense
        view.prefix.give_back(cheap)
        return (
            ranking.keep(places)
            .with_column("relevance", relevance, why)
            .note(
                f"exact: the vectors of {len(places) / count:.2%} of {count} passages"
                f" were read; no other can reach the first {query.k}"
            )
        )

    def _why(self, words: Column, best: float, row: int, cosine: Why | None = None) -> Why:
        parts = []
        if best > 0:
            share = Why.of("share of the best", "ratio", words.why(row), Why("best of all candidates", best))
            parts.append(Why.of("lexical", "product", share, Why("weight", self.lexical)))
        if cosine is not None:
            parts.append(Why.of("dense", "product", cosine, Why("weight", self.dense)))
        return Why.of("relevance", "sum", *parts)

    def _certified(
        self, query: Query, ranking: Ranking, view: View, cheap: Values, vector: NDArray[np.int16]
    ) -> tuple[NDArray[np.int64], Values] | None:
        """Places that can matter, ascending, and their cosines; None when they are too many, or unknown.

        Their number is shown, so it depends on the scores of the current passages alone.
        """
        window, count, limits = ranking.window, ranking.window.n_live, self.limits
        if ranking.places is not None or count <= limits.scanned:
            return None
        most = self.dense * largest_cosine(vector)
        few = limits.max_share * count
        sizes = [max(count // part, limits.min_trial) for part in limits.trials]
        widest = at_least(cheap, nearly_kth_best(cheap, sizes[-1]))
        widest = widest[at_least(cheap[widest], kth_best(cheap[widest], sizes[-1]))]
        if len(widest) > few:
            return None
        least = float(cheap[widest].min(initial=np.inf))
        for size in sizes:
            tried = widest[at_least(cheap[widest], kth_best(cheap[widest], size))]
            values = cosines_at(window, tried, vector)
            bound = self._needed(query, ranking, view, tried, cheap[tried] + values * self.dense) - most
            if bound <= 0:
                return None
            left = widest[cheap[widest] >= bound] if bound >= least else at_least(cheap, bound)
            if len(left) <= few:
                return left, self._complete(window, left, tried, values, vector)
            if len(left) > 1.3 * few:  # a second trial would not reduce them enough
                return None
        return None

    def _needed(
        self, query: Query, ranking: Ranking, view: View, places: NDArray[np.int64], scores: Values
    ) -> float:
        """A lower bound of the relevance that the first k need, from these candidates."""
        why = ranking.columns["lexical"].why  # not used: a bound has no tree
        some = Ranking(ranking.window, places).with_column("relevance", scores, why)
        needed = self.then.bound(query, some, view) if self.then else kth_best(scores, query.k)
        return needed * (1 - ROUNDING)

    def _complete(
        self, window: Window, left: NDArray[np.int64], tried: NDArray[np.int64], values: Values,
        vector: NDArray[np.int16],
    ) -> Values:  # fmt: skip
        """The cosines at `left`; those at `tried` are known."""
        known = np.isin(left, tried, assume_unique=True)
        out = np.empty(len(left), np.float64)
        out[known] = values[np.isin(tried, left, assume_unique=True)]
        out[~known] = cosines_at(window, left[~known], vector)
        return out
