"""PowerPoint presentations, built by hand."""

from __future__ import annotations

import io
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asof.extensions.documents import pptx
from asof.extensions.documents.parts import Part, ReadLimits, Refused
from asof.sources.readers import parsed
from asof.sources.source import InputLimits

LIMITS = ReadLimits(10_000, 3, 10**6)
NAMES = (
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" '
    'xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" '
    'xmlns:d="http://schemas.openxmlformats.org/drawingml/2006/diagram" '
    'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" '
    'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
)
KINDS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"


def relation(name: str, kind: str, target: str, more: str = "") -> str:
    return f'<Relationship Id="{name}" Type="{KINDS}/{kind}" Target="{target}" {more}/>'


def relations(*lines: str) -> str:
    return f"<Relationships>{''.join(lines)}</Relationships>"


def file(*slides: str, core: str = "", show: str = "1", order: str = "", **members: str) -> bytes:
    """A presentation. Every slide relates to a link, and to the members of ppt/ that are given."""
    numbers = range(1, len(slides) + 1)
    order = order or "".join(map(str, numbers))
    ids = "".join(f'<p:sldId id="{255 + int(n)}" r:id="s{n}"/>' for n in order)
    section = f'<p:extLst><x:sldId xmlns:x="p14" id="256"/></p:extLst><p:sldIdLst>{ids}</p:sldIdLst>'
    links = [relation("rLink", "hyperlink", "https://e.org/a", 'TargetMode="External"')]
    links += [relation(name, name, f"../{name}.xml") for name in members]
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:

        def write(name: str, element: str, content: str) -> None:
            archive.writestr(name, f"<{element} {NAMES}>{content}</{element.split()[0]}>")

        archive.writestr(
            "_rels/.rels",
            relations(
                relation("r1", "officeDocument", "ppt/presentation.xml"),
                relation("r2", "metadata/core-properties", "docProps/core.xml") if core else "",
            ),
        )
        write("ppt/presentation.xml", "p:presentation", section)
        named = [relation(f"s{n}", "slide", f"slides/slide{n}.xml") for n in numbers]
        named.append(relation("rA", "commentAuthors", "authors.xml"))
        archive.writestr("ppt/_rels/presentation.xml.rels", relations(*named))
        write("ppt/authors.xml", "p:cmAuthorLst", '<p:cmAuthor id="7" name="Ann"/>')
        for n, shapes in zip(numbers, slides, strict=True):
            tree = f"<p:cSld><p:spTree>{shapes}</p:spTree></p:cSld>"
            write(f"ppt/slides/slide{n}.xml", f'p:sld show="{show}"', tree)
            archive.writestr(f"ppt/slides/_rels/slide{n}.xml.rels", relations(*links))
        for name, content in members.items():
            write(f"ppt/{name}.xml", "p:root", content)
        if core:
            archive.writestr("docProps/core.xml", f"<core>{core}</core>")
    return out.getvalue()


def read(*slides: str, **more: str) -> Part:
    (part,) = pptx.read(file(*slides, **more), "stem", ".pptx", LIMITS)
    for at, _, words in part.outline:
        assert part.text[at:].split("\n")[0] == words
    return part


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
    assert part.text == "Slide 1\n\nCity: Bonn; Size: 1; Size: 2\n\nCity: Bonn; Size: 3; Size: 4"


def test_notes_comments_charts_diagrams_and_links():
    link = '<a:r><a:rPr><a:hlinkClick r:id="rLink"/></a:rPr><a:t>here</a:t></a:r>'
    part = read(
        sp(link) + frame('<c:chart r:id="chart"/>') + frame('<d:relIds r:dm="diagram"/>'),
        chart="<c:title><a:p><a:r><a:t>Sales</a:t></a:r></a:p></c:title>",
        diagram="<d:pt><a:p><a:r><a:t>step</a:t></a:r></a:p></d:pt><d:pt><a:p/></d:pt>",
        notesSlide=f"<p:cSld><p:spTree>{sp('say it', kind='body')}{sp('1', kind='sldNum')}"
        "</p:spTree></p:cSld>",
        comments='<p:cm authorId="7" dt="2024-03-05T10:00:00"><p:text>why</p:text></p:cm>',
    )
    assert part.text == (
        "Slide 1\n\nhere\n\nSales\n\n- step\n\nNotes\n\nsay it\n\nComments\n\nAnn (2024-03-05): why"
    )
    assert [(level, words) for _, level, words in part.outline] == [
        (1, "Slide 1"), (2, "Notes"), (2, "Comments"),
    ]  # fmt: skip
    assert part.links == ["https://e.org/a"]


def test_hidden_and_missing_slides_are_noted():
    part = read(sp("a"), sp("b"), show="0", order="192")
    assert part.text == "Slide 1\n\na\n\nSlide 3\n\nb"
    assert part.notes == [
        "slide 2 is missing in the file",
        "slides that are hidden when it is presented are read too: 1, 3",
    ]


def test_through_the_process():
    core = "<title>PowerPoint Presentation</title><creator>Ann</creator><modified>2024-02-03</modified>"
    page = parsed(file(sp("One", kind="title"), core=core), "a.pptx", InputLimits())
    assert (page.text, page.title, page.front["author"]) == ("Slide 1: One", "One", "Ann")
    assert page.created is not None


def test_what_is_refused():
    with pytest.raises(Refused, match="no text in the slides") as nothing:
        read("", sp(""))
    assert nothing.value.empty
    with pytest.raises(Refused, match="4 slides; the limit is 3"):
        read(*[sp("a")] * 4)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("_rels/.rels", relations(relation("r1", "officeDocument", "word/document.xml")))
        archive.writestr("word/document.xml", "<document/>")
    with pytest.raises(Refused, match="its main part is a 'document'"):
        pptx.read(out.getvalue(), "stem", ".pptx", LIMITS)


@given(st.data())
def test_damaged_bytes_give_a_part_or_are_refused(data):
    raw = bytearray(file(sp("One", kind="title") + sp("a", "b"), core="<title>t</title>"))
    for at in data.draw(st.lists(st.integers(0, len(raw) - 1), min_size=1, max_size=8)):
        raw[at] = data.draw(st.integers(0, 255))
    try:
        parts = pptx.read(bytes(raw), "stem", ".pptx", LIMITS)
    except Refused:
        return
    assert [part.name for part in parts] == [""]
