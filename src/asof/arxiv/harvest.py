"""Paging through what a query finds: every result once, although the feed may shift meanwhile.

The API counts results from the newest on. One that comes in or goes away while pages are fetched shifts the
rest, and a page can then miss what slid over its edge. So a part of the window is whole only when all its
pages state the same total and as many papers came; else it is walked through again.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol
from urllib.parse import urlencode

from asof.arxiv import feed as atom
from asof.arxiv.feed import Feed, FeedEntry, UnusableEntry
from asof.arxiv.harvest_log import SUBMITTED, UPDATED, HarvestLine
from asof.arxiv.ranges import MINUTE, Stretch, halves, minutes
from asof.arxiv.target import PaperId
from asof.http.fetcher import Fetcher
from asof.http.retry import RetryLater
from asof.time.span import instant

PAGE_SIZE = 100
MAX_RESULTS = 30_000
"""The API gives no results beyond these."""

MAX_PART_RESULTS = 3_000
"""A part with more results is cut in two by date: deep pages are slow, and a shift costs less."""

MAX_ROUNDS = 3

EMPTY_ANSWERS = 3
"""So often the first page of a part has to be empty, or a paper missing, until that is believed."""


class HarvestWriter(Protocol):
    """Where finished pages are written down, and read again by the run that goes on."""

    def of(self, part: str) -> Sequence[HarvestLine]: ...
    def add(self, line: HarvestLine) -> None: ...


@dataclass(frozen=True, slots=True)
class HarvestPart:
    """A stretch of time in which papers were submitted, or (`updated`) got a version, of papers submitted
    within `submitted`."""

    stretch: Stretch
    updated: bool = False
    submitted: Stretch | None = None

    @property
    def name(self) -> str:
        """How it is written down: equal for equal parts."""
        return f"{UPDATED if self.updated else SUBMITTED} {self.stretch[0]} {self.stretch[1]}"

    def query(self, categories: str) -> str:
        """As the API searches it."""
        terms = [categories]
        if self.submitted is not None:
            terms.append(f"submittedDate:{minutes(self.submitted)}")
        terms.append(f"{'lastUpdatedDate' if self.updated else 'submittedDate'}:{minutes(self.stretch)}")
        return " AND ".join(terms)

    def at(self, entry: FeedEntry) -> int:
        """The instant of an entry by which it is listed here."""
        return instant(entry.updated if self.updated else entry.published)

    def halves(self) -> list[HarvestPart]:
        return [HarvestPart(each, self.updated, self.submitted) for each in halves(self.stretch)]


@dataclass(slots=True)
class PartCount:
    """What came of one part: `listed` in this round, `ever` in all of them. `total`: as stated last."""

    round: int = 1
    start: int = 0
    total: int = 0
    totals: set[int] = field(default_factory=set)
    listed: set[str] = field(default_factory=set)
    ever: set[str] = field(default_factory=set)

    def add(self, line: HarvestLine) -> None:
        if line.round != self.round:
            self.again()
        self.start, self.total = line.after, line.total
        self.totals.add(line.total)
        self.listed.update(line.listed)
        self.ever.update(line.listed)

    def again(self) -> None:
        """Another round."""
        self.round, self.start, self.total = self.round + 1, 0, 0
        self.totals.clear()
        self.listed.clear()

    @property
    def ended(self) -> bool:
        return bool(self.totals) and self.start >= min(self.total, MAX_RESULTS)

    @property
    def whole(self) -> bool:
        """Whether nothing shifted in this round, and all that the feed announced has come."""
        return len(self.totals) == 1 and len(self.listed) >= self.total


@dataclass(frozen=True, slots=True)
class ArxivApi:
    """The API at an address."""

    url: str
    fetcher: Fetcher

    def search(self, part: HarvestPart, categories: str, start: int, most: int, known_total: int) -> Feed:
        """A page of what is in a part, from `start` on; `known_total`: the results in all
        that an earlier page announced. Raises SourceError."""
        parameters = {
            "search_query": part.query(categories), "start": start, "max_results": most,
            "sortBy": "lastUpdatedDate" if part.updated else "submittedDate", "sortOrder": "descending",
        }  # fmt: skip

        def read(body: bytes) -> Feed:
            page = atom.read(body)
            total = page.total or known_total
            if not page.entries and start < min(total, MAX_RESULTS):
                raise RetryLater(f"the page from {start} on is empty, of {total} results")
            return page

        return self.fetcher.get(f"{self.url}?{urlencode(parameters)}", read)

    def papers(self, ids: Sequence[PaperId]) -> list[FeedEntry | UnusableEntry]:
        """The papers of ids, or their versions, as far as there are any; at most a page. What does not come
        is asked for again: now and then the API leaves out what there is. Raises SourceError."""
        entries: list[FeedEntry | UnusableEntry] = []
        for _ in range(EMPTY_ANSWERS):
            came = {form for each in entries if isinstance(each, FeedEntry) for form in each.paper.forms}
            if missing := [each for each in ids if each not in came]:
                parameters = {"id_list": ",".join(map(str, missing)), "start": 0, "max_results": len(missing)}
                entries += self.fetcher.get(f"{self.url}?{urlencode(parameters)}", _page_of_ids).entries
        return entries


def _page_of_ids(body: bytes) -> Feed:
    """A page of papers that were asked for by their ids. Raises RetryLater for one that announces some
    and has none."""
    page = atom.read(body)
    if not page.entries and page.total:
        raise RetryLater(f"the page is empty, of {page.total} results")
    return page


@dataclass(slots=True)
class ResultPage:
    """A page of a part that is not yet written down. `taken`: the versions that its reader took from it."""

    part: HarvestPart
    feed: Feed
    taken: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Harvest:
    """The pages of `categories` that were not fetched before. `size`: results a page. `short`: parts of which
    fewer papers came than were announced, however often they were asked for: how many, of how many."""

    api: ArxivApi
    categories: str
    log: HarvestWriter
    size: int = PAGE_SIZE
    most: int = MAX_PART_RESULTS
    short: list[tuple[HarvestPart, int, int]] = field(default_factory=list)

    def pages(self, part: HarvestPart, enough: Callable[[HarvestPart], bool]) -> Iterator[ResultPage]:
        """The pages of a part, the newest first, until there are no more or there is `enough`. A page counts
        as fetched when the next one is asked for. Raises SourceError."""
        waiting = [part]
        while waiting:
            waiting += yield from self._part(waiting.pop(), enough)

    def _part(
        self, part: HarvestPart, enough: Callable[[HarvestPart], bool]
    ) -> Generator[ResultPage, None, list[HarvestPart]]:
        """Its pages; what is left to do where it has to be cut in two."""
        count = PartCount()
        for line in self.log.of(part.name):
            count.add(line)
        while not enough(part):
            if count.ended:
                if count.whole:
                    break
                if count.round == MAX_ROUNDS:
                    if len(count.ever) < count.total:
                        self.short.append((part, len(count.ever), count.total))
                    break
                count.again()
            feed = self._feed(part, count)
            if count.start == 0 and feed.total > self.most and (cut := part.halves()):
                return cut
            page = ResultPage(part, feed)
            yield page
            line = _line(page, count)
            self.log.add(line)
            count.add(line)
            if _beyond(part, feed):
                break
        return []

    def _feed(self, part: HarvestPart, count: PartCount) -> Feed:
        """A page. That there is nothing at all is asked again: now and then the API says so without cause.

        Nothing new since the last run is what most runs hear, and the next one asks for these days again.
        """
        for _ in range(1 if part.updated else EMPTY_ANSWERS):
            feed = self.api.search(part, self.categories, count.start, self.size, count.total)
            if feed.entries or count.start:
                break
        return feed


def _beyond(part: HarvestPart, feed: Feed) -> bool:
    """Whether a page comes to entries before the part: if a server does not know how to search by date, the
    rest is older still."""
    last = feed.entries[-1] if feed.entries else None
    return isinstance(last, FeedEntry) and part.at(last) < part.stretch[0] - 2 * MINUTE


def _line(page: ResultPage, count: PartCount) -> HarvestLine:
    entries = page.feed.entries
    listed = (each.paper.id if isinstance(each, FeedEntry) else each.id for each in entries)
    after = count.start + len(entries)
    return HarvestLine(
        page.part.name, count.round, count.start, after, page.feed.total, tuple(listed), tuple(page.taken)
    )
