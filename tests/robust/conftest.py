"""What the tests of safety share: the real command in a process of its own."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.support.forked_commands import run_command

import asof

WriteLines = Callable[[Path, Iterable[Mapping[str, Any]]], Path]


@pytest.fixture(scope="session")
def run_asof() -> Callable[..., subprocess.CompletedProcess[str]]:
    return run_command


@pytest.fixture(scope="session")
def write_lines() -> WriteLines:
    """Write records as JSON Lines; returns the path."""

    def write(path: Path, records: Iterable[Mapping[str, Any]]) -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(json.dumps(record) + "\n" for record in records))
        return path

    return write


TOWNS = ["mill", "ferry", "bread", "storm", "rope", "snow", "price", "chair", "bell", "fog", "tide", "oak"]


def island(version: int, documents: int = 40) -> list[dict[str, str]]:
    """Records of the documents of an island in a version."""
    return [
        {
            "id": f"d{number}", "title": f"note {number}",
            "published": f"202{version}-01-{number % 28 + 1:02d}",
            "text": " ".join(TOWNS[(number * (at + version) + at) % 12] for at in range(9))
            + f" island q{number}q v{version} in {1900 + number}",
        }
        for number in range(documents)
    ]  # fmt: skip


@pytest.fixture(scope="session")
def sound(tmp_path_factory: pytest.TempPathFactory, write_lines: WriteLines) -> Path:
    """A corpus of two segments, 40 documents of `island.jsonl`, each in two versions: to be copied."""
    root = tmp_path_factory.mktemp("sound")
    with asof.open(root) as corpus:
        corpus.maintenance.background = False
        for version in (1, 2):
            corpus.add(write_lines(root / "island.jsonl", island(version)))
        assert len(corpus.status().segments) == 2
    return root


@pytest.fixture
def root(sound: Path, memory_folder: Path) -> Path:
    """A copy of that corpus."""
    return Path(shutil.copytree(sound, memory_folder / "island"))
