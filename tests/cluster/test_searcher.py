"""What the actor of a shard does, without Ray: a search is of one manifest to its end."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest

import asof
from asof.cluster.conversation import Answer, Call, Failed, Gathered, Given
from asof.cluster.corpus import ShardedCorpus
from asof.cluster.program import Chosen, SearchRequest
from asof.cluster.ray.place import ShardPlace
from asof.cluster.ray.searcher import Searcher
from asof.cluster.search import NOTHING
from asof.data import Query
from asof.errors import ShardLost
from asof.recipes import named

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
        said = actor.step("one", Gathered([said.value]))
        rounds += 1
    assert isinstance(said, Chosen), said
    assert rounds >= said.rounds > 0
    assert sum(len(each.counts) for each in said.rows) == 2


def test_a_manifest_that_cannot_be_fetched_is_an_error_and_the_shard_stays(
    writer: ShardedCorpus, tmp_path: Path
) -> None:
    number = add(writer, "a")
    actor = searcher(writer, tmp_path)
    failed = actor.begin("one", ASKED, number + 7, Call("opening", ()))
    assert isinstance(failed, Failed)
    assert count(actor.begin("two", ASKED, number, Call("opening", ()))) == 1
