"""Workbooks: a heading for each sheet, and tables of its rows below their cell ranges.

Formulas have the values they had when the file was saved. Left out: errors (python-calamine gives their cells
as empty), charts, comments, and the properties of an .xls.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Sequence
from datetime import MAXYEAR, date, datetime, time, timedelta
from itertools import chain, groupby
from typing import Any, NamedTuple

from python_calamine import CalamineError, CalamineWorkbook, PasswordError, SheetVisibleEnum

from asof.extensions.documents.datafiles import LOOKED_AT, NUMBER, add_table
from asof.extensions.documents.office import Archive, CoreProperties, core_properties, parsed
from asof.extensions.documents.parts import Part, ReadLimits, Refused, Writer

# -- rows as tables ----------------------------------------------------------------------------------


LONGEST_NAME = 8
"""The most words of a cell that stands alone in a row of a table."""


class SheetRow(NamedTuple):
    """A row that is not empty: its number from 0, and its cells from the leftmost column that is used."""

    number: int
    cells: list[str]


def write_rows(rows: Iterable[SheetRow], left: int, writer: Writer) -> None:
    """Write the rows of a sheet, whose leftmost column is `left`: those between two empty rows as a table
    below the range of its cells, with the header before if it fits and they have none of their own. What is
    said in a cell alone stands above the table that follows."""
    header: Sequence[str] = ()
    before: list[int] = []
    said: list[str] = []
    for (_, is_sentence), group in groupby(
        enumerate(rows), lambda each: (each[1].number - each[0], _is_sentence(each[1].cells))
    ):
        table = [row for _, row in group]
        columns = [at for at in range(len(table[0].cells)) if any(row.cells[at] for row in table)]
        first, last = (cell_name(table[end].number, left + columns[end]) for end in (0, -1))
        if is_sentence or first == last:
            said += ["".join(row.cells) for row in table]
            continue
        writer.heading(f"{first}:{last}", 2)
        while said:
            writer.block(said.pop(0))
        again = set(columns) <= set(before) and not _is_header(
            [[row.cells[at] for at in columns] for row in table]
        )
        columns = before if again else columns
        cells = ([row.cells[at] for at in columns] for row in table)
        header, before = add_table(writer, cells, header if again else (), 3), columns
    for each in said:
        writer.block(each)


def _is_sentence(cells: Sequence[str]) -> bool:
    """True if a row is one cell of more words than a name has."""
    return len(cells) - cells.count("") == 1 and len("".join(cells).split()) > LONGEST_NAME


def _is_header(cells: Sequence[Sequence[str]]) -> bool:
    """True if the first row has a text above a number."""
    below = (pair for row in cells[1:LOOKED_AT] for pair in zip(cells[0], row, strict=True))
    return any(top and not NUMBER.fullmatch(top) and NUMBER.fullmatch(cell) for top, cell in below)


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
        rows = _rows(sheet)
        for row in rows:  # without one, there is no heading either
            writer.heading(about.name)
            write_rows(chain((row,), rows), (sheet.start or (0, 0))[1], writer)
    hidden = [repr(each.name) for each in sheets if each.visible != SheetVisibleEnum.Visible]
    if hidden:
        notes.append(f"hidden sheets are read too: {', '.join(hidden)}")
    if not writer.blocks and notes:
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
    for number, values in enumerate(sheet.iter_rows() if sheet.start is not None else ()):
        if values.count("") < len(values) and any(cells := list(map(shown, values))):
            yield SheetRow(number, cells)


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
