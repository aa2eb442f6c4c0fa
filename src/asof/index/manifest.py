"""The list of segment files of the index: publishing, opening, merging, rebuilding, and changing the encoder.

The list is in the database, so a commit publishes a segment and its passages together, and a reader of the
list sees one state. Files are caches: one that is missing, torn or altered is rebuilt from the store.
"""

from __future__ import annotations

import re
import secrets
import sqlite3
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from functools import partial
from pathlib import Path
from typing import Annotated, NamedTuple

import msgspec
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from asof import files as corpus_files
from asof.errors import Busy, CorpusError, DamagedSegment
from asof.files import lacks, remove
from asof.index import vectors
from asof.index.build import (
    REBUILD_ROWS,
    SegmentEntry,
    build,
    due,
    entry_of_all,
    is_entry,
    is_segment_name,
    list_fault,
    merge,
    rebuild,
    segment_fault,
    vectors_of,
    write_vectors,
)
from asof.index.segment import SEGMENT, Segment, SegmentWriter
from asof.index.vectors import dimensions, encode_missing, keep
from asof.index.view import Gather
from asof.models.ports import Encoder
from asof.store.digest import indexed_text
from asof.store.schema import change_encoder, encoder_of, exclusive_lock, transaction
from asof.store.store import Store, translate_errors
from asof.store.writing import EndRow, Ids, IndexRow, Transaction

MERGE_LOCK = "merge.lock"

LEFTOVER = re.compile(r"[0-9a-f]{16}(-[0-9]+)?\.(seg|tmp|part)")
"""The names of files that a killed process may leave behind; no other file is ever removed."""


class IndexState(NamedTuple):
    """One state of the corpus: its last transaction, its segments, and the encoder of their vectors."""

    head: int
    segments: tuple[Segment, ...]
    encoder: Encoder | None


class Manifest(Struct):
    """The index of a store. `on_note` is called with a line for the user when a file had to be rebuilt.

    Threads may share it: those that read ask for its `state`.
    """

    store: Store
    encoder: Encoder | None = None
    on_note: Callable[[str], None] = print
    gather: Gather | None = None
    _open: dict[str, Segment] = msgspec.field(default_factory=dict)
    _lock: threading.Lock = msgspec.field(default_factory=threading.Lock)

    @property
    def folder(self) -> Path:
        return self.store.folder / "segments"

    # -- reading ------------------------------------------------------------------------------------

    def entries(self, db: sqlite3.Connection) -> list[SegmentEntry]:
        """The list of segments. Raises DamagedSegment for one that holds something else."""
        rows = db.execute("SELECT * FROM segments ORDER BY first, ends_first").fetchall()
        if not all(map(is_entry, rows)):
            raise DamagedSegment("the list of segments holds values of other types")
        return [SegmentEntry(*row) for row in rows]

    def state(self, db: sqlite3.Connection) -> IndexState:
        """The state that the read transaction of `db` sees.

        Raises DamagedSegment also for a file that was merged away meanwhile: a new transaction then sees
        the list that names the new one. Raises EncoderChanged where the corpus has another encoder than this.
        """
        encoder = self.encoder
        name = encoder.name if encoder else ""
        vectors.refuse_other(db, self.store.settings.encoder, name)
        entries = self.entries(db)
        head = db.execute("SELECT max(id) FROM transactions").fetchone()[0] or 0
        segments = tuple(self.open(entry) for entry in entries)
        if any(each.facts["encoder"] not in ("", name) for each in segments):
            raise DamagedSegment("a segment holds vectors of another encoder than the corpus")
        files = {entry.file for entry in entries}
        with self._lock:
            self._open = {file: segment for file, segment in self._open.items() if file in files}
        return IndexState(head, segments, encoder)

    def waiting(self, db: sqlite3.Connection) -> int:
        """How many passages have no vector yet, in a corpus with an encoder."""
        return sum(len(self.open(entry).waiting) for entry in self.entries(db)) if self.encoder else 0

    def open(self, entry: SegmentEntry) -> Segment:
        with self._lock:
            segment = self._open.get(entry.file)
            if segment is None:
                segment = self._open[entry.file] = self._opened(entry)
            return segment

    def _opened(self, entry: SegmentEntry) -> Segment:
        if not is_segment_name(entry.file):
            raise DamagedSegment(f"the list of segments names {entry.file!r}, which is no segment's name")
        path = self.folder / entry.file
        try:
            segment = Segment(path, entry.checksum, SEGMENT)
        except PermissionError as error:
            raise CorpusError(lacks(path, "read")) from error
        if bool(segment.facts["encoder"]) != ("vectors" in segment):
            raise DamagedSegment(f"{entry.file} names an encoder and has no vectors, or has some of none")
        first = segment.facts["first"]
        if (
            segment.n
            and not entry.first <= first <= first + len(segment.unchecked("row_of")) - 1 <= entry.last
        ):
            raise DamagedSegment(f"{entry.file} holds passages beyond those that it is listed with")
        return segment

    # -- writing ------------------------------------------------------------------------------------

    def publish(self, write: Transaction) -> None:
        """Write the segment of a transaction and enter it in the list (see `store.Publish`)."""
        if not write.new_rows and not write.new_ends:
            return
        vectors.refuse_other(write.db, self.store.settings.encoder, self.encoder_name)
        passages, ends = write.ids["passages"], write.ids["ends"]
        ranges = (passages.first, passages.next - 1, ends.first, ends.next - 1)
        file = self._add(write.db, write.new_rows, write.new_ends, ranges)
        write.files.append(self.folder / file)

    def _add(
        self, db: sqlite3.Connection, rows: Sequence[IndexRow], ends: Sequence[EndRow],
        ranges: tuple[int, int, int, int],
    ) -> str:  # fmt: skip
        """Write a segment of these rows and ends, whose ids are in these ranges, and enter it in the list;
        returns its file. Vectors come later (`EmbeddingRun`), so that no write waits for a model."""
        file = self.new_file()
        size, checksum = build(self.folder / file, rows, ends, self.store.analyzer)
        _enlist(db, SegmentEntry(file, *ranges, len(rows), size, checksum))
        return file

    def new_file(self) -> str:
        """The name of a new file in the folder, which is made if there is none."""
        corpus_files.make_folder(self.folder)
        return f"{secrets.token_hex(8)}.seg"

    @property
    def encoder_name(self) -> str:
        return self.encoder.name if self.encoder else ""

    def tidy(self, db: sqlite3.Connection) -> int:
        """Merge until no merge is due; returns the number of merges. One process at a time does this."""
        with translate_errors(self.store.database), self.merging() as mine:
            if not mine:
                return 0
            self._sweep(db)
            merges = 0
            while self._merge_once(db):
                merges += 1
            return merges

    def _merge_once(self, db: sqlite3.Connection) -> bool:
        entries = self.entries(db)
        chosen = due([entry.rows for entry in entries])
        if chosen is None:
            return False
        old = entries[chosen]
        try:
            self.replace(db, old, lambda path: merge(path, [self.open(entry) for entry in old]))
        except DamagedSegment:
            self.mend()
        return True

    def replace(
        self,
        db: sqlite3.Connection,
        old: Sequence[SegmentEntry],
        make: Callable[[Path], tuple[int, int, int]],
    ) -> None:
        """Replace the neighbours `old` by the file that `make` writes (rows, size, checksum).

        Nothing is done when one of them was replaced meanwhile (by a purge, say).
        """
        file = self.new_file()
        stats = make(self.folder / file)
        db.execute("BEGIN IMMEDIATE")
        try:
            if {entry.file for entry in old} <= {entry.file for entry in self.entries(db)}:
                self.enter(db, old, file, stats)
                db.execute("COMMIT")
                self.discard(old)
        finally:
            if db.in_transaction:
                db.execute("ROLLBACK")
                corpus_files.remove(self.folder / file)

    def mentions(self, entry: SegmentEntry, passages: NDArray[np.int64]) -> bool:
        """True if a segment holds any of these passages, or an end of one that an earlier segment holds."""
        if ((passages >= entry.first) & (passages <= entry.last)).any():
            return True
        try:
            return bool(np.isin(self.open(entry)["end_passage"], passages).any())
        except DamagedSegment:
            return True

    def without(self, db: sqlite3.Connection, entry: SegmentEntry, passages: NDArray[np.int64]) -> None:
        """Replace a segment by one without these passages, inside the transaction that removes them.

        The old file is left for the caller to discard once that transaction is committed.
        """
        file = self.new_file()
        try:
            stats = merge(self.folder / file, [self.open(entry)], passages)
        except DamagedSegment:
            self._rebuild(db, entry)
            return
        self.enter(db, [entry], file, stats)

    def take_in_ends(self, db: sqlite3.Connection) -> None:
        """A segment for the ends since the last one, inside the transaction that stored them."""
        ended = db.execute(
            "SELECT passage, at, added FROM ends"
            " WHERE id > (SELECT coalesce(max(ends_last), 0) FROM segments) ORDER BY id"
        ).fetchall()
        if ended:
            after, ends = Ids(db, "passages").next, Ids(db, "ends")
            ranges = (after, after - 1, ends.next - len(ended), ends.next - 1)
            self._add(db, (), [EndRow(*end) for end in ended], ranges)

    def enter(
        self, db: sqlite3.Connection, old: Sequence[SegmentEntry], file: str, stats: tuple[int, int, int]
    ) -> None:
        """Replace the neighbours `old` by a file (rows, size, checksum), in the transaction of `db`."""
        new = SegmentEntry(file, old[0].first, old[-1].last, old[0].ends_first, old[-1].ends_last, *stats)
        deleted = db.executemany("DELETE FROM segments WHERE file = ?", [(entry.file,) for entry in old])
        if deleted.rowcount != len(old):
            raise CorpusError("the list of segments changed meanwhile; run the same command again")
        _enlist(db, new)

    def discard(self, old: Iterable[SegmentEntry]) -> None:
        """Remove files that the list does not name any more; processes that have them open keep them."""
        for entry in old:
            if is_segment_name(entry.file):
                corpus_files.remove(self.folder / entry.file)

    @contextmanager
    def merging(self) -> Iterator[bool]:
        """Takes the lock of merges; yields True if this process may merge now."""
        corpus_files.make_folder(self.folder)
        with corpus_files.try_lock(self.store.folder / MERGE_LOCK) as lock:
            yield lock is not None

    def sweep(self, db: sqlite3.Connection) -> bool:
        """Remove files that a killed process left behind; False where a process is merging just now."""
        with translate_errors(self.store.database), self.merging() as mine:
            if mine:
                self._sweep(db)
            return mine

    def _sweep(self, db: sqlite3.Connection) -> None:
        """Remove files that a killed process left behind; no other process writes segments now."""
        with self.store.locked():
            listed = {entry.file for entry in self.entries(db)}
            for name in corpus_files.names(self.folder):
                if name not in listed and LEFTOVER.fullmatch(name):
                    corpus_files.remove(self.folder / name)

    # -- rebuilding ---------------------------------------------------------------------------------

    def faults(self, db: sqlite3.Connection) -> list[tuple[SegmentEntry | None, str]]:
        """Segments that are not sound or do not agree with the store, each with what is wrong.

        None in place of a segment: the list itself is at fault. Reads every byte of the index.
        """
        try:
            entries = self.entries(db)
        except DamagedSegment as damage:
            return [(None, str(damage))]
        if fault := list_fault(db, entries):
            return [(None, fault)]
        encoder = encoder_of(db)
        faults = ((entry, self._fault(db, entry, encoder)) for entry in entries)
        return [(entry, fault) for entry, fault in faults if fault]

    def mend(self) -> list[str]:
        """Check every byte of every listed segment and rebuild those that are not sound.

        Returns lines about it.
        """
        with closing(self.store.writer()) as db, self.store.transaction(db):
            # no merge can be entered in the list from here on: what is missing really is missing
            damaged = self.faults(db)
            lines = []
            for entry, fault in damaged:
                rows = self._rebuild(db, entry)
                lines.append(f"index: {fault}; rebuilt its {rows} passages from the store")
        self.discard(entry for entry, _ in damaged if entry is not None)
        for line in lines:
            self.on_note(line)
        return lines

    def _fault(self, db: sqlite3.Connection, entry: SegmentEntry, encoder: str) -> str:
        with self._lock:
            self._open.pop(entry.file, None)
        try:
            return segment_fault(db, entry, self._opened(entry), encoder)
        except DamagedSegment as damage:
            return str(damage)

    def _rebuild(self, db: sqlite3.Connection, entry: SegmentEntry | None) -> int:
        """Rebuild a segment from the store, in the place of the old one (None: of all passages and ends, in
        the place of a list that is not sound); returns its rows."""
        whole, file = entry or entry_of_all(db), self.new_file()
        stats = rebuild(db, whole, self.folder / file, self.store.analyzer, encoder_of(db))
        if entry is not None:
            self.enter(db, [entry], file, stats)
        else:
            db.execute("DELETE FROM segments")
            _enlist(db, SegmentEntry(file, *whole[1:5], *stats))
            with self._lock:
                self._open.clear()
        return stats[0]


def _enlist(db: sqlite3.Connection, entry: SegmentEntry) -> None:
    db.execute("INSERT INTO segments VALUES (?, ?, ?, ?, ?, ?, ?, ?)", entry)


# -- vectors, and another encoder ----------------------------------------------------------------------
# A corpus of words only that gets vectors, and new passages of one that has some, are searched with what is
# there so far. The vectors of a former encoder serve until the last transaction of a change, which replaces
# all segments by ones with the new vectors: a view never has both.

BATCH = 64
"""So many passages are encoded and then committed: a killed process loses no more."""

SHOWN_AFTER = 1_024
"""Searches get the first so many vectors of a run, and then all that there are each time their number has
doubled: segments are written anew with them."""

ATTEMPTS = 2
"""A purge may replace a segment while it is written anew: then it is written once more."""

Progress = Callable[[int, int], None]
"""Gets how many passages have vectors, of how many."""


class EmbeddingReport(Struct, frozen=True):
    """The result of a run that made vectors."""

    encoder: Annotated[str, "whose vectors the corpus holds now; empty: words only"]
    dimensions: Annotated[int | None, "of a vector; null: there is none"]
    passages: int
    encoded: Annotated[int, "passages that were given a vector by this run"]
    changed: Annotated[bool, "whether the encoder differs from the one before"]


class EmbeddingRun(Struct):
    """A corpus on its way to `encoder` (None: to words only). `db` is a connection that writes; `alone` keeps
    other threads from reading while the encoder is exchanged. Call `run`, or `fill` for some passages."""

    manifest: Manifest
    db: sqlite3.Connection
    encoder: Encoder | None
    alone: AbstractContextManager[object]

    @property
    def name(self) -> str:
        return self.encoder.name if self.encoder else ""

    def run(self, progress: Progress | None = None) -> EmbeddingReport:
        """Change the encoder, or go on with it; vectors of an interrupted run are used. Raises ModelError,
        MissingExtra, UsageError, Busy (also where another process makes vectors), NoSpace."""
        store = self.manifest.store
        with (
            translate_errors(store.database),
            corpus_files.try_lock(store.folder / "embed.lock") as mine,
        ):
            if mine is None:
                raise Busy("another process makes vectors just now; `asof status` says how many there are")
            before = encoder_of(self.db)
            serves = self.encoder is not None and before in ("", self.name)
            encoded = self._encode(0, progress, serves=serves)
            if serves or before == self.name:
                self._adopt()
                self._show()
                with store.transaction(self.db):
                    self._forget_others()
            else:
                encoded += self._exchange()
            passages, d = vectors.count_passages(self.db), dimensions(self.db, self.name)
        return EmbeddingReport(self.name, d, passages, encoded, before != self.name)

    def fill(self, after: int) -> None:
        """Vectors for the passages after an id, in a corpus that has this encoder. Raises as `run`, and
        EncoderChanged where another process changes it meanwhile."""
        with translate_errors(self.manifest.store.database):
            if self._encode(after, None, serves=True):
                self._show()

    # -- vectors ------------------------------------------------------------------------------------

    def _encode(self, after: int, progress: Progress | None, *, serves: bool) -> int:
        """Vectors for all passages after an id that have none of this encoder, a transaction for each few of
        them; returns how many. `serves`: searches get them as they come, by the corpus's encoder. Raises
        EncoderChanged where another process gave it another one."""
        if self.encoder is None:
            return 0
        of = done = encoded = 0
        if progress is not None:
            of = vectors.count_passages(self.db)
            (done,) = self.db.execute(
                "SELECT count(*) FROM vectors WHERE encoder = ?", (self.name,)
            ).fetchone()
        due = SHOWN_AFTER
        while batch := self._next(after):
            if progress is not None:
                progress(min(done + encoded, of), of)
            encoder_vectors = encode_missing(self.db, self.encoder, batch.values())
            if serves:
                self._adopt()
            with self.manifest.store.transaction(self.db):
                if serves:
                    vectors.refuse_other(self.db, self.name, self.name)
                keep(self.db, self.name, batch, encoder_vectors)
            encoded, after = encoded + len(batch), max(batch)
            if serves and encoded >= due:
                self._show()
                due = 2 * encoded
        if progress is not None:
            progress(of, of)
        return encoded

    def _next(self, after: int) -> dict[int, str]:
        """The texts of the next passages without a vector, by their ids."""
        rows = self.db.execute(
            "SELECT p.id, h.title, p.headings, h.about, p.text, h.keywords FROM passages AS p"
            " JOIN heads AS h ON h.id = p.head WHERE p.id > ? AND NOT EXISTS"
            " (SELECT 1 FROM vectors AS v WHERE v.passage = p.id AND v.encoder = ?) ORDER BY p.id LIMIT ?",
            (after, self.name, BATCH),
        ).fetchall()
        return {row[0]: indexed_text(*row[1:]) for row in rows}

    # -- segments -----------------------------------------------------------------------------------

    def _adopt(self) -> None:
        """Make the encoder that of a corpus of words only."""
        store = self.manifest.store
        if self.manifest.encoder_name != self.name or store.settings.encoder != self.name:
            with self.alone, store.transaction(self.db):
                store.settings = change_encoder(self.db, store.settings, self.name)
                self.manifest.encoder = self.encoder

    def _show(self) -> None:
        """Replace the segments that lack vectors that the store has."""
        manifest = self.manifest
        with exclusive_lock(manifest.store.folder / MERGE_LOCK, manifest.store.wait):
            for _ in range(ATTEMPTS if encoder_of(self.db) == self.name else 0):
                for entry in filter(self._lacks, manifest.entries(self.db)):
                    manifest.replace(self.db, [entry], partial(self._write, entry))

    def _lacks(self, entry: SegmentEntry) -> bool:
        """True if the store has vectors of a segment's passages that it lacks."""
        try:
            segment = self.manifest.open(entry)
            waiting = len(segment.waiting)
        except DamagedSegment:  # the next search mends it
            return False
        if not waiting:
            return False
        stored = self.db.execute(
            "SELECT count(*) FROM vectors WHERE encoder = ? AND passage BETWEEN ? AND ?",
            (self.name, entry.first, entry.last),
        ).fetchone()[0]
        return bool(stored > segment.n - waiting)

    def _exchange(self) -> int:
        """Exchange encoder, segments and vectors in one transaction, for which writers wait; returns how many
        passages were added, and encoded, since `_encode`."""
        manifest, encoded, new = self.manifest, 0, list[str]()
        lock = manifest.store.folder / MERGE_LOCK
        with exclusive_lock(lock, manifest.store.wait), manifest.store.locked():
            try:
                with self.alone, transaction(self.db):
                    while self.encoder is not None and (batch := self._next(0)):
                        encoder_vectors = encode_missing(self.db, self.encoder, batch.values())
                        keep(self.db, self.name, batch, encoder_vectors)
                        encoded += len(batch)
                    entries = manifest.entries(self.db)
                    for entry in entries:
                        new.append(manifest.new_file())
                        stats = self._write(entry, manifest.folder / new[-1])
                        manifest.enter(self.db, [entry], new[-1], stats)
                    self._forget_others()
                    settings = change_encoder(self.db, manifest.store.settings, self.name)
                    self.db.execute("COMMIT")
                    manifest.store.settings, manifest.encoder = settings, self.encoder
            except BaseException:
                for file in new:
                    remove(manifest.folder / file)
                raise
        manifest.discard(entries)
        return encoded

    def _forget_others(self) -> None:
        """Remove the vectors of other encoders, also those that an interrupted change left."""
        self.db.execute("DELETE FROM vectors WHERE encoder <> ?", (self.name,))

    def _write(self, entry: SegmentEntry, path: Path) -> tuple[int, int, int]:
        """Write a copy of a segment with the vectors of the encoder that there are; rows, size, checksum. A
        damaged one is rebuilt."""
        try:
            segment = self.manifest.open(entry)
            d = dimensions(self.db, self.name) if segment.n else None
            with SegmentWriter(path) as writer:
                for name in segment.facts["arrays"]:
                    if name not in ("vectors", "waiting"):
                        writer.add(name, segment[name])
                if d is not None:
                    write_vectors(writer, d, self._parts(segment["passage"]))
                size = writer.close(first=segment.facts["first"], encoder=self.name if d is not None else "")
        except DamagedSegment:
            return rebuild(self.db, entry, path, self.manifest.store.analyzer, self.name)
        return segment.n, size, writer.checksum

    def _parts(self, passages: NDArray[np.int64]) -> Iterator[tuple[list[int], dict[int, bytes]]]:
        for first in range(0, len(passages), REBUILD_ROWS):
            some = passages[first : first + REBUILD_ROWS].tolist()
            yield some, vectors_of(self.db, some, self.name)
