"""The process that readers run in, as seen from outside: what goes in, what comes out, and when it ends."""

from __future__ import annotations

import atexit
import json
import os
import subprocess
import sys
import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from asof.errors import SourceError
from asof.sources.formats import server
from asof.sources.inherited import inherited
from asof.sources.readers import Unreadable
from asof.sources.source import InputLimits

_INHERITED = ("PATH", "SYSTEMROOT", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")
"""What a Python may need to find its own libraries."""

_AGAIN = 25
"""A process that has read so many thousand files is replaced by a new one."""

GRACE = 10
"""Seconds beyond the deadline of a file, after which the process itself is given up."""


@dataclass(slots=True)
class _Process:
    """A running server, and the limits that it was started with."""

    process: subprocess.Popen[bytes]
    started_with: str
    count: int = 0


@dataclass(slots=True)
class Processes:
    """The process that reads, started when it is first needed; one for all threads, one file at a time."""

    _lock: threading.Lock = field(default_factory=threading.Lock)
    _running: _Process | None = None

    def ask(self, request: Mapping[str, object], raw: bytes, limits: InputLimits) -> bytes:
        """What the reader says of a file, as JSON. Raises Unreadable; SourceError where no process is."""
        with self._lock:
            running = self._ready(limits)
            try:
                state, answer = self._exchange(running.process, request, raw, limits.seconds + GRACE)
            except (OSError, ValueError) as wrong:
                self.end()
                raise Unreadable("the file ends the process that reads it", "save it anew") from wrong
        if state == "late":
            raise Unreadable(f"reading it takes more than {limits.seconds} seconds", "split it")
        if state in ("died", "large"):
            raise Unreadable(
                f"it breaks what reads it, or needs more than {limits.memory // 2**20} MiB of memory",
                "save it anew, or split it",
            )
        return answer

    def _ready(self, limits: InputLimits) -> _Process:
        wanted = json.dumps(limits.numbers())
        running = self._running
        if running is not None and (
            running.started_with != wanted
            or running.process.poll() is not None
            or running.count >= 1000 * _AGAIN
        ):
            self.end()
            running = None
        if running is None:
            running = self._running = _Process(_started(wanted), wanted)
        running.count += 1
        return running

    @staticmethod
    def _exchange(
        process: subprocess.Popen[bytes], request: Mapping[str, object], raw: bytes, seconds: float
    ) -> tuple[str, bytes]:
        given, taken = process.stdin, process.stdout
        assert given is not None  # noqa: S101  it is a pipe
        assert taken is not None  # noqa: S101
        clock = threading.Timer(seconds, process.kill)
        clock.start()
        try:
            given.write(json.dumps({**request, "size": len(raw)}).encode() + b"\n" + raw)
            given.flush()
            head = json.loads(taken.readline() or b"!")
            return head["state"], taken.read(head["size"])
        finally:
            clock.cancel()

    def end(self) -> None:
        """End the process, if one runs."""
        running, self._running = self._running, None
        if running is not None:
            for stream in (running.process.stdin, running.process.stdout):
                with suppress(OSError):
                    assert stream is not None  # noqa: S101
                    stream.close()
            running.process.kill()
            running.process.wait()


PROCESSES = Processes()
atexit.register(PROCESSES.end)


def _started(limits: str) -> subprocess.Popen[bytes]:
    """Python without the user's settings, packages and folder, and without what `.pth` files start."""
    if not sys.executable or getattr(sys, "frozen", False) or not hasattr(os, "fork"):
        raise SourceError(
            "documents are read by a Python process of its own that forks, and here is none: "
            "run asof with an installed Python on Linux or macOS"
        )
    own = str(Path(server.__file__).parents[3])
    command = [sys.executable, "-I", "-S", "-B", server.__file__, own, limits]
    try:
        process = subprocess.Popen(  # noqa: S603
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            env=inherited(_INHERITED),
        )  # fmt: skip
    except OSError as wrong:
        raise SourceError(f"{command[0]} cannot be run, which reads documents: {wrong.strerror}") from None
    assert process.stdout is not None  # noqa: S101
    if process.stdout.readline() != server.READY:
        process.kill()
        raise SourceError(f"the process that reads documents does not start: {' '.join(command[:5])}")
    return process
