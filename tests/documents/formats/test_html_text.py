"""HTML as blocks: paragraphs, lists, rows of tables, numbers of notes; and HTML inside of other files."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asof.extensions.documents.feeds import Words, markup_of, words_of
from asof.extensions.documents.html_blocks import Block, html_text
from asof.values import Heading


@pytest.mark.parametrize(
    ("source", "texts"),
    [
        ("<p>One  &lt;word&gt;<br>next<br><br>new<div>x</div>y", ["One <word>\nnext", "new", "x", "y"]),
        ("<ul><li>a<ol><li>b<li>c</ol><li>d<p>e</ul>f", ["- a\n  1. b\n  2. c\n- d\n  e", "f"]),
        ("<pre>a  b\n  c\n</pre>", ["a  b\n  c"]),
        ("a<style>b</style><script>c</script><!-- d -->e", ["ae"]),
        (
            "word<sup><a href='#1'>1</a></sup> x<sup>2</sup> <a epub:type='noteref'>[3]</a>",
            ["word[1] x2 [3]"],
        ),
        ("<table><tr><th>K<th>V<tr><td>a<td><p>1<tr><th>b<td>2</table>", ["K: a; V: 1", "K: b; V: 2"]),
        ("<table><thead><tr><td>K<td colspan=2>V</thead><tr><td>a<td>1<td>2</table>", ["K: a; V: 1; V: 2"]),
        ("<table><tr><th>only<th>head</table>", ["only; head"]),
        ("<table><tr><td><h1>H</h1><p>a<td>b</table>", ["H", "a", "b"]),  # it sets out a page
        ("<table><tr><td>a<table><tr><td>b<td>c</table></table>", ["a", "b; c"]),
        ("<td>a</td></table></li></ol>b", ["a", "b"]),
        ("", []),
    ],
)
def test_blocks(source, texts):
    assert [block.text for block in html_text(source).blocks] == texts


def test_headings_and_the_ids_before_them():
    page = html_text("<title>T</title><a id='a'/><section id='b'><h2>H<br><em>x</em></h2><p id='c'>p")
    assert page.blocks == [Block("H x", 2, ("a", "b")), Block("p", 0, ("c",))]
    assert page.title == "T"


def test_what_is_left_out_and_never_closed():
    page = html_text("<div class='q'>a<div>b</div>c</div>d<nav>e", lambda piece: piece.name in ("div", "nav"))
    assert [block.text for block in page.blocks] == ["d"]
    assert page.notes == ["<nav> is never closed: what follows it is not read"]


@given(st.lists(st.sampled_from(["<table>", "<tr>", "<td>", "</td>", "</table>", "<li>", "x", "</ul>"])))
def test_no_word_is_lost(pieces):
    source = "".join(pieces)
    assert sum(block.text.count("x") for block in html_text(source).blocks) == source.count("x")


def test_blocks_and_headings():
    words = words_of("<p>A</p><h2>B\n c</h2><ul><li>d</li><li>e</li></ul><script>x</script>")
    assert words == Words("A\n\nB c\n\n- d\n- e", (Heading(3, 2, "B c"),))  # behind "A" and an empty line


def test_a_plain_text_keeps_its_lines_and_elements_count_by_their_names():
    assert words_of(" A &amp; b\r\n\r\nc < d ") == Words("A & b\n\nc < d")
    div = ET.fromstring('<x:div xmlns:x="u:h">a &lt; b<x:p>c<x:b>d</x:b></x:p>e</x:div>')  # noqa: S314
    assert markup_of(div) == "a &lt; b<p>c<b>d</b></p>e"
    assert words_of(markup_of(div)).text == "a < b\n\ncd\n\ne"


@given(st.text("<>/h12pabc &#x0;\n\ud800", max_size=120))
def test_headings_lie_at_their_lines(source):
    words = words_of(source)
    for heading in words.outline:
        assert words.text[heading.offset :].startswith(heading.title)
        assert heading.offset == 0 or words.text[heading.offset - 1] == "\n"
    words.text.encode()
