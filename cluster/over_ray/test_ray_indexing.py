"""Texts prepared by tasks of Ray: the corpus is the same, whatever dies meanwhile."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pytest
from click.testing import CliRunner
from cluster.support import dying_tasks
from cluster.support.indexer_kills import kill_indexers
from cluster.support.s3 import Bucket
from tests.support.corpora import Clock
from tests.support.shards import all_rows

import asof
from asof.cluster.corpus import ShardedCorpus
from asof.cluster.ray import texts
from asof.cluster.ray.texts import RayTexts
from asof.errors import CorpusError, Fenced
from asof.store.settings import CorpusSettings


def long_notes(count: int) -> list[dict[str, Any]]:
    """More than a million characters, from which on texts are handed out."""
    return [
        {"id": f"n{at}", "text": f"The toll of 3 March {1900 + at % 99} was {at} euros. " * 120,
         "published": f"{1950 + at % 70}"}
        for at in range(count)
    ]  # fmt: skip


def indexed(folder: Path, **options: Any) -> dict[str, list[Any]]:
    with cast(ShardedCorpus, asof.open(folder, shards=3)) as corpus:
        corpus.clock = Clock.at("2024")
        corpus.add(long_notes(260), **options)
        return all_rows(corpus.shards)


def test_the_corpus_is_the_same(ray_session: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    marks = tmp_path / "marks"
    marks.mkdir()
    begun: list[int] = []

    class Counted(RayTexts):
        def begin(self, group: Any) -> Any:
            done = super().begin(group)
            begun.append(len(self._under_way))
            return done

    def few(settings: CorpusSettings) -> RayTexts:
        return Counted(settings, 3)

    expected = indexed(tmp_path / "without")
    assert indexed(tmp_path / "with", pool=few) == expected
    assert len(begun) > 5  # 260 texts of 5,000 characters, 100,000 for a task
    assert max(begun) == 3
    monkeypatch.setattr(texts, "prepared", dying_tasks.dies_once_in(str(marks)))
    assert indexed(tmp_path / "killed", pool=RayTexts) == expected
    assert len(list(marks.iterdir())) > 5


def test_a_task_that_always_dies_is_told(
    ray_session: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(texts, "prepared", dying_tasks.dies)
    monkeypatch.setattr(texts, "RETRIES", 0)
    with pytest.raises(CorpusError, match=r"lost 1 times.*or without --ray"):
        indexed(tmp_path / "dead", pool=RayTexts)


def test_the_command(ray_session: Any, s3: Bucket, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from asof.cli.index import index

    begun, begin = list[int](), RayTexts.begin

    def seen(self: RayTexts, group: list[Any]) -> Any:
        begun.append(len(group))
        return begin(self, group)

    monkeypatch.setattr(RayTexts, "begin", seen)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "notes").mkdir()
    for each in long_notes(220):
        (tmp_path / "notes" / f"{each['id']}.md").write_text(f"# {each['id']}\n\n{each['text']}\n")
    url, run = f"{s3.url}/corpus", CliRunner().invoke
    done = run(index, ["notes", "--index", url, "--shards", "2", "--ray", "auto"], standalone_mode=False)
    assert "220 added" in done.output, done
    assert sum(begun) == 220
    with asof.open(url, create=False) as corpus:
        assert len(corpus.search("toll euros").hits) == 10
    refused = run(index, ["notes", "--index", "one", "--ray", "auto"], standalone_mode=False)
    assert "in one piece: leave --ray out" in str(refused.exception)


def test_killed_indexers_lose_nothing(ray_session: Any, s3: Bucket, tmp_path: Path) -> None:
    address = ray_session.get_runtime_context().gcs_address
    seen = kill_indexers(f"{s3.url}/corpus", address, tmp_path, 4)
    assert seen.killed == 4
    assert seen.documents == 240


def test_of_two_writers_one_is_fenced_and_both_are_told(
    ray_session: Any, s3: Bucket, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url, told = f"{s3.url}/corpus", list[str]()
    first = cast(ShardedCorpus, asof.open(url, shards=2, write=True))
    first.add(long_notes(4), pool=RayTexts)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "another machine"))
    with asof.open(url, write=True, on_note=told.append) as second:
        second.add([{"id": "second", "text": "ferry"}])
        with pytest.raises(Fenced, match="claimed it"):
            first.add([{"id": "first", "text": "barge"}], pool=RayTexts)
        assert "takes the place of" in told[0]
        assert second.search("ferry").hits
        assert not second.search("barge").hits
    with pytest.raises(Fenced):
        first.close()
