"""PowerPoint presentations: a heading for each slide, its shapes, tables, diagrams and speaker notes.

Left out: headers, footers, dates and numbers of slides, the texts of their layouts, charts and comments.
"""

from __future__ import annotations

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
    list_item,
    relation_id,
)
from asof.extensions.documents.parts import Part, ReadLimits, Refused
from asof.extensions.documents.xml import attribute, below, integer, local

_TITLES = {"title", "ctrTitle"}
_LISTS = {"body", "obj"}
_BULLETS = {"buChar", "buAutoNum", "buBlip"}
_FURNITURE = {"sldNum", "dt", "ftr", "hdr", "sldImg"}


def read(raw: bytes, stem: str, suffix: str, limits: ReadLimits) -> list[Part]:  # noqa: ARG001
    """A presentation of .pptx or .pptm. Raises Refused."""
    package = Package(raw, limits)
    name, root = package.main()
    if local(root) != "presentation":
        raise Refused(f"it is no presentation: its main part is a {local(root)!r}", "correct its suffix")
    slides = list(child(root, "sldIdLst") or ())
    if len(slides) > limits.pages:
        raise Refused(f"it has {len(slides):,} slides; the limit is {limits.pages:,}", "split it")
    body, relations = Body(limits), package.relations(name)
    hidden = []
    for number, each in enumerate(slides, 1):
        related = relations.get(relation_id(each))
        slide = package.xml(related.target) if related is not None else None
        if related is None or slide is None:
            package.notes.append(f"slide {number} is missing in the file")
            continue
        if attribute(slide, "show") in ("0", "false"):
            hidden.append(str(number))
        _Slide(package, body, package.relations(related.target)).write(slide, number)
    if hidden:
        package.notes.append(f"slides that are hidden when it is presented are read too: {', '.join(hidden)}")
    if not body.blocks:
        raise Refused("there is no text in the slides", "recognise the text of pictures (OCR)", empty=True)
    return [body.document(package.core(), package.notes)]


@dataclass(slots=True)
class _Slide:
    """A slide that is read."""

    package: Package
    body: Body
    relations: dict[str, Relation]

    def write(self, slide: ET.Element, number: int) -> None:
        """Write a slide under a heading, with its notes and comments, if it has any text."""
        shapes = list(_shapes(child(slide, "cSld", "spTree")))
        titles = ((each, self._words(each)) for each in shapes if _placeholder(each) in _TITLES)
        title, words = next(((each, words) for each, words in titles if words), (None, ""))
        blocks = [block for each in shapes if each is not title for block in self._blocks(each)]
        notes = self._notes()
        if not (words or blocks or notes):
            return
        self.body.heading(f"Slide {number}: {words}" if words else f"Slide {number}", 1)
        self.body.title = words if number == 1 else self.body.title
        for block in blocks:
            self.body.block(block) if isinstance(block, str) else self.body.table(block)
        if notes:
            self.body.heading("Notes", 2)
            for text in notes:
                self.body.block(text)

    def _blocks(self, shape: ET.Element) -> list[str | list[list[Cell]]]:
        """The content of a shape: a text, or the rows of a table."""
        if local(shape) == "sp":
            return [text] if (text := self._text(shape)) else []
        data = child(shape, "graphic", "graphicData")
        if (table := child(data, "tbl")) is not None:
            rows = [self._row(each) for each in table if local(each) == "tr"]
            return [rows] if any(cell.text for row in rows for cell in row) else []
        text = self._diagram(child(data, "relIds"))
        return [text] if text else []

    def _text(self, shape: ET.Element) -> str:
        """The paragraphs of a shape, those of a list as its items."""
        kind, lines = _placeholder(shape), []
        body = child(shape, "txBody")
        paragraphs = [each for each in body if local(each) == "p"] if body is not None else []
        for each in paragraphs:
            if text := self._paragraph(each).strip():
                properties = child(each, "pPr")
                depth = integer(properties, "lvl", 0)
                marks = {local(mark) for mark in properties} if properties is not None else set()
                listed = depth or marks & _BULLETS or (kind in _LISTS and len(paragraphs) > 1)
                lines.append(list_item(text, depth) if listed and "buNone" not in marks else text)
        return "\n".join(lines)

    def _words(self, shape: ET.Element) -> str:
        return " ".join(self._text(shape).split())

    def _paragraph(self, paragraph: ET.Element) -> str:
        said: list[str] = []
        numbers = [each for each in below(paragraph, "fld") if attribute(each, "type") == "slidenum"]
        left_out = {t for each in numbers for t in each}
        for each in paragraph.iter():
            match local(each):
                case "t" if each not in left_out:
                    said.append(each.text or "")
                case "br":
                    said.append("\n")
                case "tab":
                    said.append("\t")
                case "hlinkClick":
                    if (to := self.relations.get(relation_id(each))) is not None and to.external:
                        self.body.link(to.target)
        return "".join(said)

    def _row(self, row: ET.Element) -> list[Cell]:
        cells = []
        for each in row:
            if local(each) == "tc" and attribute(each, "hMerge") not in ("1", "true"):
                above = attribute(each, "vMerge") in ("1", "true")
                cells.append(Cell(self._text(each), integer(each, "gridSpan", 1), above))
        return cells

    def _related(self, element: ET.Element | None, name: str) -> ET.Element | None:
        to = self.relations.get(relation_id(element, name)) if element is not None else None
        return self.package.xml(to.target) if to is not None and not to.external else None

    def _diagram(self, named: ET.Element | None) -> str:
        """The texts of a diagram (SmartArt), which stand in a member of their own."""
        data = self._related(named, "dm")
        texts = (self._paragraph(each) for each in (below(data, "p") if data is not None else ()))
        return "\n".join(list_item(text, 0) for text in texts if text.strip())

    def _notes(self) -> list[str]:
        inner = (each for each in self.relations.values() if each.kind == "notesSlide" and not each.external)
        notes = next((self.package.xml(each.target) for each in inner), None)
        shapes = _shapes(child(notes, "cSld", "spTree"))
        return [text for each in shapes if local(each) == "sp" and (text := self._text(each))]


def _shapes(tree: ET.Element | None) -> Iterator[ET.Element]:
    """The shapes and frames of a slide with text of its own, those of groups too, in order."""
    for each in tree if tree is not None else ():
        match local(each):
            case "sp" if _placeholder(each) not in _FURNITURE:
                yield each
            case "graphicFrame":
                yield each
            case "grpSp":
                yield from _shapes(each)
            case "AlternateContent":
                yield from _shapes(chosen(each))


def _placeholder(shape: ET.Element) -> str:
    """The kind of placeholder that a shape is: "title", "body" ...; "" for a shape of its own."""
    holds = child(shape, "nvSpPr", "nvPr", "ph")
    return "" if holds is None else attribute(holds, "type") or "obj"
