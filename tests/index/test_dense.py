"""Cosines in whole numbers: equal to integer arithmetic bit for bit, in any window."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.index.made import row, segmented

from asof.index.segment import Prefix
from asof.index.vectors import VECTOR_SCALE, cosines, quantise
from asof.store.writing import EndRow


def unit(random: np.random.Generator, n: int, d: int) -> np.ndarray:
    vectors = random.normal(size=(n, d))
    unit_: np.ndarray = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    return unit_


@given(
    st.integers(0, 12), st.integers(1, 40), st.integers(0, 2**32 - 1), st.integers(1, 5),
    st.none() | st.integers(0, 12), st.none() | st.integers(0, 12),
)  # fmt: skip
def test_products_are_those_of_whole_numbers(
    n: int, d: int, seed: int, at_once: int, first: int | None, last: int | None
) -> None:
    random = np.random.default_rng(seed)
    vectors, query = quantise(unit(random, n, d)), quantise(unit(random, 1, d))[0]
    half = n // 2
    groups = [
        ([row(at + 1, "a", at) for at in range(half)], [EndRow(n, 0, 0)]),
        ([row(at + 1, "a", at) for at in range(half, n)], []),
    ]
    with segmented(*groups, vectors=[vectors[:half], vectors[half:]]) as segments:
        window = Prefix.of(segments, 100).window(first, last)
        found = cosines(window, query, at_once=at_once)
        products = np.maximum(vectors.astype(np.int64) @ query.astype(np.int64), 0)
        products[n - 1 :] = 0  # the last one had ended
        inside = [at for at in range(n) if (first is None or at >= first) and (last is None or at <= last)]
        assert found.tolist() == [products[at] / float(VECTOR_SCALE * VECTOR_SCALE) for at in inside]


def test_whole_numbers_of_unit_vectors() -> None:
    assert quantise(np.array([[1.0, -1.0 / VECTOR_SCALE * 0.4]], np.float32)).tolist() == [[VECTOR_SCALE, 0]]
    assert quantise(np.zeros((0, 3), np.float32)).shape == (0, 3)
    with pytest.raises(ValueError, match="unit length"):
        quantise(np.array([[1.0, 1.0]], np.float32))
