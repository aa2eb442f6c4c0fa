"""What happens to a corpus, by a strategy; and a corpus that was only told what is visible at (T, K)."""

from __future__ import annotations

import itertools
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from hypothesis import strategies as st
from tests.guarantee.scripted import script
from tests.guarantee.texts import CALLS, DATES, ENDS, NAMES, PARAGRAPH, RENAMED, Note, notes
from tests.support.corpora import Clock
from tests.support.rows import db_of
from tests.support.scripted import ScriptedModel

from asof import engine
from asof.corpus.corpus import Corpus
from asof.corpus.corpus import open as open_corpus
from asof.documents import Document, Ended, Moved, SourcedTime
from asof.errors import UsageError
from asof.index.build import merge
from asof.models.encoders import HashedNgrams
from asof.store import corrections
from asof.store.digest import content_digest, digest, span_of
from asof.store.schema import CorpusSettings, get_meta
from asof.store.store import SourceWay, source_row
from asof.time.moment import first_instant, read
from asof.time.span import Span, moment
from asof.wire import replace

DAY = 86_400_000_000
BEFORE, AMID, AFTER = (read(date).first for date in ("2019-12-01", "2020-03-10", "2023-01-01"))
"""Where clocks begin: before most dates of notes, among them, after them."""


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happens after a `wait` in microseconds. `kind`: state, all (the source states these and
    nothing else), again (a note is said again with other fields), end, move, rename (a source says that a
    document has another id now), correct, purge, vacuum, merge, embed, reopen, look."""

    kind: str
    wait: int = DAY
    notes: tuple[Note, ...] = ()
    source: str = "notes"
    name: str = ""
    other: str = ""
    date: str = ""
    front: tuple[tuple[str, str], ...] = ()
    segments: tuple[int, int] = (0, 100)


@dataclass(frozen=True, slots=True)
class History:
    """The events of a corpus, and what it was made with. `encoder`: it has vectors from the beginning;
    `model`: a scripted language model reads and writes; `small`: graphs over passages have the limits of
    `SMALL`."""

    events: tuple[Event, ...]
    undated: str = "added"
    chunking: str = "120w"
    encoder: bool = False
    model: bool = False
    languages: tuple[str, ...] = ("en", "de")
    start: int = AFTER
    small: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """The notes that are stated, each as often as it is."""
        return tuple(note.name for event in self.events for note in event.notes)


def told(name: str, date: str, body: str, wait: int = DAY, **front: str) -> Event:
    """A note is stated."""
    return Event("state", wait, (Note(name, (("date", date), *front.items()), f"{body}\n"),))


# -- the strategy ---------------------------------------------------------------------------------------

WAITS = st.sampled_from((0, 0, 1, DAY // 24, DAY, 9 * DAY, 40 * DAY, 100 * DAY))


@st.composite
def histories(draw: st.DrawFn, most: int = 12) -> History:
    names = tuple(draw(st.lists(st.sampled_from(NAMES), min_size=2, max_size=6, unique=True)))
    said = draw(st.lists(PARAGRAPH, min_size=1, max_size=5))
    dates = tuple(draw(st.lists(st.sampled_from(DATES), min_size=1, max_size=6, unique=True)))
    dates = dates + ENDS[: draw(st.sampled_from((0, 0, 0, 4)))]
    note, name, date = notes(names, said, dates), st.sampled_from(names), st.sampled_from(dates)
    source = st.sampled_from(("notes", "notes", "notes", "wire"))
    again = st.one_of(st.tuples(st.just("date"), date), st.tuples(st.just("aliases"), CALLS))
    few = min(len(names), draw(st.integers(1, 3)))
    some = st.lists(note, min_size=few, max_size=3, unique_by=lambda each: each.name).map(tuple)
    kinds = {
        "state": (9, st.builds(Event, st.just("state"), WAITS, some, source)),
        "all": (2, st.builds(Event, st.just("all"), WAITS, some, source)),
        "again": (3, st.builds(Event, st.just("again"), WAITS, name=name, front=st.tuples(again))),
        "end": (1, st.builds(Event, st.just("end"), WAITS, source=source, name=name, date=date)),
        "move": (1, st.builds(Event, st.just("move"), WAITS, name=name, other=st.sampled_from(NAMES))),
        "rename": (1, st.builds(Event, st.just("rename"), WAITS, source=source,
                                name=st.sampled_from((*names, *RENAMED)),
                                other=st.sampled_from(tuple(RENAMED)))),
        "correct": (2, st.builds(Event, st.just("correct"), WAITS, name=name, date=date)),
        "merge": (1, st.builds(Event, st.just("merge"), WAITS,
                               segments=st.tuples(st.integers(0, 5), st.sampled_from((2, 3, 100))))),
        "look": (2, st.builds(Event, st.just("look"), WAITS)),
        "reopen": (1, st.builds(Event, st.just("reopen"), WAITS)),
    }  # fmt: skip
    rare = {
        "purge": (1, st.builds(Event, st.just("purge"), WAITS, name=name)),
        "vacuum": (1, st.builds(Event, st.just("vacuum"), WAITS, date=date)),
        "embed": (1, st.builds(Event, st.just("embed"), WAITS)),
    }  # fmt: skip
    if draw(st.integers(0, 9)) > 5:
        kinds |= rare
    event = st.one_of([strategy for often, strategy in kinds.values() for _ in range(often)])
    return History(
        (draw(kinds["state"][1]), draw(kinds["state"][1]), *draw(st.lists(event, min_size=1, max_size=most))),
        undated=draw(st.sampled_from(("added", "added", "always", "never"))),
        chunking=draw(st.sampled_from(("120w", "120w", "12w", "12w/3", "whole"))),
        encoder=draw(st.integers(0, 9)) > 7, model=draw(st.integers(0, 9)) > 7,
        languages=draw(st.sampled_from((("en", "de"), ("en",)))),
        start=draw(st.sampled_from((AFTER, AMID, BEFORE))), small=draw(st.booleans()),
    )  # fmt: skip


SERIES = (
    "A berth costs 3 euros.", "A berth costs 4 euros.", "A berth costs 5 euros.", "Note 1 is repealed.",
    "This note supersedes Note 1.", "Das Anlegen kostet 3 Euro, und das Wasser ist nicht dabei.",
    "The favourite boat of Marta Quill is a yawl.", "The favourite boat of Marta Quill is a sloop.",
)  # fmt: skip


@st.composite
def _retold(draw: st.DrawFn, least: int, most: int) -> tuple[Event, ...]:
    """Few notes of few series, told again and again: under other titles, with texts that they had before, in
    another language, with acts on each other, and copies."""
    name = st.sampled_from(("ferry.md", "mill.md", "mill.md", "Copy of mill.md"))
    title = st.sampled_from(("Fees", "Fees", "Fees", "Fees 2020", "Note 1", ""))
    text = st.lists(st.sampled_from((*SERIES, *SERIES[:3] * 3)), min_size=1, max_size=2, unique=True)
    fields = st.sampled_from((
        {}, {}, {}, {"effective": "2020-09-01"}, {"valid_until": "2021-06-01"}, {"supersedes": "Note 1"},
    ))  # fmt: skip
    events, year = [], 2019
    for _ in range(draw(st.integers(least, most))):
        year += draw(st.sampled_from((0, 0, 1)))
        date = f"{year}-{draw(st.sampled_from(('01', '03', '07')))}-01"
        if draw(st.integers(0, 7)) == 0:
            events.append(Event("end", name=draw(name), date=date))
            continue
        front = {"title": draw(title), **draw(fields)}
        body = "\n\n## part 2\n\n".join(draw(text))
        events.append(told(draw(name), date, body, DAY, **{key: each for key, each in front.items() if each}))
    return tuple(events)


@st.composite
def dropped_histories(draw: st.DrawFn) -> History:
    """Series whose history is dropped in the middle; then one of them is purged or corrected, and told on."""
    dropped = Event("vacuum", date=draw(st.sampled_from(("2020-02", "2020-06", "2021", "2022", "2022-06"))))
    name = draw(st.sampled_from(("ferry.md", "mill.md", "Copy of mill.md")))
    changed = Event(draw(st.sampled_from(("correct", "purge", "look"))), name=name, date="2021-02-01")
    return History(
        (*draw(_retold(3, 9)), dropped, changed, *draw(_retold(0, 2))),
        chunking=draw(st.sampled_from(("120w", "12w"))), small=draw(st.booleans()),
    )  # fmt: skip


SMALL: list[Callable[[Corpus], object]] = []
"""What sets limits in a corpus, so small that few passages reach them."""

# -- playing it -----------------------------------------------------------------------------------------


@dataclass
class Version:
    """A version as it was stored; `document` None: it says nothing. `retired`: when it turned out wrong."""

    id: int
    name: str
    document: Document | None
    stated: bytes
    content: bytes
    when: SourcedTime | None
    by: str
    visible: int
    added: int
    retired: int | None
    source: tuple[str, str]


@dataclass
class Said:
    """A source that states these items; `complete`: all others have ended."""

    name: str
    items: Sequence[Document | Ended | Moved]
    complete: bool = False
    kind: str = "documents"

    def documents(self) -> Iterator[Document | Ended | Moved]:
        return iter(self.items)


Look = Callable[[Corpus], None]


def opened(folder: Path, of: History, clock: Clock, *, encoder: bool) -> Corpus:
    folder.mkdir(parents=True, exist_ok=True)
    toml = '[facts]\nextractor = "model"\n' if of.model else ""
    (folder / "asof.toml").write_text(toml, "utf-8")
    settings = CorpusSettings(
        of.languages, chunking=of.chunking, undated=of.undated, encoder=HashedNgrams().name if encoder else ""
    )
    corpus = open_corpus(
        folder, encoder=HashedNgrams() if encoder else None,
        model=ScriptedModel(script) if of.model else None, settings=settings,
    )  # fmt: skip
    corpus.session.clock, corpus.maintenance.background = clock, False
    for limit in SMALL if of.small else ():
        limit(corpus)
    return corpus


@dataclass
class Played:
    """A corpus with the history that made it. `versions`: all that were ever stored, less purged ones, by
    id; `vacuums`: after which write, and before which instant history was dropped; `look`: what is asked of
    it in the middle of its history, so that what is kept between questions is there."""

    folder: Path
    of: History
    look: Look = lambda _: None
    versions: dict[int, Version] = field(default_factory=dict)
    vacuums: list[tuple[int, int]] = field(default_factory=list)
    encoder: bool = False
    clock: Clock = field(init=False)
    corpus: Corpus = field(init=False)
    _documents: dict[tuple[str, bytes], Document] = field(default_factory=dict)
    _notes: dict[str, Note] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.encoder, self.clock = self.of.encoder, Clock(self.of.start, step=0)
        self.corpus = opened(self.folder, self.of, self.clock, encoder=self.encoder)

    def play(self) -> None:
        """Each event is a transaction of its own; what cannot happen (nothing there to correct) does not."""
        for event in self.of.events:
            self.clock.now += event.wait + 1_000
            try:
                getattr(self, f"_{event.kind}")(event)
            except UsageError:
                continue
            self._write_down()

    def close(self) -> None:
        self.corpus.close()

    # -- what happens ---------------------------------------------------------------------------------

    def _state(self, event: Event, *, whole: bool = False) -> None:
        self._notes |= {note.name: note for note in event.notes}
        documents = [self._told(note.document()) for note in event.notes]
        self.corpus.add(Said(event.source, documents, whole), allow_shrinking=whole)

    def _all(self, event: Event) -> None:
        self._state(event, whole=True)

    def _again(self, event: Event) -> None:
        if event.name in self._notes:
            self._state(replace(event, notes=(self._notes[event.name].but(**dict(event.front)),)))

    def _end(self, event: Event) -> None:
        when = SourcedTime(read(event.date, moment(self.clock.now)), event.date, "metadata")
        self.corpus.add(Said(event.source, [Ended(event.name, when)]))

    def _move(self, event: Event) -> None:
        """A file gets another name: under the old one it ended, under the new one it says the same."""
        known = [v for v in self.versions.values() if v.name == event.name and v.retired is None]
        last = max(known, key=lambda v: (v.visible, v.added, v.id), default=None)
        if last is None or last.document is None:
            return
        now = SourcedTime(Span.at(moment(self.clock.now)), "now", "git")
        moved = self._told(replace(last.document, id=event.other))
        self.corpus.add(Said(event.source, [Ended(event.name, now), moved]))

    def _rename(self, event: Event) -> None:
        """A document has another id, which nothing may know as of a time before that: see `only_visible`."""
        known = [v for v in self.versions.values() if v.name == event.name and v.retired is None]
        last = max(known, key=lambda v: (v.visible, v.added, v.id), default=None)
        taken = any(v.name == event.other and v.retired is None for v in self.versions.values())
        if last is None or last.document is None or taken:
            return
        stored = dict(db_of(self.corpus).execute("SELECT id, content FROM versions"))  # after a vacuum, too
        for each in known:
            if each.document is not None and each.id in stored:
                path = each.document.path or each.document.id
                told = replace(each.document, id=event.other, path=path)
                self._documents[event.other, digest((path, stored[each.id].hex()))] = told
        moved = self._told(replace(last.document, id=event.other, path=""))
        self.corpus.add(Said(event.source, [Moved(moved, event.name)]))

    def _correct(self, event: Event) -> None:
        self.corpus.correct(event.name, event.date)

    def _purge(self, event: Event) -> None:
        self.corpus.purge(event.name)
        self.versions = {k: v for k, v in self.versions.items() if v.name != event.name}

    def _vacuum(self, event: Event) -> None:
        horizon = first_instant(event.date, self.clock())
        if horizon <= self.clock():
            last = int(db_of(self.corpus).execute("SELECT max(id) FROM transactions").fetchone()[0] or 0)
            self.corpus.vacuum(event.date)
            self.vacuums.append((last, horizon))

    def _merge(self, event: Event) -> None:
        merge_some(self.corpus, *event.segments)

    def _embed(self, event: Event) -> None:
        self.encoder = not self.encoder
        self.corpus.embed(HashedNgrams() if self.encoder else None)

    def _reopen(self, event: Event) -> None:
        """What is kept in files is met again by another process."""
        self.corpus.close()
        self.corpus = opened(self.folder, self.of, self.clock, encoder=self.encoder)

    def _look(self, event: Event) -> None:
        self.look(self.corpus)

    # -- what was stored ------------------------------------------------------------------------------

    def _told(self, document: Document) -> Document:
        self._documents[document.id, content_digest(document)] = document
        return document

    def _write_down(self) -> None:
        """The versions that came, and which have turned out wrong."""
        rows = db_of(self.corpus).execute(
            "SELECT v.id, d.name, v.head IS NULL, v.content, v.stated, v.published, v.starts, v.ends,"
            " v.dated_by, v.visible, v.added, v.retired, s.name, s.kind FROM versions AS v"
            " JOIN documents AS d ON d.id = v.document LEFT JOIN heads AS h ON h.id = v.head"
            " LEFT JOIN sources AS s ON s.id = coalesce(h.source, d.source) ORDER BY v.id"
        ).fetchall()  # fmt: skip
        for row in rows:
            id_, name, gone, content, stated, words, starts, ends, by, visible, added, retired, *source = row
            if id_ in self.versions:
                self.versions[id_].retired = retired
                continue
            when = None if starts is None else SourcedTime(span_of(starts, ends), words or "", by)
            said = None if gone else self._documents[name, content]
            self.versions[id_] = Version(
                id_, name, said, stated, content, when, by, visible, added, retired, tuple(source)
            )

    def visible(self, as_of: int, known_at: int) -> list[Version]:
        """The versions that could be seen at (T, K), in order of their arrival; not what turned out wrong."""
        return [
            v for v in self.versions.values()
            if v.visible <= as_of and v.added <= known_at and (v.retired is None or v.retired > known_at)
        ]  # fmt: skip

    def was_current(self, as_of: int, known_at: int) -> set[str]:
        """The documents of which a text was current at some moment by then, and which were called so: of
        others, it may be explained that they come later."""
        ordered = sorted(self.visible(as_of, known_at), key=lambda v: (v.name, v.visible, v.added, v.id))
        begun = {(v.name, v.visible): v for v in ordered}  # of several at one instant the last is current
        return {v.name for v in begun.values() if v.document is not None} - self.unnamed(as_of, known_at)

    def unnamed(self, as_of: int, known_at: int) -> set[str]:
        """The documents that got their id later."""
        there = [v for v in self.visible(as_of, known_at) if v.document is not None and v.name in RENAMED]
        return {v.name for v in there} - {v.name for v in there if v.document and not v.document.path}

    def refused(self, as_of: int, known_at: int) -> bool:
        """Whether the history of a moment was dropped; also for a version that covered others when they were
        dropped, and turned out wrong later: what it covered is lost."""
        horizon, known = (int(get_meta(db_of(self.corpus), key) or 0) for key in ("horizon", "known_horizon"))
        if (horizon and as_of < horizon) or (known and known_at < known):
            return True
        return any(
            v.visible <= before and v.retired is not None and v.added <= at < v.retired
            for at, before in self.vacuums for v in self.versions.values()
        )  # fmt: skip


def merge_some(corpus: Corpus, first: int, count: int) -> None:
    """Merge neighbours among the segments: another order of rows, by which nothing may be decided."""
    with closing(corpus.store.writer()) as db:
        manifest = corpus.manifest
        entries = manifest.entries(db)
        chosen = entries[first % (len(entries) + 1) :][:count]
        if len(chosen) > 1:
            manifest.replace(db, chosen, lambda path: merge(path, [manifest.open(each) for each in chosen]))


# -- the other corpus -----------------------------------------------------------------------------------


def only_visible(played: Played, folder: Path, as_of: int, known_at: int) -> Corpus:
    """A corpus that was only ever told what is visible at (T, K), with the same vacuums; in one segment."""
    clock, left = Clock(played.of.start, step=0), list(played.vacuums)
    unnamed = played.unnamed(as_of, known_at)
    other = opened(folder, played.of, clock, encoder=played.encoder)
    with closing(other.store.writer()) as db:
        for added, group in itertools.groupby(played.visible(as_of, known_at), key=lambda v: v.added):
            while left and left[0][0] < added:
                _drop(other, db, *left.pop(0))
            clock.now = added
            _write(other, db, [_without_id(each) if each.name in unnamed else each for each in group])
        for each in left:
            _drop(other, db, *each)
    merge_some(other, 0, 1_000)
    return other


def _without_id(version: Version) -> Version:
    """A version of a document that was not called as its id says yet."""
    other = RENAMED[version.name]
    said = version.document and replace(version.document, id=other)
    return replace(version, name=other, document=said)


def _drop(corpus: Corpus, db: sqlite3.Connection, last: int, horizon: int) -> None:
    engine.remove(
        corpus.store, corpus.manifest, db, lambda: last + 1, lambda db: corrections.drop_history(db, horizon),
        "vacuum",
    )  # fmt: skip
    corpus.session.forget()


def _write(corpus: Corpus, db: sqlite3.Connection, versions: Iterable[Version]) -> None:
    """What one write of the whole corpus stored, less what was not to be seen."""
    with corpus.store.write(db, corpus.session.clock, corpus.manifest.publish, what="test") as write:
        for each in versions:
            write.load([each.name] if each.name not in write.documents else [])
            write.source = source_row(db, SourceWay(*each.source), write.now)
            state = write.document_state(each.name)
            if each.document is None:
                write.add_deletion(state, each.stated, each.when, each.by, each.visible)
            else:
                write.add_version(state, each.document, each.content, each.stated, each.when, each.visible)
    engine.encode_after(corpus.manifest, db, 0)
