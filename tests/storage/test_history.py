"""Numbered manifests: commits at once, the latest of many, answers that are lost."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from tests.support.storages import NOW, Watched, in_folder

from asof.errors import ManifestExpired, NoCorpus, StorageUnavailable, UsageError
from asof.storage.history import History
from asof.storage.local import LocalObjects
from asof.storage.manifests import CorpusManifest, ShardState
from asof.storage.names import manifest_path

FIRST = CorpusManifest(0, "", "", 1, (ShardState(0),))


def next_one(latest: CorpusManifest | None) -> CorpusManifest:
    """What counts commits: its only shard's epoch is how many there were."""
    if latest is None:
        return FIRST
    return latest.with_shards(replace(latest.shards[0], epoch=latest.shards[0].epoch + 1))


def with_manifests(folder: Path, numbers: range) -> LocalObjects:
    objects = LocalObjects(folder)
    (folder / "manifests").mkdir(parents=True)
    for number in numbers:
        (folder / manifest_path(number)).write_bytes(replace(FIRST, number=number).dumps())
    return objects


def test_commits_at_once_follow_each_other(memory_folder: Path) -> None:
    objects = LocalObjects(memory_folder)
    histories = [History(objects, lambda: NOW) for _ in range(48)]
    with ThreadPoolExecutor(48) as pool:
        committed = list(pool.map(lambda history: history.commit(next_one), histories))
    assert sorted(each.number for each in committed) == list(range(1, 49))
    for each in committed:  # each is based on the one before it: none is lost
        assert each.shards[0].epoch == each.number - 1
        assert each.written == "2023-11-14T22:13:20Z"
    latest = histories[0].latest()
    assert latest
    assert latest.number == 48


@pytest.mark.parametrize("oldest", [1, 2, 37])
@pytest.mark.parametrize("count", [1, 2, 3, 700])
def test_the_latest_is_found_without_a_listing_of_all(memory_folder: Path, oldest: int, count: int) -> None:
    objects = Watched(with_manifests(memory_folder, range(oldest, oldest + count)))
    history = History(objects, lambda: NOW)
    latest = history.latest()
    assert latest
    assert latest.number == oldest + count - 1
    # one listing, of which the first name is read; steps of 1, 2, 4, … and then halves: 2 * log2(700) + 2 <
    # 22
    assert objects.counts["names"] == 1
    assert objects.counts["size"] <= 22
    objects.counts.clear()
    assert history.latest() == latest  # n + 1 is not there, n is
    assert objects.counts == {"size": 2}
    replace(latest, number=latest.number + 1)
    (memory_folder / manifest_path(latest.number + 1)).write_bytes(
        replace(latest, number=latest.number + 1).dumps()
    )
    following = history.latest()
    assert following
    assert following.number == latest.number + 1
    assert objects.counts["names"] == 0


def test_what_was_seen_last_may_have_expired(memory_folder: Path) -> None:
    objects = with_manifests(memory_folder, range(1, 4))
    history = History(objects, lambda: NOW)
    assert history.latest()
    for number in range(4, 12):
        objects.put(manifest_path(number), replace(FIRST, number=number).dumps())
    objects.delete(manifest_path(number) for number in range(1, 9))
    latest = history.latest()
    assert latest
    assert latest.number == 11


def test_a_manifest_that_expires_while_the_latest_is_looked_for(memory_folder: Path) -> None:
    """Between two questions of the reader, all manifests that it knows of expire."""
    inner = with_manifests(memory_folder, range(1, 4))
    objects = Watched(inner)
    history = History(objects, lambda: NOW)
    assert history.latest()
    asked = []

    def expire(operation: str, name: str) -> None:
        asked.append(name)
        if len(asked) == 1:  # 4 is asked for, is not there, and now 4 and 5 come and 1 to 4 go
            for number in (4, 5):
                inner.put(manifest_path(number), replace(FIRST, number=number).dumps())
            inner.delete(manifest_path(number) for number in range(1, 5))

    objects.after = expire
    latest = history.latest()
    assert latest
    assert latest.number == 5


@pytest.mark.parametrize("answer", ["an error", "that another was first"])
def test_a_commit_whose_answer_is_lost_is_known_again(memory_folder: Path, answer: str) -> None:
    class Lossy(Watched):
        def create(self, name: str, content: bytes) -> bool:
            assert self.behind.create(name, content)
            if answer == "an error":
                raise StorageUnavailable("no answer")
            return False

    history = History(Lossy(LocalObjects(memory_folder)), lambda: NOW)
    assert [history.commit(next_one).number for _ in range(3)] == [1, 2, 3]
    assert history.commit(next_one).shards[0].epoch == 3


def test_a_commit_that_fails_is_an_error(memory_folder: Path) -> None:
    class Unavailable(Watched):
        def create(self, name: str, content: bytes) -> bool:
            raise StorageUnavailable("no answer")

    objects = Unavailable(LocalObjects(memory_folder))
    with pytest.raises(StorageUnavailable, match="no answer"):
        History(objects, lambda: NOW).commit(next_one)
    assert History(objects, lambda: NOW).latest() is None


def test_a_corpus_is_made_once(tmp_path: Path) -> None:
    storage = in_folder(tmp_path)
    assert storage.latest() is None
    with pytest.raises(NoCorpus, match="no corpus at file://"):
        storage.claim(0, "me")
    assert storage.create(2).number == storage.create(2).number == 1
    with pytest.raises(UsageError, match="has 2 shards, not 3"):
        storage.create(3)
    with pytest.raises(ManifestExpired, match="has no manifest 7: the latest is 1"):
        storage.manifest(7)


def test_claims_count_and_say_whom_they_replace(tmp_path: Path) -> None:
    notes: list[str] = []
    storage = in_folder(tmp_path, notes)
    storage.create(2)
    assert [storage.claim(1, "first"), storage.claim(1, "second"), storage.claim(0, "third")] == [1, 2, 1]
    (note,) = notes
    assert note.startswith(f"{storage.url} has one writer at a time: second takes the place of first. If ")
    assert storage.claim(2, "growing") == 1  # the one that follows; it does not count yet
    latest = storage.latest()
    assert latest
    assert (latest.count, len(latest.shards)) == (2, 3)
    with pytest.raises(UsageError, match="no shard 4"):
        storage.claim(4, "me")


def test_of_two_who_claim_the_same_shards_one_gets_all(tmp_path: Path) -> None:
    notes: list[str] = []
    storage = in_folder(tmp_path, notes)
    storage.create(8)
    with ThreadPoolExecutor(6) as pool:
        claims = list(pool.map(lambda name: storage.claim_shards(range(8), name), "abcdef"))
    # each has one and the same epoch in all shards
    assert sorted(sorted(set(each.values())) for each in claims) == [[epoch] for epoch in range(1, 7)]
    latest = storage.latest()
    assert latest
    assert latest.number == 7
    assert len({state.writer for state in latest.shards}) == 1
    assert len(notes) == 5  # all but the first replace one
    assert all(note.endswith("; if it has ended, nothing needs to be done") for note in notes)
    storage.claim_shards(range(8), "next", ended=lambda writer: writer == latest.shards[0].writer)
    assert len(notes) == 5  # who has ended is not told of
    assert storage.claim_shards([], "nobody") == {}
    assert storage.claim_shards([8, 9], "growing") == {8: 1, 9: 1}
