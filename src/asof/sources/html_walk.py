"""HTML as a stream of texts and tags, and as blocks, in one pass, with the standard library only.

Not `html.parser`: on broken markup it takes quadratic time (60 kB of `<a ` half a minute) and can fail with
an AssertionError. Here a tag that is never closed turns the rest into text.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator, Mapping
from typing import ClassVar, NamedTuple, Self

from asof.sources.blocks import CODE, FIELD, HEADING, INDENT, ITEM, PARAGRAPH, Block, rows

RAW = {"script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes"}
"""Elements whose content holds no tags."""

BLOCKS = {
    "address", "article", "aside", "blockquote", "body", "caption", "center", "dd", "details", "dir", "div",
    "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6",
    "head", "header", "hr", "html", "legend", "li", "main", "menu", "ol", "p", "pre", "section", "summary",
    "table", "tbody", "tfoot", "thead", "title", "tr", "ul",
}  # fmt: skip
"""Elements that begin and end a line, whatever a page is read for."""

LEVELS = {f"h{level}": level for level in range(1, 7)}

_NAME = re.compile(r"[A-Za-z][^\s/>]{0,200}")
_ATTRIBUTE = re.compile(r"([^\s/>=][^\s/>=]*)(\s*=\s*)?")
_SPACE = re.compile(r"[\s/]*")
_DECLARATIONS = re.compile(
    r"\s*+(?>(?:(?:<\?[^>]*+>|<!--(?>(?:[^-]|-(?!->))*)-->)\s*+)*)<!DOCTYPE[^>\[]*+\[.*?\]\s*+>",
    re.IGNORECASE | re.DOTALL,
)
"""The beginning of an XHTML whose document type declares something (entities, mostly), up to its end."""

_CHARSET = re.compile(rb"charset\s{0,9}=\s{0,9}[\"']?([A-Za-z0-9][A-Za-z0-9._:-]{0,40})", re.IGNORECASE)
_UNQUOTED = re.compile(r"[^\s>]*")
_SPACES = re.compile(r"\s+")
_VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}


class MarkupToken(NamedTuple):
    """A text (entities decoded), or the start or the end of the element `name`."""

    kind: str
    name: str = ""
    text: str = ""
    attributes: Mapping[str, str] = {}


def declared_charset(raw: bytes) -> str:
    """The encoding that a page declares in its first 2,048 bytes; "" where it declares none."""
    found = _CHARSET.search(raw[:2_048])
    return found[1].decode("ascii") if found else ""


def pieces(source: str) -> Iterator[MarkupToken]:
    """The pieces of an HTML text in order. Linear in its length, whatever it contains."""
    at = _past(_DECLARATIONS, source, 0)
    while at < len(source):
        opening = source.find("<", at)
        if opening < 0:
            yield MarkupToken("text", text=html.unescape(source[at:]))
            return
        if opening > at:
            yield MarkupToken("text", text=html.unescape(source[at:opening]))
        at, piece = _tag(source, opening)
        if piece:
            yield piece
            if piece.kind == "start" and piece.name in RAW:
                end = _end_of_raw(source, at, piece.name)
                if end > at:
                    raw = source[at:end]
                    yield MarkupToken(
                        "text", text=html.unescape(raw) if piece.name in ("title", "textarea") else raw
                    )
                at = end


def _tag(source: str, at: int) -> tuple[int, MarkupToken | None]:
    """The token that begins with the `<` at a place, and its end."""
    if source.startswith("<!--", at):
        end = source.find("-->", at + 2)
        return (len(source) if end < 0 else end + 3), None
    closing = source.startswith("/", at + 1)
    name = _NAME.match(source, at + 2 if closing else at + 1)
    if name is None:
        if source[at + 1 : at + 2] in ("!", "?", "/"):
            end = source.find(">", at)
            return (len(source) if end < 0 else end + 1), None
        return at + 1, MarkupToken("text", text="<")
    end, attributes = _attributes(source, name.end())
    if end < 0:
        return len(source), MarkupToken("text", text=html.unescape(source[at:]))
    return end, MarkupToken("end" if closing else "start", name[0].lower(), "", attributes)


def _attributes(source: str, at: int) -> tuple[int, dict[str, str]]:
    """The attributes of a tag and where it ends; -1 if it does not."""
    attributes: dict[str, str] = {}
    while True:
        at = _past(_SPACE, source, at)
        if at >= len(source):
            return -1, attributes
        if source[at] == ">":
            return at + 1, attributes
        name = _ATTRIBUTE.match(source, at)
        if name is None:  # a lone `=`
            at += 1
            continue
        at, value = name.end(), ""
        if name[2]:
            quote = source[at : at + 1]
            if quote in ('"', "'") and quote:
                end = source.find(quote, at + 1)
                if end < 0:
                    return -1, attributes
                value, at = source[at + 1 : end], end + 1
            else:
                end = _past(_UNQUOTED, source, at)
                value, at = source[at:end], end
        attributes.setdefault(name[1].lower(), html.unescape(value))


def _past(pattern: re.Pattern[str], source: str, at: int) -> int:
    match = pattern.match(source, at)
    return match.end() if match else at


def _end_of_raw(source: str, at: int, name: str) -> int:
    match = re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE).search(source, at)
    return match.start() if match else len(source)


# -- blocks ----------------------------------------------------------------------------------------

_LISTS = {"ul", "ol", "menu", "dir"}
_NO_CELL = {*LEVELS, *_LISTS, "dl", "pre", "blockquote", "table", "form", "article", "section"}
"""Elements in a cell by which its table only lays out a page."""

DEEPEST, LONGEST_CELL = 8, 500
"""The deepest lists, and the longest cell of a table that is one."""


class HtmlLines:
    """The text of an HTML source as blocks.

    Elements that are `left_out`, and scripts, are not read. What has a `<br>` holds line feeds. `skipping`:
    after reading, the elements that are never closed.
    """

    blocks: ClassVar = BLOCKS
    skipped: ClassVar = {"script", "style", "template"}

    def __init__(self, left_out: Callable[[MarkupToken], bool] = lambda _: False) -> None:
        self.left_out = left_out
        self.skipping: list[str] = []
        self.found: list[Block] = []
        self.title = ""
        self.heading = self.preformatted = 0
        self._line: list[str] = []
        self._mark = self._term = ""
        self._lists: list[int] = []  # for each list that is open the number of its next item; 0 for none
        self._table: list[list[str]] | None = None
        self._in_cell = self._header = self._in_title = self._in_term = False

    def read(self, source: str) -> Self:
        """Read a source, whatever it contains."""
        for piece in pieces(source):
            if self.skipping:
                if piece.name == self.skipping[-1]:
                    self.skipping.append(piece.name) if piece.kind == "start" else self.skipping.pop()
            elif piece.kind == "text":
                self.on_text(piece.text)
            elif piece.kind == "start":
                self.on_start(piece)
            else:
                self.on_end(piece.name)
        self._end_table()
        self.end_line()
        return self

    def faults(self) -> list[str]:
        """A sentence on what is never closed."""
        return [f"<{name}> is never closed: what follows it is not read" for name in self.skipping[:1]]

    def on_text(self, text: str) -> None:
        if self._in_title:
            self.title = self.title or " ".join(text.split())
        else:
            self._line.append(text if self.preformatted else _SPACES.sub(" ", text))

    def on_start(self, piece: MarkupToken) -> None:
        name = piece.name
        if self._table is not None and name in _NO_CELL:
            self._lay_out()
        elif name == "table":
            self.end_line()
            self._table, self._header = [], True
            return
        if name in ("td", "th", "tr") and self._table is not None:
            self._begin_cell(name)
            return
        if name == "dd":
            self._end_term()
        if name in self.blocks:
            self.end_line()
        self._in_term |= name == "dt"
        if name in self.skipped or (name not in _VOID and self.left_out(piece)):
            self.skipping.append(name)
        elif name in self.blocks:
            self.heading = LEVELS.get(name, self.heading)
            self._in_title = name == "title"
            self.preformatted += name == "pre"
            if name in _LISTS:
                self._lists.append(int(name == "ol"))
            elif name == "li":
                self._mark = self._item()
        elif name in ("td", "th", "sup"):  # the raised number of a note is no part of a word
            self._line.append(" ")
        elif name == "br":
            self._line.append("\n")

    def on_end(self, name: str) -> None:
        if name == "table":
            self._end_table()
        if name in self.blocks:
            if name == "dt":
                self._end_term()
            self.end_line()
            self._in_title = False
            if name in LEVELS:
                self.heading = 0
            elif name == "pre":
                self.preformatted = max(0, self.preformatted - 1)
            elif name in _LISTS and self._lists:
                self._lists.pop()

    def end_line(self) -> None:
        """Make a block of the text since the last one; one without words is none."""
        if self._table is not None:
            self._line.append(" ")
            return
        text = "".join(self._line)
        self._line.clear()
        if not text.strip():
            return
        depth = min(len(self._lists), DEEPEST)
        mark, term, self._mark, self._term = self._mark, self._term, "", ""
        if self.heading:
            self.add(Block(HEADING, " ".join(text.split()), self.heading))
        elif self.preformatted:
            self.add(Block(CODE, text.strip("\n").rstrip(), 0, INDENT * depth))
        else:
            text = "\n".join(" ".join(each.split()) for each in text.split("\n")).strip()
            if mark:
                self.add(Block(ITEM, mark + text, 0, INDENT * max(0, depth - 1)))
            elif term:
                self.add(Block(FIELD, f"{term}: {' '.join(text.split())}", 0, INDENT * depth))
            else:
                self.add(Block(PARAGRAPH, text, 0, INDENT * depth))

    def add(self, block: Block) -> None:
        """Take in a block that was read."""
        self.found.append(block)

    def _end_term(self) -> None:
        """Keep the words of the term that is open for its definition."""
        if self._in_term and self._table is None:
            self._term = " ".join("".join(self._line).split()).rstrip(":")
            self._line.clear()
        self._in_term = False

    def _item(self) -> str:
        """The mark of the next item of the innermost list."""
        number = self._lists[-1] if self._lists else 0
        if number:
            self._lists[-1] += 1
        return f"{number}. " if number else "- "

    def _begin_cell(self, name: str) -> None:
        """Begin a cell, or with "tr" a row, of the table that is open."""
        self._end_cell()
        assert self._table is not None  # noqa: S101  the caller looked
        if name == "tr" or not self._table:
            self._table.append([])
        if name != "tr":
            self._in_cell = True
            self._header &= len(self._table) > 1 or name == "th"

    def _end_cell(self) -> None:
        """End the cell that is open; what stands outside of cells is a paragraph above the table."""
        text = " ".join("".join(self._line).split())
        self._line.clear()
        if self._in_cell and self._table:
            self._table[-1].append(text)
        elif text:
            self.add(Block(PARAGRAPH, text))
        self._in_cell = False

    def _end_table(self) -> None:
        """The rows of the table that is open; one of a column, or with long cells, is paragraphs."""
        if self._table is None:
            return
        self._end_cell()
        cells = [cell for row in self._table for cell in row]
        if max(map(len, self._table), default=0) > 1 and max(map(len, cells), default=0) <= LONGEST_CELL:
            self.add(rows(self._table, header=self._header))
        else:
            for cell in filter(None, cells):
                self.add(Block(PARAGRAPH, cell))
        self._table = None

    def _lay_out(self) -> None:
        """Make paragraphs of the table that is open, and what follows is read as if it were none."""
        for row in self._table or ():
            if said := " ".join(filter(None, row)):
                self.add(Block(PARAGRAPH, said))
        self._table, self._in_cell = None, False
        self.end_line()
