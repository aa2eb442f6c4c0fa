"""From passages to arrays, and merges, which are the segments that would have been built at once."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.index.made import row, segmented

from asof.index.build import (
    FANOUT,
    SMALLEST,
    due,
    invert,
    level,
    merge,
    time_order,
)
from asof.index.segment import Segment
from asof.store.writing import EndRow
from asof.text.tokens import term_hash


def postings(segment: Segment, word: str) -> list[tuple[int, int]]:
    ((first, last),) = segment.find([term_hash(word)])
    return list(zip(segment["rows"][first:last].tolist(), segment["tf"][first:last].tolist(), strict=True))


def test_rows_lie_in_order_of_time() -> None:
    rows = [row(1, "late", 30), row(2, "first", 10), row(3, "", 20)]
    with segmented((rows, [EndRow(2, 25, 4)])) as (segment,):
        assert segment["passage"].tolist() == [2, 3, 1]
        assert segment["visible"].tolist() == [10, 20, 30]
        assert segment["length"].tolist() == [1, 0, 1]
        assert segment["row_of"].tolist() == [2, 0, 1]
        assert [segment[f"end_{name}"].tolist() for name in ("passage", "at", "added")] == [[2], [25], [4]]
        assert postings(segment, "late") == [(2, 1)]
        assert postings(segment, "nothing") == []


def test_ties_in_time_are_ordered_by_what_no_arrival_can_change() -> None:
    columns = {
        "visible": np.array([1, 1, 1, 0]), "digest": np.array([9, 4, 4, 9]), "number": np.array([0, 1, 0, 5]),
        "passage": np.array([1, 2, 3, 4]),
    }  # fmt: skip
    assert time_order(columns).tolist() == [3, 2, 1, 0]


@given(st.lists(st.lists(st.integers(0, 5), max_size=6), max_size=6))
def test_postings_are_the_counts(texts: list[list[int]]) -> None:
    hashes = np.array([50, 10, 40, 2**63, 30, 20], np.uint64)
    tokens = np.array([token for text in texts for token in text], np.int64)
    rows = np.repeat(np.arange(len(texts)), [len(text) for text in texts]).astype(np.int64)
    numbers, start, found, tf = invert(tokens, rows, len(texts), hashes)
    terms = hashes[numbers]
    assert terms.tolist() == sorted({int(hashes[token]) for text in texts for token in text})
    expected = sorted(
        (int(hashes[token]), row, count)
        for row, text in enumerate(texts)
        for token, count in Counter(text).items()
    )
    flat = zip(np.repeat(terms, np.diff(start)).tolist(), found.tolist(), tf.tolist(), strict=True)
    assert list(flat) == expected


# -- merging -----------------------------------------------------------------------------------------


TEXTS = st.lists(st.sampled_from(list("abcdef")), max_size=5).map(" ".join)
GROUPS = st.lists(
    st.tuples(
        st.lists(st.tuples(st.integers(0, 5), TEXTS), max_size=6),
        st.lists(st.tuples(st.integers(1, 12), st.integers(0, 9)), max_size=3),
    ),
    min_size=1, max_size=4,
)  # fmt: skip


def same_arrays(one: Segment, other: Segment) -> None:
    names = set(one.facts["arrays"])
    assert names == set(other.facts["arrays"])
    for name in names:
        np.testing.assert_array_equal(one[name], other[name], name)
    assert one.facts["first"] == other.facts["first"] or one.n == 0


@given(GROUPS, st.sets(st.integers(1, 24)), st.integers(1, 30), st.booleans())
def test_a_merge_is_a_build_of_everything(
    drawn: list[Any], drop: set[int], at_once: int, dense: bool
) -> None:
    groups, id_ = [], 1
    for texts, ends in drawn:
        rows = []
        for visible, text in texts:
            rows.append(row(id_, text, visible))
            id_ += 1
        groups.append((rows, [EndRow(passage, at, 0) for passage, at in ends]))
    kept = ([r for rows, _ in groups for r in rows if r.id not in drop],
            [end for _, ends in groups for end in ends if end.passage not in drop])  # fmt: skip
    vectors: list[Any] = []
    if dense:
        # as it is in a corpus: a group without rows has no vectors
        vectors = [np.array([[r.id, -r.id] for r in rows]) if rows else None for rows, _ in groups]
        everything = np.array([[r.id, -r.id] for r in kept[0]]) if kept[0] else None
    with (
        segmented(*groups, vectors=vectors) as parts,
        segmented(kept, vectors=[everything] if dense else []) as (whole,),
    ):
        path = parts[0].path.with_name("merged.seg")
        n, size, checksum = merge(path, parts, np.array(sorted(drop), np.int64) if drop else None, at_once)
        merged = Segment(path, checksum)
        assert (n, size) == (merged.n, path.stat().st_size)
        if kept[0] or not dense:
            same_arrays(merged, whole)
            assert merged.facts["encoder"] == whole.facts["encoder"]
        else:
            assert merged.n == 0
        merged.verify()
        assert not list(Path(path.parent).glob("*.tmp"))


def test_rows_without_a_vector_wait_in_a_merge_too() -> None:
    groups = [row(1, "a", 2), row(2, "b", 1)], [row(3, "c", 3)], [row(4, "d", 0)]
    with segmented(*((rows, []) for rows in groups), vectors=[[[1, 2], None], None, [[5, 6]]]) as segments:
        assert [each.waiting.tolist() for each in segments] == [[0], [0], []]
        path = segments[0].path.with_name("merged.seg")
        merge(path, segments)
        merged = Segment(path)
        assert merged["passage"].tolist() == [4, 2, 1, 3]
        assert merged["vectors"].tolist() == [[5, 6], [0, 0], [1, 2], [0, 0]]
        assert merged.waiting.tolist() == [1, 3]


def test_a_segment_of_ends_only_does_not_cost_the_vectors() -> None:
    groups = [([], [EndRow(1, 5, 0)]), ([row(1, "a", 2)], []), ([], [])]
    for order in ([0, 1, 2], [1, 0, 2], [2, 0, 1]):
        with segmented(*groups, vectors=[None, [[3, 4]], None]) as segments:
            path = segments[0].path.with_name("merged.seg")
            merge(path, [segments[at] for at in order])
            merged = Segment(path)
            assert merged["vectors"].tolist() == [[3, 4]]
            assert merged.facts["encoder"] == "test"


# -- which ones -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sizes", "chosen"),
    [
        ([1] * (FANOUT + 3), slice(0, FANOUT + 3)),
        ([SMALLEST, *[1] * FANOUT, SMALLEST], slice(1, FANOUT + 1)),
        ([SMALLEST] * 4 + [1] + [SMALLEST] * 4, slice(0, 9)),  # the smaller one is taken along
        ([SMALLEST] * FANOUT + [1] * FANOUT, slice(FANOUT, 2 * FANOUT)),  # the lowest level first
    ],
)
def test_neighbours_of_one_size_are_due(sizes: list[int], chosen: slice) -> None:
    assert due(sizes) == chosen


@given(st.lists(st.integers(0, 5_000), max_size=60))
def test_merging_what_is_due_comes_to_an_end_with_few_segments(sizes: list[int]) -> None:
    total = sum(sizes)
    while (chosen := due(sizes)) is not None:
        assert chosen.stop - chosen.start >= FANOUT
        sizes = [*sizes[: chosen.start], sum(sizes[chosen]), *sizes[chosen.stop :]]
    assert sum(sizes) == total
    assert len([size for size in sizes if size]) <= (FANOUT - 1) * (level(total) + 1) ** 2 + FANOUT
