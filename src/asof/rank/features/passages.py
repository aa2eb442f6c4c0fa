"""How much of a document is relevant to the question: coverage and volume (Adaptive RAG for arXiv, README 1).

    coverage = mean of the similarities above a threshold      volume = ln(1 + how many) / ln(1 + passages)

Each candidate gets the number of its document; all candidates count, so these stages come before any cut.
Similarities are whole numbers over 4000², so their sums are exact in any order.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from asof.data import Query, Why
from asof.index.dense import SCALE
from asof.index.view import View
from asof.rank.stage import Ranking, Values
from asof.schema import within

WHOLE = float(SCALE * SCALE)


class Counted(NamedTuple):
    """For the document of each candidate: the number of its passages among the candidates, of relevant ones,
    and the sum of their similarities (whole numbers over 4000²)."""

    passages: NDArray[np.int64]
    relevant: NDArray[np.int64]
    total: NDArray[np.int64]


def counted(documents: NDArray[np.int64], similarity: Values, above: float) -> Counted:
    """Counts by document (its number), for each candidate."""
    relevant = similarity > above
    whole = np.where(relevant, np.rint(similarity * WHOLE), 0.0)
    counts = (np.bincount(documents), np.bincount(documents, relevant), np.bincount(documents, whole))
    return Counted(*(each.astype(np.int64)[documents] for each in counts))


@dataclass(frozen=True, slots=True)
class Coverage:
    """The column `coverage`: the mean of the similarities above `above` (more than it); 0 where none is."""

    above: float = within(0.5, 0.0, 1.0)
    of: str = "similarity"

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        counts = _counted(self.of, self.above, ranking, view)
        values = counts.total / np.maximum(counts.relevant, 1) / WHOLE

        def tree(at: int) -> Why:
            if not counts.relevant[at]:
                return Why(f"coverage: no passage above {self.above:g}", 0.0)
            mean = Why.of(
                "mean", "ratio", Why("sum of the relevant products", float(counts.total[at])),
                Why("relevant passages", float(counts.relevant[at])),
            )  # fmt: skip
            return Why.of("coverage", "ratio", mean, Why("scale", WHOLE))

        return ranking.with_feature("coverage", values, tree)


@dataclass(frozen=True, slots=True)
class Volume:
    """The column `volume`: ln(1 + relevant passages) / ln(1 + passages) of the document; 0 where none is."""

    above: float = within(0.5, 0.0, 1.0)
    of: str = "similarity"

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        counts = _counted(self.of, self.above, ranking, view)
        most = int(counts.passages.max(initial=1))
        logs = np.array([math.log(1.0 + n) for n in range(most + 1)], np.float64)
        values = logs[counts.relevant] / logs[np.maximum(counts.passages, 1)]

        def tree(at: int) -> Why:
            parts = (("relevant passages", counts.relevant[at]), ("passages", max(counts.passages[at], 1)))
            return Why.of(
                "volume", "ratio",
                *[Why.of(f"ln(1 + {name})", "log", Why(f"1 + {name}", 1.0 + int(n))) for name, n in parts],
            )  # fmt: skip

        return ranking.with_feature("volume", values, tree)


def _counted(of: str, above: float, ranking: Ranking, view: View) -> Counted:
    documents = view.documents(ranking.rows)
    return counted(documents, ranking.column(of).values, above)
