"""File locks: one writer at a time, and a lock that keeps new readers waiting."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from asof.corpus_files import open_file, open_lock
from asof.errors import Busy

POLL_SECONDS = 0.01


@contextmanager
def exclusive_lock(path: Path, wait: float) -> Iterator[None]:
    """Hold the exclusive lock on `path`; the kernel releases it when the process ends in any way.

    Raises Busy, naming the holder's process id, after `wait` seconds.
    """
    descriptor = open_lock(path)
    try:
        deadline = time.monotonic() + wait
        while True:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() >= deadline:
                    holder = os.pread(descriptor, 32, 0).decode("ascii", "replace").strip() or "unknown"
                    raise Busy(
                        f"process {holder} is writing to {path.parent} and did not finish within "
                        f"{wait:g} s: wait for it, or give a longer --wait"
                    ) from None
                time.sleep(POLL_SECONDS)
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, str(os.getpid()).encode(), 0)
        yield
    finally:
        os.close(descriptor)


@contextmanager
def shared_lock(path: Path) -> Iterator[None]:
    """Wait until nobody holds `exclusive_lock` on `path`, and keep others from taking it meanwhile.

    A reader begins its transaction under it. A missing file is not made, because a reader may not be allowed
    to write.
    """
    try:
        descriptor = open_file(path)
    except (FileNotFoundError, PermissionError):
        yield
        return
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH)
        yield
    finally:
        os.close(descriptor)
