"""A folder of shards: documents go to them by the digest of their ids, each shard is an ordinary corpus."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import Any, Self

import asof
from asof import environment
from asof.config import Config
from asof.corpus.corpus import Corpus
from asof.corpus.maintenance import Maintenance
from asof.corpus.session import ModelProvider, Session
from asof.corpus.snapshot import Snapshot
from asof.errors import NoCorpus, UsageError
from asof.extensions.cluster.union import UnionManifest, UnionStore
from asof.store.schema import CorpusSettings, get_meta, set_meta, transaction
from asof.store.writing import SHARD

LIST = "shards.json"
MOST = 1_024


def shard_of(document: str, shards: int) -> int:
    """The shard of a document, by its id: 8 bytes of BLAKE2b, modulo the number of shards."""
    return int.from_bytes(blake2b(document.encode(), digest_size=8).digest(), "big") % shards


@dataclass(slots=True)
class ShardedCorpus:
    """An open corpus of several shards. Use it as a context manager, or `close` it."""

    root: Path
    shards: tuple[Corpus, ...]
    whole: Corpus
    leaves: ExitStack = field(default_factory=ExitStack)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        self.leaves.close()

    def add(self, items: Iterable[Any]) -> list[Any]:
        from asof.sources.records import items as read_items

        of: list[list[Any]] = [[] for _ in self.shards]
        for item in read_items(items, self.whole.config.fields):
            of[shard_of(name_of(item), len(of))].append(item)
        with ThreadPoolExecutor(len(self.shards)) as pool:
            return list(pool.map(lambda each: each[0].add(each[1]), zip(self.shards, of, strict=True)))

    def at(self, as_of: Any = None, known_at: Any = None) -> Snapshot:
        return self.whole.at(as_of, known_at)


def name_of(item: Any) -> str:
    return getattr(item, "id", None) or getattr(item, "document")


def create(root: Path, shards: int, settings: CorpusSettings | None = None, **options: Any) -> ShardedCorpus:
    root.mkdir(parents=True, exist_ok=True)
    (root / LIST).write_text(json.dumps({"shards": shards}))
    for place in range(shards):
        folder = root / f"shard-{place}"
        folder.mkdir(exist_ok=True)
        with asof.open(folder, settings=settings, **options) as corpus:
            with corpus.session.writing() as db, transaction(db):
                set_meta(db, SHARD, f"{place}/{shards}")
            corpus.leaves.pop_all()
    return open_shards(root, **options)


def open_shards(root: Path, **options: Any) -> ShardedCorpus:
    if not (root / LIST).is_file():
        raise NoCorpus(f"{root} is no folder of shards: it has no {LIST}")
    count = json.loads((root / LIST).read_text())["shards"]
    with ExitStack() as leaves:
        shards = tuple(
            leaves.enter_context(asof.open(root / f"shard-{place}", create=False, **options)) for place in range(count)
        )
        store = UnionStore(root, tuple(each.store for each in shards))
        manifest = UnionManifest(store, tuple(each.manifest for each in shards))
        session = Session(root, store, manifest, shards[0].config, shards[0].session.clock, environment.variables())
        whole = Corpus(session, ModelProvider(session), Maintenance(session, background=False))
        return ShardedCorpus(root, shards, whole, leaves.pop_all())
