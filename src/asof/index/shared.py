"""Segments of what other machines wrote, where several share a truth.

Each folder has a list of its own segments there. What other folders wrote is not in it, nor is what held
erased rows: those are holes between the ranges of ids of its segments, which are filled from the truth. A
reader fills them for the state that it sees, and lists what it made where nobody did meanwhile.
"""

from __future__ import annotations

import secrets
import shutil
import sqlite3
from collections.abc import Collection, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock

from asof import corpus_files
from asof.errors import AsofError
from asof.index.rebuild import SegmentEntry, rebuild
from asof.sources import kept_answers
from asof.store.settings import encoder_of
from asof.store.store import Store

DERIVED = "derived"
LISTING_SECONDS = 5.0
"""How long a reader waits for a writer before it leaves what it made unlisted: the next one makes it
again."""

_HERE = "machine = current_setting('asof.machine')"
_INSERT = "INSERT INTO segments VALUES (?, ?, ?, ?, ?, ?, ?, ?)"


@dataclass(slots=True)
class SharedSegments:
    """The holes in the list of segments of a folder, and what was made to fill them."""

    store: Store
    folder: Path
    _made: dict[tuple[int, ...], SegmentEntry] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)
    _cleaned: int | None = None
    """What `machines.cleaned` is of a folder that is noted there, where this one is not."""

    def complete(self, db: sqlite3.Connection, entries: Sequence[SegmentEntry]) -> list[SegmentEntry]:
        """The entries, with segments for what the read transaction of `db` sees beyond them."""
        removed = _removed(db)
        self._clean(db, removed)
        missing = holes(db, entries)
        if not missing:
            return list(entries)
        with self._lock:
            for hole in missing:
                key = (removed, *hole[1:5])
                if key not in self._made or not (self.folder / self._made[key].file).exists():
                    self._made[key] = self._make(db, hole)
                    if self._cleaned is None:
                        self._list(self._made[key])
            filled = [*entries, *(self._made[removed, *hole[1:5]] for hole in missing)]
            self._made = {key: made for key, made in self._made.items() if made in filled}
        return sorted(filled, key=lambda entry: (entry.first, entry.ends_first))

    def fill(self, db: sqlite3.Connection) -> None:
        """Fill all holes, in the transaction of `db` that writes. Nothing is done where nobody shares it."""
        if self.store.shared:
            for hole in holes(db, _listed(db)):
                db.execute(_INSERT, self._make(db, hole))

    def fill_at_once(self, db: sqlite3.Connection) -> None:
        """Fill all holes, in a transaction of its own."""
        if not self.store.shared or not holes(db, _listed(db)):
            return
        db.execute("BEGIN IMMEDIATE")
        try:
            self.fill(db)
            db.execute("COMMIT")
        finally:
            if db.in_transaction:
                db.execute("ROLLBACK")

    def _make(self, db: sqlite3.Connection, hole: SegmentEntry) -> SegmentEntry:
        corpus_files.make_folder(self.folder)
        file = f"{secrets.token_hex(8)}.seg"
        # an analyzer of its own: several threads read at once
        analyzer = self.store.settings.analyzer()
        rows, size, checksum = rebuild(db, hole, self.folder / file, analyzer, encoder_of(db))
        return hole._replace(file=file, rows=rows, bytes=size, checksum=checksum)

    def _list(self, made: SegmentEntry) -> None:
        """Enter a segment in the list, if there is still that hole and nothing was erased
        meanwhile."""
        with suppress(AsofError), closing(self.store.writer()) as db:
            db.execute(f"PRAGMA busy_timeout = {int(1000 * LISTING_SECONDS)}")
            db.execute("BEGIN IMMEDIATE")
            try:
                free = any(
                    hole.first <= made.first and hole.last >= made.last
                    and hole.ends_first <= made.ends_first and hole.ends_last >= made.ends_last
                    for hole in holes(db, _listed(db))
                )  # fmt: skip
                if free and _rows(db, made) == made.rows:
                    db.execute(_INSERT, made)
                    db.execute("COMMIT")
            finally:
                if db.in_transaction:
                    db.execute("ROLLBACK")

    def _clean(self, db: sqlite3.Connection, removed: int) -> None:
        """Remove what this folder still has of words that another machine erased.

        The folder of a user who may only read is not noted in the truth, and no segment of it is listed: each
        process makes its own, and removes those of earlier ones.
        """
        row = db.execute(f"SELECT cleaned FROM machines WHERE {_HERE}").fetchone()
        cleaned = self._cleaned if row is None else row[0]
        if cleaned is not None and cleaned >= removed:
            return
        kept_answers.forget(self.store.folder)
        shutil.rmtree(self.store.folder / DERIVED, ignore_errors=True)
        if row is None:
            with self._lock:
                if self._cleaned is None or self._cleaned < removed:  # else another thread did it meanwhile
                    self._remove_all_but(())
                    self._cleaned = removed
            return
        with closing(self.store.writer()) as own:
            own.execute("BEGIN IMMEDIATE")
            try:
                self._remove_all_but([file for (file,) in own.execute("SELECT file FROM segments")])
                own.execute(f"UPDATE machines SET cleaned = ? WHERE {_HERE}", (removed,))
                own.execute("COMMIT")
            finally:
                if own.in_transaction:
                    own.execute("ROLLBACK")

    def _remove_all_but(self, listed: Collection[str]) -> None:
        for name in corpus_files.names(self.folder):
            if name.endswith(".seg") and name not in listed:
                corpus_files.remove(self.folder / name)


def holes(db: sqlite3.Connection, entries: Sequence[SegmentEntry]) -> list[SegmentEntry]:
    """The ranges of ids of passages and ends that were given and that no entry has, in order; `file` is
    ""."""
    last_ids = "SELECT name, seq FROM sqlite_sequence WHERE name IN ('passages', 'ends')"
    given = dict(db.execute(last_ids).fetchall())
    beyond = SegmentEntry("", given["passages"] + 1, 0, given["ends"] + 1, 0, 0, 0, 0)
    found, last, ends_last = [], first_id(given["passages"]) - 1, first_id(given["ends"]) - 1
    for entry in (*entries, beyond):
        if entry.first > last + 1 or entry.ends_first > ends_last + 1:
            found.append(SegmentEntry("", last + 1, max(entry.first - 1, last), ends_last + 1,
                                      max(entry.ends_first - 1, ends_last), 0, 0, 0))  # fmt: skip
        last, ends_last = max(last, entry.last), max(ends_last, entry.ends_last)
    return found


def first_id(given: int) -> int:
    """The first id of the range that ids are given from (a shard has a range of its own)."""
    return (given >> 40 << 40) + 1


def _listed(db: sqlite3.Connection) -> list[SegmentEntry]:
    rows = db.execute("SELECT * FROM segments ORDER BY first, ends_first")
    return [SegmentEntry(*row) for row in rows]


def _removed(db: sqlite3.Connection) -> int:
    """How often anything was erased."""
    return int(db.execute("SELECT n FROM changes WHERE name = 'removed'").fetchone()[0])


def _rows(db: sqlite3.Connection, entry: SegmentEntry) -> int:
    count = "SELECT count(*) FROM passages WHERE id BETWEEN ? AND ?"
    return int(db.execute(count, (entry.first, entry.last)).fetchone()[0])
