"""Several hops over the evidence graph: what the best hits are corroborated by, and what that leads to.

TWE-RAG names it as future work (README 7: "Iterate over evidence graph, following Jaccard edges to find
connected facts"). A passage that an edge joins to a hit states some of what the hit states in the same words,
and something else beside it; it need not have a word of the question.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from asof.data import Query, Why
from asof.graph.evidence import Evidence
from asof.graph.overlap import SCALE
from asof.index.view import View
from asof.rank.candidates.phrases import admitted
from asof.rank.computed import Column
from asof.rank.expression import Applied, Given, Places, Values
from asof.rank.features.centrality import Centrality
from asof.rank.selections import Joined, Where
from asof.rank.stage import Ranking
from asof.rank.traits import Traits
from asof.schema import within
from asof.store.digest import hit_id

GRAPH = Centrality()


@dataclass(frozen=True, slots=True)
class EvidenceHops:
    """The column `hops`: the score, or what a passage gets through one of the `best` hits if that is more.

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
        """Whether nothing changes."""
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
        own = _places_of(reached.rows, matches.rows)
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
        return _joined(found)

    def _hop(self, here: _Reached, graph: Evidence, view: View) -> _Reached:
        """What the passages `here` have edges to, each with the most that it gets from one of them."""
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
                Why(f"overlap with it, in 1/{SCALE:,}", float(weights[edge])),
                Why("largest", float(largest[hit])),
            )  # fmt: skip
            return Why.of(
                f"through {names[hit]}", "product", here.tree(hit), Why("share", self.share), overlap
            )

        return _Reached(rows[order], values[order], tree)

    def _ranked(
        self, matches: Ranking, reached: _Reached, raised: Places, own: Places, new: Places
    ) -> Ranking:
        """The candidates, then what is new among those that were reached."""
        count = matches.count
        through, place = np.zeros(count), np.full(count, -1)
        through[own[raised]], place[own[raised]] = reached.values[raised], raised
        more = Given("through evidence", through, lambda at: reached.tree(int(place[at])))
        before = Where(place >= 0, Applied("hops", "max", (matches.scores, more)), matches.scores)
        added = Given("through evidence", reached.values[new], lambda at: reached.tree(int(new[at])))
        column = Column.computed(Joined(before, added, count, len(new)), count + len(new))
        assert matches.places is not None  # noqa: S101  they match, so they were chosen
        places = np.concatenate([matches.places, matches.window.places(reached.rows[new])])
        return replace(matches, places=places, columns={"hops": column}, by="hops")


@dataclass(frozen=True, slots=True)
class _Reached:
    """Passages by their rows in the view, what each gets, and the tree of that."""

    rows: NDArray[np.int64]
    values: Values
    tree: Callable[[int], Why]

    def keep(self, chosen: Places) -> _Reached:
        return _Reached(self.rows[chosen], self.values[chosen], lambda at: self.tree(int(chosen[at])))


def _joined(parts: Sequence[_Reached]) -> _Reached:
    starts = np.cumsum([0, *(len(part.rows) for part in parts)])

    def tree(at: int) -> Why:
        part = int(np.searchsorted(starts, at, "right")) - 1
        return parts[part].tree(at - int(starts[part]))

    return _Reached(
        np.concatenate([part.rows for part in parts]), np.concatenate([part.values for part in parts]), tree
    )


_NONE = _Reached(np.zeros(0, np.int64), np.zeros(0), lambda _: Why("nothing was reached", 0.0))


def _places_of(rows: NDArray[np.int64], among: NDArray[np.int64]) -> Places:
    """The place of each row among others; -1 where it is not."""
    if not len(among):
        return np.full(len(rows), -1)
    order = np.argsort(among)
    at = np.minimum(np.searchsorted(among[order], rows), len(among) - 1)
    places: Places = np.where(among[order][at] == rows, order[at], -1)
    return places
