"""Latent semantic analysis: weights by formula, vectors against a plain SVD, and texts too few for one."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from asof.extensions.systems.lsa import DIMENSIONS, LsaBasis, TermLimits, fit, smooth_idf, weighed

ALL = TermLimits(least_df=1, most_df=1.0)
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


def test_which_terms_count() -> None:
    df = np.array([1, 2, 3, 9, 10])
    total = np.array([50, 5, 5, 9, 99])
    assert TermLimits().chosen(df, total, 10).tolist() == [1, 2, 3], "in 2 rows at least, in 9 of 10 at most"
    assert TermLimits(most=2).chosen(df, total, 10).tolist() == [1, 3], (
        "the frequent ones, then the smaller hash"
    )
    assert TermLimits().chosen(np.array([1, 1, 3]), np.ones(3, np.int64), 3).tolist() == [0, 1], (
        "least_df gives way first"
    )
    assert TermLimits().chosen(np.array([1, 1]), np.ones(2, np.int64), 1).tolist() == [0, 1], "then most_df"
    assert TermLimits().chosen(np.zeros(0, np.int64), np.zeros(0, np.int64), 4).tolist() == []


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


@given(TABLES, st.integers(0, 6))
def test_the_first_dimensions_only(table: list[list[int]], d: int) -> None:
    counts, terms = counted(table)
    vectors = fit(counts, terms, ALL, d).encode(counts, terms)
    assert vectors.shape == (len(table), d)
    lengths = np.linalg.norm(vectors.astype(np.float64), axis=1)
    assert all(length == 0 or length == pytest.approx(1, abs=1e-6) for length in lengths)


def test_two_dimensions_bring_texts_together_that_share_no_word() -> None:
    """mill and ferry are said together, storm and fog are: who asks for mill means ferry too."""
    counts, terms = counted(
        [[1, 1, 0, 0], [1, 1, 0, 0], [0, 1, 0, 0], [0, 0, 1, 1], [0, 0, 1, 1], [0, 0, 1, 0]]
    )
    basis = fit(counts, terms, ALL, 2)
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


def test_no_texts_at_all() -> None:
    basis = fit(csr_array((0, 0), dtype=np.int32), np.zeros(0, np.uint64))
    assert basis.components.shape == (0, DIMENSIONS)
    assert not basis.encode(csr_array(np.ones((2, 1), np.int32)), np.array([10], np.uint64)).any()


def test_what_a_basis_hardly_knows_has_no_direction() -> None:
    terms = np.array([10, 20], np.uint64)
    basis = LsaBasis(terms, np.ones(2), np.array([[1, 0], [1e-7, 0]], np.float32))
    assert basis.encode(csr_array(np.eye(2, dtype=np.int32)), terms).tolist() == [[1, 0], [0, 0]]
