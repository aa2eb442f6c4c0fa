"""Progress where there is no terminal: a line with the totals every ten seconds."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from types import TracebackType
from typing import Self

from asof.cli.terminal import plain

EVERY = 10.0
"""Seconds between two lines."""


class ProgressLines:
    """Writes lines `WHAT: TOTALS, N s` while it is entered, the first after `every` seconds.

    `clock`: seconds, from any start. A thread looks at it, so that lines come also while one step takes long.
    """

    def __init__(
        self,
        what: str,
        write: Callable[[str], None],
        clock: Callable[[], float] = time.monotonic,
        every: float = EVERY,
    ) -> None:
        self.what = what
        self.totals = "nothing yet"
        self._write = write
        self._clock = clock
        self._every = every
        self._began = self._last = clock()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended.set()
        self._thread.join()

    def write_if_due(self) -> None:
        """Write a line if the last one, or the beginning, is long enough ago."""
        now = self._clock()
        if now - self._last >= self._every:
            self._last = now
            self._write(plain(f"{self.what}: {self.totals}, {now - self._began:.0f} s"))

    def _run(self) -> None:
        while not self._ended.wait(min(1.0, self._every)):
            self.write_if_due()
