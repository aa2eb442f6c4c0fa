"""Storages for tests: objects in a folder, that fail, count, tell another time, or take turns."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from asof.cluster.corpus import ShardedCorpus
from asof.cluster.opening import open_shards
from asof.data import Document
from asof.storage.history import History
from asof.storage.local import LocalObjects
from asof.storage.objects import LARGEST_SMALL, Listed, Objects
from asof.storage.storage import Storage
from asof.store.shard_layout import read_layout
from asof.store.store import Store

NOW = 1_700_000_000_000_000
"""2023-11-14: the time of the clocks here."""
SECOND = 1_000_000


class Killed(BaseException):
    """What ends a process in the middle of something; nothing catches it."""


def _nothing(_operation: str, _name: str) -> None:
    pass


@dataclass
class Watched:
    """Objects before each of whose operations `before(operation, name)` is called, and after them `after`."""

    behind: Objects
    before: Callable[[str, str], None] = _nothing
    after: Callable[[str, str], None] = _nothing
    counts: Counter[str] = field(default_factory=Counter)
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def url(self) -> str:
        return self.behind.url

    def _do(self, operation: str, name: str, *arguments: Any) -> Any:
        self.before(operation, name)
        with self.lock:
            self.counts[operation] += 1
        answer = getattr(self.behind, operation)(name, *arguments)
        self.after(operation, name)
        return answer

    def get(self, name: str, largest: int = LARGEST_SMALL) -> bytes | None:
        return self._do("get", name, largest)  # type: ignore[no-any-return]

    def read(self, name: str, first: int, last: int) -> bytes | None:
        return self._do("read", name, first, last)  # type: ignore[no-any-return]

    def create(self, name: str, content: bytes) -> bool:
        return bool(self._do("create", name, content))

    def put(self, name: str, content: bytes | IO[bytes]) -> None:
        self._do("put", name, content)

    def names(self, folder: str, after: str = "") -> Iterator[Listed]:
        self.before("names", folder)
        with self.lock:
            self.counts["names"] += 1
        yield from self.behind.names(folder, after)

    def delete(self, names: Iterable[str]) -> None:
        for name in names:
            self.before("delete", name)
            self.behind.delete([name])
            self.after("delete", name)

    def size(self, name: str) -> int | None:
        return self._do("size", name)  # type: ignore[no-any-return]


@dataclass
class Timed:
    """Objects that say that they were put at the time `now` of then, as a storage with a clock of its own."""

    behind: Objects
    now: int = NOW
    put_at: dict[str, int] = field(default_factory=dict)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.behind, name)

    def create(self, name: str, content: bytes) -> bool:
        made = self.behind.create(name, content)
        if made:
            self.put_at[name] = self.now
        return made

    def put(self, name: str, content: bytes | IO[bytes]) -> None:
        self.behind.put(name, content)
        self.put_at[name] = self.now

    def names(self, folder: str, after: str = "") -> Iterator[Listed]:
        for each in self.behind.names(folder, after):
            yield each._replace(modified=self.put_at.get(each.name, self.now))


def killed_at(step: int) -> Callable[[str, str], None]:
    """Ends the process before the operation with this number, from 0 on, and at every later one."""
    left = [step]

    def before(operation: str, name: str) -> None:
        left[0] -= 1
        if left[0] < 0:
            raise Killed(f"{operation} {name}")

    return before


def storage_of(objects: Objects, notes: list[str] | None = None) -> Storage:
    """The storage of these objects; `notes` gets what users are told."""
    return Storage(History(objects, lambda: NOW), (notes if notes is not None else []).append, wait=5.0)


def in_folder(folder: Path, notes: list[str] | None = None) -> Storage:
    return storage_of(LocalObjects(folder), notes)


def written(root: Path, *texts: tuple[str, str], shards: int = 2) -> ShardedCorpus:
    """The corpus in shards in a folder, with documents of these ids and texts."""
    corpus = open_shards(root, shards=shards)
    for shard in corpus.shards:
        shard.maintenance.background = False
    corpus.add([Document(name, text) for name, text in texts])
    return corpus


def write(root: Path, *texts: tuple[str, str]) -> None:
    with written(root, *texts):
        pass


def content(root: Path, shards: int = 2) -> dict[str, str]:
    """The current text of each document of a working copy; the copy is checked."""
    found: dict[str, str] = {}
    layout = read_layout(root / ".asof")
    for folder in layout.paths(root / ".asof")[:shards] if layout else []:
        if not (folder / "corpus.db").exists():
            continue
        store = Store.open(folder)
        with closing(store.reader()) as db:
            assert db.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
            for (file,) in db.execute("SELECT file FROM segments"):
                assert (folder / "segments" / file).is_file()
            found.update(
                db.execute(
                    "SELECT name, text FROM passages JOIN documents ON documents.id = passages.document"
                    " WHERE passages.version = documents.current"
                )
            )
    return found


def ready(tmp_path: Path, objects: Objects, shards: int = 2) -> tuple[Storage, dict[int, int], Path]:
    """A storage with one pushed state, the epochs of its writer, and that one's working copy."""
    storage, root = storage_of(objects), tmp_path / "writer"
    write_first(root, shards)
    storage.create(shards)
    epochs = {shard: storage.claim(shard, "first") for shard in range(shards)}
    storage.push(root, epochs)
    return storage, epochs, root


def write_first(root: Path, shards: int = 2) -> None:
    with written(root, *((f"note{i}", f"The ferry of day {i}.") for i in range(4)), shards=shards):
        pass


def unnamed(storage: Storage) -> set[str]:
    """The objects that no manifest and no pin names."""
    from asof.storage.vacuum import Vacuum

    needed = Vacuum(storage.history)._needed()
    return {each.name.rpartition("/")[2] for each in storage.objects.names("objects")} - needed


def missing(storage: Storage) -> set[str]:
    """The objects that manifests or pins name and that are not there."""
    from asof.storage.vacuum import Vacuum

    there = {each.name.rpartition("/")[2] for each in storage.objects.names("objects")}
    return Vacuum(storage.history)._needed() - there
