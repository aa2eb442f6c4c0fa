"""Values of all shards: what each of several threads learns is what one would compute of all rows."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from asof.index.exchange import ALONE, Rounds, best_of_all, kth_best_of_all, largest, smallest, totals
from asof.index.partial import together
from asof.index.select import kth_best


class Meeting:
    """Threads that give each other values: a round is over when all have taken them."""

    def __init__(self, count: int) -> None:
        self._values: list[Any] = [None] * count
        self._barrier = threading.Barrier(count)

    def exchange(self, shard: int) -> Any:
        """The exchange of a shard."""
        meeting = self

        def gather(own: list[Callable[[], Any]]) -> list[list[Any]]:
            meeting._values[shard] = [each() for each in own]
            meeting._barrier.wait()
            values = together(meeting._values)
            meeting._barrier.wait()
            return values

        class Of(Rounds):
            alone = complete = False

        return Of(gather)


def in_shards(parts: Sequence[Any], do: Callable[[Any, Any], Any]) -> list[Any]:
    """What each shard makes of its part."""
    meeting = Meeting(len(parts))
    with ThreadPoolExecutor(len(parts)) as pool:
        return list(pool.map(lambda shard: do(meeting.exchange(shard), parts[shard]), range(len(parts))))


SCORES = st.lists(
    st.lists(st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0, 2.0]), max_size=6), min_size=1, max_size=4
)


@settings(max_examples=60, deadline=None)
@given(SCORES, st.integers(1, 8))
def test_extremes_counts_and_the_kth_best(scores: list[list[float]], k: int) -> None:
    every = np.array([score for part in scores for score in part])
    parts = [np.array(part) for part in scores]
    assert set(in_shards(parts, lambda of, part: totals(of, len(part), 1)())) == {(len(every), len(parts))}
    assert set(in_shards(parts, lambda of, part: largest(of, part.max(initial=0.0))())) == {
        every.max(initial=0.0)
    }
    assert set(in_shards(parts, lambda of, part: smallest(of, part.min(initial=9.0))())) == {
        every.min(initial=9.0)
    }
    assert set(in_shards(parts, lambda of, part: kth_best_of_all(of, part, k)())) == {kth_best(every, k)}
    assert (totals(ALONE, 3, 1)(), largest(ALONE, 3.0)(), smallest(ALONE, 3.0)()) == ((3, 1), 3.0, 3.0)


@settings(max_examples=60, deadline=None)
@given(SCORES, st.integers(1, 8))
def test_the_best_of_all_are_found_by_those_that_hold_them(scores: list[list[float]], n: int) -> None:
    """Rows of shard s have the digests s, s + 10, ...: equal scores are ordered by them."""
    parts = [
        (np.array([shard + 10 * row for row in range(len(part))], np.int64), -np.array(part, np.float64))
        for shard, part in enumerate(scores)
    ]
    found = in_shards(parts, lambda of, keys: best_of_all(of, keys, n)())
    of_all = sorted(
        (score, digest) for digests, scored in parts for score, digest in zip(scored, digests, strict=True)
    )
    ranked = sorted(
        (rank, int(keys[0][place]))
        for keys, best in zip(parts, found, strict=True)
        for place, rank in zip(best.places.tolist(), best.ranks.tolist(), strict=True)
    )
    assert ranked == [(rank, int(digest)) for rank, (_, digest) in enumerate(of_all[:n])]
    for best in found:
        assert best.ranks.tolist() == sorted(best.ranks.tolist())


def test_alone_the_best_are_a_sort() -> None:
    keys = np.array([3, 1, 2]), np.array([-1.0, -1.0, -2.0])
    best = best_of_all(ALONE, keys, 2)()
    assert (best.places.tolist(), best.ranks.tolist()) == ([2, 1], [0, 1])  # the best, then the lesser digest


def test_what_is_asked_for_later_goes_with_the_next_round() -> None:
    def asked(of: Any, part: int) -> tuple[Any, ...]:
        count, most = totals(of, part), largest(of, float(part))
        least = smallest(of, float(part))()  # asked for last, called for first: all three go with it
        return least, of.count, count(), most(), of.count

    # of 3, 1 and 2: the least is 1; 3 + 1 + 2 = 6; the largest is 3; all in one round
    assert in_shards([3, 1, 2], asked) == [(1.0, 1, (6,), 3.0, 1)] * 3


def test_a_value_is_made_when_it_is_sent() -> None:
    def asked(of: Any, part: list[int]) -> list[int]:
        last = of.later(lambda: part[-1], list)
        part.append(part[0] + 10)
        found: list[int] = last()
        part.append(0)
        assert last() == found  # and known from then on
        return found

    assert in_shards([[1], [2]], asked) == [[11, 12]] * 2
