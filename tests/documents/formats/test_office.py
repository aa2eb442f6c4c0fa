"""What office formats share: properties, and tables on their columns."""

from __future__ import annotations

import pytest

from asof.extensions.documents.office import (
    MAX_COLUMNS,
    Body,
    Cell,
    CoreProperties,
    comment,
    flat,
    laid_out,
    list_item,
    properties_of,
    real_title,
    table_of,
)
from asof.extensions.documents.parts import ReadLimits


@pytest.mark.parametrize(
    "title",
    ["Untitled", "PowerPoint Presentation", "PowerPoint-Präsentation", "Présentation PowerPoint", "Dokument1",
     "(anonymous)", "Microsoft Word - letter", "Report v2.docx", "slides.ppt", "a.odt"],
)  # fmt: skip
def test_titles_that_programs_give(title):
    assert real_title(title) == ""
    for own in ("Presentation of results", "Node.js", "Documents", "1.2 Scope"):
        assert real_title(own) == own


def test_properties():
    said = properties_of("T", "Ann", "", " a, b;a;; ", created="2024", changed="")
    assert said == CoreProperties("T", {"author": "Ann", "tags": ["a", "b"]}, "2024", "")
    assert properties_of("", "python-docx", "", "", created="", changed="") == CoreProperties()


def test_items_comments_and_links():
    assert list_item(" a\nb ", 2) == "    - a\n      b"
    assert comment("", "", " a ") == "a"
    assert comment("Ann", "2024-03-05T10:00:00Z", "a") == "Ann (2024-03-05): a"
    # only addresses of the web are links
    body = Body(ReadLimits(100, 1, 1))
    for target in ("HTTP://a", "https://b", "file:///c", "#d", "https://b", ""):
        body.link(target)
    assert list(body.links) == ["HTTP://a", "https://b"]


def cells(*rows: str) -> list[list[Cell]]:
    """Rows of cells, parted by |."""
    return [[Cell(text) for text in row.split("|")] for row in rows]


@pytest.mark.parametrize(
    ("rows", "header", "lines"),
    [
        (["a|b", "1|2"], ["a", "b"], [["1", "2"]]),
        (["a|b"], [], [["a", "b"]]),  # a header of nothing
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
