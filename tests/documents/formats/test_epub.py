"""EPUB: chapters under the lines of its contents, in the order of the spine; and what XHTML makes of text."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.support import office_files
from tests.support.office_files import headings, part_of, unzipped, zipped

from asof.extensions.documents import epub as reader
from asof.extensions.documents.epub import text_of
from asof.extensions.documents.parts import Part, ReadLimits, Refused

LIMITS = ReadLimits(20_000, 10, 10**6)
METADATA = """<dc:title>The Ferry</dc:title><dc:creator>Ida Mole</dc:creator><dc:language>en-GB</dc:language>
<dc:date>2011-05-01</dc:date><meta property="dcterms:modified">2024-03-05T10:00:00Z</meta>
<dc:subject>lakes</dc:subject><dc:subject>boats</dc:subject>"""


def zipped_with(raw: bytes, member: str, change: Callable[[str], str]) -> bytes:
    """The book with a member changed."""
    members = unzipped(raw)
    return zipped(members | {member: change(members[member].decode()).encode()})


NAV = """<nav epub:type="landmarks"><ol><li><a href="one.xhtml">Start</a></li></ol></nav>
<nav epub:type="toc"><ol><li><a href="part.xhtml">Part I</a><ol><li><a href="one.xhtml">The pier</a></li>
<li><a href="two.xhtml#b">The <i>lake</i></a></li></ol></li></ol></nav>"""
CHAPTERS = {
    "part": "<img src='a.png'/>",
    "one": "<h1>The Pier.</h1><p>It is old<sup><a href='#n'>1</a></sup>.</p><h2>Planks</h2><p>Many.</p>",
    "two": "<p>So it ends.</p><section id='b'><h1>The Lake</h1></section><p>Deep.</p>"
    "<aside id='n'><p>1. Of 1911.</p></aside>",
}


def epub(chapters: dict[str, str], nav: str = "", ncx: str = "", **more: str) -> bytes:
    return office_files.epub(chapters, nav, ncx, METADATA, **more)


def book(raw: bytes) -> Part:
    return part_of(reader, raw, LIMITS)


def test_a_book():
    part = book(epub(CHAPTERS, NAV))
    assert part.text.split("\n\n") == [
        "The Pier.", "It is old 1.", "Planks", "Many.", "So it ends.", "The Lake", "Deep.", "1. Of 1911.",
    ]  # fmt: skip
    assert headings(part) == [(2, "The Pier."), (3, "Planks"), (2, "The Lake")]
    assert part.front == {"author": "Ida Mole", "language": "en-GB", "tags": ["lakes", "boats"]}
    assert (part.title, part.published, part.changed) == ("The Ferry", "2011-05-01", "2024-03-05T10:00:00Z")
    assert part.notes == []


def test_an_ncx_names_chapters_too_and_may_have_a_doctype():
    points = "".join(
        f'<navPoint><navLabel><text>{words}</text></navLabel><content src="{name}.xhtml"/></navPoint>'
        for name, words in (("one", "I. Pier"), ("two", "II. Lake"))
    )
    doctype = '<!DOCTYPE ncx PUBLIC "-//NISO//DTD ncx 2005-1//EN" "http://www.daisy.org/ncx.dtd">'
    raw = epub(
        {"one": "<p>a</p>", "two": "<h1>Lake</h1><p>b</p>"},
        ncx=f"{doctype}<ncx><navMap>{points}</navMap></ncx>",
    )
    assert headings(book(raw)) == [(1, "I. Pier"), (1, "II. Lake")]


def test_a_book_without_contents_has_its_own_headings_or_numbers():
    raw = epub({"a": "<p>x</p><h2>The Pier</h2><h3>Planks</h3>", "b": "<p>y</p>", "c": "<hr/>"})
    assert headings(book(raw)) == [(1, "The Pier"), (2, "Planks"), (1, "Chapter 2")]
    assert book(raw).text == "x\n\nThe Pier\n\nPlanks\n\nChapter 2\n\ny"


PICTURE = "<body><svg xmlns='s'><image href='a.png'/></svg></body>"


def test_what_a_chapter_declares_in_its_document_type_is_no_text():
    raw = zipped_with(
        epub({"one": "<p>One.</p>"}),
        "OPS/one.xhtml",
        lambda text: f'<?xml version="1.0"?><!DOCTYPE html [<!ENTITY a "b">]>\n{text}',
    )
    assert book(raw).text == "Chapter 1\n\nOne."


@pytest.mark.parametrize(
    ("chapters", "notes"),
    [
        ({"cover": PICTURE, "one": "<p>a</p>"}, []),
        ({"one": "<p>a</p>", "two": PICTURE}, ["without text, such as pictures, are 1 of 2 chapters"]),
        (
            {"cover": PICTURE, "one": "<p>a</p>", "map": PICTURE},
            ["without text, such as pictures, are 2 of 3 chapters"],
        ),
    ],
)
def test_chapters_of_pictures_are_counted_but_for_the_cover(chapters, notes):
    assert book(epub(chapters)).notes == notes


def test_what_is_missing_or_cannot_be_decoded_is_told():
    gone = epub(CHAPTERS | {"two": ""}, NAV)
    raw = gone.replace(b"OPS/two.xhtml", b"OPS/six.xhtml")
    assert book(raw).notes == ["the chapter 'OPS/two.xhtml' is missing in the file"]
    assert text_of(b"<?xml version='1.0' encoding='latin-1'?>\xe4<a/>")[0].endswith("\xe4<a></a>")
    assert text_of("ä".encode("utf-16")) == ("ä", "")
    assert text_of(b"a\xff") == ("a\ufffd", "utf-8")


ENCRYPTED = """<encryption><EncryptedData><EncryptionMethod Algorithm="aes"/><CipherData>
<CipherReference URI="OPS/one.xhtml"/></CipherData></EncryptedData></encryption>"""


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (epub(CHAPTERS)[:300], "it is damaged"),
        (epub(CHAPTERS, **{"META-INF__container.xml": "<a/>"}), "it is damaged: its package document ''"),
        (epub(CHAPTERS, **{"META-INF__encryption.xml": ENCRYPTED}), "its text is encrypted (DRM)"),
        (epub(CHAPTERS, **{"OPS__book.opf": "<!DOCTYPE a [<!ENTITY b 'c'>]>"}), "OPS/book.opf declares"),
        (epub({"a": "<img/>"}), "there is no text in the file"),
        (epub({f"c{n}": "<p>x</p>" for n in range(11)}), "it has 11 chapters; the limit is 10"),
        (epub({"a": "word " * 5000}), "it has more than 20,000 characters"),
        (epub({"a": " " * 2_000_000}), "it unpacks to more than is read"),
    ],
)
def test_what_is_refused(raw, said):
    with pytest.raises(Refused) as refused:
        book(raw)
    assert refused.value.message.startswith(said)
