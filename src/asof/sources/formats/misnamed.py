"""What a document is whose suffix is that of another format: archives say it of themselves."""

from __future__ import annotations

import re
from dataclasses import replace

from asof.sources.formats.archive import Archive
from asof.sources.formats.parts import ReadLimits, Refused

_LARGEST = 2**20
"""Bytes of a member that says what an archive is."""

_MIMETYPES = {
    b"application/vnd.oasis.opendocument.text": ("an OpenDocument text", ".odt"),
    b"application/vnd.oasis.opendocument.presentation": ("an OpenDocument presentation", ".odp"),
    b"application/vnd.oasis.opendocument.spreadsheet": ("an OpenDocument spreadsheet", ".ods"),
    b"application/epub+zip": ("an EPUB", ".epub"),
}
_MAIN = re.compile(
    rb"(wordprocessingml|ms-word|presentationml|ms-powerpoint|spreadsheetml|ms-excel)\.[A-Za-z.]{1,60}\.main\+xml"
)
"""The type of the member that is the document itself; others may be of what is embedded in it."""

_WORD, _SLIDES, _SHEETS = (
    ("a Word document", ".docx"), ("a PowerPoint presentation", ".pptx"), ("an Excel workbook", ".xlsx"),
)  # fmt: skip
_PROGRAMS = {
    b"wordprocessingml": _WORD, b"ms-word": _WORD, b"presentationml": _SLIDES, b"ms-powerpoint": _SLIDES,
    b"spreadsheetml": _SHEETS, b"ms-excel": _SHEETS,
}  # fmt: skip
SUFFIXES = {suffix for _, suffix in (*_MIMETYPES.values(), _WORD, _SLIDES, _SHEETS)}


def corrected(refused: Refused, raw: bytes, suffix: str, limits: ReadLimits) -> Refused:
    """Why a file is refused: that it is of another format than its suffix says, where it says so itself."""
    if refused.empty or suffix not in SUFFIXES or not raw.startswith(b"PK"):
        return refused
    try:
        what, own = _kind(Archive(raw, replace(limits, unpacked=_LARGEST)))
    except Refused:
        return refused
    return Refused(f"it is {what}", f"correct its suffix: {own}") if own not in ("", suffix) else refused


def _kind(archive: Archive) -> tuple[str, str]:
    """What an archive is, and the suffix of such files; "" where it does not say. Raises Refused."""
    if "mimetype" in archive:
        return _MIMETYPES.get(archive.bytes("mimetype").strip(), ("", ""))
    if "[Content_Types].xml" in archive and (main := _MAIN.search(archive.bytes("[Content_Types].xml"))):
        return _PROGRAMS[main[1]]
    return "", ""
