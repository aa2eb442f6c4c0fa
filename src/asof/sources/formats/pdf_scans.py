"""Pages of a PDF that hold no text but something drawn, as scans do: drawn as images, and recognised.

An image is drawn by a process of its own for each page, since PDFium ends its process when memory runs out.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import ceil, sqrt

import pypdfium2

from asof.sources.formats.parts import ReadLimits
from asof.sources.formats.server import die_with_parent
from asof.sources.formats.tesseract import Unrecognized, text_of

IMAGE = 3
"""PDFium's number of objects that are images."""

SHAPES = 100
"""So many shapes may be letters that are drawn."""

DPI = 300
PIXELS = 12_000_000
"""Of an image of a page; a larger page is drawn in less detail."""

SIDE = 20_000
"""Pixels of a side of it."""

IN_A_ROW = 3
"""After so many pages in a row that were not recognised, the others are left."""

PAGE_BYTES = 400_000
"""Of the text of a page."""


@dataclass(slots=True)
class Recognition:
    """The texts that were recognised, by the page's number from 0; how many pages were not, and how many were
    left, and whether that was for want of time."""

    texts: dict[int, str] = field(default_factory=dict)
    failed: int = 0
    left: int = 0
    late: bool = False


def is_drawn(page: pypdfium2.PdfPage) -> bool:
    """Whether an image is on a page, or so many shapes that they may be letters."""
    try:
        objects = enumerate(page.get_objects(max_depth=3), 1)
        return any(each.type == IMAGE or count >= SHAPES for count, each in objects)
    except pypdfium2.PdfiumError:  # something is there
        return True


def recognized(document: pypdfium2.PdfDocument, pages: Sequence[int], limits: ReadLimits) -> Recognition:
    """The texts of these pages, within `limits.ocr_seconds`, each within `limits.ocr_page` seconds."""
    done = Recognition()
    end = time.monotonic() + limits.ocr_seconds
    in_a_row = 0
    for at, number in enumerate(pages):
        left = end - time.monotonic()
        if left <= 0 or in_a_row == IN_A_ROW:
            done.left, done.late = len(pages) - at, left <= 0
            break
        try:
            done.texts[number] = _text(document, number, limits.ocr, min(left, limits.ocr_page))
            in_a_row = 0
        except Unrecognized as wrong:
            if wrong.late and left < limits.ocr_page:  # the time of the file ended, not that of the page
                done.left, done.late = len(pages) - at, True
                break
            done.failed += 1
            in_a_row += 1
    return done


def _text(document: pypdfium2.PdfDocument, number: int, languages: str, seconds: float) -> str:
    """The text of a page. Raises Unrecognized."""
    reading, writing = os.pipe()
    drawing = os.fork()
    if drawing == 0:
        try:
            die_with_parent()
            os.close(reading)
            with os.fdopen(writing, "wb") as image:
                image.write(_image(document, number))
        except BaseException:  # noqa: BLE001  an image that is not whole is refused by who reads it
            os._exit(1)
        os._exit(0)
    os.close(writing)
    try:
        return text_of(reading, languages, seconds, PAGE_BYTES)
    finally:
        os.close(reading)
        os.kill(drawing, signal.SIGKILL)
        os.waitpid(drawing, 0)


def _image(document: pypdfium2.PdfDocument, number: int) -> bytes:
    """A page in grey, as PGM."""
    page = document[number]
    width, height = page.get_size()
    scale = min(DPI / 72, sqrt(PIXELS / (width * height)), SIDE / max(width, height))
    if ceil(width * scale) * ceil(height * scale) > 2 * PIXELS:
        raise ValueError("the page is a line")
    drawn = page.render(scale=scale, grayscale=True)
    rows, stride = memoryview(drawn.buffer), drawn.stride
    lines = (rows[at : at + drawn.width] for at in range(0, drawn.height * stride, stride))
    return b"P5 %d %d 255\n" % (drawn.width, drawn.height) + b"".join(lines)
