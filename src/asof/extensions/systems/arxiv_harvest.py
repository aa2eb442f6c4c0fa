"""Paging through the results of a query: every result once, although the feed may shift meanwhile.

The API counts results from the newest on. One that comes in or goes away while pages are fetched shifts the
rest, and a page can then miss what slid over its edge. So a part of the window is whole only when all its
pages state the same total and as many papers came; else it is walked through again. The log in
`.asof/fetched` can be deleted: then the next run asks arXiv again. It is used only as far as the store has
the papers it names.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from datetime import timedelta
from hashlib import blake2b
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import urlencode

from asof import files
from asof.errors import SourceError
from asof.extensions.systems import arxiv as atom
from asof.extensions.systems.arxiv import Feed, FeedEntry, PaperId, UnusableEntry
from asof.http import Fetcher, RetryLater
from asof.time.span import TICK, instant, nearest_moment
from asof.wire import replace

# -- ranges: pairs of instants, both inclusive -----------------------------------------------------


Stretch = tuple[int, int]

MINUTE = timedelta(minutes=1) // TICK
DAY = timedelta(days=1) // TICK


def without(window: Stretch, covered: Iterable[Stretch]) -> list[Stretch]:
    """The stretches of a window that no other one covers, latest first."""
    left = []
    first, last = window
    for begin, end in sorted(covered):
        if begin > first:
            left.append((first, min(begin - 1, last)))
        first = max(first, end + 1)
        if first > last:
            break
    left.append((first, last))
    return [each for each in reversed(left) if each[0] <= each[1]]


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
    """The days (UTC) of a window, cut to it, latest first."""
    first, last = window
    numbers = range(last // DAY, first // DAY - 1, -1)
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
SUBMITTED, UPDATED = "submitted", "updated"
RESUME_WITHIN = DAY
"""A run that broke off is gone on with for so long; a later one begins anew."""

Known = Callable[[Collection[str]], Mapping[str, Collection[int]]]
"""The versions of papers (ids without `arxiv:`) that the store has; `erased.ERASED` of one that was
erased from it."""


@dataclass(frozen=True, slots=True)
class HarvestCoverage:
    """The coverage of finished runs: submissions within `covered`, new versions until `checked`.

    `witnesses` are a few of the papers that were stated.
    """

    covered: tuple[Stretch, ...] = ()
    checked: int = 0
    witnesses: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class HarvestHeader:
    """The subject of a run: the words it was asked with, its window, and the instant it began."""

    request: str
    window: Stretch
    started: int


@dataclass(frozen=True, slots=True)
class HarvestLine:
    """A page whose papers are stated: of which part and round, from where to where, of how many in all, which
    papers it listed, and which versions were taken from it (`2401.13222v2`)."""

    part: str
    round: int
    start: int
    after: int
    total: int
    listed: tuple[str, ...]
    taken: tuple[str, ...]

    @property
    def updated(self) -> bool:
        """True if the part lists papers by when they were updated, not submitted."""
        return self.part.startswith(UPDATED)

    @property
    def first(self) -> int:
        """The first instant of the part."""
        return int(self.part.split()[1])


@dataclass(slots=True)
class HarvestLog:
    """The folder of one corpus's `.asof/fetched`, for the source and settings in `name`."""

    folder: Path
    name: str
    known: Known
    _stem: str = field(init=False)

    def __post_init__(self) -> None:
        self._stem = blake2b(self.name.encode(), digest_size=12).hexdigest()

    # -- one run at a time -------------------------------------------------------------------------------

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

    # -- what is done ------------------------------------------------------------------------------------

    def done(self) -> HarvestCoverage:
        """The coverage of finished runs; nothing where that is not known, or the store has it no more."""
        record = self._json(self._path(".json"))
        try:
            done = HarvestCoverage(
                tuple((int(first), int(last)) for first, last in record["covered"]),
                int(record["checked"]), tuple(map(str, record["witnesses"])),
            )  # fmt: skip
        except (KeyError, TypeError, ValueError, OverflowError):
            return HarvestCoverage()
        return done if self._has(done.witnesses) else HarvestCoverage()

    def finish(self, done: HarvestCoverage) -> None:
        """Ends the run: its coverage is kept, its log of pages is not."""
        record = {"name": self.name, "covered": done.covered, "checked": done.checked,
                "witnesses": done.witnesses[:WITNESSES]}  # fmt: skip
        files.write_file(self._path(".json"), json.dumps(record).encode())
        self.forget()

    def forget(self) -> None:
        """Removes the log of how far the run has come."""
        files.remove(self._path(".jsonl"))

    # -- how far a run has come --------------------------------------------------------------------------

    def resume(self, fresh: HarvestHeader) -> tuple[HarvestHeader, list[HarvestLine]]:
        """The run that broke off, if it was asked for with the same words not long ago; else `fresh`."""
        lines = self._lines()
        try:
            head = lines[0]
            first, last = head["window"]
            old = HarvestHeader(str(head["asked"]), (int(first), int(last)), int(head["started"]))
            pages = [_log_line(each) for each in lines[1:]]
        except (IndexError, KeyError, TypeError, ValueError, OverflowError):
            old, pages = replace(fresh, request=""), []
        stated = {each.rpartition("v")[0] for page in pages for each in page.taken}
        recent = 0 <= fresh.started - old.started <= RESUME_WITHIN
        if old.request == fresh.request and recent and self._has(stated):
            return old, pages
        self.forget()
        self._append({"asked": fresh.request, "window": fresh.window, "started": fresh.started})
        return fresh, []

    def page(self, line: HarvestLine) -> None:
        """A page's papers are stated."""
        self._append(asdict(line))

    def _append(self, value: Mapping[str, Any]) -> None:
        with os.fdopen(files.append_file(self._path(".jsonl")), "ab") as file:
            file.write(json.dumps(value).encode() + b"\n")

    def _lines(self) -> list[dict[str, Any]]:
        """The whole lines; one that a kill tore is cut off."""
        path = self._path(".jsonl")
        with contextlib.suppress(OSError, UnicodeDecodeError, ValueError, RecursionError):
            whole = files.read_file(path, LARGEST)
            end = whole.rfind(b"\n") + 1
            if end < len(whole):
                files.write_file(path, whole[:end])
            return [json.loads(each) for each in whole[:end].decode().splitlines()]
        return []

    def _json(self, path: Path) -> Any:
        with contextlib.suppress(OSError, UnicodeDecodeError, ValueError, RecursionError):
            return json.loads(files.read_file(path, LARGEST))
        return None

    def _path(self, suffix: str) -> Path:
        return self.folder / f"{self._stem}{suffix}"

    def _has(self, papers: Collection[str]) -> bool:
        """True if the store has all of these papers."""
        return not papers or not set(papers) - {
            id_ for id_, versions in self.known(papers).items() if versions
        }


@contextmanager
def alone(folder: Path) -> Iterator[int | None]:
    """The lock of the folder (its descriptor) while it is held; None when somebody else holds it."""
    files.make_folder(folder)
    with files.try_lock(folder / "lock") as descriptor:
        yield descriptor


def another(folder: Path) -> str:
    """The message where another process holds it."""
    return f"another process fetches from arXiv into {folder.parent}: wait until it has ended"


def _log_line(record: Mapping[str, Any]) -> HarvestLine:
    """A line as it was written down. Raises ValueError, IndexError, KeyError, TypeError, OverflowError."""
    line = HarvestLine(
        str(record["part"]), int(record["round"]), int(record["start"]), int(record["after"]),
        int(record["total"]),
        tuple(map(str, record["listed"])), tuple(map(str, record["taken"])),
    )  # fmt: skip
    if line.first < 0 or record.keys() != asdict(line).keys():
        raise ValueError(f"{line.part}: no part")
    return line


# -- paging ----------------------------------------------------------------------------------------


PAGE_SIZE = 100
MAX_RESULTS = 30_000
"""The API gives no results beyond these."""

MAX_PART_RESULTS = 3_000
"""A part with more results is cut in two by date: deep pages are slow, and a shift costs less."""

MAX_ROUNDS = 3

EMPTY_ANSWERS = 3
"""So often the first page of a part has to be empty, or a paper missing, until that is believed."""


class HarvestWriter(Protocol):
    """The log of finished pages, which the run that resumes reads again."""

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
        """The key of the part in the log: equal for equal parts."""
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
    """The counts of one part: `listed` in this round, `ever` in all of them. `total`: as stated last."""

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
        """True if nothing shifted in this round, and all that the feed announced has come."""
        return len(self.totals) == 1 and len(self.listed) >= self.total


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
    """True if a page comes to entries before the part: if a server does not know how to search by date, the
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


# -- the range and the figures of a run ------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class HarvestRange:
    """The papers of the categories to fetch: instants between which they were submitted (None: since the
    last run, or a week ago; until now), and how many of a day's newest (0: all). `wording`: the words that
    the instants were read from; a run that broke off is gone on with when the same is asked again."""

    since: int | None = None
    until: int | None = None
    per_day: int = 0
    wording: str = ""

    @property
    def key(self) -> str:
        """A text that is equal when the same is asked again, even where "2 weeks ago" is another instant by
        then."""
        times = self.wording or f"{self.since} {self.until}"
        return f"{times}, {self.per_day} a day"


@dataclass(slots=True)
class Figures:
    """The figures of a run: requests, pages of results, versions that were stated, papers all of
    whose versions were known, pages that a run before had done, and full texts."""

    requests: int = 0
    pages: int = 0
    stated: int = 0
    known: int = 0
    resumed: int = 0
    texts: int = 0

    def summary(self) -> str:
        """A line for the user."""
        counts = [_counted(self.stated, "new version of papers", "new versions of papers")]
        if self.texts:
            counts.append(_counted(self.texts, "full text"))
        if self.known:
            counts.append(f"{self.known:,} paper{'s' * (self.known != 1)} known before")
        before = f" (and {self.resumed:,} by the run that broke off)" if self.resumed else ""
        cost = f"{_counted(self.pages, 'page')}{before}, {_counted(self.requests, 'request')}"
        return f"arXiv: {', '.join(counts)}; {cost}"


def _counted(count: int, one: str, more: str = "") -> str:
    return f"{count:,} {one if count == 1 else more or one + 's'}"
