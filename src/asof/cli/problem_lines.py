"""What could not be read of a dataset, as lines on standard error."""

from __future__ import annotations

from collections.abc import Sequence

from asof.cli.main import echo_err
from asof.data import Problem

MOST = 20
"""How many are shown."""


def note_problems(problems: Sequence[Problem]) -> None:
    """The first problems, and how many more there are."""
    for problem in problems[:MOST]:
        echo_err(f"  {problem}")
    if len(problems) > MOST:
        echo_err(f"  and {len(problems) - MOST:,} more problems: --json lists them all")
