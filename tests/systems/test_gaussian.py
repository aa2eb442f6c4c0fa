"""The Gaussian process: worked numbers, its limits, and the hyperparameters that it finds."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.optimize import check_grad
from scipy.stats import multivariate_normal

from asof.extensions.systems.gaussian import (
    LENGTHS,
    Floats,
    GaussianProcess,
    _squared,
    _unlikely,
    lcb,
    matern52,
)

THREE = np.array([[0.0], [0.5], [1.0]])
LOST = np.array([0.3, 0.1, 0.4])


def process(
    points: Floats, losses: Floats, *, length: float = 1.0, variance: float = 1.0, noise: float = 1e-6
) -> GaussianProcess:
    """A process with these hyperparameters, of losses as they are."""
    return GaussianProcess.of(points, losses, 0.0, 1.0, length, variance, noise)


def test_the_kernel_at_half_a_length() -> None:
    """r = 1/2: (1 + √5/2 + 5/12) exp(-√5/2)."""
    expected = (1 + math.sqrt(5) / 2 + 5 / 12) * math.exp(-math.sqrt(5) / 2)
    assert matern52(THREE[:1], THREE[1:2], 1.0)[0, 0] == pytest.approx(expected)
    assert expected == pytest.approx(0.828649142418)


def test_the_posterior_of_three_losses() -> None:
    """As an independent computation and scikit-learn have it, to 1e-5."""
    mu, sigma = process(THREE, LOST).predict(np.array([[0.25], [0.7]]))
    assert mu == pytest.approx([0.155858778417, 0.180019485177], abs=1e-5)
    assert sigma == pytest.approx([0.0869925573166, 0.0807873457488], abs=1e-5)
    assert lcb(mu, sigma) == pytest.approx([-0.0181263362161, 0.0184447936793], abs=1e-5)


def test_the_lower_confidence_bound() -> None:
    mu, sigma = np.array([0.1, 0.12, 0.3, 0.05]), np.array([0.01, 0.03, 0.14, 0.0])
    assert lcb(mu, sigma) == pytest.approx([0.1 - 0.02, 0.12 - 0.06, 0.3 - 0.28, 0.05])
    assert lcb(mu, sigma).argmin() == 2
    assert lcb(mu, sigma, 0.0).tolist() == mu.tolist()


def test_limits_of_what_is_predicted() -> None:
    scaled = (LOST - LOST.mean()) / LOST.std()
    model = GaussianProcess.of(THREE, scaled, LOST.mean(), LOST.std(), 1.0, 1.0, 1e-9)
    mu, sigma = model.predict(np.array([[1000.0]]))  # far from all that was seen
    assert (mu[0], sigma[0]) == pytest.approx((LOST.mean(), LOST.std()))
    mu, sigma = model.predict(THREE)  # without noise what was seen is known
    assert mu == pytest.approx(LOST, abs=1e-6)
    assert sigma == pytest.approx(np.zeros(3), abs=1e-4)
    twice = process(np.array([[0.5], [0.5]]), np.array([0.2, 0.4]))  # one point has the mean of both
    assert twice.predict(np.array([[0.5]]))[0][0] == pytest.approx(0.3, abs=1e-5)


@pytest.mark.parametrize("points", [[[0.3]], THREE])
def test_one_loss_and_equal_losses(points: Any) -> None:
    model = GaussianProcess.fitted(np.array(points), np.full(len(points), 0.7))
    mu, sigma = model.predict(np.array([[0.1], [0.9]]))
    assert mu == pytest.approx([0.7, 0.7])
    assert np.isfinite(sigma).all()


def test_the_slope_of_the_likelihood() -> None:
    rng = np.random.default_rng(2)
    points, losses = rng.random((9, 3)), rng.normal(size=9)
    apart = _squared(points, points)
    at = np.log([0.8, 0.02])
    gap = check_grad(
        lambda logs: _unlikely(logs, apart, losses)[0], lambda logs: _unlikely(logs, apart, losses)[1], at
    )
    assert gap < 1e-5


def test_fitting_finds_what_is_likelier_than_what_made_the_losses() -> None:
    """40 losses drawn from a process with length .4 and noise of 1 in 100."""
    rng = np.random.default_rng(7)
    points = rng.random((40, 2))
    covariance = matern52(points, points, 0.4) + 0.01 * np.eye(40)
    losses = np.linalg.cholesky(covariance) @ rng.normal(size=40)
    model = GaussianProcess.fitted(points, losses)
    standard = (losses - losses.mean()) / losses.std()
    scale = losses.std() ** -2

    def likelihood(length: float, variance: float, noise: float) -> float:
        matrix = variance * matern52(points, points, length) + noise * np.eye(40)
        return float(multivariate_normal(np.zeros(40), matrix).logpdf(standard))

    assert GaussianProcess.fitted(points, losses).length == model.length, "the same each time"
    length = model.length
    best = max(likelihood(length, model.variance, share * model.variance) for share in np.logspace(-6, 0, 61))
    assert best >= likelihood(0.4, scale, 0.01 * scale)
    assert 0.2 < length < 0.8
    assert LENGTHS[0] <= model.length
