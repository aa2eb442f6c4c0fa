"""arXiv: papers of categories within a window of time, or papers by their ids, with all their versions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace

from asof.arxiv.documents import document_id, full_id
from asof.arxiv.erasure import hidden
from asof.arxiv.feed import FeedEntry
from asof.arxiv.harvest import MAX_PART_RESULTS, PAGE_SIZE, ArxivApi, Harvest, HarvestPart, ResultPage
from asof.arxiv.harvest_log import HarvestCoverage, HarvestHeader, HarvestLine, HarvestLog
from asof.arxiv.harvest_range import Figures, HarvestRange
from asof.arxiv.ranges import DAY, Stretch, days, joined, without
from asof.arxiv.settings import ArxivSettings
from asof.arxiv.target import ArxivTarget, PaperId
from asof.arxiv.versions import VersionReader
from asof.data import Document, Problem, SafeToCommit
from asof.errors import UsageError
from asof.http.fetcher import Fetcher
from asof.sources.scheme import ERASED
from asof.time.span import instant, iso

FIRST_WINDOW = 7 * DAY
"""The window of a first run that names none."""

ANNOUNCEMENT_DELAY = 7 * DAY
"""A paper is announced some days after it was submitted: so many days are asked for again."""

FULL_TEXTS = "arxiv: full texts"
"""What the source of all papers is called that are read for questions."""

Item = Document | Problem | SafeToCommit


@dataclass(slots=True)
class Arxiv:
    """The source that `arxiv:...` names. `now`: the instant that the run begins. `log`: where it is kept how
    far it came; without it every run begins anew. `size`: results a page; a part of the window with more than
    `most` is cut in two. `full`: also the texts of the papers' PDFs. `reading`: a question wants to read
    these papers, nobody asked for them by their ids: what was erased is passed over, as in categories."""

    target: ArxivTarget
    range: HarvestRange
    now: int
    settings: ArxivSettings = field(default_factory=ArxivSettings)
    log: HarvestLog | None = None
    fetcher: Fetcher | None = None
    size: int = PAGE_SIZE
    most: int = MAX_PART_RESULTS
    full: bool = False
    reading: bool = False
    figures: Figures = field(default_factory=Figures)
    name: str = field(init=False)
    kind: str = field(default="arxiv", init=False)
    complete: bool = field(default=False, init=False)
    _lines: list[HarvestLine] = field(default_factory=list, init=False)
    _covered: tuple[Stretch, ...] = field(default=(), init=False)
    _erased: set[str] = field(default_factory=set, init=False)

    def __post_init__(self) -> None:
        self.name = FULL_TEXTS if self.reading else self.target.name
        since, until, per_day = self.range.since, self.range.until, self.range.per_day
        if self.full and not self.target.papers:
            raise UsageError(f"{self.name}: full texts are fetched of papers that are named by their ids")
        if self.target.papers and (since is not None or until is not None or per_day):
            raise UsageError(f"{self.name}: since, until and per day are for categories, and these are ids")
        last = self._last()
        if since is not None and since > last:
            raise UsageError(f"{self.name}: since {iso(since)} is after {iso(last)}, where it ends")

    def documents(self) -> Iterator[Item]:
        """Every version of every paper that is not known; after each page it can be committed.

        Raises SourceError when arXiv cannot be reached, or answers nothing that can be read; what was stated
        before stays, and the next run of the same words goes on from there.
        """
        settings = self.settings
        fetcher = self.fetcher or settings.fetcher()
        before, self.figures, self._erased = fetcher.requests, Figures(), set()
        api = ArxivApi(settings.url, fetcher)
        known = self.log.known if self.log is not None else lambda papers: {}  # noqa: ARG005
        versions = VersionReader(api, known, self.figures, self.size, erased=self._erased)
        try:
            with self.log.turn() if self.log is not None else nullcontext(None) as ago:
                if ago is not None and fetcher.last is None:
                    fetcher.last = fetcher.clock() - ago
                yield from self._by_id(api, versions) if self.target.papers else self._listed(api, versions)
        finally:
            self.figures.requests = fetcher.requests - before

    def summary(self) -> str:
        """What the last run fetched, in a line; "" if nothing was asked."""
        return self.figures.summary() if self.figures.requests else ""

    # -- papers by their ids -----------------------------------------------------------------------------

    def _by_id(self, api: ArxivApi, versions: VersionReader) -> Iterator[Item]:
        for first in range(0, len(self.target.papers), self.size):
            requested = self._allowed(self.target.papers[first : first + self.size], versions)
            if not requested:
                continue
            results = api.papers(requested)
            self.figures.pages += 1
            yield from versions.unusable(results)
            entries = [each for each in versions.fresh(results) if set(each.paper.forms) & set(requested)]
            came = {form for each in entries for form in each.paper.forms}
            for paper in requested:
                if paper not in came:
                    yield Problem(
                        "there is no such paper, or no such version, at arXiv", str(paper),
                        remedy="look at the id", document=document_id(paper.id),
                    )  # fmt: skip
            yield from versions.state(entries, alone={each.id for each in requested if each.version})
            yield SafeToCommit()
            if self.full:
                yield from self._texts(entries, api, versions)

    def _allowed(self, papers: Sequence[PaperId], versions: VersionReader) -> Sequence[PaperId]:
        """Those that may be fetched: of what a question wants to read, nothing that was erased."""
        if not self.reading:
            return papers
        known = versions.known({name for each in papers for name in (each.id, full_id(each.id))})
        return [
            each
            for each in papers
            if ERASED not in {*known.get(each.id, ()), *known.get(full_id(each.id), ())}
        ]

    def _texts(self, entries: Sequence[FeedEntry], api: ArxivApi, versions: VersionReader) -> Iterator[Item]:
        """The full texts of the entries' versions that are not known."""
        from asof.arxiv.full_texts import FullTexts

        papers = FullTexts(self.settings.pdf_url, api.fetcher)
        known = versions.known({full_id(each.paper.id) for each in entries})
        for entry in entries:
            for item in papers.texts(entry, known.get(full_id(entry.paper.id), ())):
                self.figures.texts += isinstance(item, Document)
                yield item
            yield SafeToCommit()

    # -- papers of categories ----------------------------------------------------------------------------

    def _listed(self, api: ArxivApi, versions: VersionReader) -> Iterator[Item]:
        done = self.log.done() if self.log is not None else HarvestCoverage()
        self._covered = done.covered
        head, self._lines = HarvestHeader(self.range.key, self._window(done), self.now), []
        if self.log is not None:
            head, self._lines = self.log.resume(head)
        self.figures.resumed = len(self._lines)
        versions.seen.update(each for line in self._lines for each in line.taken)
        walk = Harvest(
            api, self.target.query, self, min(self.size, self.range.per_day or self.size), self.most
        )
        for part in self._parts(head, done):
            for page in walk.pages(part, self._enough):
                self.figures.pages += 1
                yield from self._page(page, versions)
                yield SafeToCommit()
        yield from map(self._short, walk.short)
        self._finish(head, done, whole=not walk.short)

    def of(self, part: str) -> Sequence[HarvestLine]:
        """The pages of a part that are written down."""
        return [line for line in self._lines if line.part == part]

    def add(self, line: HarvestLine) -> None:
        """Write a page down, without the names of papers that were erased."""
        listed = tuple(hidden(each) if each in self._erased else each for each in line.listed)
        line = replace(line, listed=listed)
        self._lines.append(line)
        if self.log is not None:
            self.log.page(line)

    def _last(self) -> int:
        """Where the window ends: there is nothing after now."""
        return self.now if self.range.until is None else min(self.range.until, self.now)

    def _window(self, done: HarvestCoverage) -> Stretch:
        last = self._last()
        if self.range.since is not None:
            return self.range.since, last
        return min(max((end for _, end in done.covered), default=last - FIRST_WINDOW), last), last

    def _parts(self, head: HarvestHeader, done: HarvestCoverage) -> list[HarvestPart]:
        """What is to be asked: what of the window no run has covered, and what was updated since."""
        left = without(head.window, done.covered)
        if self.range.per_day:
            left = [day for stretch in left for day in days(stretch)]
        parts = [HarvestPart(each) for each in left]
        if done.covered:
            covered = (done.covered[0][0], done.covered[-1][1])
            parts.append(
                HarvestPart(
                    (done.checked - ANNOUNCEMENT_DELAY, head.started), updated=True, submitted=covered
                )
            )
        return parts

    def _enough(self, part: HarvestPart) -> bool:
        """Whether as many of a day's papers came as were requested."""
        return bool(self.range.per_day) and not part.updated and self._left(part) <= 0

    def _left(self, part: HarvestPart) -> int:
        """How many papers of the day that a part lies in are still to come."""
        day = part.stretch[0] // DAY
        counts = (len(line.taken) for line in self._lines if not line.updated and line.first // DAY == day)
        return self.range.per_day - sum(counts)

    def _covers(self, entry: FeedEntry) -> bool:
        """Whether a run before was to have this paper."""
        at = instant(entry.published)
        return any(first <= at <= last for first, last in self._covered)

    def _page(self, page: ResultPage, versions: VersionReader) -> Iterator[Document | Problem]:
        """What a page states that was not stated before."""
        yield from versions.unusable(page.feed.entries)
        first, last = page.part.stretch
        entries = versions.fresh(page.feed.entries)
        entries = [each for each in entries if first <= page.part.at(each) <= last]
        entries = versions.allowed(entries)
        if page.part.updated:
            entries = [each for each in entries if self._covers(each)]
        if self.range.per_day and page.part.updated:
            known = versions.numbers(entries)
            entries = [each for each in entries if known.get(each.paper.id)]
        elif self.range.per_day:
            entries = entries[: self._left(page.part)]
        yield from versions.state(entries)
        page.taken += [str(each.paper) for each in entries]

    # -- the end of it -----------------------------------------------------------------------------------

    def _short(self, short: tuple[HarvestPart, int, int]) -> Problem:
        part, came, total = short
        first, last = map(iso, part.stretch)
        return Problem(
            f"arXiv announced {total} papers between {first} and {last}, and gave {came}", self.name,
            remedy="index again later",
        )  # fmt: skip

    def _finish(self, head: HarvestHeader, done: HarvestCoverage, *, whole: bool) -> None:
        """Remember what was covered; of a run that missed something, nothing but that it has ended."""
        if self.log is None:
            return
        if not whole:
            self.log.forget()
            return
        settled = min(head.window[1], head.started - ANNOUNCEMENT_DELAY)
        covered = joined([*done.covered, (head.window[0], settled)])
        papers = (each.rpartition("v")[0] for line in self._lines for each in line.taken)
        witnesses = tuple(dict.fromkeys([*papers, *done.witnesses]))
        self.log.finish(HarvestCoverage(tuple(covered), head.started, witnesses))
