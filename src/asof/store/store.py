"""The corpus on disk: opening it, transactions that write, compaction; integrity checks.

SQLite checks pages, not meaning: a forged file can have triggers, texts where numbers are expected, dangling
references. `schema_fault` is quick and runs whenever a corpus is opened; `value_faults` reads all rows, and
runs after unexpected errors and for `asof status --check`.
"""

from __future__ import annotations

import errno
import json
import shutil
import sqlite3
import struct
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from asof.documents import Problem
from asof.errors import AsofError, Busy, CorpusError, DamagedStore, NoCorpus, NoSpace, UsageError
from asof.files import (
    FOLDER,
    file_at,
    file_of,
    log_is_empty,
    make_folder,
    missing_right,
    refuse_links,
    remove,
    try_lock,
)
from asof.store.digest import KEY_BYTES, PLACE_BYTES, layout_keys, loads
from asof.store.schema import (
    BUSY_MS,
    REPLACED,
    CorpusSettings,
    connect,
    create_schema,
    exclusive_lock,
    get_meta,
    set_meta,
    store_error,
    transaction,
)
from asof.store.writing import TextPreparation, Transaction, reconcile, save_checkpoints
from asof.text.tokens import Analyzer
from asof.time.span import BEGINNING, NEVER

# -- integrity checks ----------------------------------------------------------------------------------

UNREADABLE = (
    ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError, struct.error,
    zlib.error, MemoryError,
)  # fmt: skip
"""Exceptions of Python that malformed stored data can cause; so can a bug of asof."""

MAX_FAULTS = 20
"""The most faults that are listed."""

_BOUNDS = {
    ("heads", "fiscal_start"): (1, 12), ("passages", "number"): (0, 2**31 - 1), ("passages", "dated"): (0, 1),
    ("facts", "start"): (0, 2**31 - 1), ("facts", "end"): (0, 2**31 - 1), ("facts", "confidence"): (0, 1),
}  # fmt: skip
_JSON = {
    "heads": {"tags": "array", "meta": "object", "about": "array", "keywords": "array"},
    "passages": {"about": "array"}, "asked": {"fields": "object", "filters": "object"},
}  # fmt: skip
_TYPES = {"INTEGER": ("integer",), "TEXT": ("text",), "BLOB": ("blob",), "REAL": ("real", "integer")}


class SchemaColumn(NamedTuple):
    """A column as SQLite describes it (`PRAGMA table_xinfo`)."""

    name: str
    type: str
    required: int
    key: int
    hidden: int


def schema_fault(db: sqlite3.Connection) -> str:
    """The first difference of a schema from that of asof; "" when they are equal."""
    expected = _expected_objects()
    objects = _objects(db)
    if unexpected := sorted(objects - expected.keys()):
        return f"it has the {unexpected[0][0]} {unexpected[0][1]!r}, which is not part of asof's schema"
    if missing := sorted(expected.keys() - objects):
        return f"it lacks the {missing[0][0]} {missing[0][1]!r}"
    for kind, name in sorted(objects):
        if kind == "table" and _columns(db, name) != expected[kind, name]:
            return f"the columns of its table {name!r} differ from asof's schema"
    return ""


@cache
def _expected_objects() -> dict[tuple[str, str], tuple[SchemaColumn, ...]]:
    """The objects of the newest schema; of tables their columns."""
    db = sqlite3.connect(":memory:", isolation_level=None)
    try:
        create_schema(db)
        return {(kind, name): _columns(db, name) if kind == "table" else () for kind, name in _objects(db)}
    finally:
        db.close()


def _objects(db: sqlite3.Connection) -> set[tuple[str, str]]:
    return set(db.execute("SELECT type, name FROM sqlite_master WHERE name NOT LIKE 'sqlite!_%' ESCAPE '!'"))


def _columns(db: sqlite3.Connection, table: str) -> tuple[SchemaColumn, ...]:
    rows = db.execute('SELECT name, type, "notnull", pk, hidden FROM pragma_table_xinfo(?)', (table,))
    return tuple(SchemaColumn(*row) for row in rows)


def value_faults(db: sqlite3.Connection) -> list[str]:
    """Values in the rows that asof never writes; the first MAX_FAULTS."""
    return list(islice(_value_faults(db), MAX_FAULTS))


def _value_faults(db: sqlite3.Connection) -> Iterator[str]:
    if fault := schema_fault(db):
        yield fault
        return
    yield from _meta_faults(db)
    for (kind, table), columns in _expected_objects().items():
        if kind == "table" and table != "segments":  # a cache, which is repaired when it is read
            yield from _type_faults(db, table, columns)
    for (table, column), (low, high) in _BOUNDS.items():
        if _any_row(db, table, f'"{column}" NOT BETWEEN {low} AND {high}'):
            yield f"{table}.{column} holds a number out of bounds"
    for table, kinds in _JSON.items():
        for column, kind in kinds.items():
            wrong = f"CASE WHEN json_valid({column}) THEN json_type({column}) <> '{kind}' ELSE TRUE END"
            if _any_row(db, table, wrong):
                yield f"{table}.{column} holds a value that is not a JSON {kind}"
    for table, _, parent, _ in db.execute("PRAGMA foreign_key_check"):
        yield f"a row of {table} refers to a missing row of {parent}"
    if _any_row(db, "documents", "current IS NOT NULL AND current NOT IN (SELECT id FROM versions)"):
        yield "a document's current version is missing"
    yield from _text_faults(db)
    yield from _layout_faults(db)


def _meta_faults(db: sqlite3.Connection) -> Iterator[str]:
    for key in ("horizon", "known_horizon"):
        stored = get_meta(db, key)
        if stored is not None and not (isinstance(stored, str) and stored.lstrip("-").isdecimal()):
            yield f"meta.{key} is not an instant"
    stored = get_meta(db, "settings")
    if stored is not None:
        try:
            CorpusSettings.loads(stored).checked().analyzer()
        except (*UNREADABLE, UsageError) as error:
            yield f"meta.settings cannot be read ({error})"


def _type_faults(db: sqlite3.Connection, table: str, columns: tuple[SchemaColumn, ...]) -> Iterator[str]:
    for column in columns:
        types = ", ".join(f"'{each}'" for each in _TYPES[column.type])
        empty = "" if column.required or column.key else f' AND "{column.name}" IS NOT NULL'
        if _any_row(db, table, f'typeof("{column.name}") NOT IN ({types}){empty}'):
            yield f"{table}.{column.name} holds a value of another type than {column.type}"
        instants = f'"{column.name}" NOT BETWEEN {BEGINNING} AND {NEVER}'  # and smaller numbers
        if column.type == "INTEGER" and _any_row(db, table, instants):
            yield f"{table}.{column.name} holds a number out of bounds"


def _text_faults(db: sqlite3.Connection) -> Iterator[str]:
    """Times and keywords that cannot be read."""
    readers = (
        ("passages", "about", lambda stored: [time.sourced_time() for time in loads(stored)]),
        ("heads", "about", lambda stored: [str.strip(time["text"]) for time in json.loads(stored)]),
        ("heads", "keywords", lambda stored: [str.strip(word) for word in json.loads(stored)]),
        ("heads", "tags", lambda stored: [str.strip(tag) for tag in json.loads(stored)]),
    )
    for table, column, read in readers:
        for (stored,) in db.execute(f"SELECT DISTINCT {column} FROM {table}"):
            try:
                read(stored)
            except UNREADABLE as error:
                yield f"{table}.{column} cannot be read ({error})"
                break


def _layout_faults(db: sqlite3.Connection) -> Iterator[str]:
    if _any_row(db, "passages", f"length(key) <> {KEY_BYTES}"):
        yield "passages.key holds a key of another length"
        return
    if _any_row(db, "versions", f"length(layout) % {PLACE_BYTES} <> 0"):
        yield "versions.layout holds a layout that is cut off"
        return
    keys: dict[int, set[bytes]] = {}
    for document, key in db.execute("SELECT document, key FROM passages"):
        keys.setdefault(document, set()).add(key)
    for version, document, layout in db.execute(
        "SELECT id, document, layout FROM versions WHERE typeof(layout) = 'blob'"
    ):
        if any(key not in keys.get(document, ()) for key in layout_keys(layout)):
            yield f"version {version} lacks a passage"


def _any_row(db: sqlite3.Connection, table: str, where: str) -> bool:
    return db.execute(f"SELECT 1 FROM {table} WHERE {where} LIMIT 1").fetchone() is not None


# -- store ---------------------------------------------------------------------------------------------

DEFAULT_WAIT = 60.0
LOCK = "write.lock"
ERASING = "erasing"
"""The key in `meta` of the last transaction that removed rows, until `engine.finish_removal`."""

_POLL_SECONDS = 0.05
"""Seconds between two attempts to empty the write-ahead log."""
FULL = frozenset({errno.ENOSPC, errno.EFBIG, errno.EDQUOT})

Publish = Callable[[Transaction], None]
"""Called with the changes of a write inside its transaction; the index adds a segment."""


@dataclass(slots=True)
class Store:
    """The folder `.asof` of a corpus. `first`: the connection that it was opened by, which its session reads
    with; while one is open, no other process removes the corpus. `wait`: how many seconds a writer waits for
    another one; `durable`: what is written outlasts a loss of power; `compact_wait`: how many seconds a
    compaction waits for readers."""

    folder: Path
    settings: CorpusSettings
    first: sqlite3.Connection
    wait: float = DEFAULT_WAIT
    durable: bool = True
    compact_wait: float = BUSY_MS / 1000
    analyzer: Analyzer = field(init=False)

    def __post_init__(self) -> None:
        self.analyzer = self.settings.analyzer()

    @property
    def database(self) -> Path:
        return self.folder / "corpus.db"

    @classmethod
    def create(
        cls, folder: Path, settings: CorpusSettings, wait: float = DEFAULT_WAIT, *, durable: bool = True
    ) -> Store:  # fmt: skip
        """Open the corpus in `folder`, making it with `settings` if there is none.

        An existing corpus keeps its settings; see `settings`.
        """
        database = folder / "corpus.db"
        try:
            with (
                _lock_of_made(folder, wait),
                closing(connect(database, write=True, make=True, durable=durable)) as db,
            ):
                create_schema(db)
                stored = _settings(db, database)
                if stored is None:
                    set_meta(db, "settings", settings.checked().dumps())
                first = connect(database)
        except sqlite3.Error as error:
            raise store_error(error, database) from error
        except OSError as error:
            if error.errno in FULL:
                raise NoSpace(
                    f"{folder}: {error.strerror}: free some disk space and run the same command again"
                ) from error
            right = missing_right(database, write=True) or f"{folder}: {error.strerror}"
            raise CorpusError(f"cannot make a corpus: {right}") from error
        return cls(folder, stored or settings, first, wait, durable)

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
            settings = _settings(db, database)
            if settings is None:
                raise NoCorpus(f"{folder} holds no corpus yet: make one with `asof index SOURCE`")
            return cls(folder, settings, db, wait)
        except sqlite3.Error as error:
            db.close()
            raise store_error(error, database) from error
        except CorpusError:
            db.close()
            raise

    def reader(self) -> sqlite3.Connection:
        return connect(self.database)

    def writer(self) -> sqlite3.Connection:
        return connect(self.database, write=True, durable=self.durable)

    @contextmanager
    def locked(self, wait: float | None = None) -> Iterator[None]:
        """Hold the write lock; `wait`: seconds for another writer, in place of the store's. Raises Busy, and
        CorpusError for errors of SQLite and of the file system."""
        lock = exclusive_lock(self.folder / LOCK, self.wait if wait is None else wait)
        with translate_errors(self.database), lock:
            yield

    @contextmanager
    def transaction(self, db: sqlite3.Connection, wait: float | None = None) -> Iterator[None]:
        """One transaction on `db` under the write lock (see `locked`), undone after an error."""
        with self.locked(wait), transaction(db):
            yield

    @contextmanager
    def write(
        self,
        db: sqlite3.Connection,
        clock: Callable[[], int],
        publish: Publish,
        *,
        what: str,
        source: SourceWay | None = None,
    ) -> Iterator[Transaction]:
        """One transaction on `db`: the caller adds to the `Transaction`, which is then written, published and
        committed.

        When nothing changed, nothing is written. Raises Busy, NoSpace; after any error the corpus is as it
        was before.
        """
        files: list[Path] = []
        try:
            with self.transaction(db):
                now = _next_transaction(db, clock)
                origin = source_row(db, source, now) if source else 0
                texts = TextPreparation.of(self.settings, self.analyzer)
                write = Transaction(db, now, self.settings, texts, origin, files)
                yield write
                if write.empty:
                    if not save_checkpoints(write):
                        db.execute("ROLLBACK")
                    return
                reconcile(write)
                save_checkpoints(write)
                db.execute("INSERT INTO transactions VALUES (?, ?)", (now, what))
                publish(write)
        except BaseException:  # also where the disk is full when it is committed
            for file in files:
                remove(file)
            raise

    @contextmanager
    def exclusive(self, db: sqlite3.Connection, clock: Callable[[], int], what: str) -> Iterator[None]:
        """A transaction that removes rows (see `corrections.py`), and marks that files hold them yet."""
        with self.transaction(db):
            db.execute("PRAGMA secure_delete = ON")
            yield
            now = _next_transaction(db, clock)
            db.execute("INSERT INTO transactions VALUES (?, ?)", (now, what))
            set_meta(db, ERASING, str(now))

    def compact(self, db: sqlite3.Connection) -> None:
        """Rewrite the database without its free pages, and empty the write-ahead log.

        The log is emptied when the readers that began before are done; later ones read what was copied from
        it. The lock for writing is free while they are waited for: one may be about to store a model's reply.
        Raises Busy when a reader does not finish.
        """
        until = time.monotonic() + self.compact_wait
        with self.locked():
            db.execute("VACUUM")
        while not self._try_empty_log(db):
            if time.monotonic() >= until:
                raise Busy(
                    f"{self.database}: removed data is still in the write-ahead log, because another process "
                    "is reading: end it, then run the same command or `asof status --check` again"
                )
            time.sleep(_POLL_SECONDS)

    def _try_empty_log(self, db: sqlite3.Connection) -> bool:
        """Empty the write-ahead log if no process reads from it; returns True if it is empty."""
        with self.locked():
            db.execute("PRAGMA busy_timeout = 0")
            try:
                return not db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
            finally:
                db.execute(f"PRAGMA busy_timeout = {BUSY_MS}")

    def empty_log(self) -> None:
        """Empty the write-ahead log if no other process has the corpus open, so that one file is left.

        A read-only connection cannot do that itself.
        """
        if self.durable and not log_is_empty(self.database):
            with suppress(sqlite3.Error, CorpusError):  # read-only, or removed: then it stays as it is
                self.writer().close()


def _next_transaction(db: sqlite3.Connection, clock: Callable[[], int]) -> int:
    """The id of a transaction that begins now: its wall time, later than any before."""
    return max(clock(), (db.execute("SELECT max(id) FROM transactions").fetchone()[0] or 0) + 1)


def _settings(db: sqlite3.Connection, database: Path) -> CorpusSettings | None:
    """The settings of a corpus; None where none was made yet. No row is read before the schema was checked:
    a view in the place of a table can be without end. Raises DamagedStore."""
    if not db.execute("PRAGMA user_version").fetchone()[0]:
        return None
    if fault := schema_fault(db):
        raise DamagedStore(f"{database} is not a database of asof: {fault}; restore it from a copy")
    stored = get_meta(db, "settings")
    try:
        return None if stored is None else CorpusSettings.loads(stored)
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
    """Raise DamagedStore, caused by `error`, if the database holds values that asof does not write, or one of
    those in a folder of shards."""
    if database.is_dir():
        for each in sorted(database.glob(f"*/{FOLDER}/corpus.db")):
            raise_if_damaged(each, error)
        return
    with closing(connect(database)) as db:
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


# -- sources, and the way in which each is read --------------------------------------------------------

HISTORY, PATHS = "history", ("folder", "file", "history")
"""The kind of a folder that is read with its git history, and all kinds whose documents are files."""


class SourceWay(NamedTuple):
    """A source, and the way in which it is read: its kind, and of a history the branch."""

    name: str
    kind: str
    branch: str = ""

    def differs(self, other: SourceWay) -> bool:
        """True if the two ways state other versions of one file."""
        return HISTORY in (self.kind, other.kind) and self[1:] != other[1:]

    def overlaps(self, other: SourceWay) -> bool:
        """True if one of two other paths lies in the other."""
        inner, outer = sorted((self.name, other.name), key=len, reverse=True)
        inside = outer == "." or inner.startswith(f"{outer}/")
        return inside and inner != outer and self.kind in PATHS and other.kind in PATHS


def stored_ways(db: sqlite3.Connection) -> dict[str, SourceWay]:
    """The way in which each source of a corpus is read, by its name."""
    return {row[0]: SourceWay(*row) for row in db.execute("SELECT name, kind, branch FROM sources")}


def source_row(db: sqlite3.Connection, source: SourceWay, now: int) -> int:
    """The id of a source, made when it is new, with its way from now on."""
    row = db.execute(
        "INSERT INTO sources (name, kind, branch, added) VALUES (?, ?, ?, ?) ON CONFLICT (name)"
        " DO UPDATE SET kind = excluded.kind, branch = excluded.branch RETURNING id",
        (*source, now),
    ).fetchone()
    return int(row[0])


def stored_problems(db: sqlite3.Connection, source: str = "") -> dict[Problem, None]:
    """The problems of the last run of a source, or of every one, in their order."""
    rows = db.execute(
        "SELECT p.message, p.file, p.line, p.remedy, p.document, p.lost FROM problems AS p"
        " JOIN sources AS s ON s.id = p.source WHERE ?1 IN (s.name, '') ORDER BY p.rowid",
        (source,),
    )
    return {Problem(a, b, c, d, e, bool(f)): None for a, b, c, d, e, f in rows}


# -- removal of a new corpus to which a run wrote nothing ----------------------------------------------

_ANY_ROW = "SELECT 1 FROM transactions UNION ALL SELECT 1 FROM asked LIMIT 1"
"""Selects a row if anything was indexed or recorded."""


@contextmanager
def _lock_of_made(folder: Path, wait: float) -> Iterator[None]:
    """Hold the write lock of a folder, which is made if it is missing, again if another process removes it.
    Raises Busy, OSError, CorpusError for a symbolic link."""
    with ExitStack() as lock:
        for left in reversed(range(REPLACED)):
            try:
                refuse_links(folder)
                make_folder(folder)
                lock.enter_context(exclusive_lock(folder / LOCK, wait))
                break
            except FileNotFoundError:
                if not left:
                    raise
        yield


@contextmanager
def removed_if_empty(root: Path) -> Iterator[Path]:
    """The folder of a corpus in `root`. A corpus that is created inside this context is removed at the end if
    nothing was written to it, and so are `root` and the folders above it that were created with it."""
    folder = root / FOLDER
    folder_existed = folder.exists()
    made = [each for each in (root, *root.parents) if not each.exists()]
    try:
        yield folder
    finally:
        if not folder_existed and folder.exists():
            with suppress(OSError, sqlite3.Error, AsofError):  # then it stays, and is used by the next run
                for each in made if _remove_if_unused(folder) else ():
                    each.rmdir()


def _remove_if_unused(folder: Path) -> bool:
    """Remove an empty corpus that no other process has open. Raises OSError, sqlite3.Error.

    Those who open it meanwhile wait for its lock or for its database, and then see that it is gone.
    """
    lock, database = folder / LOCK, folder / "corpus.db"
    with try_lock(lock) as held:
        if held is None or file_of(held) != file_at(lock):
            return False
        if database.exists():
            with closing(connect(database, write=True)) as db:
                if db.execute(_ANY_ROW).fetchone() or not _is_sole(db):
                    return False
                database.unlink()
        for place in folder.iterdir():
            if place.is_dir() and not place.is_symlink():
                shutil.rmtree(place)
            elif place != lock:
                place.unlink()
        lock.unlink()
        folder.rmdir()  # fails where another process has begun to make a corpus here
        return True


def _is_sole(db: sqlite3.Connection) -> bool:
    """True if no other connection to a database is open, in this process or another; then none can read it
    until this one is closed."""
    db.execute("PRAGMA busy_timeout = 0")
    db.execute("PRAGMA locking_mode = EXCLUSIVE")
    try:
        return bool(db.execute("PRAGMA journal_mode = DELETE").fetchone()[0] == "delete")
    except sqlite3.OperationalError:  # locked
        return False
