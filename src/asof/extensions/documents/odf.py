"""OpenDocument texts and presentations (.odt, .odp): the current text with its structure.

Left out: what is deleted by a tracked change or hidden, headers and footers, and tables of contents, which
repeat the headings.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from xml.etree import ElementTree as ET

from asof.extensions.documents.office import Archive, Body, Cell, child, comment, core_properties, flat
from asof.extensions.documents.parts import Part, ReadLimits, Refused
from asof.extensions.documents.xml import attribute, below, first, integer, local

_MANIFEST = "META-INF/manifest.xml"
_LEFT_OUT = {"tracked-changes", "table-of-content", "forms", "hidden-text", "ruby-text", "page-number"}
_FURNITURE = {"date-time", "footer", "header", "page-number", "page"}
_DRAWN = {"frame", "g", "custom-shape", "rect", "ellipse", "circle", "line", "polygon", "polyline", "path",
          "connector", "caption", "regular-polygon", "measure", "control"}  # fmt: skip
_SPACES = re.compile(r"[ \t\r\n]+")
_REPEATED = 100
"""Cells and rows that are repeated more often fill a sheet, and say nothing."""


def read(raw: bytes, stem: str, suffix: str, limits: ReadLimits) -> list[Part]:  # noqa: ARG001
    """A text or a presentation. Raises Refused."""
    archive = Archive(raw, limits)
    if _MANIFEST in archive and b"encryption-data" in archive.bytes(_MANIFEST):
        raise Refused("it is encrypted", "save it without a password")
    root = archive.xml("content.xml")
    document = _OdfReading(root, Body(limits))
    if (text := child(root, "body", "text")) is not None:
        document.blocks(text)
    elif (slides := child(root, "body", "presentation")) is not None:
        pages = [each for each in slides if local(each) == "page"]
        if len(pages) > limits.pages:
            raise Refused(f"it has {len(pages):,} slides; the limit is {limits.pages:,}", "split it")
        for number, page in enumerate(pages, 1):
            document.slide(page, number)
    else:
        raise Refused("it is neither a text nor a presentation", "correct its suffix")
    document.body.end()
    core = core_properties(archive.xml("meta.xml") if "meta.xml" in archive else None)
    return [document.body.document(core)]


class _OdfReading:
    """A document that is read."""

    def __init__(self, root: ET.Element, body: Body) -> None:
        self.body = body
        self._parents = {
            attribute(each, "name"): attribute(each, "parent-style-name") for each in below(root, "style")
        }
        self._drawn: list[ET.Element] = []

    def slide(self, page: ET.Element, number: int) -> None:
        """Write a slide under a heading, if it has any text."""
        if not any("".join(each.itertext()).strip() for each in below(page, "p")):
            return
        titles = [each for each in page if attribute(each, "class") == "title"]
        words = " ".join(" ".join(map(self._plain, titles)).split())
        self.body.heading(f"Slide {number}: {words}" if words else f"Slide {number}", 1)
        self.body.title = words if number == 1 else self.body.title
        for each in page:
            if local(each) != "notes" and each not in titles:
                self._block(each)
        notes = child(page, "notes")
        if notes is not None and self._plain(notes):
            self.body.heading("Notes", 2)
            self.blocks(notes)

    def blocks(self, element: ET.Element) -> None:
        """Write the paragraphs, lists and tables in an element."""
        for each in element:
            self._block(each)

    def _block(self, element: ET.Element) -> None:
        match local(element):
            case "h":
                level = _count(element, "outline-level")
                self._write(element, lambda text: self.body.heading(text, level))
            case "p" if "Title" in ((style := attribute(element, "style-name")), self._parents.get(style)):
                self._write(element, lambda text: self.body.heading(text, 1, title=True))
            case "p":
                self._write(element, self.body.block)
            case "list":
                self._list(element, 0)
            case "table":
                self._table(element)
            case "annotation":
                self._comment(element)
            case _ if not _is_left_out(element):
                self._link(element)
                self.blocks(element)

    def _write(self, paragraph: ET.Element, how: Callable[[str], None]) -> None:
        """Write a paragraph in this way, and after it its drawings."""
        text = "".join(self._pieces(paragraph))
        drawn, self._drawn = self._drawn, []
        if text.strip():
            how(text)
        for each in drawn:
            self._block(each)

    def _list(self, element: ET.Element, depth: int) -> None:
        for item in element:
            lines: list[str] = []
            for each in item:
                if local(each) == "p":
                    self._write(each, lines.append)
                    continue
                self.body.item("\n".join(lines), depth)
                lines = []
                if local(each) == "list":
                    self._list(each, depth + 1)
                else:
                    self._block(each)
            self.body.item("\n".join(lines), depth)

    def _table(self, table: ET.Element) -> None:
        marked, rows = _rows(table)
        if all(len(row) == 1 and not _count(row[0], "number-columns-spanned") > 1 for row in rows):
            for row in rows:  # a frame around text
                self.blocks(row[0])
        else:
            self.body.table([self._row(row) for row in rows], marked)

    def _row(self, row: ET.Element) -> list[Cell]:
        cells: list[Cell] = []
        covered = 0  # so many more columns belong to the cell before
        for each in row:
            again = min(_count(each, "number-columns-repeated"), _REPEATED)
            if local(each) == "table-cell":
                columns = _count(each, "number-columns-spanned")
                cells += [Cell(self._plain(each), columns)] * again
                covered = columns - 1
            elif local(each) == "covered-table-cell":
                cells += [Cell("", above=True)] * max(again - covered, 0)
                covered = max(covered - again, 0)
        return cells

    def _plain(self, element: ET.Element) -> str:
        """All text of an element as one piece: of a cell, a footnote, a title."""
        said = []
        for each in element:
            if local(each) in ("p", "h"):
                outer, self._drawn = self._drawn, []
                said.append("".join(self._pieces(each)).strip())
                drawn, self._drawn = self._drawn, outer
                said += map(self._plain, drawn)
            elif local(each) == "table":
                said.append(flat(map(self._row, _rows(each)[1])))
            elif local(each) == "annotation":
                self._comment(each)
            elif not _is_left_out(each):
                said.append(self._plain(each))
        return " ".join(filter(None, said))

    def _pieces(self, element: ET.Element) -> Iterator[str]:
        """The text in a paragraph. Drawings are put aside."""
        yield _SPACES.sub(" ", element.text or "")
        for each in element:
            match local(each):
                case "s":
                    yield " " * min(_count(each, "c"), _REPEATED)
                case "tab":
                    yield "\t"
                case "line-break":
                    yield "\n"
                case "note":
                    yield self._mark(each)
                case "annotation":
                    self._comment(each)
                case name if name in _DRAWN:
                    self._drawn.append(each)
                case name if name not in _LEFT_OUT:
                    self._link(each)
                    yield from self._pieces(each)
            yield _SPACES.sub(" ", each.tail or "")

    def _mark(self, note: ET.Element) -> str:
        """The mark of a footnote at its place, such as [1]; its text is kept for the end."""
        at = len(self.body.footnotes)
        self.body.footnotes.append("")
        text = child(note, "note-body")
        self.body.footnotes[at] = self._plain(text) if text is not None else ""
        return f"[{at + 1}]"

    def _comment(self, annotation: ET.Element) -> None:
        author, date = (first(annotation, name) for name in ("creator", "date"))
        who, when = ("" if each is None else each.text or "" for each in (author, date))
        if text := self._plain(annotation):
            self.body.comments.append(comment(who, when, text))

    def _link(self, element: ET.Element) -> None:
        if local(element) == "a":
            self.body.link(attribute(element, "href"))


def _rows(table: ET.Element) -> tuple[int, list[ET.Element]]:
    """The number of first rows of a table that are marked as headers, and its rows that have cells."""
    marked, rows = 0, []
    for each in table:
        if local(each) == "table-row" and len(each):
            rows += [each] * min(_count(each, "number-rows-repeated"), _REPEATED)
        elif local(each) in ("table-header-rows", "table-rows", "table-row-group"):
            inner, more = _rows(each)
            marked += len(more) if local(each) == "table-header-rows" and marked == len(rows) else inner
            rows += more
    return marked, rows


def _is_left_out(element: ET.Element) -> bool:
    """True if the content of an element is no current text of the document: generated, or hidden."""
    return (
        local(element) in _LEFT_OUT
        or attribute(element, "class") in _FURNITURE
        or (local(element) == "section" and attribute(element, "display") == "none")
    )


def _count(element: ET.Element, name: str) -> int:
    """A whole number from 1 that an attribute states; 1 if it states none."""
    return max(integer(element, name, 1, digits=9), 1)
