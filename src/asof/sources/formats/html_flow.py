"""What is made while HTML is read: the blocks of a body or of a cell, and the rows of a table."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from asof.sources.formats.parts import row_text

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
        """Make a block, or lines of a list, of what was read since the last."""
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
class Table:
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
    """The texts of cells by column; what spans several stands in the first, or `repeated` in each."""
    texts: list[str] = []
    for blocks, span, _ in cells:
        text = " ".join(block.text for block in blocks)
        texts += [text, *[text if repeated else ""] * (span - 1)]
    return texts
