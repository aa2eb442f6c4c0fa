"""What the actor of a shard does, without Ray: a search is of one manifest to its end."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any, cast

import pytest

import asof
from asof.cluster.conversation import (
    Answer,
    Call,
    Conversation,
    End,
    Failed,
    Gathered,
    Given,
    Gone,
    ShardSide,
    ToShard,
)
from asof.cluster.corpus import ShardedCorpus
from asof.cluster.program import Chosen, SearchRequest
from asof.cluster.ray.copies import size_of, trim
from asof.cluster.ray.corpus import LatestState
from asof.cluster.ray.lines import Begin
from asof.cluster.ray.place import ShardPlace
from asof.cluster.ray.searcher import Searcher
from asof.cluster.ray.shards import SearchedState
from asof.cluster.search import NOTHING
from asof.cluster.shards import answers
from asof.cluster.united import Union
from asof.data import Query
from asof.errors import CorpusError, ShardLost, StorageUnavailable
from asof.index.partial import together
from asof.recipes import named
from asof.storage.storage import Storage

NOW = 2**60
ASKED = SearchRequest(NOTHING, None, NOW, None)


@pytest.fixture
def writer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ShardedCorpus]:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "writer"))
    with cast(ShardedCorpus, asof.open((tmp_path / "bucket").as_uri(), shards=1, write=True)) as corpus:
        yield corpus


def add(writer: ShardedCorpus, *names: str) -> int:
    """The number of the manifest that has these documents, too."""
    writer.add([{"id": name, "text": "ferry"} for name in names])
    assert writer.writer is not None
    return writer.writer.push().number


def searcher(writer: ShardedCorpus, tmp_path: Path) -> Searcher:
    assert writer.writer is not None
    return Searcher(ShardPlace(0, writer.writer.storage.url, str(tmp_path / "copy")))


def count(said: Any) -> int:
    assert isinstance(said, Answer), said
    return int(said.value.passages)


def test_a_search_keeps_its_manifest_while_a_later_one_is_fetched(
    writer: ShardedCorpus, tmp_path: Path
) -> None:
    first = add(writer, "a", "b")
    actor, opening = searcher(writer, tmp_path), Call("opening", ())
    assert count(actor.begin("old", ASKED, first, opening)) == 2
    later = add(writer, "c")
    assert count(actor.begin("new", ASKED, later, opening)) == 3
    assert count(actor.step("old", opening)) == 2
    assert actor.status()["under_way"] == 2
    refused = actor.begin("late", ASKED, first, opening)
    assert isinstance(refused, Failed)
    assert isinstance(refused.error, ShardLost)  # so it is begun anew, at the later one
    actor.end("old")
    assert count(actor.step("new", opening)) == 3
    gone = actor.step("old", opening)
    assert isinstance(gone, Failed)
    assert isinstance(gone.error, ShardLost)


def test_the_first_stages_run_round_by_round(writer: ShardedCorpus, tmp_path: Path) -> None:
    number = add(writer, "a", "b")
    actor = searcher(writer, tmp_path)
    request = SearchRequest(Query("ferry", "ferry"), named("bm25"), NOW, None)
    said = actor.begin("one", request, number, None)
    rounds = 0
    while isinstance(said, Given):
        said = actor.step("one", Gathered(together([said.value])))
        rounds += 1
    assert isinstance(said, Chosen), said
    assert rounds >= said.rounds > 0
    assert sum(len(each.counts) for each in said.rows) == 2


def begins(number: int, request: SearchRequest = ASKED) -> Begin:
    return Begin("one", request, number, Call("opening", ()) if request.recipe is None else None)


def test_a_search_that_is_taken_part_in_keeps_its_manifest_to_its_end(
    writer: ShardedCorpus, tmp_path: Path
) -> None:
    first = add(writer, "a", "b")
    actor, said, under_way = searcher(writer, tmp_path), list[Any](), list[int]()
    later = add(writer, "c")
    messages: list[Any] = [Call("opening", ()), End()]

    def hear() -> Any:
        if len(messages) == 2:  # between its first call and the next one the shard is opened anew
            assert count(actor.begin("new", ASKED, later, Call("opening", ()))) == 3
        under_way.append(actor.status()["under_way"])
        return messages.pop(0)

    actor.take_part(begins(first), said.append, hear)
    assert [count(each) for each in said] == [2, 2]
    assert under_way == [2, 2]
    assert actor.status()["under_way"] == 1
    said.clear()
    actor.take_part(begins(first), said.append, hear)  # it is at the later one now
    assert isinstance(said[0].error, ShardLost)


@pytest.mark.parametrize("gone", [True, False])
def test_who_asked_may_be_gone_at_any_time(writer: ShardedCorpus, tmp_path: Path, *, gone: bool) -> None:
    actor = searcher(writer, tmp_path)
    request = SearchRequest(Query("ferry", "ferry"), named("bm25"), NOW, None)
    number, said = add(writer, "a"), list[Any]()

    def hear() -> Any:
        if gone:
            raise Gone
        return End()

    with pytest.raises(Gone) if gone else nullcontext():
        actor.take_part(begins(number, request), said.append, hear)
    assert [type(each) for each in said] == [Given]  # and then nothing, which nobody would hear
    assert actor.status()["under_way"] == 0
    assert count(actor.begin("next", ASKED, number, Call("opening", ()))) == 1


def test_nothing_is_said_after_the_end(writer: ShardedCorpus, monkeypatch: pytest.MonkeyPatch) -> None:
    add(writer, "a")
    session, said = writer.shards[0].session, list[Any]()
    use = type(session).use

    def fails_at_the_end(self: Any, *arguments: Any) -> Any:
        use(self, *arguments)
        raise CorpusError("the disk is gone")

    monkeypatch.setattr(type(session), "use", fails_at_the_end)
    heard: list[ToShard] = [Call("opening", ()), End()]
    side = ShardSide((session,), Union(), ASKED, said.append, lambda: heard.pop(0))
    with pytest.raises(Gone):
        side.run()
    assert [type(each) for each in said] == [Answer]


def test_shards_out_of_step_are_lost() -> None:
    assert answers({0: Answer(1), 3: Answer(2)}) == {0: 1, 3: 2}
    with pytest.raises(ShardLost, match="something else"):
        answers({0: Answer(1), 1: Given((2,))})
    with pytest.raises(CorpusError, match="full"):
        answers({0: Given((2,)), 1: Failed(CorpusError("full"))})


def test_a_manifest_that_cannot_be_fetched_is_an_error_and_the_shard_stays(
    writer: ShardedCorpus, tmp_path: Path
) -> None:
    number = add(writer, "a")
    actor = searcher(writer, tmp_path)
    failed = actor.begin("one", ASKED, number + 7, Call("opening", ()))
    assert isinstance(failed, Failed)
    assert count(actor.begin("two", ASKED, number, Call("opening", ()))) == 1


def test_an_end_that_comes_before_the_beginning_is_over_leaves_nothing_open(
    writer: ShardedCorpus, tmp_path: Path
) -> None:
    number = add(writer, "a")
    actor = searcher(writer, tmp_path)
    actor.end("late")  # the root gave up while its beginning was still on its way
    actor.begin("late", ASKED, number, Call("opening", ()))
    assert actor.status()["under_way"] == 0
    assert isinstance(actor.step("late", Call("opening", ())), Failed)
    assert actor.status()["searches"] == 0


def test_who_waits_when_a_search_is_ended_is_told(writer: ShardedCorpus) -> None:
    conversation = Conversation((writer.shards[0].session,), Union(), ASKED)
    conversation.close()
    conversation.send(Call("opening", ()))  # nobody reads it any more
    for _ in range(2):
        said = conversation.receive()
        assert isinstance(said, Failed)
        assert isinstance(said.error, ShardLost)


def test_an_actor_that_cannot_open_its_shard_tries_again(writer: ShardedCorpus, tmp_path: Path) -> None:
    assert writer.writer is not None
    bucket = tmp_path / "bucket"
    hidden = bucket.rename(tmp_path / "hidden")
    actor = searcher(writer, tmp_path)
    assert isinstance(actor.settings(), Failed)
    assert isinstance(actor.begin("one", ASKED, 0, Call("opening", ())), Failed)
    hidden.rename(bucket)
    number = add(writer, "a")
    assert count(actor.begin("two", ASKED, number, Call("opening", ()))) == 1
    assert isinstance(actor.settings(), str)


def test_while_the_storage_is_down_an_actor_starts_with_its_copy(
    writer: ShardedCorpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    number, opening = add(writer, "a"), Call("opening", ())
    assert count(searcher(writer, tmp_path).begin("one", ASKED, number, opening)) == 1

    def down(*_: Any, **__: Any) -> None:
        raise StorageUnavailable("503")

    monkeypatch.setattr(Storage, "pull", down)
    again = searcher(writer, tmp_path)
    assert count(again.begin("two", ASKED, number, opening)) == 1
    later = again.begin("three", ASKED, number + 1, opening)
    assert isinstance(later, Failed)
    assert isinstance(later.error, StorageUnavailable)


def test_a_copy_that_another_process_fetched_further_is_of_that_manifest(
    writer: ShardedCorpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, pull = add(writer, "a"), Storage.pull

    def overtaken(self: Storage, root: Path, number: int | None = None, **options: Any) -> Any:
        pulled = pull(self, root, number, **options)
        later = add(writer, "b")
        pull(self, root, later, **options)
        return pulled

    monkeypatch.setattr(Storage, "pull", overtaken)
    actor = searcher(writer, tmp_path)
    said = actor.begin("one", ASKED, first, Call("opening", ()))
    assert isinstance(said, Failed)  # and not two passages as those of the first manifest
    assert isinstance(said.error, ShardLost)


def test_the_latest_state_stays_while_the_storage_is_down(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("asof.cluster.ray.corpus.FRESH", 0.0)
    said: list[SearchedState | None] = [SearchedState(2), None, SearchedState(3)]

    def latest() -> SearchedState:
        state = said.pop(0)
        if state is None:
            raise StorageUnavailable("503")
        return state

    of = LatestState(latest, SearchedState(1))
    assert [of().number for _ in range(3)] == [2, 2, 3]


def test_a_place_where_no_copy_can_be_is_told(writer: ShardedCorpus, tmp_path: Path) -> None:
    assert writer.writer is not None
    (tmp_path / "file").write_text("")
    said = Searcher(ShardPlace(0, writer.writer.storage.url, str(tmp_path / "file" / "copy"))).settings()
    assert isinstance(said, Failed)
    assert isinstance(said.error, CorpusError)
    assert "file" in str(said.error)


def test_one_shard_alone_has_all_that_was_written(writer: ShardedCorpus) -> None:
    number = add(writer, "a")
    assert writer.writer is not None
    manifest = writer.writer.storage.manifest(number)
    assert manifest.shards[0].head > 0
    assert manifest.whole is None  # and not the beginning of time, at which it was made


def test_copies_that_were_used_longest_ago_go_first_and_come_back(
    writer: ShardedCorpus, tmp_path: Path
) -> None:
    assert writer.writer is not None
    number, opening, url = add(writer, "a"), Call("opening", ()), writer.writer.storage.url
    copies, names = tmp_path / "copies", ["x", "y", "z"]
    for name in names[:2]:
        place = ShardPlace(0, url, str(copies / name))
        held = place.hold()
        place.open().session.close()
        assert held is not None
        os.close(held)
    os.utime(copies / "x.lock", (2_000_000_000, 2_000_000_000))  # used after y
    one = size_of(copies / "x")
    assert one > 10_000
    limited = Searcher(ShardPlace(0, url, str(copies / "z"), limit=2 * one + one // 2))
    assert [name for name in names if (copies / name).exists()] == ["x", "z"]
    assert trim(copies, 0) == ["x"]  # z is held
    assert count(limited.begin("one", ASKED, number, opening)) == 1
    again = Searcher(ShardPlace(0, url, str(copies / "y")))
    assert count(again.begin("two", ASKED, number, opening)) == 1


def test_an_actor_on_a_folder_follows_an_export_that_was_restored_into_it(tmp_path: Path) -> None:
    with asof.open(tmp_path / "from") as corpus:
        corpus.add([{"id": name, "text": "ferry"} for name in ("a", "b", "c")])
        corpus.export(tmp_path / "all.jsonl")
    with asof.open(tmp_path / "to", shards=1) as made:
        actor = Searcher(ShardPlace(0, root=str(tmp_path / "to"), shards=1))
        assert count(actor.begin("before", ASKED, 0, Call("opening", ()))) == 0
        made.add(tmp_path / "all.jsonl")
        assert count(actor.begin("after", ASKED, 0, Call("opening", ()))) == 3
        assert count(actor.step("before", Call("opening", ()))) == 0  # to its end
        actor.end("before")


def test_searches_that_begin_do_not_hold_up_a_later_manifest(writer: ShardedCorpus, tmp_path: Path) -> None:
    first = add(writer, "a")
    actor, opening = searcher(writer, tmp_path), Call("opening", ())
    later = add(writer, "b")
    said: dict[str, Any] = {}

    def begin(name: str, number: int) -> threading.Thread:
        thread = threading.Thread(
            target=lambda: said.update({name: actor.begin(name, ASKED, number, opening)})
        )
        thread.start()
        return thread

    with actor._at(first):  # a search that begins takes its time
        new = begin("new", later)
        while not actor._awaited:
            time.sleep(0.001)
        old = begin("old", first)
        old.join(0.1)
        assert said == {}  # both wait for that one, and `old` is none that `new` waits for
    new.join()
    old.join()
    assert count(said["new"]) == 2
    assert isinstance(said["old"].error, ShardLost)  # so it is begun anew, at the later one
