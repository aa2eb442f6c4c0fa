"""The Gaussian process: worked numbers, its limits, and the hyperparameters that it finds."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import check_grad
from scipy.stats import multivariate_normal

from asof.errors import UsageError
from asof.extensions.systems.gaussian import (
    LENGTHS,
    NOISE,
    GaussianProcess,
    _distances,
    _unlikely,
    lcb,
    matern52,
)

THREE = np.array([[0.0], [0.5], [1.0]])
LOST = np.array([0.3, 0.1, 0.4])


def test_the_kernel_at_half_a_length():
    """r = 1/2: (1 + √5/2 + 5/12) exp(-√5/2)."""
    expected = (1 + math.sqrt(5) / 2 + 5 / 12) * math.exp(-math.sqrt(5) / 2)
    assert matern52(THREE[:1], THREE[1:2], 1.0)[0, 0] == pytest.approx(expected)
    assert expected == pytest.approx(0.828649142418)


def test_each_number_can_have_a_length_of_its_own():
    """r² = (3/3)² + (4/2)²."""
    r = math.sqrt(1 + 4)
    expected = (1 + math.sqrt(5) * r + 5 * r * r / 3) * math.exp(-math.sqrt(5) * r)
    assert matern52(np.zeros((1, 2)), np.array([[3.0, 4.0]]), [3.0, 2.0])[0, 0] == pytest.approx(expected)


def test_the_posterior_of_three_losses():
    """As an independent computation and scikit-learn have it, to 1e-5."""
    model = GaussianProcess.from_hyperparameters(THREE, LOST, lengths=1.0, noise=1e-6)
    mu, sigma = model.predict([[0.25], [0.7]])
    assert mu == pytest.approx([0.155858778417, 0.180019485177], abs=1e-5)
    assert sigma == pytest.approx([0.0869925573166, 0.0807873457488], abs=1e-5)
    assert lcb(mu, sigma) == pytest.approx([-0.0181263362161, 0.0184447936793], abs=1e-5)


def test_the_lower_confidence_bound():
    mu, sigma = [0.1, 0.12, 0.3, 0.05], [0.01, 0.03, 0.14, 0.0]
    assert lcb(mu, sigma) == pytest.approx([0.1 - 0.02, 0.12 - 0.06, 0.3 - 0.28, 0.05])
    assert lcb(mu, sigma).argmin() == 2
    assert lcb(mu, sigma, 0.0).tolist() == mu


def test_the_likelihood_is_that_of_the_normal_distribution():
    model = GaussianProcess.from_hyperparameters(THREE, LOST, lengths=0.7, variance=0.5, noise=0.01)
    covariance = 0.5 * matern52(THREE, THREE, 0.7) + 0.01 * np.eye(3)
    assert model.likelihood == pytest.approx(multivariate_normal(np.zeros(3), covariance).logpdf(LOST))


def test_far_from_all_that_was_seen_the_mean_is_expected():
    model = GaussianProcess.from_hyperparameters(THREE, LOST, noise=1e-6, standardise=True)
    mu, sigma = model.predict([[1000.0]])
    assert mu[0] == pytest.approx(LOST.mean())
    assert sigma[0] == pytest.approx(LOST.std())


def test_without_noise_what_was_seen_is_known():
    mu, sigma = GaussianProcess.from_hyperparameters(THREE, LOST, noise=1e-9, standardise=True).predict(THREE)
    assert mu == pytest.approx(LOST, abs=1e-6)
    assert sigma == pytest.approx(np.zeros(3), abs=1e-4)


def test_the_same_point_twice_has_the_mean_of_both():
    mu, _ = GaussianProcess.from_hyperparameters([[0.5], [0.5]], [0.2, 0.4], noise=1e-6).predict([[0.5]])
    assert mu[0] == pytest.approx(0.3, abs=1e-5)


def test_one_loss_and_equal_losses():
    for points, losses in (([[0.3]], [0.7]), (THREE, [0.7] * 3)):
        mu, sigma = GaussianProcess.fitted(points, losses).predict([[0.1], [0.9]])
        assert mu == pytest.approx([0.7, 0.7])
        assert np.isfinite(sigma).all()


@pytest.mark.parametrize("each", [False, True])
def test_the_slope_of_the_likelihood(each):
    rng = np.random.default_rng(2)
    points, losses = rng.random((9, 3)), rng.normal(size=9)
    apart = _distances(points, points)
    apart = apart if each else apart.sum(axis=-1, keepdims=True)
    at = np.log([0.8] * apart.shape[2] + [0.02])
    gap = check_grad(
        lambda logs: _unlikely(logs, apart, losses)[0], lambda logs: _unlikely(logs, apart, losses)[1], at
    )
    assert gap < 1e-5


def test_fitting_finds_what_is_likelier_than_what_made_the_losses():
    """40 losses drawn from a process with length .4 and noise of 1 in 100."""
    rng = np.random.default_rng(7)
    points = rng.random((40, 2))
    covariance = matern52(points, points, 0.4) + 0.01 * np.eye(40)
    losses = np.linalg.cholesky(covariance) @ rng.normal(size=40)
    model = GaussianProcess.fitted(points, losses)
    scaled = losses.std() ** -2
    truth = GaussianProcess.from_hyperparameters(
        points, losses, lengths=0.4, variance=scaled, noise=0.01 * scaled, standardise=True
    )
    assert model.likelihood >= truth.likelihood
    assert 0.2 < model.lengths[0] < 0.8
    assert LENGTHS[0] <= model.lengths.min()
    assert NOISE[0] <= model.noise / model.variance <= NOISE[1]


def test_the_same_seed_finds_the_same():
    rng = np.random.default_rng(9)
    points, losses = rng.random((12, 4)), rng.random(12)
    one, other = (GaussianProcess.fitted(points, losses, seed=3) for _ in range(2))
    assert (one.lengths == other.lengths).all()
    assert one.noise == other.noise


@pytest.mark.parametrize(
    ("points", "losses"), [([], []), ([[1.0]], [1.0, 2.0]), ([[np.nan]], [1.0]), ([[1.0]], [np.inf])]
)
def test_what_is_no_loss_is_refused(points, losses):
    with pytest.raises(UsageError):
        GaussianProcess.from_hyperparameters(np.array(points).reshape(-1, 1), losses)
