"""Removing a new corpus to which a run wrote nothing."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from asof.corpus_files import FOLDER, try_lock
from asof.errors import AsofError
from asof.store.schema import connect

_ANY_ROW = "SELECT 1 FROM transactions UNION ALL SELECT 1 FROM asked LIMIT 1"
"""Selects a row if anything was indexed or recorded."""


@contextmanager
def removed_if_empty(root: Path) -> Iterator[Path]:
    """The folder of a corpus in `root`. A corpus that is created inside this context is removed at the end if
    nothing was written to it, and `root` too if it was created with it."""
    folder = root / FOLDER
    folder_existed, root_existed = folder.exists(), root.exists()
    try:
        yield folder
    finally:
        if not folder_existed and folder.exists():
            with suppress(OSError, sqlite3.Error, AsofError):  # then it stays, and is used by the next run
                if _remove_if_unused(folder) and not root_existed:
                    root.rmdir()


def _remove_if_unused(folder: Path) -> bool:
    """Remove an empty corpus that nobody else has open. Raises OSError, sqlite3.Error."""
    with try_lock(folder / "write.lock") as lock:
        if lock is None:
            return False
        if not _is_unused(folder / "corpus.db"):
            return False
        shutil.rmtree(folder)
        return True


def _is_unused(database: Path) -> bool:
    """Whether nothing was written to a database, and nobody else has it open."""
    if not database.exists():
        return True
    with closing(connect(database, write=True)) as db:
        if db.execute(_ANY_ROW).fetchone():
            return False
        # fails while another connection is open, in this process or another
        return bool(db.execute("PRAGMA journal_mode = DELETE").fetchone()[0] == "delete")
