"""What is corrected, erased, dropped and exported in shards is what is in a corpus in one piece."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.corpora import Clock, memory_folder
from tests.support.shards import all_rows, new_shards, visible_rows

from asof.cluster.corpus import ShardedCorpus
from asof.corpus.corpus import Corpus
from asof.corpus.corpus import open as open_corpus
from asof.errors import AsofError, DocumentNotFound, UsageError
from asof.store.settings import CorpusSettings
from asof.time.moment import read

NAMES = st.integers(0, 6).map("doc{}".format)
DAYS = st.integers(1, 9).map("2020-01-{:02}".format)
STATE = st.tuples(st.just("state"), st.lists(st.tuples(NAMES, st.sampled_from("abc"), DAYS), max_size=5))
STEP = STATE | STATE | st.one_of(
    st.tuples(st.just("correct"), NAMES, DAYS), st.tuples(st.just("purge"), NAMES),
    st.tuples(st.just("vacuum"), DAYS),
)  # fmt: skip


def done(corpus: Any, step: Any) -> Any:
    """What a step gives, or the error that it raises."""
    what, *arguments = step
    try:
        if what == "state":
            documents = [
                {"id": name, "text": f"mill {text}", "published": at} for name, text, at in arguments[0]
            ]
            return corpus.add(documents)
        return getattr(corpus, what)(*arguments)
    except AsofError as error:
        return str(error)


@contextmanager
def both(count: int) -> Iterator[tuple[Corpus, ShardedCorpus]]:
    with (
        memory_folder() as one,
        memory_folder() as many,
        open_corpus(one, settings=CorpusSettings(stem=False)) as corpus,
        new_shards(many, count) as shards,
    ):
        corpus.session.clock, shards.clock = Clock.at("2020-02-01"), Clock.at("2020-02-01")
        corpus.maintenance.background = False
        yield corpus, shards


@settings(deadline=None, max_examples=25)
@given(st.lists(STEP, min_size=2, max_size=7), st.sampled_from((2, 5)))
def test_corrections_and_erasures(steps: Any, count: int) -> None:
    with both(count) as (corpus, shards):
        for step in steps:
            assert done(shards, step) == done(corpus, step)
        assert all_rows(shards.shards) == all_rows([corpus])
        for day in ("2020-01-04", "2020-03-01") if corpus.status().horizon is None else ():
            at = read(day).last
            assert visible_rows(shards.shards, at, None) == visible_rows([corpus], at, None)
        assert not shards.check()
        assert figures(shards) == figures(corpus)
        with memory_folder() as folder:
            assert lines(shards, folder / "many.jsonl") == lines(corpus, folder / "one.jsonl")
            with open_corpus(folder / "again") as again:
                again.add(folder / "many.jsonl")
                kept = ("documents", "versions", "heads", "passages", "links")
                rows, expected = all_rows([again]), all_rows([corpus])
                if corpus.status().horizon is None:
                    assert {name: rows[name] for name in kept} == {name: expected[name] for name in kept}


def figures(corpus: Any) -> dict[str, Any]:
    """What the status says of what is in the corpus, and not of its files."""
    all_of_it = {**asdict(corpus.status()), "sources": sorted(corpus.status().sources)}
    return {key: value for key, value in all_of_it.items() if key not in FILES}


FILES = ("segments", "bytes", "derived", "formats")


def lines(corpus: Any, file: Path) -> list[Any]:
    """The lines of an export; those of a transaction in an order of their own, its digest left out."""
    corpus.export(file)
    groups: list[list[str]] = [[]]
    for line in file.read_text().splitlines():
        if line.startswith(('{"transaction"', '{"end"')):
            groups.append([])
        groups[-1].append(line)
    end = json.loads(groups.pop()[0])["end"]
    del end["digest"]
    return [*(sorted(group) for group in groups), end]


def test_a_document_is_called_by_its_title_in_any_shard(tmp_path: Path) -> None:
    with new_shards(tmp_path, 5) as shards:
        shards.clock = Clock.at("2021")
        shards.add([{"id": f"log/d{at}", "title": f"Ferry {at}", "text": "x"} for at in range(9)])
        assert shards.called("ferry 3") == "log/d3"
        assert shards.maintenance.ever_called("d4") == "log/d4"
        for find in (shards.called, shards.maintenance.ever_called):
            with pytest.raises(UsageError, match="'log' can be 9 documents: log/d0, log/d1"):
                find("log")
            with pytest.raises(DocumentNotFound, match="did you mean log/d"):
                find("Fery")
        assert shards.maintenance.purged_with("log/d1") == ("log/d1",)
        assert shards.purge("log/d1") == 1
        assert shards.maintenance.purged_with("log/d1") == ()
        assert shards.status().documents == 8


def test_a_paper_goes_with_its_full_text_from_another_shard_and_does_not_come_back(tmp_path: Path) -> None:
    name, text = "arxiv:2401.00001", "arxiv:2401.00001#full"
    with new_shards(tmp_path, 16) as shards:
        shards.add([{"id": each, "text": "ferry"} for each in (name, text, "other")])
        going = shards.maintenance.purged_with(name)
        assert name in going
        assert shards.purge(name) == len(going)
        assert shards._versions([name, "other"]) == {name: {0}}  # 0: erased for good
        assert shards.status().documents == 3 - len(going)


def test_files_with_texts_beside_the_shards_go_with_a_document(tmp_path: Path) -> None:
    with new_shards(tmp_path, 2) as shards:
        shards.add([{"id": "d", "text": "ferry"}])
        (tmp_path / ".asof" / "readings.db").write_bytes(b"what a slow reader read")
        shards.purge("d")
        assert not (tmp_path / ".asof" / "readings.db").exists()
