"""A source that lost much of what it stated: nothing ends by accident, and what ends stays in the past."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import asof

pytestmark = pytest.mark.slow

DOCUMENTS = 30
KEPT = 20  # a third is gone: 10 > 0.3 * 30


def documents(number: int) -> list[dict[str, str]]:
    return [
        {
            "id": f"d{at}",
            "title": f"note {at}",
            "published": f"2020-01-{at % 28 + 1:02d}",
            "text": f"island q{at}q",
        }
        for at in range(number)
    ]


@pytest.fixture
def source(memory_folder: Path, write_lines: Any) -> Path:
    path: Path = write_lines(memory_folder / "island.jsonl", documents(DOCUMENTS))
    with asof.open(memory_folder) as corpus:
        assert corpus.add(path).added == DOCUMENTS
    return path


def in_force(root: Path, as_of: str | None = None) -> set[str]:
    with asof.open(root, create=False) as corpus:
        return {hit.document for hit in corpus.at(as_of).search("island", 100).hits}


def names(number: int) -> set[str]:
    return {f"d{at}" for at in range(number)}


def test_the_command_stops_and_says_what_to_do(source: Path, write_lines: Any, run_asof: Any) -> None:
    write_lines(source, documents(KEPT))
    result = run_asof("index", source, "--index", source.parent)
    assert result.returncode == 2
    assert len(result.stderr.splitlines()) == 1
    assert "10 of the 30" in result.stderr
    assert "--yes" in result.stderr
    assert in_force(source.parent) == names(DOCUMENTS)


def test_yes_ends_them_and_the_past_stays(source: Path, write_lines: Any, run_asof: Any) -> None:
    write_lines(source, documents(KEPT))
    result = run_asof("index", source, "--index", source.parent, "--yes")
    assert (result.returncode, result.stderr) == (0, "")
    assert "10 removed" in result.stdout
    assert in_force(source.parent) == names(KEPT)
    assert in_force(source.parent, "2020-02-01") == names(DOCUMENTS)
    again = run_asof("index", source, "--index", source.parent)
    assert (again.returncode, "ended" in again.stdout) == (0, False)
    # they come back
    write_lines(source, documents(DOCUMENTS))
    assert run_asof("index", source, "--index", source.parent).returncode == 0
    assert in_force(source.parent) == names(DOCUMENTS)


@pytest.mark.parametrize("size", [0, 1, 200, 800, -1])
def test_a_truncated_file(source: Path, run_asof: Any, size: int) -> None:
    """Cut in the middle of a line or not: a broken line withholds every ending, a clean cut is a question."""
    whole = source.read_bytes()
    source.write_bytes(whole[:size])
    result = run_asof("index", source, "--index", source.parent)
    broken = not whole[:size].endswith(b"\n") and size not in (0, -1)
    assert result.returncode == (3 if broken else 0 if size == -1 else 2), result
    assert "Traceback" not in result.stderr
    assert in_force(source.parent) == names(DOCUMENTS)
    source.write_bytes(whole)
    assert f"{DOCUMENTS} unchanged" in run_asof("index", source, "--index", source.parent).stdout
