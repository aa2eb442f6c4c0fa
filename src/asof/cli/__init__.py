"""The command line. A command's module is imported when it runs: `asof --help` does not load the engine."""

from __future__ import annotations

import io
import sys


def main() -> None:
    """Entry point of the `asof` command."""
    for stream in (sys.stdout, sys.stderr):  # a name that is not UTF-8, a terminal that is not
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        from asof.cli.main import cli, run

        code = run(cli)
    except KeyboardInterrupt:  # before a command began
        code = 130
    sys.exit(code)
