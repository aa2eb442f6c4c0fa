"""Erasure leaves nothing behind: no text, no hash of a term, in no file."""

from __future__ import annotations

import shutil
import sqlite3
import threading
import time
from pathlib import Path
from typing import Any

import pytest

import asof
from asof.documents import Document, Heading, Link, SourcedTime
from asof.index.segment import Segment
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
