"""HTML as a stream of texts and tags, in one pass, with the standard library only.

Not `html.parser`: on broken markup it takes quadratic time (60 kB of `<a ` half a minute) and can fail with
an AssertionError. Here a tag that is never closed turns the rest into text.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

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


def walk(
    source: str,
    skipping: list[str],
    on_text: Callable[[str], None],
    on_start: Callable[[MarkupToken], None],
    on_end: Callable[[str], None],
) -> None:
    """Hand on the pieces of an HTML text, but those in elements that are skipped: `on_start` puts the name of
    one into `skipping`, which at the end holds those that are never closed."""
    for piece in pieces(source):
        if skipping:
            if piece.kind == "start" and piece.name == skipping[-1]:
                skipping.append(piece.name)
            elif piece.kind == "end" and piece.name == skipping[-1]:
                skipping.pop()
        elif piece.kind == "text":
            on_text(piece.text)
        elif piece.kind == "start":
            on_start(piece)
        else:
            on_end(piece.name)


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
