"""The command line in processes forked from one that has imported it: an import costs most of a run."""

from __future__ import annotations

import os
import pkgutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path

from asof import cli as commands
from asof.cli.main import cli, run

SECONDS = 120
"""How long a command may take."""

CONTEXT = get_context("forkserver")
CONTEXT.set_forkserver_preload([
    "__main__", "asof.engine", *(each.name for each in pkgutil.iter_modules(commands.__path__, "asof.cli.")),
])  # fmt: skip


class Forked:
    """A process that was forked from one that has imported asof, with pipes, as `subprocess.Popen` has."""

    def __init__(self, command: Sequence[str], code: str, cwd: Path | None = None) -> None:
        pairs = [CONTEXT.Pipe(duplex=False) for _ in range(3)]
        of_child = (pairs[0][0], pairs[1][1], pairs[2][1])
        self.args = [*command]
        self.process = CONTEXT.Process(
            target=_run, args=(self.args, code, cwd or Path.cwd(), dict(os.environ), of_child)
        )
        self.process.start()
        for each in of_child:
            each.close()
        self.pid = self.process.pid or 0
        fds = [os.dup(each.fileno()) for each in (pairs[0][1], pairs[1][0], pairs[2][0])]
        for pair in pairs:
            for each in pair:
                each.close()
        self.stdin = os.fdopen(fds[0], "w", encoding="utf-8")
        self.stdout, self.stderr = (os.fdopen(fd, encoding="utf-8") for fd in fds[1:])

    @property
    def returncode(self) -> int | None:
        return self.process.exitcode

    def poll(self) -> int | None:
        return self.process.exitcode

    def wait(self, seconds: float = SECONDS) -> int:
        """Its exit code, when it has ended."""
        self.process.join(seconds)
        if self.process.exitcode is None:
            raise TimeoutError(self.args)
        return self.process.exitcode

    def finish(self, seconds: float = SECONDS) -> subprocess.CompletedProcess[str]:
        """What it says until it ends; nobody tells it more."""
        self.stdin.close()
        with ThreadPoolExecutor(2) as pool:
            said = [pool.submit(each.read) for each in (self.stdout, self.stderr)]
            try:
                code = self.wait(seconds)
            except TimeoutError:
                self.kill()
                raise
            return subprocess.CompletedProcess(self.args, code, *(each.result() for each in said))

    def send_signal(self, number: int) -> None:
        if self.process.exitcode is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        self.process.kill()

    def close(self) -> None:
        """Kill it, if it still runs."""
        self.kill()
        self.process.join(SECONDS)
        with suppress(BrokenPipeError):
            self.stdin.close()
        self.stdout.close()
        self.stderr.close()


def command_of(*args: object, before: str = "", cwd: Path | None = None) -> Forked:
    """`asof ARGS...` in a folder; `before`: Python statements that its process runs first."""
    code = f"{before}\nsys.exit(run(cli))"
    return Forked(["asof", *map(str, args)], code, cwd)


def run_command(*args: object, before: str = "", cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run such a command with an empty standard input."""
    with closing(command_of(*args, before=before, cwd=cwd)) as running:
        return running.finish()


def _run(
    command: Sequence[str], code: str, cwd: Path, env: Mapping[str, str], streams: Sequence[Connection]
) -> None:
    """In the child: its streams are the pipes."""
    for number, each in enumerate(streams):
        os.dup2(each.fileno(), number)
        each.close()
    sys.stdin = os.fdopen(0, encoding="utf-8")
    sys.stdout, sys.stderr = (os.fdopen(each, "w", encoding="utf-8") for each in (1, 2))
    os.environ.clear()
    os.environ.update(env)
    os.chdir(cwd)
    sys.argv = [*command]
    exec(code, {"__name__": "__main__", "sys": sys, "run": run, "cli": cli})  # noqa: S102
