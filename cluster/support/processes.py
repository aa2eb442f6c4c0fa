"""Servers as processes of the tests: they end with the tests, however these end."""

from __future__ import annotations

import ctypes
import http.client
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

LOOPBACK = "127.0.0.1"
_PR_SET_PDEATHSIG = 1


def free_port() -> int:
    """A port of the loopback interface that nothing listens at now."""
    with socket.socket() as probe:
        probe.bind((LOOPBACK, 0))
        return int(probe.getsockname()[1])


def answers_http(port: int) -> bool:
    """Whether an HTTP server answers at the port, with whatever status."""
    connection = http.client.HTTPConnection(LOOPBACK, port, timeout=2)
    try:
        connection.request("GET", "/")
        connection.getresponse().read()
    except OSError:
        return False
    finally:
        connection.close()
    return True


@contextmanager
def server(
    command: Sequence[str | Path],
    *,
    ready: Callable[[], bool],
    log: Path,
    stop: signal.Signals = signal.SIGTERM,
    seconds: float = 60,
    env: Mapping[str, str] | None = None,
    user: str | None = None,
) -> Iterator[subprocess.Popen[bytes]]:
    """A process that is `ready` inside the block and gone after it.

    It is told to `stop`, and killed where it does not within ten seconds. The kernel sends it the same signal
    when this process dies without reaching the end of the block (kill -9, a crash of the interpreter). What
    it prints is in the file `log`. Raises RuntimeError with the end of it when it is not ready in `seconds`.
    """
    libc = ctypes.CDLL(None)

    def end_with_the_tests() -> None:
        libc.prctl(_PR_SET_PDEATHSIG, int(stop))

    with log.open("ab") as output:
        process = subprocess.Popen(
            [str(part) for part in command], stdin=subprocess.DEVNULL, stdout=output, stderr=output, env=env,
            user=user, cwd=log.parent, start_new_session=True,
            preexec_fn=end_with_the_tests,
        )  # fmt: skip
    try:
        deadline = time.monotonic() + seconds
        while not ready():
            if process.poll() is not None or time.monotonic() > deadline:
                said = log.read_text(errors="replace")[-2000:]
                raise RuntimeError(f"{command[0]} is not ready ({process.poll()}): {said}")
            time.sleep(0.05)
        yield process
    finally:
        if process.poll() is None:
            process.send_signal(stop)
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
