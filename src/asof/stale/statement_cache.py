"""The statements of all passages of a corpus: in memory, and in a file that can be deleted at any time.

    stale/statements.seg     the statements of a range of rows

The file names the rows that it was read from (`Rows.stamp`) and the asof that read them; one of others, or a
damaged one, is ignored. It holds hashes of words and no text. Rows added since are read from the texts; when
they are many, the file is written again.
"""

from __future__ import annotations

import contextlib
import threading
from pathlib import Path

from asof import corpus_files
from asof.errors import DamagedSegment
from asof.graph.current_rows import CurrentRows, alone, is_newest, remove_file
from asof.graph.node_table import Rows
from asof.index.file_format import ArraySpec, FileFormat
from asof.index.segment import Segment, SegmentWriter
from asof.index.view import DerivedCache, View
from asof.stale.table import StatementBatch, StatementReader, Words, joined
from asof.version import __version__

FOLDER = "stale"
FILE = "statements.seg"
FORMAT = 1
LEAST_WRITTEN, SHARE_WRITTEN = 2_000, 20
"""The file is written again for so many new rows, and for this part of all."""

FILE_FORMAT = FileFormat(
    {
        "passage": ArraySpec("<i8", "n", low=0, order="ascending"), "begin": ArraySpec("<i4", "n", low=0),
        "end": ArraySpec("<i4", "n", low=0), "digest": ArraySpec("<u8", "n"),
        "above": ArraySpec("<i4", "n", low=0, below="m"), "signs": ArraySpec("|u1", "n", below=8),
        "words": ArraySpec("<u8", "w"), "words_start": ArraySpec("<i8", "n+1", order="offsets", of="w"),
        "context": ArraySpec("<u8", "c"), "context_start": ArraySpec("<i8", "m+1", order="offsets", of="c"),
    },
    {"rows": int, "made": str},
)  # fmt: skip


def statement_cache(derived: DerivedCache) -> StatementCache:
    """The cache of a corpus; created if there is none."""
    memo = derived.memo
    cached: StatementCache = memo.get(FOLDER) or memo.setdefault(
        FOLDER, StatementCache(derived.folder / FOLDER)
    )
    return cached


class StatementCache:
    """The rows and statements of a corpus. Threads may share it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._lock = threading.Lock()
        self._table = CurrentRows()
        self._reader: StatementReader | None = None
        self._forget()

    def _forget(self) -> None:
        self._batch, self._read, self._written, self._opened = joined([]), 0, 0, False

    def batch(self, view: View) -> tuple[Rows, StatementBatch]:
        """The rows of the corpus, and the statements of all of them."""
        with self._lock:
            if self._table.update(view.prefix):
                self._forget()
            rows = self._table.rows
            if not self._opened:
                self._open(view, rows)
                self._opened = True
            if self._read < rows.n:
                self._reader = self._reader or StatementReader(view.analyzer.languages)
                more = self._reader.read(view.store.db, rows.first + self._read, rows.end - 1)
                self._batch, self._read = joined([self._batch, *more]), rows.n
            if is_newest(view.prefix, rows):
                self._write(view, rows)
            return rows, self._batch

    def _open(self, view: View, rows: Rows) -> None:
        path = self.folder / FILE
        if FILE not in corpus_files.names(self.folder):
            return
        try:
            segment = Segment(path, expected=FILE_FORMAT)
            n = segment.facts["rows"]
            if n <= rows.n and segment.facts["made"] == _made_from(rows, n, view):
                self._batch = StatementBatch(
                    segment["passage"], segment["begin"], segment["end"], segment["digest"], segment["above"],
                    segment["signs"], Words(segment["words"], segment["words_start"]),
                    Words(segment["context"], segment["context_start"]),
                )  # fmt: skip
                self._read = self._written = n
                return
        except (DamagedSegment, OSError):
            pass  # as if it were not there
        remove_file(path)

    def _write(self, view: View, rows: Rows) -> None:
        if rows.n - self._written < max(LEAST_WRITTEN, rows.n // SHARE_WRITTEN):
            return
        batch, self._written = self._batch, rows.n
        with contextlib.suppress(OSError), alone(self.folder), SegmentWriter(self.folder / FILE) as writer:
            for name in ("passage", "begin", "end", "digest", "above", "signs"):
                writer.add(name, getattr(batch, name))
            for name, words in (("words", batch.words), ("context", batch.context)):
                writer.add(name, words.terms)
                writer.add(f"{name}_start", words.start)
            writer.close(rows=rows.n, made=_made_from(rows, rows.n, view))


def _made_from(rows: Rows, n: int, view: View) -> str:
    languages = ",".join(view.analyzer.languages)
    return f"{FORMAT}-{__version__}-{languages}-{rows.first}-{rows.stamp(0, n)}"
