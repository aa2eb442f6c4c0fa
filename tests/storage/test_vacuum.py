"""What is removed, and what never is."""

from __future__ import annotations

import shutil
from datetime import timedelta
from pathlib import Path

import pytest
from tests.support.storages import (
    SECOND,
    Killed,
    Timed,
    Watched,
    content,
    killed_at,
    missing,
    ready,
    storage_of,
    unnamed,
    write,
)

from asof.cluster.opening import open_shards
from asof.errors import ManifestExpired, UsageError
from asof.storage import upload
from asof.storage.local import LocalObjects
from asof.storage.storage import Storage
from asof.storage.vacuum import VacuumReport

HOUR = timedelta(hours=1)
NONE = timedelta()


@pytest.fixture
def objects(memory_folder: Path) -> Timed:
    return Timed(LocalObjects(memory_folder / "store"))


def pass_time(objects: Timed, span: timedelta) -> None:
    objects.now += int(span.total_seconds()) * SECOND


def numbers(storage: Storage) -> list[int]:
    return [int(each.name[10:30]) for each in storage.objects.names("manifests")]


def pushed(storage: Storage, root: Path, epochs: dict[int, int], text: str) -> int:
    write(root, *((f"note{i}", f"{text} of day {i}.") for i in range(4)))
    return storage.push(root, epochs).number


def test_manifests_expire_by_count_and_by_age(memory_folder: Path, objects: Timed) -> None:
    storage, epochs, root = ready(memory_folder, objects)
    for step in range(6):
        pass_time(objects, timedelta(days=1))
        pushed(storage, root, epochs, f"Text {step}")
    assert numbers(storage) == list(range(1, 11))  # 1 to 4 on day 0, then one on each of the days 1 to 6
    pass_time(objects, timedelta(hours=1))
    # that of day n was the latest until day n + 1: 5 and earlier ones until day 2 or before, 6 until day 3,
    # which is within 3 days and 2 hours of now, day 6 and 1 hour
    report = storage.vacuum(HOUR, keep=1, keep_for=timedelta(days=3, hours=2))
    assert report.manifests == (1, 2, 3, 4, 5)
    assert storage.vacuum(HOUR, keep=4, keep_for=NONE).manifests == (6,)
    assert (
        storage.vacuum(timedelta(days=3), keep=1, keep_for=NONE).manifests == ()
    )  # no sooner than the grace
    report = storage.vacuum(HOUR, keep=1, keep_for=NONE)
    assert report.manifests == (7, 8)  # 9 was the latest until 1 hour ago
    assert numbers(storage) == [9, 10]
    assert unnamed(storage) == missing(storage) == set()
    assert report.objects > 0
    with pytest.raises(ManifestExpired, match="has no manifest 3: the latest is 10"):
        storage.pull(memory_folder / "copy", 3)
    storage.pull(memory_folder / "copy")
    assert content(memory_folder / "copy") == content(root)


def test_pinned_manifests_stay(memory_folder: Path, objects: Timed) -> None:
    storage, epochs, root = ready(memory_folder, objects)
    number, then = storage.pin("before-the-storm").number, content(root)
    assert storage.pin("before-the-storm").number == number  # again is as once
    for step in range(3):
        pass_time(objects, timedelta(days=2))
        pushed(storage, root, epochs, f"Storm {step}")
    with pytest.raises(UsageError, match="is taken"):
        storage.pin("before-the-storm")
    with pytest.raises(UsageError, match="no name of a pin"):
        storage.pin("../x")
    assert number in storage.vacuum(HOUR, keep=1, keep_for=NONE).manifests
    assert missing(storage) == set()
    storage.pull(memory_folder / "copy", number)
    assert content(memory_folder / "copy") == then
    assert storage.pins() == {"before-the-storm": number}
    with pytest.raises(ManifestExpired):
        storage.pin("late", number - 1)
    assert storage.unpin("before-the-storm")
    assert not storage.unpin("before-the-storm")
    assert storage.vacuum(HOUR, keep=1, keep_for=NONE).objects > 0
    with pytest.raises(ManifestExpired):
        storage.manifest(number)


def test_a_pin_that_comes_while_its_manifest_goes(memory_folder: Path, objects: Timed) -> None:
    storage, epochs, root = ready(memory_folder, objects)
    number = 4
    pass_time(objects, timedelta(days=2))
    pushed(storage, root, epochs, "Storm")
    pass_time(objects, timedelta(days=2))
    watched = Watched(objects)

    def goes(operation: str, name: str) -> None:
        if operation == "create" and name.startswith("pins/"):
            watched.after = lambda *_: None
            storage.vacuum(HOUR, keep=1, keep_for=NONE)

    watched.after = goes
    # the pin was there before the objects were looked at, but not before the manifest went: it does not count
    with pytest.raises(ManifestExpired):
        storage_of(watched).pin("late", number)
    assert storage.pins() == {}


def test_what_a_push_may_be_about_to_name_is_kept(memory_folder: Path, objects: Timed) -> None:
    storage, epochs, root = ready(memory_folder, objects)
    write(root, ("note9", "A storm."))
    with pytest.raises(Killed):
        storage_of(Watched(objects, killed_at(14))).push(root, epochs)
    assert unnamed(storage)
    pass_time(objects, timedelta(minutes=59))
    assert storage.vacuum(HOUR) == VacuumReport(young=len(unnamed(storage)))
    pass_time(objects, timedelta(minutes=2))
    left = len(unnamed(storage))
    assert storage.vacuum(HOUR).objects == left
    assert unnamed(storage) == missing(storage) == set()
    with pytest.raises(UsageError, match="a grace of 0:30:00 is too short"):
        storage.vacuum(timedelta(minutes=30))
    with pytest.raises(UsageError, match="keep is 0"):
        storage.vacuum(keep=0)


def test_a_push_that_needs_what_a_vacuum_is_about_to_remove(memory_folder: Path, objects: Timed) -> None:
    """The vacuum has listed what a killed push left, and decided to remove it; now the push is made again."""
    storage, epochs, root = ready(memory_folder, objects)
    write(root, *((f"note{i}", f"The storm of day {i}.") for i in range(4)))

    def before_the_commit(operation: str, name: str) -> None:
        if operation == "create" and name.startswith("manifests/"):
            raise Killed

    with pytest.raises(Killed):
        storage_of(Watched(objects, before_the_commit)).push(root, epochs)
    left = unnamed(storage)
    pass_time(objects, timedelta(days=2))
    watched = Watched(objects)

    def again(operation: str, name: str) -> None:
        if operation == "delete" and name.startswith("objects/"):
            watched.before = lambda *_: None
            storage.push(root, epochs)

    watched.before = again
    assert storage_of(watched).vacuum(HOUR).objects == len(left)
    assert missing(storage) == set()
    storage.pull(memory_folder / "copy")
    assert content(memory_folder / "copy") == content(root)


def test_a_push_that_takes_long_says_so(
    memory_folder: Path, objects: Timed, monkeypatch: pytest.MonkeyPatch
) -> None:
    """25 minutes pass before each object: what was put hours ago stays while the push is at work."""
    monkeypatch.setattr(upload, "_elapsed", lambda: objects.now / SECOND)
    storage, epochs, root = ready(memory_folder, objects)
    write(root, *((f"note{i}", f"The storm of day {i}.") for i in range(4)))
    watched, removed = Watched(objects), []

    def slowly(operation: str, name: str) -> None:
        if operation == "create" and name.startswith("objects/"):
            pass_time(objects, timedelta(minutes=25))
            removed.append(storage.vacuum(HOUR).objects)

    watched.before = slowly
    storage_of(watched).push(root, epochs)
    assert len(removed) >= 6
    assert removed == [0] * len(removed)
    assert missing(storage) == set()
    assert list(objects.names("pushing")) == []


def test_a_push_that_stood_still_does_not_commit(
    memory_folder: Path, objects: Timed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(upload, "_elapsed", lambda: objects.now / SECOND)
    storage, epochs, root = ready(memory_folder, objects)
    write(root, *((f"note{i}", f"The storm of day {i}.") for i in range(4)))
    watched = Watched(objects)

    def sleeps(operation: str, name: str) -> None:
        if operation == "create" and name.startswith("objects/"):
            watched.after = lambda *_: None
            pass_time(objects, timedelta(days=2))
            assert storage.vacuum(HOUR).objects > 0

    watched.after = sleeps
    with pytest.raises(Exception, match=r"stood still for 2880 minutes.*nothing was committed"):
        storage_of(watched).push(root, epochs)
    assert missing(storage) == set()
    storage.push(root, epochs)
    assert missing(storage) == set()


def test_a_purge_takes_the_past_with_it_at_once(memory_folder: Path, objects: Timed) -> None:
    storage, epochs, root = ready(memory_folder, objects)
    write(root, ("secret", "Wormwood is the word."))
    storage.push(root, epochs)
    storage.pin("holds-it")

    def where() -> list[str]:
        files = (file for file in (memory_folder / "store").rglob("*") if file.is_file())
        return [file.name for file in files if b"Wormwood" in file.read_bytes()]

    assert where()
    with open_shards(root) as corpus:
        corpus.purge("secret")
    manifest = storage.push(root, epochs)
    storage.pin("after")
    report = storage.expire_before(manifest.number)
    assert (report.pins, report.manifests) == (("holds-it",), (1, 2, 3, 4, 5))
    assert report.objects > 0
    assert where() == []
    assert numbers(storage) == [manifest.number]
    assert storage.pins() == {"after": manifest.number}
    assert missing(storage) == set()
    storage.pull(memory_folder / "copy")
    assert (
        content(memory_folder / "copy")
        == content(root)
        == {f"note{i}": f"The ferry of day {i}." for i in range(4)}
    )
    with pytest.raises(ManifestExpired):
        storage.expire_before(2)


def test_what_killed_processes_leave_beside_objects_goes(memory_folder: Path, objects: Timed) -> None:
    storage, _, _ = ready(memory_folder, objects)
    shutil.copy(
        memory_folder / "store" / "manifests" / f"{1:020}.json", memory_folder / "store" / "tmp" / "ab"
    )
    objects.put("pushing/12.json", b"not even a table")
    objects.put_at["tmp/ab"] = objects.now
    storage.vacuum(HOUR)
    assert len(list(objects.names("tmp"))) == len(list(objects.names("pushing"))) == 1
    pass_time(objects, timedelta(hours=2))
    storage.vacuum(HOUR)
    assert list(objects.names("tmp")) == list(objects.names("pushing")) == list(objects.names("clock")) == []
