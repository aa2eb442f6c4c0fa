"""The working copy of a corpus at a URL: where its shards lie, of which state of the storage each one is, and
who may change it.

`ROOT/.asof/storage.json` says of each shard which truth it was fetched or pushed as. It also holds what a
push is about to commit: one that was killed after its commit is known again by that.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from asof import corpus_files
from asof.corpus_files import FOLDER, FileTooLarge, NotAFile
from asof.errors import CorpusError, NoCorpus, StaleCopy
from asof.storage.manifests import ShardState
from asof.store.lock import exclusive_lock, shared_lock
from asof.store.schema import connect
from asof.store.shard_folders import INTENT, free_name
from asof.store.shard_layout import FILE, ShardLayout, read_layout, write_durably
from asof.store.shard_layout import FOLDER as SHARDS
from asof.store.store import DEFAULT_WAIT, translate_sqlite_errors

FORMAT = 1

_LARGEST = 16 << 20


@dataclass(frozen=True, slots=True)
class CopiedShard:
    """Of which state a shard of the copy is: the number of a manifest that had it, the object that lists the
    chunks of its truth, and its last transaction."""

    number: int
    truth: str
    head: int

    @classmethod
    def of(cls, state: ShardState, number: int) -> CopiedShard | None:
        """That of a state; None where the shard has no truth yet."""
        return None if state.truth is None else cls(number, state.truth.chunks, state.head)


@dataclass(frozen=True, slots=True)
class CopyState:
    """What `storage.json` says. `number`: the manifest that the copy was last brought to; `pushing`: the
    states of shards that a push is about to commit, by their numbers."""

    url: str
    number: int = 0
    shards: Mapping[int, CopiedShard] = field(default_factory=dict)
    pushing: Mapping[int, CopiedShard] = field(default_factory=dict)

    def shard(self, state: ShardState) -> CopiedShard | None:
        """Of which state the shard here is, where this is its state in the storage: that of a push that was
        killed after its commit, or else what was noted last."""
        intended = self.pushing.get(state.shard)
        if intended and state.truth and intended.truth == state.truth.chunks:
            return intended
        return self.shards.get(state.shard)

    def dumps(self) -> bytes:
        tables = {name: _tables(getattr(self, name)) for name in ("shards", "pushing")}
        return json.dumps({"format": FORMAT, "url": self.url, "number": self.number, **tables}).encode()

    @classmethod
    def loads(cls, content: bytes) -> CopyState:
        """Raises ValueError, TypeError, KeyError, AttributeError for what asof does not write."""
        table = json.loads(content)
        if table["format"] != FORMAT:
            raise ValueError(f"format {table['format']!r}")
        copies = {name: _copies(table[name]) for name in ("shards", "pushing")}
        return cls(str(table["url"]), int(table["number"]), **copies)


def _tables(copies: Mapping[int, CopiedShard]) -> dict[str, Any]:
    return {str(shard): [each.number, each.truth, each.head] for shard, each in copies.items()}


def _copies(table: Mapping[str, Any]) -> dict[int, CopiedShard]:
    return {
        int(shard): CopiedShard(int(number), str(truth), int(head))
        for shard, (number, truth, head) in table.items()
    }


@dataclass(frozen=True, slots=True)
class WorkingCopy:
    """The copy in `root` of the corpus at `url`. `wait`: seconds to wait for another process."""

    root: Path
    url: str
    wait: float = DEFAULT_WAIT

    @property
    def folder(self) -> Path:
        return self.root / FOLDER

    @property
    def intent(self) -> Path:
        """Says that folders are whole and are to take the place of the present ones (`swap.py`)."""
        return self.folder / INTENT

    # -- which shards ---------------------------------------------------------------------------------

    def layout(self) -> ShardLayout:
        """Where its shards lie. Raises NoCorpus, DamagedStore, NewerSchema."""
        layout = read_layout(self.folder)
        if layout is None:
            raise NoCorpus(f"no corpus in shards in {self.root}: {self.folder / FILE} is missing")
        return layout

    def layout_for(self, count: int, anew: Collection[int]) -> ShardLayout:
        """The layout of so many shards, in which those that are here keep their folders, but for those that
        are made `anew`: these get folders that nobody has used yet."""
        kept = list((read_layout(self.folder) or ShardLayout(())).folders[:count])
        taken = {*corpus_files.names(self.folder / SHARDS), *kept}
        folders: list[str] = []
        for shard in range(count):
            name = kept[shard] if shard < len(kept) and shard not in anew else free_name(shard, taken)
            taken.add(name)
            folders.append(name)
        return ShardLayout(tuple(folders))

    # -- of which state -------------------------------------------------------------------------------

    def state(self) -> CopyState:
        """What `storage.json` says; where it is missing or damaged, that nothing is known. Raises StaleCopy
        for the copy of another corpus."""
        content = _read(self.folder / "storage.json")
        try:
            state = CopyState.loads(content) if content else CopyState(self.url)
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            state = CopyState(self.url)
        if state.url != self.url:
            raise StaleCopy(f"{self.root} is a copy of {state.url}, not of {self.url}: use another folder")
        return state

    def save(self, state: CopyState) -> None:
        corpus_files.make_folder(self.folder)
        write_durably(self.folder / "storage.json", state.dumps())

    def head(self, shard: Path) -> int | None:
        """The last transaction of a shard as it lies in a folder; None where it is not there."""
        database = shard / "corpus.db"
        if not database.is_file():
            return None
        with translate_sqlite_errors(database), contextlib.closing(connect(database)) as db:
            if not db.execute("PRAGMA user_version").fetchone()[0]:
                return None
            return int(db.execute("SELECT max(id) FROM transactions").fetchone()[0] or 0)

    # -- locks ----------------------------------------------------------------------------------------

    @contextmanager
    def changing(self) -> Iterator[None]:
        """While one process fetches or pushes. Raises Busy."""
        corpus_files.make_folder(self.folder)
        with exclusive_lock(self.folder / "copy.lock", self.wait):
            yield

    @contextmanager
    def still(self) -> Iterator[None]:
        """While nobody writes to several shards together. Raises Busy."""
        with exclusive_lock(self.folder / "write.lock", self.wait):
            yield

    @contextmanager
    def swapping(self) -> Iterator[None]:
        """While files take the place of others: nobody begins to read then. Raises Busy."""
        with exclusive_lock(self.folder / "storage.lock", self.wait):
            yield

    @contextmanager
    def reading(self) -> Iterator[None]:
        """While all shards are opened, so that they are of one manifest."""
        with shared_lock(self.folder / "storage.lock"):
            yield


def _read(path: Path) -> bytes | None:
    try:
        return corpus_files.read_file(path, _LARGEST)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (NotAFile, FileTooLarge) as error:
        raise CorpusError(str(error.strerror)) from error
