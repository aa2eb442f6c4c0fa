"""nDCG and its loss: by hand, with grades left out, with weights, and for many settings at once."""

from __future__ import annotations

import math
from math import log2

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from asof.errors import UsageError
from asof.extensions.systems.loss import condensed, dcg, gains, ideal, loss, ndcg, ndcg_many, ndcg_of_gains

SIX = [3, 2, 3, 0, 1, 2]


def test_six_graded_hits():
    """Gains 7, 3, 7, 0, 1, 3; the best order is 7, 7, 3, 3, 1, 0."""
    shown = 7 / log2(2) + 3 / log2(3) + 7 / log2(4) + 0 / log2(5) + 1 / log2(6) + 3 / log2(7)
    best = 7 / log2(2) + 7 / log2(3) + 3 / log2(4) + 3 / log2(5) + 1 / log2(6)
    assert dcg(gains(SIX), 6) == pytest.approx(shown)
    assert ideal(gains(SIX), 6) == pytest.approx(best)
    assert ndcg(SIX, SIX, 6) == pytest.approx(shown / best)
    assert loss(SIX, SIX, 6) == pytest.approx(1 - shown / best)


@pytest.mark.parametrize(
    ("ranked", "k", "gained", "best"),
    [
        (SIX, 3, 7 + 3 / log2(3) + 7 / 2, 7 + 7 / log2(3) + 3 / 2),
        ([0, 0, 1], 3, 1 / 2, 1),
        ([1, 0, 0], 10, 1, 1),
        (
            [0.2, 0.9, 0.4],
            3,
            (2**0.2 - 1) + (2**0.9 - 1) / log2(3) + (2**0.4 - 1) / 2,
            (2**0.9 - 1) + (2**0.4 - 1) / log2(3) + (2**0.2 - 1) / 2,
        ),
    ],
)
def test_cut_short_and_fractional_grades(ranked, k, gained, best):
    assert dcg(gains(ranked), k) == pytest.approx(gained)
    assert ndcg(ranked, ranked, k) == pytest.approx(gained / best)


def test_the_worst_order_of_one_good_hit_among_three_loses_half():
    assert loss([0, 0, 1], [1, 0, 0], 3) == pytest.approx(1 / 2)


def test_the_best_order_is_of_all_judged_shown_or_not():
    assert ndcg([1], [1, 3], 10) == pytest.approx(1 / (7 + 1 / log2(3)))


def test_nothing_gains():
    assert ndcg([0, 0, 0], [0, 0, 0], 3) == 0
    assert loss([0, 0, 0], [0, 0, 0], 3) == 1
    assert ndcg([], [], 3) == 0
    assert math.isnan(ndcg([0], [0], 3, empty=math.nan))
    assert math.isnan(loss([0], [0], 3, empty=math.nan))


def test_what_was_not_judged_counts_as_nought_or_not_at_all():
    ranked = [None, 2, None, 1]
    assert ndcg(ranked, ranked, 4) == pytest.approx((3 / log2(3) + 1 / log2(5)) / (3 + 1 / log2(3)))
    assert condensed(ranked) == [2, 1]
    assert ndcg(condensed(ranked), condensed(ranked), 4) == 1


def test_below_nought_gains_nothing():
    assert gains([-2, 0, 1]) == [0, 0, 1]


def test_a_click_further_down_weighs_more():
    """Clicks at the places 1 and 4, looked at with the chances 1 and 1/4: weights 1 and 4."""
    weighted = gains([1, 0, 0, 1], [1, 2, 3, 4])
    assert weighted == [1, 0, 0, 4]
    assert ndcg_of_gains(weighted, weighted, 4) == pytest.approx((1 + 4 / log2(5)) / (4 + 1 / log2(3)))
    assert ndcg_of_gains([4, 1, 0, 0], weighted, 4) == 1


@pytest.mark.parametrize(
    ("grades", "weights"),
    [
        ([1, 2], [1]),
        ([1], [-1]),
        ([1], [math.nan]),
        ([math.inf], None),
        ([math.nan], None),
        ([10**400], None),
    ],
)
def test_what_is_no_grade_or_weight_is_refused(grades, weights):
    with pytest.raises(UsageError):
        gains(grades, weights)


cells = st.sampled_from([0.0, 0.1, 0.5, 0.5, 1.0])


@given(st.integers(1, 3), st.integers(0, 4), st.integers(1, 6), st.integers(1, 8), st.data())
def test_many_at_once_are_each_by_itself(m, q, n, k, data):
    """Equal scores stay in the order of the candidates, fillers of -inf come last."""
    cell = st.lists(cells, min_size=n, max_size=n)
    scores = np.array([[data.draw(cell) for _ in range(q)] for _ in range(m)]).reshape(m, q, n)
    grades = np.array([data.draw(cell) for _ in range(q)]).reshape(q, n) * 4
    fill = np.array([data.draw(st.integers(0, n - 1)) for _ in range(q)], dtype=int)
    for question, few in enumerate(fill):
        scores[:, question, n - few :] = -np.inf
        grades[question, n - few :] = 0
    gain = np.exp2(grades) - 1
    best = np.array([ideal([*row, 1.0], k) for row in gain])
    found = ndcg_many(scores, gain, best, k)
    for setting in range(m):
        for question in range(q):
            order = np.argsort(-scores[setting, question], kind="stable")
            expected = dcg([gain[question, at] for at in order], k) / best[question]
            assert found[setting, question] == pytest.approx(expected)


def test_many_that_gain_are_sorted_and_come_out_the_same():
    rng = np.random.default_rng(3)
    scores, gain = rng.integers(0, 9, (5, 4, 40)) / 8, rng.integers(1, 8, (4, 40)).astype(np.float64)
    best = np.array([ideal(row, 10) for row in gain])
    found = ndcg_many(scores, gain, best, 10)
    order = np.argsort(-scores[2, 3], kind="stable")
    assert found[2, 3] == pytest.approx(dcg(list(gain[3, order]), 10) / best[3])


def test_blocks_do_not_change_the_result():
    rng = np.random.default_rng(4)
    scores, gain = rng.random((7, 3, 5)), rng.integers(0, 2, (3, 5)).astype(np.float64)
    whole = ndcg_many(scores, gain, np.ones(3), 2)
    assert (ndcg_many(scores, gain, np.ones(3), 2, block_size=30) == whole).all()


def test_many_without_anything_that_gains():
    found = ndcg_many(np.zeros((2, 1, 3)), np.zeros((1, 3)), np.zeros(1), 10, empty=math.nan)
    assert np.isnan(found).all()


def test_other_shapes_and_scores_that_are_no_numbers_are_refused():
    with pytest.raises(UsageError, match="accepted"):
        ndcg_many(np.zeros((2, 3)), np.zeros((2, 3)), np.zeros(2), 10)
    with pytest.raises(UsageError, match="not a number"):
        ndcg_many(np.full((1, 1, 2), np.nan), np.ones((1, 2)), np.ones(1), 10)
