"""RTF, written by hand."""

from __future__ import annotations

from contextlib import suppress

import pytest
from tests.support.growth import is_linear
from tests.support.office_files import part_of

from asof.extensions.documents import rtf
from asof.extensions.documents.parts import Part, ReadLimits, Refused

LIMITS = ReadLimits(10**7, 100, 10**8)
HEAD = (
    r"{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0\fcharset0 A;}{\f1\fcharset204 A;}}"
    r"{\stylesheet{\s0 Normal;}{\s1\sbasedon0\b heading 1;}{\s5 Title;}{\s6\outlinelevel2 Mine;}{\s7 toc 1;}}"
)


def read(text: str) -> Part:
    return part_of(rtf, f"{HEAD}{text}}}".encode("latin-1"), LIMITS)


def test_paragraphs_lists_and_tables():
    part = read(
        r"\pard\s1 a\par\pard b\line c\par\par{\listtext\'95\tab}\pard\ls1 one\par"
        r"\trowd\cellx1000\cellx2000 City\cell Size\cell\row \trowd Bonn\cell 1\cell\row\pard d"
    )
    assert part.text == "a\n\nb\n\nc\n\n•\tone\n\nCity|Size\n\nBonn|1\n\nd"
    assert part.outline == []


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (r"\'e4{\f1\'e4}", "äд"),  # Windows-1252 and 1251
        ("a\xe4", "aä"),
        ("a\xc3\xa4", "aä"),  # a whole file of valid UTF-8 is that
        (r"\u228?\u-10179?\u-8704?", "ä😀"),
        (r"C:\\row\\cell\{\}", r"C:\row\cell{}"),
        (r"so\-ft non\_breaking", "soft non-breaking"),
        (r"a{\pict\pngblip 89504e47}b{\*\unknown c}", "ab"),
        (r"a{\pict\bin5 }}}}}}b\bin2 {{c", "abc"),
        (r"a{\rtlch\deleted\cf1 b}{\v c}{\v0 d}{\header e}f", "adf"),
        ("a\r\nb\x01\x02", "ab"),
    ],
)
def test_text(text, shown):
    assert read(text).text == shown


def test_fields_and_links():
    part = read(r'{\field{\*\fldinst{HYPERLINK "https://e.org/a"}}{\fldrslt{\ul here}}} and HYPERLINK')
    assert part.text == "here and HYPERLINK"
    assert part.links == ["https://e.org/a"]


INFO = (
    r"{\info{\title \'dcber}{\author Ann}{\keywords a, b}{\creatim\yr2024\mo1\dy2\hr3\min4}"
    r"{\revtim\yr2024\mo2\dy3}{\printim\yr0\mo0\dy0}}"
)


def test_what_it_says_of_itself():
    part = read(INFO + "x")
    assert (part.title, part.front) == ("Über", {"author": "Ann", "tags": ["a", "b"]})
    assert (part.created, part.changed) == ("2024-01-02T03:04", "2024-02-03T00:00")


def test_what_stands_beside_the_text_is_counted():
    part = read(r"a{\footnote b}{\*\annotation c}{\shp{\shptxt d}}e")
    assert part.text == "ae"
    assert part.notes == ["footnotes, comments and text boxes are not read: 3"]


def test_a_file_that_breaks_off_is_noted():
    assert read("a{b").notes == ["it breaks off: what stood at its end is missing"]
    assert read("a{b}").notes == []


@pytest.mark.parametrize(
    ("raw", "why"),
    [
        (b"plain", r"no RTF, which begins with \{\\rtf"),
        (rb"{\rtf1\ansi }", "no text"),
        (rb"{\rtf1\uc a}", "damaged"),
        (rb"{\rtf1\u9999999999 a}", "damaged"),
    ],
)
def test_what_is_refused(raw, why):
    with pytest.raises(Refused, match=why):
        rtf.read(raw, "stem", ".rtf", LIMITS)


@pytest.mark.parametrize(
    "piece",
    ["{", "}", "{{", r"{\footnote a", r"{\footnote a}", r"{\*", r"{\shp{\shptxt a}", r"{\v", r"{\deleted\b",
     r"\trowd a", r"\trowd a\cell\row ", r'{\field{\*\fldinst{HYPERLINK "a"}}{\fldrslt a}}', r"\bin1 a",
     r"{\pict", r"{\info{\title a}}", r"{\stylesheet{\s1 a;", r"\'e4", r"\u1?", "\\",
     r"{\*\atnauthor a}{\*\annotation b}", r"{\fonttbl\f1", r"{\rtf{\fonttbl{\f1\fcharset0 a"],
)  # fmt: skip
def test_hostile_text_takes_linear_time(piece):
    def run(n: int) -> None:
        with suppress(Refused):
            rtf.read((HEAD + "x" + piece * (n // len(piece))).encode(), "stem", ".rtf", LIMITS)

    assert is_linear(run, 4_000)
