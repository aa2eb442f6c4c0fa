"""Paging through the results of a query: every result once, although the feed may shift meanwhile.

The API counts results from the newest on. One that comes in or goes away while pages are fetched shifts the
rest, and a page can then miss what slid over its edge. So a part of the window is whole only when all its
pages state the same total and as many papers came; else it is walked through again. Which parts are done lies
in `.asof/fetched`, and can be deleted: then the next run asks arXiv again. It is used only as far as the
store has the papers it names.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from hashlib import blake2b
from pathlib import Path
from urllib.parse import urlencode

import msgspec
from msgspec import Struct

from asof import files
from asof.cli.terminal import counted
from asof.errors import SourceError
from asof.extensions.providers.http import Fetcher, RetryLater
from asof.extensions.systems import arxiv as atom
from asof.extensions.systems.arxiv import Feed, FeedEntry, PaperId, UnusableEntry
from asof.time.span import TICK, instant, nearest_moment
from asof.wire import replace

# -- ranges: pairs of instants, both inclusive -----------------------------------------------------


Stretch = tuple[int, int]

MINUTE = timedelta(minutes=1) // TICK
DAY = timedelta(days=1) // TICK


def without(window: Stretch, covered: Iterable[Stretch]) -> list[Stretch]:
    """The stretches of a window that no other one covers, earliest first."""
    left = []
    first, last = window
    for begin, end in sorted(covered):
        if begin > first:
            left.append((first, min(begin - 1, last)))
        first = max(first, end + 1)
        if first > last:
            break
    left.append((first, last))
    return [each for each in left if each[0] <= each[1]]


def joined(stretches: Iterable[Stretch]) -> list[Stretch]:
    """The same stretches, in order, with those that touch or overlap as one."""
    merged: list[Stretch] = []
    for first, last in sorted(each for each in stretches if each[0] <= each[1]):
        if merged and first <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(merged[-1][1], last))
        else:
            merged.append((first, last))
    return merged


def days(window: Stretch) -> list[Stretch]:
    """The days (UTC) of a window, cut to it, earliest first."""
    first, last = window
    numbers = range(first // DAY, last // DAY + 1)
    return [(max(first, day * DAY), min(last, (day + 1) * DAY - 1)) for day in numbers]


def halves(stretch: Stretch) -> list[Stretch]:
    """Both halves, the earlier one first, cut at a full minute; empty where no minute lies between."""
    first, last = stretch
    middle = (first + last) // 2 // MINUTE * MINUTE
    return [(first, middle - 1), (middle, last)] if first < middle <= last else []


def minutes(stretch: Stretch) -> str:
    """The stretch as the API searches it, widened to full minutes."""
    first, last = stretch
    return f"[{_minute(first // MINUTE * MINUTE)} TO {_minute((last // MINUTE + 1) * MINUTE)}]"


def _minute(instant: int) -> str:
    at = nearest_moment(instant)
    return f"{at.year:04}{at:%m%d%H%M}"


# -- the log of fetched windows --------------------------------------------------------------------


LARGEST = 64 * 2**20
WITNESSES = 8

Known = Callable[[Collection[str]], Mapping[str, Collection[int]]]
"""The versions of papers (ids without `arxiv:`) that the store has; `erased.ERASED` of one that was
erased from it."""


class HarvestCoverage(Struct, frozen=True):
    """The coverage of earlier runs: submissions within `covered`, new versions until `checked`.

    `witnesses` are a few of the papers that were stated.
    """

    covered: tuple[Stretch, ...] = ()
    checked: int = 0
    witnesses: tuple[str, ...] = ()


@dataclass(slots=True)
class HarvestLog:
    """The file of one corpus's `.asof/fetched` for the source and settings in `name`."""

    folder: Path
    name: str
    known: Known

    @contextmanager
    def turn(self) -> Iterator[float]:
        """Nobody else fetches into this corpus meanwhile. Gives the seconds since somebody did. Raises
        SourceError when somebody does."""
        with alone(self.folder) as descriptor:
            if descriptor is None:
                raise SourceError(another(self.folder))
            last = os.fstat(descriptor)
            os.utime(descriptor)  # two times of one file: no clock of ours is compared with the file system's
            passed = (os.fstat(descriptor).st_mtime_ns - last.st_mtime_ns) / 1e9
            try:
                yield max(passed, 0.0) if last.st_size else float("inf")
            finally:
                os.pwrite(descriptor, b"asof", 0)
                os.utime(descriptor)

    def done(self) -> HarvestCoverage:
        """The coverage of earlier runs; nothing where that is not known, or the store has it no more."""
        with contextlib.suppress(OSError, msgspec.MsgspecError, RecursionError):
            done = msgspec.json.decode(files.read_file(self._path, LARGEST), type=HarvestCoverage)
            known = self.known(done.witnesses) if done.witnesses else {}
            if all(known.get(each) for each in done.witnesses):
                return done
        return HarvestCoverage()

    def save(self, done: HarvestCoverage) -> None:
        kept = replace(done, witnesses=done.witnesses[:WITNESSES])
        files.write_file(self._path, msgspec.json.encode(kept))

    @property
    def _path(self) -> Path:
        return self.folder / f"{blake2b(self.name.encode(), digest_size=12).hexdigest()}.json"


@contextmanager
def alone(folder: Path) -> Iterator[int | None]:
    """The lock of the folder (its descriptor) while it is held; None when somebody else holds it."""
    files.make_folder(folder)
    with files.try_lock(folder / "lock") as descriptor:
        yield descriptor


def another(folder: Path) -> str:
    """The message where another process holds it."""
    return f"another process fetches from arXiv into {folder.parent}: wait until it has ended"


# -- paging ----------------------------------------------------------------------------------------


PAGE_SIZE = 100
MAX_RESULTS = 30_000
"""The API gives no results beyond these."""

MAX_PART_RESULTS = 1_000
"""A part with more results is cut in two by date: deep pages are slow, and a shift, or a run that breaks off,
costs less."""

MAX_ROUNDS = 3

EMPTY_ANSWERS = 3
"""So often the first page of a part has to be empty, or a paper missing, until that is believed."""


@dataclass(frozen=True, slots=True)
class HarvestPart:
    """A stretch of time in which papers were submitted, or (`updated`) got a version, of papers submitted
    within `submitted`."""

    stretch: Stretch
    updated: bool = False
    submitted: Stretch | None = None

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


@dataclass(frozen=True, slots=True)
class ArxivApi:
    """The API at an address."""

    url: str
    fetcher: Fetcher

    def search(self, part: HarvestPart, categories: str, start: int, most: int, known_total: int) -> Feed:
        """A page of a part, from `start` on; `known_total`: the results in all
        that an earlier page announced. Raises SourceError."""
        parameters = {
            "search_query": part.query(categories), "start": start, "max_results": most,
            "sortBy": "lastUpdatedDate" if part.updated else "submittedDate", "sortOrder": "descending",
        }  # fmt: skip

        def read(body: bytes) -> Feed:
            page = atom.read_page(body)
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
    page = atom.read_page(body)
    if not page.entries and page.total:
        raise RetryLater(f"the page is empty, of {page.total} results")
    return page


@dataclass(slots=True)
class Harvest:
    """The pages of `categories`. `size`: results a page. `short`: parts of which fewer papers came than were
    announced, however often they were asked for: how many, of how many."""

    api: ArxivApi
    categories: str
    size: int = PAGE_SIZE
    most: int = MAX_PART_RESULTS
    short: list[tuple[HarvestPart, int, int]] = field(default_factory=list)

    def pages(
        self, part: HarvestPart, enough: Callable[[], bool], finished: Callable[[HarvestPart], None]
    ) -> Iterator[Feed]:
        """The pages of a part, the newest first, until there are no more or there is `enough`. A part with
        too many results is cut in two, the earlier half first. `finished` is called for each when the page
        after its last one is asked for. Raises SourceError."""
        waiting = [part]
        while waiting:
            own = waiting.pop()
            cut = yield from self._part(own, enough)
            waiting += cut[::-1]
            if not cut:
                finished(own)

    def _part(
        self, part: HarvestPart, enough: Callable[[], bool]
    ) -> Generator[Feed, None, list[HarvestPart]]:
        """Its pages; its halves where it has to be cut in two."""
        ever: set[str] = set()
        total = 0
        for _ in range(MAX_ROUNDS):
            listed: set[str] = set()
            totals: set[int] = set()
            start = 0
            while not start or start < min(total, MAX_RESULTS):
                feed = self._feed(part, start, total)
                if not start and feed.total > self.most and (cut := part.halves()):
                    return cut
                yield feed
                total = feed.total
                totals.add(total)
                listed |= {each.name for each in feed.entries}
                start += len(feed.entries)
                if enough() or _beyond(part, feed):
                    return []
                if not feed.entries:
                    break
            ever |= listed
            if len(totals) == 1 and len(listed) >= total:
                return []
        if len(ever) < total:
            self.short.append((part, len(ever), total))
        return []

    def _feed(self, part: HarvestPart, start: int, total: int) -> Feed:
        """A page. That there is nothing at all is asked again: now and then the API says so without cause.

        Nothing new since the last run is what most runs hear, and the next one asks for these days again.
        """
        for _ in range(1 if part.updated else EMPTY_ANSWERS):
            feed = self.api.search(part, self.categories, start, self.size, total)
            if feed.entries or start:
                break
        return feed


def _beyond(part: HarvestPart, feed: Feed) -> bool:
    """True if a page comes to entries before the part: if a server does not know how to search by date, the
    rest is older still."""
    last = feed.entries[-1] if feed.entries else None
    return isinstance(last, FeedEntry) and part.at(last) < part.stretch[0] - 2 * MINUTE


# -- the range and the figures of a run ------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class HarvestRange:
    """The papers of the categories to fetch: instants between which they were submitted (None: since the
    last run, or a week ago; until now), and how many of a day's newest (0: all)."""

    since: int | None = None
    until: int | None = None
    per_day: int = 0


@dataclass(slots=True)
class Figures:
    """The figures of a run: requests, pages of results, versions that were stated, papers all of
    whose versions were known, and full texts."""

    requests: int = 0
    pages: int = 0
    stated: int = 0
    known: int = 0
    texts: int = 0

    def summary(self) -> str:
        """A line for the user."""
        counts = [f"{counted(self.stated, 'new version')} of papers"]
        if self.texts:
            counts.append(counted(self.texts, "full text"))
        if self.known:
            counts.append(f"{counted(self.known, 'paper')} known before")
        cost = f"{counted(self.pages, 'page')}, {counted(self.requests, 'request')}"
        return f"arXiv: {', '.join(counts)}; {cost}"
