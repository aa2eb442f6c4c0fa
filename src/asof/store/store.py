"""The corpus on disk: opening it, transactions that write, and compaction."""

from __future__ import annotations

import contextlib
import errno
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from asof.access import log_is_empty, missing_right
from asof.corpus_files import FETCHED as FETCHED
from asof.corpus_files import FOLDER as FOLDER
from asof.corpus_files import make_folder, refuse_links
from asof.errors import Busy, CorpusError, DamagedStore, NoCorpus, NoSpace, UsageError
from asof.store.checkpoints import save_checkpoints
from asof.store.integrity import UNREADABLE, schema_fault, value_faults
from asof.store.lock import exclusive_lock, shared_lock
from asof.store.prepare import TextPreparation
from asof.store.reconcile import reconcile
from asof.store.schema import BUSY_MS, MIGRATIONS, connect, get_meta, migrate, set_meta, store_error
from asof.store.settings import CorpusSettings
from asof.store.write import Transaction
from asof.text.tokens import Analyzer

DEFAULT_WAIT = 60.0
_POLL_SECONDS = 0.02
"""Seconds between two attempts to empty the write-ahead log."""
_GATE_CLOSED, _GATE_OPEN = 2.0, 0.5
"""Seconds for which new readers wait so that others can finish; and for which they may start after that,
because a reader may take long (it waits for a model)."""
FULL = frozenset({errno.ENOSPC, errno.EFBIG, errno.EDQUOT})

Publish = Callable[[Transaction], None]
"""Called with the changes of a write inside its transaction; the index adds a segment."""


@dataclass(slots=True)
class Store:
    """The folder `.asof` of a corpus. `wait`: how many seconds a writer waits for another one;
    `compact_wait`: how many a compaction waits for readers."""

    folder: Path
    settings: CorpusSettings
    wait: float = DEFAULT_WAIT
    compact_wait: float = BUSY_MS / 1000
    analyzer: Analyzer = field(init=False)

    def __post_init__(self) -> None:
        self.analyzer = self.settings.analyzer()

    @property
    def database(self) -> Path:
        return self.folder / "corpus.db"

    @classmethod
    def create(cls, folder: Path, settings: CorpusSettings, wait: float = DEFAULT_WAIT) -> Store:
        """Open the corpus in `folder`, making it with `settings` if there is none.

        An existing corpus keeps its settings; see `settings`.
        """
        database = folder / "corpus.db"
        try:
            refuse_links(folder)
            make_folder(folder)
            with exclusive_lock(folder / "write.lock", wait):
                db = connect(database, write=True)
                try:
                    migrate(db)
                    stored = get_meta(db, "settings")
                    if stored is None:
                        set_meta(db, "settings", settings.checked().dumps())
                finally:
                    db.close()
        except sqlite3.Error as error:
            raise store_error(error, database) from error
        except OSError as error:
            if error.errno in FULL:
                raise NoSpace(
                    f"{folder}: {error.strerror}: free some disk space and run the same command again"
                ) from error
            right = missing_right(database, write=True) or f"{folder}: {error.strerror}"
            raise CorpusError(f"cannot make a corpus: {right}") from error
        return cls(folder, _settings(stored, database) if stored else settings, wait)

    @classmethod
    def open(cls, folder: Path, wait: float = DEFAULT_WAIT) -> Store:
        """Open the corpus in `folder`; raises NoCorpus when there is none."""
        database = folder / "corpus.db"
        if right := missing_right(database, write=False):
            raise CorpusError(right)
        refuse_links(folder)
        if not database.is_file():
            raise NoCorpus(
                f"no index in {folder}: make one with `asof index SOURCE`, or name its folder by --index"
            )
        db = connect(database)
        try:
            version = db.execute("PRAGMA user_version").fetchone()[0]
            stored = get_meta(db, "settings") if version else None
            fault = schema_fault(db) if version == len(MIGRATIONS) else ""
        except sqlite3.Error as error:
            raise store_error(error, database) from error
        finally:
            db.close()
        if stored is None:
            raise NoCorpus(f"{folder} holds no corpus yet: make one with `asof index SOURCE`")
        if version < len(MIGRATIONS):
            return cls.create(folder, CorpusSettings(), wait)
        if fault:
            raise DamagedStore(f"{database} is not a database of asof: {fault}; restore it from a copy")
        return cls(folder, _settings(stored, database), wait)

    def reader(self) -> sqlite3.Connection:
        return connect(self.database)

    def begin_read(self, db: sqlite3.Connection) -> None:
        """Begin a read transaction on one state of the corpus; it waits while a compaction blocks readers."""
        with shared_lock(self._readers_lock):
            db.execute("BEGIN")
            db.execute("SELECT 1 FROM transactions LIMIT 1").fetchone()  # from here on it sees one state

    def writer(self) -> sqlite3.Connection:
        return connect(self.database, write=True)

    @contextmanager
    def write(
        self,
        db: sqlite3.Connection,
        clock: Callable[[], int],
        publish: Publish,
        *,
        what: str,
        source: tuple[str, str] = ("", ""),
    ) -> Iterator[Transaction]:
        """One transaction on `db`: the caller adds to the `Transaction`, which is then written, published and
        committed.

        When nothing changed, nothing is written. Raises Busy, NoSpace; after any error the corpus is as it
        was before.
        """
        with translate_errors(self.database), self._write_lock():
            db.execute("BEGIN IMMEDIATE")
            try:
                last = db.execute("SELECT max(id) FROM transactions").fetchone()[0] or 0
                now = max(clock(), last + 1)
                origin = source_row(db, source, now) if any(source) else 0
                texts = TextPreparation.of(self.settings, self.analyzer)
                write = Transaction(db, now, self.settings, texts, origin)
                yield write
                if write.empty:
                    db.execute("COMMIT" if save_checkpoints(write) else "ROLLBACK")
                    return
                reconcile(write)
                save_checkpoints(write)
                db.execute("INSERT INTO transactions VALUES (?, ?)", (now, what))
                publish(write)
                db.execute("COMMIT")
            except BaseException:
                if db.in_transaction:
                    db.execute("ROLLBACK")
                raise

    @contextmanager
    def exclusive(self, db: sqlite3.Connection, clock: Callable[[], int], what: str) -> Iterator[None]:
        """A transaction that removes rows; see `corrections.py`."""
        with translate_errors(self.database), self._write_lock():
            db.execute("PRAGMA secure_delete = ON")
            db.execute("BEGIN IMMEDIATE")
            try:
                yield
                last = db.execute("SELECT max(id) FROM transactions").fetchone()[0] or 0
                db.execute("INSERT INTO transactions VALUES (?, ?)", (max(clock(), last + 1), what))
                db.execute("COMMIT")
            except BaseException:
                if db.in_transaction:
                    db.execute("ROLLBACK")
                raise

    def compact(self, db: sqlite3.Connection) -> None:
        """Rewrite the database without its free pages, and empty the write-ahead log.

        The log can only be emptied while nobody reads. Where readers never stop, new ones wait until the
        others have finished. The lock for writing is free meanwhile: a reader may be about to store a
        model's reply. Raises Busy when a reader does not finish.
        """
        until = time.monotonic() + self.compact_wait
        with translate_errors(self.database), self._write_lock():
            db.execute("VACUUM")
        while not self._try_empty_log(db):
            if time.monotonic() >= until:
                raise Busy(
                    f"{self.database}: removed data is still in the write-ahead log, because another process "
                    "is reading: end it, then run the same command or `asof status --check` again"
                )
            with translate_errors(self.database), exclusive_lock(self._readers_lock, self.wait):
                if self._log_emptied(db, min(until, time.monotonic() + _GATE_CLOSED)):
                    return
            time.sleep(_GATE_OPEN)

    def _log_emptied(self, db: sqlite3.Connection, until: float) -> bool:
        """Whether the log could be emptied before `until`."""
        while not self._try_empty_log(db):
            if time.monotonic() >= until:
                return False
            time.sleep(_POLL_SECONDS)
        return True

    @property
    def _readers_lock(self) -> Path:
        return self.folder / "readers.lock"

    def _try_empty_log(self, db: sqlite3.Connection) -> bool:
        """Empty the write-ahead log if nobody reads; returns whether it is empty."""
        with translate_errors(self.database), self._write_lock():
            db.execute("PRAGMA busy_timeout = 0")
            try:
                return not db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
            finally:
                db.execute(f"PRAGMA busy_timeout = {BUSY_MS}")

    def _write_lock(self) -> contextlib.AbstractContextManager[None]:
        return exclusive_lock(self.folder / "write.lock", self.wait)

    def empty_log(self) -> None:
        """Empty the write-ahead log if nobody else has the corpus open, so that one file is left.

        A read-only connection cannot do that itself.
        """
        if not log_is_empty(self.database):
            with contextlib.suppress(sqlite3.Error, CorpusError):  # read-only: then it stays as it is
                self.writer().close()


def _settings(stored: str, database: Path) -> CorpusSettings:
    try:
        return CorpusSettings.loads(stored)
    except (*UNREADABLE, UsageError) as error:
        raise DamagedStore(
            f"{database}: the settings of the corpus cannot be read ({error}): restore it from a copy"
        ) from error


@contextmanager
def translate_sqlite_errors(database: Path) -> Iterator[None]:
    """Turns errors of SQLite, and those caused by rows that asof did not write, into errors of asof."""
    try:
        yield
    except sqlite3.Error as error:
        raise store_error(error, database) from error
    except UNREADABLE as error:
        raise_if_damaged(database, error)
        raise


def raise_if_damaged(database: Path, error: Exception) -> None:
    """Raise DamagedStore, caused by `error`, if the database holds values that asof does not write."""
    with contextlib.closing(connect(database)) as db:
        faults = value_faults(db)
    if faults:
        more = f" (and {len(faults) - 1} more: asof status --check)" if len(faults) > 1 else ""
        raise DamagedStore(
            f"{database} holds values that asof does not write: {faults[0]}{more}; restore it from a copy, "
            "or remove it and index the sources again"
        ) from error


@contextmanager
def translate_errors(database: Path) -> Iterator[None]:
    """Turns errors of SQLite and of the file system into errors of asof."""
    try:
        with translate_sqlite_errors(database):
            yield
    except OSError as error:
        unchanged = f"{database.parent}: {error.strerror}; the corpus is as it was before this write"
        if isinstance(error, PermissionError) or error.errno == errno.EROFS:
            raise CorpusError(missing_right(database, write=True) or unchanged) from error
        if error.errno in FULL:
            raise NoSpace(f"{unchanged}: free some disk space and run the same command again") from error
        raise CorpusError(unchanged) from error


def source_row(db: sqlite3.Connection, source: tuple[str, str], now: int) -> int:
    """The id of a source, made when it is new."""
    name, kind = source
    row = db.execute("SELECT id FROM sources WHERE name = ?", (name,)).fetchone()
    if row is None:
        row = db.execute(
            "INSERT INTO sources (name, kind, added) VALUES (?, ?, ?) RETURNING id", (name, kind, now)
        ).fetchone()
    return int(row[0])
