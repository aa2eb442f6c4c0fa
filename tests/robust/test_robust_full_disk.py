"""A full disk and a folder that must not be written: one clear line, and the corpus as it was."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import asof
from asof.errors import NoSpace

pytestmark = pytest.mark.slow

KIB = 1024


def documents(first: int, last: int) -> list[dict[str, str]]:
    return [
        {
            "id": f"d{number}", "title": f"note {number}", "published": f"2020-01-{number % 28 + 1:02d}",
            "text": f"island q{number}q " + " ".join(f"w{number * 31 % 1009 + at}w" for at in range(60)),
        }
        for number in range(first, last)
    ]  # fmt: skip


@pytest.fixture
def root(memory_folder: Path, write_lines: Any) -> Path:
    """A corpus of 30 documents of `island.jsonl`, which has grown to 900 since."""
    source = write_lines(memory_folder / "island.jsonl", documents(0, 30))
    with asof.open(memory_folder) as corpus:
        corpus.add(source)
    write_lines(source, documents(0, 900))
    return memory_folder


def limited(size: int) -> str:
    return f"import resource; resource.setrlimit(resource.RLIMIT_FSIZE, ({size}, {size}))"


def answers(root: Path) -> list[tuple[Any, ...]]:
    with asof.open(root, create=False) as corpus:
        assert corpus.check() == []
        found = []
        for question in ("island", "q7q", "w500w"):
            hits = corpus.at("2030-01-01").search(question, 1000).hits
            found += [(hit.id, hit.score, hit.place, hit.text) for hit in hits]
        return found


def assert_one_line(result: Any, *said: str) -> None:
    assert "Traceback" not in result.stderr
    assert result.returncode == 2, result
    assert len(result.stderr.splitlines()) == 1, result.stderr
    assert any(word in result.stderr for word in said), result.stderr


@pytest.mark.parametrize("size", [0, 3, 1000, 20 * KIB, 50 * KIB, 150 * KIB, 250 * KIB, 400 * KIB])
def test_full_while_indexing(root: Path, run_asof: Any, write_lines: Any, size: int) -> None:
    before = answers(root)
    result = run_asof("index", root / "island.jsonl", "--into", root, before=limited(size))
    assert_one_line(result, "full", "too large", "limit")
    assert answers(root) == before
    assert run_asof("index", root / "island.jsonl", "--into", root).returncode == 0
    whole = root / "whole"
    with asof.open(whole) as corpus:
        corpus.add(root / "island.jsonl")
    assert answers(root) == answers(whole)


@pytest.mark.parametrize("size", [0, 1000, 20 * KIB, 60 * KIB])
def test_full_from_the_start(memory_folder: Path, write_lines: Any, run_asof: Any, size: int) -> None:
    source = write_lines(memory_folder / "island.jsonl", documents(0, 300))
    result = run_asof("index", source, "--into", memory_folder, before=limited(size))
    assert_one_line(result, "full", "too large", "limit")
    assert run_asof("index", source, "--into", memory_folder).returncode == 0
    with asof.open(memory_folder, create=False) as corpus:
        assert len(corpus.at("2030-01-01").search("island", 1000).hits) == 300


def test_no_torn_file_is_left(root: Path, run_asof: Any) -> None:
    run_asof("index", root / "island.jsonl", "--into", root, before=limited(60 * KIB))
    with asof.open(root, create=False) as corpus:
        listed = {file for file, _, _ in corpus.status().segments}
    assert {path.name for path in (root / ".asof" / "segments").iterdir()} == listed


MERGE = """
import resource, sys, threading
import asof
corpus = asof.open(sys.argv[1])
corpus.maintenance.background = False
for number in range(12):
    corpus.add([asof.Document(f"m{number}", f"island {number} " + "words and " * 400)])
resource.setrlimit(resource.RLIMIT_FSIZE, (4000, 4000))
"""


@pytest.mark.parametrize("what", ["purge", "vacuum"])
def test_full_while_removing(root: Path, run_asof: Any, what: str) -> None:
    before = answers(root)
    args = ["purge", "d7", "--yes"] if what == "purge" else ["vacuum", "--before", "2021-01-01", "--yes"]
    assert_one_line(run_asof(*args, "--index", root, before=limited(1000)), "full", "too large", "limit")
    assert answers(root) == before
    assert run_asof(*args, "--index", root).returncode == 0


def test_full_while_rebuilding(root: Path, run_asof: Any) -> None:
    """A damaged segment cannot be rebuilt: a line says so; with room again it can."""
    before = answers(root)
    with asof.open(root, create=False) as corpus:
        ((file, _, _),) = corpus.status().segments
    (root / ".asof" / "segments" / file).write_bytes(b"")
    result = run_asof("search", "island", "--index", root, before=limited(1000))
    assert_one_line(result, "full", "too large", "limit")
    with asof.open(root, create=False) as corpus:
        assert len(corpus.check()) == 1
    assert answers(root) == before


def test_full_while_merging(root: Path) -> None:
    child = MERGE + (
        "try:\n    corpus.tidy()\nexcept asof.AsofError as error:\n    print(type(error).__name__)\n"
        "corpus.maintenance.background = True\ncorpus.maintenance.tidy_behind()\ncorpus.close()\n"
    )
    done = subprocess.run(
        [sys.executable, "-B", "-c", child, str(root)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, f"{NoSpace.__name__}\n")
    assert "Traceback" not in done.stderr
    with asof.open(root) as corpus:
        assert corpus.tidy() == 1
        assert len(corpus.search("island", k=100).hits) == 30 + 12


# -- a folder that must not be written --------------------------------------------------------------


@pytest.fixture
def read_only(root: Path) -> Iterator[Path]:
    """The same corpus, which nobody may write."""
    root.chmod(0o755)
    folder = root / ".asof"
    for path in sorted(folder.rglob("*")):
        path.chmod(0o555 if path.is_dir() else 0o444)
    folder.chmod(0o555)
    yield root
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o755)


WITHOUT_RIGHTS = """
import ctypes
libc = ctypes.CDLL(None)
header, sets = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()
assert libc.capget(header, sets) == 0
sets[0] &= ~(1 << 1)
assert libc.capset(header, sets) == 0
"""
"""Root may write everywhere; a child of root gives up that right (CAP_DAC_OVERRIDE)."""


def without_rights() -> str:
    return WITHOUT_RIGHTS if os.getuid() == 0 else ""


def test_indexing_into_a_folder_that_must_not_be_written(read_only: Path, run_asof: Any) -> None:
    result = run_asof(
        "index", read_only / "island.jsonl", "--into", read_only, before=without_rights(), cwd=Path("/")
    )
    assert_one_line(result, "denied", "readonly", "unable to open")


def test_making_a_corpus_where_one_must_not_write(read_only: Path, run_asof: Any) -> None:
    folder = read_only / ".asof" / "inner"
    result = run_asof(
        "index", read_only / "island.jsonl", "--into", folder, before=without_rights(), cwd=Path("/")
    )
    assert_one_line(result, "denied")


def test_searching_in_a_folder_that_must_not_be_written(read_only: Path, run_asof: Any) -> None:
    expected = run_asof("search", "q7q", "--as-of", "2030", "--index", read_only)
    result = run_asof(
        "search", "q7q", "--as-of", "2030", "--index", read_only, before=without_rights(), cwd=Path("/")
    )
    assert (result.returncode, result.stdout, result.stderr) == (0, expected.stdout, "")


def test_rebuilding_in_a_folder_that_must_not_be_written(read_only: Path, run_asof: Any) -> None:
    for path in (read_only / ".asof" / "segments").iterdir():
        path.chmod(0o644)
        path.write_bytes(b"")
        path.chmod(0o444)
    result = run_asof("search", "q7q", "--index", read_only, before=without_rights(), cwd=Path("/"))
    assert_one_line(result, "denied", "readonly", "unable to open")
