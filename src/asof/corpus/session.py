"""The open files of a corpus: its store, its index, and a pool of readers. Threads share it."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, TypeVar

from asof.config import Config
from asof.engine import DERIVED, ViewFactory
from asof.errors import DamagedSegment, EncoderChanged, UsageError
from asof.index.manifest import Manifest
from asof.index.view import DerivedCache, View
from asof.store.integrity import UNREADABLE
from asof.store.store import Store, translate_sqlite_errors

T = TypeVar("T")

READERS = 16
"""Connections that read at the same time; further threads wait for one."""

CLOSED = "this corpus is closed: ask it inside its `with` block, or open it again"


class Reader(NamedTuple):
    """A connection that reads, and the views that are made with it; for one thread at a time."""

    db: sqlite3.Connection
    views: ViewFactory


@dataclass(slots=True)
class Session:
    """An open corpus: `root`, the folder that it is of, its store and the files of its index.

    `clock`: microseconds since 1970; `environment`: where keys of models are looked up. Segments and what is
    derived from them are shared by all readers. Each reader has a connection, a read transaction, views and
    an analyzer of its own, so searches do not wait for each other. `waiting` is told what a question has to
    wait for, in which unit, how many of these are done, of how many.
    """

    root: Path
    store: Store
    manifest: Manifest
    config: Config
    clock: Callable[[], int]
    environment: Mapping[str, str] = field(repr=False)
    derived: DerivedCache = field(init=False)
    exchange: threading.Lock = field(default_factory=threading.Lock, init=False)
    closed: bool = field(default=False, init=False)
    waiting: Callable[[str, str, int, int], None] | None = field(default=None, init=False)
    _idle: list[Reader] = field(default_factory=list, init=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False)
    _free: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(READERS), init=False)

    def __post_init__(self) -> None:
        self.derived = DerivedCache(self.store.folder / DERIVED)
        with self._reader():  # what is wrong with the files is said when they are opened
            pass

    def close(self) -> None:
        """Close the files. A reader that is in use is closed when it is done."""
        with self._lock:
            self.closed = True
            idle, self._idle = self._idle, []
        for reader in idle:
            reader.db.close()
        self.store.empty_log()

    @contextmanager
    def _reader(self) -> Iterator[Reader]:
        """A reader that no other thread uses meanwhile. Raises UsageError once the corpus is closed."""
        with self._free:
            with self._lock:
                if self.closed:
                    raise UsageError(CLOSED)
                reader = self._idle.pop() if self._idle else None
            if reader is None:
                db = self.store.reader()
                reader = Reader(db, ViewFactory(self.manifest, db, self.derived))
            try:
                yield reader
            finally:
                self._give_back(reader)

    def _give_back(self, reader: Reader) -> None:
        with self._lock:
            if not self.closed:
                self._idle.append(reader)
                return
        reader.db.close()

    # -- reading ------------------------------------------------------------------------------------

    def use(self, as_of: int, known_at: int | None, do: Callable[[View], T]) -> T:
        """Do something with the view of a moment, in one read transaction: what is erased meanwhile is there
        until it is done with. A damaged segment is rebuilt, and the view made anew."""
        with self._reader() as reader, translate_sqlite_errors(self.store.database):
            for attempt in range(3):
                try:
                    with self._transaction(reader.db):
                        return do(reader.views.at(as_of, known_at))
                except DamagedSegment:
                    if attempt:  # the first time it may only have been merged away
                        self.manifest.mend()
                except EncoderChanged:
                    if attempt:
                        raise
                    with self.exchange:  # the first time this process may be about to exchange it
                        pass
                except UNREADABLE:  # rows of an index that was made up, or a fault of ours
                    if not self.manifest.faults(reader.db):
                        raise
                    self.manifest.mend()
                reader.views.forget()
            with self._transaction(reader.db):
                return do(reader.views.at(as_of, known_at))

    def read(self, do: Callable[[sqlite3.Connection], T]) -> T:
        """Read rows that belong together, in one read transaction."""
        with self.connection() as db, self._transaction(db):
            return do(db)

    @contextmanager
    def connection(self) -> Iterator[sqlite3.Connection]:
        """A connection that reads, outside of a transaction."""
        with self._reader() as reader, translate_sqlite_errors(self.store.database):
            yield reader.db

    @contextmanager
    def _transaction(self, db: sqlite3.Connection) -> Iterator[None]:
        try:
            self.store.begin_read(db)
            yield
        finally:
            if db.in_transaction:
                db.execute("ROLLBACK")

    def forget(self) -> None:
        """Let all readers look at the corpus anew."""
        with self._lock:
            for reader in self._idle:
                reader.views.forget()

    # -- writing ------------------------------------------------------------------------------------

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """A connection that writes, for a while."""
        db = self.store.writer()
        try:
            yield db
        finally:
            db.close()

    # -- time ---------------------------------------------------------------------------------------

    def present(self) -> int:
        """Now; what was just added is seen, also if the clock steps back."""
        return max(self.clock(), self.last_write())

    def last_write(self) -> int:
        """The instant of the last transaction, 0 if there is none."""
        with self.connection() as db:
            last: int | None = db.execute("SELECT max(id) FROM transactions").fetchone()[0]
        return last or 0

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages of its texts, decided when it was made."""
        return self.store.settings.languages

    @property
    def fiscal_start(self) -> int:
        """The first month of the fiscal year."""
        return self.config.fields.fiscal_start
