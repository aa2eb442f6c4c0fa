"""Maintenance of a corpus: merges, checks, corrections, erasure, another encoder."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC
from pathlib import Path
from typing import TYPE_CHECKING

from asof import engine
from asof.corpus.session import Session
from asof.documents import SourcedTime, as_time
from asof.errors import CorpusError, UsageError
from asof.files import FETCHED, try_lock
from asof.index.manifest import Manifest
from asof.store.schema import get_meta
from asof.store.store import ERASING
from asof.time.moment import TimeOptions, When, first_instant, read
from asof.time.span import moment
from asof.wire import replace

if TYPE_CHECKING:
    import sqlite3

    from asof.index.manifest import EmbeddingReport
    from asof.models.named import Named
    from asof.models.ports import Encoder
    from asof.sources.source import Erasure
    from asof.store.export import ExportReport
    from asof.store.status import CorpusStatus


NOTES_LOCK, TRIAL = "notes.lock", "trial-"
"""The lock of who writes notes (`asof.corpus.memory`), and how the folders begin in which notes are tried."""


def remove_trials(folder: Path) -> None:
    """Remove what a trial left whose process was killed; under NOTES_LOCK."""
    for left in folder.glob(f"{TRIAL}*"):
        shutil.rmtree(left)


@dataclass(slots=True)
class Maintenance:
    """Maintenance of a corpus. `background`: small segments are merged in a thread after a write, else by
    `tidy`."""

    session: Session
    background: bool = True
    _tidying: threading.Thread | None = field(default=None, init=False)

    # -- merging ------------------------------------------------------------------------------------

    def tidy_behind(self) -> None:
        """Merge small segments in a thread, unless only `tidy` may; searches and writes go on."""
        if not self.background:
            return
        if self._tidying is None or not self._tidying.is_alive():
            self._tidying = threading.Thread(target=self._tidy_quietly, daemon=False)
            self._tidying.start()

    def close(self) -> None:
        """Wait for a merge that is under way."""
        if self._tidying is not None:
            self._tidying.join()

    def _tidy_quietly(self) -> None:
        """What cannot be done now is no loss: the next write tries again."""
        try:
            self.tidy()
        except CorpusError as error:
            self.session.manifest.on_note(f"the index was not tidied now: {error}")

    def tidy(self) -> int:
        """Merge what is due now, and finish removals; returns the number of merges. Raises Busy, NoSpace."""
        session = self.session
        with session.writing() as db:
            merges = Manifest(session.store, None, session.manifest.on_note).tidy(db)
        self.finish_removal()
        return merges

    def removing(self) -> bool:
        """True if a process that erased or dropped something was killed before all files were free of it."""
        return self.session.read(lambda db: get_meta(db, ERASING)) is not None

    def finish_removal(self) -> list[str]:
        """Do what such a process left; returns lines for the user. Raises Busy, NoSpace."""
        if not self.removing():
            return []
        self.forget_texts()
        with self.session.writing() as db:
            done = engine.finish_removal(self.session.store, self.session.manifest, db)
        how = "was finished" if done else "waits for another process, which is merging: run this again"
        return [f"index: the removal of texts from files had been interrupted, and {how}"]

    # -- looking after it ---------------------------------------------------------------------------

    def status(self) -> CorpusStatus:
        """Figures about the corpus."""
        from asof import plugins
        from asof.index import vectors
        from asof.revisions import chains
        from asof.store.status import fact_lines, status

        folder = self.session.derived.folder
        with self.session.connection() as db:
            figures = status(self.session.store, db, self.session.root)
            known = [*vectors.status(db), *fact_lines(db)]
        offered = plugins.load_all(plugins.STATUS).values()
        derived = (line for lines in (chains.status, *offered) for line in lines(folder))
        return replace(figures, derived=(*derived, *known, *self._relations()))

    def _relations(self) -> list[str]:
        """Lines on acts of documents, and on how many documents each name in the order of authority means."""
        from asof.index.view import documents_named
        from asof.revisions import force
        from asof.store.reader import AsOfReader
        from asof.time.span import NEVER

        with self.session.connection() as db:
            store = AsOfReader(db, self.session.present(), NEVER)
            return [
                *force.status(store),
                *(
                    f"[authority] {name}: {len(documents_named(store, name)):,} documents"
                    for name in self.session.config.official
                ),
            ]

    def check(self) -> list[str]:
        """Check every byte of store and index; damaged segments are rebuilt. Returns lines for the user.

        The index is checked against a sound store only: from another one it could not be rebuilt.
        """
        from asof.store.status import check_database

        with self.session.connection() as db:
            lines = check_database(db, self.session.store.database)
        lines = lines or [*self.finish_removal(), *self.session.manifest.mend()]
        self.session.forget()
        return lines

    def embed(
        self, encoder: Encoder | Named | None, progress: Callable[[int, int], None] | None = None
    ) -> EmbeddingReport:  # fmt: skip
        """Change the encoder of the corpus; None: to words only. What an interrupted change did is used.

        The old vectors serve until all passages have new ones. `progress` gets how many have them, of how
        many. Raises ModelError, MissingExtra, Busy, NoSpace.
        """
        from asof.index.manifest import EmbeddingRun
        from asof.models.named import encoder_of

        given = None if encoder is None else encoder_of(encoder)
        session = self.session
        with session.writing() as db:
            embedded = EmbeddingRun(session.manifest, db, given, session.exchange).run(progress)
        session.forget()
        return embedded

    def correct(self, document: str, published: When) -> None:
        """Correct the date of a document's current version. Raises UsageError."""
        from asof.store import corrections

        session = self.session
        anchor = session.clock()
        zone = session.times.zone
        if isinstance(published, str):
            stated = SourcedTime(read(published, moment(anchor), zone or UTC), published, "metadata")
        else:
            stated = as_time(published, "published", "metadata", zone)
        with session.writing() as db:
            before = engine.last_passage(db)
            with session.store.write(db, session.clock, session.manifest.publish, what="correct") as write:
                corrections.correct(write, document, stated)
            engine.encode_after(session.manifest, db, before)

    def purge(self, document: str) -> int:
        """Erase a document with all its versions for good; returns the number of erased passages.

        With a paper of arXiv its full text is erased. Later runs over categories and questions pass over it;
        it is indexed again when it is named by its id. Raises UsageError when there is no such document;
        Busy, also when papers are being fetched; NoSpace.
        """
        from asof.store import corrections

        erasure, _ = erasure_of(document)
        if erasure is None:
            return self.remove(lambda db: corrections.erase(db, document), "purge")
        with erasure.forget(self.session.store.folder / FETCHED, document):
            names = self.purged_with(document) or (document,)
            return self.remove(lambda db: corrections.erase_for_good(db, names), "purge")

    def ever_called(self, wanted: str, *, part: bool = True) -> str:
        """The id of the document that is called so among all that are kept: by its id, a title, an alias,
        the end of its path or, with `part`, any part of it.

        Raises UsageError when none is called so, or several are.
        """
        from asof.store.names import find_stored_document

        with self.session.connection() as db:
            return find_stored_document(db, wanted, allow_part=part)

    def purged_with(self, document: str) -> tuple[str, ...]:
        """The documents of the corpus that go when this one is purged."""
        group = erasure_of(document)[1]
        names = group if document in group[:1] else (document,)
        with self.session.connection() as db:
            query = "SELECT 1 FROM documents WHERE name = ?"
            return tuple(name for name in names if db.execute(query, (name,)).fetchone())

    def vacuum(self, before: When) -> int:
        """Drop the history before a moment; returns how many passages. Earlier moments are refused then."""
        from asof.store import corrections

        horizon = horizon_of(before, self.session.clock(), self.session.times)
        return self.remove(lambda db: corrections.drop_history(db, horizon), "vacuum")

    # -- taking it elsewhere ------------------------------------------------------------------------

    def export(self, file: str | Path, *, overwrite: bool = False) -> ExportReport:
        """Write all documents with all versions to a `.jsonl` or `.jsonl.gz` file, which `Corpus.add` reads;
        docs/guides/moving.md says what is not in it. Raises UsageError for a file that is there already,
        unless it may be overwritten, and for another suffix; CorpusError, OSError.
        """
        from asof.store.export import export

        analyzer = self.session.store.settings.analyzer()
        return self.session.read(lambda db: export(db, analyzer, Path(file), overwrite=overwrite))

    def backup(self, file: str | Path, *, overwrite: bool = False) -> int:
        """Copy the database to a file, which only its owner may read; returns its size in bytes. At
        `.asof/corpus.db` of another folder it is the same corpus. Raises UsageError for a file that is there
        already, unless it may be overwritten; OSError.
        """
        from asof.store.export import backup

        database = self.session.store.database
        return self.session.read(lambda db: backup(db, database, Path(file), overwrite=overwrite))

    def remove(self, choose: Callable[[sqlite3.Connection], list[int]], what: str) -> int:
        """Remove rows, and what was derived from them: `choose` does it, in a transaction of that kind, and
        returns the passages. Returns their number. Raises Busy, NoSpace."""
        session = self.session
        self.finish_removal()
        with session.writing() as db:
            self.forget_texts()
            removed = engine.remove(session.store, session.manifest, db, session.clock, choose, what)
        session.forget()
        return removed

    def forget_texts(self) -> None:
        """Remove what lies beside the database and may hold texts: derived files, and trials of notes."""
        from asof.index.view import forget_derived

        folder = self.session.store.folder
        with try_lock(folder / NOTES_LOCK) as lock:
            if lock is not None:  # else who holds it removes them
                remove_trials(folder)
        forget_derived(self.session.derived.folder)


def horizon_of(before: When, now: int, how: TimeOptions) -> int:
    """The instant before which history is dropped. Raises UsageError for one that is not past, BadTime."""
    horizon = first_instant(before, now, how)
    if horizon > now:
        raise UsageError(f"vacuum {before}: only the past can be dropped")
    return horizon


def erasure_of(document: str) -> tuple[Erasure | None, tuple[str, ...]]:
    """The erasure of a document of a scheme, and the documents of the same thing; None and () for others."""
    from asof.sources.source import is_scheme, scheme_in, scheme_named

    scheme = scheme_named(scheme_in(document)) if is_scheme(document) else None
    group = scheme.erasure.group(document) if scheme and scheme.erasure else ()
    return (scheme.erasure if scheme and group else None), group
