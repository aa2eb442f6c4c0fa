"""Re-ranking on a budget (TWE-RAG, README 2.5), and hops over the evidence graph (README 7).

More candidates are examined only while the best is uncertain:

    margin    = S(d1) - S(dk)
    agreement = share of d1 … dk that corroborate d1 (d1 itself counts, as the sum is printed)
    halt      = margin > .5  and  agreement > .8

The publication leaves k open and calls agreement "Jaccard similarity to the top document": here k = 5, and a
candidate corroborates d1 if they have an edge in the evidence graph. Both comparisons are strict.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from asof.extensions.systems.evidence import Evidence
from asof.extensions.systems.overlap import EDGE_SCALE
from asof.extensions.systems.stages import Centrality
from asof.index.view import View
from asof.rank.expression import (
    Applied,
    Constant,
    Given,
    Joined,
    Places,
    RankingColumn,
    Taken,
    Values,
    Where,
    total,
)
from asof.rank.gather import admitted
from asof.rank.stage import Ranking, Stage, Traits, places_among
from asof.schema import within
from asof.store.digest import hit_id
from asof.values import Halting, Query, Why
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

    Candidates enter in the order of `by`, so a larger size includes the smaller ones and nothing is computed
    twice: stages before that say of themselves that they rank each candidate `alone` get them size by size
    (`asof.rank.rerank`). The others keep their order below: their score is the lowest of those that
    entered less the distance of their `by` to that of the last one that entered. The edges of `graph` are
    agreement. Raises ValueError for `sizes` that fall.
    """

    by: str = "relevance"
    sizes: tuple[int, ...] = (30, 60, 100)
    margin: float = within(0.5, 0.0, 10.0)
    agreement: float = within(0.8, 0.0, 1.0)
    first: int = within(5, 2, 100)
    graph: Centrality = GRAPH
    traits: ClassVar = Traits(halts=True)

    def __post_init__(self) -> None:
        if not self.sizes or self.sizes[0] < 1 or any(low > high for low, high in pairwise(self.sizes)):
            raise ValueError(f"sizes are 1 or more and never fall: {self.sizes!r}")

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        return self.over((), ranking, view)

    def over(self, steps: Sequence[tuple[Stage, Query]], ranking: Ranking, view: View) -> Ranking:
        """The ranking, where the candidates get their scores from `steps` only when they enter.

        `steps`: stages and their queries, each of which is `alone` (`asof.rank.stage`); none: all have their
        scores. Of the columns that the stages make those remain that all candidates have. Where one of them
        makes the column by which candidates enter, all candidates go through them first.
        """
        ranking = ranking.matching()
        if not ranking.count or (steps and self.by not in ranking.columns):
            ranking, steps = _through(steps, ranking, view), ()
        if not ranking.count:
            return ranking
        entering = ranking.keep(view.tie_order(ranking.column(self.by).values, ranking.rows))
        first = entering.keep(np.arange(min(self.sizes[0], entering.count)))
        examined = _through(steps, first, view)
        if examined.column(self.by) is not first.column(self.by):
            return self.over((), _through(steps, ranking, view), view)
        known: dict[int, NDArray[np.bool_]] = {}  # corroboration of the candidates by the best one so far
        for size in self.sizes:
            examined = _enlarged(examined, steps, entering, size, view)
            rows, scores = examined.rows, examined.score
            best = view.tie_order(scores, rows)[: self.first]
            top = int(rows[best[0]])
            if top not in known:
                known[top] = self._agree(view, top, entering.rows)
            agrees = known[top][best]
            doubt = Uncertainty.of(scores[best].tolist(), [True, *agrees[1:].tolist()])
            if examined.count == entering.count or doubt.settled(self.margin, self.agreement):
                break
        scored = examined.count if steps else entering.count
        halting = self._outcome(doubt, examined.count, entering.count, scored)
        ranked = replace(self._ranked(examined, entering), halting=halting)
        return ranked.note(halting.reason)

    def _agree(self, view: View, top: int, rows: NDArray[np.int64]) -> NDArray[np.bool_]:
        """A mask of `rows`: those with an edge to `top`."""
        return np.isin(rows, self.graph.evidence(view).neighbours(top)[0])

    def _outcome(self, doubt: Uncertainty, examined: int, count: int, scored: int) -> Halting:
        settled = doubt.settled(self.margin, self.agreement)
        measured = f"margin {doubt.margin:.3f}, agreement {doubt.agreement:.2f}"
        limits = f"{self.margin:g} and {self.agreement:g}"
        what = "all" if examined >= count else f"the budget of {examined}"
        reason = f"{what} of {count} candidates examined: {measured} are not both above {limits}"
        if settled:
            reason = f"halted at {examined} of {count} candidates: {measured} are above {limits}"
        budget = min(count, self.sizes[-1])
        halting = Halting(
            examined, count, budget, scored, settled, doubt.margin, doubt.agreement, reason
        )  # fmt: skip
        if not halting.saved:
            return halting
        return replace(halting, reason=f"{reason}; {halting.saved:.0%} of the budget of {budget} was saved")

    def _ranked(self, examined: Ranking, entering: Ranking) -> Ranking:
        """All candidates in order of entry, those that were not examined below the lowest of the others."""
        entered, left = examined.count, entering.count - examined.count
        if not left:
            return replace(entering, columns=examined.columns, by=examined.by, notes=examined.notes)
        entry, outside = entering.column(self.by), np.arange(entered, entering.count)
        lowest = Taken(examined.scores, np.full(left, np.argmin(examined.score)))
        last = Constant(f"-{self.by} of it", -float(entry.values[entered - 1]))
        below = total(OUTSIDE, lowest, total("below the last that entered", Taken(entry, outside), last))
        ranked = entering.with_column("budget", Joined(examined.scores, below, entered, left))
        return replace(ranked, notes=examined.notes)


def _through(steps: Sequence[tuple[Stage, Query]], ranking: Ranking, view: View) -> Ranking:
    for stage, query in steps:
        ranking = stage(query, ranking, view)
    return ranking


def _enlarged(
    examined: Ranking, steps: Sequence[tuple[Stage, Query]], entering: Ranking, size: int, view: View
) -> Ranking:
    """The first `size` candidates with all their columns; of those `examined` before nothing is computed."""
    more = np.arange(examined.count, min(size, entering.count))
    if not len(more):
        return examined
    entered = _through(steps, entering.keep(more), view)
    if entered.count != len(more):
        raise ValueError(f"{len(more)} candidates went in, {entered.count} came out: a stage is not alone")
    return _joined(examined, entered)


def _joined(first: Ranking, more: Ranking) -> Ranking:
    """Candidates and the next ones, with the columns that both have."""
    columns = {
        name: RankingColumn(
            Joined(own.of, more.columns[name].of, first.count, more.count),
            np.concatenate([own.values, more.columns[name].values]),
            _larger(own.high, more.columns[name].high),
        )
        for name, own in first.columns.items()
        if name in more.columns
    }  # fmt: skip
    notes = tuple(dict.fromkeys((*first.notes, *more.notes)))
    return replace(first, places=np.concatenate([first.chosen, more.chosen]), columns=columns, notes=notes)


def _larger(one: float | None, other: float | None) -> float | None:
    return None if one is None or other is None else max(one, other)


# -- hops ------------------------------------------------------------------------------------------
#
# TWE-RAG's future work (README 7): a passage with an edge to a hit states some of the same in the same words,
# and something else beside it; it need not have a word of the question.


@dataclass(frozen=True, slots=True)
class EvidenceHops:
    """The column `hops`: the score, or that through one of the `best` hits if it is larger.

        s(p) = s(h) · share · J(h, p) / largest J of h

    for each edge of `graph` from a hit h; the largest over all h. With more `hops` the best that were reached
    stand in the place of the hits, so a share of a share is left. At most `most` passages that were no
    candidates are added, and none that the filters or a quoted phrase exclude; no score falls. With `hops` 0
    nothing changes. The tree of a score names the passage that it came through.
    """

    hops: int = within(1, 0, 3)
    best: int = within(5, 1, 100)
    share: float = within(0.5, 0.0, 1.0)
    most: int = within(20, 1, 1_000)
    graph: Centrality = GRAPH
    traits: ClassVar = Traits(by_score=True)

    @property
    def off(self) -> bool:
        """True if nothing changes."""
        return self.hops == 0 or self.share == 0.0

    @property
    def needs(self) -> int:
        """The number of candidates that the stages before have to leave."""
        return 0 if self.off else self.best

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        if self.off:
            return ranking
        matches = ranking.matching()
        if not matches.count:
            return matches
        reached = self._reached(query, matches, view)
        own = places_among(reached.rows, matches.rows)
        raised = own >= 0
        raised[raised] = reached.values[raised] > matches.score[own[raised]]
        new = np.flatnonzero(own < 0)
        new = new[view.tie_order(reached.values[new], reached.rows[new])[: self.most]]
        note = (
            f"evidence: {len(new)} passages were added that edges lead to from the first "
            f"{min(self.best, matches.count)} hits, and {int(raised.sum())} candidates rose"
        )
        return self._ranked(matches, reached, np.flatnonzero(raised), own, new).note(note)

    def _reached(self, query: Query, matches: Ranking, view: View) -> _Reached:
        """All passages that are reached within `hops`, each once: by the fewest hops, then with most."""
        graph = self.graph.evidence(view)
        first = view.tie_order(matches.score, matches.rows)[: self.best]
        allowed = admitted(query, matches.window, view)
        here = _Reached(matches.rows[first], matches.score[first], matches.scores.taken(first).why)
        visited, found = here.rows[:0], [_NONE]
        for _ in range(self.hops):
            after = self._hop(here, graph, view)
            places = matches.window.places(after.rows)
            keep = (places >= 0) & ~np.isin(after.rows, visited)
            if allowed is not None:
                keep &= allowed[places]
            after = after.keep(np.flatnonzero(keep))
            found.append(after)
            visited = np.concatenate([visited, here.rows, after.rows])
            here = after.keep(view.tie_order(after.values, after.rows)[: self.best])
        return _hops_joined(found)

    def _hop(self, here: _Reached, graph: Evidence, view: View) -> _Reached:
        """The passages to which those `here` have edges, each with the most that it gets from one of them."""
        names = [hit_id(record.document, record.key) for record in view.records(here.rows)]
        edges = [graph.neighbours(row) for row in here.rows.tolist()]
        largest = np.array([float(weight.max(initial=1)) for _, weight in edges])
        through = np.repeat(np.arange(len(edges)), [len(near) for near, _ in edges])
        rows = np.concatenate([np.zeros(0, np.int64), *(near for near, _ in edges)])
        weights = np.concatenate([np.zeros(0), *(weight.astype(np.float64) for _, weight in edges)])
        values = here.values[through] * self.share * (weights / largest[through])
        order = np.lexsort((through, -values, rows))
        order = order[np.flatnonzero(np.diff(rows[order], prepend=-1))]
        order = order[values[order] > 0]

        def tree(at: int) -> Why:
            edge = order[at]
            hit = int(through[edge])
            overlap = Why.of(
                "overlap, as a share of the largest of that passage", "ratio",
                Why(f"overlap with it, in 1/{EDGE_SCALE:,}", float(weights[edge])),
                Why("largest", float(largest[hit])),
            )  # fmt: skip
            return Why.of(
                f"through {names[hit]}", "product", here.tree(hit), Why("share", self.share), overlap
            )

        return _Reached(rows[order], values[order], tree)

    def _ranked(
        self, matches: Ranking, reached: _Reached, raised: Places, own: Places, new: Places
    ) -> Ranking:
        """The candidates, then the new ones among those that were reached."""
        count = matches.count
        through, place = np.zeros(count), np.full(count, -1)
        through[own[raised]], place[own[raised]] = reached.values[raised], raised
        more = Given("through evidence", through, lambda at: reached.tree(int(place[at])))
        before = Where(place >= 0, Applied("hops", "max", (matches.scores, more)), matches.scores)
        added = Given("through evidence", reached.values[new], lambda at: reached.tree(int(new[at])))
        column = RankingColumn.computed(Joined(before, added, count, len(new)), count + len(new))
        places = np.concatenate([matches.chosen, matches.window.places(reached.rows[new])])
        return replace(matches, places=places, columns={"hops": column}, by="hops")


@dataclass(frozen=True, slots=True)
class _Reached:
    """Passages by their rows in the view, the value of each, and its tree."""

    rows: NDArray[np.int64]
    values: Values
    tree: Callable[[int], Why]

    def keep(self, chosen: Places) -> _Reached:
        return _Reached(self.rows[chosen], self.values[chosen], lambda at: self.tree(int(chosen[at])))


def _hops_joined(parts: Sequence[_Reached]) -> _Reached:
    starts = np.cumsum([0, *(len(part.rows) for part in parts)])

    def tree(at: int) -> Why:
        part = int(np.searchsorted(starts, at, "right")) - 1
        return parts[part].tree(at - int(starts[part]))

    return _Reached(
        np.concatenate([part.rows for part in parts]), np.concatenate([part.values for part in parts]), tree
    )


_NONE = _Reached(np.zeros(0, np.int64), np.zeros(0), lambda _: Why("nothing was reached", 0.0))
