"""A corpus at a URL: written by who claimed it, read by all, one state of it at a time."""

from __future__ import annotations

import socket
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest
from tests.support.corpora import Clock
from tests.support.shards import all_rows

import asof
from asof import environment
from asof.cluster.corpus import ShardedCorpus
from asof.corpus.corpus import Corpus
from asof.errors import Fenced, NoCorpus, NotAcrossShards, UsageError
from asof.storage.storage import Storage
from asof.store.settings import CorpusSettings

Open = Callable[..., ShardedCorpus]


@pytest.fixture
def url(tmp_path: Path) -> str:
    return (tmp_path / "bucket").as_uri()


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, url: str) -> Callable[[str], Open]:
    """Opens the corpus as another machine would: with a working copy of its own."""

    def chosen(name: str) -> Open:
        def opened(**options: Any) -> ShardedCorpus:
            monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / name))
            options = {"settings": CorpusSettings(stem=False), **options}
            return cast(ShardedCorpus, asof.open(url, **options))

        return opened

    return chosen


def documents(first: int, last: int) -> list[Any]:
    return [{"id": f"d{at}", "text": f"ferry {at}"} for at in range(first, last)]


def test_what_one_machine_wrote_another_reads(
    machine: Callable[[str], Open], tmp_path: Path, url: str
) -> None:
    here, there = machine("here"), machine("there")
    with pytest.raises(NoCorpus, match="at file:"):
        there()
    with pytest.raises(NoCorpus, match="no corpus at"):
        there(write=True, create=False)
    with here(write=True, shards=3) as corpus:
        corpus.clock = Clock.at("2024")
        corpus.add(documents(0, 9))
        with there() as read:  # acknowledged: what `add` returned for
            assert all_rows(read.shards) == all_rows(corpus.shards)
            assert read.settings == CorpusSettings(stem=False)
            assert read.writer is None
        corpus.correct("d3", "2020")
        assert corpus.purge("d4") == 1
    with asof.open(tmp_path / "one", settings=CorpusSettings(stem=False)) as alone:
        alone.session.clock = Clock.at("2024")
        alone.add(documents(0, 9))
        alone.correct("d3", "2020")
        alone.purge("d4")
        with there() as read:
            assert all_rows(read.shards) == all_rows([alone])
    with there(write=True) as corpus:  # it finds how many shards there are
        corpus.add(documents(9, 12))
    with here() as read:
        assert read.status().documents == 11
    with pytest.raises(UsageError, match="has 3 shards, not 2"):
        here(write=True, shards=2)


def test_a_corpus_of_one_shard_is_read_as_one_in_one_piece(machine: Callable[[str], Open]) -> None:
    here = machine("here")
    with here(write=True) as corpus:
        corpus.add(documents(0, 3))
        assert corpus.layout.count == 1
    with cast(Corpus, here()) as alone:
        assert isinstance(alone, Corpus)
        assert len(alone.search("ferry")) == 3


def test_the_later_of_two_writers_goes_on(machine: Callable[[str], Open]) -> None:
    here, there = machine("here"), machine("there")
    notes: list[str] = []
    first = here(write=True, shards=2)
    first.add(documents(0, 4))
    with there(write=True, on_note=notes.append) as second:
        second.add(documents(4, 8))
    with pytest.raises(Fenced, match="claimed it at"):
        first.add(documents(8, 12))
    with pytest.raises(Fenced):
        first.close()
    assert any("takes the place of" in note for note in notes)
    with there() as read:
        assert read.status().documents == 8
    with here(on_note=notes.append) as read:  # what the first wrote was acknowledged to nobody
        assert read.status().documents == 8
    assert any("was not pushed" in note for note in notes)


def test_a_writer_of_this_machine_that_has_ended_is_no_news(
    machine: Callable[[str], Open], monkeypatch: pytest.MonkeyPatch
) -> None:
    here, notes = machine("here"), list[str]()
    with subprocess.Popen(["true"]) as process:
        pass
    monkeypatch.setattr(environment, "writer", lambda: f"{socket.gethostname()}, process {process.pid}")
    with here(write=True):
        pass
    monkeypatch.undo()
    assert environment.has_ended(f"{socket.gethostname()}, process {process.pid}")
    with here(write=True, on_note=notes.append):
        assert notes == []
    elsewhere = f"another machine, process {process.pid}"
    for unknown in (environment.writer(), elsewhere, "process 1e5", "", "x 0"):
        assert not environment.has_ended(unknown)
    with here(write=True, on_note=notes.append):
        assert [" takes the place of " in note for note in notes] == [True]  # this process is at work


def test_what_was_not_pushed_when_a_writer_died_is_pushed_by_the_next(
    machine: Callable[[str], Open], monkeypatch: pytest.MonkeyPatch
) -> None:
    here, there = machine("here"), machine("there")
    with here(write=True, shards=2) as corpus:
        corpus.add(documents(0, 4))
    dying = here(write=True)
    monkeypatch.setattr(Storage, "push", interrupted)
    with pytest.raises(KeyboardInterrupt):
        dying.add(documents(4, 8))
    monkeypatch.undo()
    with there() as read:
        assert read.status().documents == 4
    with here(write=True) as corpus:
        assert corpus.add(documents(4, 8)).unchanged == 4
    with there() as read:
        assert read.status().documents == 8


def interrupted(*_: Any) -> None:
    raise KeyboardInterrupt


def test_a_purged_document_is_in_no_object(machine: Callable[[str], Open], tmp_path: Path, url: str) -> None:
    here = machine("here")
    with here(write=True, shards=2) as corpus:
        corpus.add([*documents(0, 4), {"id": "secret", "text": "the harbourmasters password"}])
        assert corpus.writer is not None
        corpus.writer.storage.pin("kept")

        def holding() -> list[Path]:
            return [
                file
                for file in (tmp_path / "bucket").rglob("*")
                if file.is_file() and b"harbourmasters" in file.read_bytes()
            ]

        assert holding()
        corpus.purge("secret")
        assert not holding()
        assert corpus.writer.storage.pins() == {}


@pytest.mark.parametrize("shards", [1, 2])
def test_what_nobody_would_push_is_not_written(machine: Callable[[str], Open], shards: int) -> None:
    with machine("here")(write=True, shards=shards) as corpus:
        corpus.add(documents(0, 3))
    with machine("there")() as read:
        before = read.last_write() if shards > 1 else read.session.last_write()
        for refused in (
            lambda: read.add(documents(3, 5)),
            lambda: read.correct("d1", "2020"),
            lambda: read.purge("d1"),
            lambda: read.vacuum("2020"),
        ):
            with pytest.raises(UsageError, match=r"nothing was written to file:.*bucket: .*write=True"):
                refused()
        results = read.search("ferry")
        assert len(results.hits) == 3
        kind, why = (
            (NotAcrossShards, "in one piece") if shards > 1 else (UsageError, "in the corpus of a folder")
        )
        with pytest.raises(kind, match=why):
            read.record(results)
        with pytest.raises(kind, match=why):
            read.embed(None)
        assert (read.last_write() if shards > 1 else read.session.last_write()) == before
        assert len(read.search("ferry").hits) == 3
        read.at().facts("ferry")  # what is read of the passages for facts is of this machine


def test_a_source_is_pushed_while_it_is_read(
    machine: Callable[[str], Open], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("asof.engine.BATCH_DOCUMENTS", 2)
    seen: list[int] = []
    here, there = machine("here"), machine("there")
    with here(write=True, shards=2) as corpus:
        assert corpus.writer is not None
        corpus.writer.every = 0.0

        def look(report: Any) -> None:
            with there() as read:
                seen.append(read.status().documents)

        corpus.add(documents(0, 6), progress=look)
    assert seen == [2, 4, 6]


def test_what_is_not_exact_is_refused_in_words(machine: Callable[[str], Open]) -> None:
    with machine("here")(write=True, shards=2) as corpus:
        with pytest.raises(NotAcrossShards, match="learn works in a corpus in one piece only"):
            corpus.learn()
        with pytest.raises(AttributeError):
            corpus.nothing_of_the_kind  # noqa: B018
