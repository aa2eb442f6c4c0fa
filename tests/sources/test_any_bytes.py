"""Whatever bytes a file holds: a document or a problem, never an exception, in a time as it is long."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.growth import is_linear

from asof.documents import Document
from asof.extensions.documents.html import parse_text as parse_html
from asof.extensions.documents.org import parse_org
from asof.extensions.documents.plaintext import parse_asciidoc, parse_rst
from asof.sources.dates import dates_in
from asof.sources.files import document
from asof.sources.html_walk import HtmlLines, pieces
from asof.sources.markdown import parse_markdown
from asof.sources.readers import ParsedFile, TextParser, Unreadable, parsed, suffixes
from asof.sources.source import InputLimits

MARKDOWN = (
    "---\n¦\n¦a: 1\n¦date: 2024\n¦# H\n¦[[a|b]]¦#tag ¦`¦```\n¦[x](y)¦> ¦- ¦{¦*x¦&y ¦!z ¦====\n¦T\n¦\x00"
    "¦é¦\r\n¦\r"
)
ORG = (
    "* ¦** TODO ¦\n¦:END:\n¦:PROPERTIES:\n¦#+BEGIN_SRC\n¦#+END_SRC\n¦[[¦][¦]]¦file:¦#+TITLE: ¦ :a:b:\n¦=¦*¦~"
    "¦|-¦COMMENT ¦#+BEGIN_COMMENT\n¦word¦|--+¦/a¦ :a¦[[a]¦[[a][b¦#+a[¦<2024-03-05 ¦: a"
)
RST = (
    "Title\n=====\n¦T\n-\n¦.. note:: a\n¦.. image:: b\n¦   c\n¦\n¦- d¦1. e\n¦:f: g\n¦``¦`¦*¦`h <i>`_¦== ==\n"
    "¦+--+\n¦| j |\n¦k::\n¦Status: a\n¦|¦.. code::\n¦>>> l\n¦`a¦:a:`¦*a¦**a¦|a¦_ ¦\\¦ - a\n¦a\n b\n"
    "¦::\n\n a\n¦=\n¦a\n=\n¦[a]_¦a: b\n¦* a\n"
)
ASCIIDOC = "= ¦== ¦\n¦----\n¦////\n¦word¦=¦ ¦|===\n¦link:a[¦<<a,¦http://a[¦a:: \n¦* *a* \n¦`a¦**a¦_ ¦\\"
HTML = (
    "<!--¦<![CDATA[¦<a ¦<a¦</¦</a¦<!¦&¦<¦<?¦<script>¦<a b='¦<a b=\"¦<!--a--!¦<title>¦<b>¦<![¦<pre>\n¦<h1>"
    "¦<nav>¦&#1¦<a =¦<a b=¦<main>¦</main>¦<header>¦<article><time datetime=1>"
    '¦<script type="application/ld+json">[{}]</script>'
)
BLOCKS = "<table><tr><td>x¦<ul><li>x¦<sup><a>¦<table>¦<td>¦<pre>\n¦<br>¦<a id=x>¦<h1>¦<div"


def text_of(parts: str) -> st.SearchStrategy[str]:
    return st.lists(st.sampled_from(parts.split("¦")) | st.text(max_size=5), max_size=30).map("".join)


TEXTS = text_of(MARKDOWN + "¦" + HTML).map(lambda text: text.encode("utf-8", "replace"))


@given(raw=st.binary() | TEXTS, kind=st.sampled_from(sorted({*suffixes()} - {".pdf"})))
def test_any_bytes_make_a_page_or_are_refused(raw: bytes, kind: str):
    try:
        page = parsed(raw, f"2024 a{kind}", InputLimits())
    except Unreadable as wrong:
        str(wrong).encode()
        return
    made = document("id", page, dates_in(page), None, None)
    assert isinstance(made, Document)
    json.dumps([dict(made.meta), made.title, made.tags, made.aliases], allow_nan=False).encode()
    for link in made.links:
        f"{link.target}{link.heading}{link.alias}".encode()
    for heading in made.outline:
        assert heading.offset == 0 or made.text[heading.offset - 1] == "\n"
    assert sorted(made.outline, key=lambda heading: heading.offset) == list(made.outline)


@pytest.mark.parametrize(
    ("parse", "parts"),
    [
        (parse_markdown, MARKDOWN), (parse_org, ORG), (parse_asciidoc, ASCIIDOC), (parse_rst, RST),
        (parse_html, HTML),
    ],
)  # fmt: skip
@given(data=st.data())
def test_headings_stand_at_their_offsets(parse: TextParser, parts: str, data: st.DataObject):
    try:
        page = parse(data.draw(text_of(parts)), "stem", InputLimits())
    except Unreadable:
        return
    for heading in page.outline:
        assert heading.offset == 0 or page.text[heading.offset - 1] == "\n"
        line = page.text[heading.offset :].partition("\n")[0]
        assert heading.title in line


def parser(parse: TextParser) -> Callable[[str], ParsedFile]:
    return lambda text: parse(text, "stem", InputLimits())


LINEAR: list[tuple[str, Callable[[str], object], list[str], str, int]] = [
    ("org", parser(parse_org), ["", "* "], ORG, 4_000),
    ("asciidoc", parser(parse_asciidoc), ["x\n\n", "= "], ASCIIDOC, 4_000),
    ("rst", parser(parse_rst), [""], RST, 4_000),
    ("html", parser(parse_html), [""], HTML, 4_000),
    ("lines", lambda text: HtmlLines().read(text), [""], BLOCKS, 4_000),
    (
        "declarations", lambda text: list(pieces(text)), ["", "<!DOCTYPE a ["],
        "<!DOCTYPE a [¦<!DOCTYPE a []¦]   ¦<!-- a --><?b?>¦<!-- -¦<?¦ ", 20_000,
    ),
]  # fmt: skip
"""Formats, how they are parsed, how texts begin, what is repeated in them, and for how many characters."""


@pytest.mark.parametrize(
    ("parse", "openings", "piece", "size"),
    [
        pytest.param(parse, openings, piece, size, id=f"{name} {piece!r}")
        for name, parse, openings, parts, size in LINEAR
        for piece in parts.split("¦")
    ],
)
def test_hostile_text_takes_linear_time(
    parse: Callable[[str], object], openings: list[str], piece: str, size: int
):
    for opening in openings:
        repeated = (piece.strip() or piece) if opening.endswith(" ") else piece  # on the line that it opens

        def work(n: int, opening: str = opening, repeated: str = repeated) -> object:
            return parse(opening + repeated * (n // len(repeated)))

        assert is_linear(work, size)
