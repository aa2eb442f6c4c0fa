"""HTML as a stream of texts and tags, in one pass.

Not `html.parser`: on broken markup it takes quadratic time (60 kB of `<a ` half a minute) and can fail with
an AssertionError. Here a tag that is never closed turns what is left into text, and that is all.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

RAW = {"script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes"}
"""Elements whose content holds no tags."""

_NAME = re.compile(r"[A-Za-z][^\s/>]{0,200}")
_ATTRIBUTE = re.compile(r"([^\s/>=][^\s/>=]*)(\s*=\s*)?")
_SPACE = re.compile(r"[\s/]*")
_UNQUOTED = re.compile(r"[^\s>]*")


class MarkupToken(NamedTuple):
    """A text (entities decoded), or the start or the end of the element `name`."""

    kind: str
    name: str = ""
    text: str = ""
    attributes: Mapping[str, str] = {}


def pieces(source: str) -> Iterator[MarkupToken]:
    """The pieces of an HTML text in order. Linear in its length, whatever stands in it."""
    at = 0
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
    """What the `<` at a place begins, and where it ends."""
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
