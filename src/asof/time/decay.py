"""Decay functions: weights by age in days, vectorised.

A decay is called with an array of ages. `offset` is the age up to which nothing decays (as in Elasticsearch's
decay functions). A negative age (a date in the future) counts as 0. An age that is NaN (undated) stays NaN:
the caller decides what undated is worth.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from asof.time.span import BEGINNING, NEVER

Ages = NDArray[np.float64]
"""Ages in days, or the weights that they give."""

DAY = 86_400_000_000
"""Microseconds in a day."""


def ages(instants: NDArray[np.int64], origin: int) -> Ages:
    """Days from each instant to `origin` (both in microseconds since 1970); negative after the origin.

    Raises ValueError when the origin is no moment (`BEGINNING`, `NEVER` or beyond).
    """
    if not BEGINNING < origin < NEVER:
        raise ValueError(f"ages are counted from a moment, not from {origin}")
    # whole numbers are subtracted before they are divided, so that whole days come out whole
    return np.asarray((np.int64(origin) - instants) / DAY, dtype=np.float64)


@dataclass(frozen=True, slots=True)
class Exponential:
    """`exp(-age / tau)`: 1 at once, 1/e after `tau` days.

    Raises ValueError unless tau > 0 and offset >= 0.
    """

    tau: float
    offset: float = 0.0

    def __post_init__(self) -> None:
        _positive("tau", self.tau)
        _not_negative("offset", self.offset)

    @classmethod
    def from_half_life(cls, days: float, offset: float = 0.0) -> Exponential:
        """The decay that is 1/2 after so many days: tau = days / ln 2."""
        _positive("days", days)
        return cls(days / math.log(2), offset)

    @property
    def half_life(self) -> float:
        """Days until the weight is 1/2."""
        return self.tau * math.log(2)

    def __call__(self, ages: Ages, /) -> Ages:
        return np.exp(-_counted(ages, self.offset) / self.tau)


@dataclass(frozen=True, slots=True)
class LinearDecay:
    """A straight line from 1 through `decay` at `scale` days, and 0 from where it meets 0.

    Raises ValueError unless scale > 0, 0 < decay < 1 and offset >= 0.
    """

    scale: float
    decay: float = 0.5
    offset: float = 0.0

    def __post_init__(self) -> None:
        _positive("scale", self.scale)
        _fraction("decay", self.decay)
        _not_negative("offset", self.offset)

    def __call__(self, ages: Ages, /) -> Ages:
        return np.maximum(1.0 - _counted(ages, self.offset) * ((1.0 - self.decay) / self.scale), 0.0)


@dataclass(frozen=True, slots=True)
class GaussianDecay:
    """A bell, `decay ** ((age / scale) ** 2)`: flat at first, `decay` at `scale` days.

    Raises ValueError unless scale > 0, 0 < decay < 1 and offset >= 0.
    """

    scale: float
    decay: float = 0.5
    offset: float = 0.0

    def __post_init__(self) -> None:
        _positive("scale", self.scale)
        _fraction("decay", self.decay)
        _not_negative("offset", self.offset)

    def __call__(self, ages: Ages, /) -> Ages:
        return np.exp(math.log(self.decay) * (_counted(ages, self.offset) / self.scale) ** 2)


@dataclass(frozen=True, slots=True)
class LogarithmicDecay:
    """`1 - log10(1 + age) / log10(1 + scale)`, 0 from `scale` days on: steep at first, then slow.

    Raises ValueError unless scale > 0 and offset >= 0.
    """

    scale: float = 10_000.0
    offset: float = 0.0

    def __post_init__(self) -> None:
        _positive("scale", self.scale)
        _not_negative("offset", self.offset)
        if math.log10(1.0 + self.scale) == 0.0:
            raise ValueError(f"scale is too small to differ from 0: {self.scale!r}")

    def __call__(self, ages: Ages, /) -> Ages:
        fallen = np.log10(1.0 + _counted(ages, self.offset)) / math.log10(1.0 + self.scale)
        return np.maximum(1.0 - fallen, 0.0)


@dataclass(frozen=True, slots=True)
class TieredDecay:
    """Steps: `values[i]` for the first `bounds[i]` that an age in whole days is below, else the last value.

    The values are multipliers (they may exceed 1). Raises ValueError unless there is one value more than
    there are bounds, the bounds are positive and rise, and the values are finite and not negative.
    """

    bounds: tuple[float, ...] = (14, 60, 180)
    values: tuple[float, ...] = (1.20, 1.10, 1.00, 0.95)

    def __post_init__(self) -> None:
        if len(self.values) != len(self.bounds) + 1:
            raise ValueError(
                f"{len(self.bounds)} bounds part {len(self.bounds) + 1} values, not {len(self.values)}"
            )
        for bound in self.bounds:
            _positive("each bound", bound)
        if any(low >= high for low, high in pairwise(self.bounds)):
            raise ValueError(f"bounds rise from each to the next: {self.bounds!r}")
        for value in self.values:
            _not_negative("each value", value)

    def __call__(self, ages: Ages, /) -> Ages:
        days = np.floor(_counted(ages, 0.0))
        tier = np.searchsorted(np.asarray(self.bounds, dtype=np.float64), days, side="right")
        return np.where(np.isnan(days), np.nan, np.asarray(self.values, dtype=np.float64)[tier])


def _counted(ages: Ages, offset: float) -> Ages:
    return np.maximum(ages - offset, 0.0)


def _positive(name: str, value: float) -> None:
    if not (math.isfinite(value) and value > 0):
        raise ValueError(f"{name} is a number above 0, not {value!r}")


def _not_negative(name: str, value: float) -> None:
    if not (math.isfinite(value) and value >= 0):
        raise ValueError(f"{name} is a number from 0 up, not {value!r}")


def _fraction(name: str, value: float) -> None:
    if not 0 < value < 1:
        raise ValueError(f"{name} is a number between 0 and 1, both excluded, not {value!r}")
