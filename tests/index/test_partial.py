"""Parts of values of all shards: joined in whatever groups they mean what all of them mean one by one."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from asof.index.partial import BestKeys, BestScores, Counts, together
from asof.index.select import kth_best

SCORES = st.lists(st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0, 2.0]), max_size=6), min_size=1, max_size=5)


def test_counts_are_added_up() -> None:
    counts = [Counts(np.array(each)) for each in ([1, 2], [3, 0], [10, 5])]
    assert Counts.joined(counts).values.tolist() == [14, 7]  # 1 + 3 + 10, 2 + 0 + 5
    assert Counts.joined([Counts.joined(counts[:2]), counts[2]]).values.tolist() == [14, 7]


@settings(max_examples=100, deadline=None)
@given(SCORES, st.integers(1, 8), st.integers(0, 5))
def test_the_kth_best_in_groups(scores: list[list[float]], k: int, first: int) -> None:
    parts = [BestScores.of(np.array(each, np.float64), k) for each in scores]
    groups = [BestScores.joined(each) for each in (parts[:first], parts[first:]) if each]
    whole = BestScores.joined(groups).scores
    assert len(whole) <= k
    assert kth_best(whole, k) == kth_best(np.concatenate([np.array(each, np.float64) for each in scores]), k)


@settings(max_examples=100, deadline=None)
@given(SCORES, st.integers(1, 8), st.integers(0, 5))
def test_the_first_rows_in_groups(scores: list[list[float]], n: int, first: int) -> None:
    """Row i of all has the digest i: equal scores are ordered by it."""
    digest, parts = 0, list[BestKeys]()
    every = list[tuple[float, int]]()
    for each in scores:
        digests = np.arange(digest, digest + len(each))
        digest += len(each)
        every += zip((-score for score in each), digests.tolist(), strict=True)
        parts.append(BestKeys.joined([BestKeys((digests, -np.array(each, np.float64)), n)]))
    groups = [BestKeys.joined(each) for each in (parts[:first], parts[first:]) if each]
    digests, negative = BestKeys.joined(groups).keys
    assert list(zip(negative.tolist(), digests.tolist(), strict=True)) == sorted(every)[:n]


def test_other_values_are_handed_on_as_they_are() -> None:
    given: list[tuple[Any, ...]] = [(Counts(np.array([1])), "a"), (Counts(np.array([2])), "b")]
    counts, others = together(given)
    assert [each.values.tolist() for each in counts] == [[3]]
    assert others == ["a", "b"]
