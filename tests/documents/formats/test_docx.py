"""Word documents, built by hand."""

from __future__ import annotations

import pytest
from tests.support.office_files import docx as file
from tests.support.office_files import headings, part_of

from asof.extensions.documents import docx
from asof.extensions.documents.parts import Part, ReadLimits, Refused

LIMITS = ReadLimits(10_000, 100, 10**6)


def read(body: str, core: str = "", **members: str) -> Part:
    return part_of(docx, file(body, core, **members), LIMITS)


def p(text: str, properties: str = "") -> str:
    return f"<w:p><w:pPr>{properties}</w:pPr>{r(text)}</w:p>"


def r(text: str) -> str:
    return f'<w:r><w:t xml:space="preserve">{text}</w:t></w:r>'


def style(name: str) -> str:
    return f'<w:pStyle w:val="{name}"/>'


def item(level: int, number: int = 1) -> str:
    return f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="{number}"/></w:numPr>'


def tc(content: str, properties: str = "") -> str:
    content = content if content.startswith("<") else p(content)
    return f"<w:tc><w:tcPr>{properties}</w:tcPr>{content}</w:tc>"


def tr(*cells: str, properties: str = "") -> str:
    return f"<w:tr><w:trPr>{properties}</w:trPr>{''.join(cells)}</w:tr>"


STYLES = """
<w:style w:styleId="Berschrift2"><w:name w:val="heading 2"/><w:pPr><w:outlineLvl w:val="1"/></w:pPr></w:style>
<w:style w:styleId="Mine"><w:name w:val="Mine"/><w:basedOn w:val="Berschrift2"/></w:style>
<w:style w:styleId="Not"><w:name w:val="Not"/><w:basedOn w:val="Mine"/>
  <w:pPr><w:outlineLvl w:val="9"/></w:pPr></w:style>
<w:style w:styleId="Loop"><w:name w:val="Loop"/><w:basedOn w:val="Loop"/></w:style>
<w:style w:styleId="Titel"><w:name w:val="Title"/></w:style>
<w:style w:styleId="V1"><w:name w:val="toc 1"/></w:style>
<w:style w:styleId="Dots"><w:name w:val="List Bullet"/><w:pPr><w:numPr><w:numId w:val="3"/></w:numPr></w:pPr>
</w:style>"""


def test_headings_by_styles_and_what_they_are_based_on():
    part = read(
        p("T", style("Titel")) + p("toc", style("V1")) + p("a", style("Berschrift2")) + p("b", style("Mine"))
        + p("c", style("Not")) + p("d", style("Loop")) + p("e", '<w:outlineLvl w:val="2"/>')
        + p("f", style("Heading4")) + p("x" * 501, style("Mine")),
        styles=STYLES,
    )  # fmt: skip
    assert headings(part) == [(1, "T"), (2, "a"), (2, "b"), (3, "e"), (4, "f")]
    assert (part.title, part.text[:15]) == ("T", "T\n\na\n\nb\n\nc\n\nd\n\n")


def test_lists_are_kept_together():
    part = read(
        p("one", item(0)) + p("two", item(1)) + p("three", style("Dots"))
        + p("no", style("Dots") + item(0, 0)) + p("four", style("Dots")),
        styles=STYLES,
    )  # fmt: skip
    assert part.text == "- one\n  - two\n- three\n\nno\n\n- four"


def test_a_table_with_merged_cells_one_in_a_cell_and_one_that_is_a_frame():
    down, more = '<w:vMerge w:val="restart"/>', "<w:vMerge/>"
    inner = f"<w:tbl>{tr(tc('i'), tc('j'))}{tr(tc('k'), tc('l'))}</w:tbl>{p('')}"
    part = read(
        "<w:tbl>" + tr(tc("Caption", '<w:gridSpan w:val="3"/>'))
        + tr(tc("City"), tc("Size", '<w:gridSpan w:val="2"/>'), properties="<w:tblHeader/>")
        + tr(tc("Bonn", down), tc("1"), tc("2")) + tr(tc("", more), tc("3"), tc(inner))
        + tr(tc("gone"), tc("gone"), properties="<w:del/>")
        + tr(tc("5"), properties='<w:gridBefore w:val="2"/>') + "</w:tbl>"
    )  # fmt: skip
    assert part.text == (
        "Caption\n\n| City | Size | Size |\n| --- | --- | --- |\n| Bonn | 1 | 2 |\n"
        "| Bonn | 3 | i; j. k; l |\n|  |  | 5 |"
    )
    framed = read(f"<w:tbl>{tr(tc(p('h', style('Heading1')) + p('t')))}</w:tbl>")
    assert (framed.text, framed.outline) == ("h\n\nt", [(0, 1, "h")])


def test_notes_and_comments_follow_the_text():
    marks = (
        '<w:r><w:footnoteReference w:id="2"/></w:r><w:r><w:endnoteReference w:id="2"/></w:r>'
        '<w:r><w:footnoteReference w:id="9"/></w:r>'
    )
    note = '<w:{0} w:id="2"><w:p><w:r><w:{0}Ref/></w:r>' + r("{1}") + "</w:p></w:{0}>"
    said = f'<w:comment w:author="Ann" w:date="2024-03-05T10:00:00Z">{p("why")}</w:comment>'
    part = read(
        f"<w:p>{r('a')}{marks}{r('.')}</w:p>",
        footnotes=f'<w:footnote w:id="-1" w:type="separator">{p("-")}</w:footnote>'
        + note.format("footnote", "foot"),
        endnotes=note.format("endnote", "end"),
        comments=said,
    )
    assert part.text == ("a[1][2].\n\nFootnotes\n\n[1] foot\n\n[2] end\n\nComments\n\nAnn (2024-03-05): why")
    assert [words for _, _, words in part.outline] == ["Footnotes", "Comments"]


@pytest.mark.parametrize(
    ("paragraph", "text"),
    [
        (f"{r('a')}<w:ins>{r('b')}</w:ins><w:del><w:r><w:delText>c</w:delText></w:r></w:del>", "ab"),
        (f"{r('a')}<w:moveFrom>{r('b')}</w:moveFrom><w:moveTo>{r('c')}</w:moveTo>", "ac"),
        ("<w:r><w:t>a</w:t><w:tab/><w:t>b</w:t><w:br/><w:t>c</w:t><w:noBreakHyphen/></w:r>", "a\tb\nc-"),
        (f"<w:r><w:rPr><w:vanish/></w:rPr><w:t>a</w:t></w:r>{r('b')}", "b"),
        (f"<w:pPr><w:rPr><w:del/></w:rPr></w:pPr>{r('a ')}</w:p><w:p>{r('b')}", "a b"),
        (f"{r('so')}<w:r><w:t>\xad</w:t></w:r>{r('ft')}", "soft"),
        ("<m:f><m:num><m:r><m:t>a</m:t></m:r></m:num><m:den><m:r><m:t>b</m:t></m:r></m:den></m:f>", "a/b"),
        (f"<w:sdt><w:sdtPr><w:showingPlcHdr/></w:sdtPr><w:sdtContent>{r('a')}</w:sdtContent></w:sdt>{r('b')}",
         "b"),
    ],
)  # fmt: skip
def test_the_text_as_it_stands_now(paragraph, text):
    assert read(f"<w:p>{paragraph}</w:p>").text == text


def test_fields_give_their_result_and_links_their_targets():
    def mark(kind: str) -> str:
        return f'<w:r><w:fldChar w:fldCharType="{kind}"/></w:r>'

    code = '<w:r><w:instrText>HYPERLINK "http://e.org/{0}"</w:instrText></w:r>'
    inner = mark("begin") + code.format("in") + mark("separate") + r("no") + mark("end")
    part = read(
        f"<w:p>{mark('begin')}{inner}{code.format('b')}{mark('separate')}{r('yes')}</w:p>"
        f"<w:p>{r('still')}{mark('end')}{r(' here')}</w:p>"
        f'<w:p><w:hyperlink r:id="rLink">{r("a")}</w:hyperlink>'
        f'<w:hyperlink r:id="rFile">{r("f")}</w:hyperlink></w:p>'
    )
    assert part.text == "yes\n\nstill here\n\naf"
    assert part.links == ["http://e.org/in", "http://e.org/b", "https://e.org/a"]


def test_a_text_box_stands_once_after_its_paragraph():
    box = f"<w:txbxContent>{p('in the box')}</w:txbxContent>"
    part = read(
        f"<w:p>{r('a')}<w:r><mc:AlternateContent><mc:Choice>{box}</mc:Choice>"
        f"<mc:Fallback>{box}</mc:Fallback></mc:AlternateContent></w:r>{r('b')}</w:p>"
    )
    assert part.text == "ab\n\nin the box"


def test_generated_contents_are_left_out_and_foreign_parts_noted():
    gallery = '<w:docPartObj><w:docPartGallery w:val="Table of Contents"/></w:docPartObj>'
    contents = f"<w:sdt><w:sdtPr>{gallery}</w:sdtPr><w:sdtContent>{p('no')}</w:sdtContent></w:sdt>"
    part = read(contents + '<w:altChunk r:id="x"/>' + p("yes"))
    assert part.text == "yes"
    assert part.notes == ["a document of another format that is embedded in it is not read"]


CORE = (
    "<title>T</title><creator>Ann</creator><keywords>a, b;c</keywords><subject>S</subject>"
    "<created>2024-01-02T03:04:05Z</created><modified>2024-02-03T04:05:06Z</modified>"
)


def test_what_it_says_of_itself():
    part = read(p("x", style("Heading1")), CORE)
    assert (part.title, part.created, part.changed) == ("T", "2024-01-02T03:04:05Z", "2024-02-03T04:05:06Z")
    assert part.front == {"author": "Ann", "subject": "S", "tags": ["a", "b", "c"]}


@pytest.mark.parametrize(
    ("raw", "why"),
    [
        (file(p("")), "no text"),
        (file("").replace(b"_rels/.rels", b"_rels/.relx"), "no office document"),
        (file(p("a") + "<w:p>"), "is damaged"),
        (file(p("x" * 10_001)), "characters"),
        (file("<w:sdt>" * 300 + "</w:sdt>" * 300), "nested"),
    ],
)
def test_what_is_refused(raw: bytes, why: str):
    with pytest.raises(Refused, match=why) as refused:
        docx.read(raw, "stem", ".docx", LIMITS)
    assert refused.value.empty == (why == "no text")
