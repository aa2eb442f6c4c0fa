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
    ("shown", "judged", "k", "expected"),
    [
        (SIX, SIX, 3, (7 + 3 / log2(3) + 7 / 2) / (7 + 7 / log2(3) + 3 / 2)),
        ([0, 0, 1], [1, 0, 0], 3, 1 / 2),  # the worst order of one good hit among three loses half
        ([1, 0, 0], [1, 0, 0], 10, 1),
        ([1], [1, 3], 10, 1 / (7 + 1 / log2(3))),  # the best order is of all judged, shown or not
        ([None, 2, None, 1], [None, 2, None, 1], 4, (3 / log2(3) + 1 / log2(5)) / (3 + 1 / log2(3))),
        ([0.5, 1], [0.5, 1], 2, (2**0.5 - 1 + 1 / log2(3)) / (1 + (2**0.5 - 1) / log2(3))),
        ([0, -2, 0], [0, -2, 0], 3, 0),  # below nought gains nothing
        ([], [], 3, 0),
    ],
)
def test_other_orders(shown, judged, k, expected):
    assert ndcg(shown, judged, k) == pytest.approx(expected)


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


SHOWN = [0.0, 3.0, None, 1.0, 2.0]
DCG, IDCG = 7 / log2(3), 7 + 3 / log2(3) + 1 / 2


@pytest.mark.parametrize(
    ("grades", "k", "dcg", "idcg", "precision", "mean_top", "mean_all"),
    [
        (SHOWN, 3, DCG, IDCG, 1 / 3, 3 / 3, 6 / 5),
        ([3.0, 2.0], 10, 7 + 3 / log2(3), 7 + 3 / log2(3), 2 / 10, 2.5, 2.5),  # fewer count as misses
        ([], 10, 0, 0, 0, 0, 0), ([None, None], 10, 0, 0, 0, 0, 0), ([0.0, 0.0], 10, 0, 0, 0, 0, 0),
    ],
)  # fmt: skip
def test_by_hand(
    grades: list[float | None], k: int, dcg: float, idcg: float, precision: float, mean_top: float,
    mean_all: float,
) -> None:  # fmt: skip
    found = RankingMetrics.of(grades, gains(grades), k)
    assert found.k == k
    assert (found.dcg, found.idcg) == pytest.approx((dcg, idcg))
    assert found.ndcg == pytest.approx(dcg / idcg if idcg else 0)
    assert (found.precision, found.mean_top, found.mean_all) == (precision, mean_top, mean_all)


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
