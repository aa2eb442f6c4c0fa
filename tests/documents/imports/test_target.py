"""Files that are imported: XML of feeds and sitemaps, and what is said of the XML of others."""

from __future__ import annotations

import pytest

from asof.errors import SourceError
from asof.extensions.documents import feeds
from asof.extensions.documents.feeds import tree_of


def test_xml_that_is_refused_is_told_with_its_line() -> None:
    with pytest.raises(SourceError, match=r"a\.xml:2: it declares a DOCTYPE, .*; do not trust it"):
        tree_of(b"<?xml version='1.0'?>\n<!DOCTYPE r><r/>", "a.xml")
    with pytest.raises(SourceError, match=r"a\.xml is no sound XML: .*; fetch or save it again"):
        tree_of(b"<a>", "a.xml")


def test_elements_and_attributes_have_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feeds, "MAX_ELEMENTS", 3)
    assert len(tree_of(b"<a><b/><b/></a>", "a.xml").root) == 2
    with pytest.raises(SourceError, match=r"a\.xml:1: it has more than 3 elements, or 100 attributes of one"):
        tree_of(b"<a><b/><b/><b/></a>", "a.xml")
