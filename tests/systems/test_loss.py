"""nDCG and the metrics of papers: by hand, and for many settings at once."""

from __future__ import annotations

import math
from math import log2

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from asof.errors import UsageError
from asof.extensions.systems.loss import RankingMetrics, dcg, gains, ideal, ndcg, ndcg_many

# -- nDCG and its loss: by hand, with grades left out, and for many settings at once ---------------


SIX = [3, 2, 3, 0, 1, 2]


def test_six_graded_hits():
    """Gains 7, 3, 7, 0, 1, 3; the best order is 7, 7, 3, 3, 1, 0."""
    shown = 7 / log2(2) + 3 / log2(3) + 7 / log2(4) + 0 / log2(5) + 1 / log2(6) + 3 / log2(7)
    best = 7 / log2(2) + 7 / log2(3) + 3 / log2(4) + 3 / log2(5) + 1 / log2(6)
    assert dcg(gains(SIX), 6) == pytest.approx(shown)
    assert ideal(gains(SIX), 6) == pytest.approx(best)
    assert ndcg(SIX, SIX, 6) == pytest.approx(shown / best)


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
    assert ndcg([0, 0, 1], [1, 0, 0], 3) == pytest.approx(1 / 2)


def test_the_best_order_is_of_all_judged_shown_or_not():
    assert ndcg([1], [1, 3], 10) == pytest.approx(1 / (7 + 1 / log2(3)))


def test_nothing_gains():
    assert ndcg([0, 0, 0], [0, 0, 0], 3) == ndcg([], [], 3) == 0


def test_what_was_not_judged_counts_as_nought():
    ranked = [None, 2, None, 1]
    assert ndcg(ranked, ranked, 4) == pytest.approx((3 / log2(3) + 1 / log2(5)) / (3 + 1 / log2(3)))


def test_below_nought_gains_nothing():
    assert gains([-2, 0, 1]) == [0, 0, 1]


@pytest.mark.parametrize("grade", [math.inf, math.nan, 10**400])
def test_what_is_no_grade_is_refused(grade):
    with pytest.raises(UsageError, match="up to 500 is accepted"):
        gains([grade])


@given(st.integers(1, 3), st.integers(1, 40), st.integers(1, 8), st.integers(0, 2**32))
def test_many_settings_at_once_are_each_by_itself(m, n, k, seed):
    """Equal scores stay in the order of the candidates, what does not match (-inf) comes last."""
    rng = np.random.default_rng(seed)
    scores = rng.choice([0.0, 0.1, 0.5, 1.0], (m, n))
    gain = np.exp2(4 * rng.choice([0.0, 0.1, 0.5, 1.0], n)) - 1
    few = rng.integers(0, n)
    scores[:, n - few :], gain[n - few :] = -np.inf, 0
    best = ideal([*gain, 1.0], k)
    found = ndcg_many(scores, gain, best, k)
    for setting in range(m):
        order = np.argsort(-scores[setting], kind="stable")
        assert found[setting] == pytest.approx(dcg(gain[order].tolist(), k) / best)


# -- the metrics of an order of judged hits, by hand -----------------------------------------------


def test_by_hand() -> None:
    """Grades 0, 3, not judged, 1, 2 and k = 3: DCG 7 / log2(3), the best order 3, 2, 1 has
    7 + 3 / log2(3) + 1 / 2."""
    grades = [0.0, 3.0, None, 1.0, 2.0]
    found = RankingMetrics.of(grades, gains(grades), 3)
    dcg, idcg = 7 / math.log2(3), 7 + 3 / math.log2(3) + 1 / 2
    assert (found.dcg, found.idcg) == pytest.approx((dcg, idcg))
    assert (found.ndcg, found.loss) == pytest.approx((dcg / idcg, 1 - dcg / idcg))
    assert found.k == 3
    assert (found.precision, found.mean_top, found.mean_all) == (1 / 3, 3 / 3, 6 / 5)
    assert found.improvement == pytest.approx(1 - 6 / 5)


def test_fewer_hits_than_k_count_as_misses() -> None:
    found = RankingMetrics.of([3.0, 2.0], gains([3.0, 2.0]), 10)
    assert (found.precision, found.ndcg, found.mean_top, found.improvement) == (2 / 10, 1.0, 2.5, 0.0)


@pytest.mark.parametrize("grades", [[], [None, None], [0.0, 0.0]])
def test_nothing_is_good(grades: list[float | None]) -> None:
    found = RankingMetrics.of(grades, gains(grades), 10)
    assert (found.ndcg, found.loss, found.idcg, found.precision, found.improvement) == (0, 1, 0, 0, 0)


def test_the_mean_of_several() -> None:
    one, other = (RankingMetrics.of(each, gains(each), 2) for each in ([3.0, 0.0], [0.0, 3.0]))
    mean = RankingMetrics.mean([one, other])
    assert mean is not None
    assert (mean.k, mean.precision) == (2, 0.5)
    assert mean.ndcg == pytest.approx((1 + 1 / math.log2(3)) / 2)
    assert RankingMetrics.mean([]) is None


@given(st.lists(st.none() | st.floats(0, 3), max_size=15), st.integers(1, 12))
def test_bounds_and_sums(grades: list[float | None], k: int) -> None:
    found = RankingMetrics.of(grades, gains(grades), k)
    assert 0 <= found.ndcg <= 1 + 1e-12
    assert found.loss == 1 - found.ndcg
    assert 0 <= found.precision <= 1
    assert found.dcg <= found.idcg + 1e-12
    assert found.improvement == found.mean_top - found.mean_all
    best = sorted(grades, key=lambda each: -(each or 0))
    assert RankingMetrics.of(best, gains(best), k).loss == pytest.approx(0 if found.idcg else 1)
