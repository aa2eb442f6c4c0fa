"""HTML: pieces of markup, pages; reStructuredText and the titles of plain texts."""

from __future__ import annotations

import pytest

from asof.documents import Heading, Link
from asof.extensions.documents import html as webpage
from asof.extensions.documents import plaintext
from asof.extensions.documents.chats import TEXT
from asof.sources.dates import dates_in
from asof.sources.html_walk import HtmlLines, pieces
from asof.sources.source import InputLimits

PAGE = """<!DOCTYPE html><html lang="en-GB"><head><title>The &amp; title</title>
<meta property="article:published_time" content="2024-03-05T10:00:00Z"><meta name="keywords" content="a, b c">
<style>p { color: red }</style></head><body><nav><a href="menu.html">menu</a></nav>
<h1>Head <em>line</em></h1><p>One &lt;word&gt;<br>next&nbsp;line. <!-- gone --></p>
<ul><li><a href="../other%20page.html#part">other</a></li><li><a href="https://e.org/">out</a></li></ul>
<script>if (a < b) document.write("<p>no</p>")</script><h2>Sub</h2>
<table><tr><td>1</td><td>2</td></tr></table>
<pre>a  b
  c</pre><template>no</template></body></html>"""


def html(text: str):
    return webpage.parse_text(text, "stem", InputLimits())


def test_a_page():
    page = html(PAGE)
    assert page.text == (
        "Head line\n\nOne <word>\nnext line.\n\n- other\n- out\n\nSub\n\n| 1 | 2 |\n\n```\na  b\n  c\n```"
    )
    assert page.outline == (Heading(0, 1, "Head line"), Heading(page.text.index("Sub"), 2, "Sub"))
    assert page.links == (Link("../other page.html", "part"),)
    assert (page.title, page.language, page.tags) == ("The & title", "en", ("a", "b c"))
    assert page.front == {"published": "2024-03-05T10:00:00Z"}
    assert page.by == "metadata"


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("", ""),
        ("plain", "plain"),
        ("a < b <c", "a < b <c"),
        ("a <p b='x", "a <p b='x"),
        ("a<!-- b", "a"),
        ("a<?php x ?>b</>c<!>d", "abcd"),
        ("a<p =b c>d", "a\n\nd"),
        ("<table><tr><th>A<th>B<tr><td>1<td><p>2</p></table>", "| A | B |\n| --- | --- |\n| 1 | 2 |"),
        ("<table><tr><td><h1>A</h1><p>b</table>", "A\n\nb"),
        ("<dl><dt>Fee</dt><dd>2 <b>euros</b></dd><dt>For<dd>one</dl>", "Fee: 2 euros\nFor: one"),
        ("<ol><li>a<ul><li>b</ul><li>c</ol>", "1. a\n  - b\n2. c"),
        ("&#xD800;&#0;&bogus;", "\ufffd\ufffd&bogus;"),
        ("<SCRIPT>x</SCRIPT >y", "y"),
        ("a\r\nb", "a b"),
    ],
)
def test_odd_markup(markup, text):
    assert html(markup).text == text


def test_titles_without_a_title_and_an_element_that_is_never_closed():
    assert html("<h2>b</h2><h1>a</h1>").title == "a"
    assert html("x").title == "stem"
    named = '<meta property="og:title" content="Shown  title"><h1>Head</h1>'
    assert html(named).title == html(f"<title> </title>{named}").title == "Shown title"
    assert html(f"<title>Own</title>{named}").title == "Own"
    (note,) = html("<p>a</p><nav>b<p>c").notes
    assert note.message == "<nav> is never closed: what follows it is not read"


DATED = '<meta name="{}" content="{}">'


@pytest.mark.parametrize(
    ("markup", "front"),
    [
        (DATED.format("DC.date.issued", "2024-03-05"), {"published": "2024-03-05"}),
        (DATED.format("citation_publication_date", "2024/03/05"), {"published": "2024/03/05"}),
        (DATED.format("citation_publication_date", "2024/03"), {"published": "2024/03"}),
        ('<meta itemprop="datePublished" content="2024-03-05">', {"published": "2024-03-05"}),
        (
            DATED.format("article:published_time", "soon") + DATED.format("datePublished", "2024"),
            {"published": "2024"},
        ),
        (DATED.format("article:published_time", "soon"), {"published": "soon"}),
        (
            DATED.format("article:published_time", "2024") + DATED.format("article:modified_time", "2025"),
            {"published": "2024", "updated": "2025"},
        ),
        (
            DATED.format("DCTERMS.issued", "2024") + DATED.format("dcterms.modified", "2025"),
            {"published": "2024", "updated": "2025"},
        ),
        (
            DATED.format("date", "2024-03-05") + "<article><time datetime=2024-03-06></article>",
            {"date": "2024-03-05"},
        ),
        ("<time datetime=2024-03-05 pubdate>today</time>", {"published": "2024-03-05"}),
        ("<time datetime=2024-03-05>today</time>", {}),
        (
            "<article><time datetime=PT2H><time datetime=2024-03-05T10:00Z><time datetime=2023>",
            {"published": "2024-03-05T10:00Z"},
        ),
    ],
)
def test_the_dates_of_a_page(markup, front):
    assert html(markup).front == front


@pytest.mark.parametrize(
    ("data", "front"),
    [
        (
            '{"datePublished": "2024-03-05", "dateModified": "2024-04-01"}',
            {"published": "2024-03-05", "updated": "2024-04-01"},
        ),
        (
            '{"@graph": [{"datePublished": "2023"}, {"@type": ["NewsArticle"], "datePublished": "2024"}]}',
            {"published": "2024"},
        ),
        ('[{"@type": "Person"}, [{"datePublished": "2024"}]]', {"published": "2024"}),
        ('{"comment": {"datePublished": "2024"}}', {}),
        ('{"datePublished": 2024}', {}),
        ('{"datePublished": "2024"', {}),
        ("[" * 100_000, {}),
        ('{"@type": ' + "[" * 900 + "]" * 900 + "}", {}),
    ],
)
def test_the_dates_of_json_ld(data, front):
    page = html(f'<script type="application/ld+json">{data}</script><p>x')
    assert (page.front, page.text) == (front, "x")


def test_a_page_that_was_modified_is_published_when_it_was_published():
    page = html(DATED.format("dcterms.modified", "2025-01-02") + DATED.format("dcterms.issued", "2024-03-05"))
    found = dates_in(page)
    assert [each and each.text for each in (found.published, found.changed)] == ["2024-03-05", "2025-01-02"]
    assert html('<script type="text/x">{"datePublished": "2024"}</script>').front == {}


LAID_OUT = """<header><h1>Site</h1><a href="menu.html">menu</a></header>
<div>before</div><main><header><h1>Head</h1></header>One two three.<aside>four</aside>
<article><a href="b.html">b</a></article></main><aside><p>ad</aside><footer>five</footer>"""


def test_the_main_text():
    """Head, One two three., four and b are six words of eleven; with three more they are six of fourteen."""
    page = html(LAID_OUT)
    assert page.text == "before\n\nHead\n\nOne two three.\n\nfour\n\nb"
    assert page.outline == (Heading(len("before\n\n"), 1, "Head"),)
    assert page.links == (Link("b.html"),)
    everything = "Site\n\nmenu\n\nbefore\n\nHead\n\nOne two three.\n\nfour\n\nb\n\nad\n\nfive"
    assert html(LAID_OUT.replace("five", "5 6 7 8")).text == everything.replace("five", "5 6 7 8")


@pytest.mark.parametrize("markup", ["<article>x</article>", "<main>x</main>", "<aside>x"])
def test_without_one_main_text_all_is_kept(markup):
    page = html(LAID_OUT + markup)
    assert page.text.startswith("Site\n\nmenu\n\nbefore\n\nHead")
    assert page.text.endswith("ad\n\nfive\n\nx")


# -- pieces of markup ----------------------------------------------------------------------------------


def text(source: str) -> str:
    return "".join(piece.text for piece in pieces(source))


DECLARED = '<!DOCTYPE html PUBLIC "-//W3C//DTD" "x.dtd" [\n<!ENTITY a "b">\n<!ELEMENT p ANY>\n]'


@pytest.mark.parametrize(
    "before", ["", "\n ", '<?xml version="1.0"?>\n', "<!-- a -- > [x]> -->\n<?xml-stylesheet href='a'?>"]
)
@pytest.mark.parametrize("end", [">", " \n>"])
def test_what_a_document_type_declares_is_no_text(before, end):
    assert text(f"{before}{DECLARED}{end}<p>One [1]> two").strip() == "One [1]> two"


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("<!DOCTYPE html><p>a [b]> c", "a [b]> c"),  # it declares nothing, and ends at once
        ("<!doctype html><p>a [b]> c", "a [b]> c"),
        ("<!DOCTYPE html [<p>One</p>", "One"),  # declarations without an end hide no text
    ],
)
def test_a_document_type_that_declares_nothing(source, shown):
    assert text(source).strip() == shown


def test_elements_that_are_skipped_end_where_they_end():
    page = HtmlLines(lambda piece: piece.name == "nav").read("a<nav>b<p>c</p><nav>d</nav>e</nav>f</p>")
    assert ([each.words for each in page.found], page.skipping) == (["af"], [])


# -- reStructuredText and plain texts ------------------------------------------------------------------


def sections(text: str):
    page = plaintext.parse_rst(text, "stem", InputLimits())
    for heading in page.outline:
        assert page.text[heading.offset :].partition("\n")[0] == heading.title
    return [(heading.level, heading.title) for heading in page.outline]


def test_sections_by_their_lines():
    text = "=====\nTitle\n=====\n\nintro\n\nOne\n---\n\ntext\n\nSub\n~~~\n\nTwo\n---\n"
    text += "\nSix words are the title here\n-----\n"
    assert sections(text) == [
        (1, "Title"), (2, "One"), (3, "Sub"), (2, "Two"), (2, "Six words are the title here"),
    ]  # fmt: skip
    page = plaintext.parse_rst(text, "stem", InputLimits())
    assert (page.title, page.text[:12]) == ("Title", "Title\n\nintro")


@pytest.mark.parametrize(
    "text",
    ["", "words\n", "para\nTitle\n=====\n", "  indented\n========\n", "\n-----\n\n", "a\n\n----\n\nb",
     "== ==\na b\n== ==\n",
     "Long title\n--\n", "----\n----\n"],
)  # fmt: skip
def test_what_is_no_section(text):
    assert sections(text) == []


def test_sections_of_asciidoc_outside_of_code():
    text = "= Title\nIda\n\n----\n= no title\n----\n\n== Sub  \n\n=no\n\n....\n== open"
    page = plaintext.parse_asciidoc(text, "stem", InputLimits())
    assert [(each.level, each.title) for each in page.outline] == [(1, "Title"), (2, "Sub")]
    assert page.text == "Title\n\nIda\n\n```\n= no title\n```\n\nSub\n\n=no\n\n```\n== open\n```"
    assert plaintext.parse_asciidoc("text\n", "stem", InputLimits()).title == "stem"


@pytest.mark.parametrize(
    ("text", "title"),
    [("\n\n First \nsecond", "First"), ("x" * 81 + "\ny", "stem"), ("x" * 80, "x" * 80)],
)
def test_the_title_of_plain_text(text, title):
    assert TEXT(text.encode(), "stem", InputLimits()).title == title


@pytest.mark.parametrize(
    ("charset", "text"),
    [("iso-8859-2", "Zażółć gęślą jaźń"), ("iso-8859-6", "مرحبا بالعالم"), ("windows-1251", "Привет")],
)
def test_the_charset_that_a_page_declares_counts(charset: str, text: str) -> None:
    raw = f'<html><head><meta charset="{charset}"></head><body><p>{text}</p></body></html>'.encode(charset)
    page = webpage.HTML(raw, "stem", InputLimits())
    assert (page.text.strip(), page.notes) == (text, ())


@pytest.mark.parametrize("charset", ["utf-8", "rot13", "no-such", "punycode", ""])
def test_a_charset_that_cannot_be_is_not_believed(charset: str) -> None:
    raw = f'<meta charset="{charset}"><p>caf'.encode() + b"\xe9 au lait, tr\xe8s bon</p>"
    assert "café au lait" in webpage.HTML(raw, "stem", InputLimits()).text
