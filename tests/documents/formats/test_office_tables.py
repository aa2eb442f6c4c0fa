"""Tables laid out on their columns."""

from __future__ import annotations

import pytest

from asof.extensions.documents.office import MAX_COLUMNS, Cell, flat, laid_out, table_of


def cells(*rows: str) -> list[list[Cell]]:
    """Rows of cells, parted by |."""
    return [[Cell(text) for text in row.split("|")] for row in rows]


@pytest.mark.parametrize(
    ("rows", "header", "lines"),
    [
        (["a|b", "1|2"], ["a", "b"], [["1", "2"]]),
        (["a|b"], [], [["a", "b"]]),  # a header of nothing
        (["a|b", "1|"], ["a", "b"], [["a", "b"], ["1", ""]]),  # b would not be said with any value
        (["|", "a|b", "1|2"], ["a", "b"], [["1", "2"]]),
        (["Name:|Ann", "Age:||7"], [], [["Name: Ann"], ["Age: 7"]]),
        (["x" * 101 + "|b", "1|2"], [], [["x" * 101, "b"], ["1", "2"]]),
        (["a", "1"], [], [["a"], ["1"]]),
        ([], [], []),
    ],
)
def test_the_first_row_is_a_header_if_it_can_be_one(rows, header, lines):
    table = table_of(cells(*rows))
    assert (table.captions, table.header, table.rows) == ([], header, lines)


def test_captions_and_headers_of_two_rows():
    first = [Cell("Year"), Cell("Sizes", 2)]
    table = table_of([[Cell("All", 3)], first, *cells("|small|large", "2024|1|2")], marked=3)
    assert table.captions == ["All"]
    assert table.header == ["Year", "Sizes small", "Sizes large"]
    assert table.rows == [["2024", "1", "2"]]


def test_cells_that_span_rows_and_columns():
    long = "x" * 101
    rows = [
        [Cell("a", 2), Cell(long)],
        [Cell("", 2, above=True), Cell("", above=True)],
        [Cell("", above=True)],
    ]
    assert laid_out(rows) == [["a", "", long], ["a", "", ""], ["a"]]
    assert len(laid_out([[Cell("a", 10**9)]])[0]) == MAX_COLUMNS


def test_a_table_in_a_cell():
    assert flat(cells("a|b", "|", "c|")) == "a; b. c"
