"""What is kept of the evidence graph: found again, brought up to date, thrown away, never just believed."""

from __future__ import annotations

import fcntl
import os
import shutil
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.revisions import made
from tests.revisions.made import LIMITS, document, noted

from asof.corpus.corpus import Corpus
from asof.extensions.systems import evidence as evidence_cache
from asof.extensions.systems.evidence import GraphCache, evidence, status
from asof.extensions.systems.overlap import Edges, Updater, between
from asof.revisions.rows import GraphLimits, Postings, merge_postings
from asof.values import Document
from asof.wire import replace

WORDS = ["mill", "ferry", "bread", "storm"]


fresh = partial(made.cached, GraphCache)
reopened = partial(made.reopened, cache=GraphCache)


def some(first: int, last: int) -> list[Document]:
    """Documents of six words out of four: many have shingles in common."""
    return [
        document(
            f"d{at}", " ".join(WORDS[(at * at + at * i) % 7 % 4] for i in range(6)), f"20{at % 20 + 1:02}"
        )
        for at in range(first, last)
    ]


def degrees(corpus: Corpus, **options: Any) -> dict[str, int]:
    view = corpus.at().view()
    graph = evidence(view, **{"cap": 3, **options})
    rows = np.flatnonzero(graph.alive[graph.nodes])
    return {
        r.document: int(graph.degrees[row]) for row, r in zip(rows.tolist(), view.records(rows), strict=True)
    }


def anew(corpus: Corpus, **options: Any) -> dict[str, int]:
    """The same by another process that finds no files."""
    shutil.rmtree(folder_of(corpus), ignore_errors=True)
    with reopened(corpus.root) as other:
        return degrees(other, **options)


def folder_of(corpus: Corpus) -> Path:
    return corpus.store.folder / "derived"


def files(corpus: Corpus) -> list[str]:
    return sorted(path.name for path in (folder_of(corpus) / "evidence").glob("*.seg"))


@pytest.fixture
def built(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What updaters did: "anew" or "moved"; and "read_postings" for each time that texts were read."""
    return noted(monkeypatch, (Updater, "anew"), (Updater, "moved"), (evidence_cache, "read_postings"))


def test_another_process_reads_what_was_kept(built: list[str]) -> None:
    with fresh(*some(0, 30)) as corpus:
        mine = degrees(corpus)
        assert max(mine.values()) > 0
        assert files(corpus) == ["edges-0.05-3.seg", "shingles-0-30.seg"]
        assert built == ["read_postings", "anew"]
        with reopened(corpus.root) as other:
            assert degrees(other) == mine
        assert built == ["read_postings", "anew"]


def test_what_came_later_is_brought_in(built: list[str]) -> None:
    with fresh(*some(0, 30)) as corpus:
        degrees(corpus)
        corpus.add(some(30, 33))
        with reopened(corpus.root) as other:
            other.session.clock = corpus.session.clock
            theirs = degrees(other)
        assert built == ["read_postings", "anew", "read_postings", "moved"]
        assert theirs == degrees(corpus) == anew(corpus)


def test_what_came_since_is_not_written_until_it_is_much() -> None:
    with fresh(*some(0, 30)) as corpus:
        degrees(corpus)
        GraphCache.of(corpus.session.derived).limits = replace(LIMITS, least_written=5)
        corpus.add(some(30, 34))
        degrees(corpus)
        assert files(corpus) == ["edges-0.05-3.seg", "shingles-0-30.seg"]
        assert status(folder_of(corpus))[0].startswith("evidence graph: 30 passages, ")
        corpus.add(some(34, 35))
        assert degrees(corpus) == degrees(corpus)
        assert files(corpus) == [
            "edges-0.05-3.seg",
            "shingles-0-30.seg",
            "shingles-30-34.seg",
            "shingles-34-35.seg",
        ]
        assert status(folder_of(corpus))[0].startswith("evidence graph: 35 passages, ")
        assert degrees(corpus) == anew(corpus)


def test_parts_of_many_writes_stay_few() -> None:
    with fresh() as corpus:
        for at in range(40):
            corpus.add(some(at, at + 1))
            degrees(corpus)
        assert len(files(corpus)) <= 1 + 6  # each part at least twice as large as the next
        assert degrees(corpus) == anew(corpus)


def test_other_thresholds_and_caps_are_other_graphs_of_the_same_shingles(built: list[str]) -> None:
    with fresh(*some(0, 30)) as corpus:
        all_ = degrees(corpus, cap=0)
        few = degrees(corpus, cap=2)
        high = degrees(corpus, cap=0, threshold=0.9)
        assert files(corpus) == [
            "edges-0.05-0.seg", "edges-0.05-2.seg", "edges-0.9-0.seg", "shingles-0-30.seg"
        ]  # fmt: skip
        assert built == ["read_postings", "anew"] * 3  # the second and third time no text is left to read
        assert sum(all_.values()) > sum(few.values())
        assert sum(all_.values()) > sum(high.values()) > 0
        assert degrees(corpus, cap=0) == all_ == anew(corpus, cap=0)


def test_a_folder_that_is_gone_is_no_loss() -> None:
    with fresh(*some(0, 30)) as corpus:
        mine = degrees(corpus)
        shutil.rmtree(folder_of(corpus))
        assert degrees(corpus) == mine
        with reopened(corpus.root) as other:
            assert degrees(other) == mine
        assert len(files(corpus)) == 2


def test_damaged_files_are_made_anew(built: list[str]) -> None:
    with fresh(*some(0, 30)) as corpus:
        mine = degrees(corpus)
        for name in files(corpus):
            path = folder_of(corpus) / "evidence" / name
            data = bytearray(path.read_bytes())
            data[5] ^= 1
            path.write_bytes(data)
        del built[:]
        with reopened(corpus.root) as other:
            assert degrees(other) == mine
        assert built == ["read_postings", "anew"]
        assert status(folder_of(corpus))[0].startswith("evidence graph: 30 passages, ")


def test_a_damaged_file_is_said_so() -> None:
    with fresh(*some(0, 30)) as corpus:
        assert status(folder_of(corpus)) == []
        degrees(corpus)
        (folder_of(corpus) / "evidence" / "edges-0.05-3.seg").write_bytes(b"torn")
        first, last = status(folder_of(corpus))
        assert first == "evidence graph: edges-0.05-3.seg is damaged; it will be rebuilt"
        assert last.startswith("evidence graph: shingles of 30 passages; ")


def test_a_purge_leaves_nothing() -> None:
    secret = document("secret", "the word is swordfish and nothing else", "2020")
    with (
        fresh(*some(0, 20), secret, *some(20, 30)) as corpus,
        reopened(corpus.root) as other,
    ):
        degrees(other)
        degrees(corpus)
        corpus.purge("secret")
        assert files(corpus) == []
        assert degrees(other) == degrees(corpus) == anew(corpus)
        assert "secret" not in degrees(other)
        for who in (other, corpus):
            parts = GraphCache.of(who.session.derived).updater(who.at().view(), 0.05, 3).parts
            assert sum(part.counts.sum() for part in parts) == 30 * 4 - repeated()


def repeated() -> int:
    """How many of the 4 triples of words of each document stand in it more than once."""
    texts = [each.text.split() for each in some(0, 30)]
    return sum(4 - len({tuple(text[at : at + 3]) for at in range(4)}) for text in texts)


def test_files_of_another_corpus_are_not_believed() -> None:
    """A database that was copied back from before holds other rows under the same numbers."""
    with fresh(*some(0, 10)) as corpus, fresh(*some(5, 15)) as other:
        degrees(other)
        shutil.copytree(folder_of(other), folder_of(corpus))
        assert degrees(corpus) == anew(corpus)


def test_a_folder_that_cannot_be_written() -> None:
    with fresh(*some(0, 30)) as corpus:
        folder_of(corpus).write_text("a file in its place")
        mine = degrees(corpus)
        corpus.add(some(30, 35))
        later = degrees(corpus)
        assert folder_of(corpus).is_file()
        folder_of(corpus).unlink()
        assert later == anew(corpus) != mine


def test_while_another_process_writes_nothing_is_written() -> None:
    with fresh(*some(0, 30)) as corpus:
        folder = folder_of(corpus) / "evidence"
        folder.mkdir(parents=True)
        left = folder / "edges-0.05-3.tmp"
        left.touch()
        descriptor = os.open(folder / "lock", os.O_RDWR | os.O_CREAT)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        try:
            mine = degrees(corpus)
            assert files(corpus) == []
            assert left.exists()
        finally:
            os.close(descriptor)
        with reopened(corpus.root) as other:
            assert degrees(other) == mine
        assert len(files(corpus)) == 2
        assert not left.exists()


def test_a_graph_of_the_past_alone_is_kept_beside_that_of_now(built: list[str]) -> None:
    """From `past_only` rows on the past has a graph of its own, and no question in turn makes one again."""
    limits = replace(LIMITS, past_only=10)
    with fresh(*some(0, 30)) as corpus, reopened(corpus.root, limits=limits) as other:
        other.session.clock = corpus.session.clock
        now = degrees(other)
        for _ in range(3):
            for year in ("2008", "2012"):
                view = other.at(year).view()
                evidence(view, cap=3)
                view.prefix.memo.clear()
            assert degrees(other) == now
            other.at().view().prefix.memo.clear()
        assert [each for each in built if each != "read_postings"] == ["anew", "moved", "moved"]


def test_few_graphs_are_kept_in_memory() -> None:
    with fresh(*some(0, 10)) as corpus:
        for cap in range(2, 9):
            degrees(corpus, cap=cap)
        ours: GraphCache = GraphCache.of(corpus.session.derived)
        assert [cap for _, cap, _ in ours._now] == [5, 6, 7, 8]
        assert degrees(corpus, cap=2) == anew(corpus, cap=2)


# -- postings and edges by themselves -------------------------------------------------------------------

ROWS = st.lists(st.sets(st.integers(0, 9), max_size=5), min_size=1, max_size=8)


def part_of(begin: int, shingles: list[set[int]]) -> Postings:
    pairs = sorted((each, node) for node, carried in enumerate(shingles) for each in carried)
    hashes = np.array([each << 60 | each for each, _ in pairs], np.uint64)
    carriers = np.array([node for _, node in pairs], np.int32)
    return Postings(begin, np.array(list(map(len, shingles)), np.int32), hashes, carriers)


@given(ROWS, st.integers(0, 8), st.sets(st.integers(0, 12)))
def test_parts_find_what_their_union_finds(rows: list[set[int]], cut: int, wanted: set[int]) -> None:
    whole = part_of(3, rows)
    parts = [part_of(3, rows[:cut]), part_of(3 + len(rows[:cut]), rows[cut:])]
    together = merge_postings(parts)
    assert (together.begin, together.end) == (3, 3 + len(rows))
    for name in ("counts", "hashes", "carriers"):
        np.testing.assert_array_equal(getattr(together, name), getattr(whole, name))
    which, nodes = together.find(np.array(sorted(each << 60 | each for each in wanted), np.uint64))
    found = {(sorted(wanted)[at], node) for at, node in zip(which.tolist(), nodes.tolist(), strict=True)}
    assert found == {(each, 3 + node) for node, row in enumerate(rows) for each in row & wanted}
    halves = [between(together, 0, 5 << 60), between(together, 5 << 60, 2**64)]
    np.testing.assert_array_equal(np.concatenate([hashes for hashes, _ in halves]), together.hashes)


PAIRS = st.dictionaries(
    st.tuples(st.integers(0, 7), st.integers(0, 7)).filter(lambda pair: pair[0] < pair[1]),
    st.integers(1, 10**9), max_size=12,
)  # fmt: skip


def arrays(pairs: dict[tuple[int, int], int]) -> Any:
    ordered = sorted(pairs.items())
    columns = [[low for (low, _), _ in ordered], [high for (_, high), _ in ordered], [w for _, w in ordered]]
    return tuple(np.array(column, np.int32) for column in columns)


@pytest.mark.slow
@given(PAIRS, st.lists(st.tuples(st.sets(st.integers(0, 7)), PAIRS), max_size=3), st.sets(st.integers(0, 7)))
def test_edges_are_replaced(
    pairs: dict[tuple[int, int], int],
    steps: list[tuple[set[int], dict[tuple[int, int], int]]],
    alive: set[int],
) -> None:
    """Against a dictionary; the last nodes come with the first step."""
    pairs = {pair: weight for pair, weight in pairs.items() if pair[1] < 6}
    edges, expected = Edges.of(arrays(pairs), 6), dict(pairs)
    for dirty, drawn in steps:
        new = {pair: weight for pair, weight in drawn.items() if dirty & set(pair)}
        expected = {pair: weight for pair, weight in expected.items() if not dirty & set(pair)} | new
        edges = edges.replaced(np.isin(np.arange(8), list(dirty)), arrays(new))
    for each in (edges, edges.folded()):
        mask = np.isin(np.arange(8), list(alive))
        low, high, weight = each.among(mask)
        found = dict(zip(zip(low.tolist(), high.tolist(), strict=True), weight.tolist(), strict=True))
        left = {pair: weight for pair, weight in expected.items() if set(pair) <= alive}
        assert found == left
        sums = [sum(weight for pair, weight in left.items() if node in pair) for node in range(8)]
        for sparse_edges in (0, 100):  # by products, and by counts
            assert each.sums(mask, sparse_edges).tolist() == sums
        for node in range(8):
            others, weights = each.neighbours(node)
            assert dict(zip(others.tolist(), weights.tolist(), strict=True)) == {
                sum(pair) - node: weight for pair, weight in expected.items() if node in pair
            }


def test_texts_are_read_in_bounded_parts() -> None:
    with fresh(*some(0, 30)) as corpus:
        whole = degrees(corpus)
        shutil.rmtree(folder_of(corpus))
        with reopened(corpus.root, limits=replace(LIMITS, texts_at_once=4, most_postings=40)) as other:
            assert degrees(other) == whole
        assert len([name for name in files(corpus) if name.startswith("shingles")]) > 2


def test_full_parts_are_written_while_texts_are_read() -> None:
    """There may be more shingles than fit in memory: what is full is mapped from its file from then on."""
    limits = GraphLimits(least_written=10**9, texts_at_once=2, most_postings=6)
    with fresh(*some(0, 10)) as corpus:
        corpus.session.derived.memo.clear()
        ours = GraphCache.of(corpus.session.derived, limits)
        found = degrees(corpus)
        assert not list(ours.folder.glob("edges-*.seg")), "too few rows for a file of edges"
        files = {path.name for path in ours.folder.glob("shingles-*.seg")}
        full = [part for part in ours.parts if len(part.hashes) >= limits.most_postings]
        assert full
        assert {part.file.name for part in full if part.file is not None} <= files
        assert all(part.file is not None for part in full)
        assert found == anew(corpus)
