"""Workbooks: a heading for each sheet, and its rows, each cell with the name of its column.

Formulas have the values they had when the file was saved. Left out: errors (python-calamine gives their cells
as empty), charts, comments, and the properties of an .xls.
"""

from __future__ import annotations

import io
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import MAXYEAR, date, datetime, time, timedelta
from itertools import chain, islice
from typing import Any, NamedTuple

from python_calamine import CalamineError, CalamineWorkbook, PasswordError, SheetVisibleEnum

from asof.extensions.documents.office import Archive, CoreProperties, core_properties, parsed
from asof.extensions.documents.parts import Part, ReadLimits, Refused, Writer, row_text

# -- rows as text: header rows, and rows below one cell range --------------------------------------


WORDS = 100
"""A run of rows, under a heading of its own, has about so many words."""

LOOKED_AT = 10
"""A header fills at least half as many cells as any of so many rows below it."""


class SheetRow(NamedTuple):
    """A row that is not empty: its number from 0, its cells by their columns from 0, which of them are texts,
    and whether the others are years or dates, as they may stand in a header."""

    number: int
    cells: Mapping[int, str]
    texts: frozenset[int]
    can_head: bool


def write_rows(rows: Iterable[SheetRow], writer: Writer) -> None:
    """Write the rows of a sheet, each with the header of its table, below headings of cell ranges.

    Single cells above the first table have no such heading. After an empty row a table begins if a row
    there looks like the header of one; else rows go on with the header before.
    """
    runs = _Runs(writer)
    header: Mapping[int, str] = {}
    last, searching, begun = -2, True, False
    for row, below in _with_rows_below(rows):
        if row.number > last + 1:
            searching = True
            runs.end()
        last = row.number
        widest = max((len(each.cells) for each in below), default=0)
        alone = len(row.cells) == 1 and widest != 1
        if searching and _is_header(row, below, widest, header):
            header, searching, begun = row.cells, False, True
            runs.end()
        elif searching and (alone or 2 * len(row.cells) < widest):
            if alone and not begun:
                writer.block(*row.cells.values())
            else:
                begun = True
                runs.add(row, {})
        else:
            searching, begun = False, True
            runs.add(row, header)
    runs.end()


def _with_rows_below(rows: Iterable[SheetRow]) -> Iterator[tuple[SheetRow, Sequence[SheetRow]]]:
    """Each row with some that follow it without an empty row between."""
    source = iter(rows)
    ahead = deque(islice(source, LOOKED_AT + 1))
    while ahead:
        row = ahead.popleft()
        together = [each for at, each in enumerate(ahead, 1) if each.number == row.number + at]
        yield row, together
        ahead.extend(islice(source, 1))


def _is_header(row: SheetRow, below: Sequence[SheetRow], widest: int, header: Mapping[int, str]) -> bool:
    """True if a row is the header of those below it, which had another `header` before or none."""
    cells = row.cells
    if not below or len(cells) < 2 or not row.texts or not row.can_head:
        return False
    if len(row.texts) < len(cells) and below[0].can_head:  # the years or dates are of rows, as below
        return False
    if 2 * len(cells) < widest or len(set(cells.values())) < len(cells):
        return False
    differs = cells.keys() != header.keys()
    return not header or differs or any(row.texts & each.cells.keys() - each.texts for each in below)


@dataclass(slots=True)
class _Runs:
    """Rows that wait for being written under the range of their cells."""

    writer: Writer
    _lines: list[str] = field(default_factory=list)
    _words: int = 0
    _rows: tuple[int, int] = (0, 0)
    _columns: tuple[int, int] = (0, 0)

    def add(self, row: SheetRow, header: Mapping[int, str]) -> None:
        """Add a row; a wide one as several lines, each with its name before it."""
        cells = {at: row_text([header.get(at, "")], [row.cells[at]]) for at in sorted(row.cells)}
        name = min((at for at in row.texts if len(row.cells[at]) > 2), default=min(cells))
        together: list[int] = []
        words = 0
        for at, said in cells.items():
            length = len(said.split())
            if together and words + length > WORDS:
                self._line(row.number, together, cells)
                together, words = [name] * (name != at), len(cells[name].split())
            together.append(at)
            words += length
        self._line(row.number, together, cells)

    def _line(self, row: int, columns: Sequence[int], cells: Mapping[int, str]) -> None:
        line = "; ".join(cells[at] for at in columns)
        words = len(line.split())
        if self._words and self._words + words > WORDS:
            self.end()
        first, last = columns[0], columns[-1]
        if self._lines:
            self._rows = (self._rows[0], row)
            self._columns = (min(self._columns[0], first), max(self._columns[1], last))
        else:
            self._rows, self._columns = (row, row), (first, last)
        self._lines.append(line)
        self._words += words

    def end(self) -> None:
        if not self._lines:
            return
        first, last = (cell_name(*at) for at in zip(self._rows, self._columns, strict=True))
        self.writer.heading(first if first == last else f"{first}:{last}", 2)
        for line in self._lines:
            self.writer.block(line)
        self._lines.clear()
        self._words = 0


def cell_name(row: int, column: int) -> str:
    """The name of a cell by its row and column from 0: (0, 26) is AA1."""
    letters = ""
    column += 1
    while column:
        column, rest = divmod(column - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return f"{letters}{row + 1}"


# -- the reader ------------------------------------------------------------------------------------


_MANIFEST = "META-INF/manifest.xml"
_PROPERTIES = ("docProps/core.xml", "meta.xml")
_UNPACKED = (".xml", ".rels", ".bin", ".vml")
_YEARS = range(1800, 2200)
_WHOLE = 1e15


def read(raw: bytes, stem: str, suffix: str, limits: ReadLimits) -> list[Part]:  # noqa: ARG001
    """A workbook. Raises Refused."""
    notes: list[str] = []
    core = _checked(raw, limits, notes) if raw.startswith(b"PK") else CoreProperties()
    workbook = _opened(raw)
    sheets = workbook.sheets_metadata
    if len(sheets) > limits.pages:
        raise Refused(f"it has {len(sheets):,} sheets; the limit is {limits.pages:,}", "split it")
    writer = Writer(limits)
    for number, about in enumerate(sheets):
        try:
            sheet = workbook.get_sheet_by_index(number)
        except (CalamineError, ValueError, OSError) as wrong:
            notes.append(f"the sheet {about.name!r} cannot be read: {_reason(wrong)}")
            continue
        rows = _rows(sheet) if sheet.start is not None else iter(())
        for row in rows:  # without one, there is no heading either
            writer.heading(about.name)
            write_rows(chain((row,), rows), writer)
    hidden = [repr(each.name) for each in sheets if each.visible != SheetVisibleEnum.Visible]
    if hidden:
        notes.append(f"hidden sheets are read too: {', '.join(hidden)}")
    if writer.empty and notes:
        raise Refused(f"there is no text in the file; {notes[0]}", empty=True)
    part = writer.part(core.title, front=core.front, created=core.created, changed=core.changed, notes=notes)
    return [part]


def _checked(raw: bytes, limits: ReadLimits, notes: list[str]) -> CoreProperties:
    """The properties of an archive whose members were unpacked within the limits: calamine has none."""
    archive = Archive(raw, limits)
    if _MANIFEST in archive and b"encryption-data" in archive.bytes(_MANIFEST):
        raise Refused("it is encrypted", "save it without a password")
    core = CoreProperties()
    for name in archive.names:
        if name in _PROPERTIES:
            content = archive.bytes(name)
            try:
                core = core_properties(parsed(content, name))
            except Refused as wrong:
                notes.append(f"its properties cannot be read: {wrong.message}")
        elif name.lower().endswith(_UNPACKED):
            archive.bytes(name)
    return core


def _opened(raw: bytes) -> CalamineWorkbook:
    try:
        return CalamineWorkbook.from_filelike(io.BytesIO(raw))
    except PasswordError as wrong:
        raise Refused("it is encrypted", "save it without a password") from wrong
    except (CalamineError, ValueError, OSError) as wrong:
        if "EncryptedPackage".encode("utf-16-le") in raw:
            raise Refused("it is encrypted", "save it without a password") from wrong
        start = raw[:512].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
        if start.startswith((b"<html", b"<!doctype html", b"<table", b"<meta")):
            raise Refused("it is no workbook but HTML", "rename it to .html") from wrong
        raise Refused(
            f"it is damaged, encrypted or no workbook: {_reason(wrong)}", "save it again"
        ) from wrong


def _reason(wrong: Exception) -> str:
    return " ".join(str(wrong).split())[:200]


def _rows(sheet: Any) -> Iterator[SheetRow]:
    """The rows of a sheet that hold something; python-calamine gives them from the first row of the sheet,
    but from the first column that holds something."""
    left = sheet.start[1]
    for number, values in enumerate(sheet.iter_rows()):
        if values.count("") == len(values):
            continue
        cells, texts, can_head = {}, set(), True
        for column, value in enumerate(values, left):
            text = shown(value)
            if not text:
                continue
            cells[column] = text
            if isinstance(value, str):
                texts.add(column)
            elif not isinstance(value, date) and (isinstance(value, bool) or value not in _YEARS):
                can_head = False
        if cells:
            yield SheetRow(number, cells, frozenset(texts), can_head)


def shown(value: object) -> str:
    """The value of a cell as a person would write it: 3 for 3.0, 2024-01-31, yes."""
    match value:
        case str():
            return " ".join(value.split())
        case bool():
            return "yes" if value else "no"
        case float():
            return str(int(value)) if value.is_integer() and abs(value) < _WHOLE else format(value, ".15g")
        case datetime():  # it may be a part of a second off, being stored as a part of a day
            if value.microsecond >= 500_000 and value.year < MAXYEAR:
                value += timedelta(seconds=1)
            value = value.replace(microsecond=0)
            return value.isoformat(" ", "seconds" if value.second else "minutes").removesuffix(" 00:00")
        case time():
            return value.isoformat("seconds" if value.second else "minutes")
        case timedelta():  # 36:30:00
            seconds = round(value.total_seconds())
            minutes, second = divmod(abs(seconds), 60)
            return f"{'-' if seconds < 0 else ''}{minutes // 60}:{minutes % 60:02}:{second:02}"
        case date():
            return value.isoformat()
    return str(value)
