"""Asking again: how often, after which waits, and when not."""

from __future__ import annotations

import threading
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asof.http import CircuitBreaker, GaveUp, NoConnection, NotSent, Retry, RetryLater


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
    assert waits == [draw * min(0.5 * 2.0**n, patience) for n, draw in enumerate(draws)]


def test_all_attempts_fail() -> None:
    once = Failing(*[RetryLater("busy")] * 3)
    with pytest.raises(GaveUp, match=r"^busy \(3 attempts\)$") as raised:
        Retry(3, sleep=lambda _: None).run(once, CircuitBreaker(5))
    assert not raised.value.absent
    assert len(once.timeouts) == 3


def test_absent_is_what_was_never_there() -> None:
    never = Failing(NoConnection("gone"), NoConnection("gone"))
    with pytest.raises(GaveUp) as raised:
        Retry(2, sleep=lambda _: None).run(never, CircuitBreaker(5))
    assert raised.value.absent
    once = Failing(RetryLater("busy"), NoConnection("gone"))
    with pytest.raises(GaveUp) as raised:
        Retry(2, sleep=lambda _: None).run(once, CircuitBreaker(5))
    assert not raised.value.absent


def test_an_attempt_ends_with_the_deadline() -> None:
    once = Failing()
    assert Retry(1, timeout=60).run(once, CircuitBreaker(5, deadline=2.0)) <= 2.0
    breaker = CircuitBreaker(5, deadline=0.01)
    time.sleep(0.02)
    with pytest.raises(NotSent, match=r"^not sent: the 0\.01 s for the batch are over \(deadline\)$"):
        Retry(1).run(once, breaker)
    assert len(once.timeouts) == 1


def test_waiting_ends_when_the_batch_does() -> None:
    breaker = CircuitBreaker(5)
    threading.Timer(0.05, breaker.stop).start()
    with pytest.raises(NotSent, match="the batch was given up"):
        Retry(2, patience=1e6).run(Failing(RetryLater("busy", 1e6)), breaker)  # or in eleven days


def test_other_errors_are_not_asked_again() -> None:
    once = Failing(ValueError("no"))
    with pytest.raises(ValueError, match="no"):
        Retry(3).run(once, CircuitBreaker(5))
    assert len(once.timeouts) == 1
