"""The entries of a feed: RSS 2.0, RSS 1.0 (RDF) and Atom, by their elements."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import urljoin
from xml.etree.ElementTree import Element

from asof.data.storable import storable
from asof.errors import SourceError
from asof.imports.html_words import Words, markup_of, words_of
from asof.sources.bounded_xml import XmlTree, local, namespace

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
class FeedEntry:
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


def entries(tree: XmlTree, shown: str) -> Iterator[FeedEntry]:
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


# -- RSS -------------------------------------------------------------------------------------------------


def _of_rss(item: Element, tree: XmlTree, home: str) -> FeedEntry:
    guid = _text(item, "guid", RSS)
    link = _text(item, "link", RSS)
    if not link and _ADDRESS.fullmatch(guid) and _permanent(item):
        link = guid
    link = urljoin_or(home, link)
    name = guid or _attribute(item, "about", RDF) or link
    body = (
        _text(item, "encoded", {CONTENT}) or _text(item, "description", RSS)
        or _text(item, "description", {DUBLIN_CORE})
    )  # fmt: skip
    authors = _texts(item, "creator", {DUBLIN_CORE}) or _texts(item, "author", RSS)
    return FeedEntry(
        _named(name, home), _plain(_text(item, "title", RSS)), words_of(body), link,
        _text(item, "pubDate", RSS) or _text(item, "date", {DUBLIN_CORE}) or _text(item, "issued", {TERMS}),
        _text(item, "modified", {TERMS}) or _text(item, "updated", {ATOM}), authors,
        (*_texts(item, "category", RSS), *_texts(item, "subject", {DUBLIN_CORE})), tree.line(item),
    )  # fmt: skip


def _permanent(item: Element) -> bool:
    guids = _children(item, "guid", RSS)
    return not guids or guids[0].attrib.get("isPermaLink", "true").strip().lower() != "false"


def _home(root: Element) -> str:
    """The address of the site that a feed is of; "" where it says none."""
    return next((_text(each, "link", RSS) for each in _children(root, "channel", RSS)), "")


# -- Atom ------------------------------------------------------------------------------------------------


def _of_atom(entry: Element, tree: XmlTree, feed: Element) -> FeedEntry:
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
    return FeedEntry(
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


# -- elements --------------------------------------------------------------------------------------------


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
