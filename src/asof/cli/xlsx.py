"""Writes a table as a workbook (.xlsx) of one sheet, row by row: the same rows give the same bytes.

A workbook is a zip of XML (ECMA-376). Texts are texts and dates are dates: no cell is a formula, whatever it
begins with. Dates before March 1900, which Excel counts wrongly, are texts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import date
from itertools import chain, islice
from typing import BinaryIO, TypeAlias
from xml.sax.saxutils import escape
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from asof.errors import UsageError

Cell: TypeAlias = str | int | float | date | None
"""A value in a row of a table; None: an empty cell."""

LONGEST_CELL = 32_767
"""The most characters of a cell in Excel, as UTF-16 counts them."""

MOST_ROWS = 1_048_576
"""The most rows of a sheet in Excel, the names of the columns included."""

MOST_BYTES = 2**31 - 2**20
"""The most bytes of a sheet before it is packed: a part of a zip may have 2 GiB."""

INSTEAD = "use --format csv"

_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'

_PARTS = {
    "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types">'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    f'<Override PartName="/xl/workbook.xml" ContentType="{_TYPE}.sheet.main+xml"/>'
    f'<Override PartName="/xl/styles.xml" ContentType="{_TYPE}.styles+xml"/>'
    f'<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{_TYPE}.worksheet+xml"/></Types>',
    "_rels/.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">'
    f'<Relationship Id="rId1" Type="{_OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
    "xl/workbook.xml": f'<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}">'
    "<bookViews><workbookView/></bookViews>"
    '<sheets><sheet name="asof" sheetId="1" r:id="rId1"/></sheets></workbook>',
    "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">'
    f'<Relationship Id="rId1" Type="{_OFFICE}/worksheet" Target="worksheets/sheet1.xml"/>'
    f'<Relationship Id="rId2" Type="{_OFFICE}/styles" Target="styles.xml"/></Relationships>',
    "xl/styles.xml": f'<styleSheet xmlns="{_MAIN}">'
    '<numFmts count="1"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd"/></numFmts>'
    '<fonts count="2"><font><sz val="11"/><name val="Calibri"/></font>'
    '<font><b/><sz val="11"/><name val="Calibri"/></font></fonts>'
    '<fills count="2"><fill><patternFill patternType="none"/></fill>'
    '<fill><patternFill patternType="gray125"/></fill></fills>'
    '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>'
    '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>'
    '<cellXfs count="4"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>'
    '<xf numFmtId="0" fontId="1" fillId="0" borderId="0" xfId="0" applyFont="1"/>'
    '<xf numFmtId="164" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>'
    '<xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0" quotePrefix="1"/></cellXfs></styleSheet>',
}
_PLAIN, _BOLD, _DATE, _QUOTED = range(4)
"""The styles of cells; that which is quoted stays a text when somebody edits the cell."""

_TOP = (
    f'<worksheet xmlns="{_MAIN}"><sheetViews><sheetView workbookViewId="0">'
    '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>'
    '<sheetFormatPr defaultRowHeight="15"/>'
)
_LOOKED_AT, _NARROW, _WIDE = 100, 8, 60
"""So many rows decide how wide a column is, in characters: at least, and at most."""

_DAY_ZERO, _FIRST_DAY = date(1899, 12, 30), date(1900, 3, 1)
_UNFIT = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_LIKE_ESCAPED = re.compile(r"_(?=x[0-9A-Fa-f]{4}_)")


def write_xlsx(out: BinaryIO, columns: Sequence[str], rows: Iterable[Sequence[Cell]]) -> int:
    """Write a workbook; returns how many rows there are below the names of the columns.

    Raises UsageError for a text that is longer than a cell may hold, for more rows than a sheet may have, and
    for more than 2 GiB: nothing is cut.
    """
    rows = iter(rows)
    first = list(islice(rows, _LOOKED_AT))
    top = f"{_TOP}{_widths([columns, *first])}<sheetData>"
    with ZipFile(out, "w", ZIP_DEFLATED) as package:
        for name, text in _PARTS.items():
            package.writestr(_member(name), f"{_HEAD}{text}")
        with package.open(_member("xl/worksheets/sheet1.xml"), "w") as sheet:
            size = sheet.write(f"{_HEAD}{top}{_row(1, columns, columns, _BOLD)}".encode())
            number = 1
            for number, row in enumerate(chain(first, rows), 2):
                data = _row(number, columns, row, _PLAIN).encode()
                size += len(data)
                if number > MOST_ROWS or size > MOST_BYTES:
                    limit = f"{MOST_ROWS - 1:,} rows" if number > MOST_ROWS else "2 GiB"
                    raise UsageError(f"a sheet of .xlsx holds at most {limit}, and there are more: {INSTEAD}")
                sheet.write(data)
            last = f"{_letters(len(columns) - 1)}{number}"
            sheet.write(f'</sheetData><autoFilter ref="A1:{last}"/></worksheet>'.encode())
    return number - 1


def _member(name: str) -> ZipInfo:
    """A part of the package: packed, and without the time of writing."""
    info = ZipInfo(name)
    info.compress_type = ZIP_DEFLATED
    info.external_attr = 0o644 << 16
    return info


def _widths(rows: Sequence[Sequence[Cell]]) -> str:
    """The widths of the columns, by the longest cell of each in these rows."""
    longest = [
        max(len("" if cell is None else str(cell)) for cell in column) for column in zip(*rows, strict=True)
    ]
    columns = (
        f'<col min="{at}" max="{at}" width="{min(max(size, _NARROW), _WIDE) + 2}" customWidth="1"/>'
        for at, size in enumerate(longest, 1)
    )
    return f"<cols>{''.join(columns)}</cols>"


def _row(number: int, columns: Sequence[str], row: Sequence[Cell], style: int) -> str:
    cells = (
        _cell(f"{_letters(at)}{number}", column, cell, style)
        for at, (column, cell) in enumerate(zip(columns, row, strict=True))
    )
    return f'<row r="{number}">{"".join(cells)}</row>'


def _cell(place: str, column: str, cell: Cell, style: int) -> str:
    if cell is None or cell == "":
        return ""
    if isinstance(cell, date):
        if cell >= _FIRST_DAY:
            return f'<c r="{place}" s="{_DATE}"><v>{(cell - _DAY_ZERO).days}</v></c>'
        cell = cell.isoformat()
    if not isinstance(cell, str):
        return f'<c r="{place}" s="{style}"><v>{cell!r}</v></c>'
    if (length := len(cell.encode("utf-16-le", "surrogatepass")) // 2) > LONGEST_CELL:
        raise UsageError(
            f"cell {place} ({column}) would have {length:,} characters, and a cell of .xlsx holds "
            f"{LONGEST_CELL:,}: {INSTEAD}"
        )
    text = _LIKE_ESCAPED.sub("_x005F_", _UNFIT.sub("\ufffd", cell))  # _x0041_ would be read as A
    style = style or (_PLAIN if cell[0].isalnum() else _QUOTED)
    return f'<c r="{place}" s="{style}" t="inlineStr"><is><t xml:space="preserve">{escape(text)}</t></is></c>'


def _letters(at: int) -> str:
    """The name of a column, from 0: A, B ... Z, AA.

    >>> _letters(0), _letters(25), _letters(26)
    ('A', 'Z', 'AA')
    """
    name = ""
    at += 1
    while at:
        at, letter = divmod(at - 1, 26)
        name = f"{chr(65 + letter)}{name}"
    return name
