"""Correcting, erasing, counting, checking and leaving a corpus in shards: by what each shard does for itself,
at one instant."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from asof.cluster.instants import Instant
from asof.corpus.maintenance import erasure_of, forget_texts, horizon_of
from asof.store import corrections
from asof.store.lock import exclusive_lock
from asof.store.settings import CorpusSettings
from asof.store.shard_folders import remove_former
from asof.store.shard_layout import ShardLayout
from asof.store.status import Status, folder_size
from asof.store.store import FETCHED
from asof.time.coerce import When

if TYPE_CHECKING:
    from asof.cluster.at_url import Writer
    from asof.corpus.corpus import Corpus
    from asof.store.export import ExportReport

Choose = Callable[[sqlite3.Connection], list[int]]
"""Removes rows and says which passages went; see `Maintenance.remove`."""


class Shards(Protocol):
    """An open corpus in shards, as its maintenance sees it (`ShardedCorpus`)."""

    @property
    def folder(self) -> Path: ...

    @property
    def layout(self) -> ShardLayout: ...

    @property
    def shards(self) -> tuple[Corpus, ...]: ...

    @property
    def settings(self) -> CorpusSettings: ...

    @property
    def writer(self) -> Writer | None: ...

    @property
    def clock(self) -> Callable[[], int]: ...

    @property
    def wait(self) -> float: ...

    def shard_of(self, document: str) -> Corpus: ...

    def last_write(self) -> int: ...

    def writing(self) -> AbstractContextManager[Instant]: ...

    def push(self) -> None: ...


@dataclass(frozen=True, slots=True)
class ShardedMaintenance:
    """What `Maintenance` does for a corpus in one piece. A process that is killed between two shards leaves
    something to do, which the same command then does."""

    corpus: Shards

    def correct(self, document: str, published: When) -> None:
        """See `Maintenance.correct`."""
        shard = self.corpus.shard_of(document)
        with self.corpus.writing() as instant:
            shard.maintenance.correct(document, published, instant)
        self.corpus.push()

    def tidy(self) -> int:
        """Merge what is due now; returns the number of merges."""
        return sum(shard.tidy() for shard in self.corpus.shards)

    def check(self) -> list[str]:
        """Check every byte of all shards; damaged segments are rebuilt. Returns lines for the user."""
        return [
            f"shard {name}: {line}"
            for name, shard in zip(self.corpus.layout.folders, self.corpus.shards, strict=True)
            for line in shard.check()
        ]

    # -- erasing ------------------------------------------------------------------------------------

    def ever_called(self, wanted: str, *, part: bool = True) -> str:
        """See `Maintenance.ever_called`."""
        from asof.store.find_document import find_stored_document

        with self._reading() as dbs:
            return find_stored_document(dbs, wanted, allow_part=part)

    def purged_with(self, document: str) -> tuple[str, ...]:
        """See `Maintenance.purged_with`."""
        group = erasure_of(document)[1]
        names = group if document in group[:1] else (document,)
        return tuple(name for name in names if self._stored(name))

    def purge(self, document: str) -> int:
        """See `Maintenance.purge`. Of a corpus at a URL, the manifests that hold the text go, pinned ones
        too."""
        self._remove_former()
        writer = self.corpus.writer
        if writer is None:
            return self._purge(document)
        with writer.purging():
            return self._purge(document)

    def _remove_former(self) -> None:
        """Remove folders of shards of former layouts, which hold what is to go. Raises Busy."""
        folder, wait = self.corpus.folder, self.corpus.wait
        with ExitStack() as held:  # in this order everywhere: who fetches, then who writes
            if self.corpus.writer is not None:
                held.enter_context(exclusive_lock(folder / "copy.lock", wait))
            held.enter_context(exclusive_lock(folder / "write.lock", wait))
            remove_former(folder, all_of_them=True)

    def _purge(self, document: str) -> int:
        erasure, group = erasure_of(document)
        forget_texts(self.corpus.folder)
        if erasure is None:
            shard = self.corpus.shard_of(document)
            with self.corpus.writing() as instant:
                return shard.maintenance.remove(lambda db: corrections.erase(db, document), "purge", instant)
        with erasure.forget(self.corpus.folder / FETCHED, document):
            names = self.purged_with(document) or (document,)
            last = not any(self._stored(name) for name in group if name not in names)
            scheme = names[0].partition(":")[0].lower()

            def erase(db: sqlite3.Connection, here: list[str]) -> list[int]:
                passages = corrections.erase_and_mark(db, here)
                if last:
                    corrections.rename_sources(db, scheme, lambda name: erasure.rename(name, document))
                return passages

            erased = 0
            with self.corpus.writing() as instant:
                for shard in self.corpus.shards:
                    here = [name for name in names if self.corpus.shard_of(name) is shard]
                    if here or last:
                        erased += shard.maintenance.remove(_with(erase, here), "purge", instant)
            return erased

    def vacuum(self, before: When) -> int:
        """See `Maintenance.vacuum`: the history of all shards goes, as known at their last write together."""
        horizon = horizon_of(before, self.corpus.clock())
        self._remove_former()
        forget_texts(self.corpus.folder)
        with self.corpus.writing() as instant:
            last = self.corpus.last_write()
            dropped = sum(
                shard.maintenance.remove(
                    lambda db: corrections.drop_history(db, horizon, last), "vacuum", instant
                )
                for shard in self.corpus.shards
            )
        self.corpus.push()
        return dropped

    def _stored(self, name: str) -> bool:
        with self.corpus.shard_of(name).session.connection() as db:
            return bool(corrections.stored_names(db, [name]))

    @contextmanager
    def _reading(self) -> Iterator[list[sqlite3.Connection]]:
        with ExitStack() as stack:
            yield [stack.enter_context(shard.session.connection()) for shard in self.corpus.shards]

    # -- figures, and leaving -----------------------------------------------------------------------

    def status(self) -> Status:
        """Figures about the corpus: those of a corpus in one piece, but for segments and bytes, which are
        those of all shards, and without what each shard derived from its passages."""
        parts = [shard.status() for shard in self.corpus.shards]
        total = sum_of(parts)
        instants = set[int]()
        for shard in self.corpus.shards:
            with shard.session.connection() as db:
                instants.update(at for (at,) in db.execute("SELECT id FROM transactions"))
        return replace(total, transactions=len(instants), bytes=folder_size(self.corpus.folder))

    def export(self, file: str | Path, *, overwrite: bool = False) -> ExportReport:
        """See `Maintenance.export`: one file, from which a corpus in one piece can be made. In a transaction
        its versions stand by shard."""
        from asof.store.export import ExportReport, exported_lines
        from asof.store.export_file import write_lines

        path, report, shards = Path(file), ExportReport(), self.corpus.shards
        with self._reading() as dbs, ExitStack() as reads:
            with self.corpus.writing():  # nobody writes while the transactions begin: they see one state
                for shard, db in zip(shards, dbs, strict=True):
                    reads.enter_context(_reading_one_state(shard, db))
            lines = exported_lines(dbs, self.corpus.settings, report)
            write_lines(path, lines, report.end, overwrite=overwrite)
        report.bytes = path.stat().st_size
        return report


def _with(erase: Callable[[sqlite3.Connection, list[str]], list[int]], names: list[str]) -> Choose:
    return lambda db: erase(db, names)


@contextmanager
def _reading_one_state(shard: Corpus, db: sqlite3.Connection) -> Iterator[None]:
    shard.store.begin_read(db)
    try:
        yield
    finally:
        db.execute("ROLLBACK")


def sum_of(parts: list[Status]) -> Status:
    """The figures of all shards as one; what cannot be added up is that of the first."""
    dated: Counter[str] = Counter()
    sources: Counter[tuple[str, str]] = Counter()
    for part in parts:
        dated.update(part.dated_by)
        sources.update({(name, kind): count for name, kind, count in part.sources})
    firsts = [part.first for part in parts if part.first is not None]
    lasts = [part.last for part in parts if part.last is not None]
    horizons = [part.horizon for part in parts if part.horizon is not None]
    return Status(
        documents=sum(part.documents for part in parts),
        ended=sum(part.ended for part in parts),
        versions=sum(part.versions for part in parts),
        passages=sum(part.passages for part in parts),
        current_passages=sum(part.current_passages for part in parts),
        first=min(firsts, default=None),
        last=max(lasts, default=None),
        dated_by=dict(sorted(dated.items(), key=lambda each: (-each[1], each[0]))),
        undated=dated["none"],
        sources=[(name, kind, count) for (name, kind), count in sources.items()],
        segments=[segment for part in parts for segment in part.segments],
        formats=dict(sorted(sum((Counter(part.formats) for part in parts), Counter[str]()).items())),
        transactions=parts[0].transactions,
        bytes=sum(part.bytes for part in parts),
        horizon=max(horizons, default=None),
        settings=parts[0].settings,
    )
