"""PDFs of a few bytes, as tests need them: pages of lines in Helvetica, or none, or pictures alone."""

from __future__ import annotations

from collections.abc import Sequence

Line = str | tuple[str, int]
"""A line of 10 points, or one with its size."""


def small_pdf(pages: Sequence[Sequence[Line] | int], *, encrypted: bool = False, about: str = "") -> bytes:
    """A PDF whose pages have these lines, from top to bottom; one that is a number is a picture, all
    of it of that grey (0 to 255). `about`: such as "/Title (A log)"."""
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"",
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    kids = []
    for lines in pages:
        stream = _picture(lines) if isinstance(lines, int) else _written(lines)
        objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream))
        kids.append(b"%d 0 R" % (len(objects) + 1))
        objects.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents %d 0 R"
            b" /Resources << /Font << /F1 3 0 R >> >> >>" % len(objects)
        )
    objects[1] = b"<< /Type /Pages /Kids [%s] /Count %d >>" % (b" ".join(kids), len(kids))
    locked = b""
    if about:
        objects.append(f"<< {about} >>".encode("latin-1"))
        locked = b" /Info %d 0 R" % len(objects)
    if encrypted:
        objects.append(b"<< /Filter /Standard /V 1 /R 2 /O <%s> /U <%s> /P -4 >>" % (b"11" * 32, b"22" * 32))
        locked = b" /Encrypt %d 0 R /ID [<00><00>]" % len(objects)
    return _assembled(objects, locked)


def _written(lines: Sequence[Line]) -> bytes:
    sized = ((line, 10) if isinstance(line, str) else line for line in lines)
    shown = " ".join(f"/F1 {size} Tf {size * 1.2:g} TL T* ({_escaped(line)}) Tj" for line, size in sized)
    return f"BT 50 792 Td {shown} ET".encode("latin-1")


def _picture(grey: int) -> bytes:
    return b"q 595 0 0 842 0 0 cm BI /W 2 /H 2 /CS /G /BPC 8 ID " + bytes([grey] * 4) + b" EI Q"


def _assembled(objects: list[bytes], more: bytes) -> bytes:
    body, places = b"%PDF-1.4\n", []
    for number, each in enumerate(objects, 1):
        places.append(len(body))
        body += b"%d 0 obj\n%s\nendobj\n" % (number, each)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    count = len(objects) + 1
    trailer = b"trailer\n<< /Size %d /Root 1 0 R%s >>\nstartxref\n%d\n%%%%EOF\n" % (count, more, len(body))
    return body + b"xref\n0 %d\n0000000000 65535 f \n%s" % (count, table) + trailer


def _escaped(line: str) -> str:
    return line.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")
