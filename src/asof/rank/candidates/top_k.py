"""The last stage: the first k, in order."""

from __future__ import annotations

from dataclasses import dataclass

from asof.data import Query
from asof.index.view import View
from asof.rank.stage import Ranking


@dataclass(frozen=True, slots=True)
class TopK:
    """Order by score (ties as everywhere) and keep the first k of the query."""

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        best = ranking.shortlist(query.k)
        return best.keep(view.tie_order(best.score, best.rows)[: query.k])
