"""A history played into a corpus, with a journal of the versions that it stored."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random

from tests.support.differential.histories import Event, History
from tests.support.fact_histories import script
from tests.support.rows import db_of

from asof.corpus.corpus import Corpus
from asof.corpus.corpus import open as open_corpus
from asof.errors import UsageError
from asof.extensions.facts.indexer import ensure_facts, learn
from asof.index.build import merge
from asof.models.encoders import HashedNgrams
from asof.models.ports import ScriptedModel
from asof.store.digest import content_digest, span_of
from asof.store.schema import CorpusSettings
from asof.time.moment import first_instant, read
from asof.time.span import Span, moment
from asof.values import Document, Ended, SourcedTime

START = read("2019-12-01").first


@dataclass
class Clock:
    """A clock that stands still until it is moved."""

    now: int = START

    def __call__(self) -> int:
        return self.now


@dataclass
class Version:
    """A version as it was stored; `document` None: it says nothing. `retired`: when it turned out wrong."""

    id: int
    name: str
    document: Document | None
    content: bytes
    stated: bytes
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
    items: Sequence[Document | Ended]
    complete: bool = False
    kind: str = "documents"

    def documents(self) -> Iterator[Document | Ended]:
        return iter(self.items)


Look = Callable[[Corpus, int], None]


def new_corpus(folder: Path, of: History, *, encoder: bool) -> Corpus:
    folder.mkdir(parents=True)
    toml = '[facts]\nextractor = "model"\n' if of.model else ""
    toml += '[diversity]\nkind = "mmr"\n' if of.diversity else ""
    (folder / "asof.toml").write_text(toml, "utf-8")
    return opened(folder, of, encoder=encoder)


def opened(folder: Path, of: History, *, encoder: bool) -> Corpus:
    corpus = open_corpus(
        folder, encoder=HashedNgrams() if encoder else None,
        model=ScriptedModel(script) if of.model else None,
        settings=CorpusSettings(of.languages, chunking=of.chunking, undated=of.undated,
                          encoder=HashedNgrams().name if encoder else ""),
    )  # fmt: skip
    corpus.session.clock, corpus.maintenance.background = Clock(), False
    return corpus


@dataclass
class Played:
    """A corpus with the history that made it. `versions`: all that were ever stored, less purged ones, by
    id; `vacuums`: after which write, and before which instant history was dropped."""

    folder: Path
    of: History
    look: Look
    versions: dict[int, Version] = field(default_factory=dict)
    vacuums: list[tuple[int, int]] = field(default_factory=list)
    encoder: bool = False
    corpus: Corpus = field(init=False)
    _documents: dict[tuple[str, bytes], Document] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.encoder = self.of.encoder
        self.corpus = new_corpus(self.folder, self.of, encoder=self.encoder)

    def play(self) -> None:
        for event in self.of.events:
            clock = self.corpus.session.clock
            assert isinstance(clock, Clock)
            clock.now += event.wait + 1_000
            try:
                self._happens(event)
            except UsageError:
                continue  # nothing there to correct, to purge
            self._note()

    def close(self) -> None:
        self.corpus.close()

    def _reopen(self) -> None:
        """What is kept in files is met again by another process."""
        clock = self.corpus.session.clock
        self.corpus.close()
        self.corpus = opened(self.corpus.root, self.of, encoder=self.encoder)
        self.corpus.session.clock = clock

    def _happens(self, event: Event) -> None:
        corpus, clock = self.corpus, self.corpus.session.clock
        if event.kind in ("state", "all"):
            documents = [self._told(note.document()) for note in event.notes]
            whole = event.kind == "all"
            corpus.add(Said(event.source, documents, whole), allow_shrinking=whole)
        elif event.kind == "end":
            corpus.add(Said(event.source, [Ended(event.name, date(event.date, clock()))]))
        elif event.kind == "move":
            self._move(event)
        elif event.kind == "correct":
            corpus.correct(event.name, event.date)
        elif event.kind == "purge":
            corpus.purge(event.name)
            self.versions = {k: v for k, v in self.versions.items() if v.name != event.name}
        elif event.kind == "vacuum":
            horizon = first_instant(event.date, clock())
            if horizon <= clock():
                last = last_write(corpus)
                corpus.vacuum(event.date)
                self.vacuums.append((last, horizon))
        elif event.kind == "merge":
            merge_some(corpus, Random(event.seed))
        elif event.kind == "know":
            know(corpus, self.of)
        elif event.kind == "reopen":
            self._reopen()
        elif event.kind == "embed":
            self.encoder = not self.encoder
            corpus.embed(HashedNgrams() if self.encoder else None)
        else:
            self.look(corpus, event.seed)

    def _move(self, event: Event) -> None:
        """A file gets another name: under the old one it ended, under the new one it says the same."""
        now = moment(self.corpus.session.clock())
        known = [v for v in self.versions.values() if v.name == event.name and v.retired is None]
        last = max(known, key=lambda v: (v.visible, v.added, v.id), default=None)
        if last is None or last.document is None:
            return
        moved = self._told(replace(last.document, id=event.other))
        self.corpus.add(
            Said(event.source, [Ended(event.name, SourcedTime(Span.at(now), "now", "git")), moved])
        )

    def _told(self, document: Document) -> Document:
        self._documents[document.id, content_digest(document)] = document
        return document

    def _note(self) -> None:
        """Write down the versions that came, and which have turned out wrong."""
        rows = (
            db_of(self.corpus)
            .execute(
                "SELECT v.id, d.name, v.head IS NULL, v.content, v.stated, v.published, v.starts, v.ends,"
                " v.dated_by, v.visible, v.added, v.retired, s.name, s.kind FROM versions AS v"
                " JOIN documents AS d ON d.id = v.document LEFT JOIN heads AS h ON h.id = v.head"
                " LEFT JOIN sources AS s ON s.id = coalesce(h.source, d.source) ORDER BY v.id"
            )
            .fetchall()
        )
        for row in rows:
            id_, name, gone, content, stated, words, starts, ends, by, visible, added, retired, *source = row
            if id_ in self.versions:
                self.versions[id_].retired = retired
                continue
            when = None if starts is None else SourcedTime(span_of(starts, ends), words or "", by)
            said = None if gone else self._documents[name, content]
            self.versions[id_] = Version(
                id_, name, said, content, stated, when, by, visible, added, retired, tuple(source)
            )


def date(text: str, now: int) -> SourcedTime:
    return SourcedTime(read(text, moment(now)), text, "metadata")


def know(corpus: Corpus, of: History) -> None:
    if of.model:
        learn(corpus)
    ensure_facts(corpus.session)


def last_write(corpus: Corpus) -> int:
    return int(db_of(corpus).execute("SELECT max(id) FROM transactions").fetchone()[0] or 0)


def merge_some(corpus: Corpus, rng: Random) -> None:
    """Merge neighbours among the segments."""
    db = corpus.store.writer()
    entries = corpus.manifest.entries(db)
    first = rng.randrange(len(entries) + 1)
    chosen = entries[first : first + rng.choice((2, 3, 100))]
    if len(chosen) > 1:
        manifest = corpus.manifest
        manifest.replace(db, chosen, lambda path: merge(path, [manifest.open(entry) for entry in chosen]))
    db.close()
