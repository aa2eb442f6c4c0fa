"""The text of a PDF, page by page: each page under a heading, so that a hit says on which one it stands."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from asof.data import Heading, Problem
from asof.data.storable import storable
from asof.errors import MissingExtra
from asof.sources import references
from asof.sources.page import Unreadable
from asof.sources.pdf_process import PdfLimits as PdfLimits
from asof.sources.pdf_process import texts
from asof.sources.pdflines import flowing, lines_of, vocabulary, without_heads

PACKAGE = "pypdfium2"
SCANNED = 16
"""A document with fewer characters a page than these is a picture of one."""


LIMITS = PdfLimits()


def installed() -> Path:
    """The folder in which the package lies that reads PDFs; nothing is loaded. Raises MissingExtra."""
    found = find_spec(PACKAGE)
    if found is None or found.origin is None:
        raise MissingExtra("reading PDFs needs pypdfium2: pip install 'asof[pdf]'")
    return Path(found.origin).parent.parent


def paper(raw: bytes, limits: PdfLimits = LIMITS) -> tuple[str, tuple[Heading, ...], list[Problem]]:
    """The text of a paper without its list of references, its headings, and what is to be said of it. Raises
    Unreadable, MissingExtra, SourceError."""
    read = without_heads([lines_of(each) for each in pages(raw, limits)])
    notes = []
    try:
        found = references.find([line for lines in read for line in lines])
    except references.Unsure as unsure:
        found = None
        notes.append(Problem(f"the list of references is left in the text: {unsure}", lost=False))
    if found is not None:
        read = _cut(read, found)
    return *paged(read), notes


def _cut(read: list[list[str]], found: references.List) -> list[list[str]]:
    """The pages without some of their lines, counted through all pages."""
    kept, at = [], 0
    for lines in read:
        kept.append([line for place, line in enumerate(lines, at) if not found.first <= place < found.last])
        at += len(lines)
    return kept


def paged(read: list[list[str]]) -> tuple[str, tuple[Heading, ...]]:
    """Pages with text, each under a heading with its number."""
    words = vocabulary(read)
    text, outline = "", []
    for number, lines in enumerate(read, 1):
        if lines:
            outline.append(Heading(len(text), 1, f"Page {number}"))
            text += f"Page {number}\n\n{flowing(lines, words)}\n\n"
    return storable(text.rstrip()), tuple(outline)


def pages(raw: bytes, limits: PdfLimits) -> list[str]:
    """The text of each page, as PDFium gives it to a process that may die of it. Raises Unreadable,
    MissingExtra, and SourceError when no such process can be had."""
    if len(raw) > limits.file:
        raise Unreadable(f"the PDF has {len(raw)} bytes; the limit is {limits.file}")
    read = texts(raw, limits, installed())
    if sum(len(text.strip()) for text in read) < SCANNED * max(len(read), 1):
        raise Unreadable("there is no text in the PDF, as in a scanned one", "recognise its text first (OCR)")
    return read
