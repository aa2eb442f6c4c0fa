"""A folder of shards: documents go to them by the digest of their ids, each shard is an ordinary corpus.

One that gets another id stays in the shard that has it, with its past (`ShardSource`).
"""

from __future__ import annotations

import fcntl
import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass, field
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import Annotated, Any, NamedTuple, Self, cast
from weakref import finalize

import msgspec
from msgspec import Meta, Struct

import asof
from asof import environment
from asof.corpus.corpus import Corpus, warn
from asof.corpus.session import ModelProvider, Session
from asof.documents import Checkpoint, Document, Ended, Moved, Problem, SafeToCommit, Unchanged, document_file
from asof.errors import CorpusError, NoCorpus, UsageError
from asof.extensions.cluster.gather import ShardGather, Shards, Threads
from asof.extensions.cluster.union import UnionMaintenance, UnionManifest, UnionStore
from asof.files import FOLDER, SHARDS, file_at, file_of, open_file, read_file, write_file
from asof.index.manifest import Manifest
from asof.sources.records import Item, as_python_source, items
from asof.sources.source import Fields, Resumable
from asof.store.run import IndexReport, judge_missing
from asof.store.schema import REPLACED, CorpusSettings, set_meta, transaction
from asof.store.store import SourceWay, Store, stored_ways
from asof.store.writing import SHARD, WHOLE, stored_checkpoints
from asof.wire import replace

Asking = Callable[[Sequence[Path], Threads], Shards]
"""Makes what asks shards in these folders for their candidates; threads can do it here."""

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

    def add(self, source: Any, *, allow_shrinking: bool = False, change_way: bool = False) -> IndexReport:
        """Index a `Source`, or documents, each in its shard, side by side; returns the report of all shards.
        Raises as `Corpus.add`."""
        surveys = [each.session.read(partial(ShardSurvey.of, source=source)) for each in self.shards]
        fields = self.whole.config.fields
        given = [*items(ShardSource(source, surveys, 0, fields).read.documents, fields)]

        def add(shard: int) -> IndexReport:
            part = ShardSource(source, surveys, shard, fields, given, sure=allow_shrinking)
            return self.shards[shard].add(part, allow_shrinking=True, change_way=change_way)

        with ThreadPoolExecutor(len(surveys)) as pool:
            return merged(list(pool.map(add, range(len(surveys)))))


# -- routing: which shard each statement of a source goes to --------------------------------------------


class ShardSurvey(NamedTuple):
    """What a shard has of a source before a run: its documents, and whether they are of the source and have
    not ended; the source's tokens by document; the ways in which sources were read, and this one is."""

    documents: dict[str, int]
    tokens: dict[str, bytes]
    ways: dict[str, SourceWay]
    way: SourceWay
    complete: bool

    @classmethod
    def of(cls, db: sqlite3.Connection, source: Any) -> Self:
        """That of a shard."""
        name, kind, complete, _, _, branch = as_python_source(source)
        documents = db.execute(
            "SELECT d.name, s.name = ? AND v.head IS NOT NULL FROM documents AS d"
            " JOIN versions AS v ON v.id = d.current JOIN sources AS s ON s.id = d.source", (name,),
        )  # fmt: skip
        way, tokens = SourceWay(name, kind, branch), stored_checkpoints(db, name)
        return cls(dict(documents), tokens, stored_ways(db), way, complete)


class ShardSource:
    """What of a source goes to one of the shards, as a source. The parts of all shards follow all statements,
    which make and move documents, and judge alike what it does not state; `sure`: all of that may end.
    `given`: what it states, if it was read already."""

    def __init__(
        self, source: Any, surveys: Sequence[ShardSurvey], shard: int, fields: Fields,
        given: Iterable[object] | None = None, *, sure: bool = False,
    ) -> None:  # fmt: skip
        tokens = {name: token for each in surveys for name, token in each.tokens.items()}
        if len({each.tokens.get(WHOLE) for each in surveys}) > 1:  # one for all documents that not all have
            tokens.pop(WHOLE, None)
        if isinstance(source, Resumable):
            source.resume(tokens)
        self.read, self.shard, self.shards, self.sure = as_python_source(source), shard, len(surveys), sure
        self.items = items(self.read.documents if given is None else given, fields)
        same = (each for each in surveys if not each.way.differs(each.ways.get(self.read.name, each.way)))
        self.places = {name: place for place, each in enumerate(surveys) for name in each.documents}
        self.listed = {name for each in same for name, its in each.documents.items() if its}
        self.stated, self.unreadable = set[str](), list[str]()  # "" for what is no document

    def __getattr__(self, name: str) -> Any:
        return getattr(self.read, name)

    def documents(self) -> Iterator[Item]:
        """The statements of the shard, and those for all."""
        for item in self.items:
            place = self._place(item)
            if place is None and isinstance(item, Unchanged) and self.shard:
                yield replace(item, count=0)  # the first shard counts them
            elif place in (None, self.shard):
                yield item
        if self.read.complete:
            yield from self._judged()

    def _place(self, item: Item) -> int | None:
        """The shard of a statement; None: all are told."""
        match item:
            case Problem(document=name, lost=lost):
                self.unreadable += [name] * (lost or bool(name))
                return None
            case Moved(document=Document(id=name) as said) | (Document(id=name) as said):
                if name not in self.places:
                    before = item.before if isinstance(item, Moved) else ""
                    self.places[name] = self.places.pop(before, shard_of(name, self.shards))
                    self.listed.discard(before)
                    self.listed.add(name)
                self.listed.difference_update(said.aliases)  # a history has them under this id now
            case Ended(id=name):
                self.listed.discard(name)
            case Checkpoint(document=name) | Unchanged(document=name) if name:
                pass
            case Unchanged():
                self.listed.clear()
                return None
            case _:
                return None
        self.stated.add(name)
        place = self.places.get(name)
        return shard_of(name, self.shards) if place is None else place

    def _judged(self) -> Iterator[Item]:
        missing, unread = sorted(self.listed - self.stated), {*self.unreadable}
        missing = [name for name in missing if unread.isdisjoint((name, document_file(name)))]
        unnamed, listed = self.unreadable.count(""), 0 if self.sure else len(self.listed)
        yield SafeToCommit()
        yield from judge_missing(len(missing), listed, self.read.name, unnamed)
        if unnamed:  # they stay, and the shard need not say so too
            yield from (Unchanged(name, 0) for name in missing if self.places[name] == self.shard)


def merged(reports: Sequence[IndexReport]) -> IndexReport:
    """The report of all shards, each of which was told of every problem: one is new if it is for any."""
    new = dict.fromkeys(problem for each in reports for problem in each.new_problems)
    again = dict.fromkeys(problem for each in reports for problem in each.problems if problem not in new)
    names = ("added", "changed", "corrected", "unchanged", "ended", "passages")
    counts = {name: sum(getattr(each, name) for each in reports) for name in names}
    counts["failed"] = max(each.failed for each in reports)
    return IndexReport(**counts, repeated=len(again), problems=[*new, *again])


def create(root: Path, shards: int, settings: CorpusSettings | None = None, **options: Any) -> ShardedCorpus:
    """Make a folder of so many empty shards, and open it; `options` are those of `asof.open`."""
    options = _configured(root, options)
    for place in range(shards):
        folder = root / f"shard-{place}"
        with asof.open(folder, settings=settings, **options) as corpus:
            with corpus.session.writing() as db, transaction(db):
                set_meta(db, SHARD, f"{place}/{shards}")
            corpus.leaves.pop_all()  # which would remove it, as nothing was written to it
    ShardList(shards).write(root)
    return open_shards(root, **options)


def open_shards(
    root: Path, *, only: int | None = None, asking: Asking | None = None, **options: Any
) -> ShardedCorpus:
    """Open a folder of shards, or `only` one of them; `options` are those of `asof.open`. Of a copy of a
    corpus at a URL it is the state that it has now, which stays while it is open. `asking`: who asks for the
    candidates of shards, in place of threads. Raises NoCorpus, and what `asof.open` raises."""
    options = _configured(root, options)
    with ExitStack() as leaves:
        listed = _held(root, leaves)
        place, folders = root / listed.state, listed.folders(root)
        if only is not None:
            folders = folders[only : only + 1]
        shards = tuple(leaves.enter_context(asof.open(each, create=False, **options)) for each in folders)
        again = partial(open_folder, root, only=only, asking=asking, **options)
        store = UnionStore(place, tuple(each.store for each in shards), again, listed.url)
        pool = leaves.enter_context(ThreadPoolExecutor(min(len(shards), os.cpu_count() or 1)))
        threads = Threads(pool)
        gather = ShardGather(threads if asking is None else asking(folders, threads))
        manifest = UnionManifest(store, tuple(each.manifest for each in shards), gather)
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
    """The corpus of a folder of shards, to which no documents are added; see `open_shards`. It is also closed
    when nothing uses it any more."""
    opened = open_shards(root, **options)
    opened.whole.leaves.callback(finalize(opened.whole.session, opened.leaves.close))
    return opened.whole


def newer(corpus: Corpus) -> Corpus | None:
    """The corpus of a folder (`open_folder`) in the state that the folder has now; None if it is open."""
    store: Any = corpus.store
    if store.folder == corpus.root / ShardList.read(corpus.root).state:
        return None
    opened: Corpus = store.again()
    return opened


def renew(corpus: Corpus) -> None:
    """Let the corpus of a folder have the state that the folder has now. Questions under way end with the
    state before, which is closed with the last of them."""
    if (opened := newer(corpus)) is not None:
        corpus.models, corpus.maintenance, corpus.leaves = opened.models, opened.maintenance, opened.leaves
        corpus.session = opened.session


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

COPIED = ("transactions", "sources")
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
    if len(sources) > 10:  # SQLite attaches no more
        raise UsageError(f"{len(sources)} shards are too many to be divided anew; accepted: up to 10")
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
                mine, one = "document IN (SELECT old FROM new_documents)", "id"
                if whose == "name":  # one that moved may have had rows in several shards
                    mine, one = f"shard_of(name) = {place}", "min(id) OVER (PARTITION BY name)"
                rows = " UNION ALL ".join(f"SELECT id, {whose} FROM {name}.{table}" for name in names)
                db.execute(f"CREATE TEMP TABLE new_{table} (old INTEGER PRIMARY KEY, new INTEGER NOT NULL)")
                db.execute(
                    f"INSERT INTO new_{table}"
                    f" SELECT id, (dense_rank() OVER (ORDER BY one) - 1) * {shards} + {place or shards}"
                    f" FROM (SELECT id, {one} AS one FROM ({rows}) WHERE {mine})"
                )
            for table in (*COPIED, *MOVED):
                _copy(db, table, names)
            db.execute("INSERT OR IGNORE INTO meta SELECT key, value FROM s0.meta")
            set_meta(db, SHARD, f"{place}/{shards}")
        Manifest(store, corpora[0].manifest.encoder, lambda _: None).mend()


def _copy(db: sqlite3.Connection, table: str, names: Sequence[str]) -> None:
    refers, columns, wanted = MOVED.get(table, {}), [], []
    for _, column, *_ in db.execute(f"PRAGMA table_info({table})"):
        if column == "id" and table in ("ends", "sources"):
            continue
        wanted.append(column)
        of = refers.get(column)
        columns.append(f"(SELECT new FROM new_{of} WHERE old = t.{column})" if of else f"t.{column}")
        if table == "checkpoints" and of:
            columns[-1] = f"coalesce({columns[-1]}, 0)"
    key = next(iter(refers.items()), None)
    where = f"t.{key[0]} IN (SELECT old FROM new_{key[1]})" if key else "TRUE"
    if table == "checkpoints" and len(names) == 1:  # of a whole source each of several shards has its own
        where += " OR t.document = 0"
    order = " ORDER BY t.id" if table in ("ends", "sources") else ""
    again = "" if table in MOVED else " ON CONFLICT DO NOTHING"
    if table == "documents":  # in one shard it is, in another one it was before it got another id
        both = "current = excluded.current, source = excluded.source"
        again = f" ON CONFLICT DO UPDATE SET {both} WHERE excluded.current IS NOT NULL"
    for name in names:
        known = f"main.sources AS n JOIN {name}.sources AS o USING (name)"
        same = f"SELECT n.id FROM {known} WHERE o.id = t.source"
        values = [f"({same})" if column == "t.source" else column for column in columns]
        db.execute(
            f"INSERT INTO main.{table} ({', '.join(wanted)}) SELECT {', '.join(values)}"
            f" FROM {name}.{table} AS t WHERE {where}{order}{again}"
        )
