"""When what is written to several shards was added: at one and the same instant.

The lock of the whole corpus is held for a batch, so instants increase strictly over all shards and all
processes. Whether all shards have a batch is known by the file `committed`: the last instant up to which
every shard has all that was written. Where a process was killed between two shards, readers stay at that
instant, and the next write first takes back what only some of them have (`undo.py`).
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from asof.store.committed import FILE, committed, write_committed
from asof.store.lock import exclusive_lock
from asof.store.store import translate_errors


@dataclass(slots=True)
class Instant:
    """The instant of one write to several shards, decided when the first of them asks: that of the clock, or
    the one `after` the last."""

    clock: Callable[[], int]
    after: int
    value: int | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __call__(self) -> int:
        with self._lock:
            if self.value is None:
                self.value = max(self.clock(), self.after + 1)
            return self.value


@contextmanager
def writing(
    folder: Path, heads: Callable[[], int], clock: Callable[[], int], wait: float, *, several: bool,
    take_back: Callable[[int, Instant], object],
) -> Iterator[Instant]:  # fmt: skip
    """While nobody else writes to the shards of the corpus in `folder` (its `.asof`); the instant of what is
    written. `heads`: the last instant at which any shard was written to; `several`: there are several;
    `take_back`: takes back what some have from after an instant. When all have what was written, readers see
    it. Raises Busy, NoSpace, CorpusError."""
    with translate_errors(folder / FILE), exclusive_lock(folder / "write.lock", wait):
        last = heads()
        until = committed(folder) if several else None
        if until is not None and until < last:
            take_back(until, Instant(clock, last))
            last = heads()
        yield Instant(clock, last)
        done = heads()
        if several and done and done != committed(folder):
            write_committed(folder, done)
