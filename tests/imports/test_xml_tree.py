"""XML of feeds and sitemaps: what is refused."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asof.errors import SourceError
from asof.imports import xml_tree
from asof.imports.xml_tree import XmlTree, name_of, namespace_of

LAUGHS = b"""<?xml version="1.0"?>
<!DOCTYPE lolz [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]>
<rss>&b;</rss>"""
FILE = b'<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]><rss>&x;</rss>'


@pytest.mark.parametrize("raw", [LAUGHS, FILE, FILE.decode().encode("utf-16")])
def test_a_document_type_is_refused_in_any_encoding(raw: bytes) -> None:
    with pytest.raises(SourceError, match="it declares a DOCTYPE"):
        XmlTree(raw, "a.xml")


def test_a_document_type_inside_of_a_text_is_text() -> None:
    tree = XmlTree(b"<rss><![CDATA[<!DOCTYPE html><p>A]]></rss>", "a.xml")
    assert tree.root.text == "<!DOCTYPE html><p>A"


def test_depth_and_elements_have_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    assert XmlTree(b"<a>" * 256 + b"</a>" * 256, "a.xml").root.tag == "a"
    with pytest.raises(SourceError, match=r"a\.xml:1: it is nested more than 256 levels deep"):
        XmlTree(b"<a>" * 257 + b"</a>" * 257, "a.xml")
    monkeypatch.setattr(xml_tree, "MAX_ELEMENTS", 3)
    assert len(XmlTree(b"<a><b/><b/></a>", "a.xml").root) == 2  # and the root
    with pytest.raises(SourceError, match="more than 3 elements"):
        XmlTree(b"<a><b/><b/><b/></a>", "a.xml")


@pytest.mark.parametrize(
    "raw", [b"", b"<a>", b"<a></b>", b"<a>&nbsp;</a>", b"\x89PNG", b'<?xml version="1.0" encoding="x"?><a/>']
)
def test_what_is_damaged_is_one_error(raw: bytes) -> None:
    with pytest.raises(SourceError, match=r"a\.xml is no sound XML: .*; fetch or save it again"):
        XmlTree(raw, "a.xml")


def test_names_and_lines() -> None:
    tree = XmlTree(b'<a xmlns="u:x"><b>\n<c><d/></c></b></a>', "a.xml")
    b = tree.root[0]
    assert (name_of(b), namespace_of(b)) == ("b", "u:x")
    assert (tree.line(b), tree.line(b[0]), tree.line(b[0][0])) == (1, 2, 0)  # the last one is deeper than 3


@given(st.binary(max_size=200) | st.text("<>/!a&;[]x= \"'", max_size=60).map(str.encode))
def test_any_bytes_are_a_tree_or_an_error(raw: bytes) -> None:
    with suppress(SourceError):
        assert XmlTree(raw, "a.xml").root.tag
