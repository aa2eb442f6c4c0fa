"""Writers, readers and vacuums of one storage whose operations take turns, in an order that a test chooses.

Each actor is a thread that stops before every operation on the storage. When all are stopped, one is chosen
and goes on to its next operation. Time passes by the clock of the storage as it is told to.
"""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from hypothesis import strategies as st
from tests.support.storages import SECOND, Timed, Watched, content, missing, storage_of, write

from asof.errors import Fenced, ManifestExpired, MissingObject, StaleCopy, StorageError
from asof.storage.manifests import CorpusManifest
from asof.storage.storage import Storage
from asof.storage.vacuum import Vacuum

Choose = Callable[[int], int]
"""A number below another one."""

KINDS = ("writer", "writer", "reader", "vacuum", "pinner", "resumer")


@dataclass
class Actor:
    """`run` gets the storage as this actor reaches it."""

    name: str
    run: Callable[[Storage], None]
    state: str = "begins"
    waits_for: tuple[str, str] = ("", "")
    error: BaseException | None = None


@dataclass
class Turns:
    """Runs actors over objects in turns; `check` is called after each operation that could break
    something."""

    objects: Timed
    choose: Choose
    check: Callable[[], None]
    actors: list[Actor] = field(default_factory=list)
    _changed: threading.Condition = field(default_factory=threading.Condition)

    def run(self) -> None:
        threads = [threading.Thread(target=self._act, args=(actor,), daemon=True) for actor in self.actors]
        for thread in threads:
            thread.start()
        while ready := self._stopped():
            actor = ready[self.choose(len(ready))]
            if not any(each.waits_for[0] == "create manifests" for each in ready):
                self.objects.now += (0, 60, 700)[self.choose(3)] * SECOND
            done = actor.waits_for
            with self._changed:
                actor.state = "runs"
                self._changed.notify_all()
            self._stopped()
            if done[0] in ("delete", "create manifests"):
                self.check()
        for thread in threads:
            thread.join()
        for actor in self.actors:
            if actor.error is not None:
                raise actor.error

    def _stopped(self) -> list[Actor]:
        """Those that wait for their turn, when nobody runs."""
        with self._changed:
            assert self._changed.wait_for(
                lambda: all(each.state in ("waits", "ended") for each in self.actors), timeout=20
            )
            return [each for each in self.actors if each.state == "waits"]

    def _act(self, actor: Actor) -> None:
        def before(operation: str, name: str) -> None:
            with self._changed:
                at_commit = operation == "create" and name.startswith("manifests/")
                actor.waits_for = ("create manifests" if at_commit else operation, name)
                actor.state = "waits"
                self._changed.notify_all()
                self._changed.wait_for(lambda: actor.state == "runs")

        try:
            before("", "")
            actor.run(storage_of(Watched(self.objects, before)))
        except BaseException as error:  # noqa: BLE001  it is raised in the thread of the test
            actor.error = error
        with self._changed:
            actor.state = "ended"
            self._changed.notify_all()


@dataclass
class Play:
    """What several do with one storage, and what each truth that was pushed holds. `killed`: the working
    copy of a push that was killed."""

    objects: Timed
    folder: Path
    killed: Path
    choose: Choose
    texts: dict[str, dict[str, str]] = field(default_factory=dict)
    commits: list[CorpusManifest] = field(default_factory=list)
    fenced: int = 0

    def run(self, kinds: list[str]) -> None:
        turns = Turns(self.objects, self.choose, self.check)
        for number, kind in enumerate(kinds):
            turns.actors.append(Actor(f"{kind}{number}", self._actor(kind, number)))
        turns.run()
        self.check()
        numbers = [each.number for each in self.commits]
        assert len(set(numbers)) == len(numbers)

    def check(self) -> None:
        """Nothing that is named is missing; numbers have no gaps; a shard only changes in its epoch."""
        storage = storage_of(self.objects)
        assert missing(storage) == set()
        numbers = [int(each.name[10:30]) for each in self.objects.names("manifests")]
        assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))

    def known(self, manifest: CorpusManifest) -> dict[str, str]:
        """What a manifest has to show."""
        found: dict[str, str] = {}
        for state in manifest.shards:
            found |= self.texts[state.truth.chunks] if state.truth else {}
        return found

    def push(self, storage: Storage, root: Path, epochs: dict[int, int]) -> None:
        texts = {shard: content_of(root, shard) for shard in epochs}
        manifest = storage.push(root, epochs)
        for shard, epoch in epochs.items():
            state = manifest.shards[shard]
            assert state.epoch == epoch
            assert state.truth
            self.texts[state.truth.chunks] = texts[shard]
        self.commits.append(manifest)

    def _actor(self, kind: str, number: int) -> Callable[[Storage], None]:
        root = self.folder / f"{kind}{number}"
        shards = [(0,), (1,), (0, 1)][self.choose(3)]

        def writer(storage: Storage) -> None:
            try:
                epochs = {shard: storage.claim(shard, f"writer {number}") for shard in shards}
                storage.pull(root)
                for step in range(2):
                    write(root, *((f"doc{each}", f"text {number} {step} {each}") for each in range(step, 4)))
                    self.push(storage, root, epochs)
            except Fenced:
                self.fenced += 1
            except (StaleCopy, MissingObject):
                pass
            except StorageError as error:
                if "stood still" not in str(error):
                    raise

        def resumer(storage: Storage) -> None:
            """Goes on where a writer was killed, with what that one has uploaded."""
            shutil.copytree(self.killed, root)
            try:
                self.push(storage, root, {0: 1, 1: 1})
            except Fenced:
                self.fenced += 1
            except StaleCopy:  # another one did
                pass

        def reader(storage: Storage) -> None:
            for _ in range(2):
                try:
                    manifest = storage.pull(root)
                except MissingObject:  # it slept longer than manifests are kept
                    continue
                assert content(root) == self.known(manifest)

        def pinner(storage: Storage) -> None:
            try:
                manifest = storage.pin(f"pin{number}")
            except ManifestExpired:
                return
            storage.pull(root)
            assert storage.pull(root, manifest.number) == manifest
            assert content(root) == self.known(manifest)
            assert storage.unpin(f"pin{number}")

        def vacuum(storage: Storage) -> None:
            from datetime import timedelta

            for _ in range(2):
                Vacuum(storage.history, timedelta(hours=1)).run(keep=1, keep_for=timedelta())

        return {
            "writer": writer, "resumer": resumer, "reader": reader, "pinner": pinner, "vacuum": vacuum,
        }[kind]  # fmt: skip


def content_of(root: Path, shard: int) -> dict[str, str]:
    from asof.store.shard_layout import shard_of

    return {name: text for name, text in content(root).items() if shard_of(name, 2) == shard}


@contextmanager
def one_at_a_time(objects: Timed) -> Iterator[None]:
    """Each actor does one thing at a time, and the time of a push is that of the storage."""
    import pytest

    from asof.storage import fetch, push, upload, vacuum

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(push, "THREADS", 1)
        patch.setattr(fetch, "THREADS", 1)
        patch.setattr(vacuum, "THREADS", 1)
        patch.setattr(upload, "_elapsed", lambda: objects.now / SECOND)
        yield


def casts() -> st.SearchStrategy[list[str]]:
    return st.lists(st.sampled_from(KINDS), min_size=2, max_size=5)
