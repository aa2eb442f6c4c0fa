"""Merging: the union of segments is the segment that would have been built from all rows at once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tests.index.made import row, segmented

from asof.index.build import FANOUT, SMALLEST, MergeBlocks, due, level, merge
from asof.index.segment import Segment
from asof.store.writing import EndRow

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
        blocks = MergeBlocks(at_once, at_once)
        path = parts[0].path.with_name("merged.seg")
        n, size, checksum = merge(path, parts, np.array(sorted(drop), np.int64) if drop else None, blocks)
        merged = Segment(path, checksum)
        assert (n, size) == (merged.n, path.stat().st_size)
        if kept[0] or not dense:
            same_arrays(merged, whole)
            assert merged.facts["encoder"] == whole.facts["encoder"]
        else:
            assert merged.n == 0
        merged.verify()
        assert not list(Path(path.parent).glob("*.tmp"))


def test_a_merge_of_one() -> None:
    with segmented(([row(3, "a b", 5)], [])) as (only,):
        path = only.path.with_name("merged.seg")
        merge(path, [only])
        same_arrays(Segment(path), only)


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


def test_levels() -> None:
    sizes = [0, SMALLEST - 1, SMALLEST, SMALLEST * FANOUT - 1, SMALLEST * FANOUT]
    assert [level(size) for size in sizes] == [0, 0, 1, 1, 2]


def test_nothing_is_due_before_there_are_enough_of_one_size() -> None:
    assert due([]) is None
    assert due([1] * (FANOUT - 1)) is None
    assert due([1] * 3 + [SMALLEST] + [1] * (FANOUT - 5)) is None


def test_neighbours_of_one_size_are_due() -> None:
    assert due([1] * FANOUT) == slice(0, FANOUT)
    assert due([1] * (FANOUT + 3)) == slice(0, FANOUT + 3)
    assert due([SMALLEST, *[1] * FANOUT, SMALLEST]) == slice(1, FANOUT + 1)


def test_a_smaller_one_between_larger_ones_is_taken_along() -> None:
    sizes = [SMALLEST] * 4 + [1] + [SMALLEST] * 4
    assert due(sizes) == slice(0, 9)


def test_the_lowest_level_comes_first() -> None:
    assert due([SMALLEST] * FANOUT + [1] * FANOUT) == slice(FANOUT, 2 * FANOUT)


@given(st.lists(st.integers(0, 5_000), max_size=60))
def test_merging_what_is_due_comes_to_an_end_with_few_segments(sizes: list[int]) -> None:
    total = sum(sizes)
    while (chosen := due(sizes)) is not None:
        assert chosen.stop - chosen.start >= FANOUT
        sizes = [*sizes[: chosen.start], sum(sizes[chosen]), *sizes[chosen.stop :]]
    assert sum(sizes) == total
    assert len([size for size in sizes if size]) <= (FANOUT - 1) * (level(total) + 1) ** 2 + FANOUT
