"""Erasure leaves nothing behind; dropping history changes no answer that is still given."""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
import tempfile
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import asof
from asof.data import Document, Ended, Heading, Link, Stated
from asof.errors import BeforeHorizon, UsageError
from asof.index.segment import Segment
from asof.service import Standpoint
from asof.text.tokens import term_hash
from asof.time.span import Span, iso, moment

DAY = 86_400_000_000
MARKER = "zanzibarquux"


def day(number: int) -> Stated:
    start = moment(number * DAY)
    return Stated(Span(start, moment((number + 1) * DAY)), iso(number * DAY)[:10], "metadata")


# -- purge ------------------------------------------------------------------------------------------


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
    with asof.open(memory_folder, settings=asof.Settings(stem=False)) as corpus:
        corpus.background = False
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


def test_the_scores_are_those_of_a_corpus_that_never_had_it(corpus: asof.Corpus, memory_folder: Path) -> None:
    corpus.purge(f"notes/{MARKER}")
    with asof.open(memory_folder / "never", settings=asof.Settings(stem=False)) as never:
        for version in range(4):
            never.add([Document(f"other{version}", f"the other island {version}", published=day(version))])
        never.add([Document("last", "the last island links", links=(Link("other1"),))])
        for at in ("1970-01-03", "2030"):
            here, there = (c.at(at).search("other island", 50).hits for c in (corpus, never))
            assert [(h.id, h.score, h.why) for h in here] == [(h.id, h.score, h.why) for h in there]


def test_nothing_is_left_after_merging(corpus: asof.Corpus, memory_folder: Path) -> None:
    assert corpus.tidy() == 1
    corpus.purge(f"notes/{MARKER}")
    assert (traces(memory_folder), indexed(memory_folder)) == ([], [])


def test_nothing_is_left_in_files_of_a_killed_process(corpus: asof.Corpus, memory_folder: Path) -> None:
    folder = memory_folder / ".asof" / "segments"
    for path in list(folder.iterdir()):
        shutil.copy(path, folder / f"0{path.name}")
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
    assert corpus.check() == []
    assert indexed(memory_folder) == []


def test_purge_by_the_command(corpus: asof.Corpus, memory_folder: Path, run_asof: Any) -> None:
    refused = run_asof("purge", f"notes/{MARKER}", "--index", memory_folder)
    assert refused.returncode != 0
    assert traces(memory_folder)
    assert run_asof("purge", f"notes/{MARKER}", "--yes", "--index", memory_folder).returncode == 0
    assert (traces(memory_folder), indexed(memory_folder)) == ([], [])
    again = run_asof("purge", f"notes/{MARKER}", "--yes", "--index", memory_folder)
    assert (again.returncode, len(again.stderr.splitlines())) == (2, 1)


def test_it_can_come_back(corpus: asof.Corpus) -> None:
    corpus.purge(f"notes/{MARKER}")
    assert corpus.add([secret(2)]).added == 1
    assert corpus.add([secret(2)]).unchanged == 1
    assert corpus.at("2030").search(MARKER).hits[0].document == f"notes/{MARKER}"
    assert corpus.check() == []


def test_an_unknown_document_is_refused(corpus: asof.Corpus) -> None:
    with pytest.raises(UsageError, match="no document 'nobody'"):
        corpus.purge("nobody")


# -- vacuum -----------------------------------------------------------------------------------------

WORDS = ("mill", "ferry", "bread", "storm")
DOCUMENTS, DATES = 2, 6


@dataclass(frozen=True)
class Event:
    """What happens on a day of the clock: kind, document, its date, its passages, days before it."""

    kind: str
    document: int
    date: int | None
    passages: tuple[int, ...]
    wait: int


EVENTS = st.lists(
    st.builds(
        Event,
        st.sampled_from(["state"] * 6 + ["end", "correct", "merge"]),
        st.integers(0, DOCUMENTS - 1),
        st.one_of(st.none(), st.integers(0, DATES), st.integers(0, DATES)),
        st.lists(st.integers(0, len(WORDS) - 1), min_size=1, max_size=3).map(tuple),
        st.integers(0, 2),
    ),
    min_size=2,
    max_size=9,
)


class Clock:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.now = 0

    def __call__(self) -> int:
        return self.now


def document(event: Event) -> Document:
    """Each passage stands below a heading of its own."""
    text, outline = "", []
    for word in event.passages:
        outline.append(Heading(len(text), 1, f"on {WORDS[word]}"))
        text += f"# on {WORDS[word]}\n{WORDS[word]} island\n"
    published = None if event.date is None else day(event.date)
    return Document(f"d{event.document}", text, "title", published, outline=tuple(outline))


def happen(corpus: asof.Corpus, event: Event) -> None:
    clock = corpus.clock
    assert isinstance(clock, Clock)
    clock.now += event.wait * DAY + 1_000
    name = f"d{event.document}"
    if event.kind == "state":
        corpus.add([document(event)])
    elif event.kind == "end":
        at = day(event.date) if event.date is not None else Stated(Span.at(moment(clock.now)), "now", "git")
        corpus.add([Ended(name, at)])
    elif event.kind == "merge":
        corpus.tidy()
    else:
        with contextlib.suppress(UsageError):  # there is nothing to correct
            corpus.correct(name, moment((event.date or 0) * DAY))


def new_corpus(folder: Path) -> asof.Corpus:
    corpus = asof.open(folder, settings=asof.Settings(stem=False))
    corpus.clock = Clock()
    corpus.background = False
    return corpus


def views(corpus: asof.Corpus, horizon: int) -> list[Standpoint]:
    """Some views not before the horizon: as of near days and the far end, known early, later, and now."""
    days = [horizon, horizon + DAY, horizon + 2 * DAY, horizon + DATES * DAY, 1000 * DAY]
    learned = corpus._db.execute("SELECT id FROM transactions WHERE id >= ?", (horizon,)).fetchall()
    known = [horizon, *(at for (at,) in learned[:-1][-2:]), None]
    return [Standpoint(corpus, as_of, known_at) for as_of in days for known_at in known]


def told(standpoint: Standpoint) -> list[Any]:
    hits = standpoint.search("mill ferry bread storm island", 50).hits
    return [
        [(hit.id, hit.score, hit.published, hit.place, hit.text, hit.why) for hit in hits],
        [standpoint.text(f"d{number}") for number in range(DOCUMENTS)],
    ]


def folder_in_memory() -> Path:
    return Path(tempfile.mkdtemp(dir="/dev/shm" if Path("/dev/shm").is_dir() else None))  # noqa: S108


def drop(corpus: asof.Corpus, back: int) -> int:
    """Vacuum so many half days before now; returns the horizon."""
    horizon = max(corpus.clock() - back * DAY // 2, 1)
    corpus.vacuum(moment(horizon))
    return horizon


@settings(max_examples=40)
@given(EVENTS, st.integers(0, 12))
def test_views_from_the_horizon_on_stay_as_they_are(history: Sequence[Event], back: int) -> None:
    folder = folder_in_memory()
    try:
        with new_corpus(folder) as corpus:
            for event in history:
                happen(corpus, event)
            horizon = max(corpus.clock() - back * DAY // 2, 1)
            standpoints = views(corpus, horizon)
            before = [told(standpoint) for standpoint in standpoints]
            assert drop(corpus, back) == horizon
            for standpoint, was in zip(standpoints, before, strict=True):
                assert told(standpoint) == was, (standpoint.as_of, standpoint.known_at)
            for as_of, known_at in ((horizon - 1, None), (horizon, horizon - 1)):
                with pytest.raises(BeforeHorizon):
                    Standpoint(corpus, as_of, known_at).search("mill")
            assert corpus.check() == []
            assert corpus.vacuum(moment(horizon)) == 0
    finally:
        shutil.rmtree(folder)


@settings(max_examples=40)
@given(EVENTS, st.integers(0, 12), EVENTS, st.booleans())
def test_life_goes_on_after_a_removal(
    history: Sequence[Event], back: int, later: Sequence[Event], purge: bool
) -> None:
    """Edits, back-dated versions, endings, corrections: each can be taken in, and again changes nothing."""
    folder = folder_in_memory()
    try:
        with new_corpus(folder) as corpus:
            for event in history:
                happen(corpus, event)
            horizon = drop(corpus, back) if not purge else 1
            if purge and corpus._db.execute("SELECT 1 FROM documents WHERE name = 'd0'").fetchone():
                corpus.purge("d0")
            for event in later:
                happen(corpus, event)
                if event.kind == "state":
                    assert corpus.add([document(event)]).unchanged == 1
                assert corpus.check() == []
            for standpoint in views(corpus, horizon):
                told(standpoint)  # nothing that is needed is missing
            last = Standpoint(corpus, 1000 * DAY, None)
            now = told(last)
            drop(corpus, 0)
            assert told(last) == now
            assert corpus.check() == []
    finally:
        shutil.rmtree(folder)
