"""Copies of a corpus at a manifest: elsewhere, or as the latest state of the same storage.

A copy of all that lies below a URL by any other tool is a backup, too, if it takes the manifests before the
objects; this one takes what one manifest names, and of that only what is not there yet. A copy is a corpus:
it is opened, fetched and copied back like any other.
"""

from __future__ import annotations

import secrets
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace

from asof.errors import UsageError
from asof.storage.chunks import chunk_bytes, list_bytes, read_list, read_object
from asof.storage.fetch import fetch_into
from asof.storage.history import History
from asof.storage.manifests import CorpusManifest, ShardState
from asof.storage.names import object_path
from asof.storage.objects import Objects
from asof.storage.pins import pin, unpin
from asof.time.span import iso

THREADS = 8
_IN_MEMORY = 64 << 20


@dataclass(frozen=True, slots=True)
class BackupReport:
    """A copy of manifest `of`, which is manifest `number` there; the objects that were not there yet, and
    their bytes."""

    number: int
    of: int
    objects: int
    bytes: int


def backup(
    source: History, target: History, number: int | None = None, *, over: bool = False
) -> BackupReport:
    """Copy the corpus at a manifest (None: the latest) to another storage, where it follows what is there.

    `over`: also where that is no copy of this corpus, or was written to since; its writers are fenced. Raises
    UsageError for what is not to be followed, NoCorpus, ManifestExpired.
    """
    origin = f"copy of {source.objects.url}"
    if source.objects.url == target.objects.url:
        raise UsageError(
            f"{target.objects.url} is the corpus itself: restore takes an earlier manifest of it"
        )
    with _held(source, number) as manifest:
        base = target.latest()
        _may_follow(base, origin, target, over=over)
        there = _named(target.objects, base) if base else {}
        missing = {name: size for name, size in _named(source.objects, manifest).items() if name not in there}
        with ThreadPoolExecutor(THREADS) as pool:
            made = list(
                pool.map(lambda name: _transfer(source.objects, target.objects, name, missing[name]), missing)
            )

        def change(latest: CorpusManifest | None) -> CorpusManifest:
            _may_follow(latest, origin, target, over=over)
            if (latest and latest.commit) != (base and base.commit):
                raise UsageError(f"{target.objects.url} was written to meanwhile: make the copy again")
            return replace(succeeding(latest, manifest, origin, iso(target.clock())), origin=origin)

        committed = target.commit(change)
        for name, new in zip(missing, made, strict=True):
            if (
                not new and target.objects.size(object_path(name)) is None
            ):  # a vacuum there was about to remove it
                _transfer(source.objects, target.objects, name, missing[name])
    return BackupReport(committed.number, manifest.number, len(missing), sum(missing.values()))


def restore(history: History, number: int) -> CorpusManifest:
    """Make the state of an earlier manifest the latest one, as a new manifest; all writers are fenced,
    because their working copies are of another state. Raises ManifestExpired."""
    with _held(history, number) as manifest:
        writer = f"restored from manifest {number}"

        def change(latest: CorpusManifest | None) -> CorpusManifest:
            return replace(succeeding(latest, manifest, writer, iso(history.clock())), origin=writer)

        return history.commit(change)


def succeeding(
    latest: CorpusManifest | None, manifest: CorpusManifest, writer: str, claimed: str
) -> CorpusManifest:
    """The state of `manifest` after `latest`: every shard has an epoch of its own, which `writer` has."""
    before = {each.shard: each.epoch for each in latest.shards} if latest else {}
    states = {each.shard: each for each in manifest.shards[: manifest.count]}
    shards = tuple(
        replace(
            states.get(shard, ShardState(shard)),
            epoch=max(before.get(shard, 0), states[shard].epoch if shard in states else 0) + 1,
            writer=writer,
            claimed=claimed,
        )
        for shard in sorted(before.keys() | states.keys())
    )
    return replace(manifest, shards=shards)


@contextmanager
def _held(history: History, number: int | None) -> Iterator[CorpusManifest]:
    """A manifest that does not expire meanwhile."""
    name = f"copying-{secrets.token_hex(8)}"
    manifest = pin(history, name, number)
    try:
        yield manifest
    finally:
        unpin(history, name)


def _may_follow(base: CorpusManifest | None, origin: str, target: History, *, over: bool) -> None:
    if base is not None and base.origin != origin and not over:
        raise UsageError(
            f"{target.objects.url} holds another corpus, or one that was written to since it was copied:"
            " copy to another URL, or say that it is to be replaced"
        )


def _named(objects: Objects, manifest: CorpusManifest) -> dict[str, int]:
    """The objects that a manifest names, with their bytes; those of a list before the list."""
    named: dict[str, int] = {}
    for state in manifest.shards:
        named.update((each.object, each.bytes) for each in state.segments)
        if state.truth:
            chunks = read_list(objects, state.truth)
            named.update((name, chunk_bytes(state.truth, place)) for place, name in enumerate(chunks))
            named[state.truth.chunks] = list_bytes(state.truth)
    return named


def _transfer(source: Objects, target: Objects, name: str, size: int) -> bool:
    """Copy an object, checked by its digest; whether there was none of its name."""
    if size <= _IN_MEMORY:
        content = read_object(source, name, size)
        if target.create(object_path(name), content):
            return True
        target.put(object_path(name), content)
        return False
    with tempfile.TemporaryFile() as file:
        fetch_into(source, name, size, file)
        target.put(object_path(name), file)
    return False
