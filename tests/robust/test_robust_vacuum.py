"""Dropping history changes no answer that is still given, and life goes on after it (and after a purge)."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.guarantee.histories import DAY, History, Played, Said, histories
from tests.support import corpora
from tests.support.corpora import Clock
from tests.support.rows import db_of

import asof
from asof.corpus.snapshot import Snapshot
from asof.documents import Ended, SourcedTime
from asof.errors import BeforeHorizon
from asof.models.encoders import HashedNgrams
from asof.rank.rerank import Leaders
from asof.recipes import ASOF
from asof.store.schema import get_meta
from asof.time.moment import read
from asof.time.span import LAST, moment
from asof.wire import replace

pytestmark = pytest.mark.slow

BACK = st.sampled_from((0, 1, 2, 20, 80, 400, 1_500))
"""Half days before now from which on history is kept."""


WITHOUT_COPIES = replace(ASOF, stages=tuple(each for each in ASOF.stages if not isinstance(each, Leaders)))
"""A text that is dropped makes no copy of one that repeats it, as docs/explanation/data.md says."""


def clock_of(corpus: asof.Corpus) -> Clock:
    clock = corpus.session.clock
    assert isinstance(clock, Clock)
    return clock


def new_corpus(folder: Path) -> asof.Corpus:
    corpus = asof.open(folder, settings=asof.CorpusSettings(stem=False))
    corpus.session.clock, corpus.maintenance.background = Clock(0, 0), False
    return corpus


def horizons(corpus: asof.Corpus, back: int) -> tuple[int, int]:
    """From which instants on views are given after a vacuum of what was so many half days before now."""
    dropped, known = (int(get_meta(db_of(corpus), key) or 0) for key in ("horizon", "known_horizon"))
    (last,) = db_of(corpus).execute("SELECT coalesce(max(id), 0) FROM transactions").fetchone()
    horizon = max(clock_of(corpus).now - back * DAY // 2, dropped, 1)
    return horizon, max(known, last, horizon)


def views(corpus: asof.Corpus, horizon: int, known_from: int) -> list[Snapshot]:
    """Some views that are still given: as of near days and the far end, known early, later, and now."""
    days = [horizon, horizon + DAY, horizon + 40 * DAY, min(horizon + 900 * DAY, LAST), LAST]
    learned = db_of(corpus).execute("SELECT id FROM transactions WHERE id >= ?", (known_from,)).fetchall()
    known = [known_from, *(at for (at,) in learned[:-1][-2:]), None]
    return [corpus.snapshot(as_of, known_at) for as_of in days for known_at in known]


def told(snapshot: Snapshot) -> list[Any]:
    hits = snapshot.search("mill ferry bread storm harbour", 50, recipe=WITHOUT_COPIES).hits
    return [
        [(hit.id, hit.score, hit.published, hit.place, hit.text, hit.why) for hit in hits],
        {hit.document: snapshot.text(hit.document) for hit in hits},
    ]


@settings(suppress_health_check=list(HealthCheck))
@given(histories(), BACK)
def test_views_from_the_horizon_on_stay_as_they_are(history: History, back: int) -> None:
    with corpora.memory_folder() as folder, closing(Played(folder / "all", history)) as played:
        played.play()
        corpus = played.corpus
        horizon, known_from = horizons(corpus, back)
        snapshots = views(corpus, horizon, known_from)
        before = [told(snapshot) for snapshot in snapshots]
        corpus.vacuum(moment(horizon))
        for snapshot, was in zip(snapshots, before, strict=True):
            assert told(snapshot) == was, (snapshot.as_of, snapshot.known_at)
        for as_of, known_at in ((horizon - 1, None), (horizon, known_from - 1)):
            with pytest.raises(BeforeHorizon):
                corpus.snapshot(as_of, known_at).search("mill")
        assert corpus.check() == []
        assert corpus.vacuum(moment(horizon)) == 0


@settings(suppress_health_check=list(HealthCheck))
@given(histories(most=6), BACK, histories(most=6), st.booleans())
def test_life_goes_on_after_a_removal(history: History, back: int, later: History, purge: bool) -> None:
    """Edits, back-dated versions, endings, corrections: each can be taken in, and again changes nothing."""
    with corpora.memory_folder() as folder, closing(Played(folder / "all", history)) as played:
        played.play()
        corpus = played.corpus
        if purge and played.versions:
            corpus.purge(next(iter(played.versions.values())).name)
        else:
            corpus.vacuum(moment(horizons(corpus, back)[0]))
        horizon, known_from = horizons(corpus, 0)
        moments = [(as_of, known_from) for as_of in (horizon, horizon + 2 * DAY, LAST)]
        before = [told(corpus.snapshot(*each)) for each in moments]
        for event in later.events:
            if event.kind in ("vacuum", "purge", "embed"):
                continue
            played.of = replace(played.of, events=(event,))
            played.play()
            corpus = played.corpus
            if event.kind == "state":
                same = Said(event.source, [note.document() for note in event.notes])
                assert corpus.add(same).written == 0
            assert corpus.check() == []
        for snapshot in views(corpus, horizon, known_from):
            told(snapshot)  # nothing that is needed is missing
        assert [told(corpus.snapshot(*each)) for each in moments] == before
        last = corpus.snapshot(LAST)
        now = told(last)
        corpus.vacuum(moment(played.clock.now))
        assert told(last) == now
        assert corpus.check() == []


def test_an_older_text_that_was_dropped_can_be_said_again(memory_folder: Path, write_lines: Any) -> None:
    """Its version was kept for the passage that lives on only: the rest of it has to come from the source."""
    source = memory_folder / "island.jsonl"
    texts = ["one two " * 55 + "\n\n" + "lasting " * 119, "three four " * 55 + "\n\n" + "lasting " * 119]
    with new_corpus(memory_folder) as corpus:
        clock = clock_of(corpus)
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


def test_nothing_is_left_of_a_corpus_with_vectors(memory_folder: Path) -> None:
    with asof.open(memory_folder, encoder=HashedNgrams(d=16)) as corpus:
        corpus.session.clock, corpus.maintenance.background = Clock(0, 0), False
        clock = clock_of(corpus)
        for each in (asof.Document("a", "Mill.", published="1971"), Ended("a", "1972")):
            clock.now += 900 * DAY
            corpus.add([each])
        corpus.vacuum(moment(clock.now))
        assert corpus.check() == []
