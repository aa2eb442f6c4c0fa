"""An archive of invented papers that answers on this machine as arXiv's API does, with its faults.

    with Archive(papers) as archive:
        archive.faults += [busy, torn]          # the next two requests; then it answers
        ...
        assert len(archive.asked) == 3

It searches categories with `submittedDate` and `lastUpdatedDate` (minutes, both included), sorts, pages, and
gives papers and versions by id. What was submitted shows `lag` later; `at`: the moment that it is now.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler
from urllib.parse import parse_qs, urlsplit
from xml.sax.saxutils import escape

from tests.support.local_server import LocalServer, send

FOREVER = datetime(9000, 1, 1, tzinfo=UTC)
HEAD = (
    "<?xml version='1.0' encoding='UTF-8'?>\n<feed xmlns:opensearch=\"http://a9.com/-/spec/opensearch/1.1/\""
    ' xmlns:arxiv="http://arxiv.org/schemas/atom" xmlns="http://www.w3.org/2005/Atom">'
)


@dataclass(frozen=True)
class Version:
    dated: datetime
    title: str
    summary: str
    comment: str = ""


@dataclass(frozen=True)
class Paper:
    id: str
    versions: tuple[Version, ...]
    categories: tuple[str, ...] = ("cs.IR",)

    @property
    def submitted(self) -> datetime:
        return self.versions[0].dated


def paper(number: int, *dates: datetime, categories: Iterable[str] = ("cs.IR",), comment: str = "") -> Paper:
    """A paper whose words tell its number and version."""
    versions = tuple(
        Version(date, f"Ferry {number}", f"Ferry {number} sails, as version {at} has it.", comment)
        for at, date in enumerate(dates, 1)
    )
    return Paper(f"2401.{number:05}", versions, tuple(categories))


def day(number: int, hour: int = 0, minute: int = 0, second: int = 0) -> datetime:
    """A moment of January 2024 (or after it)."""
    return datetime(2024, 1, 1, hour, minute, second, tzinfo=UTC) + timedelta(days=number - 1)


Reply = tuple[int, dict[str, str], bytes]
Fault = Callable[["Archive", dict[str, str]], Reply]


def busy(archive: Archive, asked: dict[str, str]) -> Reply:
    return 503, {"Retry-After": "0"}, b"later"


def crowded(archive: Archive, asked: dict[str, str]) -> Reply:
    return 429, {}, b"Rate exceeded."


def torn(archive: Archive, asked: dict[str, str]) -> Reply:
    """A feed that breaks off, as if it were whole."""
    status, headers, body = archive.answer(asked)
    return status, headers, body[: len(body) * 2 // 3]


def cut(archive: Archive, asked: dict[str, str]) -> Reply:
    """Fewer bytes than were announced."""
    status, headers, body = archive.answer(asked)
    return status, {**headers, "Content-Length": str(len(body) + 99)}, body


def empty(archive: Archive, asked: dict[str, str]) -> Reply:
    """No entries, although there are results."""
    _, _, body = archive.answer(asked)
    return 200, {}, re.sub(rb"<entry>.*</entry>", b"", body, flags=re.DOTALL)


def nothing(archive: Archive, asked: dict[str, str]) -> Reply:
    """No entries, and as if there were no results."""
    return 200, {}, archive.feed([], 0, 0).encode()


@dataclass
class Archive(LocalServer):
    papers: list[Paper] = field(default_factory=list)
    at: datetime = FOREVER
    lag: timedelta = timedelta(0)
    faults: list[Fault] = field(default_factory=list)
    asked: list[dict[str, str]] = field(default_factory=list)
    after: Callable[[Archive], None] | None = None
    pdfs: dict[str, bytes] = field(default_factory=dict)

    @property
    def url(self) -> str:
        return f"{self.origin}/api/query"

    @property
    def pdf_url(self) -> str:
        return f"{self.origin}/pdf"

    @property
    def starts(self) -> list[int]:
        """Where the searched pages began."""
        return [int(each["start"]) for each in self.asked if "search_query" in each]

    def serve(self, handler: BaseHTTPRequestHandler, body: bytes) -> None:
        parts = urlsplit(handler.path)
        asked = {name: values[0] for name, values in parse_qs(parts.query).items()}
        self.asked.append({**asked, "path": parts.path, "agent": handler.headers["User-Agent"]})
        if parts.path.startswith("/pdf/"):
            pdf = self.pdfs.get(parts.path.removeprefix("/pdf/"))
            reply: Reply = (404, {}, b"") if pdf is None else (200, {}, pdf)
        else:
            reply = self.faults.pop(0)(self, asked) if self.faults else self.answer(asked)
        status, headers, said = reply
        send(handler, status, said, headers)
        if self.after is not None:
            self.after(self)

    def there(self, paper: Paper) -> tuple[Version, ...]:
        """The versions of a paper that are there by now."""
        return tuple(each for each in paper.versions if each.dated + self.lag <= self.at)

    def answer(self, asked: dict[str, str]) -> Reply:
        start, most = int(asked["start"]), int(asked["max_results"])
        if "id_list" in asked:
            found = self._by_id(asked["id_list"].split(","))
            if found is None:
                return 400, {}, self.error("incorrect id format for " + asked["id_list"]).encode()
        else:
            found = self._search(asked)
        return 200, {}, self.feed(found[start : start + most], len(found), start).encode()

    def _by_id(self, ids: Sequence[str]) -> list[tuple[Paper, int]] | None:
        found = []
        for each in ids:
            parts = re.fullmatch(r"([0-9.]+|[a-z-]+/[0-9]+)(?:v([0-9]+))?", each)
            if parts is None:
                return None
            for paper in self.papers:
                versions = len(self.there(paper))
                if paper.id == parts[1] and int(parts[2] or versions) <= versions and versions:
                    found.append((paper, int(parts[2] or versions)))
        return found

    def _search(self, asked: dict[str, str]) -> list[tuple[Paper, int]]:
        query = asked["search_query"]
        wanted = re.findall(r"cat:(\S+?)(?=[ )]|$)", query)
        found = [
            (paper, len(versions))
            for paper in self.papers
            if (versions := self.there(paper)) and any(_in(each, paper.categories) for each in wanted)
        ]
        for name, first, last in re.findall(r"(\w+Date):\[(\d{12}) TO (\d{12})\]", query):
            ends = [datetime.strptime(each, "%Y%m%d%H%M").replace(tzinfo=UTC) for each in (first, last)]
            found = [each for each in found if ends[0] <= _date(name, *each) <= ends[1]]
        return sorted(found, key=lambda each: (_date(asked["sortBy"], *each), each[0].id), reverse=True)

    def feed(self, found: Sequence[tuple[Paper, int]], total: int, start: int) -> str:
        counts = {"itemsPerPage": len(found), "totalResults": total, "startIndex": start}
        told = "".join(f"<opensearch:{name}>{n}</opensearch:{name}>" for name, n in counts.items())
        return f"{HEAD}{told}{''.join(entry(*each) for each in found)}</feed>"

    def error(self, said: str) -> str:
        return (
            f"{HEAD}<opensearch:totalResults>1</opensearch:totalResults><opensearch:startIndex>0"
            f"</opensearch:startIndex><entry><id>https://arxiv.org/api/errors#x</id><title>Error</title>"
            f"<summary>{escape(said)}</summary></entry></feed>"
        )


def entry(paper: Paper, number: int) -> str:
    """The Atom of one version."""
    version = paper.versions[number - 1]
    return (
        f"<entry><id>http://arxiv.org/abs/{paper.id}v{number}</id><title>{escape(version.title)}</title>"
        f"<updated>{version.dated:%Y-%m-%dT%H:%M:%SZ}</updated>"
        f'<link href="https://arxiv.org/pdf/{paper.id}v{number}" rel="related" title="pdf"/>'
        f"<summary>{escape(version.summary)}</summary>"
        + "".join(f'<category term="{each}" scheme="s"/>' for each in paper.categories)
        + f"<published>{paper.submitted:%Y-%m-%dT%H:%M:%SZ}</published>"
        + (f"<arxiv:comment>{escape(version.comment)}</arxiv:comment>" if version.comment else "")
        + f'<arxiv:primary_category term="{paper.categories[0]}"/>'
        + "<author><name>Ida Mole</name></author></entry>"
    )


def _in(wanted: str, categories: Sequence[str]) -> bool:
    if wanted.endswith(".*"):
        return any(each.startswith(wanted[:-1]) for each in categories)
    return wanted in categories


def _date(name: str, paper: Paper, number: int) -> datetime:
    return paper.submitted if name == "submittedDate" else paper.versions[number - 1].dated
