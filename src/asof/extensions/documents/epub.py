"""EPUB books: the chapters in order, under the headings that the table of contents gives them."""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote
from xml.etree import ElementTree as ET

from asof.extensions.documents.office import Archive, parsed
from asof.extensions.documents.parts import Part, ReadLimits, Refused, Writer
from asof.extensions.documents.xml import attribute, below, first, local
from asof.sources.blocks import Block
from asof.sources.html_walk import HtmlLines, pieces

# -- the package: metadata, chapters, table of contents --------------------------------------------


_DOCTYPE = re.compile(rb"<!DOCTYPE[^<>\[]*+>")
_SELF_CLOSED = re.compile(r"<([A-Za-z][\w:.-]*+)([^<>]*+)>")
_DECLARED = re.compile(rb"\A\s*<\?xml[^>]{0,200}?encoding\s*=\s*[\"']([A-Za-z0-9._-]{1,40})")
_FONTS = ("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC")
"""The algorithms by which fonts are disguised; what else is encrypted is text."""

_READ = {"application/xhtml+xml", "text/html", "application/x-dtbook+xml", "text/x-oeb1-document"}
_CONTAINER, _ENCRYPTION = "META-INF/container.xml", "META-INF/encryption.xml"


@dataclass(slots=True)
class Book:
    """The members that are chapters, in order; the words and the level from 1 of each in the contents;
    metadata; a sentence on each fault."""

    chapters: list[str] = field(default_factory=list)
    contents: dict[str, tuple[str, int]] = field(default_factory=dict)
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
    members = {key: _member(path, attribute(each, "href")) for key, each in items.items()}
    hidden = _encrypted(archive)
    navigation, ncx = _contents_of(package, items, members)
    for each in below(package, "itemref"):
        key = attribute(each, "idref")
        name = members.get(key, "")
        if name == navigation or (key in items and attribute(items[key], "media-type") not in _READ):
            continue
        if name in hidden:
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


def _member(base: str, href: str) -> str:
    """The member that a reference in `base` points to, whatever the place in it."""
    path = href.strip().partition("#")[0]
    name = posixpath.join(posixpath.dirname(base), unquote(path)) if path else base
    return posixpath.normpath(name).lstrip("/")


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
    """The first line of the contents that points to a member names it; others are headings in it."""
    words = " ".join(words.split())
    if href and words:
        found.contents.setdefault(_member(base, href), (words, max(level, 1)))


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


def read(raw: bytes, stem: str, suffix: str, limits: ReadLimits) -> list[Part]:  # noqa: ARG001
    """A book of version 2 or 3, without images: a note says how many chapters hold nothing else. Raises
    Refused."""
    archive = Archive(raw, limits)
    found = book(archive)
    if len(found.chapters) > limits.pages:
        raise Refused(f"it has {len(found.chapters):,} chapters; the limit is {limits.pages:,}", "split it")
    writer = Writer(limits)
    silent = []
    for number, name in enumerate(found.chapters, 1):
        lines = _lines(archive, name, found.notes)
        if not lines:
            silent.append(number)
        elif entry := found.contents.get(name):
            _write(writer, lines, *entry)
        elif found.contents:  # it goes on with the chapter before
            _write(writer, lines, "", 1)
        else:
            own = next((each.words for each in lines if each.level), f"Chapter {number}")
            _write(writer, lines, own, 1)
    if silent not in ([], [1]):  # a book mostly begins with its cover
        found.notes.append(
            f"without text, such as pictures, are {len(silent)} of {len(found.chapters)} chapters"
        )
    part = writer.part(
        found.title, front=found.front, published=found.published, changed=found.changed, notes=found.notes
    )
    return [part]


def _lines(archive: Archive, name: str, notes: list[str]) -> list[Block]:
    """The blocks of a member, and a sentence on each fault to `notes`."""
    source, encoding = text_of(archive.bytes(name))
    page = HtmlLines().read(source)
    if encoding:
        notes.append(f"{name}: what is no {encoding} in it is read as U+FFFD")
    notes += [f"{name}: {note}" for note in page.faults()]
    return page.found


def _write(writer: Writer, blocks: list[Block], words: str, level: int) -> None:
    """Write a chapter under its line of the contents (`words`, which may be none), its headings below that.
    A heading that says the same stands for that line, where it stands."""
    ranks = {at: each.level for at, each in enumerate(blocks) if each.level}
    own = next((at for at in ranks if _same(words, blocks[at].words)), None)
    if words and own is None:
        writer.heading(words, level)
    highest = min((rank for at, rank in ranks.items() if at != own), default=1)
    for at, block in enumerate(blocks):
        if at == own:
            writer.heading(max(block.words, words, key=len), level)
        elif rank := block.level:
            writer.heading(block.words, level + bool(words) + rank - highest)
        else:
            writer.add(block)


def _same(words: str, heading: str) -> bool:
    """True if a heading in a text says what its line in the contents does, which may differ in signs, or have
    a number more."""
    said, shown = ("".join(filter(str.isalnum, each.casefold())) for each in (words, heading))
    return bool(said and shown) and (said in shown or shown in said)
