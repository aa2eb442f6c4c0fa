"""Folders of shards: which are open, and which can go.

A shard that is replaced by another state of it, or whose documents move, gets a new folder beside the present
one, and the list of shards is replaced in one step. Who has an old folder open goes on in it; it is removed
when nobody has.
"""

from __future__ import annotations

import contextlib
import fcntl
import itertools
import shutil
import sqlite3
from collections.abc import Collection, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from asof import corpus_files
from asof.store.schema import connect
from asof.store.shard_layout import FOLDER, SHARD_NAME, read_layout

OPEN = "open.lock"
"""Held, shared, in the folder of a shard by whoever has it open; the folder stays as long."""

INTENT = "pulling.json"
"""In the `.asof` of a working copy: which folders take the place of those that are listed."""

_OWN_FILES = ("corpus.db", "corpus.db-wal", "corpus.db-shm")


def held_open(place: Path) -> int | None:
    """A descriptor that keeps the folder of a shard in its place; None where this user may not have one."""
    try:
        descriptor = corpus_files.open_lock(place / OPEN)
    except OSError:
        try:
            descriptor = corpus_files.open_file(place / OPEN)
        except OSError:
            return None
    fcntl.flock(descriptor, fcntl.LOCK_SH)
    return descriptor


def free_name(shard: int, taken: Collection[str]) -> str:
    """A name for a folder of this shard that no other has: 03, 03.1, 03.2, ..."""
    names = (f"{shard:02}.{other}" if other else f"{shard:02}" for other in itertools.count())
    return next(name for name in names if name not in taken)


def replaced(place: Path) -> bool:
    """Whether another folder took the place of this one of a shard, or is about to: what is written here is
    lost. While no shards are listed, none did."""
    folder = place.parent.parent
    if place.parent.name != FOLDER or not SHARD_NAME.fullmatch(place.name):
        return False  # a corpus in one piece
    layout = read_layout(folder)
    return (folder / INTENT).exists() or (layout is not None and place.name not in layout.folders)


def former(folder: Path) -> list[str]:
    """The folders of shards in the `.asof` that is `folder` which its list does not name: those of an earlier
    list, and what a killed process left."""
    layout = read_layout(folder)
    named = set(layout.folders) if layout else set[str]()
    there = corpus_files.names(folder / FOLDER)
    return [name for name in there if name not in named and SHARD_NAME.fullmatch(name)]


def remove_former(folder: Path, *, all_of_them: bool = False) -> None:
    """Remove folders of shards that the list does not name, and the files of a corpus in one piece that is in
    shards now, unless somebody has them open and `all_of_them` is not said.

    Who calls it holds the locks of those who make such folders: nothing names them before they are whole.
    """
    for name in former(folder):
        place = folder / FOLDER / name
        with _closed(place) as closed:
            if closed or all_of_them:
                shutil.rmtree(place, ignore_errors=True)
    database = folder / "corpus.db"
    if read_layout(folder) is None or (database.exists() and not all_of_them and _is_open(database)):
        return
    for name in _OWN_FILES:
        corpus_files.remove(folder / name)
    for name in ("segments", "derived"):
        shutil.rmtree(folder / name, ignore_errors=True)


def remove_unused(folder: Path) -> None:
    """Remove what nobody needs any more, unless somebody fetches or writes just now."""
    names = [name for name in ("copy.lock", "write.lock") if (folder / name).exists()]
    with contextlib.ExitStack() as held:
        if all(held.enter_context(corpus_files.try_lock(folder / name)) is not None for name in names):
            remove_former(folder)


@contextmanager
def _closed(place: Path) -> Iterator[bool]:
    """Whether nobody has a shard open, nor can open it meanwhile."""
    with corpus_files.try_lock(place / OPEN) as mine:
        yield mine is not None


def _is_open(database: Path) -> bool:
    """Whether anybody has a database open: only a connection that is alone may leave the write-ahead mode."""
    with contextlib.suppress(sqlite3.OperationalError), closing(connect(database, write=True)) as db:
        db.execute("PRAGMA busy_timeout = 0")
        return bool(db.execute("PRAGMA journal_mode = DELETE").fetchone()[0] != "delete")
    return True
