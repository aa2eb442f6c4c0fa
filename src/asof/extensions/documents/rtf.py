"""RTF: the current text with headings, lists, tables, footnotes, comments and text boxes.

`striprtf` makes plain text and drops all of these. So what tells them is replaced by single control
characters that it lets through, and what it leaves out is put aside first. Left out: pictures, headers and
footers, what is deleted or hidden.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from asof.extensions.documents.office import Body, Cell, CoreProperties, comment, properties_of
from asof.extensions.documents.parts import Part, ReadLimits, Refused, Writer

# -- control characters for headings, lists, tables and asides -------------------------------------


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
    """An RTF with marks. `asides`: parts put aside by kind, as RTF, in order of the text; `info`: the
    group of properties; `head`: what must stand before any RTF of this file."""

    text: str
    head: str
    info: str
    asides: list[tuple[str, str, str]] = field(default_factory=list)
    """Kind, RTF, and what stands just before it."""


def marked(raw: bytes) -> MarkedText:
    """An RTF with marks, without pictures, deleted and hidden text."""
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
    """The numbers of groups that are opened and that are closed."""
    signs = [brace[0] for brace in _BRACE.finditer(text)]
    return signs.count("{"), signs.count("}")


def _decoded(raw: bytes) -> str:
    """The characters of a file, binary data cut. Those beyond ASCII are UTF-8, or escapes of RTF."""
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


# -- the reader ------------------------------------------------------------------------------------


_LEVEL = re.compile(f"{HEADING}([0-9])")
_DEPTH = re.compile(f"{DEPTH}([0-9])")
_EDGE = re.compile(f"({MERGED}?){EDGE}([0-9]{{1,10}});")
_EMPTY = re.compile(r"(?: ?;){2,}")  # cells of a table in a cell
_SAME_EDGE = 120  # twentieths of a point
_MARK = re.compile(r"[\x01\x03][0-9]|\x10[0-9]+;|[\x00-\x08\x0b-\x1f]")
_NUMBERED = re.compile(r".*\d|.+[.)]")
_WEB = re.compile(r'HYPERLINK\s+(?:\\\\[a-z]\s+)*"(https?://[^"\s]+)"', re.IGNORECASE)
_TIME = re.compile(r"\\(creatim|revtim)\\yr(\d{4})\\mo(\d{1,2})\\dy(\d{1,2})(?:\\hr(\d{1,2})\\min(\d{1,2}))?")
_AUTHOR = re.compile(r"\\atnauthor ([^{}\\]*)\}")
_DATE = re.compile(r"\\atndate (\d{1,10})")
_CODE_PAGES = {"mac": "mac_roman", "pc": "cp437", "pca": "cp850"}


def read(raw: bytes, stem: str, suffix: str, limits: ReadLimits) -> list[Part]:  # noqa: ARG001
    """A document of .rtf. Raises Refused."""
    if not raw.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"{\\rtf"):
        raise Refused(r"it is no RTF, which begins with {\rtf", "correct its suffix")
    found = marked(raw)
    properties = [(name, found.info[at : end - 1]) for name, _, end, at in groups(found.info, _PROPERTY)]
    put_aside = [rtf for _, rtf, _ in found.asides] + [rtf for _, rtf in properties]
    try:
        text, asides = _text(found, found.text), _asides(found, put_aside)
    except (TypeError, ValueError, LookupError, OverflowError) as wrong:
        raise Refused(f"it is damaged: {wrong}", "save it again") from wrong
    body = Body(Writer(limits))
    boxes = []
    for (kind, rtf, before), aside in zip(found.asides, asides, strict=False):
        if kind == "shp":
            boxes.append(aside)
        elif kind == "footnote":
            body.footnotes.append(_line(aside))
        elif said := _line(aside):
            body.comments.append(comment(*_said_of(before, rtf), said))
    _write(body, text, boxes)
    for link in _WEB.findall(found.text):
        body.link(link)
    body.end()
    named = {
        name: _line(aside) for (name, _), aside in zip(properties, asides[len(found.asides) :], strict=True)
    }
    return [body.part(_core(named, found.info), _notes(found.text))]


def _text(found: MarkedText, rtf: str) -> str:
    """The plain text of RTF, with its marks."""
    from striprtf.striprtf import rtf_to_text

    kind = re.search(r"\\(mac|pca?)(?![a-z])", found.head)
    text: str = rtf_to_text(  # type: ignore[no-untyped-call]
        rtf, _CODE_PAGES[kind[1]] if kind else "cp1252", "replace"
    )
    text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text.replace("\u2011", "-")


def _asides(found: MarkedText, asides: Sequence[str]) -> list[str]:
    """The plain texts of the parts put aside."""
    if not asides:
        return []
    whole = "".join(f"{{{each}}}{END}" for each in asides)
    texts = _text(found, f"{found.head}{whole}}}").split(END)
    return (texts + [""] * len(asides))[: len(asides)]


def _line(text: str) -> str:
    """A text as one piece, without marks."""
    return " ".join(_MARK.sub("", text.replace(BREAK, " ").replace(CELL, " ")).split())


def _write(body: Body, text: str, boxes: Sequence[str]) -> None:
    """Write the paragraphs and tables of a text, each followed by the text boxes that hang on it."""
    waiting = iter(boxes)
    rows: list[str] = []
    *tables, end = text.split(ROW)
    for before, in_row, row in (*map(_row, tables), (end, "", "")):
        if rows and ("\n" in before or _line(before)):
            body.table(_cells(rows))
            rows = []
        for line in _outside(before):
            _paragraph(body, line)
            for _ in range(line.count(BOX)):
                for inner in _outside(next(waiting, "")):
                    _paragraph(body, inner)
        if in_row:
            rows.append(row)
    if rows:
        body.table(_cells(rows))
    for rest in waiting:
        body.paragraph(_line(rest))


def _row(piece: str) -> tuple[str, str, str]:
    """The text before a row, TABLE, and the row. One like the row before it may say so at its end only."""
    before, in_row, row = piece.partition(TABLE)
    return ("", TABLE, piece) if CELL in before else (before, in_row, row)


def _outside(text: str) -> list[str]:
    """The paragraphs of a text that is in no table, or in one that is cut off."""
    return text.replace(CELL, "; ").split("\n")


def _cells(rows: Sequence[str]) -> list[list[Cell]]:
    """The cells of rows, each over the columns between where it begins and ends."""
    texts = [row.split(CELL)[:-1] or [row] for row in rows]
    ends = [_EDGE.findall(row)[-len(cells) :] for row, cells in zip(rows, texts, strict=True)]
    columns: list[int] = []
    for edge in sorted({int(edge) for row in ends for _, edge in row}):
        if not columns or edge - columns[-1] > _SAME_EDGE:
            columns.append(edge)
    table = []
    for cells, edges in zip(texts, ends, strict=True):
        line, at = [], 0
        if len(edges) < len(cells):
            edges = [("", "0")] * len(cells)
        for cell, (merged, edge) in zip(cells, edges, strict=True):
            to = bisect_right(columns, int(edge))
            line.append(Cell(_EMPTY.sub(";", _line(cell)).strip(" ;"), max(to - at, 1), bool(merged)))
            at = max(at, to)
        table.append(line)
    return table


def _paragraph(body: Body, line: str) -> None:
    levels, depth = _LEVEL.findall(line), _DEPTH.search(line)
    before, item, after = line.partition(ITEM)
    label, tab, rest = after.partition("\t") if item else ("", "", "")
    text = _shown(before + rest if tab else before + after)
    label = _shown(label).strip() if tab else ""
    if not text or "9" in levels:
        return
    if levels:
        title = levels[-1] == "0"
        body.heading(f"{label} {text}", 1 if title else int(levels[-1]), title=title)
    elif item:
        numbered = _NUMBERED.fullmatch(label)
        body.item(f"{label} {text}" if numbered else text, int(depth[1]) if depth else 0)
    else:
        body.paragraph(text)


def _shown(text: str) -> str:
    return _MARK.sub("", text.replace(BREAK, "\n")).strip()


def _said_of(before: str, annotation: str) -> tuple[str, str]:
    """The author of a comment, which stands before it, and the day, which is packed in bits."""
    author, date = re.findall(_AUTHOR, before), _DATE.search(annotation)
    bits = int(date[1]) if date else 0
    year, month, day = 1900 + (bits >> 20 & 0x1FF), bits >> 16 & 0xF, bits >> 11 & 0x1F
    return author[-1] if author else "", f"{year}-{month:02}-{day:02}" if bits else ""


def _core(named: dict[str, str], info: str) -> CoreProperties:
    times = {}
    for name, *numbers in _TIME.findall(info):
        year, month, day, hour, minute = (int(number or 0) for number in numbers)
        if year and month and day:
            times[name] = f"{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}"
    said = (named.get(name, "") for name in ("title", "author", "subject", "keywords"))
    return properties_of(*said, created=times.get("creatim", ""), changed=times.get("revtim", ""))


def _notes(text: str) -> list[str]:
    opened, closed = braces(text)
    return ["it breaks off: what stood at its end is missing"] if opened > closed else []
