"""Feeds that lie in files (`feed:PATH`), and what all imports share: dates, HTML inside other files, targets.

RSS 2.0, RSS 1.0 (RDF) and Atom are read by their elements. Entries that have left a feed stay current.
"""

from __future__ import annotations

import gzip
import html
import io
import re
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urljoin
from xml.etree.ElementTree import Element

from asof.arguments import checked
from asof.documents import (
    LONGEST_ID,
    Document,
    Heading,
    Problem,
    SourcedTime,
    SourceEvent,
    line_feeds,
    storable,
)
from asof.errors import BadTime, SourceError
from asof.extensions.documents.xml import ForbiddenXml, UnsoundXml, XmlTree, attribute, local, namespace
from asof.sources.blocks import written
from asof.sources.dates import stated
from asof.sources.files import content
from asof.sources.html_walk import HtmlLines
from asof.sources.readers import Unreadable
from asof.sources.source import InputLimits, SourceContext, SourceNaming, SourceScheme
from asof.wire import replace

# -- dates, and HTML in entries and notes ----------------------------------------------------------


_LONGEST = 100
_TAG = re.compile(r"<[A-Za-z/!]")


def of_text(words: str) -> SourcedTime | None:
    """The time of ISO 8601, or of a mail's date (RFC 822) with whatever name of a zone; None for blanks.

    A zone that is not known leaves the day. Raises BadTime.
    """
    words = " ".join(words.split())
    try:
        return stated(words, "metadata")
    except BadTime as wrong:
        try:
            when = parsedate_to_datetime(words[:_LONGEST])
        except (ValueError, TypeError, IndexError, OverflowError):
            raise wrong from None
        return stated(when if when.tzinfo else when.date(), "metadata")


DateReader = Callable[[str], SourcedTime | None]


def date_in(read: DateReader, words: str, notes: list[Problem], about: Problem) -> SourcedTime | None:
    """The time that words say; where they cannot be read None, and a note `about` it with the reason."""
    try:
        return read(words)
    except BadTime as wrong:
        notes.append(replace(about, message=f"{about.message} cannot be read: {wrong}", lost=False))
        return None


class Words(NamedTuple):
    """A text and its headings."""

    text: str
    outline: tuple[Heading, ...] = ()


def words_of(source: str) -> Words:
    """The words of a text that may be HTML; one without tags keeps its lines."""
    source = storable(line_feeds(source))
    if not _TAG.search(source):
        return Words(storable(html.unescape(source)).strip())
    return Words(*written(HtmlLines().read(source).found))


def markup_of(element: Element) -> str:
    """The content of an XHTML element as HTML, its elements by their names alone."""
    said = [html.escape(element.text or "", quote=False)]
    for child in element:
        name = local(child)
        said += [f"<{name}>", markup_of(child), f"</{name}>", html.escape(child.tail or "", quote=False)]
    return "".join(said)


# -- the file or folder that KIND:PATH names, read within limits -----------------------------------


_GZIP = b"\x1f\x8b"

MAX_ELEMENTS = 1_000_000
MAX_ATTRIBUTES = 100
"""Of one element."""


class FileSource:
    """What lies in a file or a folder, named KIND:NAME."""

    kind: str
    complete = True

    def __init__(self, naming: SourceNaming, limits: InputLimits = InputLimits()) -> None:  # noqa: B008
        self.name = f"{self.kind}:{naming.name}"
        self.naming = naming
        self.limits = limits


def naming_of(target: str, context: SourceContext) -> SourceNaming:
    """The path that `KIND:PATH` names: it counts from the current folder, as any path does, and `~` is the
    home.

    Raises SourceError for a path that is not there.
    """
    words = target.partition(":")[2]
    if not words.strip() or "\0" in words:
        raise SourceError(f"{words!r:.60} is no path; the path of a file or folder is expected")
    try:
        path = Path(words).expanduser()
        there = path.exists()
    except (OSError, RuntimeError) as wrong:
        raise SourceError(f"{words} cannot be read: {wrong}") from wrong
    if not there:
        raise SourceError(f"{words} does not exist; the path of a file or folder is expected")
    return SourceNaming.of(path, context.root)


def whole(naming: SourceNaming, limit: int) -> bytes:
    """The bytes of the file, unpacked if it is gzipped. Raises SourceError for what cannot be read, and for
    more bytes than the limit."""
    if not naming.target.is_file():
        raise SourceError(f"{naming.shown} is no file; one that was exported or saved is expected")
    try:
        raw = content(naming, "", limit)
    except Unreadable as wrong:
        raise SourceError(f"{naming.shown}: {wrong}") from wrong
    return _unpacked(raw, naming, limit) if raw.startswith(_GZIP) else raw


def tree_of(raw: bytes, shown: str) -> XmlTree:
    """The tree of a feed. Raises SourceError for what is no sound XML, has a document type or exceeds a
    limit."""
    try:
        return XmlTree(raw, elements=MAX_ELEMENTS, attributes=MAX_ATTRIBUTES)
    except ForbiddenXml as wrong:
        raise SourceError(f"{shown}:{wrong.line}: it {wrong}; do not trust it") from wrong
    except UnsoundXml as wrong:
        raise SourceError(f"{shown} is no sound XML: {wrong}; fetch or save it again") from wrong


def _unpacked(raw: bytes, naming: SourceNaming, limit: int) -> bytes:
    try:
        with gzip.open(io.BytesIO(raw)) as stream:
            unpacked = stream.read(limit + 1)
    except (OSError, EOFError, zlib.error) as wrong:
        raise SourceError(f"{naming.shown} is damaged: {wrong}; fetch it again") from wrong
    if len(unpacked) > limit:
        raise SourceError(f"{naming.shown} unpacks to more than {limit:,} bytes; do not trust it")
    return unpacked


# -- entries of a feed -----------------------------------------------------------------------------


ATOM = "http://www.w3.org/2005/Atom"
_XML = "{http://www.w3.org/XML/1998/namespace}"
_NAMESPACES = {
    "", ATOM, "http://purl.org/rss/1.0/", "http://my.netscape.com/rdf/simple/0.9/",
    "http://backend.userland.com/rss2", "http://purl.org/rss/1.0/modules/content/",
    "http://purl.org/dc/elements/1.1/", "http://purl.org/dc/terms/",
}  # fmt: skip
"""The namespaces whose elements are read, by their names alone: those of other ones (media, itunes) call
other things the same."""

_FEEDS = {"feed", "rss", "RDF"}
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*:\S+")


@dataclass(frozen=True, slots=True)
class FeedItem:
    """An entry as it is written: `id` is "" where it has neither an id nor a link; dates are texts."""

    id: str
    title: str
    words: Words
    link: str
    published: str
    changed: str
    authors: tuple[str, ...]
    tags: tuple[str, ...]
    line: int


def entries(tree: XmlTree, shown: str) -> Iterator[FeedItem]:
    """The entries of a feed, in its order. Raises SourceError for XML that is none."""
    root = tree.root
    if local(root) not in _FEEDS:
        raise SourceError(f"{shown}: its XML is <{local(root)}>, no feed; accepted are RSS and Atom")
    channel = next(iter(_children(root, "channel")), root)
    home = root.attrib.get(f"{_XML}base", "").strip() or _link(channel)
    authors = _people(root)
    places = (root,) if channel is root else (root, channel)
    return (
        _entry(each, tree.line(each), home, authors)
        for place in places
        for each in (*_children(place, "item"), *_children(place, "entry"))
    )


def _entry(entry: Element, line: int, home: str, authors: tuple[str, ...]) -> FeedItem:
    guid = _text(entry, "guid", "id")
    link = _link(entry)
    if not link and _ADDRESS.fullmatch(guid):
        first = next(iter(_children(entry, "guid")), None)
        link = guid if first is not None and first.attrib.get("isPermaLink", "") != "false" else ""
    link = _joined(home, link)
    bodies = (
        _words(each)
        for name in ("encoded", "content", "description", "summary")
        for each in _children(entry, name)
    )
    title = next(map(_words, _children(entry, "title")), Words("")).text
    tags = (each.attrib.get("label") or each.attrib.get("term", "") for each in _children(entry, "category"))
    return FeedItem(
        _named(guid or attribute(entry, "about").strip() or link, home), " ".join(title.split()),
        next((each for each in bodies if each.text), Words("")), link,
        _text(entry, "published", "pubDate", "date", "issued"), _text(entry, "updated", "modified"),
        _texts(entry, "creator") or _people(entry) or authors,
        (*_texts(entry, "category"), *_texts(entry, "subject"), *(each for each in tags if each.strip())),
        line,
    )  # fmt: skip


def _words(element: Element) -> Words:
    """A text: HTML in RSS; in Atom plain, HTML or XHTML, and none of another type."""
    kind = element.attrib.get("type", "text" if namespace(element) == ATOM else "html").strip().lower()
    if "xhtml" in kind:
        return words_of(markup_of(element))
    if kind in ("html", "text/html"):
        return words_of("".join(element.itertext()))
    return Words(storable(element.text or "").strip() if kind.startswith("text") else "")


def _link(element: Element) -> str:
    """The address of the page that an entry or a feed is of."""
    for each in _children(element, "link"):
        if each.attrib.get("rel", "alternate").rpartition("/")[2] == "alternate":
            return storable((each.attrib.get("href") or each.text or "").strip())
    return ""


def _people(element: Element) -> tuple[str, ...]:
    named = (_text(each, "name") or (each.text or "").strip() for each in _children(element, "author"))
    return tuple(storable(name) for name in named if name)


def _children(element: Element, name: str) -> Sequence[Element]:
    return [each for each in element if local(each) == name and namespace(each) in _NAMESPACES]


def _texts(element: Element, *names: str) -> tuple[str, ...]:
    found = (each for name in names for each in _children(element, name))
    said = (storable("".join(each.itertext()).strip()) for each in found)
    return tuple(each for each in said if each)


def _text(element: Element, *names: str) -> str:
    return next(iter(_texts(element, *names)), "")


def _named(name: str, home: str) -> str:
    """An id that is one everywhere: an address as it is, any other behind the address of its feed."""
    name = storable(" ".join(name.split()))
    return name if not name or not home or _ADDRESS.fullmatch(name) else f"{home}#{name}"


def _joined(base: str, address: str) -> str:
    """An address that may count from another; as it is written where it cannot be joined."""
    with suppress(ValueError):
        return urljoin(base, address) if address and base else address
    return address


# -- the source feed:PATH --------------------------------------------------------------------------


PREFIX = "feed:"


class FeedFile(FileSource):
    """The documents of a feed, one for each entry. A feed holds the last entries only: it is not complete."""

    kind = "feed"
    complete = False

    def documents(self) -> Iterator[SourceEvent]:
        """The entries in the order of the file. Raises SourceError."""
        tree = tree_of(whole(self.naming, self.limits.file), self.naming.shown)
        seen: set[str] = set()
        for number, entry in enumerate(entries(tree, self.naming.shown), 1):
            if entry.id and entry.id in seen:
                yield self._problem(
                    entry, f"its id {entry.id[:100]!r} is that of an entry above; it is left out"
                )
                continue
            seen.add(entry.id)
            yield from self._stated(entry, number)

    def _stated(self, entry: FeedItem, number: int) -> Iterator[Document | Problem]:
        text = entry.words.text or entry.title
        name = PREFIX + entry.id
        if not entry.id or len(name) > LONGEST_ID:
            what = (
                "has neither an id nor a link" if not entry.id else f"has an id of {len(name):,} characters"
            )
            yield self._problem(entry, f"entry {number} {what}", "a feed names each entry by an id")
            return
        if not text:
            yield self._problem(entry, f"entry {number} has neither a text nor a title", document=name)
            return
        notes: list[Problem] = []
        about = self._problem(entry, "its date")
        published, changed = (
            date_in(of_text, words, notes, about) for words in (entry.published, entry.changed)
        )
        yield from notes
        authors = {"author": list(entry.authors)} if entry.authors else {}
        yield Document(
            name, text, entry.title, published or changed, changed, tags=entry.tags, meta=authors,
            outline=entry.words.outline if entry.words.text else (), uri=entry.link,
        )  # fmt: skip

    def _problem(self, entry: FeedItem, message: str, remedy: str = "", document: str = "") -> Problem:
        return Problem(message, self.naming.shown, entry.line, remedy, document)


@checked
def open_feed(target: str, context: SourceContext) -> FeedFile:
    """The source that `feed:PATH` names. Raises SourceError for a path that is not there."""
    return FeedFile(naming_of(target, context))


FEED = SourceScheme(open_feed)
