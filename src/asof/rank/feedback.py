"""Pseudo-relevance feedback: expands the query with words of the best passages, assumed relevant.

It needs no model and no training, and reads the view only, so it is exact as of T.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from asof.index import lexical
from asof.index.lexical import Bm25, Term, Weighed, stems_of, terms_of
from asof.index.segment import Window
from asof.index.view import View, at_least, before_rise, kth_best, union
from asof.rank.expression import Constant, Given, Values, product, total
from asof.rank.gather import admitted
from asof.rank.stage import Ranking, Traits
from asof.schema import within
from asof.values import Query, Why

CONSIDERED = 2
"""How many times as many terms have their idf looked up as are used."""


@dataclass(frozen=True, slots=True)
class RescoreLimits:
    """Up to `max_share` of the current passages, scoring single places beats a pass over all postings."""

    max_share: float = 0.04


RESCORE_LIMITS = RescoreLimits()


class UsesScores(Protocol):
    """A later stage with a lower bound of the scores that matter to it and to the stages after it."""

    def bound(self, query: Query, ranking: Ranking, view: View) -> float:
        """The least score that matters. Some of the candidates are enough: more can only raise the bound."""
        ...


class Selects(Protocol):
    """A later stage that chooses candidates by the scores that this one gives."""

    def reach(self, query: Query, ranking: Ranking, view: View, rise: float) -> NDArray[np.int64] | None:
        """Candidates (indices, ascending) that hold all that it chooses after no score has fallen and none
        has risen by more than `rise`; None where nothing can be left out."""
        ...


@dataclass(frozen=True, slots=True)
class PseudoRelevanceFeedback:
    """relevance + weight · min(1, score of the shared words / the best score among the passages read)

    The shared words are the best `terms` words of the first `passages` by share of words times idf:
    share(t) = sum over the passages of tf / length; a term's weight is share(t) idf(t) over the best one's.

    At most `weight` is added, so most passages cannot reach the first k, or what the later stage `window`
    chooses, any more, and are dropped unread. The first k are the same as with all passages scored.
    Without `prune` (for recipes that need more than k passages) all are scored, and without `window` also
    where the question names a time, whose passages may be needed however low.
    """

    weight: float = within(0.1, 0.0, 1.0)
    passages: int = within(10, 1, 100)
    terms: int = within(20, 1, 200)
    k1: float = within(1.5, 0.0, 10.0)
    b: float = within(0.75, 0.0, 1.0)
    window: Selects | None = None
    prune: bool = True
    limits: RescoreLimits = RESCORE_LIMITS
    traits: ClassVar = Traits(total="relevance and feedback")

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        best = self._best(ranking, view)
        if not len(best):
            return ranking
        reach = self._few(query, ranking, self._reach(query, ranking, view))
        bm25 = Bm25(self.k1, self.b)
        weighed = view.weigh(self._terms(ranking.window, best, view), bm25)
        ranking, values, top = self._scored(query, ranking, view, weighed, bm25, best, reach)
        if top == 0.0:
            return _matching(ranking)
        scored = ranking

        def tree(at: int) -> Why:
            row = scored.row(at)
            score = lexical.explain(view.prefix, row, weighed, bm25, "words of the best passages")
            share = Why.of("share of the best", "ratio", score, Why("best of those passages", top))
            return share if share.value <= 1.0 else Why("share of the best, at most 1", 1.0)

        share = Given("share of the best", np.minimum(values / top, 1.0), tree)
        feedback = product("feedback", share, Constant("weight", self.weight))
        ranking = ranking.with_column("feedback", total(self.traits.total, ranking.scores, feedback))
        return _matching(ranking)

    def _scored(
        self,
        query: Query,
        ranking: Ranking,
        view: View,
        weighed: tuple[Weighed, ...],
        bm25: Bm25,
        best: NDArray[np.int64],
        reach: NDArray[np.int64] | None,
    ) -> tuple[Ranking, Values, float]:
        """The ranking without passages that are not within `reach`, the scores of the others, and the largest
        score of `best`."""
        window = ranking.window
        if reach is None and ranking.places is None:
            values, _ = lexical.scores(
                window, [each.term for each in weighed], bm25, [each.df for each in weighed]
            )
            allowed = admitted(query, window, view)
            if allowed is not None:
                values[~allowed] = 0.0
            return ranking, values, float(values[best].max(initial=0.0))
        remaining = ranking if reach is None else ranking.keep(reach)
        places = union(remaining.chosen, np.sort(best))
        scores = lexical.scores_at(window, places, weighed, bm25)
        allowed = admitted(query, window, view)
        if allowed is not None:  # what has no word of the question has not been asked about its attributes
            scores[~allowed[places]] = 0.0
        top = float(scores[np.searchsorted(places, best)].max(initial=0.0))
        return remaining, scores[np.searchsorted(places, remaining.chosen)], top

    def bound(self, query: Query, ranking: Ranking, view: View) -> float:
        """The score that a passage needs to be used for feedback, or to be among the first k at the end."""
        first, read = kth_best(ranking.score, query.k), kth_best(ranking.score, self.passages)
        return min(before_rise(first, self.weight), read)

    def _reach(self, query: Query, ranking: Ranking, view: View) -> NDArray[np.int64] | None:
        """The candidates that later stages can still choose; None where that may be all."""
        if not self.prune:
            return None
        if self.window is not None:
            return self.window.reach(query, ranking, view, self.weight)
        bound = before_rise(kth_best(ranking.score, query.k), self.weight)
        return at_least(ranking.score, bound) if bound > 0 and not query.about else None

    def _few(
        self, query: Query, ranking: Ranking, reach: NDArray[np.int64] | None
    ) -> NDArray[np.int64] | None:
        """The same candidates; None when they are too many to score singly."""
        if reach is None:
            return None
        return reach if len(reach) <= max(self.limits.max_share * ranking.window.n_live, query.k) else None

    def _best(self, ranking: Ranking, view: View) -> NDArray[np.int64]:
        """Places of the best passages, in order."""
        score = ranking.score
        best = at_least(score, kth_best(score, self.passages))
        places = best if ranking.places is None else ranking.places[best]
        return places[view.tie_order(score[best], ranking.window.rows(places))[: self.passages]]

    def _terms(self, window: Window, best: NDArray[np.int64], view: View) -> tuple[Term, ...]:
        shares = shares_of(window, best, view, CONSIDERED * self.terms)
        considered = sorted(shares, key=lambda term: (-shares[term], term.word))[: CONSIDERED * self.terms]
        dfs = view.dfs([term.hash for term in considered])
        idf = Bm25().idf
        weights = [shares[term] * idf(view.n, df) for term, df in zip(considered, dfs, strict=True)]
        chosen = sorted(zip(weights, considered, strict=True), key=lambda each: (-each[0], each[1].word))
        most = chosen[0][0] if chosen else 1.0
        return tuple(Term(term.word, term.hash, weight / most) for weight, term in chosen[: self.terms])


def _matching(ranking: Ranking) -> Ranking:
    """Without chosen passages that have no word at all; of places that were not chosen they do not match."""
    if ranking.places is None or (matching := ranking.score > 0).all():
        return ranking
    return ranking.keep(np.flatnonzero(matching))


def shares_of(window: Window, best: NDArray[np.int64], view: View, most: int) -> dict[Term, float]:
    """The sum over passages (by place) of tf / length, for at least the `most` largest; without stop words.

    Sums are added in the order of the passages, once for each time that a word occurs.
    """
    rows = window.rows(best)
    counts, hashes, tf = terms_of(view.prefix, rows)
    different, which = np.unique(hashes, return_inverse=True)
    each = np.repeat(1 / np.maximum(view.column("length", rows), 1), counts)
    shares = np.bincount(np.repeat(which, tf), np.repeat(each, tf), len(different)).astype(np.float64)
    stop = view.analyzer.stop_hashes()
    at = np.searchsorted(different, stop)
    inside = at < len(different)
    at = at[inside]
    shares[at[different[at] == stop[inside]]] = 0.0
    largest = at_least(shares, kth_best(shares, most))
    stems = stems_of(view.prefix, different[largest])
    terms = map(Term, stems, different[largest].tolist())
    return dict(zip(terms, shares[largest].tolist(), strict=True))
