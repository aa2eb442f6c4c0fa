"""Another encoder for a corpus: its vectors beside the old ones first, then all segments at once.

The old vectors serve searches until the very last transaction, which names the new encoder, enters segments
with the new vectors in the place of all others, and removes the old ones. So a view never has both.
"""

from __future__ import annotations

import secrets
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from asof.corpus_files import remove
from asof.errors import Busy, DamagedSegment, DamagedStore
from asof.index.manifest import Manifest
from asof.index.rebuild import REBUILD_ROWS, SegmentEntry, vectors_of
from asof.index.segment import SegmentWriter
from asof.index.vectors import dimensions, encode_missing, keep
from asof.models.ports import Encoder
from asof.store.digest import indexed_text
from asof.store.lock import POLL_SECONDS, exclusive_lock
from asof.store.settings import change_encoder, encoder_of
from asof.store.store import translate_errors

BATCH = 64
"""So many passages are encoded, and then on the disk: a process that is killed loses no more."""

MAX_ATTEMPTS = 5
"""So often a segment that is gone may have been replaced meanwhile; then it is looked for faults."""

SegmentStats = tuple[int, int, int]
"""Rows, size and checksum of a segment."""


@dataclass(frozen=True, slots=True)
class EmbeddingReport:
    """What a change came to: the encoder ("" for none), its dimensions, how many passages there are, how many
    were given a vector now, and whether the corpus had another encoder before."""

    encoder: str
    dimensions: int | None
    passages: int
    encoded: int
    changed: bool


@dataclass(slots=True)
class EmbeddingRun:
    """A corpus on its way to `encoder` (None: to words only). `db` is a connection that writes; `alone` keeps
    other threads from looking while the encoder is exchanged. Call `run`."""

    manifest: Manifest
    db: sqlite3.Connection
    encoder: Encoder | None
    alone: AbstractContextManager[object]
    _files: dict[str, tuple[str, SegmentStats]] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return self.encoder.name if self.encoder else ""

    def run(self, progress: Callable[[int, int], None] | None = None) -> EmbeddingReport:
        """Change it; what an interrupted run encoded is used. `progress` gets how many passages have
        vectors, of how many. Raises ModelError, MissingExtra, UsageError, Busy, NoSpace."""
        with translate_errors(self.manifest.store.database):
            before = encoder_of(self.db)
            encoded = self.fill(progress)
            if before == self.name and not encoded:
                self._forget_others()
            else:
                encoded += self._exchange(progress)
            passages = self.db.execute("SELECT count(*) FROM passages").fetchone()[0]
            d = dimensions(self.db, self.name)
        return EmbeddingReport(self.name, d, passages, encoded, before != self.name)

    def _exchange(self, progress: Callable[[int, int], None] | None) -> int:
        """Swap; what came meanwhile is encoded before. Returns how many passages that were."""
        encoded = 0
        with self._no_merges():
            try:
                while not self.swap():
                    encoded += self.fill(progress)
            finally:
                for file, _ in self._files.values():
                    remove(self.manifest.folder / file)
        return encoded

    def _forget_others(self) -> None:
        """Remove what an interrupted change to another encoder left."""
        with self._transaction():
            self.db.execute("DELETE FROM vectors WHERE encoder <> ?", (self.name,))
            self.db.execute("COMMIT")

    # -- vectors ------------------------------------------------------------------------------------

    def fill(self, progress: Callable[[int, int], None] | None = None) -> int:
        """Vectors for all passages that have none of this encoder, a transaction for each few of them."""
        if self.encoder is None:
            return 0
        of = self.db.execute("SELECT count(*) FROM passages").fetchone()[0]
        left, encoded, after = self._lacking(), 0, 0
        while left:
            ids, texts = self._next(after)
            if not ids:
                break
            if progress is not None:
                progress(min(of - left + encoded, of), of)
            vectors = encode_missing(self.db, self.encoder, texts)
            with self._transaction():
                keep(self.db, self.name, ids, texts, vectors)
                self.db.execute("COMMIT")
            encoded, after = encoded + len(ids), ids[-1]
        if progress is not None:
            progress(of, of)
        return encoded

    def _lacking(self) -> int:
        """How many passages have no vector of this encoder."""
        if self.encoder is None:
            return 0
        count: int = self.db.execute(
            "SELECT count(*) FROM passages AS p WHERE NOT EXISTS"
            " (SELECT 1 FROM vectors AS v WHERE v.passage = p.id AND v.encoder = ?)",
            (self.name,),
        ).fetchone()[0]
        return count

    def _next(self, after: int) -> tuple[list[int], list[str]]:
        """The next passages without a vector, and their texts."""
        rows = self.db.execute(
            "SELECT p.id, h.title, p.headings, h.about, p.text, h.keywords FROM passages AS p"
            " JOIN heads AS h ON h.id = p.head WHERE p.id > ? AND NOT EXISTS"
            " (SELECT 1 FROM vectors AS v WHERE v.passage = p.id AND v.encoder = ?) ORDER BY p.id LIMIT ?",
            (after, self.name, BATCH),
        ).fetchall()
        return [row[0] for row in rows], [indexed_text(*row[1:]) for row in rows]

    # -- segments -----------------------------------------------------------------------------------

    def swap(self) -> bool:
        """Exchange encoder, segments and vectors in one transaction; False where there are passages, or
        segments, that came meanwhile and have to be made ready first."""
        if not self._prepare():
            return False
        manifest = self.manifest
        with self.alone:
            with self._transaction():
                entries = manifest.entries(self.db)
                if self._lacking() or any(entry.file not in self._files for entry in entries):
                    return False
                for entry in entries:
                    manifest.enter(self.db, [entry], *self._files[entry.file])
                self.db.execute("DELETE FROM vectors WHERE encoder <> ?", (self.name,))
                settings = change_encoder(self.db, manifest.store.settings, self.name)
                self.db.execute("COMMIT")
            manifest.store.settings, manifest.encoder = settings, self.encoder
            for entry in entries:
                del self._files[entry.file]
        manifest.discard(entries)
        return True

    def _prepare(self) -> bool:
        """A file with the new vectors for each segment; False where passages have none yet."""
        for look in range(MAX_ATTEMPTS):
            self.db.execute("BEGIN")
            try:
                lacking, entries = self._lacking(), self.manifest.entries(self.db)
            finally:
                self.db.execute("ROLLBACK")
            if lacking:
                return False
            try:
                for entry in entries:
                    if entry.file not in self._files:
                        self._files[entry.file] = self._with_new_vectors(entry)
            except (DamagedSegment, DamagedStore):  # purged meanwhile, unless it happens again and again
                if look == MAX_ATTEMPTS - 2:
                    self.manifest.mend()
                continue
            return True
        return False

    def _with_new_vectors(self, entry: SegmentEntry) -> tuple[str, SegmentStats]:
        """A copy of a segment with the vectors of the new encoder, or without any."""
        segment, file = self.manifest.open(entry), f"{secrets.token_hex(8)}.seg"
        with SegmentWriter(self.manifest.folder / file) as writer:
            for name in segment.facts["arrays"]:
                if name != "vectors":
                    writer.add(name, segment[name])
            d = dimensions(self.db, self.name) if segment.n else None
            if d is not None:
                writer.stream("vectors", np.int16, (d,), self._parts(segment["passage"]))
            size = writer.close(first=segment.facts["first"], encoder=self.name if d is not None else "")
        return file, (segment.n, size, writer.checksum)

    def _parts(self, passages: NDArray[np.int64]) -> Iterator[NDArray[np.int16]]:
        for first in range(0, len(passages), REBUILD_ROWS):
            yield vectors_of(self.db, passages[first : first + REBUILD_ROWS].tolist(), self.name)

    # -- who may do what ----------------------------------------------------------------------------

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """The write lock and a transaction, undone unless it was committed."""
        store = self.manifest.store
        with translate_errors(store.database), exclusive_lock(store.folder / "write.lock", store.wait):
            self.db.execute("BEGIN IMMEDIATE")
            try:
                yield
            finally:
                if self.db.in_transaction:
                    self.db.execute("ROLLBACK")

    @contextmanager
    def _no_merges(self) -> Iterator[None]:
        """Wait for a merge that is under way; none begins, and nobody sweeps, until this is over."""
        deadline = time.monotonic() + self.manifest.store.wait
        while True:
            with self.manifest.merging() as mine:
                if mine:
                    yield
                    return
            if time.monotonic() >= deadline:
                raise Busy(
                    f"a process is merging segments in {self.manifest.folder} and did not finish: run the "
                    "same command again, it goes on where it was"
                )
            time.sleep(POLL_SECONDS)
