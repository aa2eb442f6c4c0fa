"""Dropping history changes no answer that is still given, and life goes on after it (and after a purge)."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.rows import db_of

import asof
from asof.corpus.snapshot import Snapshot
from asof.errors import BeforeHorizon, UsageError
from asof.time.moment import read
from asof.time.span import Span, iso, moment
from asof.values import Document, Ended, Heading, SourcedTime

pytestmark = pytest.mark.slow

DAY = 86_400_000_000
WORDS = ("mill", "ferry", "bread", "storm")
DOCUMENTS, DATES = 2, 6


def day(number: int) -> SourcedTime:
    start = moment(number * DAY)
    return SourcedTime(Span(start, moment((number + 1) * DAY)), iso(number * DAY)[:10], "metadata")


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
    clock = corpus.session.clock
    assert isinstance(clock, Clock)
    clock.now += event.wait * DAY + 1_000
    name = f"d{event.document}"
    if event.kind == "state":
        corpus.add([document(event)])
    elif event.kind == "end":
        at = (
            day(event.date)
            if event.date is not None
            else SourcedTime(Span.at(moment(clock.now)), "now", "git")
        )
        corpus.add([Ended(name, at)])
    elif event.kind == "merge":
        corpus.tidy()
    else:
        with contextlib.suppress(UsageError):  # there is nothing to correct
            corpus.correct(name, moment((event.date or 0) * DAY))


def new_corpus(folder: Path) -> asof.Corpus:
    corpus = asof.open(folder, settings=asof.CorpusSettings(stem=False))
    corpus.session.clock = Clock()
    corpus.maintenance.background = False
    return corpus


def head_of(corpus: asof.Corpus) -> int:
    head: int = db_of(corpus).execute("SELECT coalesce(max(id), 0) FROM transactions").fetchone()[0]
    return head


def views(corpus: asof.Corpus, horizon: int, known_from: int) -> list[Snapshot]:
    """Some views that are still given: as of near days and the far end, known early, later, and now."""
    days = [horizon, horizon + DAY, horizon + 2 * DAY, horizon + DATES * DAY, 1000 * DAY]
    first = max(known_from, horizon)
    learned = db_of(corpus).execute("SELECT id FROM transactions WHERE id >= ?", (first,)).fetchall()
    known = [first, *(at for (at,) in learned[:-1][-2:]), None]
    return [corpus.snapshot(as_of, known_at) for as_of in days for known_at in known]


def told(snapshot: Snapshot) -> list[Any]:
    hits = snapshot.search("mill ferry bread storm island", 50).hits
    return [
        [(hit.id, hit.score, hit.published, hit.place, hit.text, hit.why) for hit in hits],
        [snapshot.text(f"d{number}") for number in range(DOCUMENTS)],
    ]


def folder_in_memory() -> Path:
    return Path(tempfile.mkdtemp(dir="/dev/shm" if Path("/dev/shm").is_dir() else None))  # noqa: S108


def drop(corpus: asof.Corpus, back: int) -> int:
    """Vacuum so many half days before now; returns the horizon."""
    horizon = max(corpus.session.clock() - back * DAY // 2, 1)
    corpus.vacuum(moment(horizon))
    return horizon


@given(EVENTS, st.integers(0, 12))
def test_views_from_the_horizon_on_stay_as_they_are(history: Sequence[Event], back: int) -> None:
    folder = folder_in_memory()
    try:
        with new_corpus(folder) as corpus:
            for event in history:
                happen(corpus, event)
            horizon = max(corpus.session.clock() - back * DAY // 2, 1)
            known_from = head_of(corpus)
            snapshots = views(corpus, horizon, known_from)
            before = [told(snapshot) for snapshot in snapshots]
            assert drop(corpus, back) == horizon
            for snapshot, was in zip(snapshots, before, strict=True):
                assert told(snapshot) == was, (snapshot.as_of, snapshot.known_at)
            for as_of, known_at in ((horizon - 1, None), (horizon, max(known_from, horizon) - 1)):
                with pytest.raises(BeforeHorizon):
                    corpus.snapshot(as_of, known_at).search("mill")
            assert corpus.check() == []
            assert corpus.vacuum(moment(horizon)) == 0
    finally:
        shutil.rmtree(folder)


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
            known_from = head_of(corpus)
            horizon = drop(corpus, back) if not purge else 1
            if purge and db_of(corpus).execute("SELECT 1 FROM documents WHERE name = 'd0'").fetchone():
                corpus.purge("d0")
            (head,) = db_of(corpus).execute("SELECT coalesce(max(id), 0) FROM transactions").fetchone()
            known_now = [
                corpus.snapshot(as_of, max(head, horizon))
                for as_of in (horizon, horizon + 2 * DAY, 1000 * DAY)
            ]
            before = [told(snapshot) for snapshot in known_now]
            for event in later:
                happen(corpus, event)
                if event.kind == "state":
                    assert corpus.add([document(event)]).unchanged == 1
                assert corpus.check() == []
            for snapshot in views(corpus, horizon, known_from):
                told(snapshot)  # nothing that is needed is missing
            assert [told(snapshot) for snapshot in known_now] == before
            last = corpus.snapshot(1000 * DAY, None)
            now = told(last)
            drop(corpus, 0)
            assert told(last) == now
            assert corpus.check() == []
    finally:
        shutil.rmtree(folder)


def test_an_older_text_that_was_dropped_can_be_said_again(memory_folder: Path, write_lines: Any) -> None:
    """Its version was kept for the passage that lives on only: the rest of it has to come from the source."""
    source = memory_folder / "island.jsonl"
    texts = ["one two " * 55 + "\n\n" + "lasting " * 119, "three four " * 55 + "\n\n" + "lasting " * 119]
    with new_corpus(memory_folder) as corpus:
        clock = corpus.session.clock
        assert isinstance(clock, Clock)
        for text in (*texts, texts[0]):
            clock.now += DAY
            corpus.add(write_lines(source, [{"id": "d", "text": text}, {"id": "e", "text": "island"}]))
            assert corpus.at(moment(clock.now)).text("d") == text
            corpus.vacuum(moment(clock.now))
            assert corpus.check() == []
            for _ in range(2):
                report = corpus.add(source)
                assert (report.unchanged, report.written) == (2, 0)
                assert corpus.at(moment(clock.now)).text("d") == text


def test_an_empty_corpus(memory_folder: Path) -> None:
    with new_corpus(memory_folder) as corpus:
        corpus.session.clock.now = 5 * DAY  # type: ignore[attr-defined]
        assert corpus.vacuum(moment(DAY)) == 0
        assert corpus.search("mill").hits == ()
        with pytest.raises(UsageError, match="only the past"):
            corpus.vacuum(moment(6 * DAY))


def test_a_later_vacuum_of_less_does_not_open_what_was_dropped(memory_folder, document) -> None:
    """What was before the later of two moments is gone, whichever was given last."""
    with asof.open(memory_folder) as corpus:
        corpus.maintenance.background = False
        for year in ("2020", "2021", "2022"):
            corpus.add([document("ferry", f"the ferry of {year}", year)])
        corpus.vacuum("2022-06")
        corpus.vacuum("2020-06")
        with pytest.raises(BeforeHorizon):
            corpus.at("2021-06").search("ferry")


def test_what_is_kept_for_a_later_version_only_is_no_past(memory_folder, document) -> None:
    """In 2030 the words of 2020 are said again and end at once; until then nothing tells of that."""
    said = []
    for name, more in (("short", []), ("long", [document("ferry", "the ferry bell", "2030")])):
        with asof.open(memory_folder / name) as corpus:
            corpus.maintenance.background = False
            for each in (
                document("ferry", "the ferry bell", "2020"),
                document("ferry", "a mill", "2021"),
                *more,
            ):
                corpus.add([each])
            if more:
                corpus.add([Ended("ferry", SourcedTime(read("2030"), "2030", "git"))])
            corpus.vacuum("2022")
            then = corpus.at("2025")
            said.append((then.search("mill", recipe="twe").notes, then.timeline("mill").entries))
            assert corpus.check() == []
            corpus.add([document("ferry", "the storm", "2031")])
            assert [corpus.at(year).text("ferry") for year in ("2025", "2031")] == ["a mill", "the storm"]
    assert said[0] == said[1]
