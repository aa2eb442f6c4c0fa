"""Stops a batch of requests: after failures in a row, at a deadline, after a refusal that holds for all."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from asof.errors import ModelError


class NotSent(Exception):
    """A request that was not sent, and why."""


@dataclass(slots=True, eq=False)
class CircuitBreaker:
    """What the threads of one batch share. `most`: so many prompts without a reply, one after another in the
    order in which they ended, and nothing more is sent. `deadline`: seconds for the batch, None for no end.

    A prompt counts as failed when its last attempt has failed. What is under way when it stops is waited for.
    """

    most: int = 1
    deadline: float | None = None
    refusal: ModelError | None = None
    absent: str = ""
    answered: bool = False
    _row: int = 0
    _why: str = ""
    _began: float = field(default_factory=time.perf_counter)
    _stopped: threading.Event = field(default_factory=threading.Event)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def left(self) -> float:
        """Seconds until the deadline, infinite without one. Raises NotSent if nothing may be sent."""
        if self._stopped.is_set():
            raise NotSent(self._why)
        if self.deadline is None:
            return float("inf")
        left = self._began + self.deadline - time.perf_counter()
        if left <= 0:
            raise self._deadline_passed()
        return left

    def pause(self, seconds: float, sleep: Callable[[float], None] | None) -> None:
        """Wait before another attempt; with no `sleep` of its own, not longer than until the batch stops.

        Raises NotSent at once when the deadline comes first.
        """
        if seconds >= self.left():
            raise self._deadline_passed()
        if sleep is None:
            self._stopped.wait(seconds)
        else:
            sleep(seconds)

    def succeeded(self) -> None:
        """A prompt was replied to."""
        with self._lock:
            self.answered, self._row = True, 0

    def failed(self, reason: str, *, absent: bool = False) -> None:
        """A prompt was not replied to. `absent`: not even a connection was made."""
        with self._lock:
            self._row += 1
            self.answered |= not absent
            if absent:
                self.absent = reason
            if self._row >= self.most:
                self._stop(
                    f"not sent: {self._row} prompts in a row got no reply, the last one because {reason}"
                )

    def refused(self, error: ModelError) -> None:
        """An answer that every other prompt would get too."""
        with self._lock:
            if self.refusal is None:
                self.refusal = error
            self._stop(f"not sent: {error}")

    def stop(self) -> None:
        """Nobody waits for replies any more."""
        with self._lock:
            self._stop("not sent: the batch was given up")

    def settle(self) -> None:
        """After the batch. Raises ModelError where no prompt could have had a reply."""
        if self.refusal is not None:
            raise self.refusal
        if self.absent and not self.answered:
            raise ModelError(self.absent)

    def _stop(self, why: str) -> None:
        if not self._stopped.is_set():
            self._why = why
            self._stopped.set()

    def _deadline_passed(self) -> NotSent:
        return NotSent(f"not sent: the {self.deadline:g} s for the batch are over (deadline)")
