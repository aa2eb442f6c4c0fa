"""Workbooks: a heading for each sheet, and its rows, each cell with the name of its column.

What formulas gave when the file was saved is read. Errors are not: python-calamine gives their cells as
empty. Nor are charts, comments, and the properties of an .xls.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from datetime import MAXYEAR, date, datetime, time, timedelta
from itertools import chain
from typing import Any

from python_calamine import CalamineError, CalamineWorkbook, PasswordError, SheetVisibleEnum

from asof.sources.formats.archive import Archive, parsed
from asof.sources.formats.office_core import CoreProperties, core_properties
from asof.sources.formats.parts import Part, ReadLimits, Refused, Writer
from asof.sources.formats.sheet_table import Row, write_rows

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


def _rows(sheet: Any) -> Iterator[Row]:
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
            yield Row(number, cells, frozenset(texts), can_head)


def shown(value: object) -> str:
    """The value of a cell as a person would write it: 3 for 3.0, 2024-01-31, yes."""
    match value:
        case str():
            return " ".join(value.split())
        case bool():
            return "yes" if value else "no"
        case float():
            return str(int(value)) if value.is_integer() and abs(value) < _WHOLE else format(value, ".15g")
        case datetime():
            return _to_the_second(value)
        case time():
            return value.isoformat("seconds" if value.second else "minutes")
        case timedelta():
            return _duration(value)
        case date():
            return value.isoformat()
    return str(value)


def _to_the_second(moment: datetime) -> str:
    """A moment without the part of a second that comes of being stored as a part of a day."""
    if moment.microsecond >= 500_000 and moment.year < MAXYEAR:
        moment += timedelta(seconds=1)
    moment = moment.replace(microsecond=0)
    text = moment.isoformat(" ", "seconds" if moment.second else "minutes")
    return text.removesuffix(" 00:00")


def _duration(length: timedelta) -> str:
    """Hours, minutes and seconds: 36:30:00."""
    seconds = round(length.total_seconds())
    minutes, second = divmod(abs(seconds), 60)
    hour, minute = divmod(minutes, 60)
    return f"{'-' if seconds < 0 else ''}{hour}:{minute:02}:{second:02}"
