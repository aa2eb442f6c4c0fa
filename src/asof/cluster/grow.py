"""More shards for a corpus: documents move to new shards whole, while it is searched.

Every shard gets a new folder, beside the present one. When all of them are whole, the list of shards is
replaced in one step: readers that are open go on with the old folders, or with the files of one in one piece,
which stay until nobody has them open; those that open the corpus see the new ones. A process that is killed
before that step leaves folders that nobody names.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import numpy as np

from asof import corpus_files
from asof.cluster.making import make_shard
from asof.cluster.moving import move, take_over
from asof.errors import Busy, NoCorpus, UsageError
from asof.index.manifest import Manifest
from asof.store.committed import write_committed
from asof.store.lock import POLL_SECONDS, exclusive_lock
from asof.store.shard_folders import remove_former
from asof.store.shard_layout import (
    FOLDER,
    ShardLayout,
    checked_count,
    read_layout,
    shard_of,
    write_layout,
)
from asof.store.store import DEFAULT_WAIT, Store, translate_errors


def grow(folder: Path, shards: int, wait: float = DEFAULT_WAIT) -> ShardLayout:
    """Give the corpus in the `.asof` that is `folder` so many shards, more than it has; one in one piece
    becomes one in shards. Writers wait meanwhile. It takes as much space again as the corpus has.

    Raises NoCorpus, UsageError for fewer shards, Busy, NoSpace.
    """
    checked_count(shards)
    corpus_files.refuse_links(folder)
    with translate_errors(folder / "shards.json"), ExitStack() as alone:
        if read_layout(folder) is None and (folder / "corpus.db").exists():
            alone.enter_context(_no_merges(folder, wait))  # first: who merges waits for the lock of writers
        alone.enter_context(exclusive_lock(folder / "write.lock", wait))
        layout = read_layout(folder)
        if layout is None and not (folder / "corpus.db").exists():
            raise NoCorpus(f"no corpus of files in {folder}: make one with `asof index SOURCE --shards N`")
        old = [Store.open(place, wait) for place in (layout.paths(folder) if layout else [folder])]
        if shards < len(old) or (layout is not None and shards == len(old)):
            raise no_growth(len(old), shards)
        remove_former(folder)
        new = _following(folder, shards)
        places = new.paths(folder)
        try:
            with ExitStack() as still:
                for store, place in zip(old, places, strict=False):
                    if store.folder != folder:
                        still.enter_context(_no_merges(store.folder, wait))
                    _copied(store, place)
                _fill(places, len(old), old[0])
            _on_disk(places)
        except BaseException:
            for place in places:
                shutil.rmtree(place, ignore_errors=True)
            raise
        write_committed(folder, max(map(_head, places)))
        write_layout(folder, new)
        remove_former(folder)
    return new


def no_growth(has: int, asked: int) -> UsageError:
    """The error for a corpus that is to have no more shards than it has."""
    return UsageError(
        f"the corpus has {has} shard{'s' * (has > 1)}; accepted: more than that, to grow, and not {asked};"
        " `asof export`, then `asof index FILE --index NEW --shards N`, makes one of fewer"
    )


def _following(folder: Path, shards: int) -> ShardLayout:
    """The layout of new folders, none of which is there."""
    there = set(corpus_files.names(folder / FOLDER))
    generation = 0
    while True:
        suffix = f".{generation}" if generation else ""
        names = tuple(f"{shard:02}{suffix}" for shard in range(shards))
        if not there & set(names):
            return ShardLayout(names)
        generation += 1


@contextmanager
def _no_merges(folder: Path, wait: float) -> Iterator[None]:
    """While no process replaces segments in the folder of a store. Raises Busy."""
    deadline = time.monotonic() + wait
    while True:
        with corpus_files.try_lock(folder / "merge.lock") as mine:
            if mine is not None:
                yield
                return
        if time.monotonic() >= deadline:
            raise Busy(f"{folder}: segments are being merged: try again in a while")
        time.sleep(POLL_SECONDS)


def _copied(store: Store, place: Path) -> None:
    """Copy the database of a shard, and the segments of its list."""
    corpus_files.make_folder(place / "segments")
    with closing(store.reader()) as db:
        store.begin_read(db)
        os.close(corpus_files.create_file(place / "corpus.db"))
        with closing(sqlite3.connect(place / "corpus.db", isolation_level=None)) as copy:
            db.backup(copy)
        for entry in Manifest(store).entries(db):
            source = store.folder / "segments" / entry.file
            with (
                os.fdopen(corpus_files.open_file(source), "rb") as old,
                os.fdopen(corpus_files.create_file(place / "segments" / entry.file), "wb") as new,
            ):
                shutil.copyfileobj(old, new, 1 << 20)


def _fill(places: Sequence[Path], count: int, first: Store) -> None:
    """Move documents from the copies of the `count` old shards to new ones."""
    copies = [Store.open(place) for place in places[:count]]
    added = [
        make_shard(place, count + at, first.settings, first.wait) for at, place in enumerate(places[count:])
    ]
    with ExitStack() as opened:
        dbs = [opened.enter_context(closing(store.writer())) for store in copies]
        for store in added:
            with closing(store.writer()) as db:
                take_over(db, dbs)
        for store, db in zip(copies, dbs, strict=True):
            _leave(store, db, added, count)
    for store in added:
        with closing(store.writer()) as db:
            Manifest(store).rebuild_whole(db)


def _leave(store: Store, db: sqlite3.Connection, added: Sequence[Store], count: int) -> None:
    """Move the documents of one shard that belong to new ones."""
    groups: list[list[str]] = [[] for _ in added]
    for (name,) in db.execute("SELECT name FROM documents ORDER BY id"):
        shard = shard_of(name, count + len(added))
        if shard >= count:
            groups[shard - count].append(name)
    passages = np.array(
        [at for target, names in zip(added, groups, strict=True) if names
         for at in move(db, names, target.database)], np.int64,
    )  # fmt: skip
    manifest = Manifest(store)
    touched = [entry for entry in manifest.entries(db) if manifest.mentions(entry, passages)]
    db.execute("BEGIN IMMEDIATE")
    for entry in touched:
        manifest.without(db, entry, passages)
    db.execute("COMMIT")
    manifest.discard(touched)
    db.execute("VACUUM")


def _head(place: Path) -> int:
    with closing(Store.open(place).reader()) as db:
        return int(db.execute("SELECT max(id) FROM transactions").fetchone()[0] or 0)


def _on_disk(places: Sequence[Path]) -> None:
    """Write all files of these folders to the disk."""
    for place in places:
        for path in (*place.rglob("*"), place, place.parent):
            descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
