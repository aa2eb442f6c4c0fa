"""The text of each page of a PDF, as PDFium gives it.

PDFium sets up the whole text of a page before it tells its length, and ends the process when memory runs out:
a file of a kilobyte can ask for all there is. Hence the limits of the process that this runs in.
"""

from __future__ import annotations

from itertools import takewhile
from statistics import median

import pypdfium2
from pypdfium2 import raw as pdfium_c

from asof.extensions.documents.parts import BETWEEN_PAGES, Part, ReadLimits, Refused

IMAGE = 3
"""PDFium's number of objects that are images."""

SHAPES = 100
"""The number of shapes on a page from which they may be drawn letters."""

MAX_TITLE = 500
"""Characters of a title."""
_AGAIN = "fetch or save it again"


def read(raw: bytes, stem: str, suffix: str, limits: ReadLimits) -> list[Part]:  # noqa: ARG001
    """One part: the pages with BETWEEN_PAGES between them, the title, and when it was made and changed as it
    says itself (`D:20240131093000+01'00'`). `front` has the number of pages that hold no text but something
    drawn, as scans do (`scanned`), and the words in the largest type of the first page (`heading`). Raises
    Refused."""
    try:
        document = pypdfium2.PdfDocument(raw)
    except pypdfium2.PdfiumError as wrong:
        if "password" in str(wrong).lower():
            raise Refused("the PDF is encrypted", "save it without a password") from wrong
        raise Refused("this is no PDF, or a damaged one", _AGAIN) from wrong
    if len(document) > limits.pages:
        raise Refused(f"the PDF has {len(document)} pages; the limit is {limits.pages}", "split it")
    try:
        pages, scanned = _texts(document, limits.characters)
        heading = _heading(document) if pages and pages[0].strip() else ""
        about = document.get_metadata_dict()
    except pypdfium2.PdfiumError as wrong:
        raise Refused("a page of the PDF cannot be read", _AGAIN) from wrong
    text = BETWEEN_PAGES.join(page.replace(BETWEEN_PAGES, " ") for page in pages)
    made, changed = (about.get(key, "")[:MAX_TITLE] for key in ("CreationDate", "ModDate"))
    title, front = about.get("Title", "")[:MAX_TITLE], {"scanned": scanned, "heading": heading}
    return [Part(text, title, front=front, created=made, changed=changed)]


def _texts(document: pypdfium2.PdfDocument, most: int) -> tuple[list[str], int]:
    """The text of each page, and how many have none but something drawn. Raises Refused when they have more
    characters than `most`."""
    texts: list[str] = []
    scanned = characters = 0
    for number in range(len(document)):
        page = document[number]
        words = page.get_textpage()
        counted = words.count_chars()
        if characters + counted <= most:
            texts.append(words.get_text_range())
            characters += max(counted, len(texts[-1]))  # a character can stand for several
        else:
            characters += counted
        if characters > most:
            raise Refused(f"the PDF has more than {most} characters", "split it")
        if not any(map(str.isalnum, texts[-1])) and _is_drawn(page):
            scanned += 1
        words.close()
        page.close()
    return texts, scanned


FIRST, LARGER, ALIKE, MOST_OF = 3_000, 1.15, 0.95, 0.5
"""The characters of a page among which its heading is looked for; how much larger than the usual type it is
at least, how much its lines differ at most, and the share of the characters that no heading exceeds."""

LINES_OF_HEADING = 3


def _heading(document: pypdfium2.PdfDocument) -> str:
    """The lines in the largest type of the first page; "" if it is that of half of the page, or the usual."""
    page = document[0]
    words = page.get_textpage()
    lines: list[tuple[str, list[float]]] = [("", [])]
    for at in range(min(words.count_chars(), FIRST)):
        sign = chr(pdfium_c.FPDFText_GetUnicode(words.raw, at))
        if sign in "\r\n":
            lines.append(("", []))
            continue
        said, heights = lines[-1]
        if sign.isalnum():
            _, bottom, _, top = words.get_charbox(at, loose=True)
            heights.append(top - bottom)
        lines[-1] = (said + sign, heights)
    words.close()
    page.close()
    sizes = [(said, median(heights), len(heights)) for said, heights in lines if len(heights) > 1]
    if not sizes:
        return ""
    usual = median(height for _, heights in lines for height in heights)
    largest = max(height for _, height, _ in sizes)
    large = [each for each in sizes if each[1] >= ALIKE * largest]
    if largest < LARGER * usual or sum(each[2] for each in large) > MOST_OF * sum(each[2] for each in sizes):
        return ""
    first = sizes.index(large[0])
    run = takewhile(lambda each: each[1] >= ALIKE * largest, sizes[first : first + LINES_OF_HEADING])
    return " ".join(said.strip() for said, _, _ in run)[:MAX_TITLE]


def _is_drawn(page: pypdfium2.PdfPage) -> bool:
    """True if an image is on a page, or so many shapes that they may be letters."""
    try:
        objects = enumerate(page.get_objects(max_depth=3), 1)
        return any(each.type == IMAGE or count >= SHAPES for count, each in objects)
    except pypdfium2.PdfiumError:  # something is there
        return True
