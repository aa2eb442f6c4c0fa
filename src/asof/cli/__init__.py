"""The command line. Each command's room is loaded when it runs; `asof --help` loads none of the engine."""

from __future__ import annotations

import sys


def main() -> None:
    """Entry point of the `asof` command."""
    from asof.cli.main import cli, run

    sys.exit(run(cli))
