"""Candidates by number: all current passages, the best n, and at the end the first k of a query."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from asof.data import Query
from asof.index.view import View
from asof.rank.candidates.phrases import admitted
from asof.rank.stage import Ranking
from asof.rank.traits import Traits
from asof.schema import within


@dataclass(frozen=True, slots=True)
class Everything:
    """All current passages that pass the filters are candidates, whatever the question says."""

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        in_force = np.ones(ranking.window.n, bool)
        for part in ranking.window.parts:
            in_force[part.dead_places()] = False
        allowed = admitted(query, ranking.window, view)
        return ranking.keep(np.flatnonzero(in_force if allowed is None else in_force & allowed))


@dataclass(frozen=True, slots=True)
class Pool:
    """Keep the `n` best candidates by score (ties as everywhere)."""

    n: int = within(100, 1, 100_000)

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        near = ranking.shortlist(self.n).matching()
        best = near.keep(view.tie_order(near.score, near.rows)[: self.n])
        return best.note(f"the best {best.count:,} of {view.n:,} passages were ranked further")


@dataclass(frozen=True, slots=True)
class TopK:
    """The last stage: order by score (ties as everywhere) and keep the first k of the query."""

    traits: ClassVar = Traits(by_score=True)

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        best = ranking.shortlist(query.k)
        return best.keep(view.tie_order(best.score, best.rows)[: query.k])
