"""What stands in the elements of a Word document, seen through what only wraps it: blocks, rows, cells."""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree import ElementTree as ET

from asof.sources.bounded_xml import first, local
from asof.sources.formats.docx_styles import is_on, value
from asof.sources.formats.office_core import child, chosen

_WRAPPERS = {"sdtContent", "customXml", "ins", "moveTo", "smartTag"}


def inner(element: ET.Element) -> Iterator[ET.Element]:
    """What stands in an element, without the prompts of empty form fields."""
    for each in element:
        name = local(each)
        if name in _WRAPPERS or (name == "sdt" and not is_prompt(each)):
            yield from inner(each)
        elif name == "AlternateContent":
            choice = chosen(each)
            yield from inner(choice) if choice is not None else ()
        elif name != "sdt":
            yield each


def is_prompt(control: ET.Element) -> bool:
    """Whether a content control holds no text of the document: the prompt of an empty one, or a generated
    table of contents."""
    properties = child(control, "sdtPr")
    if properties is None:
        return False
    gallery = first(properties, "docPartGallery")
    return is_on(child(properties, "showingPlcHdr")) or value(gallery) == "Table of Contents"


def rows_of(table: ET.Element) -> list[ET.Element]:
    """The rows of a table that have cells and are not deleted."""
    rows = (row for row in inner(table) if local(row) == "tr" and child(row, "trPr", "del") is None)
    return [row for row in rows if cells_of(row)]


def cells_of(row: ET.Element) -> list[ET.Element]:
    """The cells of a row that are not deleted."""
    return [each for each in inner(row) if local(each) == "tc" and child(each, "tcPr", "cellDel") is None]
