"""Shards searched by actors of Ray: the answers of one corpus, whatever dies meanwhile."""

from __future__ import annotations

import os
import random
import signal
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

import pytest
from cluster.support.s3 import Bucket

import asof
from asof.cluster.at_url import storage_at
from asof.cluster.conversation import Call
from asof.cluster.grow import grow
from asof.cluster.grow_at_url import grow_at_url
from asof.cluster.program import SearchRequest
from asof.cluster.ray.corpus import RayCorpus, open_ray
from asof.cluster.ray.library import ray
from asof.cluster.ray.lines import DirectLine
from asof.cluster.ray.shards import RayShards, RayTalk
from asof.cluster.search import NOTHING
from asof.corpus_files import FOLDER
from asof.errors import CorpusError, NoCorpus, NotAcrossShards, ShardLost

TOWNS = ("Aldersey", "Brackmoor", "Cotehill", "Dunmere", "Eastwick", "Farholm", "Gillby")
MAYORS = ("Ann", "Bob", "Cid")
QUESTIONS = [
    f"{ask} {town}" for town in TOWNS
    for ask in ("who is the mayor of", "latest mayor of", "mayor as of 2012", '"elected in" 2009')
]  # fmt: skip
AS_OF = "2026-01-01"


def notes() -> list[dict[str, Any]]:
    return [
        {
            "id": f"note-{at}", "title": f"Mayor of {TOWNS[at % 7]}",
            "text": f"The mayor of {TOWNS[at % 7]} is {MAYORS[at % 3]}, elected in {2000 + at % 20}.",
            "published": f"20{at % 20:02}-03-0{1 + at % 9}",
        }
        for at in range(200)
    ]  # fmt: skip


def shown(results: Any) -> list[Any]:
    return [
        *((hit.id, hit.score, hit.superseded, hit.why.as_json()) for hit in results.hits), *results.notes
    ]  # fmt: skip


@contextmanager
def answers(folder: Path, **options: Any) -> Iterator[dict[str, list[Any]]]:
    with asof.open(folder, **options) as corpus:
        corpus.add(notes())
        yield {each: shown(corpus.at(AS_OF).search(each)) for each in QUESTIONS}


def test_actors_answer_as_one_corpus(ray_session: Any, s3: Bucket, tmp_path: Path) -> None:
    with asof.open(f"{s3.url}/corpus", shards=3, write=True) as corpus:
        corpus.add(notes())
    with (
        answers(tmp_path / "one") as expected,
        open_ray(f"{s3.url}/corpus", caches=tmp_path / "caches") as corpus,
    ):
        assert {each: shown(corpus.at(AS_OF).search(each)) for each in QUESTIONS} == expected
        assert {each["shard"] for each in corpus.status()} == {0, 1, 2}
        with ThreadPoolExecutor(8) as pool:
            again = pool.map(lambda each: shown(corpus.at(AS_OF).search(each)), QUESTIONS)
            assert dict(zip(QUESTIONS, again, strict=True)) == expected
        assert 3 <= open_connections(corpus) <= 3 * 8  # each is given back, and used again
        with pytest.raises(NotAcrossShards, match="'twe'"):
            corpus.at(AS_OF).search("mayor", recipe="twe")
        with pytest.raises(NotAcrossShards, match="add works in"):
            corpus.add(notes())


def open_connections(corpus: RayCorpus) -> int:
    """How many connections to actors wait for the next question."""
    return sum(map(len, cast(RayShards, corpus.searching.shards)._lines._free.values()))


def test_actors_that_take_no_connection_answer_by_calls(
    ray_session: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object) -> None:
        raise ConnectionRefusedError

    monkeypatch.setattr("asof.cluster.ray.lines.connect", refused)
    with asof.open(tmp_path / "two", shards=2) as made:
        made.add(notes())
    with answers(tmp_path / "one") as expected, open_ray(tmp_path / "two") as corpus:
        assert {each: shown(corpus.at(AS_OF).search(each)) for each in QUESTIONS} == expected
        assert open_connections(corpus) == 0


def test_a_search_ends_at_the_actors_with_the_connection_of_who_asked(
    ray_session: Any, tmp_path: Path
) -> None:
    with asof.open(tmp_path / "two", shards=2) as made:
        made.add(notes())
    with open_ray(tmp_path / "two") as corpus:
        talk = cast(RayTalk, corpus.searching.shards.begin(SearchRequest(NOTHING, None, 2**60, None)))
        call = Call("opening", ())
        openings = talk.call({0: call, 1: call})
        assert sum(each.passages for each in openings.values()) == 200
        assert [each["under_way"] for each in corpus.status()] == [1, 1]
        for line in talk._begun.values():
            cast(DirectLine, line).connection.close()
        until = time.monotonic() + 10
        while any(each["under_way"] for each in corpus.status()) and time.monotonic() < until:
            time.sleep(0.05)
        assert [each["under_way"] for each in corpus.status()] == [0, 0]
        with pytest.raises(ShardLost, match="the process of a shard ended"):
            talk.call({0: call})
        assert shown(corpus.at(AS_OF).search(QUESTIONS[0]))  # over new ones


def test_a_folder_with_vectors_and_replicas(ray_session: Any, tmp_path: Path) -> None:
    from asof.models.hashed import HashedNgrams

    with asof.open(tmp_path / "four", shards=4, encoder=HashedNgrams()) as corpus:
        corpus.add(notes())
    with (
        answers(tmp_path / "one", encoder=HashedNgrams()) as expected,
        open_ray(tmp_path / "four", replicas=2) as corpus,
    ):
        assert {each: shown(corpus.at(AS_OF).search(each)) for each in QUESTIONS} == expected
        assert len(corpus.status()) == 8


def test_a_later_manifest_is_taken_up_and_a_search_keeps_its_own(
    ray_session: Any, s3: Bucket, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("asof.cluster.ray.corpus.FRESH", 0.0)
    with asof.open(f"{s3.url}/corpus", shards=2, write=True) as writer:
        writer.add(notes())
        writer.push()
        with open_ray(f"{s3.url}/corpus", caches=tmp_path / "caches") as corpus:
            before = corpus.at(AS_OF).search("mayor of Aldersey")
            trees = [hit.why.as_json() for hit in before.hits]
            writer.add([{"id": "new", "title": "Mayor of Aldersey", "text": "The mayor of Aldersey is Dee.",
                         "published": "2025-11-02"}])  # fmt: skip
            writer.push()
            after = corpus.at(AS_OF).search("mayor of Aldersey")
            assert "new" in [hit.document for hit in after.hits]
            assert [hit.why.as_json() for hit in before.hits] == trees  # as it was known then


def test_a_corpus_that_grows_gets_more_actors(
    ray_session: Any, s3: Bucket, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("asof.cluster.ray.corpus.FRESH", 0.0)
    url = f"{s3.url}/corpus"
    with asof.open(url, shards=1, write=True) as writer:
        writer.add(notes())
    with (
        answers(tmp_path / "one") as expected,
        open_ray(url, caches=tmp_path / "caches") as corpus,
    ):
        assert shown(corpus.at(AS_OF).search(QUESTIONS[0])) == expected[QUESTIONS[0]]
        grow_at_url(storage_at(url, str), 3)
        assert {each: shown(corpus.at(AS_OF).search(each)) for each in QUESTIONS} == expected
        assert {each["shard"] for each in corpus.status()} == {0, 1, 2}


def test_a_folder_that_grew_has_to_be_opened_anew(ray_session: Any, tmp_path: Path) -> None:
    folder = tmp_path / "two"
    with asof.open(folder, shards=2) as made:
        made.add(notes())
    with open_ray(folder) as corpus:
        corpus.at(AS_OF).search(QUESTIONS[0])
        grow(folder / FOLDER, 3)
        with pytest.raises(CorpusError, match=r"has 3 shards now and had 2 .* open it anew"):
            corpus.at(AS_OF).search(QUESTIONS[0])


def test_a_place_that_cannot_be_opened_is_told(ray_session: Any, s3: Bucket, tmp_path: Path) -> None:
    with pytest.raises(NoCorpus, match="nothing was indexed"):
        open_ray(f"{s3.url}/nothing", caches=tmp_path / "caches")
    with asof.open(f"{s3.url}/corpus", shards=1, write=True) as writer:
        writer.add(notes())
    (tmp_path / "caches").write_text("a file where the copies should be")
    with pytest.raises(CorpusError, match="caches"):
        open_ray(f"{s3.url}/corpus", caches=tmp_path / "caches")


def killing(corpus: RayCorpus, every: float, stop: threading.Event, seed: int) -> int:
    """Kill the process of a random actor again and again; returns how often."""
    chosen, killed = random.Random(seed), 0
    actors = [actor for replicas in corpus.searchers for actor in replicas]
    while not stop.wait(every):
        try:
            process = ray().get(chosen.choice(actors).status.remote(), timeout=1.0)["process"]
        except (ray().exceptions.RayError, TimeoutError):
            continue  # it was killed just before
        os.kill(process, signal.SIGKILL)
        killed += 1
    return killed


def test_killed_actors_cost_no_answer(ray_session: Any, s3: Bucket, tmp_path: Path) -> None:
    with asof.open(f"{s3.url}/corpus", shards=2, write=True) as corpus:
        corpus.add(notes())
    with (
        answers(tmp_path / "one") as expected,
        open_ray(f"{s3.url}/corpus", caches=tmp_path / "caches", replicas=2) as corpus,
    ):
        stop, killed = threading.Event(), []
        thread = threading.Thread(target=lambda: killed.append(killing(corpus, 2.0, stop, 1)))
        thread.start()
        try:
            for at in range(40):
                question = QUESTIONS[at % len(QUESTIONS)]
                assert shown(corpus.at(AS_OF).search(question)) == expected[question]
        finally:
            stop.set()
            thread.join()
        assert killed[0] >= 1
