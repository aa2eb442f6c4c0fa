"""Documents as units: one candidate for each document, scored by its passages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from asof.data import Query
from asof.index.view import View
from asof.rank.expression import Expression, Values, total
from asof.rank.selections import Taken, Where
from asof.rank.stage import Ranking
from asof.rank.traits import Traits
from asof.schema import within


@dataclass(frozen=True, slots=True)
class ByDocument:
    """Each document stands for its best passage; its score is the sum of its best `passages` (1: the best).

    A single fact wants the best passage; a question about a whole article wants a sum.
    """

    passages: int = within(1, 1, 1_000)
    traits: ClassVar = Traits(by_score=True)

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        matches = ranking.matching()
        rows = matches.rows
        documents = view.documents(rows)
        if self.passages == 1:
            best = _best(matches.score, documents, rows, view)
            alone = matches.keep(best)
            note = _grouped(len(rows), len(best))
            return alone.with_column("document", alone.scores).note(note)
        order = view.tie_order(matches.score, rows)
        order = order[np.argsort(documents[order], kind="stable")]
        first = np.flatnonzero(np.diff(documents[order], prepend=-1))
        size = np.diff(np.append(first, len(order)))
        parts: list[Expression] = [Taken(matches.scores, order[first])]
        for more in range(1, min(self.passages, int(size.max(initial=0)))):
            next_best = order[np.minimum(first + more, len(order) - 1)]
            parts.append(Where(size > more, Taken(matches.scores, next_best)))
        grouped = matches.keep(order[first]).with_column("document", total("document", *parts))
        return grouped.note(_grouped(len(order), len(first)))


def _best(
    score: Values, documents: NDArray[np.int64], rows: NDArray[np.int64], view: View
) -> NDArray[np.int64]:
    """Places of the best passage of each document; only among equals the whole order of ties is asked."""
    most = np.full(int(documents.max(initial=-1)) + 1, -np.inf)
    np.maximum.at(most, documents, score)
    best = np.flatnonzero(score == most[documents])
    order = best[view.tie_order(score[best], rows[best])]
    first = np.unique(documents[order], return_index=True)[1]
    return order[first]


def _grouped(passages: int, documents: int) -> str:
    return f"{passages} matching passages of {documents} documents; each document is shown by its best"
