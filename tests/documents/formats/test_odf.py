"""OpenDocument texts and presentations, built by hand."""

from __future__ import annotations

import pytest
from tests.support.office_files import headings, part_of
from tests.support.office_files import odf as file

from asof.extensions.documents import odf
from asof.extensions.documents.parts import Part, ReadLimits, Refused

LIMITS = ReadLimits(10_000, 3, 10**6)
TITLE = '<style:style style:name="P1" style:parent-style-name="Title"/>'


def read(body: str, **more: str) -> Part:
    return part_of(odf, file(body, **more), LIMITS)


def p(text: str) -> str:
    return f"<text:p>{text}</text:p>"


def h(text: str, level: int) -> str:
    return f'<text:h text:outline-level="{level}">{text}</text:h>'


def listed(*items: str) -> str:
    return f"<text:list>{''.join(f'<text:list-item>{each}</text:list-item>' for each in items)}</text:list>"


def tc(content: str, more: str = "") -> str:
    return f"<table:table-cell {more}>{content if content.startswith('<') else p(content)}</table:table-cell>"


def tr(*cells: str) -> str:
    return f"<table:table-row>{''.join(cells)}</table:table-row>"


def test_headings_lists_and_what_is_left_out():
    part = read(
        f"<text:tracked-changes>{p('deleted')}</text:tracked-changes>"
        f'<text:p text:style-name="P1">T</text:p><text:table-of-content>{p("no")}</text:table-of-content>'
        + h("a", 1) + listed(p("one") + p("more") + listed(p("two")), p("three"), h("b", 2))
        + f'<text:section>{p("c")}</text:section><text:section text:display="none">{p("no")}</text:section>',
        styles=TITLE,
    )  # fmt: skip
    assert part.text == "T\n\na\n\n- one\n  more\n  - two\n- three\n\nb\n\nc"
    assert headings(part) == [(1, "T"), (1, "a"), (2, "b")]
    assert part.title == "T"


@pytest.mark.parametrize(
    ("paragraph", "text"),
    [
        ("a\n   b<text:s text:c='3'/>c", "a b   c"),
        ("a<text:s text:c='999999999'/>b", "a" + 100 * " " + "b"),
        ("a<text:tab/>b<text:line-break/>c", "a\tb\nc"),
        ("a<text:change-start/><text:span>b</text:span><text:change-end/> c", "ab c"),
        (
            "<text:ruby><text:ruby-base>a</text:ruby-base><text:ruby-text>b</text:ruby-text></text:ruby>c",
            "ac",
        ),
        ("<text:title>the title</text:title>, <text:date>today</text:date>", "the title, today"),
        ("a<draw:frame><draw:text-box><text:p>box</text:p></draw:text-box></draw:frame>b", "ab\n\nbox"),
    ],
)
def test_a_paragraph(paragraph, text):
    assert read(p(paragraph)).text == text


def test_a_table_with_merged_cells():
    covered = "<table:covered-table-cell/>"
    wide, tall = 'table:number-columns-spanned="2"', 'table:number-rows-spanned="2"'
    inner = f"<table:table>{tr(tc('i'), tc('j'))}</table:table>"
    part = read(
        f"<table:table><table:table-header-rows>{tr(tc('City'), tc('Size', wide), covered)}"
        f"</table:table-header-rows>{tr(tc('Bonn', tall), tc('1'), tc('2'))}{tr(covered, tc('3'), tc(inner))}"
        + tr(tc("", 'table:number-columns-repeated="16384"')) + "</table:table>"
    )  # fmt: skip
    assert part.text == "| City | Size | Size |\n| --- | --- | --- |\n| Bonn | 1 | 2 |\n| Bonn | 3 | i; j |"


def test_notes_comments_and_links():
    note = (
        f"<text:note><text:note-citation>i</text:note-citation><text:note-body>{p('foot')}</text:note-body>"
    )
    note += "</text:note>"
    said = "<office:annotation><dc:creator>Ann</dc:creator><dc:date>2024-03-05T10:00:00</dc:date>"
    said += f"{p('why')}</office:annotation>"
    part = read(
        p(f'a{note} b{said}<text:a xlink:href="https://e.org/">c</text:a><text:a xlink:href="#d">d</text:a>')
    )
    assert part.text == "a[1] bcd\n\nFootnotes\n\n[1] foot\n\nComments\n\nAnn (2024-03-05): why"
    assert part.links == ["https://e.org/"]


def page(name: str, content: str) -> str:
    return f'<draw:page draw:name="{name}">{content}</draw:page>'


def box(content: str, kind: str = "") -> str:
    named = f'presentation:class="{kind}"' if kind else ""
    return f"<draw:frame {named}><draw:text-box>{content}</draw:text-box></draw:frame>"


def test_slides():
    part = read(
        page("page1", box(p("One"), "title") + box(listed(p("a"))) + box(p("1"), "page-number")
             + f"<presentation:notes>{box(p('say it'), 'notes')}</presentation:notes>")
        + page("page2", "") + page("Named", f"<draw:g>{box(p('b'))}</draw:g>"),
        kind="presentation",
    )  # fmt: skip
    assert part.text == "Slide 1: One\n\n- a\n\nNotes\n\nsay it\n\nSlide 3\n\nb"
    assert headings(part) == [(1, "Slide 1: One"), (2, "Notes"), (1, "Slide 3")]
    assert part.title == "One"


META = (
    "<dc:title>T</dc:title><meta:initial-creator>Ann</meta:initial-creator><dc:creator>Bob</dc:creator>"
    "<meta:keyword>a</meta:keyword><meta:keyword>b</meta:keyword>"
    "<meta:creation-date>2024-01-02T03:04:05.5</meta:creation-date><dc:date>2024-02-03T04:05:06</dc:date>"
)


def test_what_it_says_of_itself():
    part = read(p("x"), meta=META)
    assert (part.title, part.front) == ("T", {"author": "Ann", "tags": ["a", "b"]})
    assert (part.created, part.changed) == ("2024-01-02T03:04:05.5", "2024-02-03T04:05:06")


@pytest.mark.parametrize(
    ("raw", "why"),
    [
        (file(p("x"), manifest="<encryption-data/>"), "encrypted"),
        (file(p(" ")), "no text"),
        (file("", kind="spreadsheet"), "neither a text nor a presentation"),
        (file(page("a", "") * 4, kind="presentation"), "4 slides; the limit is 3"),
        (file("<text:p>"), "damaged"),
        (file("<text:section>" * 300 + "</text:section>" * 300), "nested"),
        (b"no archive", "damaged"),
    ],
)
def test_what_is_refused(raw, why):
    with pytest.raises(Refused, match=why):
        odf.read(raw, "stem", ".odt", LIMITS)
