"""The metrics of an order of judged hits, by hand."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asof.extensions.systems.loss import RankingMetrics, gains


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


def test_the_threshold_of_relevance_is_excluded() -> None:
    assert RankingMetrics.of([0.5, 0.51], [0.0, 0.0], 2).precision == 1 / 2


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
