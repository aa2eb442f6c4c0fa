"""A corpus that is given more shards is the same corpus."""

from __future__ import annotations

import itertools
import os
import random
import signal
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.cluster.test_cluster_maintenance import STATE, both, done
from tests.support.corpora import Clock, memory_folder
from tests.support.shards import all_rows, new_shards, visible_rows

import asof
from asof.cluster import moving
from asof.cluster.corpus import ShardedCorpus
from asof.cluster.grow import grow
from asof.cluster.opening import open_shards
from asof.corpus.corpus import open as open_corpus
from asof.errors import CorpusError, NotAcrossShards, UsageError
from asof.store.settings import CorpusSettings
from asof.store.shard_layout import MOST_SHARDS, ShardLayout, read_layout, shard_of
from asof.time.moment import read


def test_documents_are_spread_evenly_and_move_to_new_shards_only() -> None:
    names = [f"notes/{at}.md" for at in range(20_000)]
    for shards in (1, 2, 7, 16):
        counts = [0] * shards
        for name in names:
            counts[shard_of(name, shards)] += 1
        mean = len(names) / shards
        assert max(abs(count - mean) for count in counts) < 5 * mean**0.5  # five standard deviations
    assert 0 <= shard_of("a", MOST_SHARDS) < MOST_SHARDS


@given(st.text(max_size=20), st.integers(1, 200), st.integers(1, 200))
def test_a_document_stays_or_goes_to_a_new_shard(name: str, one: int, other: int) -> None:
    before, after = shard_of(name, min(one, other)), shard_of(name, max(one, other))
    assert before < min(one, other)
    assert after < max(one, other)
    assert after == before or after >= min(one, other)


@settings(deadline=None, max_examples=15)
@given(
    st.lists(STATE, min_size=1, max_size=4),
    st.lists(STATE, max_size=3),
    st.sampled_from([(1, 2), (2, 5), (3, 4)]),
)
def test_the_rows_are_the_same_and_so_is_what_follows(first: Any, then: Any, counts: Any) -> None:
    count, more = counts
    with both(count) as (corpus, shards):
        for step in first:
            assert done(shards, step) == done(corpus, step)
        clock = shards.clock
        assert grow(shards.folder, more).count == more
        with open_shards(shards.root) as grown:
            grown.clock = clock
            for step in [*then, ("correct", "doc1", "2020-01-03"), ("purge", "doc2")]:
                assert done(grown, step) == done(corpus, step)
            assert all_rows(grown.shards) == all_rows([corpus])
            at = read("2020-01-05").last
            for known_at in [None, *(at for at, _ in all_rows([corpus])["transactions"])]:
                assert visible_rows(grown.shards, at, known_at) == visible_rows([corpus], at, known_at)
            assert not grown.check()
            assert ids_are_in_range(grown)
            assert in_order(grown.shards) == in_order([corpus])


def ids_are_in_range(corpus: ShardedCorpus) -> bool:
    for number, shard in enumerate(corpus.shards):
        with shard.session.connection() as db:
            for table in ("documents", "heads", "versions", "passages", "ends"):
                least, most = db.execute(f"SELECT min(id), max(id) FROM {table}").fetchone()
                if least is not None and not number << 40 < least <= most < (number + 1) << 40:
                    return False
    return True


def in_order(shards: Any) -> dict[str, list[Any]]:
    """The passages and versions of each document in the order of their ids, which decides ties."""
    found: dict[str, list[Any]] = {}
    for shard in shards:
        with shard.session.connection() as db:
            for table in ("passages", "versions"):
                for name, *row in db.execute(
                    f"SELECT d.name, t.visible, t.added, v.stated FROM {table} AS t JOIN documents AS d"
                    " ON d.id = t.document JOIN versions AS v"
                    f" ON v.id = {'t.version' if table == 'passages' else 't.id'} ORDER BY t.id"
                ):
                    found.setdefault(f"{table} {name}", []).append(row)
    return found


LONG = "".join(f"# Part {at}\n\nThe ferry of pier {at % 3} costs {at} marks.\n\n" for at in range(7))
"""A text of several passages, of which some say the same of the same thing: ties that numbers decide."""


def grown_answers() -> Any:
    """What is found, and what supersedes it, in a corpus of long documents, and in the same when it has grown
    twice; and the order of passages in both."""
    with both(2) as (corpus, shards):
        for day in (1, 2, 3):
            documents = [
                {"id": f"fares/{at}", "title": "Ferry fares", "text": LONG.replace("7", str(day)),
                 "published": f"2020-01-0{day}"}
                for at in range(12)
            ]  # fmt: skip
            assert shards.add(documents).passages == corpus.add(documents).passages > 0
        grow(shards.folder, 3)
        grow(shards.folder, 7)
        with open_shards(shards.root) as grown:
            return tuple((in_order(of), found(each))
                         for of, each in (([corpus], corpus), (grown.shards, grown)))  # fmt: skip


def found(corpus: Any) -> list[Any]:
    hits = corpus.at("2020-01-02").search("ferry fares pier", k=200).hits
    return [(hit.id, hit.score, hit.superseded, hit.why.as_json()) for hit in hits]


def test_passages_of_a_document_keep_their_order() -> None:
    one, grown = grown_answers()
    assert one == grown


def test_passages_in_another_order_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    right = moving._number

    class Reversed:
        def __init__(self, db: Any) -> None:
            self._db = db

        def execute(self, query: str, *values: Any) -> Any:
            return self._db.execute(query.replace("OVER (ORDER BY id)", "OVER (ORDER BY id DESC)"), *values)

    monkeypatch.setattr(moving, "_number", lambda db, table: right(cast(Any, Reversed(db)), table))
    one, grown = grown_answers()
    assert one != grown


def test_who_has_a_corpus_in_one_piece_open_keeps_it_until_it_is_closed(tmp_path: Path) -> None:
    folder = tmp_path / ".asof"
    with open_corpus(tmp_path) as corpus:
        corpus.add([{"id": f"d{at}", "text": f"ferry {at}"} for at in range(30)])
        then = corpus.at()
        before = [(hit.id, hit.score) for hit in then.search("ferry", k=50).hits]
        grow(folder, 3)
        with ThreadPoolExecutor(20) as threads:  # with connections that were not there before
            said = threads.map(
                lambda _: [(hit.id, hit.score) for hit in then.search("ferry", k=50).hits], range(40)
            )
            assert list(said) == [before] * 40
        for write in (lambda: corpus.add([{"id": "late", "text": "ferry"}]), lambda: corpus.purge("d1")):
            with pytest.raises(CorpusError, match="more shards meanwhile"):
                write()
        with cast(ShardedCorpus, asof.open(tmp_path)) as shards:
            assert shards.add([{"id": "new", "text": "ferry"}]).added == 1
            assert (folder / "corpus.db").exists()
            assert len(list((folder / "segments").iterdir())) == 1
    with cast(ShardedCorpus, asof.open(tmp_path)) as shards:
        assert shards.add([{"id": "newer", "text": "ferry"}]).added == 1
        assert not (folder / "corpus.db").exists()
        assert not (folder / "segments").exists()
        assert shards.status().documents == 32


def test_what_is_erased_goes_from_former_files_too(tmp_path: Path) -> None:
    with open_corpus(tmp_path) as corpus:
        corpus.add([{"id": f"d{at}", "text": f"harbourmaster {at}"} for at in range(9)])
        grow(tmp_path / ".asof", 2)
        with cast(ShardedCorpus, asof.open(tmp_path)) as shards:
            shards.purge("d1")
            assert not (tmp_path / ".asof" / "corpus.db").exists()


def test_a_corpus_in_one_piece_becomes_one_in_shards(tmp_path: Path) -> None:
    file = tmp_path / "log.jsonl"
    file.write_text("".join(f'{{"id": "d{at}", "text": "ferry {at}", "tags": ["t"]}}\n' for at in range(30)))
    with open_corpus(tmp_path, settings=CorpusSettings(encoder="hashed-3-5-256")) as corpus:
        corpus.add(file)
        corpus.record(corpus.search("ferry 3"))
        expected = all_rows([corpus])
    grow(tmp_path / ".asof", 3)
    assert not (tmp_path / ".asof" / "corpus.db").exists()
    with pytest.raises(NotAcrossShards):
        open_corpus(tmp_path)
    with cast(ShardedCorpus, asof.open(tmp_path)) as shards:
        assert all_rows(shards.shards) == expected
        assert not shards.check()
        assert shards.add(file).unchanged == 30  # its checkpoints came along
        with shards.shards[0].session.connection() as db:
            recorded = [passage for (passage,) in db.execute("SELECT passage FROM shown")]
        assert {passage >> 40 for passage in recorded} == {0, 1, 2}  # by their new ids


def test_fewer_shards_are_refused(tmp_path: Path) -> None:
    with new_shards(tmp_path, 2):
        pass
    for count in (1, 2):
        with pytest.raises(
            UsageError, match=r"has 2 shards; accepted: more than that, to grow, and not \d; `asof export`"
        ):
            grow(tmp_path / ".asof", count)


def test_who_has_it_open_sees_the_old_layout_or_the_new_one(tmp_path: Path) -> None:
    with new_shards(tmp_path, 2) as shards:
        shards.clock = Clock.at("2024")
        shards.add([{"id": f"d{at}", "text": "ferry"} for at in range(20)])
        before = shards.snapshot(shards.last_write())
        rows = visible_rows(shards.shards, shards.last_write(), None)
        old, places = shards.shards, shards.layout.paths(shards.folder)
        grow(tmp_path / ".asof", 5)
        assert visible_rows(old, shards.last_write(), None) == rows  # readers of then keep what they had
        assert all(place.exists() for place in places)
        assert len(before.search("ferry", k=50)) == 20
        with pytest.raises(CorpusError, match="more shards meanwhile"):
            shards.add([{"id": "late", "text": "ferry"}])
        assert len(shards.search("ferry", k=50)) == 20
        assert shards.layout.count == 5
        assert shards.add([{"id": "late", "text": "ferry"}]).added == 1
    with open_shards(tmp_path) as again:
        assert again.status().documents == 21
        again.purge("d3")
    assert not any(place.exists() for place in places)
    assert read_layout(tmp_path / ".asof") == ShardLayout(tuple(f"{at:02}.1" for at in range(5)))


def test_killed_at_any_moment_it_is_the_corpus_of_before_or_after() -> None:
    with memory_folder() as folder:
        with new_shards(folder, 2) as shards:
            shards.clock = Clock.at("2024")
            for _ in range(3):
                shards.add([{"id": f"d{at}", "text": f"ferry {at}"} for at in range(30)])
            expected = all_rows(shards.shards)
        started = time.perf_counter()
        run(folder, 3)
        took, random_ = time.perf_counter() - started, random.Random(7)
        count, kills = 3, 0
        for wanted in itertools.count(4):
            if kills == 12:
                break
            ended = run(folder, wanted, kill_after=random_.uniform(0, took * 1.1))
            kills += not ended
            with open_shards(folder) as shards:
                assert shards.layout.count in (count, wanted)
                assert all_rows(shards.shards) == expected
                count = shards.layout.count
        run(folder, count + 1)
        left = [path.name for path in (folder / ".asof" / "shards").iterdir()]
        layout = read_layout(folder / ".asof")
        assert layout is not None
        assert sorted(left) == sorted(layout.folders)


def run(folder: Path, shards: int, kill_after: float | None = None) -> bool:
    """Grow in a process of its own; whether it ended by itself."""
    child = os.fork()
    if not child:
        status = 1
        try:
            grow(folder / ".asof", shards)
            status = 0
        finally:
            sys.stderr.flush()
            os._exit(status)
    if kill_after is not None:
        time.sleep(kill_after)
        os.kill(child, signal.SIGKILL)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert status in (0, -signal.SIGKILL)
    return status == 0
