"""Combining columns: weighted sums, division by the maximum, reciprocal rank fusion, early termination.

Early termination computes cosines only where they can change the first k. The lexical part is cheap and known
for every passage; a cosine is at most `largest_cosine`. Once some passages have both, a passage whose lexical
part plus that bound is below the k-th score is out. The result is that of reading all vectors.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from asof.index.segment import Window
from asof.index.vectors import cosines, cosines_at, largest_cosine
from asof.index.view import ROUNDING, View, at_least, kth_best, nearly_kth_best
from asof.rank.expression import (
    Constant,
    Expression,
    Given,
    Places,
    RankingColumn,
    Values,
    Where,
    product,
    ratio,
    total,
)
from asof.rank.gather import admitted, cosine_why, question_vector
from asof.rank.stage import Ranking, Traits
from asof.schema import within
from asof.values import Query, Why

# -- weighted sums -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class MaxNormalize:
    """The column `of` over its largest value among the candidates, as `share`; 0 stays 0.

    `of` empty: the column that ranks so far.
    """

    of: str = "lexical"

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        of = self.of or ranking.by
        column = ranking.column(of)
        best = float(column.values.max(initial=0.0))
        if best == 0:
            return ranking.with_column(
                "normalized", Constant(f"{of}: nothing matches", 0.0), by=False, high=1.0
            )
        share = ratio(f"share of the best {of}", column, Constant("best of all candidates", best))
        out = view.prefix.zeros(ranking.count)[: ranking.count] if ranking.places is None else None
        return ranking.with_column("normalized", share, by=False, high=1.0, out=out)


@dataclass(frozen=True, slots=True)
class Combine:
    """The column `name`: the sum of weight times column, in the order of `weights`.

    A missing column adds nothing, and a note names it.
    """

    weights: tuple[tuple[str, float], ...] = (("lexical", 1.0),)
    name: str = "score"
    traits: ClassVar = Traits(constants=("weights",), alone=True)

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        present = [
            (ranking.columns[name], name, weight) for name, weight in self.weights if name in ranking.columns
        ]
        missing = [name for name, _ in self.weights if name not in ranking.columns]
        parts = [
            product(name, column, Constant("weight", weight, self, f"weights.{name}"))
            for column, name, weight in present
        ]
        bounds = [column.high * weight for column, _, weight in present if column.high is not None]
        high = sum(bounds) if len(bounds) == len(present) else None
        combined = ranking.with_column(self.name, total(self.name, *parts), high=high)
        if missing:
            combined = combined.note(f"{self.name} is without {', '.join(missing)}: no such column")
        return combined


# -- fusion by rank ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ReciprocalRank:
    """Reciprocal rank fusion (Cormack, Clarke and Buettcher 2009): sum of weight / (k + rank), rank from 1.

    The first `depth` of each column count; a passage that is not among them adds nothing. Scores do not
    matter, only their order, with ties in the order of all ties.
    """

    weights: tuple[tuple[str, float], ...] = (("lexical", 1.0),)
    k: int = within(60, 1, 1_000)
    depth: int = within(1_000, 1, 1_000_000)

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        lists = [
            (name, weight, self._order(ranking, ranking.columns[name].values, view))
            for name, weight in self.weights
            if name in ranking.columns
        ]
        listed = np.unique(np.concatenate([order for _, _, order in lists] or [np.zeros(0, np.int64)]))
        fused = total("relevance", *[self._summand(*each, listed) for each in lists])
        values = np.zeros(ranking.count)
        values[listed] = fused.evaluated()

        def tree(at: int) -> Why:
            place = int(np.searchsorted(listed, at))
            none = place == len(listed) or listed[place] != at
            return Why.of("relevance", "sum") if none else fused.why(place)

        return ranking.with_column("relevance", Given("relevance", values, tree)).note(
            f"fusion: the first {self.depth} of each list count"
        )

    def _summand(self, name: str, weight: float, order: Places, listed: Places) -> Expression:
        """The summand of a list, for the candidates of any list."""
        ranks = np.zeros(len(listed))
        ranks[np.searchsorted(listed, order)] = np.arange(len(order)) + 1
        place = total("k + rank", Constant("k", float(self.k)), Given("rank", ranks))
        return Where(ranks > 0, ratio(name, Constant("weight", weight), place))

    def _order(self, ranking: Ranking, values: Values, view: View) -> Places:
        """The first places of a list, in order."""
        near = at_least(values, kth_best(values, self.depth))
        return near[view.tie_order(values[near], ranking.rows[near])[: self.depth]]


# -- early termination ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ScanLimits:
    """The limits within which single vectors are read instead of all in order.

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


class UsesScores(Protocol):
    """A later stage with a lower bound of the scores that matter to it and to the stages after it."""

    def bound(self, query: Query, ranking: Ranking, view: View) -> float:
        """The least score that matters. Some of the candidates are enough: more can only raise the bound."""
        ...


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
        by_words: list[RankingColumn] = []
        if best > 0:
            share = ratio("share of the best", words, Constant("best of all candidates", best))
            out = view.prefix.zeros(ranking.count)[: ranking.count]
            weighted = product("lexical", share, Constant("weight", self.lexical))
            by_words = [RankingColumn.computed(weighted, ranking.count, out=out)]
        if view.encoder is None or self.dense == 0.0:
            return ranking.with_column("relevance", total("relevance", *by_words))
        vector = question_vector(query, view)
        weight = Constant("weight", self.dense)

        def relevance(of: Ranking, cheap: list[RankingColumn], values: Values) -> Ranking:
            cosine = Given("cosine", values, lambda at: cosine_why(view, of.row(at), vector))
            return of.with_column("relevance", total("relevance", *cheap, product("dense", cosine, weight)))

        prune = self.prune and not query.about  # passages of a named time are needed however low
        cheap = by_words[0].values if by_words else np.zeros(ranking.count)
        count = ranking.window.n_live
        read = self._certified(query, ranking, view, cheap, vector, count) if prune else None
        if read is None:
            values = cosines(ranking.window, vector)
            allowed = admitted(query, ranking.window, view)
            if allowed is not None:
                values[~allowed] = 0.0
            return relevance(ranking, by_words, values).note(
                f"exact: the vectors of all {count} passages were read"
            )
        places, values = read
        some = [each.taken(places) for each in by_words]
        view.prefix.give_back(cheap)
        return relevance(ranking.keep(places), some, values).note(
            f"exact: the vectors of {len(places) / count:.2%} of {count} passages"
            f" were read; no other can reach the first {query.k}"
        )

    def _certified(
        self, query: Query, ranking: Ranking, view: View, cheap: Values, vector: NDArray[np.int16], count: int
    ) -> tuple[NDArray[np.int64], Values] | None:
        """Places that can matter, ascending, and their cosines; None when they are too many, or unknown.

        Their number is shown, so it depends on the scores of the current passages alone.
        """
        window, limits = ranking.window, self.limits
        if ranking.places is not None or count <= limits.scanned:
            return None
        most = self.dense * largest_cosine(vector)
        few = limits.max_share * count
        sizes = [max(count // part, limits.min_trial) for part in limits.trials]
        widest = at_least(cheap, nearly_kth_best(cheap, sizes[-1]))
        widest = widest[at_least(cheap[widest], kth_best(cheap[widest], sizes[-1]))]
        least = float(cheap[widest].min(initial=np.inf))
        if len(widest) > few:
            return None
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
        some = Ranking(ranking.window, places).with_column("relevance", Given("relevance", scores))
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
