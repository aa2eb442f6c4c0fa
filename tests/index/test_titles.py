"""Titles as columns: what is prepared of each, and that parts put together are the whole."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from asof.index.columns import FIGURE, PLAIN, REPEATED, UNTITLED, TitleTable
from asof.text.tokens import Analyzer, term_hash

ANALYZER = Analyzer(stem=False)


def table(*titles: str) -> TitleTable:
    return TitleTable.build([(title, "en") for title in titles], ANALYZER)


def test_what_is_prepared_of_a_title() -> None:
    """Without stop words; in "Guide 2 of May, Guide" the second guide repeats the first."""
    made = table("Guide 2 of May, Guide", "", "Guide 2 of May, Guide", "Guide 3", "The")
    assert len(made.ids) == 3
    assert made.of[0] == made.of[2] >= 0
    assert made.of[1] == UNTITLED
    first, last = made.start[made.of[0] : made.of[0] + 2]
    words = ("guide", "2", "may", "guide")
    assert made.stems[first:last].tolist() == [term_hash(word) for word in words]
    assert made.kinds[first:last].tolist() == [PLAIN, FIGURE, 0, PLAIN | REPEATED]
    groups = made.group_of
    assert groups[0] == groups[2] == groups[3] > 0, "figures and months apart they are the same"
    assert groups[1] == groups[4] == 0


TITLES = st.lists(
    st.lists(st.sampled_from(["fog", "mill", "2", "may", "the"]), max_size=4).map(" ".join), max_size=8
)


@given(st.lists(TITLES, max_size=4), st.data())
def test_parts_put_together_are_the_whole(parts: list[list[str]], data: st.DataObject) -> None:
    every = [title for part in parts for title in part]
    joined = TitleTable.joined([table(*part) for part in parts])
    same(joined, table(*every))
    rows = data.draw(st.lists(st.sampled_from(range(len(every))), max_size=8)) if every else []
    same(joined.take(np.array(rows, np.int64)), table(*(every[row] for row in rows)))


def same(one: TitleTable, other: TitleTable) -> None:
    for name in one._fields:
        left, right = getattr(one, name), getattr(other, name)
        np.testing.assert_array_equal(left, right, name)
        assert left.dtype == right.dtype
