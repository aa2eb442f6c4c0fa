"""Writing an export into an empty corpus: its transactions once more, at the times at which they were.

Rows follow from the versions that were known, so the same versions added at the same times give the same
rows, and the same answers. All of it is one transaction of SQLite: after a fault, the corpus is as empty as
before.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from asof.data import Problem
from asof.errors import UsageError
from asof.store.export_file import ExportFile
from asof.store.export_format import (
    ExportedDeletion,
    ExportedRetirement,
    ExportedTransaction,
    ExportedVersion,
    ExportEnd,
    ExportHeader,
)
from asof.store.lock import exclusive_lock
from asof.store.prepare import TextPreparation
from asof.store.reconcile import reconcile
from asof.store.restored_versions import RestoredTransaction
from asof.store.run import IndexReport
from asof.store.schema import set_meta
from asof.store.settings import CorpusSettings
from asof.store.store import Publish, Store, source_row, translate_errors
from asof.store.write import Transaction
from asof.time.span import BEGINNING, iso

DAY = 86_400_000_000
"""Microseconds by which clocks of two machines may differ: transactions beyond that lie in the future."""

ROWS_AT_ONCE, CHARACTERS_AT_ONCE = 65_536, 8_000_000
"""How many passages, and characters of them, go into one segment of the index, unless one transaction has
more."""

LINES_SHOWN = 1_000
"""After so many lines progress is shown."""


def restore(
    store: Store,
    db: sqlite3.Connection,
    file: Path,
    publish: Publish,
    now: int,
    progress: Callable[[IndexReport], None] | None = None,
) -> IndexReport:
    """Take in an export; the corpus gets its settings, except for the encoder.

    `now`: this machine's time, after which no transaction may lie. Counts documents that were added, further
    versions (changed), deletions (ended) and retirements (corrected). Raises UsageError for a corpus that is
    not empty, SourceError for a file that is not sound, with the line; nothing was written then.
    """
    lines = ExportFile(file)
    with _written(store, db):
        _refuse_used(db, file)
        restoration = _Restoration(store, db, lines, publish, now)
        for _ in restoration.run():
            if progress is not None:
                progress(restoration.report)
    store.settings = restoration.settings
    store.analyzer = store.settings.analyzer()
    return restoration.report


@contextmanager
def _written(store: Store, db: sqlite3.Connection) -> Iterator[None]:
    with translate_errors(store.database), exclusive_lock(store.folder / "write.lock", store.wait):
        db.execute("BEGIN IMMEDIATE")
        try:
            yield
            db.execute("COMMIT")
        except BaseException:
            if db.in_transaction:
                db.execute("ROLLBACK")
            raise


def _refuse_used(db: sqlite3.Connection, file: Path) -> None:
    used = "SELECT 1 FROM transactions UNION ALL SELECT 1 FROM asked UNION ALL SELECT 1 FROM sources LIMIT 1"
    if db.execute(used).fetchone():
        raise UsageError(
            f"{file} is an export, which is read into a new index only, and something was written to this "
            "one: name another folder by --index"
        )


@dataclass(slots=True)
class _Restoration:
    """An export that is being read. `current`: the transaction that it is at; `unpublished`: rows of former
    ones that have no segment yet, and `characters` of them; `last`: when the last transaction
    was added."""

    store: Store
    db: sqlite3.Connection
    lines: ExportFile
    publish: Publish
    now: int
    report: IndexReport = field(default_factory=IndexReport)
    settings: CorpusSettings = field(init=False)
    texts: TextPreparation = field(init=False)
    sources: dict[str, int] = field(default_factory=dict)
    current: RestoredTransaction | None = None
    unpublished: Transaction | None = None
    characters: int = 0
    last: int = BEGINNING

    def run(self) -> Iterator[None]:
        """Take in all lines; yields now and then, for progress to be shown."""
        lines = self.lines.lines()
        header = next(lines)
        if not isinstance(header, ExportHeader):
            self.lines.refuse("an export begins with its header")
        self._begin(header)
        for line in lines:
            match line:
                case ExportedTransaction():
                    self._finish_transaction()
                    self._begin_transaction(line)
                case ExportedVersion():
                    self._transaction().add_version(line)
                case ExportedDeletion():
                    self._transaction().add_deletion(line)
                case ExportedRetirement():
                    self._transaction().retire(line)
                case ExportEnd():
                    self._finish(line)
                case _:
                    self.lines.refuse("there is a second header")
            if self.lines.number % LINES_SHOWN == 0:
                yield

    def _begin(self, header: ExportHeader) -> None:
        encoder = self.store.settings.encoder
        self.settings = replace(header.settings, encoder=encoder)
        self.texts = TextPreparation.of(self.settings)
        self._note_settings(header.settings)
        set_meta(self.db, "settings", self.settings.dumps())
        for source in header.sources:
            self.sources[source.name] = source_row(self.db, (source.name, source.kind), source.added)
        for key, at in zip(("horizon", "known_horizon"), header.horizon or (), strict=False):
            set_meta(self.db, key, str(at))
        for digest in header.erased:
            set_meta(self.db, f"erased {digest}", "")

    def _note_settings(self, exported: CorpusSettings) -> None:
        had = self.store.settings
        for key in ("languages", "stem", "chunking", "undated", "search"):
            old, new = getattr(had, key), getattr(exported, key)
            if old != new:
                self._note(f"the index gets the {key} of the export, {_words(new)}, not {_words(old)}")
        if exported.encoder != had.encoder:
            self._note(
                f"the export is of an index with the encoder {exported.encoder or 'none'}, and this one has "
                f"{had.encoder or 'none'}: scores differ until `asof embed` changes it"
            )

    def _note(self, message: str) -> None:
        self.report.problems.append(Problem(message, str(self.lines.file), 1, lost=False))

    # -- transactions -------------------------------------------------------------------------------

    def _begin_transaction(self, line: ExportedTransaction) -> None:
        if line.at <= self.last:
            self.lines.refuse(f"the transaction {iso(line.at)} is not after the one before, {iso(self.last)}")
        if line.at > self.now + DAY:
            self.lines.refuse(
                f"the transaction {iso(line.at)} lies in the future: the clock of this machine says "
                f"{iso(self.now)}"
            )
        self.last = line.at
        self.db.execute("INSERT INTO transactions VALUES (?, ?)", line)
        write = Transaction(self.db, line.at, self.settings, self.texts, 0)
        self.current = RestoredTransaction(write, self.sources, self.report, self.lines.refuse)

    def _transaction(self) -> RestoredTransaction:
        if self.current is None:
            self.lines.refuse("a version, deletion or retirement stands before the first transaction")
        return self.current

    def _finish_transaction(self) -> None:
        current, self.current = self.current, None
        if current is None or current.write.empty:
            return
        write = current.write
        reconcile(write)
        self.report.passages += len(write.new_rows)
        self.characters += sum(len(row.text) for row in write.new_rows)
        if self.unpublished is None:
            self.unpublished = write
        else:
            self.unpublished.new_rows += write.new_rows
            self.unpublished.new_ends += write.new_ends
            for table in ("passages", "ends"):
                self.unpublished.ids[table].next = write.ids[table].next
        if len(self.unpublished.new_rows) >= ROWS_AT_ONCE or self.characters >= CHARACTERS_AT_ONCE:
            self._publish()

    def _publish(self) -> None:
        if self.unpublished is not None:
            self.publish(self.unpublished)
            self.unpublished, self.characters = None, 0

    def _finish(self, end: ExportEnd) -> None:
        self._finish_transaction()
        self._publish()
        documents = self.report.added
        versions = documents + self.report.changed + self.report.ended
        if (documents, versions) != (end.documents, end.versions):
            self.lines.refuse(
                f"there are {documents:,} documents and {versions:,} versions, and the last line says "
                f"{end.documents:,} and {end.versions:,}"
            )


def _words(setting: object) -> str:
    return ",".join(setting) if isinstance(setting, tuple) else str(setting).lower()
