"""From passages to arrays: order of time, postings, counts."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.index.made import row, segmented

from asof.index.build import COLUMNS, invert, narrow, time_order
from asof.index.segment import Segment
from asof.store.writing import EndRow
from asof.text.tokens import term_hash


def postings(segment: Segment, word: str) -> list[tuple[int, int]]:
    ((first, last),) = segment.find(np.array([term_hash(word)], np.uint64))
    return list(zip(segment["rows"][first:last].tolist(), segment["tf"][first:last].tolist(), strict=True))


def test_rows_lie_in_order_of_time() -> None:
    rows = [row(1, "late", 30), row(2, "first", 10), row(3, "", 20)]
    with segmented((rows, [EndRow(2, 25, 4)])) as (segment,):
        assert segment["passage"].tolist() == [2, 3, 1]
        assert segment["visible"].tolist() == [10, 20, 30]
        assert segment["length"].tolist() == [1, 0, 1]
        assert segment["total"].tolist() == [0, 1, 1, 2]
        assert segment["row_of"].tolist() == [2, 0, 1]
        assert [segment[f"end_{name}"].tolist() for name in ("passage", "at", "added")] == [[2], [25], [4]]
        assert postings(segment, "late") == [(2, 1)]
        assert postings(segment, "nothing") == []


def test_counts_of_words() -> None:
    with segmented(([row(5, "a b a", 1), row(4, "b " * 300, 0)], [])) as (segment,):
        assert postings(segment, "a") == [(1, 2)]
        assert postings(segment, "b") == [(0, 300), (1, 1)]
        assert segment["tf"].dtype == np.uint16, "300 does not fit into a byte"
        assert segment.facts["first"] == 4


def test_no_rows_at_all() -> None:
    with segmented(([], [EndRow(1, 2, 3)])) as (segment,):
        assert segment.n == 0
        assert segment["total"].tolist() == [0]
        assert segment["start"].tolist() == [0]
        assert {segment[name].dtype for name in COLUMNS} == {np.dtype(kind) for kind in COLUMNS.values()}
        segment.verify()


@pytest.mark.parametrize(
    ("most", "dtype"), [(255, np.uint8), (256, np.uint16), (65_535, np.uint16), (65_536, np.int32)]
)
def test_the_narrowest_type(most: int, dtype: type) -> None:
    assert narrow(np.array([1, most])).dtype == dtype
    assert narrow(np.zeros(0, np.int64)).dtype == np.uint8


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
