"""All formats: a sound file through the process that reads, damaged ones, and any pieces of their own."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from types import ModuleType

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.support import office_files

from asof.extensions.documents import docx, epub, mail, odf, pptx, rtf, sheets
from asof.extensions.documents.parts import Part, ReadLimits, Refused
from asof.sources.readers import parsed
from asof.sources.source import InputLimits

LIMITS = ReadLimits(20_000, 5, 10**6)
MAIL = (
    b"From: Ida Mole <ida@quay.org>\nDate: Tue, 5 Mar 2024 10:00:00 +0100\nSubject: Head\n"
    b"Message-ID: <b@q>\nContent-Type: multipart/mixed; boundary==\n\n--=\n\ntext\n--=\n"
    b"Content-Type: text/csv; name=a\n\n1\n--=--\n"
)
CORE = "<title>Head</title><creator>Ann</creator><modified>2024-02-03</modified>"
STYLED = '<w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr><w:r><w:t>Head</w:t></w:r></w:p>'
TITLE = '<p:sp><p:nvSpPr><p:nvPr><p:ph type="title"/></p:nvPr></p:nvSpPr><p:txBody><a:p><a:r><a:t>Head</a:t>'
NAV = '<nav epub:type="toc"><ol><li><a href="one.xhtml">Head</a></li></ol></nav>'
CELLS = '<row r="1"><c r="A1" t="inlineStr"><is><t>Head</t></is></c></row>'


@dataclass(frozen=True)
class Format:
    """A reader, the suffix of its files, a sound file, and what stands in its text first."""

    reader: ModuleType
    suffix: str
    sample: bytes
    text: str

    def parts(self, raw: bytes) -> list[Part]:
        """The parts of a file, each of another name, with headings on lines of their own; [] if refused."""
        try:
            parts: list[Part] = self.reader.read(raw, "stem", self.suffix, LIMITS)
        except Refused:
            return []
        assert len({part.name for part in parts}) == len(parts)
        for part in parts:
            for at, _, words in part.outline:
                assert part.text[at:].partition("\n")[0] == words
        return parts


DOCX = Format(docx, ".docx", office_files.docx(STYLED, CORE), "Head")
PPTX = Format(
    pptx, ".pptx", office_files.pptx(f"{TITLE}</a:r></a:p></p:txBody></p:sp>", core=CORE), "Slide 1: Head"
)
ODT = Format(odf, ".odt", office_files.odf("<text:h>Head</text:h>", "<dc:title>Head</dc:title>"), "Head")
XLSX = Format(sheets, ".xlsx", office_files.xlsx(("Sheet", CELLS), core=CORE), "Sheet\n\nHead")
EPUB = Format(
    epub, ".epub", office_files.epub({"one": "<h1>Head</h1><p>a</p>"}, NAV, metadata=CORE), "Head\n\na"
)
RTF = Format(rtf, ".rtf", rb"{\rtf1{\info{\title Head}}\pard\outlinelevel0 Head\par}", "Head")
EML = Format(mail, ".eml", MAIL, "text")
MBOX = Format(mail, ".mbox", b"From a Tue Mar  5 10:00:00 2024\n" + MAIL, "text")
FORMATS = [DOCX, PPTX, ODT, XLSX, EPUB, RTF, EML, MBOX]
each_format = pytest.mark.parametrize("kind", FORMATS, ids=lambda each: each.suffix)


@each_format
def test_through_the_process(kind: Format) -> None:
    part, *_ = kind.parts(kind.sample)
    whole = parsed(kind.sample, f"a{kind.suffix}", InputLimits())
    file = whole.parts[0] if kind is MBOX else whole
    assert part.text == file.text == kind.text
    assert file.title == "Head"
    assert [(each.offset, each.level, each.title) for each in file.outline] == part.outline
    assert file.front.get("author") == part.front.get("author")


@each_format
@given(data=st.data())
def test_damaged_bytes_give_parts_or_are_refused(kind: Format, data: st.DataObject) -> None:
    raw = bytearray(kind.sample)
    for at in data.draw(st.lists(st.integers(0, len(raw) - 1), min_size=1, max_size=8)):
        raw[at] = data.draw(st.integers(0, 255))
    kind.parts(bytes(raw))


@each_format
@given(raw=st.binary(max_size=200))
def test_any_bytes_give_parts_or_are_refused(kind: Format, raw: bytes) -> None:
    kind.parts(raw)
    kind.parts(kind.sample[:-20] + raw)


PIECES_OF_MAIL = [
    MAIL, b"--=\n", b"--=--\n", b"\n\n", b"> q\n", b"-- \n", b"=?x?b?", b"<p>", b"\xff\xfe",
    b"Content-Transfer-Encoding: base64\n", b"Content-Type: multipart/alternative\n", b"Date: 99 99\n",
    b"Content-Disposition: attachment; filename*=x''%ff\n", b"From a Tue Mar  5 10:00:00 2024\n",
    b"Content-Type: message/rfc822\n", b"Content-Type: text/plain; charset*0=\"a\n",
]  # fmt: skip


@given(st.lists(st.sampled_from(PIECES_OF_MAIL) | st.binary(max_size=8), max_size=12).map(b"".join))
def test_any_pieces_of_mail(raw: bytes) -> None:
    EML.parts(raw)
    MBOX.parts(raw)


PIECES_OF_RTF = (
    r"\par¦\pard¦{¦}¦\s1 ¦\outlinelevel3 ¦\cell ¦\row ¦a¦ ¦\trowd\cellx5 ¦{\footnote b}¦{\shp{\shptxt c}}"
    "¦{\\listtext 1\\tab}¦\\u-10179?¦\\'ff¦\x01¦\\uc¦\\bin9 ¦{\\info{\\title t}}¦{\\*\\annotation d}¦\xff"
    r"¦\f9 ¦\ansicpg0 ¦\ilvl7 "
)


@given(st.lists(st.sampled_from(PIECES_OF_RTF.split("¦")), max_size=30))
@example([r"\'"])
def test_any_pieces_of_rtf(pieces: list[str]) -> None:
    head = r"{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0\fcharset0 A;}}{\stylesheet{\s1 heading 1;}}"
    for part in RTF.parts(f"{head}{''.join(pieces)}}}".encode("latin-1")):
        assert part.text.strip()


PIECES_OF_XHTML = (
    "<h1>¦</h1>¦<h2 id='b'>¦<p>¦<table>¦<tr>¦<td>¦</table>¦<ol>¦<li>¦<i>¦<pre>\n¦<br/>¦<title/>¦word"
    "¦ \n¦The lake¦***¦</nav>¦<a id='b'/>"
)
MARKUP = st.lists(st.sampled_from(PIECES_OF_XHTML.split("¦")), max_size=20).map("".join)


@given(MARKUP, MARKUP, st.sampled_from([NAV, ""]), MARKUP)
def test_any_pieces_of_xhtml(one: str, two: str, nav: str, more: str) -> None:
    with suppress(Refused):
        EPUB.parts(office_files.epub({"one": one, "two": two}, nav and nav + more))
