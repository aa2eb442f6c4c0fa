"""The text of a PDF, page by page: each page under a heading, so that a hit says on which one it stands."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING

from asof.data import Heading, Problem
from asof.errors import MissingExtra
from asof.sources import references
from asof.sources.decode import storable
from asof.sources.page import Unreadable
from asof.sources.pdflines import flowing, lines_of, vocabulary, without_heads

if TYPE_CHECKING:
    import pypdfium2

PACKAGE = "pypdfium2"
SCANNED = 16
"""A document with fewer characters a page than these is a picture of one."""


@dataclass(frozen=True, slots=True)
class PdfLimits:
    """The largest PDF that is read: in bytes, pages, and characters of its text."""

    file: int = 50 * 2**20
    pages: int = 300
    characters: int = 4_000_000


LIMITS = PdfLimits()


def installed() -> None:
    """Raises MissingExtra unless PDFs can be read; nothing is loaded."""
    if find_spec(PACKAGE) is None:
        raise MissingExtra("reading PDFs needs pypdfium2: pip install 'asof[pdf]'")


def paper(raw: bytes, limits: PdfLimits = LIMITS) -> tuple[str, tuple[Heading, ...], list[Problem]]:
    """The text of a paper without its list of references, its headings, and what is to be said of it. Raises
    Unreadable, MissingExtra."""
    installed()
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
    """The text of each page as PDFium gives it. Raises Unreadable."""
    import pypdfium2

    if len(raw) > limits.file:
        raise Unreadable(f"the PDF has {len(raw)} bytes; the limit is {limits.file}")
    try:
        document = pypdfium2.PdfDocument(raw)
    except pypdfium2.PdfiumError as wrong:
        if "password" in str(wrong).lower():
            raise Unreadable("the PDF is encrypted", "save it without a password") from None
        raise Unreadable("this is no PDF, or a damaged one", "fetch or save it again") from None
    try:
        return _texts(document, limits)
    except pypdfium2.PdfiumError as wrong:
        raise Unreadable(f"a page of the PDF cannot be read: {wrong}", "fetch or save it again") from None
    finally:
        document.close()


def _texts(document: pypdfium2.PdfDocument, limits: PdfLimits) -> list[str]:
    count = len(document)
    if count > limits.pages:
        raise Unreadable(f"the PDF has {count} pages; the limit is {limits.pages}", "split it")
    texts, characters = [], 0
    for number in range(count):
        sheet = document[number]
        words = sheet.get_textpage()
        characters += words.count_chars()
        if characters > limits.characters:
            raise Unreadable(f"the PDF has more than {limits.characters} characters", "split it")
        texts.append(words.get_text_range())
        words.close()
        sheet.close()
    if sum(len(text.strip()) for text in texts) < SCANNED * max(count, 1):
        raise Unreadable("there is no text in the PDF, as in a scanned one", "recognise its text first (OCR)")
    return texts
