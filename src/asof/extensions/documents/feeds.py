"""Feeds that lie in files (`feed:PATH`), and what all imports share: dates, HTML inside other files, targets.

RSS 2.0, RSS 1.0 (RDF) and Atom are read by their elements. Entries that have left a feed stay current.
"""

from __future__ import annotations

import gzip
import html
import io
import re
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote, urljoin
from xml.etree.ElementTree import Element

from asof.arguments import checked
from asof.errors import BadTime, SourceError
from asof.extensions.documents.html_blocks import html_text
from asof.extensions.documents.xml import ForbiddenXml, UnsoundXml, XmlTree, local, namespace
from asof.sources.dates import second, stated
from asof.sources.files import content
from asof.sources.readers import Unreadable
from asof.sources.source import InputLimits, SourceContext, SourceNaming, SourceScheme, token
from asof.values import (
    LONGEST_ID,
    Checkpoint,
    Document,
    Heading,
    Problem,
    SourcedTime,
    SourceEvent,
    Unchanged,
    line_feeds,
    storable,
)
from asof.wire import replace

# -- dates of feeds, sitemaps, bookmarks and saved pages -------------------------------------------


_LONGEST = 100


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


def of_seconds(words: str) -> SourcedTime | None:
    """The second of a Unix time; None for blanks and 0, which mean no date. Raises BadTime."""
    words = words.strip()
    if not words.strip("0"):
        return None
    if not (words.isascii() and words.isdigit() and len(words) <= 20):
        raise BadTime(f"{words!r:.40} is not a number of seconds since 1970")
    return second(int(words), "metadata")


def of_browser(words: str) -> SourcedTime | None:
    """The time as JavaScript writes it ("Tue Mar 02 2021 10:00:00 GMT+0100 (...)"); None for another text."""
    plain = words.partition("(")[0].replace("GMT", "").replace("UTC", "").strip()
    for form in ("%a %b %d %Y %H:%M:%S %z", "%a %b %d %Y %H:%M:%S"):
        try:
            when = datetime.strptime(plain, form)  # noqa: DTZ007  without an offset only the day is taken
        except ValueError:
            continue
        return stated(when if when.tzinfo else when.date(), "metadata")
    return None


# -- HTML in entries and notes, as text with headings ----------------------------------------------


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


# -- the file or folder that KIND:PATH names, read within limits -----------------------------------


COUNT = 8
"""The bytes of a checkpoint that say how many documents a whole file states."""


DateReader = Callable[[str], SourcedTime | None]


class FileSource:
    """What lies in a file or a folder, named KIND:NAME."""

    kind: str
    complete = True

    def __init__(self, naming: SourceNaming, limits: InputLimits = InputLimits()) -> None:  # noqa: B008
        self.name = f"{self.kind}:{naming.name}"
        self.naming = naming
        self.limits = limits
        self.checkpoints: Mapping[str, bytes] = {}

    def resume(self, checkpoints: Mapping[str, bytes]) -> None:
        self.checkpoints = checkpoints

    def unchanged(self, state: bytes) -> Unchanged | None:
        """That all documents are unchanged, if the checkpoint of the whole file is of this state."""
        before = self.checkpoints.get("", b"")
        return Unchanged(count=int.from_bytes(before[-COUNT:])) if before[:-COUNT] == state else None

    def checkpoint(self, state: bytes, count: int) -> Checkpoint:
        return Checkpoint("", state + count.to_bytes(COUNT))


def date_in(read: DateReader, words: str, notes: list[Problem], about: Problem) -> SourcedTime | None:
    """The time that words say; where they cannot be read None, and a note `about` it with the reason."""
    try:
        return read(words)
    except BadTime as wrong:
        notes.append(replace(about, message=f"{about.message} cannot be read: {wrong}", lost=False))
        return None


_PAGES = "?pages="
_GZIP = b"\x1f\x8b"

MAX_ELEMENTS = 1_000_000
MAX_ATTRIBUTES = 100
"""Of one element."""


def naming_of(target: str, context: SourceContext) -> SourceNaming:
    """The path that `KIND:PATH` names: it counts from the current folder, as any path does, and `~` is the
    home.

    Raises SourceError for a path that is not there.
    """
    path = existing(target.partition(":")[2])
    return SourceNaming.of(path, context.root)


def with_pages(target: str, pages: str | Path | None) -> tuple[str, Path | None]:
    """`KIND:PATH` without its `?pages=FOLDER`, and the folder of saved pages; `pages` counts if given.

    Raises SourceError for a folder that is not there.
    """
    path, _, said = target.partition(_PAGES)
    named = unquote(said) if pages is None else pages
    return path, folder(named) if named else None


def existing(words: str | Path) -> Path:
    """The path that a text is. Raises SourceError for one that is not there."""
    if not str(words).strip() or "\0" in str(words):
        raise SourceError(f"{str(words)!r:.60} is no path; the path of a file or folder is expected")
    try:
        path = Path(words).expanduser()
        there = path.exists()
    except (OSError, RuntimeError) as wrong:
        raise SourceError(f"{words} cannot be read: {wrong}") from wrong
    if not there:
        raise SourceError(f"{words} does not exist; the path of a file or folder is expected")
    return path


def folder(words: str | Path) -> Path:
    """The folder that a text names. Raises SourceError."""
    path = existing(words)
    if not path.is_dir():
        raise SourceError(f"{words} is no folder; the folder of the saved pages is expected")
    return path


def whole(naming: SourceNaming, limit: int) -> bytes:
    """The bytes of the file, unpacked if it is gzipped. Raises SourceError for what cannot be read, and for
    more bytes than the limit."""
    if not naming.target.is_file():
        raise SourceError(f"{naming.shown} is no file; one that was exported or saved is expected")
    try:
        raw = content(naming.target, limit)
    except Unreadable as wrong:
        raise SourceError(f"{naming.shown}: {wrong}") from wrong
    return _unpacked(raw, naming, limit) if raw.startswith(_GZIP) else raw


def tree_of(raw: bytes, shown: str) -> XmlTree:
    """The tree of a feed or a sitemap. Raises SourceError for what is no sound XML, has a document type or
    exceeds a limit."""
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
CONTENT = "http://purl.org/rss/1.0/modules/content/"
DUBLIN_CORE = "http://purl.org/dc/elements/1.1/"
TERMS = "http://purl.org/dc/terms/"
RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
RSS = {
    "", "http://purl.org/rss/1.0/", "http://my.netscape.com/rdf/simple/0.9/",
    "http://backend.userland.com/rss2",
}  # fmt: skip
"""The namespaces in which elements of RSS stand, if in any."""

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
    if local(root) == "feed" and namespace(root) == ATOM:
        return (_of_atom(each, tree, root) for each in _children(root, "entry", {ATOM}))
    if local(root) == "rss":
        found = [
            each for channel in _children(root, "channel", RSS) for each in _children(channel, "item", RSS)
        ]
        return (_of_rss(each, tree, _home(root)) for each in found)
    if local(root) == "RDF" and namespace(root) == RDF:
        return (_of_rss(each, tree, _home(root)) for each in _children(root, "item", RSS))
    raise SourceError(f"{shown}: its XML is <{local(root)}>, no feed; accepted are RSS 2.0, RSS 1.0 and Atom")


# -- RSS -------------------------------------------------------------------------------------------


def _of_rss(item: Element, tree: XmlTree, home: str) -> FeedItem:
    guid = _text(item, "guid", RSS)
    link = _text(item, "link", RSS)
    if not link and _ADDRESS.fullmatch(guid):
        first, *_ = _children(item, "guid", RSS)
        permanent = first.attrib.get("isPermaLink", "true").strip().lower() != "false"
        link = guid if permanent else ""
    link = urljoin_or(home, link)
    name = guid or _attribute(item, "about", RDF) or link
    body = (
        _text(item, "encoded", {CONTENT}) or _text(item, "description", RSS)
        or _text(item, "description", {DUBLIN_CORE})
    )  # fmt: skip
    authors = _texts(item, "creator", {DUBLIN_CORE}) or _texts(item, "author", RSS)
    return FeedItem(
        _named(name, home), _plain(_text(item, "title", RSS)), words_of(body), link,
        _text(item, "pubDate", RSS) or _text(item, "date", {DUBLIN_CORE}) or _text(item, "issued", {TERMS}),
        _text(item, "modified", {TERMS}) or _text(item, "updated", {ATOM}), authors,
        (*_texts(item, "category", RSS), *_texts(item, "subject", {DUBLIN_CORE})), tree.line(item),
    )  # fmt: skip


def _home(root: Element) -> str:
    """The address of the site that a feed is of; "" where it says none."""
    return next((_text(each, "link", RSS) for each in _children(root, "channel", RSS)), "")


# -- Atom ------------------------------------------------------------------------------------------


def _of_atom(entry: Element, tree: XmlTree, feed: Element) -> FeedItem:
    base = _attribute(feed, "base", "http://www.w3.org/XML/1998/namespace") or _link(feed)
    link = urljoin_or(base, _link(entry))
    words = _construct(entry, "content")
    if not words.text:
        words = _construct(entry, "summary")
    people = _children(entry, "author", {ATOM}) or _children(feed, "author", {ATOM})
    tags = (
        each.attrib.get("label") or each.attrib.get("term", "")
        for each in _children(entry, "category", {ATOM})
    )
    return FeedItem(
        _named(_text(entry, "id", {ATOM}) or link, base), " ".join(_construct(entry, "title").text.split()),
        words, link, _text(entry, "published", {ATOM}), _text(entry, "updated", {ATOM}),
        tuple(name for each in people if (name := _text(each, "name", {ATOM}))),
        tuple(storable(each.strip()) for each in tags if each.strip()), tree.line(entry),
    )  # fmt: skip


def _construct(entry: Element, name: str) -> Words:
    """A text of Atom, which is plain, HTML or XHTML; none where its content lies elsewhere (`src`)."""
    for each in _children(entry, name, {ATOM}):
        kind = each.attrib.get("type", "text").strip().lower()
        if kind in ("xhtml", "application/xhtml+xml"):
            return words_of(markup_of(each))
        if kind in ("html", "text/html"):
            return words_of(each.text or "")
        if kind == "text" or kind.startswith("text/"):
            return Words(storable(each.text or "").strip())
    return Words("")


def _link(element: Element) -> str:
    """The address of the page that an entry or a feed is of."""
    for each in _children(element, "link", {ATOM}):
        if each.attrib.get("rel", "alternate") in (
            "alternate",
            "http://www.iana.org/assignments/relation/alternate",
        ):
            return storable(each.attrib.get("href", "").strip())
    return ""


# -- elements --------------------------------------------------------------------------------------


def _children(element: Element, name: str, namespaces: set[str]) -> list[Element]:
    return [each for each in element if local(each) == name and namespace(each) in namespaces]


def _texts(element: Element, name: str, namespaces: set[str]) -> tuple[str, ...]:
    said = (storable("".join(each.itertext()).strip()) for each in _children(element, name, namespaces))
    return tuple(each for each in said if each)


def _text(element: Element, name: str, namespaces: set[str]) -> str:
    return next(iter(_texts(element, name, namespaces)), "")


def _attribute(element: Element, name: str, within: str) -> str:
    return storable(element.attrib.get(f"{{{within}}}{name}", "").strip())


def _plain(title: str) -> str:
    return " ".join(words_of(title).text.split())


def _named(name: str, home: str) -> str:
    """An id that is one everywhere: an address as it is, any other behind the address of its feed."""
    name = " ".join(name.split())
    return name if not name or not home or _ADDRESS.fullmatch(name) else f"{home}#{name}"


def urljoin_or(base: str, address: str) -> str:
    """An address that may count from another; as it is written where it cannot be joined."""
    try:
        return urljoin(base, address) if address and base else address
    except ValueError:
        return address


# -- the source feed:PATH --------------------------------------------------------------------------


PREFIX = "feed:"


class FeedFile(FileSource):
    """The documents of a feed, one for each entry. A feed holds the last entries only: it is not complete."""

    kind = "feed"
    complete = False

    def documents(self) -> Iterator[SourceEvent]:
        """The entries in the order of the file; nothing new while it holds the same bytes. Raises
        SourceError."""
        raw = whole(self.naming, self.limits.file)
        state = token(self.name, repr(self.limits), raw)
        if same := self.unchanged(state):
            yield same
            return
        tree = tree_of(raw, self.naming.shown)
        seen: set[str] = set()
        sound = True
        for number, entry in enumerate(entries(tree, self.naming.shown), 1):
            if entry.id and entry.id in seen:
                sound = False
                yield self._problem(
                    entry, f"its id {entry.id[:100]!r} is that of an entry above; it is left out"
                )
                continue
            seen.add(entry.id)
            for item in self._stated(entry, number):
                sound = sound and not isinstance(item, Problem)
                yield item
        if sound:
            yield self.checkpoint(state, len(seen))

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
