"""XML and archives within limits: what is refused, names and lines."""

from __future__ import annotations

from contextlib import suppress
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.office_files import zipped

from asof.errors import SourceError
from asof.extensions.documents.feeds import tree_of
from asof.extensions.documents.office import Archive, parsed
from asof.extensions.documents.parts import ReadLimits, Refused
from asof.extensions.documents.xml import (
    ForbiddenXml,
    UnsoundXml,
    XmlTree,
    attribute,
    below,
    first,
    local,
    namespace,
)

LAUGHS = b"""<?xml version="1.0"?>
<!DOCTYPE lolz [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]>
<rss>&b;</rss>"""
FILE = b'<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]><rss>&x;</rss>'


@pytest.mark.parametrize(
    "raw", [LAUGHS, FILE, FILE.decode(), FILE.decode().encode("utf-16"), b"<!DOCTYPE a><a/>"]
)
def test_a_document_type_is_refused_in_any_encoding(raw: bytes | str) -> None:
    with pytest.raises(ForbiddenXml, match="declares a DOCTYPE"):
        XmlTree(raw)


def test_archives_and_imports_refuse_such_xml() -> None:
    for raw, said in ((LAUGHS, "its XML declares a DOCTYPE"), (b"<a>", "it is damaged: its XML")):
        with pytest.raises(Refused, match=said):
            parsed(raw)
    with pytest.raises(SourceError, match=r"a\.xml:2: it declares a DOCTYPE, .*; do not trust it"):
        tree_of(LAUGHS, "a.xml")
    with pytest.raises(SourceError, match=r"a\.xml is no sound XML: .*; fetch or save it again"):
        tree_of(b"<a>", "a.xml")


def test_a_document_type_inside_of_a_text_is_text() -> None:
    tree = XmlTree(b"<rss><![CDATA[<!DOCTYPE html><p>A]]></rss>")
    assert tree.root.text == "<!DOCTYPE html><p>A"


def test_depth_elements_and_attributes_have_limits() -> None:
    assert XmlTree(b"<a>" * 256 + b"</a>" * 256).root.tag == "a"
    with pytest.raises(ForbiddenXml, match="is nested more than 256 levels deep") as deep:
        XmlTree(b"<a>\n" * 257 + b"</a>" * 257)
    assert deep.value.line == 257
    assert len(XmlTree(b"<a><b/><b/></a>", elements=3).root) == 2  # and the root
    with pytest.raises(ForbiddenXml, match="more than 3 elements, or 9 attributes"):
        XmlTree(b"<a><b/><b/><b/></a>", elements=3, attributes=9)
    with pytest.raises(ForbiddenXml, match="or 1 attributes"):
        XmlTree(b"<a b='' c=''/>", attributes=1)


@pytest.mark.parametrize(
    "raw", [b"", b"<a>", b"<a></b>", b"<a>&nbsp;</a>", b"\x89PNG", b'<?xml version="1.0" encoding="x"?><a/>']
)
def test_what_is_damaged_is_one_error(raw: bytes) -> None:
    with pytest.raises(UnsoundXml):
        XmlTree(raw)


def test_names_and_lines() -> None:
    tree = XmlTree(b'<a xmlns="u:x"><b xmlns:y="u:y" y:k="v">\n<c><d/></c></b></a>')
    b = tree.root[0]
    assert (b.tag, local(b), namespace(b), namespace(XmlTree(b"<a/>").root)) == ("{u:x}b", "b", "u:x", "")
    assert (b.attrib, attribute(b, "k"), attribute(b, "x")) == ({"{u:y}k": "v"}, "v", "")
    assert (first(tree.root, "d"), first(tree.root, "e")) == (b[0][0], None)
    assert list(below(tree.root, "a")) == [tree.root]
    assert (tree.line(b), tree.line(b[0]), tree.line(b[0][0])) == (1, 2, 0)  # the last one is deeper than 3


ODD = '<r a="1" xmlns="u" xmlns:x="v">é<x:b x:c=" " d="&lt;"/>t<!-- n --><b>\u20ac&#65;</b> z</r>'


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "windows-1252"])
def test_a_tree_is_that_of_elementtree(encoding: str) -> None:
    raw = f'<?xml version="1.0" encoding="{encoding}"?>{ODD}'.encode(encoding)
    assert ET.tostring(XmlTree(raw).root) == ET.tostring(ET.fromstring(raw))  # noqa: S314


@given(st.binary(max_size=200) | st.text("<>/!a&;[]x= \"'", max_size=60).map(str.encode))
def test_any_bytes_are_a_tree_or_an_error(raw: bytes) -> None:
    with suppress(UnsoundXml, ForbiddenXml):
        assert XmlTree(raw).root.tag


def test_members_that_unpack_to_too_much_are_refused_before_they_are_read() -> None:
    found = Archive(zipped({"small": b"x" * 60, "large": b"x" * 50}), ReadLimits(1_000, 10, 100))
    assert found.bytes("small") == b"x" * 60
    with pytest.raises(Refused, match="unpacks to more than is read"):  # 60 + 50 > 100
        found.bytes("large")
