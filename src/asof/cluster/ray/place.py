"""Where an actor finds its shard, and how it opens it."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple, NoReturn

from numpy.typing import NDArray

from asof import environment
from asof.cluster.ray.copies import hold, trim
from asof.config import Config
from asof.corpus.session import Session
from asof.corpus_files import FOLDER
from asof.errors import CorpusError, NoCorpus, StorageUnavailable
from asof.index.manifest import Manifest
from asof.models.ports import Encoder
from asof.store.shard_folders import held_open
from asof.store.shard_layout import read_layout
from asof.store.store import Store


class Opened(NamedTuple):
    """An open shard, and the number of the manifest that it is at (0: a folder, which has none)."""

    session: Session
    number: int


class EncodedAtTheRoot:
    """Stands for the encoder of a corpus at its shards, which get the vector of a question with it."""

    def __init__(self, name: str) -> None:
        self.name = name

    def encode(self, texts: object, *, question: bool = False) -> NDArray[NoReturn]:
        raise AssertionError("a question is encoded where it is asked")


@dataclass(frozen=True, slots=True)
class ShardPlace:
    """A shard of the corpus at a URL, or of one in a folder of this machine (`url` is empty then).

    `root`: the folder, for a URL that of the actor's own working copy of the shard; "" for one in the cache
    of the machine that the actor is on. `copy` tells the actors of one machine apart. `shards`: how many a
    corpus in a folder has to have. `limit`: bytes that all working copies beside this one may take (None:
    any number); see `copies.py`.
    """

    shard: int
    url: str = ""
    root: str = ""
    copy: str = "0"
    shards: int = 0
    limit: int | None = None

    def hold(self) -> int | None:
        """A descriptor that keeps the working copy where it is; None for a folder, which nobody removes.
        Raises CorpusError where there can be no copy."""
        try:
            return hold(self._copy()) if self.url else None
        except OSError as error:
            raise CorpusError(f"no copy of a shard can be in {self._copy()}: {error.strerror}") from error

    def open(self, number: int | None = None) -> Opened:
        """Open the shard, for a URL as of a manifest (None: the latest), of which only what changed is
        fetched. While the storage is down, the latest is what was fetched before. Raises NoCorpus,
        StorageError, CorpusError."""
        if not self.url:
            return Opened(self._session(Path(self.root)), 0)
        from asof.cluster.at_url import storage_at

        storage, root = storage_at(self.url, _silent), self._copy()
        try:
            storage.pull(root, number, shards=[self.shard], discard=True)
        except StorageUnavailable:
            if number is not None or not storage.copied(root):
                raise
        with storage.reading(root):  # another process may have fetched a later one into it meanwhile
            opened = Opened(self._session(root), storage.copied(root))
        if self.limit is not None:
            trim(root.parent, self.limit)
        return opened

    def moved(self, opened: Opened) -> bool:
        """Whether the shard of a corpus in a folder lies elsewhere than where it was opened: an export was
        restored into the folder."""
        if self.url:
            return False
        layout = read_layout(Path(self.root) / FOLDER)
        return (
            layout is None
            or layout.paths(Path(self.root) / FOLDER)[self.shard] != opened.session.store.folder
        )

    def _copy(self) -> Path:
        """The folder of the actor's own working copy."""
        if self.root:
            return Path(self.root)
        digest = blake2b(f"{self.url} {self.shard} {self.copy}".encode(), digest_size=12).hexdigest()
        return environment.cache_folder() / "searchers" / digest

    def _session(self, root: Path) -> Session:
        layout = read_layout(root / FOLDER)
        if layout is None:
            raise NoCorpus(f"no corpus in shards in {root}: make one with `asof index SOURCE --shards N`")
        if not self.url and self.shards and layout.count != self.shards:
            raise other_shards(root, self.shards, layout.count)
        store = Store.open(layout.paths(root / FOLDER)[self.shard])
        encoder: Encoder | None = None
        if store.settings.encoder:
            encoder = EncodedAtTheRoot(store.settings.encoder)
        manifest = Manifest(store, encoder, _silent)
        session = Session(root, store, manifest, Config(), environment.now, {})
        session.held = held_open(store.folder)
        return session


def other_shards(root: Path, before: int, now: int) -> CorpusError:
    """What is said of a folder whose shards have become more."""
    return CorpusError(
        f"the corpus in {root} has {now} shards now and had {before} when it was opened: open it anew"
    )


def _silent(line: str) -> None:
    """Nobody reads what an actor would say of a segment that it made anew."""
