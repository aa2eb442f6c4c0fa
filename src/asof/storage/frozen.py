"""One committed state of a shard, held still while it is read, with writers and readers at work.

In the write-ahead mode of SQLite a commit goes into the log first. When the log has been copied into the
database file and a reader begins then, before the next commit, it reads from the file alone, and as long as
it does nobody copies anything into the file (sqlite.org/walformat.html, WAL_READ_LOCK(0)). So the file is
that state, byte for byte: nothing that a rollback or a crash takes back is in it, and writers go on in the
log. Where an older reader keeps the log from being copied, the state is copied into a passing file instead.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from asof import corpus_files
from asof.errors import DamagedSegment
from asof.index.manifest import Manifest
from asof.index.rebuild import SegmentEntry
from asof.index.segment import SEGMENT, Segment
from asof.store.store import Store, translate_errors

COPY = "corpus.db.frozen"
"""The passing file, in the folder of the store."""

_TRIES = 20
_PAUSE = 0.05


@dataclass(frozen=True, slots=True)
class Frozen:
    """A state. `descriptor`: an open file whose first `size` bytes are the database; `segments`: those of
    its list, open.

    It stands while `frozen` is held; threads may read from it by os.pread.
    """

    store: Store
    head: int
    documents: int
    passages: int
    descriptor: int
    size: int
    segments: tuple[tuple[SegmentEntry, IO[bytes], Segment], ...]


@contextmanager
def frozen(store: Store) -> Iterator[Frozen]:
    """The last committed state of a store. Raises Busy, DamagedSegment, CorpusError, NoSpace."""
    for attempt in range(_TRIES):
        with ExitStack() as held:
            with translate_errors(store.database):
                state = _held(store, held)
            if state is not None:
                yield state
                return
        time.sleep(_PAUSE * attempt)  # a segment was merged away between the list and the file
    raise DamagedSegment(f"{store.folder}: a segment is missing or damaged: run `asof status --check`")


def _held(store: Store, held: ExitStack) -> Frozen | None:
    reader = held.enter_context(contextlib.closing(store.reader()))
    whole = _begin(store, reader)
    if whole:
        database = store.database
    else:
        database = store.folder / COPY
        held.callback(corpus_files.remove, database)
        _copy(reader, database)
    descriptor = corpus_files.open_file(database)
    held.callback(os.close, descriptor)
    segments = []
    for entry in Manifest(store).entries(reader):
        path = store.folder / "segments" / entry.file
        try:
            file = held.enter_context(os.fdopen(corpus_files.open_file(path), "rb"))
            segments.append((entry, file, Segment(path, entry.checksum, SEGMENT)))
        except (FileNotFoundError, DamagedSegment):
            return None

    def one(query: str) -> int:
        return int(reader.execute(query).fetchone()[0] or 0)

    return Frozen(
        store,
        one("SELECT max(id) FROM transactions"),
        one("SELECT count(*) FROM documents"),
        one("SELECT count(*) FROM passages"),
        descriptor,
        one("PRAGMA page_count") * one("PRAGMA page_size") if whole else os.fstat(descriptor).st_size,
        tuple(segments),
    )


def _begin(store: Store, reader: sqlite3.Connection) -> bool:
    """Begin to read the last state; whether the database file alone is it."""
    with contextlib.closing(store.writer()) as blocking, contextlib.closing(store.writer()) as copying:
        _log_is_copied(copying)  # most of it, before writers have to wait
        blocking.execute("BEGIN IMMEDIATE")
        try:
            whole = _log_is_copied(copying)
            store.begin_read(reader)
        finally:
            blocking.execute("ROLLBACK")
    return whole


def _log_is_copied(db: sqlite3.Connection) -> bool:
    """Copy what can be copied of the log into the database file; whether that was all."""
    _, pages, copied = db.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
    return bool(pages == copied)


def _copy(reader: sqlite3.Connection, target: Path) -> None:
    os.close(corpus_files.create_file(target))
    with contextlib.closing(sqlite3.connect(target, isolation_level=None)) as copy:
        reader.backup(copy)
