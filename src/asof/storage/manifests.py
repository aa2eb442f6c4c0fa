"""What a manifest says: the state of every shard after one commit, as values and as JSON.

A storage may be written to by others, so what is read is checked key by key, and its size is bounded.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from typing import Any, TypeVar

from asof.errors import DamagedObject, NewerSchema
from asof.index.check import is_segment_name
from asof.index.rebuild import SegmentEntry
from asof.storage.names import OBJECT
from asof.store.shard_layout import MOST_SHARDS

Value = TypeVar("Value")

FORMAT = 1
LARGEST_MANIFEST = 64 << 20
"""Bytes; 4096 shards of 40 segments need 50 MB."""
LARGEST_CHUNK = 64 << 20


@dataclass(frozen=True, slots=True)
class SegmentObject:
    """A segment as the storage keeps it: the row of the list of segments in `corpus.db`, and the times of its
    rows, so that a searcher knows which segments a window of time touches before it has any of them.

    `visible`, `end_at`: the least and the greatest instant in these columns, None where they have no rows.
    `format`: what the file begins its footer's magic with.
    """

    file: str
    object: str
    bytes: int
    rows: int
    first: int
    last: int
    ends_first: int
    ends_last: int
    checksum: int
    visible: tuple[int, int] | None
    end_at: tuple[int, int] | None
    format: str

    def entry(self) -> SegmentEntry:
        """Its row of the list of segments."""
        return SegmentEntry(
            self.file,
            self.first,
            self.last,
            self.ends_first,
            self.ends_last,
            self.rows,
            self.bytes,
            self.checksum,
        )


@dataclass(frozen=True, slots=True)
class Truth:
    """`corpus.db` in chunks of `chunk` bytes, the last of which is shorter; `chunks`: the object that lists
    them (`chunks.py`)."""

    bytes: int
    chunk: int
    chunks: str


@dataclass(frozen=True, slots=True)
class ShardState:
    """A shard. `epoch` counts the claims of it: who made the last one, `writer`, may commit, nobody else; 0:
    not claimed yet. `head`: its last transaction. `truth` is None before the first push."""

    shard: int
    epoch: int = 0
    writer: str = ""
    claimed: str = ""
    head: int = 0
    documents: int = 0
    passages: int = 0
    truth: Truth | None = None
    segments: tuple[SegmentObject, ...] = ()

    @property
    def objects(self) -> Iterator[str]:
        """The objects that it names itself (those of the list of chunks are named there)."""
        if self.truth:
            yield self.truth.chunks
        yield from (each.object for each in self.segments)

    def content(self) -> tuple[Truth | None, tuple[SegmentObject, ...]]:
        """What a push changes, and a claim does not."""
        return self.truth, self.segments


@dataclass(frozen=True, slots=True)
class CorpusManifest:
    """A commit. `count`: of shards that the corpus has; `shards` may hold more, which are being filled.

    `commit` tells it from another one of the same number that was tried; `origin` says in words what it was
    copied from, if it was. `whole`: where a writer was killed between two shards, the last instant up to
    which all of them have what was written; None: all have everything.
    """

    number: int
    commit: str
    written: str
    count: int
    shards: tuple[ShardState, ...]
    origin: str = ""
    whole: int | None = None

    def shard(self, shard: int) -> ShardState | None:
        return self.shards[shard] if shard < len(self.shards) else None

    def with_shards(self, *changed: ShardState) -> CorpusManifest:
        """With these shards in the place of those of the same numbers; new ones follow the last."""
        states = {state.shard: state for state in (*self.shards, *changed)}
        return replace(self, shards=tuple(states[shard] for shard in sorted(states)))

    def dumps(self) -> bytes:
        return json.dumps({"format": FORMAT, **asdict(self)}, separators=(",", ":")).encode()

    @classmethod
    def loads(cls, content: bytes, where: str, number: int | None = None) -> CorpusManifest:
        """Raises NewerSchema, and DamagedObject for what asof does not write, or one of another number;
        `where` names it in words."""
        try:
            table = json.loads(content)
            format_ = _number(table, "format")
            manifest = _manifest(table) if format_ == FORMAT else None
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            raise _damaged(where, str(error)) from error
        if manifest is None:
            raise NewerSchema(
                f"{where} has format {format_}, this asof knows format {FORMAT}: use a newer asof"
            )
        if number not in (None, manifest.number):
            raise _damaged(where, f"it says that its number is {manifest.number}")
        return manifest


def _damaged(where: str, why: str) -> DamagedObject:
    return DamagedObject(f"{where} is not a manifest of asof: {why}; restore an earlier one")


def _manifest(table: dict[str, Any]) -> CorpusManifest:
    shards = tuple(_shard(each, place) for place, each in enumerate(_of(table, "shards", list)))
    count = _number(table, "count")
    if not 1 <= count <= len(shards) <= MOST_SHARDS:
        raise ValueError(f"it has {len(shards)} shards, of which {count} count")
    texts = {key: _of(table, key, str) for key in ("commit", "written", "origin")}
    whole = None if table["whole"] is None else _number(table, "whole")
    manifest = CorpusManifest(
        number=_number(table, "number"), count=count, shards=shards, whole=whole, **texts
    )
    return _whole(manifest, {key: value for key, value in table.items() if key != "format"})


def _shard(table: dict[str, Any], place: int) -> ShardState:
    numbers = {key: _number(table, key) for key in ("shard", "epoch", "head", "documents", "passages")}
    if numbers["shard"] != place:
        raise ValueError(f"shard {place} has the number {numbers['shard']}")
    truth = table["truth"]
    segments = tuple(_segment(each) for each in _of(table, "segments", list))
    if len({each.file for each in segments}) != len(segments):
        raise ValueError(f"shard {place} names a segment twice")
    state = ShardState(
        **numbers,
        writer=_of(table, "writer", str),
        claimed=_of(table, "claimed", str),
        truth=None if truth is None else _truth(truth),
        segments=segments,
    )
    return _whole(state, table)


def _truth(table: dict[str, Any]) -> Truth:
    truth = Truth(_number(table, "bytes"), _number(table, "chunk"), _object(table, "chunks"))
    if not 512 <= truth.chunk <= LARGEST_CHUNK:
        raise ValueError(f"chunks of {truth.chunk:,} bytes")
    return _whole(truth, table)


def _segment(table: dict[str, Any]) -> SegmentObject:
    keys = ("bytes", "rows", "first", "last", "ends_first", "ends_last", "checksum")
    file = _of(table, "file", str)
    if not is_segment_name(file):
        raise ValueError(f"{file!r} is no name of a segment")
    numbers: dict[str, Any] = {key: _number(table, key) for key in keys}
    times: dict[str, Any] = {key: _times(table[key]) for key in ("visible", "end_at")}
    segment = SegmentObject(
        file, _object(table, "object"), **numbers, **times, format=_of(table, "format", str)
    )
    return _whole(segment, table)


def _times(value: Any) -> tuple[int, int] | None:
    if value is None:
        return None
    least, greatest = value
    if type(least) is not int or type(greatest) is not int or not -(2**63) <= least <= greatest < 2**63:
        raise ValueError(f"{value!r} is no least and greatest instant")
    return least, greatest


def _object(table: dict[str, Any], key: str) -> str:
    name = _of(table, key, str)
    if not OBJECT.fullmatch(name):
        raise ValueError(f"{name[:100]!r} is no name of an object")
    return name


def _number(table: dict[str, Any], key: str) -> int:
    value = table[key]
    if type(value) is not int or not 0 <= value < 2**63:
        raise ValueError(f"{key} is {value!r:.100}, not a number from 0 on")
    return value


def _of(table: dict[str, Any], key: str, kind: type[Value]) -> Value:
    value = table[key]
    if not isinstance(value, kind):
        raise TypeError(f"{key} is {value!r:.100}, not a {kind.__name__}")
    return value


def _whole(value: Value, table: dict[str, Any]) -> Value:
    """The value, unless the table has keys that it was not made from."""
    if unknown := set(table) - set(value.__slots__):  # type: ignore[attr-defined]
        raise ValueError(f"it has the key {min(unknown)!r:.100}, which none of its kind has")
    return value
