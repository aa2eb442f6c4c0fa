"""An export that is read into shards gives the corpus that it was made of."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from tests.cluster.test_cluster_maintenance import STATE, both, done
from tests.support.corpora import memory_folder
from tests.support.shards import all_rows, new_shards, visible_rows

import asof
from asof.cluster import restoring
from asof.cluster.corpus import ShardedCorpus
from asof.cluster.opening import open_shards
from asof.corpus.corpus import open as open_corpus
from asof.errors import SourceError, UsageError
from asof.store.settings import CorpusSettings
from asof.time.moment import read

STEP = STATE | STATE | st.just(("correct", "doc1", "2020-01-03"))


@settings(deadline=None, max_examples=6, phases=[Phase.explicit, Phase.reuse, Phase.generate])
@given(st.lists(STEP, min_size=1, max_size=4), st.sampled_from([1, 2, 5]), STATE)
def test_the_rows_are_those_of_one_piece(steps: Any, count: int, then: Any) -> None:
    with both(2) as (corpus, shards), memory_folder() as folder:
        for step in steps:
            assert done(shards, step) == done(corpus, step)
        shards.export(folder / "all.jsonl")
        instants = [at for at, _ in all_rows([corpus])["transactions"]]
        made = CorpusSettings(stem=False)
        with open_corpus(folder / "one", settings=made) as one, new_shards(folder / "many", count) as many:
            assert many.add(folder / "all.jsonl") == one.add(folder / "all.jsonl")
            many.clock, one.session.clock = shards.clock, corpus.session.clock
            assert all_rows(many.shards) == all_rows([one])
            for known_at in [None, *instants]:
                at = read("2020-01-05").last
                assert visible_rows(many.shards, at, known_at) == visible_rows([one], at, known_at)
            assert many.committed() is None
            assert done(many, then) == done(corpus, then)
            assert not many.check()


def lines(folder: Path) -> Path:
    """An export of three documents."""
    with open_corpus(folder / "from") as corpus:
        corpus.add([{"id": f"d{at}", "text": f"ferry {at}", "published": "2020"} for at in range(3)])
        corpus.export(folder / "all.jsonl")
    return folder / "all.jsonl"


def test_at_a_url(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, url = lines(tmp_path), (tmp_path / "bucket").as_uri()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "here"))
    with asof.open(url, write=True, shards=2) as corpus:
        assert corpus.add(file).added == 3
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "there"))
        with cast(ShardedCorpus, asof.open(url)) as read:
            assert all_rows(read.shards) == all_rows(cast(ShardedCorpus, corpus).shards)
            assert len(read.search("ferry")) == 3
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "here"))
        assert corpus.add([{"id": "d9", "text": "ferry 9"}]).added == 1


def test_only_into_an_empty_one_and_nothing_is_left_of_a_file_that_is_not_sound(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = lines(tmp_path)
    torn = tmp_path / "torn.jsonl"
    torn.write_text("".join(file.read_text().splitlines(keepends=True)[:-1]))
    with new_shards(tmp_path / "many", 2) as corpus:
        with pytest.raises(SourceError):
            corpus.add(torn)
        with monkeypatch.context() as patch:
            patch.setattr(restoring, "write_layout", interrupted)
            with pytest.raises(KeyboardInterrupt):
                corpus.add(file)
        assert corpus.status().documents == 0
        assert not (corpus.folder / "restoring").exists()
        assert corpus.add(file).added == 3
        with pytest.raises(UsageError, match="read into a new index only"):
            corpus.add(file)
    with open_shards(tmp_path / "many") as again:
        assert len(again.search("ferry")) == 3
        again.add([{"id": "d7", "text": "ferry"}])
    assert len(list((tmp_path / "many" / ".asof" / "shards").iterdir())) == 2


def interrupted(*_: Any) -> None:
    raise KeyboardInterrupt
