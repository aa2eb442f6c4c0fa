"""Stretches of unequal lengths that lie one after another in an array."""

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
