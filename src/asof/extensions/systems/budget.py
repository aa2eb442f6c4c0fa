"""Re-ranking on a budget (TWE-RAG, README 2.5).

More candidates are examined only while the best is uncertain:

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
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from asof.extensions.systems.stages import Centrality
from asof.hits import Halting
from asof.index.view import View
from asof.queries import Query
from asof.rank.expression import (
    Constant,
    Joined,
    Taken,
    total,
)
from asof.rank.stage import Ranking
from asof.schema import within
from asof.wire import replace

# -- the budget ------------------------------------------------------------------------------------


class Uncertainty(NamedTuple):
    """The certainty of the first candidate: its margin, and the share of candidates that corroborate it."""

    margin: float
    agreement: float

    @classmethod
    def of(cls, scores: Sequence[float], agrees: Sequence[bool]) -> Uncertainty:
        """Of the first k scores, best first, and which of those candidates corroborate the first."""
        return cls(scores[0] - scores[-1], sum(agrees) / len(agrees))

    def settled(self, margin: float, agreement: float) -> bool:
        """True if both thresholds are exceeded."""
        return self.margin > margin and self.agreement > agreement


GRAPH = Centrality()

OUTSIDE = "outside the budget"
"""The label of the score of a candidate that was not examined."""


@dataclass(frozen=True, slots=True)
class BudgetedRerank:
    """Ranks the first `sizes[0]` candidates by the column `by` anew by score; more while the best is
    uncertain.

    Candidates enter in the order of `by`, so a larger size includes the smaller ones. The others keep their
    order below: their score is the lowest of those that entered less the distance of their `by` to that of
    the last one that entered. The edges of `graph` are agreement. Raises ValueError for `sizes` that fall.
    """

    by: str = "relevance"
    sizes: tuple[int, ...] = (30, 60, 100)
    margin: float = within(0.5, 0.0, 10.0)
    agreement: float = within(0.8, 0.0, 1.0)
    first: int = within(5, 2, 100)
    graph: Centrality = GRAPH

    def __post_init__(self) -> None:
        if not self.sizes or self.sizes[0] < 1 or any(low > high for low, high in pairwise(self.sizes)):
            raise ValueError(f"sizes are 1 or more and never fall: {self.sizes!r}")

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        ranking = ranking.matching()
        if not ranking.count:
            return ranking
        entering = ranking.keep(view.tie_order(ranking.column(self.by).values, ranking.rows))
        known: dict[int, NDArray[np.bool_]] = {}  # corroboration of the candidates by the best one so far
        for size in self.sizes:
            examined = entering.keep(np.arange(min(size, entering.count)))
            rows, scores = examined.rows, examined.score
            best = view.tie_order(scores, rows)[: self.first]
            top = int(rows[best[0]])
            if top not in known:
                known[top] = self._agree(view, top, entering.rows)
            agrees = known[top][best]
            doubt = Uncertainty.of(scores[best].tolist(), [True, *agrees[1:].tolist()])
            if examined.count == entering.count or doubt.settled(self.margin, self.agreement):
                break
        halting = self._outcome(doubt, examined.count, entering.count)
        ranked = replace(self._ranked(examined, entering), halting=halting)
        return ranked.note(halting.reason)

    def _agree(self, view: View, top: int, rows: NDArray[np.int64]) -> NDArray[np.bool_]:
        """A mask of `rows`: those with an edge to `top`."""
        return np.isin(rows, self.graph.evidence(view).neighbours(top)[0])

    def _outcome(self, doubt: Uncertainty, examined: int, count: int) -> Halting:
        settled = doubt.settled(self.margin, self.agreement)
        measured = f"margin {doubt.margin:.3f}, agreement {doubt.agreement:.2f}"
        limits = f"{self.margin:g} and {self.agreement:g}"
        what = "all" if examined >= count else f"the budget of {examined}"
        reason = f"{what} of {count} candidates examined: {measured} are not both above {limits}"
        if settled:
            reason = f"halted at {examined} of {count} candidates: {measured} are above {limits}"
        budget = min(count, self.sizes[-1])
        return Halting(examined, count, budget, settled, doubt.margin, doubt.agreement, reason)

    def _ranked(self, examined: Ranking, entering: Ranking) -> Ranking:
        """All candidates in order of entry, those that were not examined below the lowest of the others."""
        entered, left = examined.count, entering.count - examined.count
        if not left:
            return entering
        entry, outside = entering.column(self.by), np.arange(entered, entering.count)
        lowest = Taken(examined.scores, np.full(left, np.argmin(examined.score)))
        last = Constant(f"-{self.by} of it", -float(entry.values[entered - 1]))
        below = total(OUTSIDE, lowest, total("below the last that entered", Taken(entry, outside), last))
        return entering.with_column("budget", Joined(examined.scores, below, entered, left))
