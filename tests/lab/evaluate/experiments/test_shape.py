"""Which row is best, and which pairs of rows agree."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asof.errors import UsageError
from asof.extensions.lab.experiments import Column, Table, shapes

COLUMNS = [Column("recall"), Column("ms", "low", 1), Column("k", "")]


def test_pairs_that_differ_in_the_paper_are_compared():
    # recall: a < b = c in the paper, b < a < c here: of the pairs ab, ac the second agrees; bc is a tie
    # ms, where less is better: a < b < c in both: 3 of 3
    published = Table.of(COLUMNS, {"a": (0.1, 1, 30), "b": (0.2, 2, 30), "c": (0.2, 3, 30)})
    ours = Table.of(COLUMNS, {"a": (0.3, 10.0, 5), "b": (0.2, 20.0, 5), "c": (0.4, 30.0, 5)})
    recall, ms = shapes(published, ours)
    assert (recall.best_published, recall.best_ours) == ("b = c", "c")
    assert (recall.agreeing, recall.pairs) == (1, 2)
    assert (ms.best_published, ms.best_ours, ms.agreeing, ms.pairs) == ("a", "a", 3, 3)


def test_what_is_missing_in_one_of_them_is_left_out():
    published = Table.of(COLUMNS[:1], {"a": (0.1,), "b": (0.2,), "c": (None,)})
    assert shapes(published, Table.of(COLUMNS[:1], {"a": (0.5,), "c": (0.1,)})) == []


@given(st.dictionaries(st.sampled_from("abcdef"), st.floats(0, 1), min_size=2))
def test_a_table_agrees_with_itself_and_with_none_of_its_reverse(values):
    table = Table.of(COLUMNS[:1], {label: (value,) for label, value in values.items()})
    turned = Table.of(COLUMNS[:1], {label: (-value,) for label, value in values.items()})
    for shape in shapes(table, table):
        assert shape.agreeing == shape.pairs
        assert shape.best_ours == shape.best_published
    for shape in shapes(table, turned):
        assert shape.agreeing == 0


def test_a_row_has_a_figure_for_each_column():
    with pytest.raises(UsageError, match="row 'a' has 1 figures for 3 columns"):
        Table.of(COLUMNS, {"a": (1,)})
