"""How long what passages state stays current: an exponential fit to lifetimes of which many have not ended.

With d ends in E days that passages were current, all together, the likelihood of the rate r is
r^d exp(-r E) (Kalbfleisch and Prentice, The Statistical Analysis of Failure Time Data, 2002, section 3.2):
passages that are still current count in E alone. Its maximum is r = d / E, the half-life ln 2 / r. ln r has
about the standard error 1 / sqrt(d); since the passages of a document end together, that of whole documents
is taken where it is larger (the sandwich: the root of the sum of (d_i - r E_i)² over documents, by d).
Without any end d counts as 1/2 (Jeffreys' prior), so that a kind that never changes has a half-life, with a
wide interval.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

NORMAL_95 = 1.959_963_984_540_054
NO_END = 0.5


@dataclass(frozen=True, slots=True)
class Lifetimes:
    """n passages: for how many `days` each was, or has been, current, whether that `ended`, and the number of
    its `document`, from 0 on."""

    days: NDArray[np.float64]
    ended: NDArray[np.bool_]
    document: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.days)

    def of(self, which: NDArray[np.bool_] | NDArray[np.int64]) -> Lifetimes:
        """Some of the passages: a mask, or their places."""
        return Lifetimes(self.days[which], self.ended[which], self.document[which])


@dataclass(frozen=True, slots=True)
class HalfLife:
    """A half-life in days with its 95 % interval, how many `passages` and `ends` it is from, the `exposure`
    in days, and the share that is `current` at that age without the exponential assumption (Kaplan and Meier
    1958; near 1/2 where it fits; None where no passage was followed for so long)."""

    days: float
    low: float
    high: float
    passages: int
    ends: int
    exposure: float
    current: float | None

    @property
    def log_rate(self) -> float:
        """ln of ends a day."""
        return math.log(math.log(2) / self.days)

    @property
    def error(self) -> float:
        """The standard error of `log_rate`."""
        return math.log(self.high / self.days) / NORMAL_95


def half_life(lifetimes: Lifetimes) -> HalfLife | None:
    """The half-life of these passages; None where none was current for any time."""
    exposure = math.fsum(lifetimes.days.tolist())
    if exposure <= 0.0:
        return None
    ends = int(lifetimes.ended.sum())
    rate = max(ends, NO_END) / exposure
    error = 1 / math.sqrt(max(ends, NO_END))
    if ends:
        # in an order of their own: that of rows tells which segments there are, and shows in the last bit
        order = np.lexsort((lifetimes.days, lifetimes.document))
        document, ended = lifetimes.document[order], lifetimes.ended[order]
        each = np.bincount(document, ended) - rate * np.bincount(document, lifetimes.days[order])
        error = max(error, math.sqrt(math.fsum((each**2).tolist())) / ends)
    days, factor = math.log(2) / rate, math.exp(NORMAL_95 * error)
    return HalfLife(
        days, days / factor, days * factor, len(lifetimes), ends, exposure, still_current(lifetimes, days)
    )


def still_current(lifetimes: Lifetimes, days: float) -> float | None:
    """The share that is current after so many days, by Kaplan and Meier: the product of 1 - 1 / (passages
    that are as old) over all ends until then. None beyond the longest lifetime."""
    if not len(lifetimes) or days > lifetimes.days.max():
        return None
    order = np.lexsort((~lifetimes.ended, lifetimes.days))
    ended = lifetimes.ended[order] & (lifetimes.days[order] <= days)
    at_risk = len(order) - np.arange(len(order))
    return float(np.prod(np.where(ended, 1 - 1 / at_risk, 1.0)))


def apart(one: HalfLife, other: HalfLife) -> float:
    """By how many standard errors the logarithms of two rates differ."""
    return abs(one.log_rate - other.log_rate) / math.hypot(one.error, other.error)
