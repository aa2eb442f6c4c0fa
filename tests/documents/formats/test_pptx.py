"""PowerPoint presentations, built by hand."""

from __future__ import annotations

import pytest
from tests.support.office_files import headings, part_of, relation, relations, zipped
from tests.support.office_files import pptx as file

from asof.extensions.documents import pptx
from asof.extensions.documents.parts import Part, ReadLimits, Refused

LIMITS = ReadLimits(10_000, 3, 10**6)


def read(*slides: str, **more: str) -> Part:
    return part_of(pptx, file(*slides, **more), LIMITS)


def sp(*paragraphs: str, kind: str | None = None) -> str:
    """A shape; a paragraph that begins with < is XML."""
    holds = f'<p:ph type="{kind}"/>' if kind else ""
    return f"<p:sp><p:nvSpPr><p:nvPr>{holds}</p:nvPr></p:nvSpPr>{body(*paragraphs)}</p:sp>"


def body(*paragraphs: str) -> str:
    lines = (text if text.startswith("<") else f"<a:r><a:t>{text}</a:t></a:r>" for text in paragraphs)
    return "<p:txBody>" + "".join(f"<a:p>{line}</a:p>" for line in lines) + "</p:txBody>"


def frame(content: str) -> str:
    return f"<p:graphicFrame><a:graphic><a:graphicData>{content}</a:graphicData></a:graphic></p:graphicFrame>"


def test_slides_in_the_order_of_the_presentation():
    part = read(sp("b") + sp("Two", kind="title"), sp("One", kind="ctrTitle") + sp("a"), order="21")
    assert part.text == "Slide 1: One\n\na\n\nSlide 2: Two\n\nb"
    assert part.outline == [(0, 1, "Slide 1: One"), (17, 1, "Slide 2: Two")]  # 17 = 12 + 2 + 1 + 2
    assert part.title == "One"


def test_shapes_lists_and_groups():
    deeper = '<a:pPr lvl="1"/><a:r><a:t>deep</a:t></a:r>'
    plain = "<a:pPr><a:buNone/></a:pPr><a:r><a:t>plain</a:t></a:r>"
    broken = "<a:r><a:t>x</a:t></a:r><a:br/><a:r><a:t>y</a:t></a:r>"
    number = '<a:fld type="slidenum"><a:t>4</a:t></a:fld>'
    part = read(
        sp("top", deeper, plain, kind="body")
        + f"<p:grpSp>{sp('in a group')}<p:grpSp>{sp(broken)}</p:grpSp></p:grpSp>"
        + sp("4", kind="sldNum") + sp("foot", kind="ftr") + sp(number) + sp("last")
    )  # fmt: skip
    assert part.text == "Slide 1\n\n- top\n  - deep\nplain\n\nin a group\n\nx\ny\n\nlast"


def test_a_table_with_merged_cells():
    def tc(text: str, more: str = "") -> str:
        return f"<a:tc {more}>{body(text)}</a:tc>"

    rows = (
        tc("City", 'rowSpan="1"') + tc("Size", 'gridSpan="2"') + tc("", 'hMerge="1"'),
        tc("Bonn", 'rowSpan="2"') + tc("1") + tc("2"),
        tc("", 'vMerge="1"') + tc("3") + tc("4"),
    )
    table = "".join(f"<a:tr>{row}</a:tr>" for row in rows)
    part = read(frame(f"<a:tbl>{table}</a:tbl>"))
    table = "| City | Size | Size |\n| --- | --- | --- |\n| Bonn | 1 | 2 |\n| Bonn | 3 | 4 |"
    assert part.text == f"Slide 1\n\n{table}"


def test_notes_diagrams_and_links():
    link = '<a:r><a:rPr><a:hlinkClick r:id="rLink"/></a:rPr><a:t>here</a:t></a:r>'
    part = read(
        sp(link) + frame('<c:chart r:id="chart"/>') + frame('<d:relIds r:dm="diagram"/>'),
        diagram="<d:pt><a:p><a:r><a:t>step</a:t></a:r></a:p></d:pt><d:pt><a:p/></d:pt>",
        notesSlide=f"<p:cSld><p:spTree>{sp('say it', kind='body')}{sp('1', kind='sldNum')}"
        "</p:spTree></p:cSld>",
    )
    assert part.text == "Slide 1\n\nhere\n\n- step\n\nNotes\n\nsay it"
    assert headings(part) == [(1, "Slide 1"), (2, "Notes")]
    assert part.links == ["https://e.org/a"]


def test_hidden_and_missing_slides_are_noted():
    part = read(sp("a"), sp("b"), show="0", order="192")
    assert part.text == "Slide 1\n\na\n\nSlide 3\n\nb"
    assert part.notes == [
        "slide 2 is missing in the file",
        "slides that are hidden when it is presented are read too: 1, 3",
    ]


MAIN = {"_rels/.rels": relations(relation("r1", "officeDocument", "a.xml")), "a.xml": "<document/>"}


@pytest.mark.parametrize(
    ("raw", "why"),
    [
        (file("", sp("")), "no text in the slides"),
        (file(*[sp("a")] * 4), "4 slides; the limit is 3"),
        (zipped(MAIN), "its main part is a 'document'"),
    ],
)
def test_what_is_refused(raw: bytes, why: str):
    with pytest.raises(Refused, match=why) as refused:
        pptx.read(raw, "stem", ".pptx", LIMITS)
    assert refused.value.empty == ("no text" in why)
