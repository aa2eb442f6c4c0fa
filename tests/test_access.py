"""What a user is told who may not read or write a corpus. Root is made to obey the rights of files."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from tests.support.forked_commands import Forked, run_command

import asof

pytestmark = pytest.mark.slow

OBEY = """
import ctypes, os
if os.geteuid() == 0:
    libc = ctypes.CDLL(None, use_errno=True)
    header, sets = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()
    assert libc.capget(header, sets) == 0
    for each in (0, 1):  # of what is in force and of what is permitted: CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
        sets[each] &= ~0b110
    assert libc.capset(header, sets) == 0
"""
"""From now on root has no more rights to files than their owner has."""

LATER = """
import asof
with asof.open(".", create=False) as corpus:
    corpus.search("quay")
    print("open", flush=True)
    input()
    print(*[hit.document for hit in corpus.search("crane").hits])
"""


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return run_command(*words, before=OBEY, cwd=folder)


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "ferry.md").write_text("The ferry leaves at noon.")
    with asof.open(tmp_path) as corpus:
        corpus.add(tmp_path / "notes")
    yield tmp_path
    for place in (tmp_path, *sorted(tmp_path.rglob("*"))):  # parents first
        place.chmod(0o700)


def test_a_corpus_that_may_only_be_read_is_searched_and_not_written(folder: Path) -> None:
    for place in (*(folder / ".asof").rglob("*"), folder / ".asof", folder):
        place.chmod(0o555)
    found = run(folder, "search", "ferry")
    assert (found.returncode, found.stderr) == (0, "")
    assert "leaves at noon" in found.stdout
    refused = run(folder, "index", "notes")
    assert refused.returncode == 2
    assert f"{folder / '.asof'} may not be written by the user " in refused.stderr


@pytest.mark.parametrize(
    ("place", "verb"),
    [(".asof", "entered"), (".asof/corpus.db", "read"), (".asof/segments", "read"), ("segment", "read")],
)
def test_the_path_and_the_right_that_is_missing_are_named(folder: Path, place: str, verb: str) -> None:
    (segment,) = (folder / ".asof" / "segments").iterdir()
    path = segment if place == "segment" else folder / place
    path.chmod(0)
    refused = run(folder, "search", "ferry")
    assert refused.returncode == 2
    assert refused.stderr.startswith(f"asof: {path} may not be {verb} by the user ")
    assert refused.stderr.endswith("ask for the right, or use a copy\n")
    assert refused.stderr.count("\n") == 1


def test_a_corpus_cannot_be_made_where_nothing_may_be_written(folder: Path) -> None:
    (folder / "notes").chmod(0o555)
    refused = run(folder / "notes", "index", "ferry.md", "--index", ".")
    assert refused.returncode == 2
    assert f"cannot make a corpus: {folder / 'notes'} may not be written by the user" in refused.stderr


def test_writes_that_are_still_in_the_log_need_the_right_to_write(folder: Path) -> None:
    database = folder / ".asof" / "corpus.db"
    writes = "import os, sqlite3, sys; db = sqlite3.connect(sys.argv[1]); "
    ends = "db.execute('INSERT INTO meta VALUES (1, 2)'); db.commit(); os._exit(0)"
    subprocess.run([sys.executable, "-c", writes + ends, database], check=True)
    assert database.with_name("corpus.db-wal").stat().st_size > 0
    (folder / ".asof").chmod(0o555)
    assert run(folder, "search", "ferry").returncode == 0  # SQLite has its shared memory still
    (folder / ".asof").chmod(0o755)
    database.with_name("corpus.db-shm").unlink()
    (folder / ".asof").chmod(0o555)
    refused = run(folder, "search", "ferry")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "corpus.db-wal holds the latest writes" in refused.stderr


def test_who_may_only_read_sees_what_is_written_meanwhile(folder: Path) -> None:
    """With an empty log beside it the database is taken for finished only if nobody has it open."""
    with asof.open(folder, create=False) as corpus:
        corpus.add([asof.Document("quay", "The quay is closed.")])
        with sqlite3.connect(folder / ".asof" / "corpus.db") as db:
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        db.close()
        (folder / ".asof").chmod(0o555)
        with closing(Forked(["-c"], f"{OBEY}\n{LATER}", folder)) as reader:
            assert reader.stdout.readline() == "open\n"
            corpus.add([asof.Document("crane", "The crane is red.")])
            reader.stdin.write("go\n")
            assert reader.finish().stdout == "crane\n"


def test_the_last_to_close_leaves_no_log(tmp_path: Path) -> None:
    """A reader that stays longer than the writer finds the log of the writer."""
    with asof.open(tmp_path) as corpus:
        corpus.add([asof.Document("a", "ferry")])
    reader = asof.open(tmp_path, create=False)
    reader.search("ferry")
    with asof.open(tmp_path, create=False) as writer:
        writer.add([asof.Document("b", "harbour " * 1000)])
    log = tmp_path / ".asof" / "corpus.db-wal"
    assert log.stat().st_size > 0
    reader.search("ferry")
    reader.close()
    assert not log.exists()
    with sqlite3.connect(tmp_path / ".asof" / "corpus.db") as db:
        assert db.execute("SELECT count(*) FROM documents").fetchone() == (2,)
    db.close()
