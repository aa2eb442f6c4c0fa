"""PDFs that want all memory: each is one problem, and the next one is read."""

from __future__ import annotations

import resource
import zlib

import pytest

from asof.extensions.documents.pdf import pages, read
from asof.sources.readers import Unreadable
from asof.sources.source import InputLimits

MIB = 2**20
LINE = "The lamp of the mole is lit at dusk."


def drawing(content: bytes, *forms: bytes, coded: bytes = b"") -> bytes:
    """A PDF of one page with this content, and forms /A, /B, ... that all of them can draw."""
    last = 5 + len(forms)
    names = b" ".join(b"/%c %d 0 R" % (65 + n, 5 + n) for n in range(len(forms)))
    drawn = b"/Resources << /Font << /F1 4 0 R >> /XObject << %s >> >>" % names
    return assembled([
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents %d 0 R %s >>" % (last, drawn),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        *(stream(b"/Type /XObject /Subtype /Form /BBox [0 0 595 842] " + drawn, form) for form in forms),
        stream(coded, content),
    ])  # fmt: skip


def assembled(objects: list[bytes]) -> bytes:
    """Without a table of where they stand: PDFium then looks for them."""
    body = b"".join(b"%d 0 obj\n%s\nendobj\n" % (number, each) for number, each in enumerate(objects, 1))
    return b"%PDF-1.4\n" + body + b"trailer\n<< /Root 1 0 R >>\n%%EOF\n"


def stream(about: bytes, content: bytes) -> bytes:
    return b"<< %s /Length %d >>\nstream\n%s\nendstream" % (about, len(content), content)


SHOWN = b"BT /F1 10 Tf 50 780 Td (%s) Tj ET" % LINE.encode()


def itself() -> bytes:
    """A form that draws itself twice."""
    return drawing(SHOWN + b" /A Do", b"/A Do /A Do")


def nested(levels: int) -> bytes:
    """Forms of which each draws the next twice, and the last the line: 2 ** (levels - 1) times in all."""
    twice = [b"/%c Do /%c Do" % (66 + n, 66 + n) for n in range(levels - 1)]
    return drawing(b"/A Do", *twice, SHOWN)


def blank(mebibytes: int) -> bytes:
    """A line and so many MiB of blanks, compressed to a thousandth, and that once more."""
    once = zlib.compressobj(1)
    parts = [once.compress(SHOWN), *(once.compress(b" " * MIB) for _ in range(mebibytes)), once.flush()]
    return drawing(zlib.compress(b"".join(parts)), coded=b"/Filter [/FlateDecode /FlateDecode]")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("raw", "limits"),
    [
        (itself(), InputLimits()),
        (itself(), InputLimits(memory=100 * MIB)),
        (nested(24), InputLimits(memory=100 * MIB)),
        (blank(160), InputLimits(memory=100 * MIB)),
    ],
    ids=["itself", "itself-in-100-MiB", "nested", "compressed"],
)
def test_what_wants_all_memory(raw: bytes, limits: InputLimits):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(Unreadable, match=r"MiB of memory|more memory") as caught:
        read(raw, "stem", limits)
    assert caught.value.remedy
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 40 * 1024  # in KiB


def test_what_wants_a_little_is_read():
    assert pages(nested(4), InputLimits()).pages[0].count(LINE) == 8  # 2 ** (4 - 1)
    assert pages(blank(8), InputLimits(memory=100 * MIB)).pages == [LINE]
