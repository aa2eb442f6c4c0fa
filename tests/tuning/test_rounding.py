"""Rounded settings stay where settings may lie."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from asof.learn.box import Box
from asof.papers.recipe import PAPERS
from asof.tuning.rounding import rounded

BOX = Box.of(PAPERS)


@given(st.integers(0, 10_000))
@settings(max_examples=60)
def test_few_digits_inside_the_box_with_the_sum(seed: int) -> None:
    x = BOX.sample(np.random.default_rng(seed), 1)[0]
    found = rounded(BOX, x)
    assert BOX.contains(found)
    assert np.abs(found - x).max() < 0.005
    assert all(len(f"{value:.10g}".lstrip("0.")) <= 3 for value in found.tolist())


def test_what_rounding_takes_goes_where_there_is_room() -> None:
    # .6 is at its bound and .1 at its: of .2004 + .0996 the sum stays .3
    found = rounded(BOX, [0.6, 0.1, 0.2004, 0.0996, 0.50049, 0.012345])
    assert found.tolist() == pytest.approx([0.6, 0.1, 0.2, 0.1, 0.5, 0.0123])


def test_other_totals_and_bounds_of_more_digits() -> None:
    box = Box(("a", "b", "c"), np.array([0.12345, 0, -1]), np.array([10.0, 20, 1]), (0, 1), 12.34567)
    # a total of two digits before the point has one behind it: 12.2; what is left, 12.34567 - 12.2 - .12345 =
    # .02222, goes to the number with more room
    found = rounded(box, [0.12345, 12.22222, 0.0])
    assert box.contains(found)
    assert found.tolist() == pytest.approx([0.14567, 12.2, 0.0])


def test_large_and_small_numbers_keep_three_digits() -> None:
    box = Box(("a", "b"), np.array([1.0, 1e-5]), np.array([1e5, 1.0]))
    assert rounded(box, [12_345.6, 0.000123456]).tolist() == pytest.approx([12_300, 0.000123])
