"""Copies elsewhere, and earlier states that become the latest."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from tests.support.storages import (
    Timed,
    Watched,
    content,
    in_folder,
    missing,
    ready,
    storage_of,
    unnamed,
    write,
)

from asof.errors import DamagedObject, Fenced, ManifestExpired, NoCorpus, StaleCopy, UsageError
from asof.storage.local import LocalObjects
from asof.storage.names import object_path


def test_a_copy_elsewhere_is_a_corpus_and_only_new_objects_follow(memory_folder: Path) -> None:
    storage, epochs, root = ready(memory_folder, LocalObjects(memory_folder / "store"))
    there = (memory_folder / "backup").as_uri()
    with pytest.raises(NoCorpus):
        in_folder(memory_folder / "none").backup(there)
    first, then = storage.backup(there), content(root)
    # of each of two shards: two chunks (192 KiB), the list of them, a segment
    assert (first.number, first.of, first.objects) == (1, 4, 8)
    write(root, ("note9", "A storm."))
    storage.push(root, epochs)
    second = storage.backup(there)
    assert (second.number, second.of, second.objects) == (2, 5, 4)
    copy = in_folder(memory_folder / "backup")
    assert unnamed(copy) == missing(copy) == set()
    copy.pull(memory_folder / "latest")
    copy.pull(memory_folder / "earlier", 1)
    assert content(memory_folder / "latest") == content(root)
    assert content(memory_folder / "earlier") == then
    assert storage.pins() == {}
    old = storage.backup((memory_folder / "old").as_uri(), 4)
    assert old.of == 4
    in_folder(memory_folder / "old").pull(memory_folder / "of-old")
    assert content(memory_folder / "of-old") == then


def test_a_copy_replaces_no_other_corpus_unasked(memory_folder: Path) -> None:
    storage, _, root = ready(memory_folder, LocalObjects(memory_folder / "store"))
    other, _, other_root = ready(memory_folder / "o", LocalObjects(memory_folder / "other"))
    with pytest.raises(UsageError, match="holds another corpus, or one that was written to"):
        storage.backup(other.url)
    with pytest.raises(UsageError, match="is the corpus itself"):
        storage.backup(storage.url)
    write(other_root, ("note9", "A storm."))
    report = storage.backup(other.url, over=True)
    assert report.number == 5
    with pytest.raises(Fenced):
        other.push(other_root, {0: 1, 1: 1})
    other.pull(memory_folder / "copy")
    assert content(memory_folder / "copy") == content(root)


def test_an_altered_object_is_not_copied(memory_folder: Path) -> None:
    storage, _, _ = ready(memory_folder, LocalObjects(memory_folder / "store"))
    latest = storage.latest()
    assert latest
    storage.objects.put(
        object_path(latest.shards[0].segments[0].object), b"x" * latest.shards[0].segments[0].bytes
    )
    with pytest.raises(DamagedObject, match="is not what its name says"):
        storage.backup((memory_folder / "backup").as_uri())
    assert in_folder(memory_folder / "backup").latest() is None
    assert storage.pins() == {}


def test_an_earlier_state_becomes_the_latest(memory_folder: Path) -> None:
    objects = Timed(LocalObjects(memory_folder / "store"))
    storage, epochs, root = ready(memory_folder, objects)
    number, then = 4, content(root)
    write(root, ("note0", "No ferry today."), ("note9", "A storm."))
    after = storage.push(root, epochs).number
    copy = memory_folder / "copy"
    storage.pull(copy)
    restored = storage.restore(number)
    assert (restored.number, restored.origin) == (after + 1, f"restored from manifest {number}")
    assert [state.epoch for state in restored.shards] == [2, 2]
    storage.pull(copy)
    assert content(copy) == then
    with pytest.raises(Fenced, match=f"restored from manifest {number} claimed it"):
        storage.push(root, epochs)
    with pytest.raises(StaleCopy):  # whoever claims it fetches it first
        storage.push(root, {shard: storage.claim(shard, "first") for shard in range(2)})
    storage.pull(root)
    assert content(root) == then
    objects.now += 10**14  # 3 years
    storage.vacuum(timedelta(hours=1), keep=1, keep_for=timedelta())
    assert missing(storage) == set()
    with pytest.raises(ManifestExpired):
        storage.restore(number)


def test_what_is_restored_does_not_expire_meanwhile(memory_folder: Path) -> None:
    objects = Timed(LocalObjects(memory_folder / "store"))
    storage, epochs, root = ready(memory_folder, objects)
    write(root, ("note0", "No ferry today."), ("note9", "A storm."))
    storage.push(root, epochs)
    objects.now += 10**14
    watched = Watched(objects)

    def expires(operation: str, name: str) -> None:
        if operation == "create" and name.startswith("manifests/"):
            watched.before = lambda *_: None
            assert 4 in storage.vacuum(timedelta(hours=1), keep=1, keep_for=timedelta()).manifests

    watched.before = expires
    storage_of(watched).restore(4)
    assert missing(storage) == set()
    storage.pull(memory_folder / "copy")
    assert "note9" not in content(memory_folder / "copy")
