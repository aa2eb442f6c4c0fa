"""Word documents: the current text with its headings, lists, tables, footnotes and comments.

Styles say what a paragraph is, the tree what only wraps text. Left out: what is deleted by a tracked change
or hidden, headers and footers, prompts of empty form fields, and tables of contents, which repeat the
headings.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from xml.etree import ElementTree as ET

from asof.extensions.documents.office import (
    Body,
    Cell,
    Package,
    Relation,
    child,
    chosen,
    comment,
    flat,
    relation_id,
)
from asof.extensions.documents.parts import Part, ReadLimits, Refused
from asof.extensions.documents.xml import attribute, below, first, integer, local

# -- styles: headings, titles, list items ----------------------------------------------------------


_HEADING = re.compile(r"heading ?([1-9])", re.IGNORECASE)
_CHAIN = 20  # no style is based on so many others


@dataclass(frozen=True, slots=True)
class Style:
    """The style of a paragraph: a heading of a `level` from 1, an item of a list from `depth` 0. None: it
    does not say; 0 and -1: it is none, whatever the style is based on. `name`: of the style, in lower
    case."""

    level: int | None = None
    depth: int | None = None
    name: str = ""
    parent: str = ""

    def over(self, parent: Style) -> Style:
        """This style where it says something, else the one that it is based on."""
        return Style(
            parent.level if self.level is None else self.level,
            parent.depth if self.depth is None else self.depth,
            self.name or parent.name,
        )


class Styles:
    """The styles of paragraphs in styles.xml."""

    def __init__(self, root: ET.Element | None) -> None:
        self._own: dict[str, Style] = {}
        self._whole: dict[str, Style] = {}
        for each in below(root, "style") if root is not None else ():
            name, parent = value(child(each, "name")), value(child(each, "basedOn"))
            self._own[attribute(each, "styleId")] = _style(child(each, "pPr"), name, parent)

    def of(self, properties: ET.Element | None) -> Style:
        """The style of a paragraph by its properties (w:pPr)."""
        named = value(child(properties, "pStyle"))
        return _style(properties).over(self._named(named)) if properties is not None else Style()

    def _named(self, name: str) -> Style:
        """A style by its id, with inherited properties. An unknown one goes by its id."""
        if name not in self._whole:
            style = self._own.get(name) or _style(None, name)
            parent = style.parent
            for _ in range(_CHAIN):
                if parent not in self._own:
                    break
                style = style.over(self._own[parent])
                parent = self._own[parent].parent
            self._whole[name] = style
        return self._whole[name]


def _style(properties: ET.Element | None, name: str = "", parent: str = "") -> Style:
    level = depth = None
    if (outline := child(properties, "outlineLvl")) is not None:
        level = integer(outline, "val", 9) + 1
        level = level if level <= 9 else 0
    elif named := _HEADING.fullmatch(name):
        level = int(named[1])
    if (numbering := child(properties, "numPr")) is not None:
        listed, place = child(numbering, "numId"), child(numbering, "ilvl")
        depth = -1 if listed is not None and integer(listed, "val", 0) == 0 else integer(place, "val", 0)
    return Style(level, depth, name.lower(), parent)


def value(element: ET.Element | None) -> str:
    """The w:val of an element; "" if there is none."""
    return "" if element is None else attribute(element, "val")


def is_on(element: ET.Element | None) -> bool:
    """True if a switch such as w:vanish is there and not turned off."""
    return element is not None and value(element) not in ("0", "false", "off")


# -- elements seen through their wrappers ----------------------------------------------------------


_WRAPPERS = {"sdtContent", "customXml", "ins", "moveTo", "smartTag"}


def inner(element: ET.Element) -> Iterator[ET.Element]:
    """The elements in an element, without the prompts of empty form fields."""
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
    """True if a content control holds no text of the document: the prompt of an empty one, or a generated
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


# -- the document ----------------------------------------------------------------------------------


_LEFT_OUT = {"pPr", "rPr", "sdtPr", "sdtEndPr", "del", "moveFrom", "delText", "rt", "binData"}
_SIGNS = {"tab": "\t", "ptab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}
_MATHS = {"den": "/", "sup": "^", "sub": "_"}
_CONTENTS = re.compile(r"toc ?\d")
_LINK = re.compile(r'HYPERLINK\s+"([^"]+)"', re.IGNORECASE)


def read(raw: bytes, stem: str, suffix: str, limits: ReadLimits) -> list[Part]:  # noqa: ARG001
    """A document of .docx or .docm. Raises Refused."""
    package = Package(raw, limits)
    name, root = package.main()
    body = child(root, "body")
    if local(root) != "document" or body is None:
        raise Refused(f"it is no Word document: its main part is a {local(root)!r}", "correct its suffix")
    document = _DocxReading(package, name, Body(limits))
    document.blocks(body)
    document.end()
    return [document.body.document(package.core(), document.notes)]


class _DocxReading:
    """A document that is read: its parts, and the state that spans several paragraphs."""

    def __init__(self, package: Package, name: str, body: Body) -> None:
        self.body = body
        self.notes = package.notes
        self._package = package
        self._relations = package.relations(name)
        by_kind = {each.kind: each.target for each in self._relations.values() if not each.external}
        self._styles = Styles(package.xml(by_kind.get("styles")))
        self._comments = package.xml(by_kind.get("comments"))
        self._asides: dict[tuple[str, str], tuple[ET.Element, dict[str, Relation]]] = {}
        for kind in ("footnote", "endnote"):
            member = by_kind.get(f"{kind}s")
            if member is not None and (root := package.xml(member)) is not None:
                links = package.relations(member)
                self._asides |= {(kind, attribute(each, "id")): (each, links) for each in below(root, kind)}
        self._numbers: dict[tuple[str, str], int] = {}
        self._fields: list[list[str] | None] = []  # of each open field its instruction; None in its result
        self._boxes: list[ET.Element] = []
        self._before = ""  # the text of paragraphs whose end is deleted

    def blocks(self, element: ET.Element) -> None:
        """Write the paragraphs and tables in an element."""
        for each in inner(element):
            match local(each):
                case "p":
                    self._paragraph(each)
                case "tbl":
                    self._table(each)
                case "altChunk":
                    self.notes.append("a document of another format that is embedded in it is not read")

    def end(self) -> None:
        """Write footnotes and comments after the text."""
        if self._before.strip():
            self.body.block(self._before)
        for each in below(self._comments, "comment") if self._comments is not None else ():
            if text := self._plain(each):
                said = comment(attribute(each, "author"), attribute(each, "date"), text)
                self.body.comments.append(said)
        self.body.end()

    def _paragraph(self, paragraph: ET.Element) -> None:
        properties = child(paragraph, "pPr")
        text = self._before + "".join(self._pieces(paragraph))
        boxes, self._boxes = self._boxes, []
        goes_on = child(properties, "rPr", "del") is not None
        self._before = text if goes_on else ""
        if not goes_on and text.strip():
            self._write(text, properties)
        for box in boxes:
            self.blocks(box)

    def _write(self, text: str, properties: ET.Element | None) -> None:
        style = self._styles.of(properties)
        if style.name == "title":
            self.body.heading(text, 1, title=True)
        elif style.level:
            self.body.heading(text, style.level)
        elif style.depth is not None and style.depth >= 0:
            self.body.item(text, style.depth)
        elif not _CONTENTS.fullmatch(style.name):
            self.body.block(text)

    def _table(self, table: ET.Element) -> None:
        rows = rows_of(table)
        if all(len(cells_of(row)) == 1 for row in rows):  # a frame around text
            for row in rows:
                self.blocks(cells_of(row)[0])
            return
        marked = 0
        while marked < len(rows) and is_on(child(rows[marked], "trPr", "tblHeader")):
            marked += 1
        self.body.table([self._row(row) for row in rows], marked)

    def _row(self, row: ET.Element) -> list[Cell]:
        cells = [Cell("")] * min(integer(child(row, "trPr", "gridBefore"), "val", 0), 100)
        for each in cells_of(row):
            properties = child(each, "tcPr")
            merged = child(properties, "vMerge")
            above = merged is not None and value(merged) != "restart"
            cells.append(Cell(self._plain(each), integer(child(properties, "gridSpan"), "val", 1), above))
        return cells

    def _plain(self, element: ET.Element) -> str:
        """All text of an element as one piece: of a cell, a footnote, a comment."""
        said = []
        for each in inner(element):
            if local(each) == "p":
                outer, self._boxes = self._boxes, []
                said.append("".join(self._pieces(each)).strip())
                boxes, self._boxes = self._boxes, outer
                said += map(self._plain, boxes)
            elif local(each) == "tbl":
                said.append(flat([self._row(row) for row in rows_of(each)]))
        return " ".join(filter(None, said))

    def _pieces(self, element: ET.Element) -> Iterator[str]:
        """The text of a paragraph or of an element in one. Text boxes are put aside, fields followed."""
        for each in element:
            name = local(each)
            if name in _LEFT_OUT or (name == "r" and is_on(child(each, "rPr", "vanish"))):
                continue
            if name == "txbxContent":
                self._boxes.append(each)
            elif name in ("fldChar", "instrText", "fldSimple", "hyperlink"):
                yield from self._field(each, name)
            elif any(instruction is not None for instruction in self._fields):
                yield from self._pieces(each) if len(each) else ()
            elif name == "t":
                yield each.text or ""
            elif name in _SIGNS:
                yield _SIGNS[name]
            elif name in ("footnoteReference", "endnoteReference"):
                yield self._mark(name.removesuffix("Reference"), attribute(each, "id"))
            elif name == "AlternateContent":
                if (choice := chosen(each)) is not None:
                    yield from self._pieces(choice)
            elif name != "sdt" or not is_prompt(each):
                text = "".join(self._pieces(each))
                yield _MATHS[name] + text if text and name in _MATHS else text

    def _field(self, element: ET.Element, name: str) -> Iterator[str]:
        """Links, and fields: their result is text, their instruction is none."""
        if name == "instrText":
            if self._fields and (instruction := self._fields[-1]) is not None:
                instruction.append(element.text or "")
            return
        if name == "fldChar":
            kind = attribute(element, "fldCharType")
            if kind == "begin":
                self._fields.append([])
            elif self._fields:
                self._instructed("".join(self._fields[-1] or ()))
                self._fields[-1] = None
                if kind == "end":
                    self._fields.pop()
            return
        self._instructed(attribute(element, "instr"))
        if (to := self._relations.get(relation_id(element))) is not None and to.external:
            self.body.link(to.target)
        yield from self._pieces(element)

    def _instructed(self, instruction: str) -> None:
        if named := _LINK.search(instruction):
            self.body.link(named[1])

    def _mark(self, kind: str, number_: str) -> str:
        """The mark of a footnote at its place, such as [1]; its text is kept for the end."""
        key = (kind, number_)
        if key not in self._asides:
            return ""
        if key not in self._numbers:
            at = len(self.body.footnotes)
            self._numbers[key] = at + 1
            self.body.footnotes.append("")
            aside, links = self._asides[key]
            outer = self._relations, self._fields, self._boxes
            self._relations, self._fields, self._boxes = links, [], []
            self.body.footnotes[at] = self._plain(aside)
            self._relations, self._fields, self._boxes = outer
        return f"[{self._numbers[key]}]"
