"""Latent semantic analysis: singular vectors, weights by formula, vectors against a plain SVD, few texts."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from asof.extensions.systems.lsa import (
    DIMENSIONS,
    NEGLIGIBLE,
    OVERSAMPLING,
    LatentLimits,
    LsaBasis,
    fit,
    right_vectors,
    smooth_idf,
    start,
    weighed,
)

# -- singular vectors ------------------------------------------------------------------------------


SEEDS = st.integers(0, 2**32 - 1)


def matrix(seed: int, *shape: int) -> np.ndarray:
    made: np.ndarray = np.random.default_rng(seed).normal(size=shape)
    return made


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


@pytest.mark.parametrize("shape", [(0, 0), (0, 3), (3, 0), (3, 3)])
def test_a_matrix_without_anything(shape: tuple[int, int]) -> None:
    vectors, values = right_vectors(csr_array(shape), 4)
    assert (vectors.shape, len(values)) == ((shape[1], 0), 0)


def test_the_strongest_directions_of_a_large_matrix() -> None:
    n, m, d = 400, 300, 10
    left, right = np.linalg.qr(matrix(1, n, d))[0], np.linalg.qr(matrix(2, m, d))[0]
    strengths = 100 * 0.7 ** np.arange(d)
    dense = left * strengths @ right.T + matrix(3, n, m) * 1e-2
    vectors, values = right_vectors(csr_array(dense), d)
    _, expected, rows = np.linalg.svd(dense)
    assert values == pytest.approx(expected[:d], rel=1e-6)
    assert np.abs(vectors.T @ rows[:d].T) == pytest.approx(np.eye(d), abs=1e-4)


def test_the_beginning_is_every_row_or_signs() -> None:
    assert start(3, 5).tolist() == np.eye(3).tolist()
    signs = start(1_000, 8)
    assert set(signs.ravel()) == {-1.0, 1.0}
    assert np.abs(signs.mean(axis=0)).max() < 0.1
    assert signs[0].tolist() == [1, -1, -1, -1, 1, -1, -1, -1], "the bits of the generator, for good"


# -- weights by formula, vectors against a plain SVD, and texts too few for either -----------------


ALL = LatentLimits(least_df=1, most_df=1.0)
TABLES = st.integers(1, 7).flatmap(
    lambda m: st.lists(st.lists(st.integers(0, 3), min_size=m, max_size=m), min_size=1, max_size=9)
)


def counted(table: list[list[int]]) -> tuple[csr_array, np.ndarray]:
    """Counts and the hashes 10, 20, … of their terms."""
    dense = np.array(table, np.int32)
    return csr_array(dense), np.arange(1, dense.shape[1] + 1, dtype=np.uint64) * np.uint64(10)


def test_weights_of_terms() -> None:
    idf = smooth_idf(3, np.array([1, 3, 1]))
    assert idf.tolist() == [math.log(4 / 2) + 1, math.log(4 / 4) + 1, math.log(4 / 2) + 1]
    weights = weighed(csr_array(np.array([[2, 1, 0], [0, 0, 0]])), idf).toarray()
    a, b = 2 * (math.log(2) + 1), 1.0
    assert weights[0] == pytest.approx([a / math.hypot(a, b), b / math.hypot(a, b), 0], rel=1e-7)
    assert weights[1].tolist() == [0, 0, 0]


@pytest.mark.parametrize(
    ("limits", "df", "total", "n", "chosen"),
    [
        # in 2 rows at least, in 9 of 10 at most
        (LatentLimits(), [1, 2, 3, 9, 10], [50, 5, 5, 9, 99], 10, [1, 2, 3]),
        # the frequent ones, then the smaller hash
        (LatentLimits(most=2), [1, 2, 3, 9, 10], [50, 5, 5, 9, 99], 10, [1, 3]),
        (LatentLimits(), [1, 1, 3], [1, 1, 1], 3, [0, 1]),  # least_df gives way first
        (LatentLimits(), [1, 1], [1, 1], 1, [0, 1]),  # then most_df
        (LatentLimits(), [], [], 4, []),
    ],
)
def test_which_terms_count(
    limits: LatentLimits, df: list[int], total: list[int], n: int, chosen: list[int]
) -> None:
    assert limits.chosen(np.array(df, np.int64), np.array(total, np.int64), n).tolist() == chosen


@given(TABLES)
def test_cosines_are_those_of_a_plain_svd(table: list[list[int]]) -> None:
    counts, terms = counted(table)
    basis = fit(counts, terms, ALL)
    assert basis.components.shape == (len(basis.terms), DIMENSIONS)
    vectors = basis.encode(counts, terms).astype(np.float64)
    used = np.array(table)[:, np.isin(terms, basis.terms)]
    weights = used * basis.idf
    length = np.linalg.norm(weights, axis=1, keepdims=True)
    weights = np.divide(weights, length, out=np.zeros_like(weights), where=length > 0)
    _, _, rows = np.linalg.svd(weights, full_matrices=False)
    plain = weights @ rows.T
    assert vectors @ vectors.T == pytest.approx(plain @ plain.T, abs=1e-5)


def test_two_dimensions_bring_texts_together_that_share_no_word() -> None:
    """mill and ferry are said together, storm and fog are: who asks for mill means ferry too."""
    counts, terms = counted(
        [[1, 1, 0, 0], [1, 1, 0, 0], [0, 1, 0, 0], [0, 0, 1, 1], [0, 0, 1, 1], [0, 0, 1, 0]]
    )
    basis = fit(counts, terms, LatentLimits(2, least_df=1, most_df=1.0))
    question = basis.question(np.array([10], np.uint64), np.ones(1))
    cosines = basis.encode(counts, terms) @ question
    assert cosines == pytest.approx([1, 1, 1, 0, 0, 0], abs=1e-5)


def test_a_question() -> None:
    counts, terms = counted([[1, 1, 0], [0, 1, 1], [2, 0, 1]])
    basis = fit(counts, terms, ALL)
    vectors = basis.encode(counts, terms)
    asked = basis.question(np.array([30, 77, 10], np.uint64), np.array([1.0, 5.0, 2.0]))
    assert asked == pytest.approx(vectors[2], abs=1e-6), (
        "an unknown word does not count, order does not matter"
    )
    assert not basis.question(np.array([77], np.uint64), np.ones(1)).any()
    assert not basis.question(np.zeros(0, np.uint64), np.zeros(0)).any()


@given(TABLES)
def test_a_text_is_encoded_alone_as_among_others(table: list[list[int]]) -> None:
    counts, terms = counted(table)
    basis = fit(counts, terms, ALL)
    together = basis.encode(counts, terms)
    alone = [basis.encode(counts[[row]], terms)[0] for row in range(len(table))]
    assert together.tobytes() == b"".join(vector.tobytes() for vector in alone)
    wider = csr_array(np.insert(np.array(table), 0, 9, axis=1))
    assert together.tobytes() == basis.encode(wider, np.insert(terms, 0, 5)).tobytes(), "a term unknown to it"


@pytest.mark.parametrize("table", [[[1]], [[3, 1]], [[0, 0], [1, 1]], [[1, 1], [1, 1], [1, 1]], [[0]], [[]]])
def test_very_few_texts(table: list[list[int]]) -> None:
    counts, terms = counted(table)
    basis = fit(counts, terms)
    vectors = basis.encode(counts, terms)
    said = np.array(table).sum(axis=1) > 0
    assert vectors.shape == (len(table), DIMENSIONS)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(said.astype(float))


def test_what_a_basis_hardly_knows_has_no_direction() -> None:
    terms = np.array([10, 20], np.uint64)
    basis = LsaBasis(terms, np.ones(2), np.array([[1, 0], [1e-7, 0]], np.float32))
    assert basis.encode(csr_array(np.eye(2, dtype=np.int32)), terms).tolist() == [[1, 0], [0, 0]]
