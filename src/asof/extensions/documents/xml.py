"""XML as a tree within limits, elements by their names without a namespace.

A document type is refused where it begins, in any encoding: its entities can make much of little, or name
files.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

MAX_DEPTH = 256
_NUMBERED = 3
"""Elements that are nested deeper have no line."""


class UnsoundXml(ValueError):
    """XML that is not well formed, or in an encoding that is not known."""


class ForbiddenXml(ValueError):
    """Sound XML that is refused: the reason, as in "it declares a DOCTYPE", and the `line`."""

    def __init__(self, message: str, line: int) -> None:
        super().__init__(message)
        self.line = line


class _Names(dict[str, str]):
    """Names as ElementTree has them, by those that expat gives: `namespace}name`."""

    def __missing__(self, name: str) -> str:
        self[name] = "{" + name if "}" in name else name
        return self[name]


class XmlTree:
    """A tree that was read: its root, and the line on which each element begins that is no deeper than 3.

    Tags and names of attributes are as ElementTree has them: `{namespace}name`, or `name` alone. `elements`
    and `attributes` (of one element) limit how many there are. Raises UnsoundXml and ForbiddenXml.
    """

    def __init__(self, raw: bytes | str, *, elements: float = math.inf, attributes: float = math.inf) -> None:
        self.lines: dict[Element, int] = {}
        self._most = elements, attributes
        self._builder = TreeBuilder()
        self._names = _Names()
        self._depth = self._elements = 0
        self._parser = expat.ParserCreate(namespace_separator="}")
        self._parser.buffer_text = True
        self._parser.StartDoctypeDeclHandler = self._doctype
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._builder.data
        try:
            self._parser.Parse(raw, True)
        except ForbiddenXml:
            raise
        except (expat.ExpatError, LookupError, ValueError) as wrong:
            raise UnsoundXml(str(wrong)) from wrong
        self.root: Element = self._builder.close()

    def line(self, element: Element) -> int:
        """The line on which an element begins; 0 for one that is deeper."""
        return self.lines.get(element, 0)

    def _doctype(self, *_: object) -> None:
        raise self._forbidden("declares a DOCTYPE, which such files do not need")

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        self._elements += 1
        elements, most = self._most
        if self._depth > MAX_DEPTH:
            raise self._forbidden(f"is nested more than {MAX_DEPTH} levels deep")
        if self._elements > elements or len(attributes) > most:
            raise self._forbidden(f"has more than {elements:,} elements, or {most} attributes of one")
        names = self._names
        named = {names[name]: value for name, value in attributes.items()} if attributes else attributes
        element = self._builder.start(names[tag], named)
        if self._depth <= _NUMBERED:
            self.lines[element] = self._parser.CurrentLineNumber

    def _end(self, tag: str) -> None:
        self._depth -= 1
        self._builder.end(self._names[tag])

    def _forbidden(self, what: str) -> ForbiddenXml:
        return ForbiddenXml(what, self._parser.CurrentLineNumber)


def local(element: Element) -> str:
    """The name of an element without its namespace."""
    return element.tag.rpartition("}")[2]


def namespace(element: Element) -> str:
    """The namespace of an element; "" if it is in none."""
    return element.tag.rpartition("}")[0].removeprefix("{")


def attribute(element: Element, name: str) -> str:
    """The value of an attribute by its name without a namespace; "" if it is not there."""
    for key, value in element.attrib.items():
        if key.rpartition("}")[2] == name:
            return value
    return ""


def integer(element: Element | None, name: str, otherwise: int, *, digits: int = 5) -> int:
    """The whole number that an attribute states in so many digits; `otherwise` if it is none."""
    text = "" if element is None else attribute(element, name)
    return int(text) if text.isascii() and text.isdigit() and len(text) <= digits else otherwise


def below(element: Element, name: str) -> Iterator[Element]:
    """All elements of this local name below one, in order."""
    return (each for each in element.iter() if local(each) == name)


def first(element: Element, name: str) -> Element | None:
    """The first element of this local name below one; None if there is none."""
    return next(below(element, name), None)
