"""Marks in the text of an RTF: single control characters that say, in its plain text, what a paragraph is.

The library that makes plain text of RTF knows no headings, lists, tables, footnotes or text boxes. What tells
them is replaced by characters that it lets through, and what it leaves out is put aside.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

HEADING, ITEM, DEPTH, BREAK, CELL, ROW, TABLE = "\x01\x02\x03\x04\x05\x06\x07"
BOX, END, EDGE, MERGED = "\x0e\x0f\x10\x11"
"""A digit follows HEADING (its level; 0: a title, 9: an entry of a table of contents) and DEPTH. TABLE starts
a row, ROW ends it; EDGE and a number say where a cell ends, after MERGED if it continues the one above. BOX
stands where a text box hangs, END after each text that was put aside."""

_TOKEN = re.compile(r"\\(?:([a-z]{1,32})(-?\d{1,10})? ?|.)", re.DOTALL)
_BRACE = re.compile(r"\\.|[{}]", re.DOTALL)
_BINARY = re.compile(r"\\(?:bin(\d{1,10}) ?|.)", re.DOTALL)
_START = r"\{\s*(?:\\\*\s*)?\\(%s)(?![a-z])-?\d* ?"
_DATA = re.compile(
    _START % "pict|objdata|datastore|themedata|colorschememapping|filetbl|rsidtbl|latentstyles"
)
_ASIDE = re.compile(_START % "footnote|annotation|shp")
_BOX_TEXT = re.compile(_START % "shptxt")
_INFO = re.compile(_START % "info")
_PROPERTY = re.compile(_START % "title|subject|author|keywords")
_STYLES = re.compile(_START % "stylesheet")
_FONTS = re.compile(_START % "fonttbl")
_HIDDEN = re.compile(r"\{((?:\\[a-z]+-?\d* ?)*\\(?:deleted|v)(?![a-z0-9]))")
_CONTENTS = re.compile(r"(?:toc|contents) ?\d", re.IGNORECASE)
_NAME = re.compile(r"heading ([1-8])", re.IGNORECASE)
_NEAR = 2_000
_MARKS = {"clvmrg": MERGED, "trowd": TABLE, "row": ROW, "cell": CELL, "nestcell": "; ", "line": BREAK}
_CHARSETS = {78: 128, 79: 136, 80: 129, 82: 177, 85: 134, 86: 238, 87: 204, 88: 222, 89: 238}
"""Character sets of old Macs that Python lacks, and those of Windows that are nearest."""


@dataclass(slots=True)
class MarkedText:
    """An RTF with marks. `asides`: what was put aside of each kind, as RTF, in order of the text; `info`: the
    group of properties; `head`: what must stand before any RTF of this file."""

    text: str
    head: str
    info: str
    asides: list[tuple[str, str, str]] = field(default_factory=list)
    """Kind, RTF, and what stands just before it."""


def marked(raw: bytes) -> MarkedText:
    """An RTF without pictures and what is deleted or hidden, with marks."""
    text = _without(_decoded(raw), _DATA)
    text = _HIDDEN.sub(r"{\\*\1", text)
    info = "".join(text[start:end] for _, start, end, _ in groups(text, _INFO))
    fonts = ""
    for _, start, end, _ in list(groups(text, _FONTS))[:1]:
        fonts = re.sub(r"[\r\n]+", " ", text[start:end])  # the library reads a font from one line
        text = text[:start] + fonts + text[end:]
    charset = re.match(r"\s*\{\\rtf\d*((?:\\(?!fonttbl)[a-z]+-?\d* ?)*)", text)
    text, fonts = (_with_marks(each, _heading_styles(text)) for each in (text, fonts))
    found = MarkedText("", f"{{\\rtf1{charset[1] if charset else ''}{fonts}", info)
    pieces, at, notes = [], 0, 0
    for kind, start, end, inner in groups(text, _ASIDE):
        aside, mark = text[inner : end - 1], ""
        if kind == "footnote":
            notes += 1
            mark = f"{{[{notes}]}}"
        elif kind == "shp":
            boxes = [aside[i : e - 1] for _, _, e, i in groups(aside, _BOX_TEXT)]
            aside, mark = r"\par ".join(boxes), f"{{{BOX}}}"
        found.asides.append((kind, aside, text[max(at, start - _NEAR) : start]))
        pieces += [text[at:start], mark]
        at = end
    found.text = "".join([*pieces, text[at:]])
    return found


def groups(text: str, beginning: re.Pattern[str]) -> Iterator[tuple[str, int, int, int]]:
    """Groups that begin in a way, none within another: the word, start, end, and start of what it holds."""
    at = 0
    while (match := beginning.search(text, at)) is not None:
        depth, at = 0, len(text) + 1  # the end that one has that is never closed
        for brace in _BRACE.finditer(text, match.start()):
            depth += {"{": 1, "}": -1}.get(brace[0], 0)
            if not depth:
                at = brace.end()
                break
        yield match[1], match.start(), at, match.end()


def braces(text: str) -> tuple[int, int]:
    """How many groups are opened, and how many closed."""
    signs = [brace[0] for brace in _BRACE.finditer(text)]
    return signs.count("{"), signs.count("}")


def properties(info: str) -> Iterator[tuple[str, str]]:
    """The texts in the group of properties, as RTF, by their names."""
    for name, _, end, inner in groups(info, _PROPERTY):
        yield name, info[inner : end - 1]


def _decoded(raw: bytes) -> str:
    """The characters of a file, binary data cut. What is beyond ASCII is UTF-8, or written as RTF does."""
    text, pieces, at = raw.decode("latin-1"), [], 0
    has_binary = "\\bin" in text
    while has_binary and (match := _BINARY.search(text, at)) is not None:
        pieces.append(text[at : match.start() if match[1] else match.end()])
        at = match.end() + int(match[1] or 0)
    kept = "".join([*pieces, text[at:]]).encode("latin-1")
    kept = kept.translate(None, bytes((*range(9), *range(11, 13), *range(14, 32))))
    try:
        return kept.decode("utf-8-sig")
    except UnicodeDecodeError:
        return re.sub("[\x80-\xff]", lambda sign: f"\\'{ord(sign[0]):02x}", kept.decode("latin-1"))


def _without(text: str, beginning: re.Pattern[str]) -> str:
    pieces, at = [], 0
    for _, start, end, _ in groups(text, beginning):
        pieces.append(text[at:start])
        at = end
    return "".join([*pieces, text[at:]])


def _heading_styles(text: str) -> dict[str, int]:
    """The levels of styles of headings by their numbers; 0 is the style of a title."""
    levels = {}
    for _, start, end, _ in groups(text, _STYLES):
        for entry in text[start:end].split("}"):
            number = re.search(r"\\s(\d+)", entry)
            name = entry.rpartition(";")[0].rpartition("\\")[2].partition(" ")[2].strip()
            level = re.search(r"\\outlinelevel([0-8])", entry)
            if number and _CONTENTS.fullmatch(name):
                levels[number[1]] = 9
            elif number and (named := _NAME.fullmatch(name)):
                levels[number[1]] = int(named[1])
            elif number and (level or name.lower() == "title"):
                levels[number[1]] = int(level[1]) + 1 if level and name.lower() != "title" else 0
    return levels


def _with_marks(text: str, styles: dict[str, int]) -> str:
    def mark(token: re.Match[str]) -> str:
        word, number = token[1], token[2] or ""
        if word in _MARKS:
            return f"\\cellx0 {_MARKS[word]}"  # a word that makes no text keeps a mark from what is before it
        if word == "outlinelevel" and number in set("012345678"):
            return f"\\cellx0 {HEADING}{min(int(number) + 1, 8)}"
        if word == "s" and number in styles:
            return f"\\cellx0 {HEADING}{styles[number]}"
        if word == "cellx" and number.isdigit():
            return f"\\cellx0 {EDGE}{number};"
        if word in ("listtext", "pntext"):
            return f"\\cellx0 {ITEM}"
        if word == "ilvl" and len(number) == 1:
            return f"\\cellx0 {DEPTH}{number}"
        if word == "fldinst":
            return r"\fldinst "  # a pattern of the library that takes quadratic time does not match this
        if word == "f":
            return f"\n{token[0]}"  # nor one that looks for a font from here to the end of the line
        if word == "fcharset" and number and int(number) in _CHARSETS:
            return f"\\fcharset{_CHARSETS[int(number)]} "
        return token[0]

    return _TOKEN.sub(mark, text)
