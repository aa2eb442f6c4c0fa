"""Combining columns: weighted sums, division by the maximum, words and vectors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from asof.index.view import View, kth_best
from asof.queries import Query
from asof.rank.expression import (
    Applied,
    Constant,
    Expression,
    RankingColumn,
    Where,
    exp,
    product,
    ratio,
    total,
)
from asof.rank.gather import Dense, noted_waiting
from asof.rank.stage import Ranking, Traits
from asof.rank.versions import with_rows_asked
from asof.schema import within

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
        out = view.prefix.zeros(ranking.count) if ranking.places is None else None
        return ranking.with_column("normalized", share, by=False, high=1.0, out=out)


@dataclass(frozen=True, slots=True)
class Combine:
    """The column `name`: the sum of weight times column, in the order of `weights`.

    A missing column adds nothing, and a note names it.
    """

    weights: tuple[tuple[str, float], ...] = (("lexical", 1.0),)
    name: str = "score"
    traits: ClassVar = Traits(constants=("weights",))

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        present = [
            (ranking.columns[name], name, weight) for name, weight in self.weights if name in ranking.columns
        ]
        missing = [name for name, _ in self.weights if name not in ranking.columns]
        parts = [
            product(name, column, Constant("weight", weight, self, f"weights.{name}"))
            for column, name, weight in present
        ]
        bounds = [column.high * max(weight, 0.0) for column, _, weight in present if column.high is not None]
        high = sum(bounds) if len(bounds) == len(present) else None
        combined = ranking.with_column(self.name, total(self.name, *parts), high=high)
        if missing:
            combined = combined.note(f"{self.name} is without {', '.join(missing)}: no such column")
        return combined


@dataclass(frozen=True, slots=True)
class UnitScore:
    """The column `unit_score`, between 0 and 1, in the order of the score: 1 / (1 + exp(-score)).

    Scores above 30 are as good as equal; of those below LEAST the exponential is that of LEAST.
    """

    traits: ClassVar = Traits(constants=())

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        score: Expression = ranking.scores
        if ranking.score.min(initial=0.0) < LEAST:
            score = Applied("score, at least so much", "max", (score, Constant("least", LEAST)))
        negative = product("-score", score, Constant("-1", -1.0))
        one = Constant("one", 1.0)
        unit = ratio("score between 0 and 1", one, total("below", one, exp("exp(-score)", negative)))
        return ranking.with_column("unit_score", unit, high=1.0)


LEAST = -700.0
"""The exponential of more than 709 is no number."""


# -- words and vectors ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Hybrid:
    """relevance = words / best words in the view + dense · nearness of meaning

        nearness = max(0, (cosine - c) / (largest cosine - c))      c: the cosine of the `nearest`-th passage

    Cosines of one model lie close together, so their place between the best and the `nearest`-th tells more
    than their size; c is 0 where fewer are above 0. Expects the column `lexical`. A corpus without
    vectors has the first summand only.
    """

    dense: float = within(1.0, 0.0, 10.0)
    nearest: int = within(300, 2, 100_000)

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        if not view.has_vectors:
            ranking = with_rows_asked(query, ranking, view)  # no other is added
        words = ranking.column("lexical")
        best = float(words.values.max(initial=0.0))
        parts: list[Expression] = []
        if best > 0:
            share = ratio("lexical", words, Constant("best of all candidates", best))
            out = view.prefix.zeros(ranking.count) if ranking.places is None else None
            parts.append(RankingColumn.computed(share, ranking.count, out=out))
        if view.has_vectors and self.dense > 0:
            cosine = Dense()(query, ranking, view).column("dense")
            parts.append(self._nearness(cosine))
        ranking = noted_waiting(ranking, view)
        return ranking.with_column("relevance", total("relevance", *parts))

    def _nearness(self, cosine: RankingColumn) -> Expression:
        """The weighted nearness of the nearest passages; all others have no such summand."""
        largest = float(cosine.values.max(initial=0.0))
        least = kth_best(cosine.values, self.nearest)
        near = cosine.values > least
        if least == largest:  # so many equal texts
            least, near = 0.0, cosine.values >= largest
        above = total("cosine above it", cosine, Constant("-cosine of the last near one", -least))
        share = ratio("nearness", above, Constant("the best above it", largest - least or 1.0))
        return Where(near, product("meaning", share, Constant("weight", self.dense)))
