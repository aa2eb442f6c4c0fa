"""An open corpus: its files, one reader, the models it may ask, and its views."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Self, TypeVar

from asof import config
from asof.corpus.models import ModelProvider
from asof.engine import ViewFactory
from asof.errors import DamagedSegment
from asof.index.manifest import Manifest
from asof.store.integrity import UNREADABLE
from asof.store.store import Store, translate_sqlite_errors

if TYPE_CHECKING:
    import sqlite3

    from asof.index.view import View
    from asof.models.ports import Model

T = TypeVar("T")


@dataclass(slots=True)
class Session:
    """What an open corpus consists of. `clock`: microseconds since 1970; `environment`: where keys of models
    are looked up. `progress` is told how many passages are read for facts, of how many, when a question has
    to wait for that. Threads may share it."""

    root: Path
    store: Store
    manifest: Manifest
    config: config.Config
    clock: Callable[[], int]
    environment: Mapping[str, str] = field(repr=False)
    background: bool = True
    _db: sqlite3.Connection = field(init=False)
    _stepper: ViewFactory = field(init=False)
    _lock: threading.RLock = field(default_factory=threading.RLock)
    _tidying: threading.Thread | None = None
    model: Model | None = None
    models: ModelProvider = field(init=False)
    progress: Callable[[int, int], None] | None = None
    _read_until: int = -1
    closed: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        self._db = self.store.reader()
        self._stepper = ViewFactory(self.manifest, self._db)
        self.models = ModelProvider(
            self.config, self.root, self.store, self.environment, self.clock, self.model
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Wait for a merge that is under way, and let go of the files."""
        if self._tidying is not None:
            self._tidying.join()
        self._db.close()
        self.closed = True
        self.store.empty_log()

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages of its texts, decided when it was made."""
        return self.store.settings.languages

    def _present(self) -> int:
        """Now; what was just added is seen, also if the clock steps back."""
        return max(self.clock(), self._last_write())

    def _last_write(self) -> int:
        with self._lock:
            last: int | None = self._db.execute("SELECT max(id) FROM transactions").fetchone()[0]
        return last or 0

    def use(self, as_of: int, known_at: int | None, do: Callable[[View], T]) -> T:
        """Do something with a view; a damaged segment is rebuilt, and the view made anew."""
        with self._lock, translate_sqlite_errors(self.store.database):
            for attempt in range(3):
                try:
                    return self._undisturbed(as_of, known_at, do)
                except DamagedSegment:
                    if attempt:  # the first time it may only have been merged away
                        self.manifest.mend()
                    self._stepper.forget()
                except UNREADABLE:  # rows of an index that was made up, or a fault of ours
                    if not self.manifest.faults(self._db):
                        raise
                    self.manifest.mend()
                    self._stepper.forget()
            return self._undisturbed(as_of, known_at, do)

    def _undisturbed(self, as_of: int, known_at: int | None, do: Callable[[View], T]) -> T:
        """Use a view in one read transaction: what is erased meanwhile is there until it is done with."""
        db = self._db
        try:
            self.store.begin_read(db)
            return do(self._stepper.at(as_of, known_at))
        finally:
            if db.in_transaction:
                db.execute("ROLLBACK")

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """A connection that writes, for a while."""
        db = self.store.writer()
        try:
            yield db
        finally:
            db.close()
