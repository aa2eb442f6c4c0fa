"""A copy of a corpus's database, made while others use it: at `.asof/corpus.db` it is the corpus."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

from asof.errors import UsageError
from asof.store.export import replacing


def backup(db: sqlite3.Connection, database: Path, file: Path, *, overwrite: bool = False) -> int:
    """Copy the database that `db` reads, which is at `database`, to `file`, which only its owner may read and
    which is there once it is complete; returns its size in bytes.

    Raises UsageError for a file that is there already, unless it may be overwritten, and for a database that
    somebody has open; sqlite3.Error, OSError.
    """
    if file.resolve() == database.resolve() or file.with_name(f"{file.name}-wal").exists():
        raise UsageError(f"{file} is a database that is in use; choose another name")
    with replacing(file, overwrite=overwrite) as passing:
        os.close(os.open(passing, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        with closing(sqlite3.connect(passing)) as copy:
            db.backup(copy)
    return file.stat().st_size
