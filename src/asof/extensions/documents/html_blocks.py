"""HTML of mails and chapters as blocks of text: headings, paragraphs, lists, rows of tables."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from asof.extensions.documents.parts import Writer, row_text
from asof.sources.html_walk import BLOCKS, LEVELS, MarkupToken, walk

# -- blocks and tables under construction ----------------------------------------------------------


_PARAGRAPHS = re.compile(r"\n(?:[ \t]*+\n)+")

DEEPEST_LIST = 6
"""Items that are nested deeper are not indented further."""

WIDEST = 256
"""Columns that a cell may span."""


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph, a list or a row; a heading has a `level` from 1. `anchors`: ids of elements that begin
    after the block before, up to the end of this."""

    text: str
    level: int = 0
    anchors: tuple[str, ...] = ()


@dataclass(slots=True)
class Flow:
    """The blocks of a body or of a cell, and the line that is being read. `lists`: the next number of each
    list that is open, 0 for one without numbers."""

    blocks: list[Block] = field(default_factory=list)
    line: list[str] = field(default_factory=list)
    lists: list[int] = field(default_factory=list)
    anchors: list[str] = field(default_factory=list)
    heading: int = 0
    preformatted: int = 0
    _items: list[str] = field(default_factory=list)
    _marker: str = ""

    def end_line(self) -> None:
        """Make a block, or lines of a list, of the text since the last one."""
        text = "".join(self.line)
        self.line.clear()
        if not text.strip():
            return
        if not self.preformatted:
            text = "\n".join(" ".join(each.split()) for each in text.split("\n"))
        if self.heading:
            self._add(" ".join(text.split()), self.heading)
        elif self.lists:
            self._add_items(text)
        else:
            for paragraph in [text] if self.preformatted else _PARAGRAPHS.split(text):
                self._add(paragraph)

    def start_item(self) -> None:
        """Begin an item of the innermost list; of one without numbers where none is open."""
        if not self.lists:
            self.lists.append(0)
        number = self.lists[-1]
        self._marker = f"{number}. " if number else "- "
        self.lists[-1] += number > 0

    def _add_items(self, text: str) -> None:
        indent = "  " * (min(len(self.lists), DEEPEST_LIST) - 1)
        for line in text.split("\n"):
            if line.strip():
                self._items.append(f"{indent}{self._marker or '  '}{line}")
                self._marker = ""

    def end_list(self) -> None:
        """Make one block of the lines of a list and of those in it."""
        if self._items:
            text = "\n".join(self._items)
            self._items.clear()
            self._add(text)

    def end(self) -> None:
        self.end_line()
        self.end_list()

    def _add(self, text: str, level: int = 0) -> None:
        block = text.strip("\n").rstrip()
        if block.strip():
            self.blocks.append(Block(block, level, tuple(self.anchors)))
            self.anchors.clear()


@dataclass(slots=True)
class HtmlTable:
    """A table whose rows become lines. `depth`: how many flows are open around it."""

    depth: int
    in_head: bool = False
    blocks: list[Block] = field(default_factory=list)
    _header: list[str] = field(default_factory=list)
    _used: bool = False
    _cells: list[tuple[list[Block], int, bool]] = field(default_factory=list)

    def add_cell(self, blocks: list[Block], span: str, *, is_header: bool) -> None:
        columns = int(span) if span.isascii() and span.isdigit() and len(span) < 4 else 1
        self._cells.append((blocks, min(max(columns, 1), WIDEST), is_header or self.in_head))

    def end_row(self) -> None:
        """Make a line of the cells, or their blocks where the table only sets out a page."""
        cells, self._cells = self._cells, []
        filled = [each for each in cells if each[0]]
        if not filled:
            return
        blocks = [block for each in filled for block in each[0]]
        parted = any(len(each[0]) > 1 or each[0][0].level for each in filled)
        if len(filled) == 1 or (parted and not self._header):
            self.blocks += blocks
        elif not self._header and all(is_header for _, _, is_header in filled):
            self._header = _columns(cells, repeated=True)
        else:
            self._used = True
            self._add(row_text(self._header, _columns(cells, repeated=False)), blocks)

    def end(self) -> None:
        """End the table; a header without rows is a row."""
        self.end_row()
        if self._header and not self._used:
            self._add(row_text((), self._header), [])

    def _add(self, text: str, of: list[Block]) -> None:
        if text:
            self.blocks.append(Block(text, 0, tuple(anchor for block in of for anchor in block.anchors)))


def _columns(cells: list[tuple[list[Block], int, bool]], *, repeated: bool) -> list[str]:
    """The texts of cells by column; a spanning cell stands in the first, or `repeated` in each."""
    texts: list[str] = []
    for blocks, span, _ in cells:
        text = " ".join(block.text for block in blocks)
        texts += [text, *[text if repeated else ""] * (span - 1)]
    return texts


# -- the parser ------------------------------------------------------------------------------------


_OUT = {"script", "style", "template", "noscript", "rt", "rp", "iframe", "noembed", "noframes", "select"}
_VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}
_BLOCKS = BLOCKS | {"nav", "td", "th"}
_LISTS = {"ul", "ol", "menu", "dir"}
_SPACE = re.compile(r"\s+")

DEEPEST_TABLE = 6
"""Tables that are nested deeper only end lines."""

DEEPEST_MARK = 8


@dataclass(frozen=True, slots=True)
class HtmlText:
    """The blocks of an HTML text, its `<title>`, and a sentence on each fault."""

    blocks: list[Block]
    title: str
    notes: list[str]


def html_text(source: str, left_out: Callable[[MarkupToken], bool] = lambda _: False) -> HtmlText:
    """Reads HTML, whatever stands in it, without the elements that are `left_out`."""
    reading = _BlockReading(left_out)
    walk(source, reading.skipping, reading.on_text, reading.on_start, reading.on_end)
    unclosed = [f"<{name}> is never closed: what follows it is not read" for name in reading.skipping[:1]]
    return HtmlText(reading.end(), reading.title, unclosed)


class _BlockReading:
    """The state of reading: `flows` are of the body and of each cell that is open."""

    def __init__(self, left_out: Callable[[MarkupToken], bool]) -> None:
        self.skipping: list[str] = []
        self.left_out = left_out
        self.title = ""
        self.flows = [Flow()]
        self._tables: list[HtmlTable] = []
        self._cell: list[MarkupToken] = []
        self._beyond = 0
        self._marks: list[tuple[str, bool]] = []
        self._in_title = False

    def end(self) -> list[Block]:
        """All blocks, with those of cells that were not closed."""
        while self._tables:
            self._end_table()
        self.flows[0].end()
        return self.flows[0].blocks

    def on_text(self, text: str) -> None:
        if self._in_title:
            self.title = self.title or " ".join(text.split())
        elif self.flows[-1].preformatted:
            self.flows[-1].line.append(text.replace("\r\n", "\n"))
        else:
            self.flows[-1].line.append(_SPACE.sub(" ", text))

    def on_start(self, piece: MarkupToken) -> None:
        name, flow = piece.name, self.flows[-1]
        if name in _BLOCKS:
            flow.end_line()
        if name in _OUT or (name not in _VOID and self.left_out(piece)):
            self.skipping.append(name)
            return
        if anchor := piece.attributes.get("id") or (piece.attributes.get("name") if name == "a" else ""):
            flow.anchors.append(anchor)
        self._in_title = name == "title"
        if name in LEVELS:
            flow.end_list()
            flow.heading = LEVELS[name]
        elif name in _LISTS:
            flow.lists.append(int(name == "ol"))
        elif name == "li":
            flow.start_item()
        elif name == "br":
            flow.line.append("\n")
        elif name == "pre":
            flow.preformatted += 1
        elif name in ("a", "sup"):
            self._start_mark(piece)
        elif name in ("table", "thead", "tr", "td", "th"):
            self._start_in_table(piece)

    def on_end(self, name: str) -> None:
        flow = self.flows[-1]
        if name in _BLOCKS:
            flow.end_line()
            self._in_title = False
        if name in LEVELS:
            flow.heading = 0
        elif name == "pre":
            flow.preformatted = max(0, flow.preformatted - 1)
        elif name in _LISTS and flow.lists:
            flow.lists.pop()
            if not flow.lists:
                flow.end_list()
        elif name in ("a", "sup"):
            self._end_mark(name)
        elif name in ("table", "thead", "tr", "td", "th"):
            self._end_in_table(name)

    def _start_mark(self, piece: MarkupToken) -> None:
        """A raised link is the number of a note: in brackets, so that it is no part of the word before it."""
        around = {name for name, _ in self._marks}
        said = f"{piece.attributes.get('epub:type', '')} {piece.attributes.get('role', '')}"
        opens = "noteref" in said or (piece.name not in around and {piece.name, *around} == {"a", "sup"})
        opens = opens and not any(opened for _, opened in self._marks)
        if len(self._marks) < DEEPEST_MARK:
            self._marks.append((piece.name, opens))
            if opens:
                self.flows[-1].line.append("[")

    def _end_mark(self, name: str) -> None:
        if self._marks and self._marks[-1][0] == name and self._marks.pop()[1]:
            line = self.flows[-1].line
            if "".join(line[-2:]).startswith("[["):  # it had brackets
                line[-2] = ""
            else:
                line.append("]")

    def _start_in_table(self, piece: MarkupToken) -> None:
        if piece.name == "table":
            if self._beyond or len(self._tables) >= DEEPEST_TABLE:
                self._beyond += 1
                return
            self.flows[-1].end_list()
            self._tables.append(HtmlTable(len(self.flows)))
        elif self._tables and not self._beyond:
            table = self._tables[-1]
            self._end_cell(table)
            if piece.name == "thead":
                table.in_head = True
            elif piece.name == "tr":
                table.end_row()
            else:
                self.flows.append(Flow())
                self._cell.append(piece)

    def _end_in_table(self, name: str) -> None:
        if self._beyond:
            self._beyond -= name == "table"
        elif self._tables and name == "table":
            self._end_table()
        elif self._tables:
            table = self._tables[-1]
            self._end_cell(table)
            if name == "tr":
                table.end_row()
            elif name == "thead":
                table.end_row()
                table.in_head = False

    def _end_cell(self, table: HtmlTable) -> None:
        if len(self.flows) > table.depth:
            flow, cell = self.flows.pop(), self._cell.pop()
            flow.end()
            table.add_cell(flow.blocks, cell.attributes.get("colspan", ""), is_header=cell.name == "th")

    def _end_table(self) -> None:
        table = self._tables.pop()
        self._end_cell(table)
        table.end()
        self.flows[-1].blocks += table.blocks


# -- Markdown: headings are found, the rest stays as written ---------------------------------------


_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+(.*)")
_CLOSING = re.compile(r"(?:^|[ \t]+)#+[ \t]*\Z")
_UNDERLINE = re.compile(r" {0,3}(=+|-{2,})[ \t]*\Z")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_NO_PARAGRAPH = re.compile(r"\s*\Z|[ \t]*(?:[-+*>|]|[0-9]+[.)])|    ")
_EMBEDDED = re.compile(r"!\[([^\[\]\n]{0,1000})\]\((?:data:|attachment:)[^()\s]*+\)")


def write_markdown(source: str, writer: Writer) -> str:
    """Write a Markdown text; returns the words of its first heading, or "". Of images that it holds itself
    only the description is kept."""
    title = ""
    lines: list[str] = []
    fence = ""
    for line in _EMBEDDED.sub(r"\1", source).splitlines():
        marks = _FENCE.match(line)
        if fence or marks:
            if not fence and marks:
                fence = marks[1]
            elif marks and marks[1].startswith(fence) and not line.strip(" \t" + fence[0]):
                fence = ""
            lines.append(line)
            continue
        level, words = 0, ""
        if heading := _HEADING.fullmatch(line):
            level, words = len(heading[1]), _CLOSING.sub("", heading[2]).strip()
        elif (under := _UNDERLINE.fullmatch(line)) and lines and not _NO_PARAGRAPH.match(lines[-1]):
            level, words = (1 if under[1][0] == "=" else 2), lines.pop().strip()
        if words:
            writer.block("\n".join(lines))
            lines.clear()
            writer.heading(words, level)
            title = title or words
        else:
            lines.append(line)
    writer.block("\n".join(lines))
    return title
