"""Documents as units: one candidate for each document, scored by its passages."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from asof.data import Query, Why
from asof.index.view import View
from asof.rank.fields import within
from asof.rank.stage import Ranking


@dataclass(frozen=True, slots=True)
class ByDocument:
    """Each document stands for its best passage; its score is the sum of its best `passages` (1: the best).

    A single fact wants the best passage; a question about a whole article wants a sum.
    """

    passages: int = within(1, 1, 1_000)

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        found = ranking.matching()
        rows = found.rows
        documents = view.column("document", rows)
        order = view.tie_order(found.score, rows)
        order = order[np.argsort(documents[order], kind="stable")]
        first = np.flatnonzero(np.diff(documents[order], prepend=-1))
        size = np.diff(np.append(first, len(order)))
        total = found.score[order[first]].copy()
        for more in range(1, self.passages):
            has = size > more
            total[has] += found.score[order[first[has] + more]]
        column, scored = found.columns[found.by], rows[order]
        members = {
            int(scored[at]): scored[at : at + min(int(n), self.passages)].tolist()
            for at, n in zip(first, size, strict=True)
        } if self.passages > 1 else {}  # fmt: skip

        def why(row: int) -> Why:
            if row not in members:
                return column.why(row)
            return Why.of("document", "sum", *[column.why(member) for member in members[row]])

        grouped = found.keep(order[first])
        return grouped.with_column("document", total, why).note(
            f"{len(scored)} matching passages of {len(first)} documents; each document is shown by its best"
        )
