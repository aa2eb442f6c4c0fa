"""A folder of shards: documents go to them by the digest of their ids, each shard is an ordinary corpus."""

from __future__ import annotations

import fcntl
import os
import sqlite3
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import Annotated, Any, Self, cast

import msgspec
from msgspec import Meta, Struct

import asof
from asof import environment
from asof.corpus.corpus import Corpus, warn
from asof.corpus.session import ModelProvider, Session
from asof.documents import Document, Ended, Moved
from asof.errors import CorpusError, NoCorpus, UsageError
from asof.extensions.cluster.gather import ShardGather, Threads
from asof.extensions.cluster.union import UnionMaintenance, UnionManifest, UnionStore
from asof.files import FOLDER, SHARDS, file_at, file_of, open_file, read_file, write_file
from asof.index.manifest import Manifest
from asof.sources.records import Item, Record
from asof.sources.records import items as read_items
from asof.store.run import IndexReport
from asof.store.schema import REPLACED, CorpusSettings, set_meta, transaction
from asof.store.store import Store
from asof.store.writing import SHARD

MOST = 1_024

IN_USE = "in-use.lock"
"""The lock in the folder of a state of a copy: shared by those who have it open."""


class ShardList(Struct, frozen=True, omit_defaults=True):
    """The file shards.json: how many shards a corpus has, which lie beside it.

    In a copy of the corpus at a `url` they lie in the folder `state`, one of those that it had.
    """

    shards: Annotated[int, Meta(ge=1, le=MOST)]
    state: Annotated[str, Meta(pattern=r"\A(?:[0-9a-f]{32})?\Z")] = ""
    url: Annotated[str, Meta(max_length=1_000)] = ""

    @classmethod
    def read(cls, root: Path) -> ShardList:
        """That of a folder. Raises NoCorpus without one, CorpusError."""
        try:
            return msgspec.json.decode(read_file(root / SHARDS, 10_000), type=cls)
        except FileNotFoundError:
            raise NoCorpus(f"{root} is no folder of shards: it has no {SHARDS}") from None
        except (msgspec.MsgspecError, RecursionError, OSError) as error:
            raise CorpusError(
                f"{root / SHARDS} cannot be used ({error}): make a copy of the corpus in a new folder"
            ) from error

    def write(self, root: Path) -> None:
        """Replace that of a folder, atomically."""
        write_file(root / SHARDS, msgspec.json.encode(self))

    def folders(self, root: Path) -> list[Path]:
        """The folders of the shards."""
        return [root / self.state / f"shard-{place}" for place in range(self.shards)]


def shard_of(document: str, shards: int) -> int:
    """The shard of a document, by its id: 8 bytes of BLAKE2b, modulo the number of shards."""
    return int.from_bytes(blake2b(document.encode(), digest_size=8).digest(), "big") % shards


@dataclass(slots=True)
class ShardedCorpus:
    """An open corpus of several shards. Use it as a context manager, or `close` it. `whole`: all of them as
    one corpus, to which no documents are added."""

    root: Path
    shards: tuple[Corpus, ...]
    whole: Corpus
    leaves: ExitStack = field(default_factory=ExitStack)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Close all shards."""
        self.leaves.close()

    def add(self, items: Iterable[Item | Record]) -> list[IndexReport]:
        """Index documents, each in its shard, side by side; the reports of the shards. Raises UsageError for
        one that got another id: it would have to move with its past; and what `Corpus.add` raises."""
        of: list[list[Any]] = [[] for _ in self.shards]
        for item in read_items(items, self.whole.config.fields):
            of[shard_of(name_of(item), len(of))].append(item)
        with ThreadPoolExecutor(len(self.shards)) as pool:
            return list(pool.map(lambda each: each[0].add(each[1]), zip(self.shards, of, strict=True)))


def name_of(item: Any) -> str:
    """The id of the document that an item states or ends."""
    if isinstance(item, Moved):
        raise UsageError(f"{item.before!r} is {item.document.id!r} now: shards move no document; index anew")
    if isinstance(item, Document | Ended):
        return item.id
    raise UsageError(f"{type(item).__name__} is no document: shards take documents alone")


def create(root: Path, shards: int, settings: CorpusSettings | None = None, **options: Any) -> ShardedCorpus:
    """Make a folder of so many empty shards, and open it; `options` are those of `asof.open`."""
    root.mkdir(parents=True, exist_ok=True)
    options = _configured(root, options)
    ShardList(shards).write(root)
    for place in range(shards):
        folder = root / f"shard-{place}"
        folder.mkdir(exist_ok=True)
        with asof.open(folder, settings=settings, **options) as corpus:
            with corpus.session.writing() as db, transaction(db):
                set_meta(db, SHARD, f"{place}/{shards}")
            corpus.leaves.pop_all()  # which would remove it, as nothing was written to it
    return open_shards(root, **options)


def open_shards(root: Path, **options: Any) -> ShardedCorpus:
    """Open a folder of shards; `options` are those of `asof.open`. Of a copy of a corpus at a URL it is the
    state that it has now, which stays while it is open. Raises NoCorpus, and what `asof.open` raises."""
    options = _configured(root, options)
    with ExitStack() as leaves:
        listed = _held(root, leaves)
        place = root / listed.state
        shards = tuple(
            leaves.enter_context(asof.open(folder, create=False, **options))
            for folder in listed.folders(root)
        )
        store = UnionStore(place, tuple(each.store for each in shards), listed.url)
        pool = leaves.enter_context(ThreadPoolExecutor(min(len(shards), os.cpu_count() or 1)))
        manifest = UnionManifest(store, tuple(each.manifest for each in shards), ShardGather(Threads(pool)))
        clock, variables = shards[0].session.clock, environment.variables()
        session = Session(root, cast(Any, store), cast(Any, manifest), shards[0].config, clock, variables)
        session.shards = tuple(each.session for each in shards)
        models = ModelProvider(session, shards[0].models.model)
        whole = Corpus(session, models, UnionMaintenance(session, False, shards))
        return ShardedCorpus(root, shards, whole, leaves.pop_all())


def _configured(root: Path, options: dict[str, Any]) -> dict[str, Any]:
    """Options of `asof.open` with the configuration of the folder, which all shards have."""
    if options.get("config") is not None:
        return options
    note, trust = options.get("on_note") or warn, options.get("trust", False)
    return {**options, "config": environment.configuration(root, note, trust=trust)}


def open_folder(root: Path, **options: Any) -> Corpus:
    """The corpus of a folder of shards, to which no documents are added; see `open_shards`."""
    opened = open_shards(root, **options)
    opened.whole.leaves.callback(opened.close)
    return opened.whole


def _held(root: Path, leaves: ExitStack) -> ShardList:
    """The list of shards of a folder; the state that it names stays until `leaves` are closed."""
    for left in reversed(range(REPLACED)):
        listed = ShardList.read(root)
        if not listed.state:
            break
        with ExitStack() as held, suppress(FileNotFoundError):
            path = root / listed.state / IN_USE
            lock = open_file(path)
            held.callback(os.close, lock)
            fcntl.flock(lock, fcntl.LOCK_SH)
            if file_at(path) == file_of(lock):
                leaves.push(held.pop_all())
                return listed
        if not left:  # else a pull brought two further states meanwhile
            raise NoCorpus(f"{root} lacks the state that its {SHARDS} names: run `asof pull` again")
    return listed


# -- dividing: whole documents move, with all that is stored of them ------------------------------------

NUMBERED = {"documents": "name", "heads": "document", "versions": "document", "passages": "document"}
"""The tables whose rows get new ids, and the column that tells whose they are."""

MOVED = {
    "documents": {"id": "documents", "current": "versions"},
    "heads": {"id": "heads", "document": "documents"},
    "versions": {"id": "versions", "document": "documents", "head": "heads"},
    "passages": {"id": "passages", "document": "documents", "version": "versions", "head": "heads"},
    "tags": {"head": "heads"}, "links": {"version": "versions"}, "aliases": {"version": "versions"},
    "ends": {"passage": "passages"}, "vectors": {"passage": "passages"},
    "extractions": {"passage": "passages"}, "facts": {"passage": "passages"},
    "checkpoints": {"document": "documents"},
}  # fmt: skip
"""The tables of which rows move with their document, and the columns that refer to ids, their own first."""

WHOLE = ("transactions", "sources")
"""The tables that each shard has whole: what was written when, and by what."""


def divide(sources: Sequence[Path], root: Path, shards: int) -> None:
    """Write the documents of a corpus, or of all shards of one, to new shards in a folder that has none: each
    with all its versions, and when they were known. Nobody writes to the corpus meanwhile. What is visible
    stays the same, bit for bit; not taken over are problems of the last runs, replies of models, recorded
    questions, and what recipes learned from them.

    Raises UsageError for a folder that holds shards, NoCorpus, Busy, NoSpace.
    """
    if (root / SHARDS).exists() or any(root.glob("shard-*")):
        raise UsageError(f"{root} holds shards already: name a new folder")
    with ExitStack() as stack:
        corpora = [stack.enter_context(asof.open(source, create=False)) for source in sources]
        for corpus in corpora:
            stack.enter_context(corpus.store.locked())
        for place in range(shards):
            _write_shard(corpora, root / f"shard-{place}", place, shards)
    ShardList(shards).write(root)


def _write_shard(corpora: Sequence[Corpus], folder: Path, place: int, shards: int) -> None:
    names = [f"s{number}" for number in range(len(corpora))]
    with ExitStack() as stack:
        store = Store.create(folder / FOLDER, corpora[0].store.settings)
        stack.callback(store.first.close)
        db = stack.enter_context(closing(store.writer()))
        db.create_function("shard_of", 1, lambda name: shard_of(name, shards), deterministic=True)
        for name, corpus in zip(names, corpora, strict=True):
            db.execute(f"ATTACH ? AS {name}", (f"{corpus.store.database.absolute().as_uri()}?mode=ro",))
        with transaction(db):
            for table, whose in NUMBERED.items():
                mine = (
                    f"shard_of(name) = {place}"
                    if whose == "name"
                    else "document IN (SELECT old FROM new_documents)"
                )
                rows = " UNION ALL ".join(f"SELECT id, {whose} FROM {name}.{table}" for name in names)
                db.execute(f"CREATE TEMP TABLE new_{table} (old INTEGER PRIMARY KEY, new INTEGER NOT NULL)")
                db.execute(
                    f"INSERT INTO new_{table}"
                    f" SELECT id, (row_number() OVER (ORDER BY id) - 1) * {shards} + {place or shards}"
                    f" FROM ({rows}) WHERE {mine}"
                )
            for table in (*WHOLE, *MOVED):
                _copy(db, table, names)
            db.execute("INSERT OR IGNORE INTO meta SELECT key, value FROM s0.meta")
            set_meta(db, SHARD, f"{place}/{shards}")
        Manifest(store, corpora[0].manifest.encoder, lambda _: None).mend()


def _copy(db: sqlite3.Connection, table: str, names: Sequence[str]) -> None:
    refers, columns, wanted = MOVED.get(table, {}), [], []
    many = table in WHOLE or table == "checkpoints"  # rows that several shards have
    for _, column, *_ in db.execute(f"PRAGMA table_info({table})"):
        if table == "ends" and column == "id":
            continue
        wanted.append(column)
        of = refers.get(column)
        columns.append(f"(SELECT new FROM new_{of} WHERE old = t.{column})" if of else f"t.{column}")
        if table == "checkpoints" and of:
            columns[-1] = f"coalesce({columns[-1]}, 0)"
    key = next(iter(refers.items()), None)
    where = f" WHERE t.{key[0]} IN (SELECT old FROM new_{key[1]})" if key else ""
    if table == "checkpoints":
        where += " OR t.document = 0"
    order = " ORDER BY t.id" if table == "ends" else ""
    for name in names:
        db.execute(
            f"INSERT {'OR IGNORE ' * many}INTO main.{table} ({', '.join(wanted)})"
            f" SELECT {', '.join(columns)} FROM {name}.{table} AS t{where}{order}"
        )
