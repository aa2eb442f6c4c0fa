"""Where an actor finds its shard, and how it opens it."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple, NoReturn

from numpy.typing import NDArray

from asof import environment
from asof.config import Config
from asof.corpus.session import Session
from asof.corpus_files import FOLDER
from asof.errors import NoCorpus
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
    of the machine that the actor is on. `copy` tells the actors of one machine apart.
    """

    shard: int
    url: str = ""
    root: str = ""
    copy: str = "0"

    def open(self, number: int | None = None) -> Opened:
        """Open the shard, for a URL as of a manifest (None: the latest), of which only what changed is
        fetched. Raises NoCorpus, StorageError, CorpusError."""
        if not self.url:
            return Opened(self._session(Path(self.root)), 0)
        from asof.cluster.at_url import storage_at

        storage, root = storage_at(self.url, _silent), self._copy()
        manifest = storage.pull(root, number, shards=[self.shard], discard=True)
        with storage.reading(root):
            return Opened(self._session(root), manifest.number)

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
        store = Store.open(layout.paths(root / FOLDER)[self.shard])
        encoder: Encoder | None = None
        if store.settings.encoder:
            encoder = EncodedAtTheRoot(store.settings.encoder)
        manifest = Manifest(store, encoder, _silent)
        session = Session(root, store, manifest, Config(), environment.now, {})
        session.held = held_open(store.folder)
        return session


def _silent(line: str) -> None:
    """Nobody reads what an actor would say of a segment that it made anew."""
