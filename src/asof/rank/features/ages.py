"""Ages of passages at the moment of a question."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from asof.index.view import View
from asof.rank.expression import Constant, Expression, Given, Values, log, ratio
from asof.rank.selections import Where

DAY = 86_400_000_000


def ages(as_of: int, visible: NDArray[np.int64]) -> Values:
    """Ages in days, never negative."""
    return np.maximum(as_of - visible, 0).astype(np.float64) / DAY


@dataclass(frozen=True, slots=True)
class CandidateAges:
    """Ages in days of some candidates, and which of them are known."""

    days: Values
    dated: NDArray[np.bool_]

    @classmethod
    def of(cls, view: View, rows: NDArray[np.int64]) -> CandidateAges:
        """The ages of these rows as of the view."""
        return cls(ages(view.as_of, view.column("visible", rows)), view.column("dated", rows).astype(bool))

    def logs(self, among: NDArray[np.bool_]) -> Expression:
        """log10(1 + age); where it is unknown, that of the middle age among some."""
        middle = Constant("undated: 1 + the median age in days", 1 + self._middle(among))
        age = Where(self.dated, Given("1 + age in days", 1 + self.days), middle)
        return ratio("log10(1 + age)", log("ln(1 + age)", age), log("ln 10", Constant("ten", 10.0)))

    def since_newest(self, among: NDArray[np.bool_]) -> CandidateAges:
        """Ages as of the newest of some candidates; no moment of a question is in them."""
        newest = self.days[among & self.dated].min(initial=np.inf)
        return CandidateAges(np.maximum(self.days - newest, 0.0), self.dated)

    def _middle(self, among: NDArray[np.bool_]) -> float:
        known = np.sort(self.days[self.dated & among])
        return float(known[len(known) // 2]) if len(known) else 0.0
