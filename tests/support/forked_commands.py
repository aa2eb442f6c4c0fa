"""The command line in processes forked from one that has imported it: an import costs most of a run."""

from __future__ import annotations

import os
import pkgutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
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


def run_command(*args: object, before: str = "", cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run `asof ARGS...` in a folder, with an empty standard input; `before`: Python statements that its
    process runs first."""
    command = ["asof", *map(str, args)]
    (out, child_out), (err, child_err) = CONTEXT.Pipe(duplex=False), CONTEXT.Pipe(duplex=False)
    asked = (command, before, cwd or Path.cwd(), dict(os.environ), child_out, child_err)
    process = CONTEXT.Process(target=_run, args=asked)
    process.start()
    child_out.close()
    child_err.close()
    with ThreadPoolExecutor(2) as pool:
        said = pool.map(_read, (out, err))
        process.join(SECONDS)
        if process.exitcode is None:
            process.kill()
            raise TimeoutError(command)
        return subprocess.CompletedProcess(command, process.exitcode, *said)


def _read(pipe: Connection) -> str:
    with open(pipe.fileno(), encoding="utf-8", closefd=False) as file:
        return file.read()


def _run(
    command: Sequence[str], before: str, cwd: Path, env: Mapping[str, str], out: Connection, err: Connection
) -> None:
    """In the child: its output goes to the pipes."""
    os.dup2(out.fileno(), 1)
    os.dup2(err.fileno(), 2)
    out.close()
    err.close()
    os.environ.clear()
    os.environ.update(env)
    os.chdir(cwd)
    sys.argv = [*command]
    exec(before)  # noqa: S102
    sys.exit(run(cli))
