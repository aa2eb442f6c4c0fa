"""The command line in processes that are forked from one that has imported it: an import costs most of a run.

    python forked_commands.py SOCKET

Each message on the socket is a JSON object and two file descriptors. A child is forked for it: they are its
standard output and errors, its standard input is empty. It runs the statements `before`, then `asof ARGS` in
the folder `cwd` with the environment `env`, and ends as any process does. The answer is its exit code.
"""

from __future__ import annotations

import json
import os
import pkgutil
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from importlib import import_module
from pathlib import Path
from typing import Any

SECONDS = 120
"""How long a command may take."""

MESSAGE = 1 << 20


class ForkedCommands:
    """Runs commands. `before`: Python statements that the process runs first."""

    def __init__(self) -> None:
        self._socket, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._socket.settimeout(SECONDS)
        with closing(other):
            self._server = subprocess.Popen(
                [sys.executable, "-B", __file__, str(other.fileno())],
                pass_fds=[other.fileno()], stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            )  # fmt: skip

    def __call__(
        self, *args: object, before: str = "", cwd: Path | None = None
    ) -> subprocess.CompletedProcess[str]:
        command = ["asof", *map(str, args)]
        asked = {"argv": command, "before": before, "cwd": str(cwd or Path.cwd()), "env": dict(os.environ)}
        (out, child_out), (err, child_err) = os.pipe(), os.pipe()
        socket.send_fds(self._socket, [json.dumps(asked).encode()], [child_out, child_err])
        os.close(child_out)
        os.close(child_err)
        with ThreadPoolExecutor(2) as pool:
            said = pool.map(_read, (out, err))
            code = self._socket.recv(MESSAGE)
            assert code, self._server.communicate()
            return subprocess.CompletedProcess(command, int(code), *said)

    def close(self) -> None:
        self._socket.close()
        self._server.communicate(timeout=SECONDS)


def _read(descriptor: int) -> str:
    with open(descriptor, encoding="utf-8") as file:
        return file.read()


def serve(server: socket.socket) -> dict[str, Any] | None:
    """In a child: what it has to run. In the server itself None, when nobody is left to ask."""
    while True:
        message, descriptors, _, _ = socket.recv_fds(server, MESSAGE, 2)
        if not message:
            return None
        child = os.fork()
        if not child:
            for to, descriptor in enumerate(descriptors, 1):
                os.dup2(descriptor, to)
                os.close(descriptor)
            server.close()
            asked: dict[str, Any] = json.loads(message)
            return asked
        for descriptor in descriptors:
            os.close(descriptor)
        _, status = os.waitpid(child, 0)
        server.send(str(os.waitstatus_to_exitcode(status)).encode())


if __name__ == "__main__":
    from asof import cli, engine  # noqa: F401

    main = cli.main  # the function, before a module of that name is imported
    for module in pkgutil.iter_modules(cli.__path__):
        import_module(f"asof.cli.{module.name}")
    to_run = serve(socket.socket(fileno=int(sys.argv[1])))
    if to_run is not None:
        os.environ.clear()
        os.environ.update(to_run["env"])
        os.chdir(to_run["cwd"])
        sys.argv = to_run["argv"]
        exec(to_run["before"])  # noqa: S102
        main()
