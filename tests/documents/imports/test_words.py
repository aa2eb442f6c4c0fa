"""HTML as lines, and HTML inside of other files."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asof.documents import Heading
from asof.extensions.documents.feeds import Words, markup_of, words_of
from asof.sources.blocks import HEADING, PARAGRAPH, Block
from asof.sources.html_walk import HtmlLines


@pytest.mark.parametrize(
    ("source", "texts"),
    [
        ("<p>One  &lt;word&gt;<br>next<div>x</div>y", ["One <word>\nnext", "x", "y"]),
        ("<ul><li>a<ol><li><p>b<li></ol><li>c</ul>f", ["- a", "  1. b", "- c", "f"]),
        ("<pre>a  b\n  c\n</pre>", ["a  b\n  c"]),
        ("a<style>b</style><script>c</script><!-- d -->e", ["ae"]),
        ("word<sup><a href='#1'>1</a></sup>.", ["word 1."]),
        ("<table><tr><th>K<th>V<tr><td>a<td>1</table>", ["| K | V |\n| --- | --- |\n| a | 1 |"]),
        ("</td></table></li></ol>b", ["b"]),
        ("", []),
    ],
)
def test_lines(source, texts):
    assert [each.inside + each.words for each in HtmlLines().read(source).found] == texts


def test_headings_title_and_what_is_left_out():
    page = HtmlLines(lambda piece: piece.name in ("div", "nav")).read(
        "<title>T</title><h2>H<br><em>x</em></h2>p<div><h1>a</h1><div>b</div></div>d<nav>e"
    )
    assert (page.title, page.found) == (
        "T",
        [Block(HEADING, "H x", 2), Block(PARAGRAPH, "p"), Block(PARAGRAPH, "d")],
    )
    assert page.faults() == ["<nav> is never closed: what follows it is not read"]


@given(st.lists(st.sampled_from(["<table>", "<tr>", "<td>", "</td>", "</table>", "<li>", "x", "</ul>"])))
def test_no_word_is_lost(pieces):
    source = "".join(pieces)
    assert sum(each.words.count("x") for each in HtmlLines().read(source).found) == source.count("x")


def test_words_and_headings():
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
