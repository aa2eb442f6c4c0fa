"""The same work on a few threads: everything once, results as they come, nothing left behind."""

from __future__ import annotations

import threading
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asof.models.chat import run_in_threads


def nothing() -> None:
    """Nobody gives up."""


@given(st.lists(st.integers(), max_size=30), st.integers(1, 8))
def test_everything_once(numbers: list[int], threads: int) -> None:
    found = list(run_in_threads(lambda n: n * 2, numbers, threads, nothing))
    assert sorted(found) == [(at, n * 2) for at, n in enumerate(numbers)]


def test_no_more_than_so_many_at_a_time() -> None:
    lock, now, most = threading.Lock(), [0], [0]

    def work(_: int) -> None:
        with lock:
            now[0] += 1
            most[0] = max(most[0], now[0])
        time.sleep(0.005)
        with lock:
            now[0] -= 1

    list(run_in_threads(work, range(12), 3, nothing))
    assert most == [3]


def test_an_exception_is_raised_and_the_rest_is_not_begun() -> None:
    begun: list[int] = []
    stops: list[bool] = []

    def work(n: int) -> int:
        begun.append(n)
        if n == 2:
            raise ValueError("two")
        return n

    with pytest.raises(ValueError, match="two"):
        list(run_in_threads(work, range(1_000), 1, lambda: stops.append(True)))
    assert begun == [0, 1, 2]
    assert stops == [True]


def test_who_stops_reading_stops_the_work() -> None:
    stopped = threading.Event()

    def work(n: int) -> int:
        if n:
            stopped.wait(5)
        return n

    before = threading.active_count()
    results = run_in_threads(work, range(100), 4, stopped.set)
    assert next(results) == (0, 0)
    results.close()  # type: ignore[attr-defined]
    assert stopped.is_set()
    assert threading.active_count() == before
