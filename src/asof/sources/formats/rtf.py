"""RTF: the text as it stands now, with headings, lists, tables, footnotes, comments and text boxes.

Plain text is made by `striprtf`. Left out: pictures, headers and footers, what is deleted or hidden.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence

from asof.sources.formats import rtf_marks
from asof.sources.formats.office_core import Body, CoreProperties, comment, properties_of
from asof.sources.formats.office_tables import Cell
from asof.sources.formats.parts import Part, ReadLimits, Refused, Writer
from asof.sources.formats.rtf_marks import (
    BOX,
    BREAK,
    CELL,
    DEPTH,
    EDGE,
    END,
    HEADING,
    ITEM,
    MERGED,
    ROW,
    TABLE,
    MarkedText,
)

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
    found = rtf_marks.marked(raw)
    properties = list(rtf_marks.properties(found.info))
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
    """The plain texts of what was put aside."""
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
    """What stands before a row, TABLE, and the row. One like the row before it may say so at its end only."""
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
    """Who wrote a comment, which stands before it, and on which day, which is packed in bits."""
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
    opened, closed = rtf_marks.braces(text)
    return ["it breaks off: what stood at its end is missing"] if opened > closed else []
