"""Requests that are repeated while their failure may pass: exponential waits with jitter."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from asof.errors import UsageError
from asof.http.breaker import CircuitBreaker

T = TypeVar("T")


class RetryLater(Exception):
    """A failure that may pass. `wait`: seconds that the server asks for; None if it does not say."""

    def __init__(self, reason: str, wait: float | None = None) -> None:
        super().__init__(reason)
        self.wait = wait


class NoConnection(RetryLater):
    """No connection was made: nobody listens there, or there is no such host."""


class RequestRejected(Exception):
    """An answer to this request that cannot be used, and would be the same the next time. `answer`: the
    server's own words, which a message may only hold after `one_line`, and without the key."""

    def __init__(self, reason: str, answer: str = "") -> None:
        super().__init__(reason)
        self.answer = answer


class GaveUp(Exception):
    """All attempts failed. `absent`: in each of them no connection was made."""

    def __init__(self, reason: str, *, absent: bool = False) -> None:
        super().__init__(reason)
        self.absent = absent


@dataclass(frozen=True, slots=True)
class Retry:
    """Up to `attempts` attempts of `timeout` seconds each.

    The wait before attempt n + 1 is at most `first_wait` * 2^(n - 1) seconds, or `patience` if that is less;
    the part `jitter` of it is drawn (1: "full jitter"). A wait that the server asks for is kept to the
    second, but one longer than `patience` ends the attempts. `sleep` and `draw` (from 0 to 1) are for tests;
    without a `sleep`, waiting ends when the breaker stops.
    """

    attempts: int = 3
    timeout: float = 60.0
    patience: float = 30.0
    first_wait: float = 0.5
    jitter: float = 1.0
    sleep: Callable[[float], None] | None = field(default=None, repr=False, compare=False)
    draw: Callable[[], float] = field(default=random.random, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.attempts < 1:
            raise UsageError(f"attempts is {self.attempts}; accepted: 1 or more")

    def run(self, once: Callable[[float], T], breaker: CircuitBreaker | None = None) -> T:
        """The result of `once(timeout)`, which raises RetryLater for a failure that may pass. Raises GaveUp,
        NotSent, and whatever else `once` raises."""
        breaker = breaker or CircuitBreaker()
        absent = True
        for attempt in range(self.attempts):
            left = breaker.left()
            try:
                return once(min(self.timeout, left))
            except RetryLater as failure:
                absent = absent and isinstance(failure, NoConnection)
                wait = failure.wait
                if attempt == self.attempts - 1 or (wait is not None and wait > self.patience):
                    asks = f"; it asks for a wait of {wait:.0f} s" if wait is not None else ""
                    times = f"{attempt + 1} attempt{'s' if attempt else ''}"
                    raise GaveUp(f"{failure}{asks} ({times})", absent=absent) from failure
                breaker.pause(self._backoff(attempt) if wait is None else wait, self.sleep)
        raise AssertionError("there is at least one attempt")

    def _backoff(self, attempt: int) -> float:
        longest = min(self.first_wait * 2.0**attempt, self.patience)
        return (1 - self.jitter + self.jitter * self.draw()) * longest
