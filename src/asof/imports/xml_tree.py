"""XML of feeds and sitemaps as a tree, without a document type, within limits of depth and elements."""

from __future__ import annotations

from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from asof.errors import SourceError

MAX_DEPTH = 256
MAX_ELEMENTS = 1_000_000
MAX_ATTRIBUTES = 100
"""Of one element."""


class XmlTree:
    """A tree that was read: its root, and the line on which each element begins that is no deeper than 3.

    The tag of an element is `namespace}name`, or `name` alone. What is not well formed, has a document type
    (whose entities can make much of little, or name files) or exceeds a limit raises SourceError.
    """

    def __init__(self, raw: bytes, shown: str) -> None:
        self.lines: dict[Element, int] = {}
        self._shown = shown
        self._builder = TreeBuilder()
        self._depth = self._elements = 0
        self._parser = expat.ParserCreate(namespace_separator="}")
        self._parser.buffer_text = True
        self._parser.StartDoctypeDeclHandler = self._doctype
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._builder.data
        try:
            self._parser.Parse(raw, True)
        except (expat.ExpatError, LookupError, ValueError) as wrong:
            raise SourceError(f"{shown} is no sound XML: {wrong}; fetch or save it again") from wrong
        self.root: Element = self._builder.close()

    def line(self, element: Element) -> int:
        """The line on which an element begins; 0 for one that is deeper."""
        return self.lines.get(element, 0)

    def _doctype(self, *_: object) -> None:
        raise self._refusal("declares a DOCTYPE, which such files do not need")

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        self._elements += 1
        if self._depth > MAX_DEPTH:
            raise self._refusal(f"is nested more than {MAX_DEPTH} levels deep")
        if self._elements > MAX_ELEMENTS or len(attributes) > MAX_ATTRIBUTES:
            raise self._refusal(
                f"has more than {MAX_ELEMENTS:,} elements, or {MAX_ATTRIBUTES} attributes of one"
            )
        element = self._builder.start(tag, attributes)
        if self._depth <= 3:
            self.lines[element] = self._parser.CurrentLineNumber

    def _end(self, tag: str) -> None:
        self._depth -= 1
        self._builder.end(tag)

    def _refusal(self, why: str) -> SourceError:
        return SourceError(f"{self._shown}:{self._parser.CurrentLineNumber}: it {why}; do not trust it")


def name_of(element: Element) -> str:
    """The name of an element without its namespace."""
    return element.tag.rpartition("}")[2]


def namespace_of(element: Element) -> str:
    return element.tag.rpartition("}")[0]
