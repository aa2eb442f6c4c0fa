"""Ages of passages at the moment of a question."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from asof.data import Why
from asof.index.view import View
from asof.rank.stage import Values

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

    def logs(self, among: NDArray[np.bool_]) -> Values:
        """log10(1 + age); where it is unknown, that of the middle age among some.

        Not numpy's logarithm: its last bits are not those of `math.log` in the tree.
        """
        days = np.where(self.dated, self.days, self._middle(among))
        different, which = np.unique(days, return_inverse=True)
        ten = math.log(10.0)
        return np.array([math.log(1 + day) / ten for day in different.tolist()], np.float64)[which]

    def why(self, place: int, among: NDArray[np.bool_]) -> Why:
        """The tree of one of those numbers."""
        if self.dated[place]:
            age = Why("1 + age in days", 1 + float(self.days[place]))
        else:
            age = Why("undated: 1 + the median age in days", 1 + self._middle(among))
        ten = Why.of("ln 10", "log", Why("ten", 10.0))
        return Why.of("log10(1 + age)", "ratio", Why.of("ln(1 + age)", "log", age), ten)

    def _middle(self, among: NDArray[np.bool_]) -> float:
        known = np.sort(self.days[self.dated & among])
        return float(known[len(known) // 2]) if len(known) else 0.0
