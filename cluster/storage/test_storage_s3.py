"""A corpus in a bucket of S3: commits at once, interleavings, an S3 that fails, a reader who stays."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from cluster.support.faults import Fault, Faults, faulty_proxy
from cluster.support.processes import free_port
from cluster.support.s3 import Bucket
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.storages import (
    NOW,
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
from tests.support.turns import Play, casts, content_of, one_at_a_time

from asof.errors import StorageError, StorageUnavailable
from asof.storage import remote
from asof.storage.address import open_objects
from asof.storage.history import History
from asof.storage.manifests import CorpusManifest
from asof.storage.remote import RemoteObjects


def test_48_commits_at_once_follow_each_other(s3: Bucket) -> None:
    histories = [History(open_objects(f"{s3.url}/corpus"), lambda: NOW) for _ in range(48)]
    storage_of(histories[0].objects).create(1)

    def next_one(latest: CorpusManifest | None) -> CorpusManifest:
        assert latest
        return latest.with_shards(replace(latest.shards[0], epoch=latest.shards[0].epoch + 1))

    with ThreadPoolExecutor(48) as pool:
        committed = list(pool.map(lambda history: history.commit(next_one), histories))
    assert sorted(each.number for each in committed) == list(range(2, 50))
    assert all(each.shards[0].epoch == each.number - 1 for each in committed)
    assert s3.keys("corpus/manifests") == [f"corpus/manifests/{number:020}.json" for number in range(1, 50)]


def test_who_reads_sees_one_committed_state(s3: Bucket, tmp_path: Path) -> None:
    """The property of tests/storage/test_interleavings.py, in a bucket."""
    (tmp_path / "begun").mkdir()
    begun = RemoteObjects.open(f"{s3.url}/begun")
    _, epochs, root = ready(tmp_path / "begun", begun)
    killed = tmp_path / "killed"
    storage_of(begun).pull(killed)
    write(killed, *((f"doc{each}", f"text 0 0 {each}") for each in range(4)))
    with pytest.raises(Killed):
        storage_of(Watched(begun, killed_at(14))).push(killed, epochs)
    numbers = iter(range(1000))

    @given(casts(), st.data())
    @settings(max_examples=8)
    def property_(kinds: list[str], data: st.DataObject) -> None:
        number = next(numbers)
        objects = Timed(RemoteObjects.open(f"{s3.url}/example{number}"))
        for folder in ("objects", "manifests"):
            for each in begun.names(folder):
                objects.put(each.name, begun.get(each.name) or b"")
                objects.put_at[each.name] -= 48 * 3600 * SECOND
        there = tmp_path / str(number)
        there.mkdir()
        play = Play(objects, there, tmp_path / "none", lambda below: data.draw(st.integers(0, below - 1)))
        latest = storage_of(objects).latest()
        assert latest
        for state in latest.shards:
            assert state.truth
            play.texts[state.truth.chunks] = content_of(root, state.shard)
        with one_at_a_time(objects):
            play.run([kind if kind != "resumer" else "vacuum" for kind in kinds])

    property_()


FAULTS = {
    "503": lambda: Fault("503", times=6),
    "refused": lambda: Fault("refuse", times=3),
    "a slow answer": lambda: Fault("slow", times=3, seconds=0.5),
    "a body that is cut": lambda: Fault("cut", "GET", times=4, keep=7),
    "an answer that is lost": lambda: Fault("lost", "PUT", times=3),
    "a lost answer to a commit": lambda: Fault("lost", "PUT", "/manifests/", times=1),
    "a manifest that is cut": lambda: Fault("cut", "GET", "/manifests/", times=2, keep=100),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_what_fails_for_a_while_is_done_in_the_end(
    faulty_s3: tuple[Bucket, Faults], tmp_path: Path, fault: str
) -> None:
    bucket, faults = faulty_s3
    storage, epochs, root = ready(tmp_path, open_objects(f"{bucket.url}/corpus"))
    copy = tmp_path / "copy"
    storage.pull(copy)
    write(root, *((f"note{i}", f"The storm of day {i}.") for i in range(4)))
    other = storage_of(open_objects(f"{bucket.url}/corpus"))
    planned = [faults.plan(FAULTS[fault]())]
    number = storage.push(root, epochs).number
    planned.append(faults.plan(FAULTS[fault]()))
    assert other.pull(copy).number == number == 5
    assert content(copy) == content(root)
    assert missing(other) == set()
    assert any(each.hits for each in planned)
    assert storage.push(root, epochs).number == 5  # it knows its commit, and does not repeat it


@pytest.mark.parametrize("fault", ["503", "refuse", "cut"])
def test_what_never_answers_is_given_up_in_words(
    faulty_s3: tuple[Bucket, Faults], tmp_path: Path, fault: str
) -> None:
    bucket, faults = faulty_s3
    objects = RemoteObjects.open(f"{bucket.url}/corpus", patience=2.0)
    storage, epochs, root = ready(tmp_path, objects)
    copy = tmp_path / "copy"
    storage.pull(copy)
    before = content(copy)
    write(root, ("note9", "A storm."))
    storage.push(root, epochs)
    faults.plan(Fault(fault, "GET", "/objects/", times=1000, keep=3))  # type: ignore[arg-type]
    begun = time.monotonic()
    with pytest.raises(StorageUnavailable, match=r"was not read within 2 s: .*run the same command again"):
        storage.pull(copy)
    assert time.monotonic() - begun < 10
    assert content(copy) == before
    faults.clear()
    storage.pull(copy)
    assert content(copy) == content(root)


@pytest.mark.parametrize(
    ("endpoint", "cause"),
    [("http://127.0.0.1:{}", "Connection refused"), ("http://storage.invalid:{}", "failed to lookup")],
)
def test_where_nothing_listens_is_said_soon(
    s3: Bucket, monkeypatch: pytest.MonkeyPatch, endpoint: str, cause: str
) -> None:
    closed = endpoint.format(free_port())
    monkeypatch.setenv("AWS_ENDPOINT_URL", closed)
    begun = time.monotonic()
    with pytest.raises(StorageUnavailable, match=rf"no connection to {closed} within 8 s \({cause}.*AWS_END"):
        open_objects(f"{s3.url}/corpus").get("manifests/1")
    assert time.monotonic() - begun < 10


def test_what_answered_once_is_waited_for(s3: Bucket, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also if it says that it has no time, and when nothing listens any more, as while it starts again."""
    monkeypatch.setattr(remote, "FIRST_PATIENCE", 0.5)
    with faulty_proxy(s3.port) as faults:
        monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{faults.port}")
        objects, busy = (RemoteObjects.open(f"{s3.url}/corpus", patience=4.0) for _ in range(2))
        assert objects.get("manifests/1") is None
        faults.plan(Fault("503", "GET", times=6))
        assert busy.get("manifests/1") is None
        assert faults.requests["GET"] == 1 + 7
    with pytest.raises(StorageUnavailable, match=r"manifests/1 was not read within 4 s: .*nothing is lost"):
        objects.get("manifests/1")


def test_a_push_that_loses_the_storage_is_made_again(
    faulty_s3: tuple[Bucket, Faults], tmp_path: Path
) -> None:
    """The commit was made, its answer is lost, and the storage does not answer any more."""
    bucket, faults = faulty_s3
    storage, epochs, root = ready(tmp_path, RemoteObjects.open(f"{bucket.url}/corpus", patience=1.0))
    write(root, ("note9", "A storm."))
    faults.plan(Fault("lost", "PUT", "/manifests/", times=1))
    faults.plan(Fault("503", "PUT|GET|HEAD", "/manifests/", times=1000))
    with pytest.raises(StorageUnavailable):
        storage.push(root, epochs)
    faults.clear()
    again = storage_of(open_objects(f"{bucket.url}/corpus"))
    assert again.push(root, epochs).number == 5
    assert s3_numbers(bucket) == [1, 2, 3, 4, 5]
    again.pull(tmp_path / "copy")
    assert content(tmp_path / "copy") == content(root)


def s3_numbers(bucket: Bucket) -> list[int]:
    return [int(key[-25:-5]) for key in bucket.keys("corpus/manifests")]


def test_a_reader_stays_at_its_manifest_while_200_commits_pass(s3: Bucket, tmp_path: Path) -> None:
    """A vacuum runs all the time, by whose clock an hour passes with each of its runs."""
    objects = Timed(RemoteObjects.open(f"{s3.url}/corpus"))
    storage, epochs, root = ready(tmp_path, objects)
    pinned = storage.pin("reader")
    then, stop, expired = content(root), threading.Event(), []

    def vacuum() -> None:
        cleaning = storage_of(objects)
        while not stop.is_set():
            objects.now += 600 * SECOND  # a push takes less, by far
            expired.extend(cleaning.vacuum(timedelta(hours=1), keep=2, keep_for=timedelta()).manifests)

    with ThreadPoolExecutor(1) as pool:
        cleaning = pool.submit(vacuum)
        try:
            for commit in range(200):
                if commit % 10 == 0:
                    write(root, (f"note{commit % 4}", f"Text {commit}."))
                    storage.push(root, epochs)
                else:
                    storage.claim(2, f"somebody {commit}")
                if commit % 50 == 0:
                    copy = tmp_path / f"copy{commit}"
                    assert storage_of(objects).pull(copy, pinned.number) == pinned
                    assert content(copy) == then
        finally:
            stop.set()
        cleaning.result()
    latest = storage.latest()
    assert latest
    assert latest.number == pinned.number + 200
    assert pinned.number in expired
    assert len(expired) > 20
    storage.pull(tmp_path / "last", pinned.number)
    assert content(tmp_path / "last") == then
    assert missing(storage) == set()
    storage.unpin("reader")
    objects.now += 10**11
    storage.vacuum(timedelta(hours=1), keep=1, keep_for=timedelta())
    assert unnamed(storage) == missing(storage) == set()


def test_a_large_segment_is_sent_and_fetched_in_parts(
    s3: Bucket, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from asof.storage import fetch, upload

    monkeypatch.setattr(upload, "_IN_ONE", 1000)
    monkeypatch.setattr(fetch, "_PIECE", 700)
    storage, _, root = ready(tmp_path, open_objects(f"{s3.url}/corpus"))
    latest = storage.pull(tmp_path / "copy")
    assert all(len(state.segments[0].object) == 49 for state in latest.shards)  # a digest, and a token
    assert content(tmp_path / "copy") == content(root)
    storage.backup(f"{s3.url}/backup")
    assert storage_of(open_objects(f"{s3.url}/backup")).pull(tmp_path / "of-backup")
    assert content(tmp_path / "of-backup") == content(root)


def test_what_is_not_there_is_said(s3: Bucket) -> None:
    storage = storage_of(open_objects(f"{s3.url}/corpus"))
    assert storage.latest() is None
    with pytest.raises(StorageError, match="the storage answers 404 Not Found; look at the bucket's name"):
        storage_of(open_objects("s3://none-of-this-name/corpus")).create(1)


def test_a_long_listing_is_in_order_and_goes_on_after_an_error(
    faulty_s3: tuple[Bucket, Faults], s3: Bucket
) -> None:
    bucket, faults = faulty_s3
    objects = RemoteObjects.open(f"{s3.url}/corpus")
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda number: objects.put(f"objects/{number:05}", b"x"), range(2345)))
    faults.clear()
    through = RemoteObjects.open(f"{bucket.url}/corpus")
    names = through.names("objects")
    found = [next(names).name]
    faults.plan(Fault("503", "GET", times=2))
    faults.plan(Fault("cut", "GET", times=2, keep=200))
    found += [each.name for each in names]
    assert found == [f"objects/{number:05}" for number in range(2345)]
    assert [each.name for each in through.names("objects", "objects/02342")] == found[2343:]
