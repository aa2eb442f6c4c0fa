"""HTML as a stream of texts and tags, and as lines, in one pass, with the standard library only.

Not `html.parser`: on broken markup it takes quadratic time (60 kB of `<a ` half a minute) and can fail with
an AssertionError. Here a tag that is never closed turns the rest into text.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator, Mapping
from typing import ClassVar, NamedTuple, Self

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


# -- lines -----------------------------------------------------------------------------------------


class HtmlLines:
    """The text of an HTML source: a line for each block, and its level if it is a heading (else 0).

    Elements that are `left_out`, and scripts, are not read. A line of what is preformatted, or has a `<br>`,
    holds line feeds. `skipping`: after reading, the elements that are never closed.
    """

    blocks: ClassVar = BLOCKS
    skipped: ClassVar = {"script", "style", "template"}
    bullet: ClassVar = "- "
    parted: ClassVar = {"td", "th", "sup"}
    """Elements before which a word ends: the raised number of a note is no part of a word."""

    def __init__(self, left_out: Callable[[MarkupToken], bool] = lambda _: False) -> None:
        self.left_out = left_out
        self.skipping: list[str] = []
        self.lines: list[tuple[str, int]] = []
        self.title = ""
        self.heading = self.preformatted = 0
        self._line: list[str] = []
        self._mark = ""
        self._in_title = False

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
        if name in self.blocks:
            self.end_line()
        if name in self.skipped or (name not in _VOID and self.left_out(piece)):
            self.skipping.append(name)
        elif name in self.blocks:
            self.heading = LEVELS.get(name, self.heading)
            self._in_title = name == "title"
            self.preformatted += name == "pre"
            self._mark = self.bullet if name == "li" else self._mark
        elif name in self.parted:
            self._line.append(" ")
        elif name == "br":
            self._line.append("\n")

    def on_end(self, name: str) -> None:
        if name in self.blocks:
            self.end_line()
            self._in_title = False
            if name in LEVELS:
                self.heading = 0
            elif name == "pre":
                self.preformatted = max(0, self.preformatted - 1)

    def end_line(self) -> None:
        """Make a line of the text since the last block; one without words is none."""
        text = "".join(self._line)
        self._line.clear()
        if not text.strip():
            return
        if self.heading:
            text = " ".join(text.split())
        elif self.preformatted:
            text = text.strip("\n").rstrip()
        else:
            text = "\n".join(" ".join(each.split()) for each in text.split("\n")).strip()
        self.add(self._mark + text)
        self._mark = ""

    def add(self, text: str) -> None:
        """Take in a line that was read."""
        self.lines.append((text, self.heading))
