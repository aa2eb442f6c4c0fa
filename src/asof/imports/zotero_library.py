"""The database of Zotero's data folder, opened with care.

It is opened to be read only, past the lock that Zotero holds while it runs; a change that is half written
there is an error.
"""

from __future__ import annotations

import sqlite3
import time
from contextlib import closing
from pathlib import Path

from asof.data.storable import storable
from asof.errors import SourceError
from asof.imports.zotero_tables import NoLibrary, ZoteroItem, ZoteroTables

FILE = "zotero.sqlite"
SECONDS = 60
"""How long reading the database may take."""

LONGEST_VALUE = 16 * 2**20
"""Bytes of a value (a note, say)."""

_CLOSE = "close Zotero, then import again"


def library(folder: Path, shown: str) -> list[ZoteroItem]:
    """All items that are not in the bin, by their numbers. Raises SourceError."""
    file = folder / FILE
    if not file.is_file():
        raise SourceError(f"{shown} holds no {FILE}; Zotero's data folder is expected (settings, Advanced)")
    before = _state(file, shown)
    try:
        with closing(_opened(file)) as database:
            items = ZoteroTables(database).items()
    except NoLibrary as wrong:
        raise SourceError(f"{shown}/{FILE} is no database of Zotero 6 or 7: {wrong}") from wrong
    except sqlite3.OperationalError as wrong:
        why = "it takes too long to read" if "interrupted" in str(wrong) else str(wrong)
        raise SourceError(f"{shown}/{FILE} cannot be read: {why}; {_CLOSE}") from wrong
    except (sqlite3.DatabaseError, OverflowError, ValueError) as wrong:
        raise SourceError(
            f"{shown}/{FILE} is damaged, or was changed meanwhile: {wrong}; {_CLOSE}"
        ) from wrong
    if _state(file, shown) != before:
        raise SourceError(f"{shown}/{FILE} was changed while it was read; {_CLOSE}")
    return items


def _state(file: Path, shown: str) -> tuple[int, int]:
    """Size and time of the database. Raises SourceError if a change of it is not written yet."""
    try:
        for end, size in (("-wal", 0), ("-journal", 28)):
            beside = file.with_name(file.name + end)
            if beside.exists() and beside.stat().st_size > size and (end == "-wal" or _hot(beside)):
                raise SourceError(f"{shown}/{FILE} is being changed by Zotero; {_CLOSE}")
        status = file.stat()
    except OSError as wrong:
        raise SourceError(f"{shown}/{FILE} cannot be read: {wrong.strerror}") from wrong
    return status.st_size, status.st_mtime_ns


def _hot(journal: Path) -> bool:
    """Whether a journal is of a change that is under way: its header is blank between changes."""
    with journal.open("rb") as stream:
        return any(stream.read(28))


def _opened(file: Path) -> sqlite3.Connection:
    address = f"{file.resolve().as_uri()}?mode=ro&immutable=1"
    database = sqlite3.connect(address, uri=True, isolation_level=None)
    database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST_VALUE)
    database.execute("PRAGMA trusted_schema = OFF")
    database.execute("PRAGMA query_only = ON")
    database.text_factory = lambda raw: storable(raw.decode("utf-8", "replace"))
    end = time.monotonic() + SECONDS
    database.set_progress_handler(lambda: int(time.monotonic() > end), 100_000)
    return database
