"""A corpus at a URL: publishing it, bringing it to a folder of this machine, removing what nobody needs.

A folder that a corpus was brought to:

    shards.json                  which state is current: replaced at last, by a rename
    <state>/shard-0/.asof/...    a state, whole; named by the digest of its manifests
    arriving/                    the next state, as far as it is here: the next run goes on with it
    pull.lock

States share their segment files (hard links). The one before the current one stays for those who are about to
open it, unless something was erased since; others stay while somebody has them open.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sqlite3
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager, suppress
from functools import partial
from hashlib import file_digest, sha256
from io import BufferedReader
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import msgspec
from msgspec import Struct

from asof import environment
from asof.corpus.corpus import Corpus
from asof.engine import DERIVED
from asof.errors import (
    AsofError,
    CorpusError,
    NoSpace,
    PublishConflict,
    StorageError,
    UsageError,
)
from asof.extensions.cluster.shards import IN_USE, ShardList, renew
from asof.extensions.cluster.storage import (
    CHUNK,
    FORMAT,
    NAMED,
    ListedObject,
    MissingObject,
    SegmentObject,
    ShardManifest,
    Storage,
    manifest_name,
)
from asof.files import FOLDER, SHARDS, create_file, make_folder, open_file, rename, try_lock
from asof.index.manifest import Manifest
from asof.store.schema import SCHEMA_VERSION, exclusive_lock, get_meta
from asof.store.store import FULL, Store, schema_fault, translate_errors
from asof.store.writing import SHARD
from asof.wire import replace

AT_ONCE = 8
"""Requests under way at the same time."""

TRIES = 5
"""So often is begun anew when a merge, or a vacuum, removed what was about to be read."""

FRESH = 3_600.0
"""Seconds for which an object that no manifest names is taken as one of a push that was interrupted; an older
one, which a vacuum may be about to remove, is put again."""

PAUSE = 0.2
"""Seconds until a pull begins anew."""

LONGEST_PULL = 600.0
"""Seconds for which a pull waits for another one into the same folder."""

PULL_LOCK, ARRIVING, REMOVING, MANIFEST = "pull.lock", "arriving", "removing", "manifest.json"
STATE = re.compile(r"[0-9a-f]{32}")
OURS = re.compile(r"[0-9a-f]{32}|arriving|removing|pull\.lock|shards\.(json|tmp)")
"""Names in a folder that a corpus was brought to; those of states."""


class PushReport(Struct):
    """What a push did: the number of the state of each shard, how many objects and bytes were sent."""

    numbers: list[int]
    objects: int = 0
    bytes: int = 0


class PullReport(Struct):
    """What a pull did: the number of the state of each shard, how many bytes were received, and whether the
    copy has changed."""

    numbers: list[int]
    bytes: int = 0
    changed: bool = False


# -- push ----------------------------------------------------------------------------------------------


def push(folder: Path, storage: Storage) -> PushReport:
    """Publish the state that a corpus, or a folder of shards, has now; others may write to it meanwhile. Only
    what the storage lacks is sent. Interrupted, it leaves the published state as it was, and the next one
    goes on.

    Raises PublishConflict where another writer published what this folder does not have, UsageError for a
    corpus with another number of shards and for a copy, StorageError, NoCorpus, NoSpace.
    """
    listed = ShardList.read(folder) if (folder / SHARDS).is_file() else None
    if listed is not None and listed.url:
        raise UsageError(
            f"{folder} is a copy of {listed.url}, which is only read: push the folder that is written"
        )
    roots = [folder] if listed is None else listed.folders(folder)
    report = PushReport([0] * len(roots))
    for shard in reversed(range(len(roots))):  # readers begin with the first, which comes last
        _push_shard(storage, shard, roots[shard], report)
    return report


def publish_shard(storage: Storage, shard: int, shards: int, folder: Path) -> None:
    """Publish a shard from the folder where it is written (`bring_shard`). Raises as `push`."""
    state = _push_shard(storage, shard, folder, PushReport([0] * shards))
    (folder / MANIFEST).write_bytes(msgspec.json.encode(state))


class _Snapshot(NamedTuple):
    """A state of a shard: its settings, its last transaction, whether it has the one asked for, its place
    among the shards; a copy of its database and its segments, as open files."""

    settings: str
    head: int
    has: bool
    place: str
    database: BufferedReader
    segments: dict[str, BufferedReader]


def _push_shard(storage: Storage, shard: int, root: Path, report: PushReport) -> ShardManifest:
    before, shards = storage.newest(shard), len(report.numbers)
    with _snapshot(root, before.head if before else 0) as taken:
        if shards > 1 and taken.place != f"{shard}/{shards}":
            raise CorpusError(f"{root} is shard {taken.place or 'of no corpus'}, not {shard}/{shards}")
        if before is not None:
            _refuse_other(storage, before, taken, root, shards)
        state = _manifest_of(taken, shard, shards, before)
        known = before.objects if before is not None else {}
        _send(storage, state, known, taken, report)
        if before is None or replace(state, number=before.number).sealed() != before:
            storage.publish(state)
            report.objects += 1
            _send(storage, state, state.objects, taken, report)  # what a vacuum took for abandoned meanwhile
            before = state
        report.numbers[shard] = before.number
        return before


def _refuse_other(storage: Storage, before: ShardManifest, taken: _Snapshot, root: Path, shards: int) -> None:
    if before.shards != shards:
        raise UsageError(
            f"{storage.url} holds a corpus in {before.shards} shard(s), {root} is of one in {shards}: "
            "push it to another URL"
        )
    if not taken.has:
        raise PublishConflict(
            f"{storage.url}/{manifest_name(before.shard, before.number)} was published by another writer, "
            f"and {root} does not have its last write; nothing was overwritten: go on with the folder of "
            "that writer, or push this one to another URL"
        )


def _manifest_of(taken: _Snapshot, shard: int, shards: int, before: ShardManifest | None) -> ShardManifest:
    number = taken.database.fileno()
    size = os.fstat(number).st_size
    chunks = (sha256(os.pread(number, CHUNK, start)).hexdigest() for start in range(0, size, CHUNK))
    segments = (
        SegmentObject(name, os.fstat(file.fileno()).st_size, file_digest(file, "sha256").hexdigest())
        for name, file in taken.segments.items()
    )
    manifest = ShardManifest(
        FORMAT, SCHEMA_VERSION, shard, shards, before.number + 1 if before else 1, taken.head, taken.settings,
        size, CHUNK, tuple(chunks), tuple(segments),
    )  # fmt: skip
    return manifest.sealed()


def _send(
    storage: Storage, state: ShardManifest, known: Mapping[str, int], taken: _Snapshot, report: PushReport
) -> None:
    """Put the objects of a state that are missing. `known`: those that a published manifest names, which no
    vacuum removes."""
    place, now = f"shard-{state.shard}", environment.now() / 1e6
    stored = _objects(storage, state.shard)

    def is_there(name: str, size: int) -> bool:
        found = stored.get(name)
        return found is not None and found.size == size and (name in known or now - found.put < FRESH)

    missing = [name for name, size in state.objects.items() if not is_there(name, size)]
    starts = {f"chunks/{digest}": start for digest, start, _ in state.pieces}

    def put(name: str) -> int:
        if name in starts:
            content = os.pread(taken.database.fileno(), CHUNK, starts[name])
            storage.put(f"{place}/{name}", content)
        else:
            file = taken.segments[name.removeprefix("segments/")]
            file.seek(0)
            storage.put(f"{place}/{name}", file)
        return state.objects[name]

    for size in _all_at_once([partial(put, name) for name in missing]):
        report.objects += 1
        report.bytes += size


def _objects(storage: Storage, shard: int) -> dict[str, ListedObject]:
    """The segments and pieces of databases of a shard that are stored, by their names in its folder."""
    return {
        f"{kind}/{name}": each
        for kind in ("chunks", "segments")
        for name, each in storage.listed(f"shard-{shard}/{kind}").items()
        if NAMED.fullmatch(f"{kind}/{name}")
    }


def _all_at_once(tasks: list[Callable[[], int]]) -> Iterator[int]:
    """The results of tasks, several of which run at the same time; after an error no other one begins."""
    with ThreadPoolExecutor(AT_ONCE) as pool:
        yield from pool.map(lambda task: task(), tasks)


@contextmanager
def _snapshot(root: Path, head: int) -> Iterator[_Snapshot]:
    """A state of a corpus; `head`: the transaction asked for. Raises NoCorpus, NoSpace, CorpusError."""
    with ExitStack() as stack:
        store = Store.open(root / FOLDER)
        stack.callback(store.first.close)
        with translate_errors(store.database):
            for left in reversed(range(TRIES)):
                try:
                    taken = _taken(store, head, stack)
                    break
                except FileNotFoundError as error:  # merged away since the list was read
                    if not left:
                        raise CorpusError(f"{error}: `asof status --check` makes it anew") from error
        yield taken


def _taken(store: Store, since: int, stack: ExitStack) -> _Snapshot:
    db = store.first
    db.execute("BEGIN")
    try:
        with ExitStack() as files:
            folder = store.folder / "segments"
            segments = {
                entry.file: files.enter_context(os.fdopen(open_file(folder / entry.file), "rb"))
                for entry in Manifest(store).entries(db)
            }
            head = db.execute("SELECT max(id) FROM transactions").fetchone()[0] or 0
            has = not since or db.execute("SELECT 1 FROM transactions WHERE id = ?", (since,)).fetchone()
            settings, place = (get_meta(db, key) or "" for key in ("settings", SHARD))
            copy = files.enter_context(_copied(db))
            stack.push(files.pop_all())
            return _Snapshot(settings, head, bool(has), place, copy, segments)
    finally:
        db.execute("ROLLBACK")  # a purge waits for those who read


@contextmanager
def _copied(db: sqlite3.Connection) -> Iterator[BufferedReader]:
    """A copy of the database that the transaction of `db` sees, in a file that has no name any more: what is
    erased later is in no copy that a killed process left behind."""
    number, name = tempfile.mkstemp(prefix="asof-push-")
    with os.fdopen(number, "rb") as file:
        try:
            copy = sqlite3.connect(name)
        finally:
            Path(name).unlink()
        with closing(copy):
            copy.execute("PRAGMA journal_mode = OFF")
            copy.execute("PRAGMA synchronous = OFF")
            db.backup(copy)
        yield file


# -- pull ----------------------------------------------------------------------------------------------


def local_copy(url: str, opened: Corpus | None = None, only: int | None = None) -> Path:
    """A folder of the user's caches with the newest state of the corpus at a URL, or of `only` one of its
    shards. `opened`, the corpus of this folder, gets all newer ones, too, while this process lives."""
    storage = Storage(url)
    name = sha256(storage.url.encode()).hexdigest()[:32] + ("" if only is None else f"-{only}")
    folder = environment.cache_folder() / "corpora" / name
    pull(storage, folder, only)
    if opened is not None:

        def look() -> None:
            pull(storage, folder)
            renew(opened)

        repeat(look)
    return folder


EVERY = 60.0
"""Seconds from one look for a newer state to the next; all machines look at the same time."""


def repeat(look: Callable[[], None]) -> None:
    """Look for a newer state in a thread, while this process lives. What goes wrong is a line of the log:
    what is open goes on."""

    def run() -> None:
        while True:
            time.sleep(EVERY - environment.now() / 1e6 % EVERY)
            try:
                look()
            except (AsofError, OSError) as error:
                sys.stderr.write(f"{json.dumps({'look': type(error).__name__, 'message': str(error)})}\n")

    threading.Thread(target=run, name="asof-look", daemon=True).start()


def pull(storage: Storage, root: Path, only: int | None = None) -> PullReport:
    """Bring a folder to the newest state of the corpus at a URL, or of `only` one of its shards. What is
    there already is not sent again, every checksum is checked, and the state is seen when it is whole. Who
    has another one open keeps it.

    Raises UsageError for a folder that holds something else, NoCorpus, OtherSchema, StorageError, NoSpace,
    Busy.
    """
    if not root.exists():
        storage.state(only)  # where there is none, no folder is made
        root.mkdir(parents=True, exist_ok=True, mode=0o700)
    url = ShardList.read(root).url if (root / SHARDS).exists() else storage.url
    if url != storage.url or not all(OURS.fullmatch(each.name) for each in root.iterdir()):
        raise UsageError(f"{root} holds something else than a copy of {storage.url}: name a new folder")
    with exclusive_lock(root / PULL_LOCK, LONGEST_PULL):
        for left in reversed(range(TRIES)):
            state = storage.state(only)
            try:
                return _pulled(storage, root, state)
            except MissingObject:  # a vacuum removed it: there is a newer state, or a push puts it again
                if not left and storage.state(only) == state:
                    raise
                time.sleep(PAUSE)
            except OSError as error:
                if error.errno not in FULL:
                    raise
                raise NoSpace(f"{root}: {error.strerror}: free some disk space, and run it again") from error
        raise StorageError(f"{storage.url} changes faster than it can be read: run the same command again")


def bring_shard(storage: Storage, shard: int, folder: Path) -> None:
    """Bring the published state of a shard to a folder where it is written. If the folder came from it, it
    stays with what was written since; else that is lost, as another writer was first. Raises as `pull`."""
    published, old = storage.newest(shard), _OldShard.of(folder)
    if published is None:
        raise StorageError(f"{storage.url} lacks shard {shard}: push the corpus again from its folder")
    if old is not None and old.manifest == published:
        return
    arriving = folder.with_name(f"{ARRIVING}-{shard}")
    _bring(storage, published, arriving, old, PullReport([]))
    (folder / MANIFEST).unlink(missing_ok=True)  # half of it is never taken for a whole one
    shutil.rmtree(folder, ignore_errors=True)
    arriving.rename(folder)


def _pulled(storage: Storage, root: Path, state: list[ShardManifest]) -> PullReport:
    name = sha256("".join(each.sha256 for each in state).encode()).hexdigest()[:32]
    listed = ShardList.read(root) if (root / SHARDS).exists() else None
    report, keep = PullReport([each.number for each in state]), {name}
    if listed is not None and listed.state == name:
        return report
    olds, place = _old_shards(root, listed, state), root / name
    if not place.is_dir():
        arriving = root / ARRIVING
        arriving.mkdir(exist_ok=True)
        for each in arriving.iterdir():  # of an interrupted pull
            if each.is_dir() and each.name not in {f"shard-{manifest.shard}" for manifest in state}:
                shutil.rmtree(each)
        _check_space(root, state, olds)
        for manifest, old in zip(state, olds, strict=True):
            _bring(storage, manifest, arriving / f"shard-{manifest.shard}", old, report)
        if olds[0] is not None and not _erased(arriving, olds):  # recipes check it, and go on with it
            with suppress(OSError):  # somebody may be writing to it
                shutil.copytree(olds[0].folder.parent / DERIVED, arriving / DERIVED)
        os.close(create_file(arriving / IN_USE))
        arriving.rename(place)
    if listed is not None and not _erased(place, olds):
        keep.add(listed.state)
    ShardList(state[0].shards, name, storage.url).write(root)
    report.changed = True
    _remove_states(root, keep)
    return report


class _OldShard(NamedTuple):
    """A shard of the state that is current: its folder, and its manifest."""

    folder: Path
    manifest: ShardManifest

    def has(self, segment: SegmentObject) -> bool:
        return segment in self.manifest.segments

    @classmethod
    def of(cls, folder: Path) -> _OldShard | None:
        """That in a folder; None where there is none, or a loss of power left none."""
        try:
            return cls(folder, msgspec.json.decode((folder / MANIFEST).read_bytes(), type=ShardManifest))
        except (OSError, msgspec.MsgspecError):
            return None


def _old_shards(
    root: Path, listed: ShardList | None, state: Sequence[ShardManifest]
) -> Sequence[_OldShard | None]:  # fmt: skip
    if listed is None or listed.shards != state[0].shards:
        return [None] * len(state)
    return [_OldShard.of(listed.folders(root)[each.shard]) for each in state]


def _erased(place: Path, olds: Sequence[_OldShard | None]) -> bool:
    """True if something was erased between the state before and that in a folder, or that is not known: what
    recipes derived then may hold texts of it."""
    for old in olds:
        if old is None:
            return True
        database = place / old.folder.name / FOLDER / "corpus.db"
        with closing(sqlite3.connect(f"{database.absolute().as_uri()}?mode=ro&immutable=1", uri=True)) as db:
            fault = schema_fault(db)  # with one it is refused when it is opened
            query = "SELECT what FROM transactions WHERE id >= ? ORDER BY id"
            since = [] if fault else [what for (what,) in db.execute(query, (old.manifest.head,))]
        if fault or (old.manifest.head and not since) or not {*since[1:]} <= {"index", "correct"}:
            return True
    return False


def _check_space(root: Path, state: list[ShardManifest], olds: Sequence[_OldShard | None]) -> None:
    needed = sum(each.bytes for each in state)
    for manifest, old in zip(state, olds, strict=True):
        needed += sum(each.bytes for each in manifest.segments if old is None or not old.has(each))
    here = sum(each.stat().st_blocks * 512 for each in (root / ARRIVING).rglob("*") if each.is_file())
    free = shutil.disk_usage(root).free
    if needed - here > free:
        raise NoSpace(
            f"{root}: the state needs {needed - here:,} bytes and {free:,} are free: free some disk space"
        )


def _bring(
    storage: Storage, state: ShardManifest, place: Path, old: _OldShard | None, report: PullReport
) -> None:
    """Make the folder of a shard, of what the state before and an interrupted pull have, and of requests."""
    segments = place / FOLDER / "segments"
    make_folder(segments)
    wanted = {segment.file for segment in state.segments}
    for each in segments.iterdir():
        if each.name not in wanted:
            each.unlink()
    for segment in state.segments:
        path = segments / segment.file
        if path.exists() and _digest(path) == segment.sha256:
            continue
        path.unlink(missing_ok=True)
        if old is not None and old.has(segment):
            with suppress(OSError):  # a file system without links; or it was damaged, and made anew
                path.hardlink_to(old.folder / FOLDER / "segments" / segment.file)
                continue
        _receive_segment(storage, state.shard, segment, path, report)
    _receive_database(storage, state, place / FOLDER, old, report)
    (place / MANIFEST).write_bytes(msgspec.json.encode(state))


def _digest(path: Path) -> str:
    with os.fdopen(open_file(path), "rb") as file:
        return file_digest(file, "sha256").hexdigest()


def _write(number: int, content: bytes, start: int) -> None:
    while done := os.pwrite(number, content, start):  # on a full disk the rest of it raises
        content, start = content[done:], start + done


def _receive_segment(
    storage: Storage, shard: int, segment: SegmentObject, path: Path, report: PullReport
) -> None:
    name, part = f"shard-{shard}/{segment.name}", path.with_suffix(".part")
    with os.fdopen(create_file(part), "rb+") as file:

        def receive(start: int) -> int:
            content = storage.read(name, start, min(CHUNK, segment.bytes - start))
            _write(file.fileno(), content, start)
            return len(content)

        for size in _all_at_once([partial(receive, start) for start in range(0, segment.bytes, CHUNK)]):
            report.bytes += size
        os.fsync(file.fileno())
    if _digest(part) != segment.sha256:
        raise _altered(storage, name)
    rename(part, path)


def _receive_database(
    storage: Storage, state: ShardManifest, folder: Path, old: _OldShard | None, report: PullReport
) -> None:  # fmt: skip
    with ExitStack() as files:
        path = folder / "corpus.db"
        number = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        files.callback(os.close, number)
        before = None
        if old is not None:
            before = open_file(old.folder / FOLDER / "corpus.db")
            files.callback(os.close, before)

        def receive(digest: str, start: int, size: int) -> int:
            """Returns the bytes received: none where this piece is here, or in the state before."""
            if sha256(os.pread(number, size, start)).hexdigest() == digest:
                return 0
            content = os.pread(before, size, start) if before is not None else b""
            received = sha256(content).hexdigest() != digest
            if received:
                name = f"shard-{state.shard}/chunks/{digest}"
                content = storage.read(name, 0, size)
                if sha256(content).hexdigest() != digest:
                    raise _altered(storage, name)
            _write(number, content, start)
            return size if received else 0

        for size in _all_at_once([partial(receive, *piece) for piece in state.pieces]):
            report.bytes += size
        os.ftruncate(number, state.bytes)
        os.fsync(number)


def _altered(storage: Storage, name: str) -> StorageError:
    return StorageError(
        f"{storage.url}/{name} does not have its checksum: remove this object, then push the corpus again "
        "from its folder, which sends what is missing"
    )


def _remove_states(root: Path, keep: set[str]) -> None:
    """Remove the states that nobody has open, but for some. One is renamed first: half of it is never taken
    for a whole one."""
    removing = root / REMOVING
    shutil.rmtree(removing, ignore_errors=True)
    for state in root.iterdir():
        if STATE.fullmatch(state.name) and state.name not in keep:
            with try_lock(state / IN_USE) as lock:
                if lock is not None:
                    state.rename(removing)
                    shutil.rmtree(removing)


# -- vacuum --------------------------------------------------------------------------------------------


def vacuum(storage: Storage, grace: float) -> int:
    """Remove the states that were superseded more than `grace` seconds ago, and the objects that no other
    state names and that are as old; returns the number of objects removed.

    A push or a pull may take so long; a longer one sends again, or begins anew with the newest state. With 0
    only what the newest state consists of is left. Raises NoCorpus, StorageError, UsageError.
    """
    if not 0 <= grace < float("inf"):
        raise UsageError(f"the time of grace is {grace}; accepted: seconds from 0 on")
    before, removed = environment.now() / 1e6 - grace, 0

    def is_old(put: float) -> bool:
        return grace == 0 or put < before

    for shard in range(len(storage.state())):
        stored = _objects(storage, shard)  # first, so that what is published meanwhile is not among them
        manifests = storage.manifests(shard)
        old = {number for number, then in pairwise(manifests) if is_old(manifests[then].put)}
        named: set[str] = set()
        for number in manifests.keys() - old:
            with suppress(MissingObject):  # another vacuum was first
                named |= storage.manifest(shard, number, manifests[number].size).objects.keys()
        names = [manifest_name(shard, number) for number in old]
        names += [
            f"shard-{shard}/{name}" for name, each in stored.items() if name not in named and is_old(each.put)
        ]
        storage.remove(names)
        removed += len(names)
    return removed
