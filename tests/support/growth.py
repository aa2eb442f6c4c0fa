"""How the time of a work grows with its size: what a bound in seconds cannot say on a busy machine."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable

TIMES = 8
ROUNDS, MOST = 3, 12  # of the small size, before the large one; of the large one


def is_linear(work: Callable[[int], object], size: int) -> bool:
    """Whether `work(TIMES * size)` takes less than 2 * TIMES as long as `work(size)` (a square one: TIMES²).

    Compared are the least processor times of this thread: the first rounds also fill caches, others are
    lengthened by what else the machine does. The small size has several rounds, which cost little; the large
    one has one, and more follow, of both, only while the work does not look linear.
    """
    small = min(_seconds(work, size) for _ in range(ROUNDS))
    for _ in range(MOST):
        if _seconds(work, TIMES * size) < 2 * TIMES * small:
            return True
        small = min(small, _seconds(work, size))
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
