"""The reader of PDFs: the text page by page, each under a heading, so that a hit says on which it stands."""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib.util import find_spec

from asof.data import Heading, Problem, SourcedTime
from asof.data.storable import storable
from asof.errors import BadTime, MissingExtra
from asof.sources.dates import stated
from asof.sources.formats.parts import BETWEEN_PAGES
from asof.sources.formats.reading import FormatReader
from asof.sources.formats.template_dates import disbelieved
from asof.sources.pdf_lines import flowing, lines_of, vocabulary, without_heads
from asof.sources.readers import LONGEST_TITLE, ParsedFile, Unreadable
from asof.sources.references import ReferenceSection, UncertainReferences, references_in
from asof.sources.source import InputLimits

PACKAGE = "pypdfium2"
_RECOGNIZE = "have its text recognised before indexing: ocrmypdf FILE.pdf FILE.pdf"
_NO_TITLE = re.compile(r"\.\w{2,5}\Z|\A(?:untitled|microsoft \w+ - )", re.IGNORECASE)
_DATE = re.compile(
    r"(?:D:)?(?P<y>[0-9]{4})(?P<m>[0-9]{2})?(?P<d>(?<=[0-9]{6})[0-9]{2})?(?P<time>(?<=[0-9]{8})[0-9]{6})?"
    r"(?P<zone>Z|[+-][0-9]{2}'?[0-9]{2})?"
)


_PAGES = FormatReader("asof.sources.formats.pdf_pages", ".pdf", (PACKAGE,), "pdf")


@dataclass(frozen=True, slots=True)
class PdfContent:
    """The text of each page, and what the file says of itself: its title, and when it was made and changed
    (`D:20240131093000+01'00'`); "" where it says nothing. `scanned`: how many
    of its pages hold no text but something drawn."""

    pages: list[str]
    title: str = ""
    created: str = ""
    changed: str = ""
    scanned: int = 0


def installed() -> None:
    """Raises MissingExtra where the package is missing that reads PDFs; nothing is loaded."""
    if find_spec(PACKAGE) is None:
        raise MissingExtra("reading PDFs needs pypdfium2: pip install 'asof[pdf]'")


def read(raw: bytes, stem: str, limits: InputLimits, *, references: bool = True) -> ParsedFile:
    """A PDF with a heading for each page; without `references`, its list of them is left out if it can be
    found. Raises Unreadable, MissingExtra, SourceError."""
    pdf = pages(raw, limits)
    lines = without_heads([lines_of(each) for each in pdf.pages])
    notes: tuple[Problem, ...] = ()
    if pdf.scanned:
        holding = "page holds" if len(lines) == 1 else "pages hold"
        said = f"{pdf.scanned} of {len(lines)} {holding} no text, as scans do"
        notes = (Problem(said, remedy=_RECOGNIZE, lost=False),)
    if not references:
        try:
            lines = _cut(lines, references_in([line for page in lines for line in page]))
        except UncertainReferences as unsure:
            notes += (Problem(f"the list of references is left in the text: {unsure}", lost=False),)
    text, outline = paged(lines)
    title = _title(pdf.title) or stem
    return ParsedFile(
        text, title, outline, created=_created(pdf.changed) or _created(pdf.created), notes=notes, slow=True
    )


def _title(text: str) -> str:
    """A title that somebody wrote; "" for the name of a file or a program."""
    title = " ".join(storable(text).split())
    return "" if len(title) > LONGEST_TITLE or _NO_TITLE.search(title) else title


def _created(text: str) -> SourcedTime | None:
    """The second, or the day, month, year, of a date such as D:20240131093000+01'00' (ISO 32000, 7.9.4); None
    for one that is not believed."""
    match = _DATE.match(text)
    if match is None:
        return None
    day, time, zone = "-".join(filter(None, match.group("y", "m", "d"))), match["time"], match["zone"] or "Z"
    written = day
    if time:
        zone = zone if zone == "Z" else f"{zone[:3]}:{zone[-2:]}"
        written = f"{day}T{time[:2]}:{time[2:4]}:{time[4:]}{zone}"
    try:
        made = stated(written, "metadata")
    except BadTime:
        return None
    return None if made is None or disbelieved(made.span) else made


def _cut(page_lines: list[list[str]], references: ReferenceSection | None) -> list[list[str]]:
    """The pages without some of their lines, counted through all pages."""
    if references is None:
        return page_lines
    remaining, at = [], 0
    for lines in page_lines:
        remaining.append(
            [line for place, line in enumerate(lines, at) if not references.first <= place < references.last]
        )
        at += len(lines)
    return remaining


def paged(page_lines: list[list[str]]) -> tuple[str, tuple[Heading, ...]]:
    """Pages with text, each under a heading with its number."""
    words = vocabulary(page_lines)
    text, outline = "", []
    for number, lines in enumerate(page_lines, 1):
        if lines:
            outline.append(Heading(len(text), 1, f"Page {number}"))
            text += f"Page {number}\n\n{flowing(lines, words)}\n\n"
    return storable(text.rstrip()), tuple(outline)


def pages(raw: bytes, limits: InputLimits) -> PdfContent:
    """The text of each page, as PDFium gives it to a process that may die of it. Raises Unreadable,
    MissingExtra, and SourceError when no such process can be had."""
    installed()
    (part,) = _PAGES.parts(raw, "", limits)
    scanned = part.front.get("scanned")
    if type(scanned) is not int:
        raise Unreadable("it breaks what reads it", "save it anew")
    pages = part.text.split(BETWEEN_PAGES)
    if not any(any(map(str.isalnum, text)) for text in pages):
        raise _without_text(scanned)
    return PdfContent(pages, part.title, part.created, part.changed, scanned)


def _without_text(scanned: int) -> Unreadable:
    if scanned:
        return Unreadable("there is no text in the PDF, as in a scanned one", _RECOGNIZE)
    return Unreadable("there is no text in the PDF")
