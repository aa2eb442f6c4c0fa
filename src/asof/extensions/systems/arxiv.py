"""arXiv: the targets of `arxiv:`, the table `[arxiv]` of asof.toml, the Atom feed, and papers as documents.

The feed is read by the standard library: feedparser and the package `arxiv` take a second of imports, give
dates as local tuples, and mend broken XML, where a page that broke off has to be asked for again.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from difflib import get_close_matches
from typing import Any
from urllib.parse import urlsplit

from asof.documents import Document, SourcedTime, storable
from asof.errors import SourceError, UsageError
from asof.extensions.documents.xml import ForbiddenXml, UnsoundXml, XmlTree
from asof.extensions.providers.http import Fetcher, RequestRejected, Retry, RetryLater, in_domain, is_loopback
from asof.schema import TRUST, AcceptedValue, Setting, Table, number, whole
from asof.sources.dates import second

# -- targets: categories, or ids of papers ---------------------------------------------------------


PREFIX = "arxiv:"
MAX_NAMES = 200

UNDIVIDED_ARCHIVES = (
    "gr-qc", "hep-ex", "hep-lat", "hep-ph", "hep-th", "math-ph", "nucl-ex", "nucl-th", "quant-ph",
)  # fmt: skip
"""Archives that are a category themselves."""

DIVIDED_ARCHIVES = (
    "astro-ph", "cond-mat", "cs", "econ", "eess", "math", "nlin", "physics", "q-bio", "q-fin", "stat",
)  # fmt: skip
"""Archives of several categories."""

DEFAULT_DAYS, DEFAULT_PAPERS = 7, 20
MAX_CATEGORIES, MAX_DAYS, MAX_PAPERS = 8, 3_660, 500
"""What a question about papers asks for: days and papers, if it does not say, and at most."""

ACCEPTED = (
    "accepted are categories and archives (arxiv:cs.IR+cs.CL, arxiv:cs, arxiv:hep-th), "
    "or ids of papers (arxiv:2401.13222, arxiv:2401.13222v1, arxiv:hep-th/9901001)"
)

LONG_CLASS_ARCHIVES = ("cond-mat", "physics")
"""Archives whose categories have longer names than two letters."""

_CATEGORY = re.compile(
    r"(?P<archive>[a-z]+(?:-[a-z]+)?)(?:\.(?P<class>\*|[a-z]+(?:-[a-z]+)?))?", re.IGNORECASE
)
_NEW = re.compile(r"(?P<id>[0-9]{2}(?:0[1-9]|1[0-2])\.[0-9]{4,5})(?:v(?P<version>[1-9][0-9]{0,2}))?")
_OLD = re.compile(
    r"(?P<archive>[a-z]+(?:-[a-z]+)?)(?:\.[A-Z]{2})?/(?P<number>[0-9]{2}(?:0[1-9]|1[0-2])[0-9]{3})"
    r"(?:v(?P<version>[1-9][0-9]{0,2}))?"
)


@dataclass(frozen=True, slots=True, order=True)
class PaperId:
    """A paper by its id, without a version (`version` 0: all of them) or with one."""

    id: str
    version: int = 0

    @property
    def forms(self) -> tuple[PaperId, PaperId]:
        """The ids that name this version: with it, and without any."""
        return self, PaperId(self.id)

    def __str__(self) -> str:
        return f"{self.id}v{self.version}" if self.version else self.id


@dataclass(frozen=True, slots=True)
class ArxivTarget:
    """Either `categories` or `papers`; both sorted, each once."""

    categories: tuple[str, ...] = ()
    papers: tuple[PaperId, ...] = ()

    @property
    def name(self) -> str:
        """The target as it is called in every run, however it was typed."""
        return PREFIX + "+".join(self.categories or map(str, self.papers))

    @property
    def query(self) -> str:
        """The categories as the API searches them."""
        terms = [f"cat:{each}" for each in self.categories]
        # what was sent there before it was divided
        terms += [f"cat:{each[:-2]}" for each in self.categories if each in ("astro-ph.*", "cond-mat.*")]
        return f"({' OR '.join(terms)})" if len(terms) > 1 else terms[0]


def is_target(text: str) -> bool:
    """True if a source is named that lies at arXiv."""
    return text[: len(PREFIX)].lower() == PREFIX


def read(text: str) -> ArxivTarget:
    """The target that a text beginning with `arxiv:` names. Raises SourceError, which says what is
    accepted."""
    names = [name.strip() for name in text[len(PREFIX) :].split("+")]
    if not is_target(text) or not all(names):
        raise SourceError(f"{text[:80]!r} names nothing at arXiv; {ACCEPTED}")
    if len(names) > MAX_NAMES:
        raise SourceError(f"{len(names)} names in one target; accepted are {MAX_NAMES} at most")
    papers, categories = [], []
    for name in names:
        if (paper := paper_id(name)) is not None:
            papers.append(paper)
        else:
            categories.append(category(name))
    if papers and categories:
        raise SourceError(f"{text[:80]!r} mixes papers and categories; name each kind as a source of its own")
    whole = {paper.id for paper in papers if not paper.version}
    unique = {paper for paper in papers if not paper.version or paper.id not in whole}
    return ArxivTarget(tuple(sorted(set(categories))), tuple(sorted(unique)))


def paper_id(text: str) -> PaperId | None:
    """The paper that an id names, of either form; None if it is no id."""
    if match := _NEW.fullmatch(text):
        return PaperId(match["id"], int(match["version"] or 0))
    match = _OLD.fullmatch(text)
    if match is None:
        return None
    return PaperId(f"{match['archive']}/{match['number']}", int(match["version"] or 0))


def category(text: str) -> str:
    """A category as arXiv writes it; an archive of several as `cs.*`. Raises SourceError."""
    match = _CATEGORY.fullmatch(text)
    archive = match["archive"].lower() if match else ""
    if match is None or archive not in (*UNDIVIDED_ARCHIVES, *DIVIDED_ARCHIVES):
        nearest = get_close_matches(
            archive or text.lower()[:16], (*UNDIVIDED_ARCHIVES, *DIVIDED_ARCHIVES), 1, 0.5
        )
        near = f"did you mean {nearest[0]}? " if nearest and archive else ""
        raise SourceError(f"{text[:40]!r} is neither a category nor an id of arXiv; {near}{ACCEPTED}")
    name = match["class"]
    if archive in UNDIVIDED_ARCHIVES:
        if name not in (None, "*"):
            raise SourceError(f"{text!r}: {archive} is one category, without parts; write arxiv:{archive}")
        return archive
    if name is None or name == "*":
        return f"{archive}.*"
    if archive not in LONG_CLASS_ARCHIVES and len(name) != 2:
        raise SourceError(f"{text[:40]!r}: categories of {archive} have two letters; {ACCEPTED}")
    return f"{archive}.{name.lower() if archive in LONG_CLASS_ARCHIVES else name.upper()}"


# -- [arxiv] of asof.toml --------------------------------------------------------------------------


MIN_DELAY = 3.0
"""Seconds between two requests that arXiv asks of every client."""

MAX_PER_DAY = 2_000
DOMAIN = "arxiv.org"


PATIENCE = 300.0
"""The longest wait in seconds that arXiv may ask for."""


@dataclass(frozen=True, slots=True)
class ArxivSettings:
    """`url`: the address of the API; `pdf_url`: what an id is put behind to get its PDF.

    `delay`: seconds between two requests, at least 3 where arXiv itself is asked. `attempts` of `timeout`
    seconds each are made where it is busy or at fault, with waits that double. `per_day`: only so many of the
    newest papers of a day; 0 for all.
    """

    url: str = "https://export.arxiv.org/api/query"
    pdf_url: str = "https://arxiv.org/pdf"
    delay: float = MIN_DELAY
    attempts: int = 6
    timeout: float = 60.0
    per_day: int = 0

    @classmethod
    def read(cls, table: Mapping[str, Any]) -> ArxivSettings:
        """The settings of a table whose keys are accepted. Raises UsageError."""
        settings = cls(**table)
        if settings.delay < MIN_DELAY and any(
            in_domain(host(url), DOMAIN) for url in (settings.url, settings.pdf_url)
        ):
            raise UsageError(f"delay = {settings.delay:g}: arXiv asks for {MIN_DELAY:g} seconds or more")
        return settings

    def fetcher(self) -> Fetcher:
        """The transport for arXiv, as patient as this says; each wait is at least half of what it may be."""
        retry = Retry(self.attempts, self.timeout, PATIENCE, first_wait=self.delay)
        return Fetcher(self.delay, retry, DOMAIN, "[arxiv] of asof.toml")


def host(url: str) -> str:
    """The host of an address, in lower case."""
    return (urlsplit(url).hostname or "").lower()


def safe(url: str) -> bool:
    """True if an address is https, or http on this machine, and names neither a user nor a query."""
    try:
        parts = urlsplit(url)
        named, _ = parts.hostname or "", parts.port
    except ValueError:  # a port or an IPv6 address that is none
        return False
    if not named or "@" in parts.netloc or parts.query or parts.fragment:
        return False
    return parts.scheme == "https" or (parts.scheme == "http" and is_loopback(named))


_ADDRESS = AcceptedValue(
    lambda value: isinstance(value, str) and value.isascii() and value.isprintable() and safe(value),
    "an https address without a query (http on this machine)", shown=False,
)  # fmt: skip
TABLE = Table(f"Where arXiv is asked, and how patiently. {TRUST}", {
    "url": Setting(_ADDRESS, "The address of the API."),
    "pdf_url": Setting(_ADDRESS, "What an id is put behind to get its PDF."),
    "delay": Setting(
        number(0, 3_600, "a number of seconds"),
        "Seconds between two requests; arXiv wants 3 or more.", safe=True,
    ),
    "attempts": Setting(whole(1, 20), "How many attempts where it is busy.", safe=True),
    "timeout": Setting(number(0.1, 3_600, "a number of seconds"), "Seconds for an attempt.", safe=True),
    "per_day": Setting(
        whole(0, MAX_PER_DAY), "Only so many of the newest papers of a day; 0: all.", safe=True
    ),
}, ArxivSettings, ArxivSettings.read)  # fmt: skip
"""[arxiv] of asof.toml."""


# -- a page of the feed ----------------------------------------------------------------------------


_ATOM = "{http://www.w3.org/2005/Atom}"
_ARXIV = "{http://arxiv.org/schemas/atom}"
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

    @property
    def name(self) -> str:
        """The id of the paper."""
        return self.paper.id

    @property
    def dated(self) -> datetime:
        """The instant at which this version was submitted."""
        return self.published if self.paper.version == 1 else self.updated


@dataclass(frozen=True, slots=True)
class UnusableEntry:
    """An entry that states no paper: its id, as far as it has one, and its fault."""

    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class Feed:
    """Entries in the order of the feed, and how many results the query has in all."""

    entries: tuple[FeedEntry | UnusableEntry, ...]
    total: int


def read_page(body: bytes) -> Feed:
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
    return Feed(tuple(map(_entry, nodes)), _total(root))


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
    return FeedEntry(
        paper, title, summary, published, updated,
        authors=tuple(filter(None, (_text(each, f"{_ATOM}name") for each in node.findall(f"{_ATOM}author")))),
        primary=_attribute(node.find(f"{_ARXIV}primary_category"), "term"),
        categories=tuple(dict.fromkeys(
            term for each in node.findall(f"{_ATOM}category") if (term := _attribute(each, "term"))
        )),
        doi=_text(node, f"{_ARXIV}doi"), comment=_text(node, f"{_ARXIV}comment"),
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


def _total(root: ET.Element) -> int:
    digits = _text(root, "{http://a9.com/-/spec/opensearch/1.1/}totalResults")
    if not re.fullmatch(r"[0-9]{1,12}", digits):
        raise BrokenFeed("the feed does not say its totalResults")
    return int(digits)


def _moment(text: str) -> datetime | None:
    try:
        read = datetime.fromisoformat(text)
        if read.tzinfo is None or not 1 < read.year < LAST_YEAR:
            return None
        return read.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


# -- a version of a paper as a document ------------------------------------------------------------


MAX_AUTHORS = 64
"""The number of authors that are listed; a longer list says how many there are."""

ABSTRACT, FULL = "abstract", "full"
"""The values of `kind` in the metadata of papers' documents; full texts are tagged so, too."""

WITHDRAWN = "withdrawn"

_WITHDRAWN = re.compile(
    r"\b(?:paper|article|manuscript|submission|preprint|work|version)\b[^.]{0,60}"
    r"\b(?:is|was|has been|have been) (?:being )?(?:temporarily )?withdrawn\b"
    r"|\A\W*(?:this \w+ )?(?:is |was |has been )?withdrawn\b",
    re.IGNORECASE,
)


def document_id(paper: str) -> str:
    """The id of the document that a paper's abstracts are versions of."""
    return PREFIX + paper


def full_id(paper: str) -> str:
    """The part of a full text's id after `arxiv:`."""
    return f"{paper}/{FULL}"


def withdrawn(entry: FeedEntry) -> bool:
    """True if this version says that the paper was withdrawn."""
    return any(_WITHDRAWN.search(words) is not None for words in (entry.comment, entry.summary))


def dated(entry: FeedEntry) -> SourcedTime:
    """The date of submission of a version, to the second. It is announced some days later, which no feed
    states."""
    return second(int(entry.dated.timestamp()), "metadata")


def document(entry: FeedEntry) -> Document:
    """The abstract of one version."""
    tags = (WITHDRAWN,) if withdrawn(entry) else ()
    return Document(
        document_id(entry.paper.id),
        entry.summary or entry.title,
        entry.title,
        dated(entry),
        tags=(*entry.categories, *tags),
        meta=meta(entry, ABSTRACT),
        uri=f"https://arxiv.org/abs/{entry.paper}",
        language="en",
    )


def meta(entry: FeedEntry, kind: str) -> dict[str, Any]:
    """The metadata of a version, without empty values."""
    fields: dict[str, Any] = {
        "kind": kind,
        "authors": list(entry.authors[:MAX_AUTHORS]),
        "authors_in_all": len(entry.authors) if len(entry.authors) > MAX_AUTHORS else 0,
        "primary_category": entry.primary,
        "doi": entry.doi,
        "comment": entry.comment,
        "version": entry.paper.version,
        WITHDRAWN: withdrawn(entry),
    }
    return {key: value for key, value in fields.items() if value}
