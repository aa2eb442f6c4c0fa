"""Random histories of documents, and the corpus that was only given what is visible at (T, K).

A history is a list of events: statements, edits without a date, late back-dated versions, deletions,
corrections and merges of segments. *Dense* histories (two documents, three words, few dates) make collisions
likely that *broad* ones miss.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, Phase
from hypothesis import strategies as st
from tests.support.corpora import Clock
from tests.support.rows import db_of

from asof.corpus.corpus import Corpus
from asof.corpus.corpus import open as open_corpus
from asof.corpus.snapshot import Snapshot
from asof.errors import UsageError
from asof.index.build import merge
from asof.store.digest import layout_places, span_of
from asof.store.schema import CorpusSettings
from asof.time.span import NEVER, Span, instant, iso, moment
from asof.values import Document, Ended, Heading, Link, SourcedTime

DAY = 86_400_000_000
WORDS = (
    "mill", "ferry", "bread", "storm", "rope", "snow", "price", "chair", "harbour", "bell", "fog", "tide",
)  # fmt: skip


@dataclass(frozen=True)
class Event:
    """What happens on a day of the clock: kind, document, the date it claims (a day number), its passages,
    the day until which it says that it holds."""

    kind: str
    document: int
    date: int | None
    passages: tuple[tuple[int, ...], ...]
    wait: int
    about: int | None = None


def events(
    documents: int, words: int, dates: int, most: int, about: st.SearchStrategy[int | None]
) -> st.SearchStrategy[list[Event]]:
    passage = st.lists(st.integers(0, words - 1), min_size=1, max_size=4).map(tuple)
    event = st.builds(
        Event,
        st.sampled_from(["state"] * 6 + ["end", "correct", "merge"]),
        st.integers(0, documents - 1),
        st.one_of(st.integers(0, dates), st.integers(0, dates), st.none()),
        st.lists(passage, min_size=1, max_size=3).map(tuple),
        st.integers(0, 3),
        about,
    )
    return st.lists(event, min_size=2, max_size=most)


BROAD = events(6, 12, 30, 14, st.none() | st.none() | st.integers(0, 30))
DENSE = events(2, 3, 4, 8, st.none())


def document(event: Event) -> Document:
    text, outline = "", []
    for number, passage in enumerate(event.passages):
        outline.append(Heading(len(text), 1, f"part {number}"))
        text += f"# part {number}\n" + " ".join(WORDS[word] for word in passage) + spoken(passage) + "\n"
    return Document(
        f"doc{event.document}", text, f"title {event.document}", day(event.date), about=until(event.about),
        links=links(text), outline=tuple(outline),
    )  # fmt: skip


def spoken(passage: tuple[int, ...]) -> str:
    """Some passages speak of a time, of its own or counted from the date of their document."""
    return ("", " yesterday", " on 3 January 1970", "")[sum(passage) % 4]


def until(about: int | None) -> tuple[SourcedTime, ...]:
    if about is None:
        return ()
    return (SourcedTime(Span(None, moment(about * DAY)), iso(about * DAY), "valid_until"),)


def links(text: str) -> tuple[Link, ...]:
    """A text links to the documents whose numbers its words have."""
    return tuple(Link(f"doc{at}") for at, word in enumerate(WORDS) if word in text.split())


def day(date: int | None) -> SourcedTime | None:
    if date is None:
        return None
    start = moment(date * DAY)
    return SourcedTime(Span(start, moment((date + 1) * DAY)), iso(date * DAY)[:10], "metadata")


@dataclass(frozen=True)
class Version:
    """A version as a corpus stored it; `when`: the date that it claimed, `about`: other times, as JSON."""

    id: int
    name: str
    head: int | None
    content: bytes
    stated: bytes
    when: SourcedTime | None
    by: str
    visible: int
    layout: bytes
    added: int
    about: str


def restored(corpus: Corpus, version: Version) -> Document:
    """The document of `document`, from what the corpus stored of it."""
    text = stored_text(corpus, version)
    outline = tuple(
        Heading(at, 1, text[at + 2 : text.index("\n", at)])
        for at in range(len(text))
        if text.startswith("# ", at)
    )
    title = f"title {version.name.removeprefix('doc')}"
    ends = [(instant(datetime.fromisoformat(time["until"])), time) for time in json.loads(version.about)]
    times = tuple(SourcedTime(Span(None, moment(end)), time["text"], time["by"]) for end, time in ends)
    return Document(version.name, text, title, version.when, about=times, links=links(text), outline=outline)


def stored_text(corpus: Corpus, version: Version) -> str:
    texts = dict(db_of(corpus).execute(
        "SELECT key, text FROM passages WHERE document = (SELECT document FROM versions WHERE id = ?)",
        (version.id,),
    ).fetchall())  # fmt: skip
    return "".join(texts[key] for key, _, _ in layout_places(version.layout))


@dataclass(frozen=True)
class Histories:
    """How a history becomes a corpus: what documents its events state, and how stored versions become
    documents again. `toml`: the configuration of corpora, `model`: their language model, `encoder`: what
    makes their vectors."""

    document: Callable[[Event], Document] = document
    restored: Callable[[Corpus, Version], Document] = restored
    toml: str = ""
    model: Any = None
    encoder: Any = None

    def new_corpus(self, folder: Path) -> Corpus:
        folder.mkdir(parents=True)
        if self.toml:
            (folder / "asof.toml").write_text(self.toml, "utf-8")
        corpus = open_corpus(
            folder, settings=CorpusSettings(stem=False), model=self.model, encoder=self.encoder
        )
        corpus.session.clock, corpus.maintenance.background = Clock(step=0), False
        return corpus

    def play(self, corpus: Corpus, history: Sequence[Event]) -> None:
        """Day by day; several events of one day are separate transactions."""
        clock = corpus.session.clock
        assert isinstance(clock, Clock)
        for event in history:
            clock.now += event.wait * DAY + 1_000
            if event.kind == "state":
                corpus.add([self.document(event)])
            elif event.kind == "end":
                at = day(event.date) or SourcedTime(Span.at(moment(clock.now)), "now", "git")
                corpus.add([Ended(f"doc{event.document}", at)])
            elif event.kind == "correct":
                with suppress(UsageError):  # nothing there to correct
                    corpus.correct(f"doc{event.document}", moment((event.date or 0) * DAY))
            else:
                merge_some(corpus, event.document, 1 + len(event.passages))

    def only_visible(self, corpus: Corpus, folder: Path, as_of: int, known_at: int) -> Corpus:
        """A corpus that was only ever given what is visible at (T, K)."""
        other = self.new_corpus(folder)
        clock = other.session.clock
        assert isinstance(clock, Clock)
        publish = other.manifest.publish
        with closing(other.store.writer()) as db:
            for added, group in itertools.groupby(_visible(corpus, as_of, known_at), lambda v: v.added):
                clock.now = added
                with other.store.write(
                    db, clock, publish, what="test", source=("python", "documents")
                ) as write:
                    for each in group:
                        write.load([each.name] if each.name not in write.documents else [])
                        state = write.document_state(each.name)
                        if each.head is None:
                            write.add_deletion(state, each.stated, each.when, each.by, each.visible)
                        else:
                            write.add_version(
                                state, self.restored(corpus, each), each.content, each.stated, each.when,
                                each.visible,
                            )  # fmt: skip
        merge_some(other, 0, None)
        return other


HISTORIES = Histories()
"""Histories of documents of a few words."""


def _visible(corpus: Corpus, as_of: int, known_at: int) -> list[Version]:
    """The versions that were visible at T and known, and not yet retired, at K, in order of their arrival."""
    rows = (
        db_of(corpus)
        .execute(
            "SELECT v.id, d.name, v.head, v.content, v.stated, v.published, v.starts, v.ends, v.dated_by,"
            " v.visible, v.layout, v.added, h.about FROM versions AS v"
            " JOIN documents AS d ON d.id = v.document"
            " LEFT JOIN heads AS h ON h.id = v.head"
            " WHERE v.visible <= ? AND v.added <= ? AND (v.retired IS NULL OR v.retired > ?) ORDER BY v.id",
            (as_of, known_at, known_at),
        )
        .fetchall()
    )
    found = []
    for id_, name, head, content, stated, published, starts, ends, by, visible, layout, added, about in rows:
        when = None if starts is None else SourcedTime(span_of(starts, ends), published, by)
        found.append(Version(id_, name, head, content, stated, when, by, visible, layout, added, about))
    return found


def merge_some(corpus: Corpus, first: int, count: int | None) -> None:
    """Merge so many neighbouring segments, or all: another order of rows, by which nothing may be decided."""
    with closing(corpus.store.writer()) as db:
        manifest = corpus.manifest
        entries = manifest.entries(db)
        chosen = entries[first % (len(entries) + 1) :][:count]
        if len(chosen) > 1:
            manifest.replace(db, chosen, lambda path: merge(path, [manifest.open(each) for each in chosen]))


def last_moment(corpus: Corpus, as_of: int, back: int) -> tuple[int, int] | None:
    """(T, K): the end of a day, and so many writes before the last; None where nothing was written."""
    known = [row[0] for row in db_of(corpus).execute("SELECT id FROM transactions ORDER BY id")]
    if not known:
        return None
    return min(as_of * DAY + DAY - 1, NEVER - 1), known[max(len(known) - 1 - back, 0)]


PLANTED: dict[str, Any] = {"derandomize": True, "database": None, "phases": [Phase.generate]}
"""Settings of a property that has to fail, since a fault was planted."""

ANY_HEALTH = list(HealthCheck)


def hits_in_full(snapshot: Snapshot, question: str, **options: Any) -> list[tuple[Any, ...]]:
    """All that a search shows, without numbers of rows; each tree gives its score again."""
    found = []
    for hit in snapshot.search(question, k=50, **options).hits:
        assert hit.why.recomputed() == hit.why.value == hit.score
        found.append((
            hit.id, hit.score, hit.published, hit.dated_by, hit.place, hit.text, hit.about, hit.why.as_json(),
        ))  # fmt: skip
    return found
