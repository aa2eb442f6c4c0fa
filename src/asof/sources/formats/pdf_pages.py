"""The text of each page of a PDF, as PDFium gives it.

PDFium sets up the whole text of a page before it tells its length, and ends the process when memory runs out:
a file of a kilobyte can ask for all there is. Hence the limits of the process that this runs in.
"""

from __future__ import annotations

import pypdfium2

from asof.sources.formats.parts import BETWEEN_PAGES, Part, ReadLimits, Refused
from asof.sources.formats.pdf_scans import Recognition, is_drawn, recognized

MAX_TITLE = 500
"""Characters of a title."""
_AGAIN = "fetch or save it again"


def read(raw: bytes, stem: str, suffix: str, limits: ReadLimits) -> list[Part]:  # noqa: ARG001
    """One part: the pages with BETWEEN_PAGES between them, the title, and when it was made and changed as it
    says itself (`D:20240131093000+01'00'`). `front` has the numbers from 0 of pages that hold no text but
    something drawn (`scanned`), of those among them with a text that was recognised (`recognized`), and how
    many were tried in vain (`failed`) and left (`left`), for want of time (`late`) or not. Raises Refused."""
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
        about = document.get_metadata_dict()
    except pypdfium2.PdfiumError as wrong:
        raise Refused("a page of the PDF cannot be read", _AGAIN) from wrong
    done = recognized(document, scanned, limits) if limits.ocr and scanned else Recognition()
    for number, words in done.texts.items():
        pages[number] = words
    if sum(map(len, pages)) > limits.characters:
        raise _too_long(limits.characters)
    front = {
        "scanned": scanned, "recognized": [number for number, words in done.texts.items() if has_text(words)],
        "failed": done.failed, "left": done.left, "late": done.late,
    }  # fmt: skip
    text = BETWEEN_PAGES.join(page.replace(BETWEEN_PAGES, " ") for page in pages)
    made, changed = (about.get(key, "")[:MAX_TITLE] for key in ("CreationDate", "ModDate"))
    return [Part(text, about.get("Title", "")[:MAX_TITLE], front=front, created=made, changed=changed)]


def has_text(words: str) -> bool:
    """Whether there is a letter or a figure in it."""
    return any(map(str.isalnum, words))


def _texts(document: pypdfium2.PdfDocument, most: int) -> tuple[list[str], list[int]]:
    """The text of each page, and the numbers of those that have none but something drawn. Raises Refused
    when they have more characters than `most`."""
    texts: list[str] = []
    scanned: list[int] = []
    characters = 0
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
            raise _too_long(most)
        if not has_text(texts[-1]) and is_drawn(page):
            scanned.append(number)
        words.close()
        page.close()
    return texts, scanned


def _too_long(most: int) -> Refused:
    return Refused(f"the PDF has more than {most} characters", "split it")
