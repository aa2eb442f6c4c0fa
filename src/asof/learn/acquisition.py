"""Which setting to try next: where the lower confidence bound of a Gaussian process is lowest."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from asof.learn.box import Box
from asof.learn.gaussian import GaussianProcess, lcb

KAPPA = 2.0

SPREAD = 400
"""Settings that are sampled from the whole box."""

NEAR = 30
"""Settings around each that is refined."""

REFINED = 4
"""How many of the most promising settings are refined, each by itself."""

STEPS = (0.1, 0.05, 0.02, 0.01, 0.005, 0.002)
"""Standard deviations of the steps of refinement, as shares of a number's range."""

Floats = NDArray[np.float64]


def lowest(
    model: GaussianProcess, box: Box, around: Floats, rng: np.random.Generator, kappa: float = KAPPA
) -> Floats:
    """The setting (d,) with the lowest bound, of a sample of the box and of settings near `around` (c, d).

    `model` has its points in units of `Box.unit`. The result can be a setting of `around` itself.
    """

    def bounds(points: Floats) -> Floats:
        return lcb(*model.predict(box.unit(points)), kappa)

    points = np.concatenate([box.sample(rng, SPREAD), around, near(box, around, STEPS[0], rng)])
    best = points[np.argsort(bounds(points), kind="stable")[:REFINED]]
    for step in STEPS:
        moved = near(box, best, step, rng).reshape(len(best), NEAR, -1)
        groups = np.concatenate([best[:, None], moved], axis=1)
        values = bounds(groups.reshape(-1, len(box))).reshape(groups.shape[:2])
        best = groups[np.arange(len(best)), values.argmin(axis=1)]
    return np.asarray(best[bounds(best).argmin()])


def near(box: Box, around: Floats, step: float, rng: np.random.Generator) -> Floats:
    """Feasible settings (c · NEAR, d), in normal steps from each of (c, d)."""
    moves = rng.normal(0.0, step, (len(around), NEAR, len(box))) * (box.high - box.low)
    return box.project((around[:, None] + moves).reshape(-1, len(box)))
