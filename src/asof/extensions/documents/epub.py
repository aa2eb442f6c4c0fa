"""EPUB books: the chapters in order, under the headings that the table of contents gives them."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from typing import Any
from urllib.parse import unquote
from xml.etree import ElementTree as ET

from asof.extensions.documents.html_blocks import Block, html_text
from asof.extensions.documents.office import Archive, parsed
from asof.extensions.documents.parts import Part, ReadLimits, Refused, Writer
from asof.extensions.documents.xml import attribute, below, first, local
from asof.sources.html_walk import pieces

# -- the package: metadata, chapters, table of contents --------------------------------------------


_DOCTYPE = re.compile(rb"<!DOCTYPE[^<>\[]*+>")
_SELF_CLOSED = re.compile(r"<([A-Za-z][\w:.-]*+)([^<>]*+)>")
_DECLARED = re.compile(rb"\A\s*<\?xml[^>]{0,200}?encoding\s*=\s*[\"']([A-Za-z0-9._-]{1,40})")
_FONTS = ("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC")
"""The algorithms by which fonts are disguised; what else is encrypted is text."""

_READ = {"application/xhtml+xml", "text/html", "application/x-dtbook+xml", "text/x-oeb1-document"}
_CONTAINER, _ENCRYPTION = "META-INF/container.xml", "META-INF/encryption.xml"


@dataclass(frozen=True, slots=True)
class ContentsEntry:
    """A line of the contents: its words, its level from 1, and the id that it points to ("": the file)."""

    words: str
    level: int
    anchor: str = ""


@dataclass(slots=True)
class Book:
    """The members that are chapters, in order, and which of them are pictures (SVG); lines of the contents by
    member; metadata; a sentence on each fault."""

    chapters: list[str] = field(default_factory=list)
    pictures: set[str] = field(default_factory=set)
    contents: dict[str, list[ContentsEntry]] = field(default_factory=dict)
    title: str = ""
    front: dict[str, Any] = field(default_factory=dict)
    published: str = ""
    changed: str = ""
    notes: list[str] = field(default_factory=list)


def book(archive: Archive) -> Book:
    """Raises Refused for an archive that is no EPUB, or whose text is encrypted."""
    if _CONTAINER not in archive:
        raise Refused("it is no EPUB: META-INF/container.xml is missing", "save it again")
    root = first(xml(archive, _CONTAINER), "rootfile")
    path = attribute(root, "full-path") if root is not None else ""
    if path not in archive:
        raise Refused(f"it is damaged: its package document {path!r} is missing", "fetch it again")
    package = xml(archive, path)
    found = Book()
    items = {attribute(each, "id"): each for each in below(package, "item")}
    members = {key: _member(path, attribute(each, "href"))[0] for key, each in items.items()}
    hidden = _encrypted(archive)
    navigation, ncx = _contents_of(package, items, members)
    for each in below(package, "itemref"):
        key = attribute(each, "idref")
        name = members.get(key, "")
        if name == navigation:
            continue
        if key in items and attribute(items[key], "media-type") not in _READ:
            found.pictures.add(name)
        if name in hidden and name not in found.pictures:
            raise Refused("its text is encrypted (DRM)", "export it without protection")
        if name not in archive:
            found.notes.append(f"the chapter {name or key!r} is missing in the file")
        elif name not in found.chapters:
            found.chapters.append(name)
    _metadata(package, found)
    if navigation in archive:
        _navigation(archive, navigation, found)
    if not found.contents and ncx in archive:
        _ncx(archive, ncx, found)
    return found


def xml(archive: Archive, name: str) -> ET.Element:
    """The root of a member, which may have a DOCTYPE as old books do, but none that declares anything."""
    return parsed(_DOCTYPE.sub(b"", archive.bytes(name), count=1), name)


def _member(base: str, href: str) -> tuple[str, str]:
    """The member that a reference in `base` points to, and the id in it."""
    path, _, anchor = href.strip().partition("#")
    name = posixpath.join(posixpath.dirname(base), unquote(path)) if path else base
    return posixpath.normpath(name).lstrip("/"), unquote(anchor)


def _encrypted(archive: Archive) -> set[str]:
    if _ENCRYPTION not in archive:
        return set()
    names = set()
    for each in below(xml(archive, _ENCRYPTION), "EncryptedData"):
        method, target = first(each, "EncryptionMethod"), first(each, "CipherReference")
        if target is not None and (method is None or attribute(method, "Algorithm") not in _FONTS):
            names.add(unquote(attribute(target, "URI")).lstrip("/"))
    return names


def _contents_of(
    package: ET.Element, items: dict[str, ET.Element], members: dict[str, str]
) -> tuple[str, str]:
    """The members that are the navigation document and the NCX; "" for one that is not there."""
    navigation = ncx = ""
    for key, each in items.items():
        if "nav" in attribute(each, "properties").split():
            navigation = navigation or members[key]
        elif attribute(each, "media-type") == "application/x-dtbncx+xml":
            ncx = ncx or members[key]
    spine = first(package, "spine")
    return navigation, members.get(attribute(spine, "toc") if spine is not None else "", ncx)


def _metadata(package: ET.Element, found: Book) -> None:
    said: dict[str, list[str]] = {}
    head = first(package, "metadata")
    for each in head.iter() if head is not None else ():
        name = attribute(each, "property") or local(each)
        if local(each) == "date" and (event := attribute(each, "event")):
            name = f"date of {event}"
        if words := " ".join("".join(each.itertext()).split()):
            said.setdefault(name, []).append(words)
    found.title = said.get("title", [""])[0]
    authors, tags = (list(dict.fromkeys(said.get(name, ()))) for name in ("creator", "subject"))
    front = {
        "author": authors[0] if len(authors) == 1 else authors,
        "language": said.get("language", [""])[0],
        "publisher": said.get("publisher", [""])[0],
        "tags": tags,
    }
    found.front = {key: value for key, value in front.items() if value}
    date = said.get("date of publication", said.get("date", [""]))[0]
    if date.startswith("0101-01-01"):  # what Calibre writes for none
        date = ""
    found.published = date
    found.changed = said.get("dcterms:modified", said.get("date of modification", [""]))[-1]


def _navigation(archive: Archive, name: str, found: Book) -> None:
    """The lists of a navigation document, of its table of contents if it says which that is."""
    source = text_of(archive.bytes(name))[0]
    marked = re.search(r"epub:type\s*=\s*[\"'][^\"']*\btoc\b", source) is not None
    inside, level, href, words = not marked, 0, "", list[str]()
    for piece in pieces(source):
        if piece.name == "nav":
            kinds = piece.attributes.get("epub:type", "").split()
            inside = piece.kind == "start" and (not marked or "toc" in kinds)
        elif not inside:
            continue
        elif piece.kind == "text":
            words.append(piece.text)
        elif piece.name == "ol":
            level += 1 if piece.kind == "start" else -1
        elif piece.name == "a" and piece.kind == "start":
            href, words = piece.attributes.get("href", ""), []
        elif piece.name == "a":
            _add(found, name, href, "".join(words), level)
            href = ""


def _ncx(archive: Archive, name: str, found: Book) -> None:
    def walk(points: ET.Element, level: int) -> None:
        for point in points:
            if local(point) == "navPoint":
                label, content = first(point, "text"), first(point, "content")
                if label is not None and content is not None:
                    _add(found, name, attribute(content, "src"), "".join(label.itertext()), level)
                walk(point, level + 1)

    try:
        root = first(xml(archive, name), "navMap")
    except Refused as wrong:
        found.notes.append(f"its table of contents is not read: {wrong.message}")
        return
    if root is not None:
        walk(root, 1)


def _add(found: Book, base: str, href: str, words: str, level: int) -> None:
    words = " ".join(words.split())
    if href and words:
        member, anchor = _member(base, href)
        found.contents.setdefault(member, []).append(ContentsEntry(words, max(level, 1), anchor))


def text_of(content: bytes) -> tuple[str, str]:
    """The XHTML of a member as HTML, and the name of the encoding in which not all of it could be read.

    `<title/>` is an element without content in XHTML, and the start of one in HTML.
    """
    declared = _DECLARED.match(content)
    encoding = declared[1].decode() if declared else "utf-8"
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        encoding = "utf-16"
    elif content.startswith(b"\xef\xbb\xbf"):
        encoding = "utf-8-sig"
    try:
        text = content.decode(encoding)
        wrong = ""
    except (UnicodeError, LookupError):
        text, wrong = content.decode("utf-8", "replace"), encoding
    return _SELF_CLOSED.sub(_opened, text), wrong


def _opened(tag: re.Match[str]) -> str:
    return f"<{tag[1]}{tag[2][:-1]}></{tag[1]}>" if tag[2].endswith("/") else tag[0]


# -- the text --------------------------------------------------------------------------------------


_OPENS_A_CHAPTER = 2
"""A member that begins with a heading of this level or above is a chapter, though no contents name it."""


def read(raw: bytes, stem: str, suffix: str, limits: ReadLimits) -> list[Part]:  # noqa: ARG001
    """A book of version 2 or 3, without images: a note says how many chapters hold nothing else. Raises
    Refused."""
    archive = Archive(raw, limits)
    found = book(archive)
    if len(found.chapters) > limits.pages:
        raise Refused(f"it has {len(found.chapters):,} chapters; the limit is {limits.pages:,}", "split it")
    writer = Writer(limits)
    chapters = _Chapters(writer)
    silent = []
    for number, name in enumerate(found.chapters, 1):
        blocks = [] if name in found.pictures else _blocks(archive, name, found.notes)
        if not blocks:
            silent.append(number)
        entries = found.contents.get(name, [])
        if not entries and blocks:
            entries = _own_title(blocks, "" if found.contents else f"Chapter {number}")
        chapters.write(entries, blocks)
    if silent not in ([], [1]):  # a book mostly begins with its cover
        found.notes.append(
            f"without text, such as pictures, are {len(silent)} of {len(found.chapters)} chapters"
        )
    part = writer.part(
        found.title, front=found.front, published=found.published, changed=found.changed, notes=found.notes
    )
    return [part]


def _blocks(archive: Archive, name: str, notes: list[str]) -> list[Block]:
    """The text of a member, and a sentence on each fault to `notes`."""
    source, encoding = text_of(archive.bytes(name))
    page = html_text(source)
    if encoding:
        notes.append(f"{name}: what is no {encoding} in it is read as U+FFFD")
    notes += [f"{name}: {note}" for note in page.notes]
    return page.blocks


def _own_title(blocks: Sequence[Block], name: str) -> list[ContentsEntry]:
    """The entry of a chapter that contents do not name: by its first heading, else as `name` says.

    A book with contents may be cut into members anywhere: one that does not begin with a heading goes on
    with the chapter before, and `name` is empty.
    """
    headings = [each for each in blocks if each.level]
    if not name:
        headings = [each for each in blocks[:1] if 0 < each.level <= _OPENS_A_CHAPTER]
    words = headings[0].text if headings else name
    return [ContentsEntry(words, 1)] if words else []


class _Chapters:
    """Writes members; `_level` is that of the line of contents under which the text stands."""

    def __init__(self, writer: Writer) -> None:
        self.writer = writer
        self._level = 0
        self._waiting: list[ContentsEntry] = []
        self._said = ""

    def write(self, entries: Sequence[ContentsEntry], blocks: Sequence[Block]) -> None:
        """Write a member; one without text (a picture that opens a part) only if chapters below it follow."""
        anchors = {anchor for block in blocks for anchor in block.anchors}
        self._waiting += [each for each in entries if each.anchor not in anchors]
        if not blocks:
            return
        at: dict[str, list[ContentsEntry]] = {}
        for each in entries:
            if each.anchor in anchors:
                at.setdefault(each.anchor, []).append(each)
        above = {_key(each.words) for each in entries if each.anchor not in anchors}
        named = "\n".join(_key(each.words) for each in entries)
        highest = min(
            (each.level for each in blocks if each.level and _key(each.text) not in named), default=1
        )
        for block in blocks:
            self._waiting += [entry for anchor in block.anchors for entry in at.pop(anchor, ())]
            key = _key(block.text)
            if self._waiting and block.level and _key(self._waiting[-1].words) in key:
                self._waiting[-1] = replace(self._waiting[-1], words=block.text)
                above.add(key)
            self._open()
            if block.level and key:
                if key in above:  # it was written when the member began
                    above.remove(key)
                elif key not in self._said:
                    self.writer.heading(block.text, self._level + 1 + block.level - highest)
            else:
                self.writer.block(block.text)
                self._said = ""

    def _open(self) -> None:
        """Write headings that wait, except those of members without text or chapters."""
        waiting, self._waiting = self._waiting, []
        for entry, following in zip_longest(waiting, waiting[1:]):
            if following is None or following.level > entry.level or following.anchor:
                self.writer.heading(entry.words, entry.level)
                self._level = entry.level
                self._said += _key(entry.words) + "\n"


def _key(words: str) -> str:
    """Words as they are compared: a heading in a text and its line in the contents differ in signs."""
    return "".join(filter(str.isalnum, words.casefold()))
