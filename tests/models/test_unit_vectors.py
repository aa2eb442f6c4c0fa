"""Numbers of models become vectors of unit length, or are refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from asof.errors import ModelError
from asof.index.vectors import quantise
from asof.models.encoders import around_blanks, unit


def test_unit_length() -> None:
    # 3² + 4² = 5²
    assert unit(np.array([[3.0, 4.0], [0.0, -2.0]]), "m").tolist() == [
        [np.float32(0.6), np.float32(0.8)],
        [0.0, -1.0],
    ]
    assert unit(np.zeros((0, 7)), "m").shape == (0, 7)


@given(arrays(np.float32, (5, 6), elements=st.floats(-1e6, 1e6, width=32, allow_subnormal=False)))
def test_a_row_is_computed_from_itself_alone(numbers: np.ndarray) -> None:
    numbers[:, 0] += np.float32(2e6)  # no row without a direction
    together = unit(numbers, "m")
    assert together.dtype == np.float32
    for at in range(5):
        assert (unit(numbers[at : at + 1], "m")[0] == together[at]).all()
    assert np.abs((together.astype(np.float64) ** 2).sum(axis=1) - 1).max() < 1e-6
    quantise(together)  # accepted


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_numbers_that_are_not_finite(bad: float) -> None:
    with pytest.raises(ModelError, match="the mill gives numbers that are not finite"):
        unit(np.array([[1.0, bad]]), "the mill")


def test_a_vector_without_a_direction() -> None:
    with pytest.raises(ModelError, match="without a direction"):
        unit(np.array([[1.0, 0.0], [0.0, 0.0]]), "m")


def test_too_many_dimensions() -> None:
    with pytest.raises(ModelError, match=r"8,193 dimensions; up to 8,192 are used"):
        unit(np.ones((1, 8_193)), "m")


def lengths(texts: list[str]) -> np.ndarray:
    return np.array([[len(text), 1.0] for text in texts], np.float32)


def test_blank_texts_are_like_nothing() -> None:
    assert around_blanks(["ab", " \n", "abc", ""], lengths, None).tolist() == [[2, 1], [0, 0], [3, 1], [0, 0]]
    assert around_blanks(["", " "], lengths, 2).tolist() == [[0, 0], [0, 0]]
    assert around_blanks(["", " "], lengths, None).tolist() == [[0, 0], [0, 0]]  # asked for "."
    assert around_blanks([], lengths, None).shape == (0, 2)


def test_numbers_whose_length_is_none_are_refused():
    """(1e300)² is no number: numpy's warning about it would fail this test."""
    with pytest.raises(ModelError, match="without a direction"):
        unit(np.array([[1e300, 1e300]]), "it")
