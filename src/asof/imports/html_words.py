"""HTML inside of other files (entries of feeds, notes of Zotero) as a text with headings."""

from __future__ import annotations

import html
import re
from typing import NamedTuple
from xml.etree.ElementTree import Element

from asof.data import Heading
from asof.data.storable import line_feeds, storable
from asof.sources.bounded_xml import local
from asof.sources.formats.html_text import html_text

_TAG = re.compile(r"<[A-Za-z/!]")


class Words(NamedTuple):
    """A text and its headings."""

    text: str
    outline: tuple[Heading, ...] = ()


def words_of(source: str) -> Words:
    """The words of a text that may be HTML; one without tags keeps its lines."""
    source = storable(line_feeds(source))
    if not _TAG.search(source):
        return Words(storable(html.unescape(source)).strip())
    blocks: list[str] = []
    outline: list[Heading] = []
    offset = 0
    for block in html_text(source).blocks:
        text = storable(block.text)
        if block.level:
            text = " ".join(text.split())
            outline.append(Heading(offset, block.level, text))
        blocks.append(text)
        offset += len(text) + 2
    return Words("\n\n".join(blocks), tuple(outline))


def markup_of(element: Element) -> str:
    """The content of an XHTML element as HTML, its elements by their names alone."""
    said = [html.escape(element.text or "", quote=False)]
    for child in element:
        name = local(child)
        said += [f"<{name}>", markup_of(child), f"</{name}>", html.escape(child.tail or "", quote=False)]
    return "".join(said)
