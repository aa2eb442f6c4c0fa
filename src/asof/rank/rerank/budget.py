"""Re-ranking on a budget (TWE-RAG, README 2.5): more candidates are examined only while the best is
uncertain.

    margin    = S(d1) - S(dk)
    agreement = share of d1 … dk that corroborate d1 (d1 itself counts, as the sum is printed)
    halt      = margin > .5  and  agreement > .8

The publication leaves k open and calls agreement "Jaccard similarity to the top document": here k = 5, and a
candidate corroborates d1 if they have an edge in the evidence graph. Both comparisons are strict.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from asof.data import Query
from asof.graph.evidence import corroborates
from asof.index.view import View
from asof.rank.expression import Constant, total
from asof.rank.features.centrality import Centrality
from asof.rank.selections import Taken, Where
from asof.rank.stage import Ranking
from asof.rank.traits import Traits
from asof.schema import within


class Uncertainty(NamedTuple):
    """How certain the first candidate is: its margin, and the share of candidates that corroborate it."""

    margin: float
    agreement: float

    @classmethod
    def of(cls, scores: Sequence[float], agrees: Sequence[bool]) -> Uncertainty:
        """Of the first k scores, best first, and which of those candidates corroborate the first."""
        return cls(scores[0] - scores[-1], sum(agrees) / len(agrees))

    def settled(self, margin: float, agreement: float) -> bool:
        """Whether both thresholds are exceeded."""
        return self.margin > margin and self.agreement > agreement


GRAPH = Centrality()

OUTSIDE = "outside the budget"
"""The label of the score of a candidate that was not examined."""


@dataclass(frozen=True, slots=True)
class BudgetedRerank:
    """Ranks the first `sizes[0]` candidates by the column `by` anew by score; more while the best is
    uncertain.

    Candidates enter in the order of `by`, so a larger size includes the smaller ones and nothing is computed
    twice. The others keep their order below: their score is the lowest of those that entered less the
    distance of their `by` to that of the last one that entered. The edges of `graph` are agreement. Raises
    ValueError for `sizes` that fall.
    """

    by: str = "relevance"
    sizes: tuple[int, ...] = (30, 60, 100)
    margin: float = within(0.5, 0.0, 10.0)
    agreement: float = within(0.8, 0.0, 1.0)
    first: int = within(5, 2, 100)
    graph: Centrality = GRAPH
    traits: ClassVar = Traits(part="budget", limit="sizes")

    def __post_init__(self) -> None:
        if not self.sizes or self.sizes[0] < 1 or any(low > high for low, high in pairwise(self.sizes)):
            raise ValueError(f"sizes are 1 or more and never fall: {self.sizes!r}")

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        ranking = ranking.matching()
        if not len(ranking.score):
            return ranking
        entry = ranking.column(self.by).values
        rows, scores = ranking.rows, ranking.score
        order = view.tie_order(entry, rows)
        known: dict[int, NDArray[np.bool_]] = {}  # corroboration of the candidates by the best one so far
        for size in self.sizes:
            entered = order[:size]
            best = entered[view.tie_order(scores[entered], rows[entered])][: self.first]
            top = int(rows[best[0]])
            if top not in known:
                known[top] = self._agree(view, top, rows)
            agrees = known[top][best]
            doubt = Uncertainty.of(scores[best].tolist(), [True, *agrees[1:].tolist()])
            if size >= len(order) or doubt.settled(self.margin, self.agreement):
                break
        return self._ranked(ranking, order, len(entered)).note(self._reason(doubt, len(entered), len(order)))

    def _agree(self, view: View, top: int, rows: NDArray[np.int64]) -> NDArray[np.bool_]:
        return corroborates(
            view,
            top,
            rows,
            threshold=self.graph.threshold,
            cap=self.graph.cap,
            independent=self.graph.independent,
        )

    def _reason(self, doubt: Uncertainty, examined: int, count: int) -> str:
        measured = f"margin {doubt.margin:.3f}, agreement {doubt.agreement:.2f}"
        limits = f"{self.margin:g} and {self.agreement:g}"
        if doubt.settled(self.margin, self.agreement):
            return f"halted at {examined} of {count} candidates: {measured} are above {limits}"
        what = "all" if examined >= count else f"the budget of {examined}"
        return f"{what} of {count} candidates examined: {measured} are not both above {limits}"

    def _ranked(self, ranking: Ranking, order: NDArray[np.int64], entered: int) -> Ranking:
        if entered == len(order):
            return ranking
        first, entry = order[:entered], ranking.columns[self.by]
        lowest = Taken(ranking.scores, np.full(len(order), first[np.argmin(ranking.score[first])]))
        last = Constant(f"-{self.by} of it", -float(entry.values[order[entered - 1]]))
        below = total(OUTSIDE, lowest, total("below the last that entered", entry, last))
        inside = np.zeros(len(order), bool)
        inside[first] = True
        return ranking.with_column("budget", Where(inside, ranking.scores, below))
