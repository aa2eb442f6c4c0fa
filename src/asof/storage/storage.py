"""A corpus at a URL, as programs use it (signatures; the parts behind them follow)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from datetime import timedelta
from pathlib import Path
from typing import Any

CorpusManifest = Any


class Storage:
    @classmethod
    def open(cls, url: str, clock: Callable[[], int], on_note: Callable[[str], None] = print) -> Storage:
        """`url`: a folder, file://, s3://, gs://, az://. `clock`: environment.now. Nothing is read yet."""
        raise NotImplementedError

    def create(self, count: int) -> CorpusManifest:
        """Manifest 1, of `count` shards without content; the latest one where there are manifests already.
        Raises UsageError where the corpus there has another number of shards."""
        raise NotImplementedError

    def latest(self) -> CorpusManifest | None:
        raise NotImplementedError

    def manifest(self, number: int) -> CorpusManifest:
        """Raises ManifestExpired."""
        raise NotImplementedError

    def claim(self, shard: int, writer: str) -> int:
        """A new epoch of a shard. Shards from `count` on may be claimed, too (growing): they get an empty
        entry, and become part of the corpus by the push whose shards.json counts them."""
        raise NotImplementedError

    def pull(self, root: Path, number: int | None = None, *, discard: bool = False) -> CorpusManifest:
        """Bring ROOT/.asof/shards/* and shards.json to a manifest (None: the latest). A shard with
        transactions that were not pushed is left alone while the storage is where it was pulled from, else UnpushedChanges
        is raised, unless they may be discarded. A process that has readers open calls
        `Session.reopen_readers()` afterwards."""
        raise NotImplementedError

    def reading(self, root: Path) -> AbstractContextManager[None]:
        """Held while the shards of a working copy are opened and their read transactions begin, so that all
        of them are of one manifest: pulls wait."""
        raise NotImplementedError

    def push(self, root: Path, epochs: Mapping[int, int]) -> CorpusManifest:
        """Upload what is new in these shards, then commit one manifest, whose `count` is that of ROOT's
        shards.json. Readers and writers of the copy go on meanwhile. Raises Fenced, StaleCopy."""
        raise NotImplementedError

    def pin(self, name: str, number: int | None = None) -> CorpusManifest:
        raise NotImplementedError

    def unpin(self, name: str) -> bool:
        raise NotImplementedError

    def vacuum(self, grace: timedelta, keep: int, keep_for: timedelta) -> Any:
        raise NotImplementedError

    def expire_before(self, number: int) -> Any:
        """After a purge: what holds the erased text goes at once; the report names manifests and pins."""
        raise NotImplementedError

    def backup(self, url: str, number: int | None = None) -> Any:
        raise NotImplementedError

    def restore(self, number: int) -> CorpusManifest:
        raise NotImplementedError
