"""A corpus at a URL and this machine's working copy of it: fetched to be read, claimed to be written.

What is written is in the copy first. It is acknowledged when a manifest names it: a writer pushes every few
seconds, and when it is done.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from asof import corpus_files, environment
from asof.corpus_files import FOLDER
from asof.errors import NoCorpus, UnpushedChanges
from asof.storage.address import check_endpoint, normal
from asof.storage.manifests import CorpusManifest
from asof.storage.storage import Storage
from asof.store.shard_layout import write_durably
from asof.store.store import DEFAULT_WAIT

EVERY = 5.0
"""Seconds between two pushes while a source is read."""


def storage_at(url: str, on_note: Callable[[str], None], wait: float = DEFAULT_WAIT) -> Storage:
    """The storage at a URL. Raises UsageError, MissingExtra."""
    check_endpoint(url, environment.variables())
    return Storage.open(normal(url), environment.now, on_note, wait)


def fetched(storage: Storage) -> Path:
    """The folder of the working copy, which is what the storage has now.

    What was written here and is not there, while another writer went on, was acknowledged to nobody and goes.
    Raises NoCorpus, StorageError, CorpusError.
    """
    root = environment.working_copy(storage.url)
    try:
        storage.pull(root)
    except UnpushedChanges:
        storage.on_note(
            f"{root}: what a run here wrote last was not pushed before another writer went on; it is gone, "
            "and indexing its source again brings it back"
        )
        storage.pull(root, discard=True)
    return root


def claim_all(storage: Storage, shards: int) -> dict[int, int]:
    """The new epochs of so many shards, claimed for this process at once; one line says whose place it
    takes, where that one may still be at work."""
    return storage.claim_shards(range(shards), environment.writer(), environment.has_ended)


@dataclass(slots=True)
class Writer:
    """This process as the writer of a corpus at a URL. `root`: the folder of its working copy; `epochs`: by
    shard. A later writer fences it: then `push` raises Fenced."""

    storage: Storage
    root: Path
    epochs: dict[int, int] = field(default_factory=dict)
    every: float = EVERY
    _pushed: float = field(default_factory=time.monotonic)

    @classmethod
    def claim(cls, storage: Storage, shards: int | None, *, create: bool) -> Writer:
        """Claim every shard; where there is no corpus yet, make one of so many (None: 1). The copy is what
        the storage has then. Raises NoCorpus, UsageError for another number of shards, StorageError,
        CorpusError."""
        latest = storage.latest()
        if latest is None and not create:
            raise NoCorpus(f"no corpus at {storage.url}: make one with `asof index SOURCE --index URL`")
        if latest is None or shards is not None:
            latest = storage.create(shards or 1)
        epochs = claim_all(storage, latest.count)
        return cls(storage, fetched(storage), epochs)

    def push(self) -> CorpusManifest:
        """Commit what was written. Raises Fenced, StaleCopy, StorageError, CorpusError."""
        manifest = self.storage.push(self.root, self.epochs)
        self._pushed = time.monotonic()
        return manifest

    def push_soon(self) -> None:
        """Commit what was written, if a few seconds have passed since the last time."""
        if time.monotonic() - self._pushed >= self.every:
            self.push()

    @contextmanager
    def purging(self) -> Iterator[None]:
        """While something is erased here; then it is erased at the storage, too. Where this is killed, the
        next writer on this machine does so (`finish_purge`)."""
        write_durably(self._mark, b"")
        yield
        self.finish_purge()

    def finish_purge(self) -> None:
        """Push what was erased, and remove the states that hold it, with their pins; nothing is done where
        nothing was erased since. Raises Fenced, StorageError, CorpusError."""
        if not self._mark.exists():
            return
        report = self.storage.expire_before(self.push().number)
        if report.pins:
            names = ", ".join(sorted(report.pins))
            self.storage.on_note(f"pins that held the erased text are gone, too: {names}")
        corpus_files.remove(self._mark)

    @property
    def _mark(self) -> Path:
        return self.root / FOLDER / "purging"
