"""A full disk and a folder that must not be written: one clear line, and the corpus as it was."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import asof
from asof.errors import NoSpace

from .conftest import island

pytestmark = pytest.mark.slow

KIB = 1024
FULL = ("full", "too large", "limit")

Answers = list[tuple[Any, ...]]


FEW, MANY = 40, 300
"""So many documents has the corpus, and its source by now."""


@pytest.fixture
def grown(root: Path, write_lines: Any) -> Path:
    """The corpus of an island of which a third version is there, with more documents."""
    write_lines(root / "island.jsonl", island(3, MANY))
    return root


@pytest.fixture(scope="module")
def whole(sound: Path, tmp_path_factory: pytest.TempPathFactory, write_lines: Any) -> Answers:
    """What the corpus answers when all that is there has been indexed."""
    folder = tmp_path_factory.mktemp("whole") / "island"
    shutil.copytree(sound, folder)
    with asof.open(folder) as corpus:
        corpus.add(write_lines(folder / "island.jsonl", island(3, MANY)))
    return answers(folder)


def limited(size: int) -> str:
    return f"import resource; resource.setrlimit(resource.RLIMIT_FSIZE, ({size}, {size}))"


def answers(root: Path) -> Answers:
    with asof.open(root, create=False) as corpus:
        assert corpus.check() == []
        return [
            (hit.id, hit.score, hit.place, hit.text)
            for question in ("island", "q7q", "mill storm")
            for hit in corpus.at("2030-01-01").search(question, MANY)
        ]


def assert_one_line(result: Any, *said: str) -> None:
    assert "Traceback" not in result.stderr
    assert result.returncode == 2, result
    assert len(result.stderr.splitlines()) == 1, result.stderr
    assert any(word in result.stderr for word in said), result.stderr


@pytest.mark.parametrize("size", [0, 3, 1000, 20 * KIB, 50 * KIB, 100 * KIB, 150 * KIB])
def test_full_while_indexing(grown: Path, whole: Answers, run_asof: Any, size: int) -> None:
    before = answers(grown)
    result = run_asof("index", grown / "island.jsonl", "--index", grown, before=limited(size))
    assert_one_line(result, *FULL)
    assert answers(grown) == before
    with asof.open(grown, create=False) as corpus:
        listed = {file for file, _, _ in corpus.status().segments}
    assert {path.name for path in (grown / ".asof" / "segments").iterdir()} == listed, "no file is left"
    assert run_asof("index", grown / "island.jsonl", "--index", grown).returncode == 0
    assert answers(grown) == whole


@pytest.mark.parametrize("size", [0, 1000, 20 * KIB, 60 * KIB])
def test_full_from_the_start(memory_folder: Path, write_lines: Any, run_asof: Any, size: int) -> None:
    source = write_lines(memory_folder / "island.jsonl", island(1, MANY))
    result = run_asof("index", source, "--index", memory_folder, before=limited(size))
    assert_one_line(result, *FULL)
    assert run_asof("index", source, "--index", memory_folder).returncode == 0
    with asof.open(memory_folder, create=False) as corpus:
        assert len(corpus.at("2030-01-01").search("island", 1000).hits) == MANY


@pytest.mark.parametrize("command", ["purge d7 --yes", "vacuum 2021-02-15 --yes"])
def test_full_while_removing(root: Path, run_asof: Any, command: str) -> None:
    before = answers(root)
    args = [*command.split(), "--index", root]
    assert_one_line(run_asof(*args, before=limited(1000)), *FULL)
    assert answers(root) == before
    assert run_asof(*args).returncode == 0


def test_full_while_rebuilding(root: Path, run_asof: Any) -> None:
    """A damaged segment cannot be rebuilt: a line says so; with room again it can."""
    before = answers(root)
    next((root / ".asof" / "segments").iterdir()).write_bytes(b"")
    assert_one_line(run_asof("search", "island", "--index", root, before=limited(1000)), *FULL)
    with asof.open(root, create=False) as corpus:
        assert len(corpus.check()) == 1
    assert answers(root) == before


MERGE = """
import resource, sys, threading
import asof
corpus = asof.open(sys.argv[1])
corpus.maintenance.background = False
for number in range(12):
    corpus.add([asof.Document(f"m{number}", f"island {number} " + "words and " * 400)])
resource.setrlimit(resource.RLIMIT_FSIZE, (4000, 4000))
"""


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
        assert len(corpus.search("island", k=100).hits) == FEW + 12


# -- a folder that must not be written --------------------------------------------------------------


@pytest.fixture
def read_only(grown: Path) -> Iterator[Path]:
    """The same corpus, which nobody may write."""
    grown.chmod(0o755)
    folder = grown / ".asof"
    for path in sorted(folder.rglob("*")):
        path.chmod(0o555 if path.is_dir() else 0o444)
    folder.chmod(0o555)
    yield grown
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


DENIED = ("denied", "readonly", "unable to open")


def test_writing_into_a_folder_that_must_not_be_written(read_only: Path, run_asof: Any) -> None:
    """Nor may a corpus be made in it."""
    index = ("index", read_only / "island.jsonl", "--index")
    for folder, said in ((read_only, DENIED), (read_only / ".asof" / "inner", DENIED[:1])):
        assert_one_line(run_asof(*index, folder, before=without_rights(), cwd=Path("/")), *said)


def test_searching_in_a_folder_that_must_not_be_written(read_only: Path, run_asof: Any) -> None:
    search = ("search", "q7q", "--as-of", "2030", "--index", read_only)
    expected = run_asof(*search)
    result = run_asof(*search, before=without_rights(), cwd=Path("/"))
    assert (result.returncode, result.stdout, result.stderr) == (0, expected.stdout, "")
    for path in (read_only / ".asof" / "segments").iterdir():  # these cannot be rebuilt
        path.chmod(0o644)
        path.write_bytes(b"")
        path.chmod(0o444)
    assert_one_line(run_asof(*search, before=without_rights(), cwd=Path("/")), *DENIED)
