"""One page of the API's Atom feed, read by the standard library.

Neither feedparser nor the package `arxiv` (which stands on it) is used: a second of imports, dates as local
tuples, and mending of broken XML, where a page that broke off has to be asked for again.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from dataclasses import dataclass
from datetime import UTC, datetime
from urllib.parse import urlsplit

from asof.arxiv.target import PaperId, paper_id
from asof.data.storable import storable
from asof.http.retry import RequestRejected, RetryLater
from asof.sources.bounded_xml import ForbiddenXml, UnsoundXml, XmlTree

_ATOM = "{http://www.w3.org/2005/Atom}"
_ARXIV = "{http://arxiv.org/schemas/atom}"
_SEARCH = "{http://a9.com/-/spec/opensearch/1.1/}"
_ERRORS = "/api/errors"

LAST_YEAR = 5138
"""Dates of this year or later are none: `sources/dates.py` would take their seconds for milliseconds."""


class BrokenFeed(RetryLater):
    """A page that is no feed, or one that breaks off: asked for again, it may be whole."""


@dataclass(frozen=True, slots=True)
class FeedEntry:
    """One version of a paper. `published` is the date of version 1, `updated` that of this version."""

    paper: PaperId
    title: str
    summary: str
    published: datetime
    updated: datetime
    authors: tuple[str, ...] = ()
    primary: str = ""
    categories: tuple[str, ...] = ()
    doi: str = ""
    comment: str = ""
    journal: str = ""
    pdf: str = ""

    @property
    def dated(self) -> datetime:
        """When this version was submitted."""
        return self.published if self.paper.version == 1 else self.updated


@dataclass(frozen=True, slots=True)
class UnusableEntry:
    """An entry that states no paper: its id, as far as it has one, and what is wrong with it."""

    id: str
    reason: str


@dataclass(frozen=True, slots=True)
class Feed:
    """Entries in the order of the feed, and how many results the query has in all, from `start` on."""

    entries: tuple[FeedEntry | UnusableEntry, ...]
    total: int
    start: int


def read(body: bytes) -> Feed:
    """The feed in an answer's bytes. Raises BrokenFeed, RequestRejected (what the API says is wrong)."""
    try:
        text = body.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BrokenFeed(f"the answer is not UTF-8 (byte {error.start})") from error
    try:
        root = XmlTree(text).root
    except ForbiddenXml as error:
        raise BrokenFeed(f"the answer {error}") from error
    except UnsoundXml as error:
        raise BrokenFeed(f"the answer is no whole XML ({error})") from error
    if root.tag != f"{_ATOM}feed":
        raise BrokenFeed("the answer is XML, but no Atom feed")
    nodes = root.findall(f"{_ATOM}entry")
    for node in nodes:
        if _ERRORS in _text(node, f"{_ATOM}id"):
            raise RequestRejected(_text(node, f"{_ATOM}summary") or "an error without words")
    return Feed(tuple(map(_entry, nodes)), _number(root, "totalResults"), _number(root, "startIndex"))


def _entry(node: ET.Element) -> FeedEntry | UnusableEntry:
    address = _text(node, f"{_ATOM}id")
    paper = _paper(address)
    if paper is None or not paper.version:
        return UnusableEntry(address, "has no id of a paper with its version")
    title, summary = _text(node, f"{_ATOM}title"), _text(node, f"{_ATOM}summary")
    published, updated = (_moment(_text(node, f"{_ATOM}{each}")) for each in ("published", "updated"))
    if not (title or summary):
        return UnusableEntry(str(paper), "has neither a title nor an abstract")
    if published is None or updated is None:
        return UnusableEntry(str(paper), "has no dates that can be read")
    links = node.findall(f"{_ATOM}link")
    return FeedEntry(
        paper, title, summary, published, updated,
        authors=tuple(filter(None, (_text(each, f"{_ATOM}name") for each in node.findall(f"{_ATOM}author")))),
        primary=_attribute(node.find(f"{_ARXIV}primary_category"), "term"),
        categories=tuple(dict.fromkeys(
            term for each in node.findall(f"{_ATOM}category") if (term := _attribute(each, "term"))
        )),
        doi=_text(node, f"{_ARXIV}doi"), comment=_text(node, f"{_ARXIV}comment"),
        journal=_text(node, f"{_ARXIV}journal_ref"),
        pdf=next((_attribute(each, "href") for each in links if each.get("title") == "pdf"), ""),
    )  # fmt: skip


def _paper(address: str) -> PaperId | None:
    try:
        return paper_id(urlsplit(address).path.partition("/abs/")[2])
    except ValueError:  # brackets that are no IPv6 address
        return None


def _text(node: ET.Element, tag: str) -> str:
    """The words of a child on one line; empty if there is none."""
    return " ".join(storable(node.findtext(tag) or "").split())


def _attribute(node: ET.Element | None, name: str) -> str:
    return "" if node is None else " ".join(storable(node.get(name) or "").split())


def _number(root: ET.Element, name: str) -> int:
    digits = _text(root, f"{_SEARCH}{name}")
    if not re.fullmatch(r"[0-9]{1,12}", digits):
        raise BrokenFeed(f"the feed does not say its {name}")
    return int(digits)


def _moment(text: str) -> datetime | None:
    try:
        read = datetime.fromisoformat(text)
        if read.tzinfo is None or not 1 < read.year < LAST_YEAR:
            return None
        return read.astimezone(UTC)
    except (ValueError, OverflowError):
        return None
