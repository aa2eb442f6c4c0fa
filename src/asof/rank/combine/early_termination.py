"""Certified halting: the dear part of a score is read only where it can still change the first k.

Words are cheap: their share of the best is known exactly for every passage. A cosine is dear, and at most 1
(`largest_cosine`). So once some passages have both, a passage whose words alone, plus the most that a cosine
can add, do not come up to what is needed for the first k is out, whatever its vector. The comparison that
found no further candidate is the certificate; the result is that of reading all vectors.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from asof.data import Query, Why
from asof.index.dense import cosines, cosines_at, largest_cosine
from asof.index.prefix import Window
from asof.index.select import at_least, kth_best, nearly_kth_best
from asof.index.view import View
from asof.rank.candidates.gather import cosine_why
from asof.rank.candidates.phrases import admitted
from asof.rank.candidates.query_vector import question_vector
from asof.rank.features.pseudo_relevance_feedback import ROUNDING, UsesScores
from asof.rank.stage import Column, Ranking, Values
from asof.schema import within

TRIALS = (1_000, 100)
"""First a thousandth of the passages, the best by words, is read to find out what the first k need; then a
hundredth. That costs little even when all are read in the end."""

LEAST = 64
"""So many are read at least."""

FEW = 0.15
"""Up to this share of the passages in force, reading single vectors beats reading all in order."""

SCANNED = 16_384
"""Up to so many passages in force are read from end to end: that is as fast."""


@dataclass(frozen=True, slots=True)
class EarlyTermination:
    """relevance = lexical · (words / best words in the view) + dense · max(0, cosine of the vectors)

    Expects the column `lexical`. `then` is the later stage that says which scores still matter to it.
    Without `prune`, and where too many passages can still matter (above 15%), all vectors are read.
    A corpus without an encoder has the first summand only.
    """

    lexical: float = within(1.0, 0.0, 10.0)
    dense: float = within(0.5, 0.0, 10.0)
    then: UsesScores | None = None
    prune: bool = True

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

        prune = self.prune and not query.about  # passages of a time that is named are wanted however low
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

        How many there are shows: it is decided by the scores of what is in force, wherever they stand.
        """
        window, count = ranking.window, ranking.window.n_live
        if ranking.places is not None or count <= SCANNED:
            return None
        most = self.dense * largest_cosine(vector)
        few = FEW * count
        sizes = [max(count // part, LEAST) for part in TRIALS]
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
            if len(left) > 1.3 * few:  # a second try would not help so much
                return None
        return None

    def _needed(
        self, query: Query, ranking: Ranking, view: View, places: NDArray[np.int64], scores: Values
    ) -> float:
        """What a relevance needs to matter, as far as these candidates tell."""
        why = ranking.columns["lexical"].why  # nobody looks: a bound is not shown
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
