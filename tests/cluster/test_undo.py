"""A batch that was cut between shards: nobody knows of it, and the next write of any source takes it back."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.cluster.test_cluster_maintenance import STATE, both, done
from tests.cluster.test_index_killed import Killed
from tests.support.corpora import Clock, memory_folder
from tests.support.shards import all_rows, new_shards, visible_rows

from asof.cluster import corpus as corpus_module
from asof.cluster import undo
from asof.cluster.corpus import ShardedCorpus
from asof.cluster.opening import open_shards
from asof.index.manifest import Manifest
from asof.time.moment import read

CHANGE = STATE | st.just(("correct", "doc1", "2020-01-03")) | st.just(("correct", "doc2", "2020-01-08"))


@contextmanager
def dying(survivors: set[int], corpus: ShardedCorpus) -> Iterator[None]:
    """The process ends when it writes to another shard than these."""
    publish, having = Manifest.publish, [corpus.shards[at].store.folder for at in survivors]

    def dies(self: Manifest, write: Any) -> None:
        if self.store.folder not in having:
            raise Killed
        publish(self, write)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Manifest, "publish", dies)
        yield


def rows(corpus: Any) -> dict[str, list[Any]]:
    """All rows but transactions, whose number tells that something was taken back, and checkpoints."""
    found = all_rows(corpus)
    return {name: each for name, each in found.items() if name not in ("transactions", "checkpoints")}


def check(before: Any, cut: Any, then: Any, survivors: set[int], *, merged: bool = False) -> None:
    with both(3) as (one, shards):
        for step in before:
            assert done(shards, step) == done(one, step)
        expected, heads = rows(shards.shards), [shard.session.last_write() for shard in shards.shards]
        at = read("2020-06").last
        seen = visible_rows(shards.shards, at, None)
        with dying(survivors, shards):
            try:
                done(shards, cut)
                whole = True  # it had nothing to write in other shards
            except Killed:
                whole = False
        if whole:
            return
        cut_off = [shard.session.last_write() for shard in shards.shards] != heads
        now = shards.snapshot(at).known_at
        assert visible_rows(shards.shards, at, now) == seen
        later = shards.snapshot(at, read("2021").last).known_at  # nor at any later moment of knowledge
        assert visible_rows(shards.shards, at, later) == seen
        if merged:
            for shard in shards.shards:
                shard.tidy()
        with open_shards(shards.root) as after:
            after.clock = Clock.at("2020-02-05")
            with after.writing():
                pass
            assert rows(after.shards) == expected
            assert after.committed() is None
            assert not cut_off or after.last_write() > max(heads)
            assert visible_rows(after.shards, at, None) == seen
            for day, step in (("2020-02-06", cut), ("2020-02-07", then)):
                after.clock, one.session.clock = Clock.at(day), Clock.at(day)
                assert done(after, step) == done(one, step)
            assert rows(after.shards) == rows([one])
            assert visible_rows(after.shards, at, None) == visible_rows([one], at, None)
            assert not after.check()


@settings(deadline=None, max_examples=20)
@given(
    st.lists(CHANGE, max_size=3), STATE.filter(lambda step: len(step[1]) > 1), STATE,
    st.sets(st.integers(0, 2), max_size=2), st.booleans(),
)  # fmt: skip
def test_what_was_cut_never_was(before: Any, cut: Any, then: Any, survivors: set[int], merged: bool) -> None:
    check(before, cut, then, survivors, merged=merged)


BEFORE = [("state", [(f"doc{at}", "a", "2020-01-02") for at in range(7)])]
CUT = ("state", [(f"doc{at}", "b", "2020-01-02" if at % 2 else "2020-01-05") for at in range(7)])


@pytest.mark.parametrize("fault", ["documents stay", "nothing is taken back", "known without the others"])
def test_faults_are_caught(monkeypatch: pytest.MonkeyPatch, fault: str) -> None:
    check(BEFORE, CUT, CUT, {0, 1})
    if fault == "documents stay":
        monkeypatch.setattr(undo, "_restore", lambda *_: None)
    elif fault == "nothing is taken back":
        monkeypatch.setattr(corpus_module, "take_back", lambda *_: 0)
    else:
        monkeypatch.setattr(ShardedCorpus, "committed", lambda _: None)
    with pytest.raises(AssertionError):
        check(BEFORE, CUT, CUT, {0, 1})


def test_the_next_run_reads_another_source() -> None:
    """Which would have shown the half of the first one."""
    with memory_folder() as folder, new_shards(folder, 3) as corpus:
        corpus.clock = Clock.at("2024")
        with dying({0, 2}, corpus), pytest.raises(Killed):
            corpus.add([{"id": f"d{at}", "text": f"ferry {at}"} for at in range(12)])
        assert len(corpus.search("ferry", k=50)) == 0  # the very first batch
        other = folder / "other.jsonl"
        other.write_text('{"id": "x", "text": "barge"}\n')
        corpus.add(other)
        assert [hit.document for hit in corpus.search("ferry barge", k=50)] == ["x"]
        assert corpus.add([{"id": f"d{at}", "text": f"ferry {at}"} for at in range(12)]).added == 12
        assert len(corpus.search("ferry", k=50)) == 12


def test_ends_alone_are_taken_back() -> None:
    """A file that no longer has three of its documents: they end in some shards and not in others."""
    with memory_folder() as folder, new_shards(folder, 3) as corpus:
        corpus.clock = Clock.at("2024")
        file = folder / "log.jsonl"
        lines = [f'{{"id": "d{at}", "text": "ferry {at}"}}\n' for at in range(12)]
        file.write_text("".join(lines))
        corpus.add(file)
        expected, segments = rows(corpus.shards), corpus.status().segments
        file.write_text("".join(lines[3:]))
        torn = {corpus.layout.of_document(f"d{at}") for at in range(2)}
        assert torn != {corpus.layout.of_document(f"d{at}") for at in range(3)}  # some other shard dies
        with dying(torn, corpus), pytest.raises(Killed):
            corpus.add(file)
        assert len(corpus.status().segments) == len(segments) + len(torn)
        assert len(corpus.search("ferry", k=50)) == 12
        with corpus.writing():
            pass
        assert rows(corpus.shards) == expected
        assert corpus.status().segments == segments
        assert not corpus.check()
        assert corpus.add(file).ended == 3
        assert len(corpus.search("ferry", k=50)) == 9


def test_killed_while_it_is_taken_back_it_is_taken_back_by_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    take = undo._take_back
    with memory_folder() as folder, new_shards(folder, 3) as corpus:
        corpus.clock = Clock.at("2024")
        corpus.add([{"id": f"d{at}", "text": f"ferry {at}"} for at in range(12)])
        expected, chosen = rows(corpus.shards), random.Random(5)
        for round_ in range(6):
            with dying({0, 1}, corpus), pytest.raises(Killed):
                corpus.add([{"id": f"d{at}", "text": f"barge {round_}"} for at in range(12)])
            left = [chosen.randint(0, 2)]

            def dies(*arguments: Any, left: list[int] = left) -> Any:
                left[0] -= 1
                if left[0] < 0:
                    raise Killed
                return take(*arguments)

            with monkeypatch.context() as patch:
                patch.setattr(undo, "_take_back", dies)
                with pytest.raises(Killed), corpus.writing():
                    pass
            assert len(corpus.search("ferry", k=50)) == 12
            with corpus.writing():
                pass
            assert rows(corpus.shards) == expected
            assert not corpus.check()
