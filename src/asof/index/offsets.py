"""Stretches of unequal lengths that lie one after another in an array, and places in ascending ones."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


def offsets(lengths: Sequence[int] | NDArray[np.int64]) -> NDArray[np.int64]:
    """Where stretches of these lengths (n) begin, one after another, and where the last one ends (n + 1)."""
    out = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=out[1:])
    return out


def stretches(begin: NDArray[np.int64], lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """The places of all elements of the stretches that begin at `begin` and are so long, in order."""
    before = offsets(lengths)
    return np.repeat(begin - before[:-1], lengths) + np.arange(before[-1])


def placed(ascending: NDArray[np.int32], *numbers: int) -> list[int]:
    """Where numbers stand in an ascending array: before equal ones.

    As numbers of its own type: numpy makes a copy of all of an array to compare it with those of another.
    """
    found: list[int] = np.searchsorted(ascending, np.array(numbers, ascending.dtype)).tolist()
    return found
