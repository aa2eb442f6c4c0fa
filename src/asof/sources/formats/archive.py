"""Zip archives of XML, as office documents and books are: members within limits, XML without entities."""

from __future__ import annotations

import io
import lzma
import zipfile
import zlib
from collections.abc import Iterator
from xml.etree import ElementTree as ET

from asof.sources.formats.parts import ReadLimits, Refused

MAX_MEMBERS = 20_000
MAX_DEPTH = 256
_DAMAGED = "fetch or save it again"
_TOO_MUCH = ("it unpacks to more than is read: an archive made to fill the memory", "do not trust it")
_DAMAGE = (
    zipfile.BadZipFile, zlib.error, lzma.LZMAError, OSError, EOFError, NotImplementedError, RuntimeError,
    ValueError,
)  # fmt: skip
"""What zipfile raises for members that are not sound."""


class Archive:
    """The members of an archive. Raises Refused for what is none, is encrypted, or unpacks to too much."""

    def __init__(self, raw: bytes, limits: ReadLimits) -> None:
        self.left = limits.unpacked
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(raw))
            self.names = self._zip.namelist()
        except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError, EOFError) as wrong:
            if raw.startswith(b"\xd0\xcf\x11\xe0"):
                raise Refused("it is encrypted, or of a format of before 2007", "save it anew") from wrong
            raise Refused(f"it is damaged: {wrong}", _DAMAGED) from wrong
        if len(self.names) > MAX_MEMBERS:
            raise Refused(f"it has {len(self.names):,} members; the limit is {MAX_MEMBERS:,}")

    def __contains__(self, name: str) -> bool:
        return name in self.names

    def bytes(self, name: str) -> bytes:
        """What a member holds, unpacked."""
        try:
            about = self._zip.getinfo(name)
            if about.flag_bits & 1:
                raise Refused("it is encrypted", "save it without a password")
            if about.file_size > self.left:
                raise Refused(*_TOO_MUCH)
            with self._zip.open(about) as stream:
                content = stream.read(about.file_size + 1)
        except KeyError as wrong:
            raise Refused(f"it is damaged: {name} is missing", _DAMAGED) from wrong
        except _DAMAGE as wrong:
            raise Refused(f"it is damaged: {wrong}", _DAMAGED) from wrong
        self.left -= len(content)
        if len(content) > about.file_size:
            raise Refused(*_TOO_MUCH)
        return content

    def xml(self, name: str) -> ET.Element:
        """The root of a member that is XML."""
        return parsed(self.bytes(name), name)


def parsed(content: bytes, name: str = "its XML") -> ET.Element:
    """The root of an XML text. Raises Refused for a damaged one, one with a DOCTYPE (whose entities can make
    much of little, or name files), and one that is nested too deeply."""
    builder = _Bounded(name)
    parser = ET.XMLParser(target=builder)  # noqa: S314
    try:
        parser.feed(content)
        root: ET.Element = parser.close()
    except (ET.ParseError, LookupError, ValueError) as wrong:
        raise Refused(f"it is damaged: {name}: {wrong}", _DAMAGED) from wrong
    return root


class _Bounded(ET.TreeBuilder):
    """Builds a tree of at most MAX_DEPTH levels, of XML without a DOCTYPE in any encoding. Raises Refused."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self._name, self._depth = name, 0

    def doctype(self, *_: object) -> None:
        """Called where a document type begins, before anything of it is read."""
        raise Refused(f"{self._name} declares a DOCTYPE, which such files do not need", "do not trust it")

    def start(self, tag: str, attrs: dict[str, str], /) -> ET.Element:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise Refused(f"{self._name} is nested more than {MAX_DEPTH} levels deep", "do not trust it")
        return super().start(tag, attrs)

    def end(self, tag: str, /) -> ET.Element:
        self._depth -= 1
        return super().end(tag)


def local(element: ET.Element) -> str:
    """The name of an element without its namespace."""
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def attribute(element: ET.Element, name: str) -> str:
    """The value of an attribute by its name without a namespace; "" if it is not there."""
    for key, value in element.attrib.items():
        if key.rpartition("}")[2] == name:
            return value
    return ""


def below(element: ET.Element, name: str) -> Iterator[ET.Element]:
    """All elements of this local name below one, in order."""
    return (each for each in element.iter() if local(each) == name)


def first(element: ET.Element, name: str) -> ET.Element | None:
    return next(below(element, name), None)
