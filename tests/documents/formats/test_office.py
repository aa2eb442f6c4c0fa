"""What office formats share: properties, tables on their columns, and suffixes of another format."""

from __future__ import annotations

import pytest
from tests.support.office_files import zipped

from asof.extensions.documents.office import (
    MAX_COLUMNS,
    Body,
    Cell,
    CoreProperties,
    comment,
    corrected,
    flat,
    laid_out,
    list_item,
    properties_of,
    real_title,
    table_of,
)
from asof.extensions.documents.parts import ReadLimits, Refused, Writer
from asof.sources.readers import Unreadable, parsed
from asof.sources.source import InputLimits


@pytest.mark.parametrize(
    "title",
    ["Untitled", "PowerPoint Presentation", "PowerPoint-Präsentation", "Présentation PowerPoint", "Dokument1",
     "Microsoft Word - letter", "Report v2.docx", "slides.ppt", "a.odt"],
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
    body = Body(Writer(ReadLimits(100, 1, 1)))
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


LIMITS = ReadLimits(1_000, 10, 10**7)
TYPES = "[Content_Types].xml"
SHEET = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
MAIN = (
    '<Types><Default Extension="xlsx" ContentType="{}"/>'
    '<Override ContentType="application/{}.main+xml"/></Types>'
)


def office(kind: str) -> bytes:
    """An office document of this kind, which embeds a sheet."""
    return zipped({TYPES: MAIN.format(SHEET, kind)})


DOCX = office("vnd.openxmlformats-officedocument.wordprocessingml.document")
PPTX = office("vnd.openxmlformats-officedocument.presentationml.presentation")
ODT = zipped({"mimetype": "application/vnd.oasis.opendocument.text"})


@pytest.mark.parametrize(
    ("raw", "suffix", "what", "own"),
    [
        (DOCX, ".odt", "it is a Word document", ".docx"),
        (DOCX, ".epub", "it is a Word document", ".docx"),
        (office("vnd.ms-word.document.macroEnabled"), ".xlsx", "it is a Word document", ".docx"),
        (PPTX, ".xlsx", "it is a PowerPoint presentation", ".pptx"),
        (office("vnd.ms-excel.sheet.macroEnabled"), ".docx", "it is an Excel workbook", ".xlsx"),
        (ODT, ".docx", "it is an OpenDocument text", ".odt"),
        (zipped({"mimetype": "application/epub+zip\n"}), ".odt", "it is an EPUB", ".epub"),
    ],
)
def test_a_document_of_another_format_says_what_it_is(raw, suffix, what, own):
    with pytest.raises(Unreadable) as wrong:
        parsed(raw, f"a{suffix}", InputLimits())
    assert (str(wrong.value), wrong.value.remedy) == (what, f"correct its suffix: {own}")


@pytest.mark.parametrize(
    ("raw", "suffix"),
    [
        (DOCX, ".docx"),
        (DOCX, ".rtf"),
        (ODT, ".odt"),
        (zipped({"a.txt": "x"}), ".docx"),
        (zipped({"mimetype": "image/png"}), ".docx"),
        (zipped({TYPES: MAIN.format(SHEET, "x")}), ".docx"),
        (zipped({TYPES: " " * 2**21 + MAIN.format(SHEET, "vnd.ms-word.document")}), ".odt"),
        (DOCX[:60], ".odt"),
        (b"PK\x03\x04", ".odt"),
        (b"plain", ".odt"),
    ],
)
def test_what_does_not_say_so_is_refused_as_it_was(raw, suffix):
    why = Refused("it is damaged", "save it again")
    assert corrected(why, raw, suffix, LIMITS) is why


def test_a_document_without_text_is_not_called_by_another_name():
    why = Refused("there is no text in the file", empty=True)
    assert corrected(why, DOCX, ".odt", LIMITS) is why
