"""HTML of mails and chapters as blocks of text: headings, paragraphs, lists, rows of tables."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from asof.sources.formats.html_flow import Block, Flow, Table
from asof.sources.markup import MarkupToken, MarkupWalk, pieces

_OUT = {"script", "style", "template", "noscript", "rt", "rp", "iframe", "noembed", "noframes", "select"}
_VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}
_BLOCKS = {
    "address", "article", "aside", "blockquote", "body", "caption", "center", "dd", "details", "dir", "div",
    "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6",
    "head", "header", "hr", "html", "legend", "li", "main", "menu", "nav", "ol", "p", "pre", "section",
    "summary", "table", "tbody", "td", "tfoot", "th", "thead", "title", "tr", "ul",
}  # fmt: skip
_LISTS = {"ul", "ol", "menu", "dir"}
_LEVELS = {f"h{level}": level for level in range(1, 7)}
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
    reading = _Reading(left_out)
    for piece in pieces(source):
        reading.take(piece)
    unclosed = [f"<{name}> is never closed: what follows it is not read" for name in reading.skipping[:1]]
    return HtmlText(reading.end(), reading.title, unclosed)


class _Reading(MarkupWalk):
    """What has been read so far: `flows` are of the body and of each cell that is open."""

    def __init__(self, left_out: Callable[[MarkupToken], bool]) -> None:
        super().__init__()
        self.left_out = left_out
        self.title = ""
        self.flows = [Flow()]
        self._tables: list[Table] = []
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
        if name in _LEVELS:
            flow.end_list()
            flow.heading = _LEVELS[name]
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
        if name in _LEVELS:
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
            self._tables.append(Table(len(self.flows)))
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

    def _end_cell(self, table: Table) -> None:
        if len(self.flows) > table.depth:
            flow, cell = self.flows.pop(), self._cell.pop()
            flow.end()
            table.add_cell(flow.blocks, cell.attributes.get("colspan", ""), is_header=cell.name == "th")

    def _end_table(self) -> None:
        table = self._tables.pop()
        self._end_cell(table)
        table.end()
        self.flows[-1].blocks += table.blocks
