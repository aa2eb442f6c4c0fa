"""What slow readers made of files, by the digest of their bytes: a file that was moved is not read again."""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Callable
from contextlib import AbstractContextManager, closing, nullcontext, suppress
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import Any

from asof import corpus_files

NAME = "readings.db"
"""The file in a corpus's folder. It can be thrown away; erasing a document throws it away."""

MOST = 256 * 2**20
"""Bytes of compressed answers that are kept; the oldest go first."""

_COMMIT = 100
_TABLE = (
    "CREATE TABLE IF NOT EXISTS answers (number INTEGER PRIMARY KEY, key BLOB UNIQUE, answer BLOB, sum BLOB)"
)
_LEFT = """DELETE FROM answers WHERE number <= (
    SELECT max(number) FROM (
        SELECT number, sum(length(answer)) OVER (ORDER BY number DESC) AS bytes FROM answers)
    WHERE bytes > ?)"""


@dataclass(slots=True)
class KeptAnswers:
    """Answers by key, in a file at `path` that is opened when it is first asked.

    Nothing depends on it: where the file cannot be opened, is damaged or is in use, everything is read again.
    Each answer carries a digest of itself and its key.
    """

    path: Path
    most: int = MOST
    _db: sqlite3.Connection | None = field(default=None, init=False)
    _failed: bool = field(default=False, init=False)
    _count: int = field(default=0, init=False)

    def get(self, key: bytes, largest: int) -> bytes | None:
        """The answer of a key, of at most `largest` bytes; None where none is kept."""
        row = self._asked(
            lambda db: db.execute("SELECT answer, sum FROM answers WHERE key = ?", (key,)).fetchone()
        )
        if row is None:
            return None
        unpacking = zlib.decompressobj()
        try:
            answer = unpacking.decompress(row[0], largest + 1)
        except (zlib.error, TypeError):
            return None
        return answer if len(answer) <= largest and _sum(key, answer) == row[1] else None

    def put(self, key: bytes, answer: bytes) -> None:
        """Keep an answer."""
        values = (key, zlib.compress(answer, 1), _sum(key, answer))

        def write(db: sqlite3.Connection) -> None:
            if not self._count % _COMMIT:
                if db.in_transaction:
                    db.execute("COMMIT")
                db.execute("BEGIN")
            self._count += 1
            db.execute("INSERT OR REPLACE INTO answers (key, answer, sum) VALUES (?, ?, ?)", values)

        self._asked(write)

    def close(self) -> None:
        """Write what is not written yet; the oldest answers go where there are too many bytes."""
        if self._count:
            self._asked(self._end)
        if self._db is not None:
            self._db.close()
        self._db, self._failed, self._count = None, False, 0

    def _end(self, db: sqlite3.Connection) -> None:
        db.execute(_LEFT, (self.most,))
        db.execute("COMMIT")

    def _asked(self, ask: Callable[[sqlite3.Connection], Any]) -> Any:
        """What is answered; None where the file cannot be used, which is not tried again before `close`."""
        if self._failed:
            return None
        try:
            if self._db is None:
                self._db = self._opened()
            return ask(self._db)
        except (sqlite3.Error, OSError) as wrong:
            self._failed = True
            if self._db is not None:
                self._db.close()
                self._db = None
            if isinstance(wrong, sqlite3.DatabaseError) and not isinstance(wrong, sqlite3.OperationalError):
                with suppress(OSError):
                    forget(self.path.parent)  # it is damaged
            return None

    def _opened(self) -> sqlite3.Connection:
        for each in _files(self.path.parent):
            corpus_files.check_file(each, sole=True)
        db = sqlite3.connect(self.path, isolation_level=None, timeout=0, check_same_thread=False)
        try:
            db.execute("PRAGMA trusted_schema = OFF")
            db.execute("PRAGMA synchronous = OFF")  # a power cut may lose it
            db.execute(_TABLE)
        except sqlite3.Error:
            db.close()
            raise
        return db


def closed_after(kept: KeptAnswers | None) -> AbstractContextManager[object]:
    """Closes what is kept, if anything is, when a source has been read."""
    return closing(kept) if kept is not None else nullcontext()


def forget(folder: Path) -> None:
    """Remove the file from a corpus's folder. Raises OSError."""
    for path in _files(folder):
        corpus_files.remove(path)


def _files(folder: Path) -> tuple[Path, Path]:
    return folder / NAME, folder / f"{NAME}-journal"


def _sum(key: bytes, answer: bytes) -> bytes:
    return blake2b(answer, key=key[:64], digest_size=16).digest()
