"""Smooth losses over the box of `papers`, with the setting that loses least."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from asof.extensions.systems.learning import Box
from asof.extensions.systems.recipes import PAPERS

Floats = NDArray[np.float64]

BOX = Box.of(PAPERS)
START = np.array([0.4, 0.25, 0.25, 0.1, 0.5, 0.05])


@dataclass(frozen=True)
class Known:
    """A loss of settings (m, d), least at `best` (d,)."""

    best: Floats
    bowl: Callable[[Floats], Floats]

    def losses(self, x: Floats) -> Floats:
        return self.bowl(BOX.unit(x) - BOX.unit(self.best))

    def loss(self, x: ArrayLike) -> float:
        return float(self.losses(np.atleast_2d(np.asarray(x)))[0])

    def closed(self, x: ArrayLike) -> float:
        """The share of the gap between start and best that x closes."""
        return 1 - (self.loss(x) - self.loss(self.best)) / (self.loss(START) - self.loss(self.best))


def bowl(*steep: float) -> Callable[[Floats], Floats]:
    return lambda d: np.square(d) @ np.array(steep)


def valley(d: Floats) -> Floats:
    """Flat far away."""
    return np.asarray(1 - np.exp(-np.square(d).sum(axis=1) / 0.6))


def ridge(d: Floats) -> Floats:
    """Weights that stand for each other: narrow in one direction across two numbers, twice."""
    across = 2 * np.square(d[:, 0] - d[:, 1]) + 0.5 * np.square(d[:, 4] + d[:, 5])
    return np.asarray(np.square(d).sum(axis=1) + across)


def known(best: ArrayLike, shape: Callable[[Floats], Floats]) -> Known:
    return Known(BOX.project(best), shape)


KNOWN = {
    "inside": known([0.2, 0.35, 0.3, 0.15, 0.38, 0.08], bowl(1, 1, 1, 1, 1, 1)),
    "face": known([0.6, 0.1, 0.1, 0.2, 0.7, 0.02], bowl(1, 1, 1, 1, 1, 1)),
    "corner": known([0.1, 0.5, 0.1, 0.3, 0.3, 0.1], bowl(1, 1, 1, 1, 1, 1)),
    "uneven": known([0.25, 0.2, 0.4, 0.15, 0.6, 0.03], bowl(3, 1, 0.3, 1, 2, 0.2)),
    "valley": known([0.18, 0.3, 0.42, 0.1, 0.4, 0.075], valley),
    "ridge": known([0.3, 0.2, 0.3, 0.2, 0.35, 0.085], ridge),
}
