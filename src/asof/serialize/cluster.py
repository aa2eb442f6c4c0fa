"""What `asof cluster` prints: shards, their writers, and what happened to the storage."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, TypedDict

from asof.data.json import Instant
from asof.time.span import iso

if TYPE_CHECKING:
    from asof.cluster.status import ClusterStatus, ShardStatus, StorageStatus
    from asof.storage.backup import BackupReport
    from asof.storage.vacuum import VacuumReport


class ShardJson(TypedDict):
    """A shard."""

    shard: int
    documents: Annotated[int, "removed ones, too"]
    passages: Annotated[int, "of all versions"]
    segments: Annotated[int, "files of its index"]
    bytes: Annotated[int, "of its documents and its index"]
    head: Annotated[Instant | None, "its last write; null: none"]
    epoch: Annotated[int | None, "how often it was claimed by a writer; null: in a folder"]
    writer: Annotated[str, "who claimed it last; empty: nobody, or in a folder"]
    claimed: Annotated[Instant | None, "when that was"]
    here: Annotated[bool, "whether this machine has what the storage has of it"]


class StorageJson(TypedDict):
    """The storage of a corpus at a URL, and this machine's copy."""

    url: str
    state: Annotated[int, "the number of the present state"]
    written: Annotated[Instant, "when it was pushed"]
    oldest: Annotated[int, "the number of the oldest state that is kept"]
    pins: Annotated[dict[str, int], "states that are kept, by the names of their pins"]
    copy: Annotated[str, "the folder of this machine's copy"]
    copied: Annotated[int | None, "the state that the copy was last brought to; null: there is no copy"]
    behind: Annotated[int | None, "by how many states the copy is behind"]


class ClusterJson(TypedDict):
    """The shards of a corpus."""

    shards: list[ShardJson]
    documents: Annotated[int, "in all shards"]
    passages: Annotated[int, "in all shards"]
    bytes: Annotated[int, "of all shards"]
    formats: Annotated[dict[str, int], "segments of all shards by the format of their files"]
    partial: Annotated[
        Instant | None, "until when all shards have all writes, where some have more; else null"
    ]
    former: Annotated[int, "folders of former shards that are still there, because they are open"]
    storage: Annotated[StorageJson | None, "null: the corpus of a folder"]


def cluster_json(status: ClusterStatus) -> ClusterJson:
    return {
        "shards": [_shard_json(each) for each in status.shards],
        "documents": sum(each.documents for each in status.shards),
        "passages": sum(each.passages for each in status.shards),
        "bytes": sum(each.bytes for each in status.shards),
        "formats": status.formats,
        "partial": None if status.partial is None else iso(status.partial),
        "former": status.former,
        "storage": None if status.storage is None else _storage_json(status.storage),
    }


def _shard_json(shard: ShardStatus) -> ShardJson:
    return {
        "shard": shard.shard, "documents": shard.documents, "passages": shard.passages,
        "segments": shard.segments, "bytes": shard.bytes, "head": iso(shard.head) if shard.head else None,
        "epoch": shard.epoch, "writer": shard.writer, "claimed": shard.claimed or None, "here": shard.here,
    }  # fmt: skip


def _storage_json(storage: StorageStatus) -> StorageJson:
    return {
        "url": storage.url, "state": storage.number, "written": storage.written, "oldest": storage.oldest,
        "pins": dict(sorted(storage.pins.items())), "copy": storage.copy, "copied": storage.copied,
        "behind": storage.behind,
    }  # fmt: skip


class StorageVacuumJson(TypedDict):
    """What was removed of a storage."""

    states: Annotated[list[int], "numbers of old states"]
    pins: Annotated[list[str], "names of pins"]
    objects: int
    bytes: int
    young: Annotated[int, "objects that nothing names, which are kept for the time of `--grace`"]


def vacuum_json(report: VacuumReport) -> StorageVacuumJson:
    return {
        "states": list(report.manifests), "pins": list(report.pins), "objects": report.objects,
        "bytes": report.bytes, "young": report.young,
    }  # fmt: skip


class BackupJson(TypedDict):
    """A copy of a corpus at another URL."""

    state: Annotated[int, "the number of the state that was copied"]
    copy: Annotated[int, "the number of the state that it became there"]
    objects: Annotated[int, "that were not there yet"]
    bytes: Annotated[int, "of these"]


def backup_json(report: BackupReport) -> BackupJson:
    return {"state": report.of, "copy": report.number, "objects": report.objects, "bytes": report.bytes}
