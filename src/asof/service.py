"""What every surface calls: open a corpus, add to it, ask it as of a moment, look after it.

The only module that reads the clock and the environment.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Self, TypeVar

from asof import config, engine
from asof.data import Document, Ended, Problem, Stated
from asof.engine import Results, Stepper
from asof.errors import CorpusError, DamagedSegment, NoCorpus, UsageError
from asof.index.manifest import Manifest
from asof.knowledge.choice import MODEL
from asof.outside import Outside
from asof.standpoint import Standpoint as Standpoint
from asof.store import changes
from asof.store.run import Report
from asof.store.settings import Settings
from asof.store.store import DEFAULT_WAIT, FOLDER, Store, reading
from asof.time.bounds import When, first_instant, last_instant
from asof.time.moment import read
from asof.time.span import moment

if TYPE_CHECKING:
    import sqlite3

    from asof.index.view import View
    from asof.knowledge.learning import Lesson
    from asof.knowledge.telling import Material, Told
    from asof.models.metered import Meter, Metered
    from asof.models.ports import Encoder, Model
    from asof.sources.source import Source
    from asof.store.status import Status

T = TypeVar("T")


def now() -> int:
    """The wall clock, in microseconds since 1970."""
    return time.time_ns() // 1_000


def cache_folder() -> Path:
    """Where what can be made again is kept between runs: `asof` in $XDG_CACHE_HOME, or in ~/.cache."""
    chosen = Path(os.environ.get("XDG_CACHE_HOME", ""))
    return (chosen if chosen.is_absolute() else Path.home() / ".cache") / "asof"


def find_folder(start: Path) -> Path | None:
    """`.asof` of `start` or of its nearest parent that has one."""
    for folder in (start, *start.parents):
        if (folder / FOLDER / "corpus.db").is_file():
            return folder / FOLDER
    return None


def open(  # noqa: A001  asof.open is the word for it
    path: str | Path = ".",
    *,
    create: bool = True,
    encoder: Encoder | None = None,
    model: Model | None = None,
    settings: Settings | None = None,
    wait: float = DEFAULT_WAIT,
    tell: Callable[[str], None] | None = None,
) -> Corpus:
    """Open the corpus of a folder (it lies in `path/.asof`), making it if `create` and there is none.

    `settings` are those of a new corpus (default: asof.toml's). `encoder`: vectors beside words; a corpus
    keeps the one that it began with. `model`: a language model in place of asof.toml's. `wait`: seconds to
    wait for another writer. `tell` gets a line when a part of the index had to be rebuilt. Raises NoCorpus,
    NewerSchema, DamagedStore, BadConfig, Busy.
    """
    root = Path(path)
    configured = config.load(root / config.FILE)
    folder = root / FOLDER
    wanted = settings or configured.index
    if encoder is not None:
        wanted = replace(wanted, encoder=encoder.name)
    try:
        store = Store.open(folder, wait)
    except NoCorpus:  # or one whose making was interrupted
        if not create:
            raise
        store = Store.create(folder, wanted, wait)
    manifest = Manifest(store, _encoder(store.settings, encoder), tell or _silent)
    return Corpus(root, store, manifest, configured, model=model)


def _encoder(settings: Settings, given: Encoder | None) -> Encoder | None:
    """The encoder to use: the given one if it is the corpus's, or the built-in one that the corpus names."""
    from asof.models.hashed import HashedNgrams

    if given is None:
        return HashedNgrams() if settings.encoder == HashedNgrams().name else None
    if given.name != settings.encoder:
        raise UsageError(
            f"this corpus was made with encoder {settings.encoder!r}, not {given.name!r}: an encoder is "
            "chosen when a corpus is made; index into another folder"
        )
    return given


def _silent(line: str) -> None:
    """Rebuilding a part of the index is no news to a program."""


@dataclass(slots=True)
class Corpus:
    """An open corpus. Use it as a context manager, or `close` it. Threads may share it.

    `background`: after a write, small segments are merged in a thread; else only by `tidy`.
    """

    root: Path
    store: Store
    manifest: Manifest
    config: config.Config
    clock: Callable[[], int] = now
    background: bool = True
    _db: sqlite3.Connection = field(init=False)
    _stepper: Stepper = field(init=False)
    _lock: threading.RLock = field(default_factory=threading.RLock)
    _tidying: threading.Thread | None = None
    _wrote: bool = False
    model: Model | None = None
    outside: Outside = field(init=False)
    _read_until: int = -1

    def __post_init__(self) -> None:
        self._db = self.store.reader()
        self._stepper = Stepper(self.manifest, self._db)
        self.outside = Outside(self.config, self.root, self.store, os.environ, self.clock, self.model)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Wait for a merge that is under way, and let go of the files."""
        if self._tidying is not None:
            self._tidying.join()
        self._db.close()
        if self._wrote:
            self.store.settle()

    # -- adding -------------------------------------------------------------------------------------

    def add(
        self,
        source: str | Path | Source | Iterable[Document | Ended | Problem],
        *,
        history: bool = False,
        trust_mtime: bool = False,
        allow_shrinking: bool = False,
        progress: Callable[[Report], None] | None = None,
    ) -> Report:
        """Take in a source: a path (folder or .jsonl[.gz] file), a `Source`, or documents.

        Says what was added, changed, corrected, unchanged, ended, and what could not be read. Documents
        given as they are end nothing; a path states all there is, so what it does not state any more has
        ended. Raises SourceError, SourceShrunk, Busy, NoSpace.
        """
        name, kind, complete = "python", "documents", False
        if isinstance(source, str | Path):
            from asof.sources.open import open_source

            source = open_source(
                Path(source), root=self.root, history=history, fields=self.config.fields,
                trust_mtime=trust_mtime,
            )  # fmt: skip
        if not isinstance(source, Iterable):
            name, kind, complete = source.name, source.kind, source.complete
            source = source.documents()
        report = engine.build(
            self.store, self.manifest, source, self.clock, name=name, kind=kind, complete=complete,
            allow_shrinking=allow_shrinking, progress=progress,
        )  # fmt: skip
        self._wrote = self._wrote or bool(report.written)
        if report.written and self.background:
            self._tidy_behind()
        return report

    def prepare(self) -> None:
        """Make now what searches derive from the rows (which passage follows which), as of now; the first
        search need not wait for it then."""
        from asof.graph.succession import refresh

        self.use(self.clock(), None, refresh)

    def learn(
        self, progress: Callable[[int, int], None] | None = None, budget: float | None = None
    ) -> Lesson:
        """Read for facts all passages that the extractor of asof.toml has not read: by rules, or by the
        model within a `budget` (US dollars; tokens without prices). Raises UsageError, Busy, NoSpace,
        ModelError; what was read stays."""
        from asof.knowledge.learning import learn

        with self._reader(budget) as model, self._writing() as db:
            return learn(self.store, db, self.config.facts, model, progress=progress)

    def estimate(self) -> Meter:
        """What `learn` would cost at most. Nothing is sent. Raises UsageError."""
        from asof.knowledge.learning import estimate

        with self._reader(None) as model, self._lock:
            return estimate(self._db, self.config.facts, model)

    def report_all(
        self, progress: Callable[[int, int], None] | None = None, budget: float | None = None
    ) -> Told:
        """Let the model tell the reports of all periods, as of now and within a `budget` (see `learn`, which
        comes before it), so that no question has to wait for one. Raises UsageError, Busy, NoSpace,
        ModelError; what was told stays."""
        from asof.knowledge.telling import tell_all

        with self._telling(budget) as (material, model):
            return tell_all(material, model, progress)

    def estimate_reports(self) -> Meter | None:
        """What `report_all` would cost at most; None while a model has still to read passages for facts.
        Nothing is sent. Raises UsageError."""
        from asof.knowledge.telling import worst_of

        unread = self.estimate()
        if unread.calls or unread.kept:
            return None
        with self._telling(None) as (material, model):
            return worst_of(material, model)

    @contextmanager
    def _telling(self, budget: float | None) -> Iterator[tuple[Material, Metered]]:
        """What reports are made of, as of now, and the model that tells them."""
        from asof.knowledge.telling import Material

        with self.outside.language(budget) as model:
            if model is None:
                raise UsageError("reports without a model are made when asked; name one: see [model]")
            self.know()
            yield self.use(self.at().as_of, None, Material.of), model

    @contextmanager
    def _reader(self, budget: float | None) -> Iterator[Metered | None]:
        """The model that reads facts; None where rules do, whatever model is named."""
        if self.config.facts.extractor != MODEL:
            yield None
            return
        with self.outside.language(budget) as model:
            yield model

    def know(self, progress: Callable[[int, int], None] | None = None) -> None:
        """Read for facts, by rules, the passages that nothing has read for facts yet; what is known of facts
        is then complete. It is quick where that was done before."""
        with self._lock:
            last: int = self._db.execute("SELECT coalesce(max(id), 0) FROM passages").fetchone()[0]
        if last != self._read_until:
            from asof.knowledge.reading import read_all
            from asof.knowledge.rules import Rules

            with self._writing() as db:
                read_all(self.store, db, Rules(), progress=progress)
            self._read_until = last

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """A connection that writes, for a while."""
        self._wrote = True
        db = self.store.writer()
        try:
            yield db
        finally:
            db.close()

    def _tidy_behind(self) -> None:
        """Merge small segments in a thread; searches and writes go on."""
        if self._tidying is None or not self._tidying.is_alive():
            self._tidying = threading.Thread(target=self._tidy_quietly, daemon=False)
            self._tidying.start()

    def _tidy_quietly(self) -> None:
        """A merge that cannot be made now is no loss: the next write tries again."""
        try:
            self.tidy()
        except CorpusError as error:
            self.manifest.tell(f"small segments were not merged now: {error}")

    def tidy(self) -> int:
        """Merge what is due now; returns the number of merges."""
        with self._writing() as db:
            return Manifest(self.store, None, self.manifest.tell).tidy(db)

    # -- asking -------------------------------------------------------------------------------------

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages of its texts, decided when it was made."""
        return self.store.settings.languages

    def at(self, as_of: When | None = None, known_at: When | None = None) -> Standpoint:
        """The corpus as it stood at `as_of` (default: now), as it was known at `known_at` (default: now)."""
        anchor = max(self.clock(), self._last_write())  # what was just added is seen, if the clock steps back
        fiscal = self.config.fields.fiscal_start
        at = anchor if as_of is None else last_instant(as_of, anchor, fiscal)
        known = None if known_at is None else last_instant(known_at, anchor, fiscal)
        return Standpoint(self, at, known)

    def search(self, question: str, **options: object) -> Results:
        """`corpus.at().search(question, ...)`: as of now."""
        return self.at().search(question, **options)  # type: ignore[arg-type]

    def _last_write(self) -> int:
        with self._lock:
            last: int | None = self._db.execute("SELECT max(id) FROM transactions").fetchone()[0]
        return last or 0

    def use(self, as_of: int, known_at: int | None, do: Callable[[View], T]) -> T:
        """Do something with a view; a damaged segment is rebuilt, and the view made anew."""
        with self._lock, reading(self.store.database):
            for attempt in range(3):
                try:
                    return self._undisturbed(as_of, known_at, do)
                except DamagedSegment:
                    if attempt:  # the first time it may only have been merged away
                        self.manifest.mend()
                    self._stepper.forget()
                except IndexError:  # a number that was altered after it had been checked, or a fault of ours
                    if not self.manifest.mend():
                        raise
                    self._stepper.forget()
            return self._undisturbed(as_of, known_at, do)

    def _undisturbed(self, as_of: int, known_at: int | None, do: Callable[[View], T]) -> T:
        """Use a view in one read transaction: what is erased meanwhile is there until it is done with."""
        db = self._db
        db.execute("BEGIN")
        try:
            db.execute("SELECT 1 FROM transactions LIMIT 1").fetchone()  # from here on it sees one state
            return do(self._stepper.at(as_of, known_at))
        finally:
            if db.in_transaction:
                db.execute("ROLLBACK")

    # -- looking after it ---------------------------------------------------------------------------

    def status(self) -> Status:
        """Figures about the corpus."""
        from asof.graph import evidence, succession
        from asof.index import latent
        from asof.store.status import status

        folder = self.store.folder / engine.DERIVED
        with self._lock, reading(self.store.database):
            figures = status(self.store, self._db)
        rooms = (succession, evidence, latent)
        return replace(figures, derived=tuple(line for room in rooms for line in room.status(folder)))

    def check(self) -> list[str]:
        """Check every byte of store and index; damaged segments are rebuilt. Returns lines for the user."""
        from asof.store.status import check

        with self._lock, reading(self.store.database):
            lines = check(self._db, self.store.database)
            lines += self.manifest.mend()
            self._stepper.forget()
            return lines

    def correct(self, document: str, published: When) -> None:
        """Say that a document's version in force was dated wrongly. Raises UsageError."""
        anchor = self.clock()
        if isinstance(published, datetime):
            stated = Stated(read(published.isoformat()), published.isoformat(), "metadata")
        else:
            stated = Stated(read(published, moment(anchor)), published, "metadata")
        with (
            self._writing() as db,
            self.store.write(db, self.clock, self.manifest.publish, what="correct") as write,
        ):
            changes.correct(write, document, stated)

    def purge(self, document: str) -> int:
        """Erase a document with all its versions for good; returns how many passages went."""
        return self._remove(lambda db: changes.erase(db, document), "purge")

    def vacuum(self, before: When) -> int:
        """Drop the history before a moment; returns how many passages went. Earlier questions are refused."""
        horizon = first_instant(before, self.clock())
        if horizon > self.clock():
            raise UsageError(f"vacuum --before {before}: only the past can be dropped")
        return self._remove(lambda db: changes.drop_history(db, horizon), "vacuum")

    def _remove(self, remove: Callable[[sqlite3.Connection], list[int]], what: str) -> int:
        with self._writing() as db:
            removed = engine.remove(self.store, self.manifest, db, self.clock, remove, what)
        self._stepper.forget()
        return removed
