"""A corpus in the current folder, to import into."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import asof


@pytest.fixture
def folder(memory_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, empty."""
    monkeypatch.chdir(memory_folder)
    return memory_folder


@pytest.fixture
def corpus(folder: Path) -> Iterator[Any]:
    """A new corpus in the current folder."""
    with asof.open(folder) as opened:
        yield opened


@pytest.fixture
def write(folder: Path) -> Callable[[str, str | bytes], Path]:
    """Writes a file below the current folder."""

    def to(path: str, content: str | bytes) -> Path:
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.encode() if isinstance(content, str) else content)
        return file

    return to


@pytest.fixture
def counts() -> Callable[[Any], dict[str, int]]:
    """What a report counts, without zeros and passages."""

    def of(report: Any) -> dict[str, int]:
        names = ("added", "changed", "corrected", "unchanged", "ended", "failed")
        return {name: getattr(report, name) for name in names if getattr(report, name)}

    return of
