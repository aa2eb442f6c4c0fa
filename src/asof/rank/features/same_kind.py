"""Whether the passages of a tie group are of one kind: editions, versions, results, turns of a talk."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from asof.graph.succession import succession
from asof.index.view import View
from asof.rank.features.similarity import jaccard_similarity
from asof.rank.stage import Ranking

EXAMINED = 24
"""The number of best passages of a tie group that are examined."""

SAME_WORDS = 0.4
"""The smallest Jaccard similarity of words of texts of one kind."""


def same_kind_share(ranking: Ranking, near: NDArray[np.bool_], view: View, examined: int = EXAMINED) -> float:
    """The share of passages of a tie group (`near`) that belong to a series (`asof.graph.succession`) or
    share their title (figures apart) or most words with another one of another date; 0 for a single passage.

    Only the best `examined` of the group are read.
    """
    places = np.flatnonzero(near)
    rows = ranking.rows
    best = places[view.tie_order(ranking.score[places], rows[places])[:examined]]
    if len(best) < 2:
        return 0.0
    chosen = rows[best]
    linked = succession(view).in_series(chosen)
    if linked.all():
        return 1.0
    visible = view.column("visible", chosen)
    apart = visible[:, None] != visible[None, :]
    groups = view.titles(chosen).group_of
    same = (groups[:, None] == groups[None, :]) & (groups != 0)
    if not (same & apart).any(axis=1).all():
        same |= jaccard_similarity(view, chosen).values >= SAME_WORDS
    return float((linked | (same & apart).any(axis=1)).mean())
