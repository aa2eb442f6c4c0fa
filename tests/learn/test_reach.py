"""What is said to be out of reach is never among the first, whatever the weights."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from asof.learn.box import Box
from asof.learn.reach import corners, reached

SUMMED = Box(
    ("a", "b", "c", "d"), np.array([0.1, 0.1, 0.0, 0.5]), np.array([0.6, 0.5, 0.5, 2.0]), (0, 1, 2), 1.0
)


def test_corners_of_a_sum_and_a_free_number() -> None:
    # a + b + c = 1: two of the three at an end, the third what is left, if it is within its bounds:
    # (.6, .1, .3), (.1, .5, .4), (.4, .1, .5), (.6, .4, 0), (.5, .5, 0), (.1, .4, .5); d is .5 or 2
    found = corners(SUMMED, [0, 1, 2, 3])
    assert found is not None
    points = {tuple(round(value, 9) for value in row) for row in found.tolist()}
    three = [
        (0.6, 0.1, 0.3),
        (0.1, 0.5, 0.4),
        (0.4, 0.1, 0.5),
        (0.6, 0.4, 0.0),
        (0.5, 0.5, 0.0),
        (0.1, 0.4, 0.5),
    ]
    assert points == {(*each, d) for each in three for d in (0.5, 2.0)}


def test_too_many_corners_are_none() -> None:
    wide = Box(tuple(f"w{at}" for at in range(9)), np.zeros(9), np.ones(9))
    assert corners(wide, list(range(9))) is None
    found = corners(wide, list(range(8)))
    assert found is not None
    assert found.shape == (256, 8)


@given(st.integers(0, 10_000), st.integers(1, 6))
@settings(max_examples=60)
def test_no_setting_ranks_what_is_out_of_reach_among_the_first(seed: int, k: int) -> None:
    rng = np.random.default_rng(seed)
    columns = rng.random((60, 4)) ** rng.uniform(0.5, 3.0, 4)
    weights = corners(SUMMED, [0, 1, 2, 3])
    assert weights is not None
    ends = columns @ weights.T
    alive = reached(ends, ends, k)
    scores = SUMMED.sample(rng, 40) @ columns.T
    first = np.argsort(-scores, axis=1)[:, :k]
    assert alive[first].all()
    assert k <= alive.sum()


def test_one_that_is_behind_k_others_everywhere_is_out() -> None:
    # three scores at two corners; the third is behind both others at both
    scores = np.array([[3.0, 1.0], [2.0, 2.0], [1.0, 0.5]])
    assert reached(scores, scores, 2).tolist() == [True, True, False]
    assert reached(scores, scores, 3).tolist() == [True, True, True]
    # where its upper end comes up to theirs it stays
    high = scores + np.array([[0.0], [0.0], [1.5]])
    assert reached(scores, high, 2).tolist() == pytest.approx([True, True, True])
