"""Freshness by whole days (Adaptive RAG for arXiv, README 1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from asof.data import Query
from asof.index.view import View
from asof.rank.expression import Constant, Given, exp, ratio
from asof.rank.features.ages import ages
from asof.rank.selections import Where
from asof.rank.stage import Ranking
from asof.rank.traits import Traits
from asof.schema import within
from asof.time.span import BEGINNING


@dataclass(frozen=True, slots=True)
class Freshness:
    """The column `freshness`: exp(-rate · days), days whole; it halves every ln 2 / rate days.

    A document is as fresh as the newest of its passages among the candidates: an edit renews it. .05 is the
    README's rate (13.9 days), its code has .01 (69.3). Undated passages get 0: no credit.
    """

    rate: float = within(0.05, 0.000_1, 1.0)
    traits: ClassVar = Traits(constants=("rate",), by_age="added")

    def __call__(self, query: Query, ranking: Ranking, view: View, /) -> Ranking:
        rows = ranking.rows
        newest, dated = self._newest(rows, view)
        days = np.floor(ages(view.as_of, newest))
        tau = ratio("1 / rate", Constant("one", 1.0), Constant("rate", self.rate, self, "rate"))
        fresh = exp("freshness", ratio("days times rate", Given("-whole days", -days), tau))
        undated = Constant("freshness: undated, no credit", 0.0)
        return ranking.with_feature("freshness", Where(dated, fresh, undated))

    def _newest(self, rows: NDArray[np.int64], view: View) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """For each row when the newest dated passage of its document became visible, and if there is one."""
        visible, dated = view.column("visible", rows), view.column("dated", rows).astype(bool)
        documents = view.documents(rows)
        newest = np.full(int(documents.max(initial=0)) + 1, BEGINNING)
        np.maximum.at(newest, documents[dated], visible[dated])
        return newest[documents], newest[documents] > BEGINNING
