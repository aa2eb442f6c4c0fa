"""The evidence graph as of (T, K) is that of a corpus which was only told what is visible then, bit for bit.

Histories are those of `tests/support/histories.py`, with very few words and caps of 1 to 3, so that nearly
every shingle is crowded. The graph is asked for in the middle of a history too, so that it is brought up to
date from what was kept; limits are set so that files are written, and blocks and parts are small.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.corpora import memory_folder
from tests.support.histories import ANY_HEALTH, HISTORIES, PLANTED, Event, events, last_moment

from asof.corpus.corpus import Corpus
from asof.extensions.systems import overlap
from asof.extensions.systems import overlap as minhash
from asof.extensions.systems import overlap as update
from asof.extensions.systems.evidence import Evidence, GraphCache, evidence, graph_cache
from asof.extensions.systems.overlap import Updater
from asof.index.segment import Prefix
from asof.index.view import View
from asof.revisions.rows import DEFAULT, GraphLimits, Rows
from asof.time.span import NEVER

pytestmark = pytest.mark.slow

SMALL = GraphLimits(
    least_written=1, share_written=10**9, rebuild_share=0, texts_at_once=2, most_postings=12,
    shingles_at_once=4, products_at_once=5, sparse_edges=0, sketched_at_once=5, past_only=3,
)  # fmt: skip
"""Everything is in several batches, files are always written, existing graphs are always updated."""


def seen(view: View, graph: Evidence) -> dict[str, Any]:
    """All that can be known of a graph, by what passages say and not by rows."""
    rows = np.flatnonzero(graph.alive[graph.nodes])
    names = {
        row: (record.document, record.key)
        for row, record in zip(rows.tolist(), view.records(rows), strict=True)
    }
    ranks = graph.pagerank()
    dead = np.setdiff1d(np.arange(len(graph.nodes)), rows)
    assert not graph.degrees[dead].any()
    assert not ranks[dead].any()
    said = {}
    for row, name in names.items():
        others, weights = graph.neighbours(row)
        said[name] = [(names[other], weight) for other, weight in zip(*each(others, weights), strict=True)]
        assert int(weights.sum()) == graph.degrees[row]
    return {
        "edges": said, "largest": graph.largest,
        "degrees": {name: int(graph.degrees[row]) for row, name in names.items()},
        "ranks": {name: float(ranks[row]) for row, name in names.items()},
    }  # fmt: skip


def each(*arrays: Any) -> list[list[Any]]:
    return [array.tolist() for array in arrays]


def check(
    history: Sequence[Event],
    as_of: int,
    back: int,
    cap: int,
    threshold: float,
    asked: Sequence[bool],
    small: bool,
    bands: int = 0,
) -> int:
    """Compare; returns how many edges there were."""
    options: dict[str, Any] = {"threshold": threshold, "cap": cap, "bands": bands}
    limits = SMALL if small else DEFAULT
    with memory_folder() as folder, HISTORIES.new_corpus(folder / "all") as corpus:
        graph_cache(corpus.session.derived, limits)
        for at, event in enumerate(history):
            HISTORIES.play(corpus, [event])
            if asked[at % len(asked)]:
                evidence(corpus.snapshot(NEVER - 1, None).view(), **options)
        moment = last_moment(corpus, as_of, back)
        if moment is None:
            return 0
        view = corpus.snapshot(*moment).view()
        here = seen(view, evidence(view, **options))
        with HISTORIES.only_visible(corpus, folder / "part", *moment) as part:
            graph_cache(part.session.derived, limits)
            there = part.snapshot(moment[0], None).view()
            assert here == seen(there, evidence(there, **options))
        assert here == seen(*anew(corpus, *moment, options, limits))
        return sum(map(len, here["edges"].values()))


def anew(
    corpus: Corpus, at: int, known_at: int, options: dict[str, Any], limits: GraphLimits
) -> tuple[View, Evidence]:
    """The same view with nothing kept."""
    shutil.rmtree(corpus.session.derived.folder, ignore_errors=True)
    corpus.session.derived.memo.clear()
    graph_cache(corpus.session.derived, limits)
    corpus.session.forget()
    view = corpus.snapshot(at, known_at).view()
    return view, evidence(view, **options)


def crowded(documents: int, words: int, dates: int, most: int) -> st.SearchStrategy[list[Event]]:
    """Histories of documents that are one short passage each: many carry the same shingle."""
    passage = st.lists(st.integers(0, words - 1), min_size=1, max_size=3).map(tuple)
    event = st.builds(
        Event,
        st.sampled_from(["state"] * 8 + ["end", "correct", "merge"]),
        st.integers(0, documents - 1), st.integers(0, dates), st.tuples(passage), st.just(0),
    )  # fmt: skip
    return st.lists(event, min_size=4, max_size=most)


BROAD = events(6, 3, 12, 16, st.none())
CROWDED = crowded(7, 2, 4, 14)


ALL_PAIRS = st.just(0)
SOME_PAIRS = st.sampled_from([1, 2, 5])
"""Bands: with one of them most edges are missed, with five most are found."""


def property_of(
    history: st.SearchStrategy[list[Event]], dates: int, examples: int,
    bands: st.SearchStrategy[int] = ALL_PAIRS, **options: Any,
) -> Callable[[], None]:  # fmt: skip
    @settings(max_examples=examples, suppress_health_check=ANY_HEALTH, **options)
    @given(
        history,
        st.integers(dates // 2, dates + 1),
        st.sampled_from([0, 0, 1, 2, 5]),
        st.sampled_from([2, 3, 1, 0]),
        st.sampled_from([0.05, 0.2, 0.5]),
        st.lists(st.booleans(), min_size=1, max_size=3),
        st.booleans(),
        bands,
    )
    def property_(
        history: list[Event],
        as_of: int,
        back: int,
        cap: int,
        threshold: float,
        asked: list[bool],
        small: bool,
        bands: int,
    ) -> None:
        check(history, as_of, back, cap, threshold, asked, small, bands)

    return property_


test_evidence_broad = property_of(BROAD, 12, 50)
test_evidence_crowded = property_of(CROWDED, 4, 120)
test_candidates_broad = property_of(BROAD, 12, 20, SOME_PAIRS)
test_candidates_crowded = property_of(CROWDED, 4, 50, SOME_PAIRS)


# -- planted faults: the property must be able to fail ------------------------------------------------


def state(document: int, date: int) -> Event:
    """A document of one passage; all have the same words."""
    return Event("state", document, date, ((0, 1, 2),), 0)


def test_a_cap_that_minds_arrival_and_not_time_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(self: Rows, nodes: Any, *before: Any) -> Any:
        return np.lexsort([nodes, *before])

    # the first to arrive is of day 3: by arrival it takes one of the two places of the shingle
    history = [state(0, 3), state(1, 0), state(2, 1)]
    assert check(history, 2, 0, 2, 0.05, [False], False) == 2
    monkeypatch.setattr(Rows, "canonical", wrong)
    with pytest.raises(AssertionError):
        check(history, 2, 0, 2, 0.05, [False], False)


def test_a_cap_that_counts_what_comes_later_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """A shingle that too many carry is left out altogether, however few carried it then."""
    right = overlap.within_cap

    def wrong(shingle: Any, node: Any, cap: int, rows: Rows) -> Any:
        return right(shingle, node, cap, rows) & ((np.bincount(shingle) <= cap)[shingle] if cap else True)

    # two documents until day 2, as many as the cap allows, and a third on day 3
    history = [state(0, 0), state(1, 1), state(2, 3)]
    assert check(history, 2, 0, 2, 0.05, [False], False) == 2
    for module in (overlap, update):
        monkeypatch.setattr(module, "within_cap", wrong)
    with pytest.raises(AssertionError):
        check(history, 2, 0, 2, 0.05, [False], False)


def test_a_row_displaced_from_the_cap_that_is_not_followed_up_is_caught(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Updater, "_mark_displaced", lambda *_: None)
    with pytest.raises(AssertionError):
        property_of(CROWDED, 4, 1000, **PLANTED)()


def test_rows_that_were_wrong_and_still_count_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(self: Rows, prefix: Prefix) -> Any:
        return self.present.copy()

    # a correction moves the first document from day 0 to day 2; its retired row must not count for the cap
    history = [state(0, 0), state(1, 1), Event("correct", 0, 2, ((0,),), 0)]
    assert check(history, 4, 0, 2, 0.05, [False], False) == 2
    monkeypatch.setattr(Rows, "known", wrong)
    with pytest.raises(AssertionError):
        check(history, 4, 0, 2, 0.05, [False], False)


def test_the_newest_graph_for_an_earlier_moment_of_knowledge_is_caught(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    right = GraphCache.graph

    def wrong(self: GraphCache, view: View, threshold: float, cap: int, bands: int) -> Any:
        rows, graph = right(self, view, threshold, cap, bands)
        return rows, self._now.setdefault((threshold, cap, bands), graph)

    # before the last write two documents fill the cap; the third, of day 0, takes the place of one
    history = [state(0, 1), state(1, 2), state(2, 0)]
    assert check(history, 4, 1, 2, 0.05, [True], False) == 2
    monkeypatch.setattr(GraphCache, "graph", wrong)
    with pytest.raises((AssertionError, IndexError)):
        check(history, 4, 1, 2, 0.05, [True], False)


def test_a_sketch_of_shared_shingles_alone_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """A shingle that nobody else has as yet stands for its band; later it may be shared."""
    right = minhash.whole_sketch

    def wrong(parts: Any, known: Any, *more: Any) -> Any:
        shared = np.unique(
            np.concatenate([np.zeros(0, np.uint64), *(part.hashes for part in parts)]), return_counts=True
        )
        few = shared[0][shared[1] > 1]
        parts = [
            replace(part, hashes=part.hashes[keep], carriers=part.carriers[keep])
            for part in parts
            for keep in [np.isin(part.hashes, few)]
        ]
        return right(parts, known, *more)

    def told(document: int, date: int, *words: tuple[int, ...]) -> Event:
        return Event("state", document, date, words, 0)

    # as of day 2 only (0, 1, 2) is shared; on day 3 two more are
    history = [told(0, 0, (0, 1, 2, 3)), told(1, 1, (0, 1, 2, 4)), told(2, 3, (1, 2, 3), (1, 2, 4))]
    check(history, 2, 0, 0, 0.05, [False], False, 1)
    monkeypatch.setattr(update, "whole_sketch", wrong)
    with pytest.raises(AssertionError):
        check(history, 2, 0, 0, 0.05, [False], False, 1)
