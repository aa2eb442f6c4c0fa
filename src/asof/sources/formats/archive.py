"""Zip archives of XML, as office documents and books are: members within limits, XML without entities."""

from __future__ import annotations

import io
import lzma
import zipfile
import zlib
from xml.etree import ElementTree as ET

from asof.sources.bounded_xml import ForbiddenXml, UnsoundXml, XmlTree
from asof.sources.formats.parts import ReadLimits, Refused

MAX_MEMBERS = 20_000
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
    """The root of an XML text. Raises Refused for a damaged one, one with a DOCTYPE, and one that is nested
    too deeply."""
    try:
        return XmlTree(content).root
    except ForbiddenXml as wrong:
        raise Refused(f"{name} {wrong}", "do not trust it") from wrong
    except UnsoundXml as wrong:
        raise Refused(f"it is damaged: {name}: {wrong}", _DAMAGED) from wrong
