"""A corpus that was made for a run which then took nothing in goes again."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from asof.corpus_files import FOLDER, try_lock
from asof.errors import AsofError
from asof.store.schema import connect

WRITTEN = "SELECT 1 FROM transactions UNION ALL SELECT 1 FROM asked LIMIT 1"
"""Whether anything was stated or asked: then there is something to keep."""


@contextmanager
def made_for_something(root: Path) -> Iterator[Path]:
    """Where a corpus is made in the folder `root`, if there is none. If nothing has been written to it at the
    end, however that comes about, it goes again, and `root` with it if it was made for it."""
    folder = root / FOLDER
    found, room = folder.exists(), root.exists()
    try:
        yield folder
    finally:
        if not found and folder.exists():
            with suppress(OSError, sqlite3.Error, AsofError):  # then it stays, and is used by the next run
                if _discarded(folder) and not room:
                    root.rmdir()


def _discarded(folder: Path) -> bool:
    """Remove an empty corpus that nobody else has open. Raises OSError, sqlite3.Error."""
    with try_lock(folder / "write.lock") as held:
        if held is None:
            return False
        database = folder / "corpus.db"
        if database.exists():
            with closing(connect(database, write=True)) as db:
                if db.execute(WRITTEN).fetchone():
                    return False
                # refused while another connection is open, in this process or another
                if db.execute("PRAGMA journal_mode = DELETE").fetchone()[0] != "delete":
                    return False
        shutil.rmtree(folder)
        return True
