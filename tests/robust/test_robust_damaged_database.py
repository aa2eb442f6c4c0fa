"""A damaged database cannot be rebuilt: one clear line says so, whatever is done with the corpus."""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path
from typing import Any

import pytest

import asof
from asof.errors import DamagedStore

pytestmark = pytest.mark.slow


def documents(version: int) -> list[dict[str, str]]:
    return [
        {
            "id": f"d{number}", "title": f"note {number}",
            "published": f"202{version}-01-{number % 28 + 1:02d}",
            "text": f"the ferry {number} of version {version}",
        }
        for number in range(40)
    ]  # fmt: skip


@pytest.fixture
def root(memory_folder: Path, write_lines: Any) -> Path:
    with asof.open(memory_folder) as corpus:
        for version in (1, 2):
            corpus.add(write_lines(memory_folder / "island.jsonl", documents(version)))
    return memory_folder


def corrupt(path: Path, how: str) -> None:
    with contextlib.closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        roots = dict(db.execute("SELECT name, rootpage FROM sqlite_schema").fetchall())
        size = db.execute("PRAGMA page_size").fetchone()[0]
    data = bytearray(path.read_bytes())
    if how == "noise":
        data[:] = bytes(value * 7 % 251 for value in range(len(data)))
    elif how == "header":
        data[3] ^= 1
    elif how == "pages":
        data[4096:] = bytes([0xA5]) * (len(data) - 4096)
    elif how == "half":
        del data[len(data) // 2 :]
    else:
        page = size * (roots[how] - 1)
        data[page : page + size] = bytes([0xA5]) * size
    path.write_bytes(data)


@pytest.mark.parametrize("how", ["noise", "header", "pages", "half", "passages", "versions", "segments"])
@pytest.mark.parametrize(
    "command", [("search", "ferry", "--index"), ("status", "--index"), ("status", "--check", "--index")]
)
def test_a_damaged_database_is_one_clear_line(
    root: Path, run_asof: Any, how: str, command: tuple[str, ...]
) -> None:
    corrupt(root / ".asof" / "corpus.db", how)
    result = run_asof(*command, root)
    assert "Traceback" not in result.stderr
    if (how, command) == ("passages", ("status", "--index")):
        assert result.returncode == 0  # counts stand in the indices, which are sound
    elif command[1] == "--check" and result.returncode == 3:
        assert "corpus.db" in result.stdout  # it was read to its end, and its faults were listed
    else:
        assert result.returncode == 2
        assert len(result.stderr.splitlines()) == 1
        assert "not a sound database" in result.stderr


@pytest.mark.parametrize("how", ["noise", "header", "pages", "half", "passages", "versions", "segments"])
def test_indexing_into_a_damaged_database(root: Path, run_asof: Any, write_lines: Any, how: str) -> None:
    corrupt(root / ".asof" / "corpus.db", how)
    write_lines(root / "island.jsonl", documents(3))
    result = run_asof("index", root / "island.jsonl", "--into", root)
    assert "Traceback" not in result.stderr
    assert result.returncode == 2
    assert len(result.stderr.splitlines()) == 1
    assert "not a sound database" in result.stderr


@pytest.mark.parametrize("how", ["noise", "pages", "passages", "versions", "segments"])
def test_a_damaged_database_for_a_program(root: Path, how: str) -> None:
    corrupt(root / ".asof" / "corpus.db", how)

    def use() -> None:
        with asof.open(root, create=False) as corpus:
            corpus.search("ferry")

    with pytest.raises(DamagedStore):
        use()
