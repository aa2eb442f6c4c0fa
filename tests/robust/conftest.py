"""What the tests of safety share: the real command in a process of its own."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tests.support.forked_commands import ForkedCommands

Run = ForkedCommands
WriteLines = Callable[[Path, Iterable[Mapping[str, Any]]], Path]


@pytest.fixture(scope="session")
def run_asof() -> Iterator[Run]:
    """Run `asof ARGS...`; `before`: Python statements that its process runs first."""
    with closing(ForkedCommands()) as commands:
        yield commands


@pytest.fixture(scope="session")
def write_lines() -> WriteLines:
    """Write records as JSON Lines; returns the path."""

    def write(path: Path, records: Iterable[Mapping[str, Any]]) -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(json.dumps(record) + "\n" for record in records))
        return path

    return write
