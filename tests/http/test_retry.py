"""Asking again: how often, after which waits, and when not; and when a batch stops."""

from __future__ import annotations

import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asof.extensions.providers.http import CircuitBreaker, GaveUp, NoConnection, NotSent, Retry, RetryLater


class Failing:
    """Fails as often as told, then gives the timeout that it was given."""

    def __init__(self, *failures: Exception) -> None:
        self.failures = list(failures)
        self.timeouts: list[float] = []

    def __call__(self, timeout: float) -> float:
        self.timeouts.append(timeout)
        if self.failures:
            raise self.failures.pop(0)
        return timeout


@given(st.lists(st.floats(0, 1), min_size=9, max_size=9), st.floats(0, 20))
def test_waits_are_drawn_from_a_length_that_doubles(draws: list[float], patience: float) -> None:
    waits: list[float] = []
    drawn = iter(draws)
    retry = Retry(10, 5.0, patience, sleep=waits.append, draw=lambda: next(drawn))
    assert retry.run(Failing(*[RetryLater("busy")] * 9), CircuitBreaker(5)) == 5.0
    assert waits == [(0.5 + 0.5 * draw) * min(0.5 * 2.0**n, patience) for n, draw in enumerate(draws)]


@pytest.mark.parametrize(
    ("failures", "absent"),
    [
        ([RetryLater] * 3, False),
        ([NoConnection] * 3, True),
        ([RetryLater, NoConnection, NoConnection], False),
    ],
)
def test_all_attempts_fail_and_absent_is_what_was_never_there(failures, absent) -> None:
    once = Failing(*(kind("busy") for kind in failures))
    with pytest.raises(GaveUp, match=r"^busy \(3 attempts\)$") as raised:
        Retry(3, sleep=lambda _: None).run(once, CircuitBreaker(5))
    assert raised.value.absent == absent
    assert len(once.timeouts) == 3


def test_waiting_ends_when_the_batch_does() -> None:
    breaker = CircuitBreaker(5)
    threading.Timer(0.05, breaker.stop).start()
    with pytest.raises(NotSent, match="the batch was given up"):
        Retry(2, patience=1e6).run(Failing(RetryLater("busy", 1e6)), breaker)  # or in eleven days


# -- when a batch stops -------------------------------------------------------------------------------


def stopped(breaker: CircuitBreaker) -> bool:
    try:
        breaker.check()
    except NotSent:
        return True
    return False


@given(st.lists(st.booleans(), max_size=30), st.integers(1, 5))
def test_it_stops_at_the_first_row_of_failures(replied: list[bool], most: int) -> None:
    breaker, row, due = CircuitBreaker(most), 0, False
    for good in replied:
        if good:
            breaker.succeeded()
        else:
            breaker.failed("no flour")
        row = 0 if good else row + 1
        due = due or row >= most  # once stopped it stays so
        assert stopped(breaker) == due
