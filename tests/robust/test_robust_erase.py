"""Erasure leaves nothing behind: no text, no hash of a term, in no file."""

from __future__ import annotations

import contextlib
import itertools
import os
import shutil
import signal
import sqlite3
import sys
import threading
import time
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import pytest
from tests.support.forked_commands import CONTEXT

import asof
from asof.documents import Document, Heading, Link, SourcedTime
from asof.errors import DocumentNotFound
from asof.index.segment import Segment
from asof.store.store import ERASING
from asof.text.tokens import term_hash
from asof.time.span import Span, iso, moment

pytestmark = pytest.mark.slow

DAY = 86_400_000_000
MARKER = "zanzibarquux"


def day(number: int) -> SourcedTime:
    start = moment(number * DAY)
    return SourcedTime(Span(start, moment((number + 1) * DAY)), iso(number * DAY)[:10], "metadata")


def secret(version: int) -> Document:
    return Document(
        f"notes/{MARKER}", f"# {MARKER}\nthe {MARKER} island, version {version} " + "long text " * 300,
        f"about {MARKER}", day(version), links=(Link(MARKER),), tags=(MARKER,), aliases=(MARKER,),
        meta={"key": MARKER}, outline=(Heading(0, 1, MARKER),), uri=f"file:{MARKER}",
    )  # fmt: skip


def traces(folder: Path) -> list[str]:
    """Files below `folder` in which the marker stands, in any case."""
    return [
        path.name for path in folder.rglob("*")
        if path.is_file() and MARKER.encode() in path.read_bytes().lower()
    ]  # fmt: skip


def indexed(folder: Path) -> list[str]:
    """Segment files, named in the database or not, that have the marker's hash among their terms."""
    return [
        path.name
        for path in (folder / ".asof" / "segments").iterdir()
        if Segment(path)["terms"].tolist().count(term_hash(MARKER))
    ]


@pytest.fixture
def corpus(memory_folder: Path) -> Any:
    with asof.open(memory_folder, settings=asof.CorpusSettings(stem=False)) as corpus:
        corpus.maintenance.background = False
        for version in range(4):
            corpus.add([Document(f"other{version}", f"the other island {version}", published=day(version))])
            corpus.add([secret(version)])
        corpus.correct(f"notes/{MARKER}", moment(20 * DAY))
        corpus.add([Document("last", "the last island links", links=(Link("other1"),))])
        yield corpus


def seen(corpus: asof.Corpus, question: str) -> list[tuple[Any, ...]]:
    hits = corpus.at("2030").search(question, 100).hits
    return [(hit.document, hit.text, hit.published, hit.place) for hit in hits]


def test_nothing_is_left(corpus: asof.Corpus, memory_folder: Path) -> None:
    assert indexed(memory_folder)
    assert traces(memory_folder)
    others = [hit for hit in seen(corpus, "island") if hit[0] != f"notes/{MARKER}"]
    assert len(others) == 5
    assert corpus.purge(f"notes/{MARKER}") > 0
    assert traces(memory_folder) == []
    assert indexed(memory_folder) == []
    assert sorted(map(str, seen(corpus, "island"))) == sorted(map(str, others))
    assert corpus.at("2030").text("other2") == "the other island 2"
    assert corpus.check() == []


def test_nothing_is_left_in_files_of_a_killed_process(corpus: asof.Corpus, memory_folder: Path) -> None:
    folder = memory_folder / ".asof" / "segments"
    for path in list(folder.iterdir()):
        shutil.copy(path, folder / f"{path.stem[::-1]}.seg")
    corpus.purge(f"notes/{MARKER}")
    assert (traces(memory_folder), indexed(memory_folder)) == ([], [])


def test_nothing_is_left_where_somebody_was_reading(corpus: asof.Corpus, memory_folder: Path) -> None:
    """The write-ahead log cannot be emptied while a reader needs it: the purge waits for him."""
    reader = sqlite3.connect(memory_folder / ".asof" / "corpus.db", check_same_thread=False)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM passages").fetchone()

    def leave() -> None:
        time.sleep(0.5)
        reader.close()

    leaving = threading.Thread(target=leave)
    leaving.start()
    corpus.purge(f"notes/{MARKER}")
    leaving.join()
    assert (traces(memory_folder), indexed(memory_folder)) == ([], [])


def test_a_damaged_segment_is_no_hiding_place(corpus: asof.Corpus, memory_folder: Path) -> None:
    for path in (memory_folder / ".asof" / "segments").iterdir():
        path.write_bytes(path.read_bytes()[:-1])
    corpus.purge(f"notes/{MARKER}")
    assert traces(memory_folder) == []
    assert corpus.check() == []  # what the other damaged ones held cannot be known, so all were rebuilt
    assert indexed(memory_folder) == []


# -- killed while it erases -----------------------------------------------------------------------------


def erase(folder: Path, kill_at: int, told: Connection) -> None:
    """In the child: erase, killed before step `kill_at`; a step is a statement of SQL, or a file that is
    opened, renamed or removed. Tells the steps."""
    steps: list[str] = []

    def step(what: str) -> None:
        steps.append(what)
        if len(steps) == kill_at:
            os.kill(os.getpid(), signal.SIGKILL)

    def heard(event: str, _arguments: tuple[Any, ...]) -> None:
        if event in ("open", "os.remove", "os.rename", "os.rmdir", "shutil.rmtree"):
            step(event)

    def traced(*arguments: Any, **options: Any) -> sqlite3.Connection:
        db: sqlite3.Connection = connect(*arguments, **options)
        db.set_trace_callback(step)
        return db

    connect = sqlite3.connect
    sqlite3.connect = traced  # type: ignore[assignment]  # of this process, which ends
    with asof.open(folder, create=False) as corpus:
        corpus.maintenance.background = False
        sys.addaudithook(heard)
        corpus.purge(f"notes/{MARKER}")
        told.send(list(steps))


def killed(folder: Path, kill_at: int) -> list[str]:
    """The steps of a purge that was not killed."""
    hears, told = CONTEXT.Pipe(duplex=False)
    process = CONTEXT.Process(target=erase, args=(folder, kill_at, told))
    process.start()
    told.close()
    steps: list[str] = []
    with contextlib.suppress(EOFError):
        steps = hears.recv()
    process.join()
    assert process.exitcode == (0 if steps else -signal.SIGKILL)
    return steps


def index_again(corpus: asof.Corpus) -> None:
    assert corpus.add([Document("last", "the last island links", links=(Link("other1"),))]).written == 0


def purge_again(corpus: asof.Corpus) -> None:
    with pytest.raises(DocumentNotFound):
        corpus.purge(f"notes/{MARKER}")


def check(corpus: asof.Corpus) -> None:
    (line,) = corpus.check()
    assert line == "index: the removal of texts from files had been interrupted, and was finished"


def test_killed_at_every_step_of_erasing(corpus: asof.Corpus, memory_folder: Path) -> None:
    corpus.close()
    first = memory_folder / "first"
    first.mkdir()
    (memory_folder / ".asof").rename(first / ".asof")
    whole = shutil.copytree(first, memory_folder / "whole")
    steps = killed(whole, 0)
    assert traces(whole) == []
    erased = steps.index("COMMIT") + 2  # counted from 1, and a step is killed before it is done
    assert len(steps) - erased > 20, steps
    ways = itertools.cycle((index_again, purge_again, check))
    unfinished = 0
    for number in (erased // 3, erased - 1, *range(erased, len(steps) + 1)):
        folder = shutil.copytree(first, memory_folder / "killed")
        assert killed(folder, number) == []
        with asof.open(folder, create=False) as again:
            if again.maintenance.removing():
                assert number >= erased
                unfinished += 1
                (folder / ".asof" / "derived" / "kind").mkdir(parents=True, exist_ok=True)
                (folder / ".asof" / "derived" / "kind" / "late").write_text(MARKER)  # by who was reading
                next(ways)(again)
            elif number < erased:
                assert again.purge(f"notes/{MARKER}") > 0
        left = traces(folder), indexed(folder)
        assert left == ([], []), f"killed before step {number}, {steps[number - 1]}"
        with asof.open(folder, create=False) as again:
            assert not again.maintenance.removing()
            assert again.check() == []
        shutil.rmtree(folder)
    assert unfinished > 20


def test_the_command_finishes_what_it_does_not_find(
    corpus: asof.Corpus, memory_folder: Path, run_asof: Any
) -> None:
    corpus.purge(f"notes/{MARKER}")
    corpus.close()
    (memory_folder / ".asof" / "segments" / f"{'0' * 16}.seg").write_text(MARKER)
    with contextlib.closing(sqlite3.connect(memory_folder / ".asof" / "corpus.db")) as db:
        db.execute("INSERT INTO meta VALUES (?, '1')", (ERASING,))
        db.commit()
    done = run_asof("purge", "--yes", f"notes/{MARKER}", "--index", str(memory_folder))
    assert (done.returncode, traces(memory_folder)) == (2, []), done.stderr
