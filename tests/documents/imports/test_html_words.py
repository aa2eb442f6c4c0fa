"""HTML inside of other files: its text and where its headings stand."""

from __future__ import annotations

from xml.etree import ElementTree as ET

from hypothesis import given
from hypothesis import strategies as st

from asof.extensions.documents.feeds import Words, markup_of, words_of
from asof.values import Heading


def test_blocks_and_headings():
    words = words_of("<p>A</p><h2>B\n c</h2><ul><li>d</li><li>e</li></ul><script>x</script>")
    assert words == Words("A\n\nB c\n\n- d\n- e", (Heading(3, 2, "B c"),))  # behind "A" and an empty line


def test_a_plain_text_keeps_its_lines():
    assert words_of(" A &amp; b\r\n\r\nc < d ") == Words("A & b\n\nc < d")


def test_elements_of_any_namespace_by_their_names():
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
