"""How the time of a work grows with its size: what a bound in seconds cannot say on a busy machine."""

from __future__ import annotations

import time
from collections.abc import Callable

TIMES = 8


def growth(work: Callable[[int], object], size: int) -> float:
    """How many times longer `work(TIMES * size)` takes than `work(size)`: the processor's time of this
    thread, the least of three. A linear work takes at most TIMES as long, a square one up to TIMES²."""
    small, large = (min(_seconds(work, each) for _ in range(3)) for each in (size, TIMES * size))
    return large / small


def is_linear(work: Callable[[int], object], size: int) -> bool:
    """Whether a work grows by far less than its square; three tries, since others use the same caches."""
    return any(growth(work, size) < 2 * TIMES for _ in range(3))


def _seconds(work: Callable[[int], object], size: int) -> float:
    begun = time.thread_time()
    work(size)
    return time.thread_time() - begun
