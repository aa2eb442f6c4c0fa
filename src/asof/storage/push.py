"""Uploading what is new in shards, and one commit of all of them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from typing import Any

from asof.errors import CorpusError, Fenced, StaleCopy, UsageError
from asof.index.file_format import Array
from asof.index.rebuild import SegmentEntry
from asof.index.segment import Segment
from asof.storage.chunks import CHUNK, digest_in, dump_list, read_list
from asof.storage.frozen import Frozen, frozen
from asof.storage.history import History, no_corpus
from asof.storage.manifests import CorpusManifest, SegmentObject, ShardState, Truth
from asof.storage.names import digest_of
from asof.storage.upload import Lease, upload, upload_file
from asof.storage.working_copy import CopiedShard, CopyState, WorkingCopy
from asof.store.committed import committed
from asof.store.store import Store

THREADS = 8


@dataclass(slots=True)
class Push:
    """One push of the shards that `epochs` has, by its writer's epoch in each."""

    history: History
    copy: WorkingCopy
    epochs: Mapping[int, int]
    chunk: int = CHUNK
    lease: Lease = field(init=False)

    def __post_init__(self) -> None:
        self.lease = Lease(self.history.objects)

    def run(self) -> CorpusManifest:
        """Raises Fenced, StaleCopy, NoCorpus, StorageError, CorpusError; nothing is committed then."""
        url = self.history.objects.url
        if not self.epochs:
            raise UsageError("a push needs the shards to push, with the epoch in which each was claimed")
        with self.copy.changing(), ExitStack() as held:
            held.enter_context(self.lease)
            base = self.history.latest()
            if base is None:
                raise no_corpus(url)
            known, layout = self.copy.state(), self.copy.layout()
            self._check(base, base, layout.count)
            started = {shard: self._started(known, _state(base, shard)) for shard in self.epochs}
            places = layout.paths(self.copy.folder)
            with self.copy.still():  # so that they are of one moment, a batch in all of them or in none
                now = {
                    shard: held.enter_context(frozen(Store.open(places[shard], self.copy.wait)))
                    for shard in sorted(self.epochs)
                }
                # one shard alone has all that was written
                whole = committed(self.copy.folder) if layout.count > 1 else None
            if whole is not None and whole >= max(each.head for each in now.values()):
                whole = None
            states = {shard: self._uploaded(_state(base, shard), each) for shard, each in now.items()}
            known = replace(known, shards={**known.shards, **{k: v for k, v in started.items() if v}})
            return self._commit(base, layout.count, states, known, whole)

    def _started(self, known: CopyState, state: ShardState) -> CopiedShard | None:
        """What the shard here was made from, which is what the storage has. Raises StaleCopy."""
        copied = known.shard(state)
        if (copied.truth if copied else None) != (state.truth.chunks if state.truth else None):
            raise StaleCopy(
                f"shard {state.shard} of {self.history.objects.url} is not what {self.copy.root} was made"
                " from: fetch it first, or its changes since would be lost"
            )
        return copied

    def _commit(
        self,
        base: CorpusManifest,
        count: int,
        states: Mapping[int, ShardState],
        known: CopyState,
        whole: int | None,
    ) -> CorpusManifest:
        new = {shard: CopiedShard.of(each, 0) for shard, each in states.items()}
        intended = {shard: each for shard, each in new.items() if each is not None}
        others = {shard: each for shard, each in known.pushing.items() if shard not in states}
        self.copy.save(replace(known, pushing={**others, **intended}))

        def change(latest: CorpusManifest | None) -> CorpusManifest | None:
            if latest is None:
                raise no_corpus(self.history.objects.url)
            self._check(latest, base, count)
            self.lease.check()
            pushed = (_onto(_state(latest, shard), state) for shard, state in states.items())
            changed = replace(latest.with_shards(*pushed), count=count, whole=whole)
            if whole is None and len(states) < count:  # what another writer left is not known here
                changed = replace(changed, whole=latest.whole)
            return None if changed == latest else replace(changed, origin="")

        committed = self.history.commit(change)
        copied = {shard: replace(each, number=committed.number) for shard, each in intended.items()}
        self.copy.save(
            replace(known, number=committed.number, shards={**known.shards, **copied}, pushing=others)
        )
        return committed

    def _check(self, latest: CorpusManifest, base: CorpusManifest, count: int) -> None:
        """Whether this push may follow `latest`, having started from `base`."""
        url = self.history.objects.url
        for shard, epoch in self.epochs.items():
            state, before = _state(latest, shard), _state(base, shard)
            if state.epoch != epoch:
                raise fenced(url, state, epoch)
            if state.content() != before.content():
                raise StaleCopy(
                    f"shard {shard} of {url} was pushed by another process of the same writer meanwhile:"
                    " nothing of this push was committed; fetch it and push again"
                )
        if count != latest.count and set(self.epochs) != set(range(max(count, latest.count))):
            raise StaleCopy(
                f"{url} has {latest.count} shards and {self.copy.root} {count}: fetch it, or push all shards"
                " together to change their number"
            )

    # -- objects ---------------------------------------------------------------------------------------

    def _uploaded(self, before: ShardState, now: Frozen) -> ShardState:
        """The state of the shard, whose objects are all there."""
        with ThreadPoolExecutor(THREADS) as pool:
            truth = self._truth(before.truth, now, pool)
        segments = tuple(self._segments(before, now))
        return replace(
            before,
            head=now.head,
            documents=now.documents,
            passages=now.passages,
            truth=truth,
            segments=segments,
        )

    def _truth(self, before: Truth | None, now: Frozen, pool: ThreadPoolExecutor) -> Truth:
        objects = self.history.objects
        listed = read_list(objects, before) if before else []
        names = {digest_in(name): name for name in listed}
        starts = range(0, now.size, self.chunk)

        def chunk(start: int) -> bytes:
            return _read(now.descriptor, start, min(start + self.chunk, now.size))

        digests = list(pool.map(lambda start: digest_of(chunk(start)), starts))
        new = {digest: start for start, digest in zip(starts, digests, strict=True) if digest not in names}

        def send(start: int) -> str:
            self.lease.beat()
            return upload(objects, chunk(start))

        names.update(zip(new, pool.map(send, new.values()), strict=True))
        chunks = [names[digest] for digest in digests]
        if before and chunks == listed and before.chunk == self.chunk and before.bytes == now.size:
            return before
        self.lease.beat()
        return Truth(now.size, self.chunk, upload(objects, dump_list(chunks)))

    def _segments(self, before: ShardState, now: Frozen) -> Iterator[SegmentObject]:
        known = {each.entry(): each for each in before.segments}
        for entry, file, segment in now.segments:
            self.lease.beat()
            there = known.get(entry)
            if there is None:
                segment.verify()
                there = described(entry, segment, upload_file(self.history.objects, file, entry.bytes))
            yield there


def described(entry: SegmentEntry, segment: Segment, name: str) -> SegmentObject:
    """A segment as a manifest has it; `name`: of its object."""
    times: dict[str, Any] = {column: _range(segment[column]) for column in ("visible", "end_at")}
    return SegmentObject(**entry._asdict(), object=name, **times, format=segment.format)


def fenced(url: str, state: ShardState, epoch: int) -> Fenced:
    """The error of a writer with an older epoch."""
    return Fenced(
        f"shard {state.shard} of {url}: {state.writer} claimed it at {state.claimed} (epoch {state.epoch}),"
        f" so this writer (epoch {epoch}) may commit no more; nothing of this push was committed. One writer"
        " at a time: end one of them, or claim the shard and fetch it again"
    )


def _state(manifest: CorpusManifest, shard: int) -> ShardState:
    state = manifest.shard(shard)
    if state is None:
        raise UsageError(
            f"the corpus has {len(manifest.shards)} shards, and no shard {shard}: claim it first"
        )
    return state


def _onto(latest: ShardState, pushed: ShardState) -> ShardState:
    """What was pushed, claimed by whom it is."""
    return replace(pushed, epoch=latest.epoch, writer=latest.writer, claimed=latest.claimed)


def _range(times: Array) -> tuple[int, int] | None:
    return (int(times.min()), int(times.max())) if len(times) else None


def _read(descriptor: int, first: int, last: int) -> bytes:
    """These bytes of a file that does not change. Raises CorpusError where it ends before."""
    content = bytearray()
    while first + len(content) < last:
        piece = os.pread(descriptor, last - first - len(content), first + len(content))
        if not piece:
            raise CorpusError("corpus.db ends before its last page: run `asof status --check`")
        content += piece
    return bytes(content)
