"""Diversity: fewer similar hits, by a cap for each document or by maximal marginal relevance.

Both look at the first few candidates by the present score (ties as everywhere). They come before the last
`Cut`, which orders by score; so what moves down gets a lower score.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from asof.data import Query
from asof.index.view import View
from asof.rank.computed import Column
from asof.rank.expression import Constant, Expression, Given, Places, Values, product, ratio, total
from asof.rank.features.similarity import pairwise_similarity
from asof.rank.recipe import Recipe
from asof.rank.rerank.append_below import append_below, insert_before_cut
from asof.rank.selections import Where
from asof.rank.stage import Ranking, Stage
from asof.rank.traits import Traits
from asof.schema import choice, within


@dataclass(frozen=True, slots=True)
class PerDocument:
    """At most `most` passages of a document among the `first` candidates; skipped ones come after them.

    The others keep their scores. A skipped passage gets the lowest of those scores less its place below (1,
    2, ...; equal scores share a place), and the candidates after the first get the places below that. Without
    a skipped passage nothing changes.

    RAGtriever's code has this cap (2) as its diversity, and fills up with skipped passages.
    """

    most: int = within(2, 1, 100)
    first: int = within(50, 2, 1_000)
    traits: ClassVar = Traits(by_score=True)

    @property
    def needs(self) -> int:
        """The number of candidates that the stages before have to leave."""
        return self.first

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        matches, order = ordered(ranking, view, max(query.k, self.first))
        first, rest = order[: self.first], order[self.first :]
        over = places_among_equals(view.column("document", matches.rows[first])) >= self.most
        if not over.any():
            return matches  # not the ranking: its arrays may serve other searches by now
        matches = matches.keep(np.concatenate([first[~over], first[over], rest]))
        left = np.arange(np.count_nonzero(~over))
        capped = append_below(matches, "capped", matches.scores.taken(left), int(over.sum()))
        return capped.note(
            f"diversity: {int(over.sum())} of the first {len(first)} candidates moved down, "
            f"being more than {self.most} of one document"
        )


@dataclass(frozen=True, slots=True)
class Mmr:
    """Maximal marginal relevance of the first `first` candidates (Carbonell and Goldstein 1998).

    next = argmax of balance · relevance - (1 - balance) · similarity to the most similar one chosen before

    and that number is the column `marginal`: it never rises from one choice to the next, so ordering by it is
    the order of the choices. The candidates after the first keep their order below: the lowest less their
    place (1, 2, ...; equal scores share a place). `balance` 1 is off; with 0 the scores have no effect.

    `scale` of the relevance: "best", the score as a share of the best (where there are scores below 0, of
    the best above the lowest of these candidates), or "given", the score as it is, for scores that are
    cosines. Similarity is the cosine of the corpus's vectors, 0 where it is negative; in a corpus without an
    encoder, the Jaccard similarity of the sets of stems.
    """

    balance: float = within(0.7, 0.0, 1.0)
    first: int = within(50, 2, 1_000)
    scale: str = choice("best", "given")
    traits: ClassVar = Traits(by_score=True)

    @property
    def needs(self) -> int:
        """The number of candidates that the stages before have to leave."""
        return self.first

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        if self.balance == 1.0:
            return ranking
        matches, order = ordered(ranking, view, max(query.k, self.first))
        if not len(order):
            return matches
        matches = matches.keep(order)
        first = np.arange(min(self.first, len(order)))
        rows = matches.rows[first]
        relevance = self._relevance(matches.scores.taken(first))
        similarity = pairwise_similarity(view, rows)
        chosen, most_similar = self._choose(relevance.values, similarity.values, view, rows)
        similar = Given(
            "similarity", similarity_to_chosen(similarity.values, most_similar),
            lambda at: similarity.why(at, int(most_similar[at])),
        )  # fmt: skip
        near = Where(most_similar >= 0, similar, Constant("nothing was chosen before", 0.0))
        marginal = total(
            "marginal relevance", product("relevance", relevance, Constant("balance", self.balance)),
            product("similarity", near, Constant("balance - 1", self.balance - 1.0)),
        )  # fmt: skip
        moved = int(np.count_nonzero(chosen != first))
        return append_below(matches, "marginal", Column.computed(marginal, len(first)), 0).note(
            f"diversity: {moved} of the first {len(first)} candidates changed places, "
            f"compared by {similarity.name}"
        )

    def _relevance(self, score: Column) -> Column:
        """The scores of the first on the chosen scale."""
        if self.scale == "given":
            return score
        best, low = float(score.values.max()), min(float(score.values.min()), 0.0)
        n, width = len(score.values), best - low
        if width <= 0:
            return Column.computed(Constant("all as relevant", 1.0), n)
        above: Expression = total("above the lowest", score, Constant("-lowest", -low)) if low else score
        return Column.computed(
            ratio("share of the best", above, Constant("best of these candidates", width)), n
        )

    def _choose(
        self, relevance: Values, similarity: Values, view: View, rows: Places
    ) -> tuple[Places, Places]:
        """The order of the choices, and for each the most similar one chosen before it (-1: none)."""
        n = len(rows)
        among_equals = view.tie_order(np.zeros(n), rows)
        gain = relevance * self.balance
        chosen, most_similar = np.zeros(n, np.int64), np.full(n, -1)
        left, nearest = np.ones(n, bool), np.zeros(n)
        for step in range(n):
            marginal = np.where(left, gain + nearest * (self.balance - 1.0), -np.inf)
            pick = int(among_equals[np.argmax(marginal[among_equals])])
            chosen[step], left[pick] = pick, False
            nearer = left & ((similarity[pick] > nearest) | (most_similar < 0))
            most_similar[nearer], nearest[nearer] = pick, similarity[pick][nearer]
        return chosen, most_similar


def similarity_to_chosen(similarity: Values, most_similar: Places) -> Values:
    """The similarity of each to the most similar one chosen before it, 0 for the first."""
    highest: Values = np.where(most_similar < 0, 0.0, similarity[np.arange(len(most_similar)), most_similar])
    return highest


def ordered(ranking: Ranking, view: View, n: int) -> tuple[Ranking, Places]:
    """The candidates that match and can be among the first `n`, and their order from best to last."""
    matches = ranking.matching().shortlist(n)
    return matches, view.tie_order(matches.score, matches.rows)


def places_among_equals(values: NDArray[np.int64]) -> Places:
    """The number of equal values before each."""
    order = np.argsort(values, kind="stable")
    starts = np.flatnonzero(np.diff(values[order], prepend=values[order][:1] - 1))
    sizes = np.diff(np.append(starts, len(values)))
    places = np.empty(len(values), np.int64)
    places[order] = np.arange(len(values)) - np.repeat(starts, sizes)
    return places


def diversified(recipe: Recipe, stage: Stage) -> Recipe:
    """The recipe with a stage of this package before its last cut."""
    return insert_before_cut(recipe, stage, "diverse")
