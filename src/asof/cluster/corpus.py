"""A corpus in shards, open: what can be done with it as with one in one piece."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, NoReturn, Self

from asof.arguments import all_checked
from asof.cluster import indexing, instants
from asof.cluster.maintenance import ShardedMaintenance
from asof.cluster.refused import not_across_shards
from asof.cluster.search import ShardSearch
from asof.cluster.shards import LocalShards
from asof.cluster.snapshot import ShardedSnapshot, snapshot_of
from asof.cluster.undo import take_back
from asof.config import Config
from asof.corpus.corpus import Corpus
from asof.corpus.source_opening import SourceOpener, export_file
from asof.engine import Results
from asof.errors import CorpusError, UsageError
from asof.store.committed import committed
from asof.store.find_document import find_among, names_as_of
from asof.store.run import IndexReport
from asof.store.settings import CorpusSettings
from asof.store.shard_folders import remove_unused
from asof.store.shard_layout import FILE as LIST
from asof.store.shard_layout import ShardLayout, shard_of
from asof.time.coerce import When, last_instant

if TYPE_CHECKING:
    from asof.cluster.at_url import Writer
    from asof.corpus.models import ModelProvider
    from asof.sources.from_python import Item, Record
    from asof.sources.source import Source
    from asof.store.export import ExportReport
    from asof.store.status import Status
    from asof.store.workers import TextPool


class OpenShards(NamedTuple):
    """Shards as they are listed, open. `held`: descriptors that keep their folders in place."""

    layout: ShardLayout
    shards: tuple[Corpus, ...]
    held: tuple[int, ...]

    def close(self) -> None:
        """Close their files."""
        for shard in self.shards:
            shard.close()
        for descriptor in self.held:
            os.close(descriptor)


FileIdentity = tuple[int, int] | None
"""Inode and time of a file; None where it is missing."""

COPIED = "storage.json"
"""Says which state of a storage a working copy is of (`asof.storage.working_copy`)."""


def _identity(file: Path) -> FileIdentity:
    try:
        found = file.stat()
    except FileNotFoundError:
        return None
    return found.st_ino, found.st_mtime_ns


@all_checked
@dataclass(slots=True, repr=False)
class ShardedCorpus:
    """An open corpus whose documents lie in several shards, each a `Corpus` with a folder of its own. Use it
    as a context manager, or `close` it. Threads may share it.

    `root`: the folder from which sources are named, and whose configuration holds; `folder`: the `.asof` that
    the shards lie in, as `layout` says; `clock`: microseconds since 1970; `wait`: seconds that a writer waits
    for another one; `writer`: who pushes what is written to a corpus at a URL; `searching`: what searches the
    shards (by default a thread for each).

    Where another process gives the corpus more shards, or fetches a later state of it, snapshots that were
    taken go on with the old ones; later ones are of the new ones. `open_all` opens those that are listed.
    """

    root: Path
    folder: Path
    config: Config
    clock: Callable[[], int]
    wait: float
    writer: Writer | None
    open_all: Callable[[], OpenShards]
    layout: ShardLayout = ShardLayout(())  # noqa: RUF009  a frozen value
    shards: tuple[Corpus, ...] = ()
    closed: bool = False
    searching: ShardSearch | None = None
    _opened: list[OpenShards] = field(default_factory=list)
    _listed: tuple[FileIdentity, FileIdentity] = (None, None)
    _reopening: threading.Lock = field(default_factory=threading.Lock)

    def __repr__(self) -> str:
        return f"ShardedCorpus({str(self.root)!r}, {self.layout.count}{', closed' if self.closed else ''})"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *error: object) -> None:
        self._close(push=kind is None)

    def __getattr__(self, name: str) -> NoReturn:
        if not name.startswith("_") and hasattr(Corpus, name):
            raise not_across_shards(f"{name} works in", "see docs/guides/cluster.md for what is exact")
        raise AttributeError(f"ShardedCorpus has no {name!r}")

    def close(self) -> None:
        """Wait for merges that are under way, push what was written to a URL, and close the files of all
        shards."""
        self._close(push=True)

    def _close(self, *, push: bool) -> None:
        opened, self._opened = self._opened, []
        try:
            for shard in self.shards:
                shard.maintenance.close()
            if push and self.writer is not None and not self.closed:
                self.writer.push()
        finally:
            self.closed = True
            for each in opened:
                each.close()

    def reopen(self) -> None:
        """Open the shards that are listed, if others are listed now than are open. Raises CorpusError."""
        with self._reopening:
            if (listed := self._list()) == self._listed:
                return
            opened = self.open_all()
            self._opened.append(opened)
            self.layout, self.shards, self.searching = opened.layout, opened.shards, None
            self._listed = listed

    def _list(self) -> tuple[FileIdentity, FileIdentity]:
        """Which file the list of shards is, and which one says what a working copy is of; they are never
        changed, only replaced. Nobody else replaces anything under the writer of a copy."""
        copied = None if self.writer else _identity(self.folder / COPIED)
        return _identity(self.folder / LIST), copied

    @property
    def settings(self) -> CorpusSettings:
        """The settings with which it was made; all shards have the same."""
        return self.shards[0].store.settings

    @property
    def models(self) -> ModelProvider:
        """The models that the configuration names; those of all shards are the same."""
        return self.shards[0].models

    def shard_of(self, document: str) -> Corpus:
        """The shard that a document is in, or would be."""
        return self.shards[shard_of(document, self.layout.count)]

    # -- instants (`asof.cluster.instants`) ---------------------------------------------------------

    def last_write(self) -> int:
        """The last instant at which any shard was written to, 0 if none was."""
        return max(shard.session.last_write() for shard in self.shards)

    def committed(self) -> int | None:
        """The instant up to which all shards have all that was written, where some have more: a batch is
        being written just now, or the process that wrote it was killed. None where all have everything.

        What is known at this instant or before stays as it is. Raises DamagedStore.
        """
        until = committed(self.folder) if self.layout.count > 1 else None
        return until if until is None or until < self.last_write() else None

    def writing(self) -> AbstractContextManager[instants.Instant]:
        """While nobody else writes; the instant of what is written. Raises Busy, NoSpace, CorpusError, also
        where the corpus was given more shards meanwhile."""
        return instants.writing(
            self.folder, self._heads, self.clock, self.wait, several=self.layout.count > 1,
            take_back=lambda after, instant: take_back(self.shards, after, instant),
        )  # fmt: skip

    def _heads(self) -> int:
        if self._list()[0] != self._listed[0]:
            raise CorpusError(
                "the corpus was given more shards meanwhile, or another state of it was fetched in place of "
                "what was written here: run the same command again"
            )
        return self.last_write()

    def push(self) -> None:
        """Make what was written to a corpus at a URL part of it. Raises Fenced, StorageError."""
        if self.writer is not None:
            self.writer.push()

    def _progress(self, shown: Callable[[IndexReport], None] | None) -> Callable[[IndexReport], None]:
        """What is done after each batch."""

        def done(report: IndexReport) -> None:
            if self.writer is not None:
                self.writer.push_soon()
            if shown is not None:
                shown(report)

        return done

    # -- asking -------------------------------------------------------------------------------------

    def at(self, as_of: When | None = None, known_at: When | None = None) -> ShardedSnapshot:
        """The corpus as it stood at `as_of` (default: now), as it was known at `known_at` (default: now)."""
        anchor, fiscal = self.present(), self.config.fields.fiscal_start
        return self.snapshot(
            anchor if as_of is None else last_instant(as_of, anchor, fiscal),
            None if known_at is None else last_instant(known_at, anchor, fiscal),
            stated=as_of is not None,
        )

    def snapshot(self, as_of: int, known_at: int | None = None, *, stated: bool = True) -> ShardedSnapshot:
        """The corpus as it stood at an instant, as it was known at another one; see `at`. Of a batch that is
        not in all shards yet nothing is known."""
        with self.still():
            self.reopen()
            until = self.committed()
            search, shards = self._search, self.shards
        known = until if known_at is None else min(known_at, known_at if until is None else until)

        def read_facts() -> None:
            for shard in shards:
                shard.facts.ensure_facts()

        return snapshot_of(search, shards[0].models, as_of, known, stated=stated, read_facts=read_facts)

    def still(self) -> AbstractContextManager[None]:
        """While nobody brings a working copy to another state of its storage; what was begun of that is
        finished first."""
        if not (self.folder / COPIED).exists():
            return nullcontext()
        from asof.storage.swap import reading
        from asof.storage.working_copy import WorkingCopy

        return reading(WorkingCopy(self.folder.parent, "", self.wait))

    def search(self, question: str, **options: object) -> Results:
        """`corpus.at().search(question, ...)`: as of now."""
        return self.at().search(question, **options)  # type: ignore[arg-type]

    def present(self) -> int:
        """Now; what was just added is seen, also if the clock steps back."""
        return max(self.clock(), self.last_write())

    @property
    def _search(self) -> ShardSearch:
        if self.searching is None:
            sessions = [shard.session for shard in self.shards]
            encoder = self.shards[0].manifest.encoder
            until = partial(committed, self.folder) if self.layout.count > 1 else lambda: None
            self.searching = ShardSearch(LocalShards(sessions, until=until), self.settings, encoder)
        return self.searching

    # -- adding -------------------------------------------------------------------------------------

    def add(
        self,
        source: str | Path | Source | Item | Record | Iterable[Item | Record],
        *,
        history: bool = False,
        trust_mtime: bool = False,
        allow_shrinking: bool = False,
        workers: int = 1,
        pool: Callable[[CorpusSettings], TextPool] | None = None,
        progress: Callable[[IndexReport], None] | None = None,
        **options: object,
    ) -> IndexReport:
        """Index a source, as `Corpus.add` does: the corpus holds what one in one piece would hold.

        The source is read once. A batch gets one and the same instant in all shards. Of one that a process
        which was killed between two shards has left, nobody knows; the next write takes it back. `pool`: what
        prepares texts in place of processes of this machine, such as tasks of Ray
        (`asof.cluster.ray.texts.RayTexts`). Raises SourceError, SourceShrunk, Busy, NoSpace.
        """
        from asof.sources.from_python import as_python_source, items
        from asof.sources.source import Resumable

        if isinstance(source, str | Path):
            if not history and (export := export_file(source)) is not None:
                return self._restored(export, progress)
            source = self._sources.open(source, history=history, trust_mtime=trust_mtime, **options)
        elif options:
            raise UsageError(f"{', '.join(options)}: only for a source that is named by a scheme")
        if isinstance(source, Resumable):
            source.resume(indexing.checkpoints(self.shards, source.name))
        read = as_python_source(source)
        with closing(items(read.documents, self.config.fields)) as stated:
            report = indexing.build(
                self.shards, stated,
                indexing.Source(read.name, read.kind, read.complete, read.states_past), self.writing,
                allow_shrinking=allow_shrinking, workers=workers, pool=pool,
                progress=self._progress(progress),
            )  # fmt: skip
        self.push()
        if report.written:
            for shard in self.shards:
                shard.maintenance.tidy_behind()
        remove_unused(self.folder)
        return report

    def _restored(self, export: Path, progress: Callable[[IndexReport], None] | None) -> IndexReport:
        """Read an export into the shards, which are empty; see `Corpus.add`."""
        from asof.cluster.restoring import restore_shards

        encoder = self.shards[0].manifest.encoder
        report = restore_shards(self.folder, export, encoder, self.clock(), self.wait, progress)
        self.reopen()
        self.push()
        return report

    def source(
        self, name: str | Path, *, history: bool = False, trust_mtime: bool = False, **options: object
    ) -> Source:
        """See `Corpus.source`."""
        return self._sources.open(name, history=history, trust_mtime=trust_mtime, **options)

    def prepare(self) -> None:
        """See `Corpus.prepare`: in each shard."""
        for shard in self.shards:
            shard.prepare()

    # -- maintenance (`asof.cluster.maintenance`) ---------------------------------------------------

    @property
    def maintenance(self) -> ShardedMaintenance:
        """What keeps it in order."""
        return ShardedMaintenance(self)

    def called(self, wanted: str) -> str:
        """The id of the document of this name as of now; see `Snapshot.called`."""
        now = max(self.clock(), self.last_write())
        names = [
            shard.session.use(now, self.committed(), lambda view: names_as_of(view.store, wanted))
            for shard in self.shards
        ]
        return find_among(names, wanted, now)

    def correct(self, document: str, published: When) -> None:
        """See `Maintenance.correct`."""
        self.maintenance.correct(document, published)

    def purge(self, document: str) -> int:
        """See `Maintenance.purge`."""
        return self.maintenance.purge(document)

    def vacuum(self, before: When) -> int:
        """See `Maintenance.vacuum`."""
        return self.maintenance.vacuum(before)

    def status(self) -> Status:
        """See `ShardedMaintenance.status`."""
        return self.maintenance.status()

    def check(self) -> list[str]:
        """See `Maintenance.check`."""
        return self.maintenance.check()

    def export(self, file: str | Path, *, overwrite: bool = False) -> ExportReport:
        """See `ShardedMaintenance.export`."""
        return self.maintenance.export(file, overwrite=overwrite)

    @property
    def _sources(self) -> SourceOpener:
        return SourceOpener(self.root, self.folder, self.config, self.clock, self._versions)

    def _versions(self, names: Iterable[str]) -> dict[str, set[int]]:
        """The numbers of the versions that are stored of documents, each asked for in its own shard: that of
        an erased document knows that it was."""
        from asof.store.versions import version_numbers

        parts: list[list[str]] = [[] for _ in self.shards]
        for name in names:
            parts[shard_of(name, self.layout.count)].append(name)
        numbers: dict[str, set[int]] = {}
        for shard, part in zip(self.shards, parts, strict=True):
            if part:
                with shard.session.connection() as db:
                    numbers |= version_numbers(db, part)
        return numbers
