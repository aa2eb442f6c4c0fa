"""The best of very many scores are those that sorting gives."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from asof.index.view import BLOCK, SMALL_BLOCK, at_least, kth_best, union


def by_sorting(scores: np.ndarray, k: int) -> float:
    best = sorted((score for score in scores.tolist() if score > 0), reverse=True)
    return best[k - 1] if len(best) >= k else 0.0


@given(
    st.integers(1, 30),
    st.sampled_from(
        [0, 1, 63, 64, 65, 2 * 10 * SMALL_BLOCK, 5_000, 4 * BLOCK, 4 * BLOCK + 1, 20_000, 125_000]
    ),
    st.sampled_from([0.0, 0.001, 0.1, 1.0]),
    st.sampled_from([2, 5, 1_000_000]),
    st.integers(0, 2**32 - 1),
)
def test_any_array(k: int, n: int, share: float, different: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    scores = random.integers(1, different, n).astype(np.float64) / different
    scores[random.random(n) >= share] = 0.0
    bound = kth_best(scores, k)
    assert bound == by_sorting(scores, k)
    chosen = at_least(scores, bound)
    expected = [at for at, score in enumerate(scores.tolist()) if score > 0 and score >= bound]
    assert chosen.tolist() == expected
    assert len(chosen) >= min(k, int((scores > 0).sum()))


@pytest.mark.parametrize(
    "n", [2 * 3 * SMALL_BLOCK - 1, 2 * 3 * SMALL_BLOCK, 4 * 3 * BLOCK, 4 * 3 * BLOCK + 1]
)
def test_the_best_at_the_very_end_is_not_lost(n: int) -> None:
    scores = np.zeros(n)
    scores[-3:] = [3.0, 1.0, 2.0]
    assert kth_best(scores, 3) == 1.0
    assert at_least(scores, 2.0).tolist() == [n - 3, n - 1]


def test_fewer_than_k() -> None:
    assert kth_best(np.array([0.5, 0.0, 0.2]), 3) == 0.0
    assert kth_best(np.array([0.5, 0.0, 0.2]), 2) == 0.2
    assert kth_best(np.zeros(0), 1) == 0.0
    assert at_least(np.array([0.5, 0.0]), 0.0).tolist() == [0]
    assert at_least(np.zeros(0), 0.0).tolist() == []


@given(st.sets(st.integers(0, 50)), st.sets(st.integers(0, 50)))
def test_a_union_holds_each_number_once(one: set[int], other: set[int]) -> None:
    ascending = [np.array(sorted(each), np.int64) for each in (one, other)]
    assert union(*ascending).tolist() == sorted(one | other)
