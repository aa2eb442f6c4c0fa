"""How the time of a work grows with its size: what a bound in seconds cannot say on a busy machine."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable

TIMES = 8
FEWEST, MOST = 3, 12  # rounds


def is_linear(work: Callable[[int], object], size: int) -> bool:
    """Whether `work(TIMES * size)` takes less than 2 * TIMES as long as `work(size)` (a square one: TIMES²).

    Compared are the least processor times of this thread in some rounds: the first also fills caches, others
    are lengthened by what else the machine does. More rounds follow while the work does not look linear.
    """
    small = large = float("inf")
    for done in range(MOST):
        small = min(small, _seconds(work, size))
        large = min(large, _seconds(work, TIMES * size))
        if done >= FEWEST - 1 and large < 2 * TIMES * small:
            return True
    return False


def _seconds(work: Callable[[int], object], size: int) -> float:
    """Without the collector of garbage, whose runs depend on what else is in memory."""
    was_enabled = gc.isenabled()
    gc.disable()
    begun = time.thread_time()
    work(size)
    seconds = time.thread_time() - begun
    if was_enabled:
        gc.enable()
    return seconds
