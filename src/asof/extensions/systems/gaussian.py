"""A Gaussian process with a Matérn 5/2 kernel: the expected losses of settings that were not evaluated.

    k(x, x') = s² (1 + √5 r + 5 r² / 3) exp(-√5 r) · r² = sum over j of (x_j - x'_j)² / l²

(Rasmussen and Williams 2006, sections 2.2, 4.2 and 5.4.) The length scale l and the share of noise are those
of the largest marginal likelihood; the variance s² for them has a closed form. A setting is then as promising
as its lower confidence bound mu - kappa sigma is low (Srinivas and others 2010).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from asof.extensions.systems.learning import Box
from asof.plugins import scipy

# -- the process -----------------------------------------------------------------------------------


LENGTHS = (0.1, 10.0)
"""Bounds of the length scale, in ranges of a number (`Box.unit`): a shorter one is as good as noise."""

NOISE = (1e-6, 1.0)
"""Bounds of the variance of the noise, as a share of that of the losses."""

STARTS = ((1.0, 1e-4), (0.4, 1e-2))
"""Length scale and noise from which the likelihood is maximised, besides random ones."""

JITTER = 1e-10
STEPS = 60

Floats = NDArray[np.float64]


def lcb(mu: Floats, sigma: Floats, kappa: float = 2.0) -> Floats:
    """The lower confidence bound: mu - kappa · sigma."""
    return mu - kappa * sigma


def matern52(a: Floats, b: Floats, length: float) -> Floats:
    """The kernel (n, m) with variance 1 of points (n, d) and (m, d)."""
    return _correlation(_squared(a, b) * length**-2.0)


@dataclass(frozen=True, slots=True)
class GaussianProcess:
    """Losses as a Gaussian process, given those of some points.

    `points` (n, d), `length` l, and `variance` s² in units of the standardised losses:
    (loss - mean) / scale.
    """

    points: Floats
    length: float
    variance: float
    mean: float
    scale: float
    _alpha: Floats
    _half: Floats  # the inverse of the lower Cholesky factor of the covariance

    @classmethod
    def of(
        cls, x: Floats, y: Floats, mean: float, scale: float, length: float, variance: float, noise: float
    ) -> Self:
        """With these hyperparameters and the variance of the noise, of standardised losses y (n,) of points
        x (n, d)."""
        covariance = variance * matern52(x, x, length) + (noise + JITTER * variance) * np.eye(len(x))
        half = _inverse_half(covariance)
        return cls(x, length, variance, mean, scale, half.T @ (half @ y), half)

    @classmethod
    def fitted(cls, x: Floats, losses: Floats, *, seed: int = 0) -> Self:
        """With the hyperparameters of the largest marginal likelihood, of losses (n,) of points x (n, d). The
        losses are standardised. One random start, drawn with `seed`, joins STARTS."""
        minimize = scipy("optimize").minimize

        mean, scale = float(losses.mean()), float(losses.std())
        # the deviation of equal losses is rounding alone: it is no scale
        scale = scale if scale > 1e-12 * max(1.0, abs(mean)) else 1.0
        y = (losses - mean) / scale
        apart = _squared(x, x)
        bounds = np.log([LENGTHS, NOISE])
        rng = np.random.default_rng(seed)
        begins = [np.log([length, noise]) for length, noise in STARTS]
        begins.append(rng.uniform(bounds[:, 0], bounds[:, 1]))
        options = {"maxiter": STEPS}
        results = [
            minimize(_unlikely, begin, (apart, y), "L-BFGS-B", True, bounds=bounds, options=options)
            for begin in begins
        ]
        best = min(results, key=lambda result: float(result.fun))
        length, share = np.exp(np.clip(best.x, bounds[:, 0], bounds[:, 1])).tolist()
        variance = _variance(_correlation(apart * length**-2.0), share, y)
        return cls.of(x, y, mean, scale, length, variance, share * variance)

    def predict(self, points: Floats) -> tuple[Floats, Floats]:
        """Mean and standard deviation (m,) of the loss itself, without noise, at points (m, d)."""
        across = self.variance * matern52(points, self.points, self.length)
        mu = self.mean + self.scale * (across @ self._alpha)
        left = self.variance - np.square(across @ self._half.T).sum(axis=1)
        return mu, self.scale * np.sqrt(np.maximum(left, 0.0))


def _squared(a: Floats, b: Floats) -> Floats:
    """The squared distances (n, m) of points (n, d) and (m, d)."""
    return np.asarray(np.square(a[:, None, :] - b[None, :, :]).sum(axis=-1))


def _correlation(squared: Floats) -> Floats:
    """The kernel of squared distances in units of the length scale."""
    root = np.sqrt(5 * squared)
    return np.asarray((1 + root + root**2 / 3) * np.exp(-root))


def _inverse_half(covariance: Floats) -> Floats:
    solve_triangular = scipy("linalg").solve_triangular

    half = np.linalg.cholesky(covariance)
    return np.asarray(solve_triangular(half, np.eye(len(half)), lower=True, check_finite=False))


def _variance(correlation: Floats, share: float, y: Floats) -> float:
    """The most likely s² where the noise is `share` of it."""
    half = _inverse_half(correlation + (share + JITTER) * np.eye(len(y)))
    return max(float(np.square(half @ y).mean()), 1e-12)


def _unlikely(logs: Floats, apart: Floats, y: Floats) -> tuple[float, Floats]:
    """Minus the logarithm of the marginal likelihood, but for a constant, and its gradient.

    `logs` are those of the length scale and of the share of noise; `apart` (n, n): squared distances.
    With R the correlation and noise, s² = y' R⁻¹ y / n, and what is left is n/2 ln s² + 1/2 ln |R|.
    """
    n, share = len(y), math.exp(logs[1])
    squared = apart * math.exp(-2 * logs[0])
    half = _inverse_half(_correlation(squared) + (share + JITTER) * np.eye(n))
    inverse = half.T @ half
    alpha = inverse @ y
    variance = max(float(y @ alpha) / n, 1e-12)
    value = 0.5 * n * math.log(variance) - float(np.log(np.diag(half)).sum())
    pull = np.outer(alpha, alpha) / variance - inverse
    root = np.sqrt(5 * squared)
    slope = pull * ((5 / 3) * (1 + root) * np.exp(-root))
    return value, -0.5 * np.array([(slope * squared).sum(), share * np.trace(pull)])


# -- the setting to try next -----------------------------------------------------------------------


KAPPA = 2.0

SPREAD = 400
"""Settings that are sampled from the whole box."""

NEAR = 30
"""Settings around each that is refined."""

REFINED = 4
"""The number of most promising settings that are refined, each by itself."""

ACQUISITION_STEPS = (0.1, 0.05, 0.02, 0.01, 0.005, 0.002)
"""Standard deviations of the steps of refinement, as shares of a number's range."""


def lowest(
    model: GaussianProcess, box: Box, around: Floats, rng: np.random.Generator, kappa: float = KAPPA
) -> Floats:
    """The setting (d,) with the lowest bound, of a sample of the box and of settings near `around` (c, d).

    `model` has its points in units of `Box.unit`. The result can be a setting of `around` itself.
    """

    def bounds(points: Floats) -> Floats:
        return lcb(*model.predict(box.unit(points)), kappa)

    points = np.concatenate([box.sample(rng, SPREAD), around, near(box, around, ACQUISITION_STEPS[0], rng)])
    best = points[np.argsort(bounds(points), kind="stable")[:REFINED]]
    for step in ACQUISITION_STEPS:
        moved = near(box, best, step, rng).reshape(len(best), NEAR, -1)
        groups = np.concatenate([best[:, None], moved], axis=1)
        values = bounds(groups.reshape(-1, len(box))).reshape(groups.shape[:2])
        best = groups[np.arange(len(best)), values.argmin(axis=1)]
    return np.asarray(best[bounds(best).argmin()])


def near(box: Box, around: Floats, step: float, rng: np.random.Generator) -> Floats:
    """Feasible settings (c · NEAR, d), in normal steps from each of (c, d)."""
    moves = rng.normal(0.0, step, (len(around), NEAR, len(box))) * (box.high - box.low)
    return box.project((around[:, None] + moves).reshape(-1, len(box)))
