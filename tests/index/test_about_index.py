"""Rows listed by the times that they are about: the same as a look at every row."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tests.index.made import document, fresh
from tests.index.test_about_columns import ENDS, ROWS

from asof.index.columns import AboutTimes, RowsByTime, Stretch, about_or_published
from asof.store.digest import TEXT, TITLE
from asof.time.moment import read
from asof.values import Filters


def test_each_different_time_has_its_rows() -> None:
    """Rows 0 and 2 are about 1 to 5, row 2 about 7 as well, row 1 about nothing."""
    rows: list[list[Stretch]] = [[(1, 5, TITLE)], [], [(7, 7, TEXT), (1, 5, TEXT), (1, 5, TITLE)]]
    by_time = RowsByTime.of(AboutTimes.of(rows))
    assert by_time.first.tolist() == [1, 7]
    assert by_time.last.tolist() == [5, 7]
    assert by_time.start.tolist() == [0, 3, 4]
    assert by_time.rows.tolist() == [0, 2, 2, 2]


@given(ROWS, ENDS, ENDS, st.data())
def test_marked_rows_are_those_that_overlap(
    rows: list[list[Stretch]], a: int, b: int, data: st.DataObject
) -> None:
    about, first, last = AboutTimes.of(rows), min(a, b), max(a, b)
    begin = data.draw(st.integers(0, len(rows)))
    end = data.draw(st.integers(begin, len(rows)))
    mask = np.zeros(end - begin, bool)
    RowsByTime.of(about).mark(mask, first, last, begin)
    assert mask.tolist() == about.overlap(first, last)[begin:end].tolist()


def test_few_of_very_many_rows_of_a_time_are_marked_the_same() -> None:
    """Of 100 rows about 1 to 5 the window has 3, of which one is about 9 instead: 99 > 4 times 3."""
    rows: list[list[Stretch]] = [[(9, 9, TEXT)] if at == 51 else [(1, 5, TEXT)] for at in range(100)]
    mask = np.array([False, False, False])
    by_time = RowsByTime.of(AboutTimes.of(rows))
    by_time.mark(mask, 2, 3, 50)
    assert mask.tolist() == [True, False, True]
    by_time.mark(mask, 9, 9, 50)  # what was marked stays so
    assert mask.tolist() == [True, True, True]
    by_time.mark(nothing := np.zeros(0, bool), 2, 3, 50)
    assert nothing.tolist() == []


def test_published_then_or_about_it() -> None:
    """Published in 1999, 2001 (undated), 2001, 2001 and 2002; the last is about 2001. Row 4 alone is left out
    where the window ends before it."""
    span = read("2001")
    visible = np.array([read(year).first for year in ("1999", "2001", "2001", "2001", "2002")], np.int64)
    dated = np.array([1, 0, 1, 1, 1], np.uint8)
    rows: list[list[Stretch]] = [[], [], [], [(0, 0, TEXT)], [(span.first, span.first, TEXT)]]
    by_time = RowsByTime.of(AboutTimes.of(rows))
    some = about_or_published(by_time, visible, dated, [span], 0, 5)
    assert some.tolist() == [False, False, True, True, True]
    assert about_or_published(by_time, visible, dated, [span], 1, 4).tolist() == [False, True, True]
    assert about_or_published(by_time, visible, dated, [read("1999"), span], 0, 3).tolist() == [
        True,
        False,
        True,
    ]
    assert about_or_published(by_time, visible, dated, [], 0, 5).tolist() == [False] * 5


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["mill", "mill in 2001", "in May 2003"]),
            st.sampled_from([None, "2001-05-05", "2002", "2003-06-01"]),
        ),
        min_size=1,
        max_size=8,
    ),
    st.sampled_from(["2001", "2003-05", "2002"]),
    st.sampled_from([None, "2002"]),
    st.data(),
)
def test_the_filter_of_a_time_goes_row_by_row(
    drawn: list[Any], about: str, since: str | None, data: st.DataObject
) -> None:
    """About the time, or about none that is known and published then; undated rows fall to `since`."""
    made = [document(f"d{at}", text, date) for at, (text, date) in enumerate(drawn)]
    cut = data.draw(st.integers(0, len(made)))
    asked = read(about)
    filters = Filters(since=read(since).first if since else None, about=(asked.first, asked.last))
    with fresh() as corpus:
        for part in (made[:cut], made[cut:]):
            corpus.add(part)
        view = corpus.at().view()
        window = view.window(filters)
        rows = window.rows(np.arange(window.n))
        times, visible = view.about(rows), view.column("visible", rows)
        dated = view.column("dated", rows).astype(bool)
        then = dated & (visible >= asked.first) & (visible <= asked.last)
        expected = times.overlap(asked.first, asked.last) | (then & ~times.known)
        allowed = view.allowed(window, filters)
        assert allowed is not None
        assert allowed.tolist() == (expected & (dated | (since is None))).tolist()
