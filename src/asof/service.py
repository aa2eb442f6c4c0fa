"""What every surface calls: open a corpus, add to it, ask it as of a moment, look after it.

The only module that reads the clock and the environment.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from asof import config, engine
from asof.data import Document, Ended, Problem, Stated
from asof.engine import Results
from asof.errors import CorpusError, NoCorpus, UsageError
from asof.index.manifest import Manifest
from asof.learner import Learner
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
    return Corpus(root, store, manifest, configured, now, os.environ, model=model)


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
class Corpus(Learner):
    """An open corpus. Use it as a context manager, or `close` it. Threads may share it.

    `background`: after a write, small segments are merged in a thread; else only by `tidy`.
    """

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

    def at(self, as_of: When | None = None, known_at: When | None = None) -> Standpoint:
        """The corpus as it stood at `as_of` (default: now), as it was known at `known_at` (default: now)."""
        anchor = self._present()
        fiscal = self.config.fields.fiscal_start
        at = anchor if as_of is None else last_instant(as_of, anchor, fiscal)
        known = None if known_at is None else last_instant(known_at, anchor, fiscal)
        return Standpoint(self, at, known)

    def search(self, question: str, **options: object) -> Results:
        """`corpus.at().search(question, ...)`: as of now."""
        return self.at().search(question, **options)  # type: ignore[arg-type]

    # -- looking after it ---------------------------------------------------------------------------

    def status(self) -> Status:
        """Figures about the corpus."""
        from asof.graph import evidence, succession
        from asof.index import latent
        from asof.store import facts
        from asof.store.status import status

        folder = self.store.folder / engine.DERIVED
        with self._lock, reading(self.store.database):
            figures = status(self.store, self._db)
            known = facts.status(self._db)
        rooms = (succession, evidence, latent)
        derived = (line for room in rooms for line in room.status(folder))
        return replace(figures, derived=(*derived, *known))

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
