"""What a cluster consists of: its shards, who writes to them, and how far this machine's copy is behind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from asof import environment
from asof.corpus_files import FOLDER
from asof.errors import NoCorpus
from asof.index.manifest import Manifest
from asof.index.segment_formats import format_of
from asof.storage.manifests import ShardState
from asof.storage.storage import Storage
from asof.storage.working_copy import CopyState, WorkingCopy
from asof.store.committed import committed
from asof.store.shard_layout import FOLDER as SHARDS
from asof.store.shard_layout import read_layout
from asof.store.status import bytes_of
from asof.store.store import Store, translate_sqlite_errors


@dataclass(frozen=True, slots=True)
class ShardStatus:
    """A shard. `head`: the instant of its last write, 0: none; `bytes`: of its truth and its segments.

    Of a corpus at a URL: `epoch` counts the claims of it, `writer` made the last one at `claimed`; `here`:
    whether this machine has what the storage has of it. `formats`: segments by the format of their files.
    """

    shard: int
    documents: int
    passages: int
    segments: int
    bytes: int
    head: int
    epoch: int | None = None
    writer: str = ""
    claimed: str = ""
    here: bool = True
    formats: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class StorageStatus:
    """The storage of a corpus: the number of its present state and when that was `written`, the `oldest` one
    that is kept, pins by name; `copy`: where this machine's working copy lies, and the number of the state
    that it was last brought to (None: there is none)."""

    url: str
    number: int
    written: str
    oldest: int
    pins: dict[str, int]
    copy: str
    copied: int | None

    @property
    def behind(self) -> int | None:
        """By how many states this machine's copy is behind."""
        return None if self.copied is None else self.number - self.copied


@dataclass(frozen=True, slots=True)
class ClusterStatus:
    """The shards of a corpus; `storage` where it is at a URL. `partial`: since when some shards have writes
    that others lack, because a writer is at work or was killed; None: all have everything. `former`: folders
    of shards before it was grown that somebody has open."""

    shards: tuple[ShardStatus, ...]
    storage: StorageStatus | None = None
    partial: int | None = None
    former: int = 0

    @property
    def formats(self) -> dict[str, int]:
        """The segments of all shards by the format of their files."""
        every = sum((Counter(each.formats) for each in self.shards), Counter[str]())
        return dict(sorted(every.items()))


def of_folder(root: Path) -> ClusterStatus:
    """The status of the corpus in a folder; one in one piece is one shard. Raises NoCorpus, CorpusError."""
    folder = root / FOLDER
    layout = read_layout(folder)
    if layout is None and not environment.holds_corpus(root):
        raise NoCorpus(f"no index in {folder}: make one with `asof index SOURCE --shards N`")
    truth = "" if layout else environment.truth_of(folder, environment.configuration(root).truth)
    places = layout.paths(folder) if layout else [folder]
    shards = tuple(_shard(number, Store.open(place, truth=truth)) for number, place in enumerate(places))
    until = committed(folder) if len(shards) > 1 else None
    partial = until if until is not None and until < max(each.head for each in shards) else None
    there = folder / SHARDS
    former = len([each for each in there.iterdir() if each.is_dir()]) - len(shards) if layout else 0
    return ClusterStatus(shards, partial=partial, former=max(former, 0))


def _shard(number: int, store: Store) -> ShardStatus:
    with translate_sqlite_errors(store.database), closing(store.reader()) as db:
        store.begin_read(db)
        documents, passages, head = (
            int(db.execute(query).fetchone()[0] or 0)
            for query in (
                "SELECT count(*) FROM documents", "SELECT count(*) FROM passages",
                "SELECT max(id) FROM transactions",
            )
        )  # fmt: skip
        manifest = Manifest(store)
        formats = Counter(format_of(manifest.folder / entry.file) for entry in manifest.entries(db))
    return ShardStatus(
        number, documents, passages, formats.total(), bytes_of(store), head, formats=formats
    )  # fmt: skip


def of_storage(storage: Storage) -> ClusterStatus:
    """The status of the corpus at a URL; nothing is fetched but its manifest. Raises NoCorpus,
    StorageError."""
    manifest = storage.latest()
    if manifest is None:
        raise NoCorpus(f"no corpus at {storage.url}: make one with `asof index SOURCE --index URL`")
    copy = WorkingCopy(environment.working_copy(storage.url), storage.url)
    known = copy.state() if read_layout(copy.folder) else None
    shards = tuple(_stored(each, known) for each in manifest.shards[: manifest.count])
    about = StorageStatus(
        storage.url, manifest.number, manifest.written, storage.oldest(), storage.pins(), str(copy.root),
        known.number if known else None,
    )  # fmt: skip
    return ClusterStatus(shards, about, manifest.whole)


def _stored(state: ShardState, known: CopyState | None) -> ShardStatus:
    copied = known.shard(state) if known else None
    truth = state.truth.chunks if state.truth else None
    return ShardStatus(
        state.shard, state.documents, state.passages, len(state.segments),
        (state.truth.bytes if state.truth else 0) + sum(each.bytes for each in state.segments),
        state.head, state.epoch, state.writer, state.claimed,
        here=known is not None and (copied.truth if copied else None) == truth,
        formats=Counter(each.format for each in state.segments),
    )  # fmt: skip
