"""A request that is made again while its failure may pass: exponential waits with full jitter."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from asof.errors import UsageError
from asof.models.breaker import CircuitBreaker
from asof.models.endpoint import FIRST_WAIT, RetryLater

T = TypeVar("T")


class NoConnection(RetryLater):
    """No connection was made: nobody listens there, or there is no such host."""


class GaveUp(Exception):
    """All attempts failed. `absent`: in each of them no connection was made."""

    def __init__(self, reason: str, *, absent: bool = False) -> None:
        super().__init__(reason)
        self.absent = absent


@dataclass(frozen=True, slots=True)
class Attempts:
    """Up to `most` attempts of `timeout` seconds each.

    The wait before attempt n + 1 is drawn from 0 to `FIRST_WAIT` * 2^(n - 1) seconds ("full jitter"), or is
    as long as the server asks, but never longer than `patience`: then it is given up. `sleep` and `draw`
    (from 0 to 1) are for tests; without a `sleep`, waiting ends when the batch does.
    """

    most: int = 3
    timeout: float = 60.0
    patience: float = 30.0
    sleep: Callable[[float], None] | None = field(default=None, repr=False, compare=False)
    draw: Callable[[], float] = field(default=random.random, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.most < 1:
            raise UsageError(f"most is {self.most}; accepted: 1 attempt or more")

    def make(self, once: Callable[[float], T], breaker: CircuitBreaker) -> T:
        """What `once(timeout)` gives at last. Raises GaveUp, Unsent, and what it raises beside Again."""
        absent = True
        for attempt in range(self.most):
            left = breaker.left()
            try:
                return once(min(self.timeout, left))
            except RetryLater as failure:
                absent = absent and isinstance(failure, NoConnection)
                wait = failure.wait
                if attempt == self.most - 1 or (wait is not None and wait > self.patience):
                    asks = f"; it asks for a wait of {wait:.0f} s" if wait is not None else ""
                    times = f"{attempt + 1} attempt{'s' if attempt else ''}"
                    raise GaveUp(f"{failure}{asks} ({times})", absent=absent) from failure
                breaker.pause(self._wait(attempt) if wait is None else wait, self.sleep)
        raise AssertionError("there is at least one attempt")

    def _wait(self, attempt: int) -> float:
        return self.draw() * min(FIRST_WAIT * float(2**attempt), self.patience)
