"""What is open of a corpus at a URL stays what it was, whatever is fetched beside it; facts are kept."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, cast

import pytest
from tests.cluster.test_answers_in_shards import without_numbers
from tests.support.corpora import Clock
from tests.support.fact_histories import SENTENCES

import asof
from asof.cluster import opening
from asof.cluster.at_url import fetched, storage_at
from asof.cluster.corpus import ShardedCorpus
from asof.corpus.corpus import Corpus
from asof.errors import Fenced
from asof.knowledge.rules.extractor import RuleExtractor
from asof.store.settings import CorpusSettings

Opened = Callable[[str, bool], ShardedCorpus]


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Opened:
    """Opens the corpus as a machine of this name does."""

    def opened(name: str, write: bool) -> ShardedCorpus:
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / name))
        made = CorpusSettings(stem=False)
        url = (tmp_path / "bucket").as_uri()
        return cast(ShardedCorpus, asof.open(url, write=write, settings=made, shards=3 if write else None))

    return opened


def documents(state: int) -> list[Any]:
    """Twelve documents, all of which say of which state they are."""
    return [
        {"id": f"d{at}", "text": f"state{state} {SENTENCES[(at + state) % len(SENTENCES)]}",
         "published": "2020-01-01"}
        for at in range(12)
    ]  # fmt: skip


def states(corpus: Any) -> set[str]:
    """Of which states the documents are that are found as of now."""
    return {hit.text.split()[0] for hit in corpus.at().search("NHA Quay Pier Mole Quill it", k=50).hits}


def test_a_snapshot_is_of_one_state_while_later_ones_are_fetched(machine: Opened, tmp_path: Path) -> None:
    with machine("writer", True) as writer:
        writer.clock = Clock.at("2024")
        writer.add(documents(0))
        with machine("reader", False) as reader, ThreadPoolExecutor(20) as threads:
            reader.clock = Clock.at("2025")
            old = reader.at("2025")
            before = asked(old)
            assert states(reader) == {"state0"}
            ended = threading.Event()
            wrong: list[Any] = []

            def ask() -> int:
                count = 0
                while not ended.is_set() or not count:
                    if asked(old) != before:
                        wrong.append(asked(old))
                    count += 1
                return count

            asking = [threads.submit(ask) for _ in range(2)]
            try:
                for state in range(1, 3):
                    writer.add(documents(state))
                    fetched(storage_at(writer.writer.storage.url, print))  # type: ignore[union-attr]
                    later = list(threads.map(lambda _: states(reader), range(18)))  # more than readers
                    assert later == [{f"state{state}"}] * 18
            finally:
                ended.set()
            assert all(each.result() for each in asking)
            assert not wrong
            assert folders(tmp_path / "reader") > 3
        fetched(storage_at(writer.writer.storage.url, print))  # type: ignore[union-attr]
        assert folders(tmp_path / "reader") == 3  # nobody has the old ones open any more


def asked(then: Any) -> Any:
    """What a snapshot shows, read from rows, segments and facts."""
    return without_numbers([
        [(hit.id, hit.score, hit.text) for hit in then.search("Quay Ltd's revenue", k=20).hits],
        then.facts("Quay Ltd"), then.text("d3"), then.calendar(),
    ])  # fmt: skip


def folders(cache: Path) -> int:
    return len(list(cache.rglob("corpus.db")))


def test_a_folder_that_goes_under_who_reads_is_noticed(
    machine: Opened, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The test above fails if nobody says what he has open."""
    monkeypatch.setattr(opening, "held_open", lambda _: None)
    with pytest.raises(Exception, match=r".+"):
        test_a_snapshot_is_of_one_state_while_later_ones_are_fetched(machine, tmp_path)


def test_the_only_shard_stays_what_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    url = (tmp_path / "bucket").as_uri()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "writer"))
    with asof.open(url, write=True) as writer:
        writer.add(documents(0))
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "reader"))
        with asof.open(url) as reader:
            assert isinstance(reader, Corpus)
            before = asked(reader.at("2021"))
            writer.add(documents(1))
            fetched(storage_at(url, print))
            with ThreadPoolExecutor(20) as threads:  # with connections that were not there before
                assert all(
                    each == before for each in threads.map(lambda _: asked(reader.at("2021")), range(20))
                )
            with asof.open(url) as later:
                assert states(later) == {"state1"}
            assert folders(tmp_path / "reader") == 2
        fetched(storage_at(url, print))
        assert folders(tmp_path / "reader") == 1


def test_facts_that_were_read_here_are_kept(
    machine: Opened, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    read: list[int] = []
    extract = RuleExtractor.extract

    def counted(self: RuleExtractor, excerpts: Any) -> Any:
        read.append(len(excerpts))
        return extract(self, excerpts)

    monkeypatch.setattr(RuleExtractor, "extract", counted)
    more = [*documents(0), {"id": "new", "text": "Quay Ltd bought Brill Ltd.", "published": "2021"}]
    with machine("writer", True) as writer:
        writer.clock = Clock.at("2024", step=0)
        writer.add(documents(0))
        with machine("reader", False) as reader:
            first = without_numbers(reader.at("2025").facts("Quay Ltd"))
        assert sum(read) == 12
        writer.add(more)
        with machine("reader", False) as reader:
            found = without_numbers(reader.at("2025").facts("Quay Ltd"))
        assert sum(read) == 13  # the new one alone
    with asof.open(tmp_path / "one", settings=CorpusSettings(stem=False)) as one:
        one.session.clock = Clock.at("2024", step=0)
        one.add(documents(0))
        one.add(more)
        assert first != found == without_numbers(one.at("2025").facts("Quay Ltd"))


def test_facts_of_what_was_never_pushed_are_not_kept(machine: Opened) -> None:
    """Another text may have got the number of a passage that was discarded."""
    with machine("first", True) as first:
        first.clock = Clock.at("2024")
        first.add([{"id": "d0", "text": "The ferry sails."}])
        second = machine("second", True)  # from here on the first is fenced
        second.clock = Clock.at("2024")
        lost = [
            {"id": f"x{at}", "text": f"Quay Ltd bought Pier Ltd on {at + 1} May 2020."} for at in range(9)
        ]
        with pytest.raises(Fenced):
            first.add(lost)
        for shard in first.shards:
            shard.facts.ensure_facts()
        second.add([{"id": f"x{at}", "text": "Mole Inc bought Quill Ltd."} for at in range(1, 10)])
        second.close()
        with pytest.raises(Fenced):
            first.close()
    with machine("first", False) as reader:
        assert not reader.at().facts("Pier Ltd").groups
        assert reader.at().facts("Mole Inc").groups
