"""Singular vectors: right, and the same bits in whatever order the sums are made."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from asof.extensions.systems.lsa import (
    BITS,
    NEGLIGIBLE,
    OVERSAMPLING,
    orthonormal,
    product,
    right_vectors,
    spectrum,
    start,
)

SEEDS = st.integers(0, 2**32 - 1)
SCRIPT = """
import hashlib
import numpy as np
from scipy.sparse import random_array
from asof.extensions.systems.lsa import right_vectors
x = random_array((900, 1500), density=.02, rng=np.random.default_rng(1), format="csr")
vectors, values = right_vectors(x, 128)
print(vectors.shape, hashlib.blake2b(vectors.tobytes() + values.tobytes()).hexdigest())
"""


def matrix(seed: int, *shape: int) -> np.ndarray:
    made: np.ndarray = np.random.default_rng(seed).normal(size=shape)
    return made


@given(SEEDS, st.integers(1, 12), st.integers(1, 300), st.integers(1, 12), st.integers(-40, 40))
def test_a_product_does_not_depend_on_the_order_of_its_sums(
    seed: int, n: int, k: int, m: int, size: int
) -> None:
    a, b = matrix(seed, n, k) * 2.0**size, matrix(seed + 1, k, m)
    found = product(a, b)
    order = np.random.default_rng(seed).permutation(k)
    halves = product(np.concatenate([a, a]), b)
    assert found.tobytes() == product(np.ascontiguousarray(a[:, order]), b[order]).tobytes()
    assert found.tobytes() == halves[n:].tobytes()
    error = np.sqrt(k) * np.linalg.norm(a, axis=1)[:, None] * np.linalg.norm(b, axis=0) * 2.0**-BITS
    assert (np.abs(found - a @ b) <= 2 * error).all()


def test_a_product_with_zeros_and_with_nothing() -> None:
    assert product(np.zeros((2, 3)), np.ones((3, 2))).tolist() == [[0, 0], [0, 0]]
    assert product(np.zeros((0, 3)), np.ones((3, 2))).shape == (0, 2)
    assert product(np.zeros((2, 0)), np.zeros((0, 2))).tolist() == [[0, 0], [0, 0]]


@given(SEEDS, st.integers(0, 40), st.integers(0, 40))
def test_a_symmetric_matrix_is_its_eigenvectors_stretched(seed: int, n: int, rank: int) -> None:
    half = matrix(seed, n, rank)
    a = half @ half.T
    values, vectors = spectrum(a)
    assert (np.diff(values) >= 0).all()
    assert np.allclose(vectors * values @ vectors.T, a, atol=1e-10)
    assert np.allclose(vectors.T @ vectors, np.eye(n), atol=1e-12)


def test_equal_eigenvalues() -> None:
    values, vectors = spectrum(np.eye(5) * 3)
    assert values.tolist() == [3.0] * 5
    assert np.allclose(vectors @ vectors.T, np.eye(5))


@given(SEEDS, st.integers(1, 30), st.integers(1, 8))
def test_orthonormal_columns_span_the_same(seed: int, n: int, m: int) -> None:
    y = matrix(seed, n, m)
    y = np.concatenate([y, y[:, :1]], axis=1)  # one direction twice
    q = orthonormal(y)
    strengths = np.linalg.svd(y, compute_uv=False)
    assert q.shape == (n, min(n, m))
    condition = strengths[0] / strengths[min(n, m) - 1]
    assert np.allclose(q.T @ q, np.eye(q.shape[1]), atol=1e-6 * condition)
    again = orthonormal(q)
    assert np.allclose(again.T @ again, np.eye(q.shape[1]), atol=1e-6)
    assert np.allclose(again @ (again.T @ y), y, atol=1e-5)


@given(SEEDS, st.integers(1, 30), st.integers(1, 30), st.integers(1, 40))
def test_all_that_a_small_matrix_spans(seed: int, n: int, m: int, d: int) -> None:
    dense = matrix(seed, n, m) * (np.random.default_rng(seed).random((n, m)) < 0.4)
    vectors, values = right_vectors(csr_array(dense), d)
    expected = np.linalg.svd(dense, compute_uv=False)
    rank = int((expected**2 > 2 * NEGLIGIBLE * expected[0] ** 2).sum())
    assert vectors.shape[1] in (min(rank, d), min(rank, d) + 1)
    if min(n, rank) <= d + OVERSAMPLING:
        assert values == pytest.approx(expected[: len(values)], abs=1e-4)
    else:
        assert (values <= expected[: len(values)] * (1 + 1e-6)).all()
        assert values[0] >= 0.9 * expected[0]
    assert np.allclose(vectors.T @ vectors, np.eye(len(values)), atol=1e-6)
    if rank <= d:
        assert np.allclose(dense @ vectors @ vectors.T, dense, atol=1e-4)
    largest = vectors[np.abs(vectors).argmax(axis=0), np.arange(len(values))]
    assert (largest > 0).all()


def test_the_strongest_directions_of_a_large_matrix() -> None:
    n, m, d = 400, 300, 10
    left, right = np.linalg.qr(matrix(1, n, d))[0], np.linalg.qr(matrix(2, m, d))[0]
    strengths = 100 * 0.7 ** np.arange(d)
    dense = left * strengths @ right.T + matrix(3, n, m) * 1e-2
    vectors, values = right_vectors(csr_array(dense), d)
    _, expected, rows = np.linalg.svd(dense)
    assert values == pytest.approx(expected[:d], rel=1e-6)
    assert np.abs(vectors.T @ rows[:d].T) == pytest.approx(np.eye(d), abs=1e-4)


def test_a_matrix_without_anything() -> None:
    for shape in ((0, 0), (0, 3), (3, 0), (3, 3)):
        vectors, values = right_vectors(csr_array(shape), 4)
        assert vectors.shape == (shape[1], 0)
        assert len(values) == 0


def test_the_beginning_is_every_row_or_signs() -> None:
    assert start(3, 5).tolist() == np.eye(3).tolist()
    signs = start(1_000, 8)
    assert set(signs.ravel()) == {-1.0, 1.0}
    assert np.abs(signs.mean(axis=0)).max() < 0.1
    assert signs[0].tolist() == [1, -1, -1, -1, 1, -1, -1, -1], "the bits of the generator, for good"


@pytest.mark.slow
def test_the_same_bits_with_one_thread_and_with_two() -> None:
    found = [
        subprocess.run(
            [sys.executable, "-c", SCRIPT],
            env={**os.environ, "OPENBLAS_NUM_THREADS": threads, "OMP_NUM_THREADS": threads},
            check=True, capture_output=True, text=True,
        ).stdout
        for threads in ("1", "2")
    ]  # fmt: skip
    assert found[0].startswith("(1500, 128)")
    assert found[0] == found[1]
