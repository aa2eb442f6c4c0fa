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
from asof.documents import Document
from asof.extensions.systems import evidence as evidence_cache
from asof.extensions.systems.evidence import GraphCache, evidence, status
from asof.extensions.systems.overlap import Edges
from asof.revisions.rows import Postings, merge_postings
from asof.time.span import nearest_moment
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
    """What was done: texts were read ("read_postings"), edges were made ("edges_of")."""
    return noted(monkeypatch, (evidence_cache, "read_postings"), (evidence_cache, "edges_of"))


ANEW = ["read_postings", "edges_of"]


def test_another_process_reads_what_was_kept(built: list[str]) -> None:
    with fresh(*some(0, 30)) as corpus:
        mine = degrees(corpus)
        assert max(mine.values()) > 0
        assert files(corpus) == ["edges-0.05-3.seg"]
        (line,) = status(folder_of(corpus))
        assert line.startswith("evidence graph: 30 passages, ")
        with reopened(corpus.root) as other:
            assert degrees(other) == mine
        assert built == ANEW


def test_what_came_later_is_brought_in(built: list[str]) -> None:
    """A process that has the shingles reads the new texts alone."""
    with fresh(*some(0, 30)) as corpus:
        degrees(corpus)
        corpus.add(some(30, 33))
        mine = degrees(corpus)
        assert built == ANEW * 2
        assert sum(len(part.counts) for part in GraphCache.of(corpus.session.derived).parts) == 33
        assert mine == anew(corpus)


def test_other_thresholds_and_caps_are_other_graphs_of_the_same_shingles(built: list[str]) -> None:
    with fresh(*some(0, 30)) as corpus:
        all_ = degrees(corpus, cap=0)
        few = degrees(corpus, cap=2)
        high = degrees(corpus, cap=0, threshold=0.9)
        assert files(corpus) == ["edges-0.05-0.seg", "edges-0.05-2.seg", "edges-0.9-0.seg"]
        assert built == [*ANEW, "edges_of", "edges_of"]
        assert sum(all_.values()) > sum(few.values())
        assert sum(all_.values()) > sum(high.values()) > 0
        assert degrees(corpus, cap=0) == all_ == anew(corpus, cap=0)


def test_a_damaged_file_is_said_so_and_made_anew(built: list[str]) -> None:
    with fresh(*some(0, 30)) as corpus:
        assert status(folder_of(corpus)) == []
        mine = degrees(corpus)
        path = folder_of(corpus) / "evidence" / "edges-0.05-3.seg"
        whole = path.read_bytes()
        for wrong in (b"torn", bytes([*whole[:5], whole[5] ^ 1, *whole[6:]])):
            path.write_bytes(wrong)
            del built[:]
            if wrong == b"torn":
                assert status(folder_of(corpus)) == [
                    "evidence graph: edges-0.05-3.seg is damaged; it will be rebuilt"
                ]
            with reopened(corpus.root) as other:
                assert degrees(other) == mine
            assert built == ANEW
            assert path.read_bytes() == whole


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
        for who, shingles in ((other, 30 * 4 - repeated()), (corpus, 0)):  # the second one found a file
            parts = GraphCache.of(who.session.derived).parts
            assert sum(part.counts.sum() for part in parts) == shingles


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
        assert len(files(corpus)) == 1
        assert not left.exists()


def test_an_earlier_moment_of_knowledge_leaves_the_file_alone(built: list[str]) -> None:
    with fresh(*some(0, 10)) as corpus:
        then = corpus.session.clock()
        corpus.add(some(10, 20))
        now = degrees(corpus)
        path = folder_of(corpus) / "evidence" / "edges-0.05-3.seg"
        whole = path.read_bytes()
        evidence(corpus.at(known_at=nearest_moment(then)).view(), cap=3)
        assert built == [*ANEW, "edges_of"]
        assert path.read_bytes() == whole
        assert degrees(corpus) == now


def test_few_graphs_are_kept_in_memory() -> None:
    with fresh(*some(0, 10)) as corpus:
        for cap in range(2, 9):
            degrees(corpus, cap=cap)
        kept = GraphCache.of(corpus.session.derived)._graphs
        assert [name for name, _ in kept] == [f"edges-0.05-{cap}.seg" for cap in (5, 6, 7, 8)]
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


PAIRS = st.dictionaries(
    st.tuples(st.integers(0, 7), st.integers(0, 7)).filter(lambda pair: pair[0] < pair[1]),
    st.integers(1, 10**9), max_size=12,
)  # fmt: skip


def arrays(pairs: dict[tuple[int, int], int]) -> Any:
    ordered = sorted(pairs.items())
    columns = [[low for (low, _), _ in ordered], [high for (_, high), _ in ordered], [w for _, w in ordered]]
    return tuple(np.array(column, np.int32) for column in columns)


@given(PAIRS, st.sets(st.integers(0, 7)))
def test_edges_among_some_nodes(pairs: dict[tuple[int, int], int], alive: set[int]) -> None:
    """Against a dictionary."""
    some = Edges(*arrays(dict(sorted(pairs.items())))).among(np.isin(np.arange(8), list(alive)))
    left = {pair: weight for pair, weight in pairs.items() if set(pair) <= alive}
    found = zip(zip(some.low.tolist(), some.high.tolist(), strict=True), some.weight.tolist(), strict=True)
    assert dict(found) == left
    sums = [sum(weight for pair, weight in left.items() if node in pair) for node in range(8)]
    assert some.sums(8).tolist() == sums
    for node in range(8):
        others, weights = some.neighbours(node)
        assert dict(zip(others.tolist(), weights.tolist(), strict=True)) == {
            sum(pair) - node: weight for pair, weight in left.items() if node in pair
        }


def test_texts_and_products_in_batches() -> None:
    with fresh(*some(0, 30)) as corpus:
        whole = degrees(corpus)
        shutil.rmtree(folder_of(corpus))
        limits = replace(LIMITS, texts_at_once=4, most_postings=40, products_at_once=5)
        with reopened(corpus.root, limits=limits) as other:
            assert degrees(other) == whole
            assert len(GraphCache.of(other.session.derived).parts) > 2
