"""What the tests of safety share: the real command in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

COMMAND = "from asof.cli import main; main()"

Run = Callable[..., subprocess.CompletedProcess[str]]
WriteLines = Callable[[Path, Iterable[Mapping[str, Any]]], Path]


@pytest.fixture(scope="session")
def run_asof() -> Run:
    """Run `asof ARGS...`; `before`: Python statements that its process runs first."""

    def run(*args: object, before: str = "", cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-B", "-c", f"{before}\n{COMMAND}", *map(str, args)],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, cwd=cwd, check=False,
        )  # fmt: skip

    return run


@pytest.fixture(scope="session")
def write_lines() -> WriteLines:
    """Write records as JSON Lines; returns the path."""

    def write(path: Path, records: Iterable[Mapping[str, Any]]) -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(json.dumps(record) + "\n" for record in records))
        return path

    return write
