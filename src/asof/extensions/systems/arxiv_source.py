"""The source `arxiv:`: papers of categories within a window, or by their ids, with all their versions."""

from __future__ import annotations

import re
from collections.abc import Collection, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from asof import files
from asof.arguments import checked
from asof.documents import Document, Problem, SafeToCommit
from asof.errors import Busy, UsageError
from asof.extensions.documents.pdf import read as read_pdf
from asof.extensions.providers.http import DownloadTooLarge, Fetcher, NotFound
from asof.extensions.systems.arxiv import FULL as FULL
from asof.extensions.systems.arxiv import (
    MAX_PER_DAY,
    PREFIX,
    TABLE,
    ArxivSettings,
    ArxivTarget,
    BrokenFeed,
    Feed,
    FeedEntry,
    PaperId,
    UnusableEntry,
    dated,
    document,
    document_id,
    full_id,
    is_target,
    meta,
    paper_id,
    read,
    withdrawn,
)
from asof.extensions.systems.arxiv_harvest import (
    DAY,
    LARGEST,
    MAX_PART_RESULTS,
    MAX_RESULTS,
    PAGE_SIZE,
    WITNESSES,
    ArxivApi,
    Figures,
    Harvest,
    HarvestCoverage,
    HarvestLog,
    HarvestPart,
    HarvestRange,
    Known,
    Stretch,
    alone,
    another,
    days,
    joined,
    without,
)
from asof.sources.readers import Unreadable
from asof.sources.source import ERASED, Erasure, InputLimits, SourceContext, SourceScheme
from asof.time.moment import When, first_instant, last_instant
from asof.time.span import instant, iso
from asof.wire import replace

# -- versions: earlier ones are fetched by their ids -----------------------------------------------


MAX_EARLIER = 50
"""The number of latest versions before the last that are taken of a paper, beside the first."""


@dataclass(slots=True)
class VersionReader:
    """States the versions of papers, each once (`seen`, as `2401.13222v2`).

    A version that is `known` is not stated again: at arXiv its words do not change any more, and a reference
    to a journal that was added since would count as an edit of today, after versions of yesterday.
    """

    api: ArxivApi
    known: Known
    figures: Figures
    size: int = PAGE_SIZE
    seen: set[str] = field(default_factory=set)

    def allowed(self, entries: Sequence[FeedEntry]) -> list[FeedEntry]:
        """The entries without those of papers that were erased: they are not to be taken in again."""
        known = self.numbers(entries)
        return [each for each in entries if ERASED not in known.get(each.paper.id, ())]

    def state(
        self, entries: Sequence[FeedEntry], alone: Collection[str] = ()
    ) -> Iterator[Document | Problem]:
        """The versions of the entries, and all before them. `alone`: ids of papers of which no version but
        the entry's is requested."""
        known = self.numbers(entries)
        earlier_ids: dict[PaperId, list[PaperId]] = {}
        for entry in entries:
            if entry.paper.id not in alone:
                earlier_ids[entry.paper] = yield from self._earlier_versions(
                    entry, known.get(entry.paper.id, ())
                )
        earlier = self._earlier([paper for papers in earlier_ids.values() for paper in papers])
        for papers in earlier_ids.values():
            yield from _missing([paper for paper in papers if paper not in earlier])
        for entry in entries:
            fresh = [earlier[paper] for paper in earlier_ids.get(entry.paper, ()) if paper in earlier]
            if entry.paper.version not in known.get(entry.paper.id, ()):
                fresh.append(entry)
            self.figures.known += not fresh
            for each in fresh:
                self.figures.stated += 1
                yield document(each)
                if withdrawn(each):
                    yield Problem(
                        "this version says that the paper was withdrawn: kept, and tagged so",
                        str(each.paper), lost=False,
                    )  # fmt: skip
        self.seen.update(str(each.paper) for each in entries)

    def numbers(self, entries: Iterable[FeedEntry]) -> Mapping[str, Collection[int]]:
        """The known versions of the entries' papers."""
        papers = {each.paper.id for each in entries}
        return self.known(papers) if papers else {}

    def fresh(self, entries: Iterable[FeedEntry | UnusableEntry]) -> list[FeedEntry]:
        """The entries that were not seen, each once."""
        by_name = {str(each.paper): each for each in entries if isinstance(each, FeedEntry)}
        return [each for name, each in by_name.items() if name not in self.seen]

    def unusable(self, entries: Iterable[FeedEntry | UnusableEntry]) -> Iterator[Problem]:
        """The entries that cannot be read, each once."""
        for each in entries:
            if isinstance(each, UnusableEntry) and each.name not in self.seen:
                self.seen.add(each.name)
                yield Problem(f"the entry {each.reason}", each.name or "arXiv", remedy="index again later")

    def _earlier_versions(
        self, entry: FeedEntry, known: Collection[int]
    ) -> Generator[Problem, None, list[PaperId]]:  # fmt: skip
        """The earlier versions of a paper to ask for; those left out become a problem."""
        id_, last = entry.paper.id, entry.paper.version
        latest = range(max(2, last - MAX_EARLIER), last)
        numbers = [each for each in (*range(1, min(2, last)), *latest) if each not in known]
        if len(latest) < last - 2 and last not in known:
            yield Problem(
                f"it has {last} versions: taken are the first and the latest {MAX_EARLIER + 1}",
                str(entry.paper), lost=False, document=document_id(id_),
            )  # fmt: skip
        return [PaperId(id_, each) for each in numbers]

    def _earlier(self, ids: Sequence[PaperId]) -> dict[PaperId, FeedEntry]:
        """Versions by their own ids: another one in place of one is not taken for it."""
        entries: dict[PaperId, FeedEntry] = {}
        for first in range(0, len(ids), self.size):
            came = self.api.papers(ids[first : first + self.size])
            entries.update((each.paper, each) for each in came if isinstance(each, FeedEntry))
        return entries


def _missing(papers: Sequence[PaperId]) -> Iterator[Problem]:
    """One problem for all the earlier versions of a paper that arXiv does not give."""
    if not papers:
        return
    message = "arXiv does not give this earlier version: its text is not known"
    if len(papers) > 1:
        which = f"{len(papers)} earlier versions, the last of them v{papers[-1].version}"
        message = f"arXiv does not give {which}: their texts are not known"
    yield Problem(message, str(papers[0]), document=document_id(papers[0].id))


# -- erased papers: not added again, named nowhere that is kept between runs -----------------------


NAME = re.compile(r"[0-9a-f]{24}\.(json|tmp)")
"""The names of the files in it."""


@contextmanager
def forgetting(folder: Path, paper: str) -> Iterator[None]:
    """While a paper is erased nobody fetches, and nothing in `folder` names it any more: a file that does is
    removed, and then more is asked for. Raises Busy when somebody fetches."""
    with alone(folder) as descriptor:
        if descriptor is None:
            raise Busy(another(folder))
        for path in map(folder.joinpath, filter(NAME.fullmatch, files.names(folder))):
            if path.suffix == ".tmp" or _names(path, paper):  # .tmp: of a process that was killed
                files.remove(path)
        yield


def _names(path: Path, paper: str) -> bool:
    """True if a file names a paper, or is too large to be ours."""
    try:
        return paper.encode() in files.read_file(path, LARGEST)
    except files.FileTooLarge:
        return True


# -- the source ------------------------------------------------------------------------------------


FIRST_WINDOW = 7 * DAY
"""The window of a first run that names none."""

ANNOUNCEMENT_DELAY = 7 * DAY
"""A paper is announced some days after it was submitted: so many days are asked for again."""

FULL_TEXTS = "arxiv: full texts"
"""The name of the source of all papers that are read for questions."""

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
    _done: HarvestCoverage = field(default_factory=HarvestCoverage, init=False)

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
        before stays, and the next run does not ask for the parts of the window that are done.
        """
        settings = self.settings
        fetcher = self.fetcher or settings.fetcher()
        before, self.figures = fetcher.requests, Figures()
        api = ArxivApi(settings.url, fetcher)
        known = self.log.known if self.log is not None else lambda papers: {}  # noqa: ARG005
        versions = VersionReader(api, known, self.figures, self.size)
        try:
            with self.log.turn() if self.log is not None else nullcontext(None) as ago:
                if ago is not None and fetcher.last is None:
                    fetcher.last = fetcher.clock() - ago
                yield from self._by_id(api, versions) if self.target.papers else self._listed(api, versions)
        finally:
            self.figures.requests = fetcher.requests - before

    def summary(self) -> str:
        """The last run's fetches, in a line; "" if nothing was asked."""
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
        """Those that may be fetched: none that was erased."""
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

        papers = FullTexts(self.settings.pdf_url, api.fetcher)
        known = versions.known({full_id(each.paper.id) for each in entries})
        for entry in entries:
            for item in papers.texts(entry, known.get(full_id(entry.paper.id), ())):
                self.figures.texts += isinstance(item, Document)
                yield item
            yield SafeToCommit()

    # -- papers of categories ----------------------------------------------------------------------------

    def _listed(self, api: ArxivApi, versions: VersionReader) -> Iterator[Item]:
        earlier = self._done = self.log.done() if self.log is not None else HarvestCoverage()
        per_day = self.range.per_day
        size, most = (min(self.size, per_day), MAX_RESULTS) if per_day else (self.size, self.most)
        walk = Harvest(api, self.target.query, size, most)
        for part in self._parts(earlier):
            yield from self._part(part, walk, versions, earlier)
        yield from map(self._short, walk.short)

    def _part(
        self, part: HarvestPart, walk: Harvest, versions: VersionReader, earlier: HarvestCoverage
    ) -> Iterator[Item]:
        """The papers of a part of the window; of a day its newest, where only some of a day are taken."""
        taken: list[FeedEntry] = []
        most = 0 if part.updated else self.range.per_day
        pages = walk.pages(part, lambda: 0 < most <= len(taken), lambda own: self._finished(own, walk, taken))
        for feed in pages:
            self.figures.pages += 1
            yield from versions.unusable(feed.entries)
            entries = versions.allowed(self._wanted(feed, part, earlier, versions))
            entries = entries[: most - len(taken)] if most else entries
            yield from versions.state(entries)
            taken += entries
            yield SafeToCommit()
        if part.updated and not walk.short:
            self._save(checked=self.now)

    def _last(self) -> int:
        """The end of the window: there is nothing after now."""
        return self.now if self.range.until is None else min(self.range.until, self.now)

    def _window(self, done: HarvestCoverage) -> Stretch:
        last = self._last()
        if self.range.since is not None:
            return self.range.since, last
        return min(max((end for _, end in done.covered), default=last - FIRST_WINDOW), last), last

    def _parts(self, done: HarvestCoverage) -> list[HarvestPart]:
        """The ranges to ask for, earliest first: those of the window that no run has covered, and updates
        since."""
        left = without(self._window(done), done.covered)
        if self.range.per_day:
            left = [day for stretch in left for day in days(stretch)]
        parts = [HarvestPart(each) for each in left]
        if done.covered:
            since = done.checked - ANNOUNCEMENT_DELAY
            covered = (done.covered[0][0], done.covered[-1][1])
            parts.append(HarvestPart((since, self.now), updated=True, submitted=covered))
        return parts

    def _wanted(
        self, feed: Feed, part: HarvestPart, earlier: HarvestCoverage, versions: VersionReader
    ) -> list[FeedEntry]:
        """The entries of a page that lie in its part and were not seen; of updates those of papers that a run
        before was to have, and where only some of a day are taken, those that it took."""
        first, last = part.stretch
        entries = [each for each in versions.fresh(feed.entries) if first <= part.at(each) <= last]
        if not part.updated:
            return entries
        entries = [
            each
            for each in entries
            if any(begin <= instant(each.published) <= end for begin, end in earlier.covered)
        ]
        known = versions.numbers(entries) if self.range.per_day else {}
        return [each for each in entries if not self.range.per_day or known.get(each.paper.id)]

    def _finished(self, part: HarvestPart, walk: Harvest, taken: Sequence[FeedEntry]) -> None:
        """Store that a part is done; papers of the last days may yet be announced. Behind a part that was
        short nothing is stored: the next run without `since` goes on from there."""
        if part.updated or walk.short:
            return
        settled = min(part.stretch[1], self.now - ANNOUNCEMENT_DELAY)
        covered = joined([*self._done.covered, (part.stretch[0], settled)])
        witnesses = dict.fromkeys([*(each.paper.id for each in taken), *self._done.witnesses])
        self._save(covered=tuple(covered), witnesses=tuple(witnesses)[:WITNESSES])

    def _save(self, **changed: Any) -> None:
        if self.log is not None:
            self._done = replace(self._done, checked=self._done.checked or self.now)
            self._done = replace(self._done, **changed)
            self.log.save(self._done)

    def _short(self, short: tuple[HarvestPart, int, int]) -> Problem:
        part, came, total = short
        first, last = map(iso, part.stretch)
        return Problem(
            f"arXiv announced {total} papers between {first} and {last}, and gave {came}", self.name,
            remedy="index again later",
        )  # fmt: skip


# -- the scheme, as the entry point names it -------------------------------------------------------


@checked
def open_arxiv(
    target: str,
    context: SourceContext,
    *,
    since: When | None = None,
    until: When | None = None,
    per_day: int | None = None,
    full: bool = False,
) -> Arxiv:
    """The source that `arxiv:cs.IR+cs.CL` or `arxiv:2401.13222` names; arXiv is asked when it is added.

    `since`, `until`: when papers of categories were submitted (default: since the last run, at first for a
    week; until now). `per_day`: only a day's newest. `full`: also the texts of the PDFs of papers that are
    named by their ids.

    Raises SourceError for a target that names nothing at arXiv, UsageError for options that do not go with
    it, BadTime, and MissingExtra for `full` where PDFs cannot be read.
    """
    named, settings = read(target), TABLE.value(context.settings)
    if full:
        from asof.extensions.documents.pdf import installed

        installed()
    if per_day is not None and not 0 <= per_day <= MAX_PER_DAY:
        raise UsageError(f"per day: {per_day} papers; accepted are 1 to {MAX_PER_DAY}, and 0 for all")
    if per_day is None:
        per_day = 0 if named.papers else settings.per_day
    how = context.fields.times
    window = HarvestRange(
        None if since is None else first_instant(since, context.now, how),
        None if until is None else last_instant(until, context.now, how),
        per_day,
    )
    log = _log(context, f"{named.name}, {per_day} a day")
    return Arxiv(named, window, context.now, settings, log, full=full)


def _log(context: SourceContext, name: str) -> HarvestLog | None:
    """The log of what is done; None in a context without a folder: each run begins anew then."""
    if context.folder is None or context.stored is None:
        return None
    stored = context.stored

    def numbers(papers: Collection[str]) -> dict[str, Collection[int]]:
        stored_versions = stored([document_id(each) for each in papers])
        return {name.removeprefix(PREFIX): versions for name, versions in stored_versions.items()}

    return HarvestLog(context.folder, name, numbers)


def paper_of(document: str) -> str:
    """The id of the paper that a document is of, "" if it is of none."""
    paper = paper_id(document[len(PREFIX) :].removesuffix("/full")) if is_target(document) else None
    return "" if paper is None or paper.version else paper.id


def _group(document: str) -> tuple[str, ...]:
    """The abstract and the full text of a paper."""
    paper = paper_of(document)
    return (document_id(paper), document_id(full_id(paper))) if paper else ()


def _unknown_categories(target: str) -> list[str]:
    """Lines about categories that are not listed here, which may be new ones."""
    from asof.extensions.systems.arxiv_question import table

    return [
        f"{each} is no category that is known here; arXiv is asked for it all the same"
        for each in read(target).categories
        if each not in table().titles and not each.endswith(".*")
    ]


SCHEME = SourceScheme(
    open_arxiv,
    TABLE,
    Erasure(_group, lambda folder, document: forgetting(folder, paper_of(document)), lasting=True),
    _unknown_categories,
)


# -- full texts: documents of their own beside the abstracts ---------------------------------------


LIMITS = InputLimits(file=50 * 2**20, pages=300)
"""A longer PDF is a thesis or a volume of proceedings, which says little of one question."""


@dataclass(frozen=True, slots=True)
class FullTexts:
    """Full texts from an address that a version's id is put behind (`https://arxiv.org/pdf`)."""

    url: str
    fetcher: Fetcher
    limits: InputLimits = LIMITS

    def texts(self, entry: FeedEntry, known: Collection[int]) -> Iterator[Document | Problem]:
        """The full text of an entry's version, published when that was, unless its number is `known`. A PDF
        that is not there or cannot be read is a problem: the abstract is there all the same. Raises
        SourceError, MissingExtra."""
        if entry.paper.version in known:
            return
        if withdrawn(entry):
            yield self._problem(entry, "the paper was withdrawn: there is no full text", lost=False)
            return
        try:
            raw = self.fetcher.get(f"{self.url}/{entry.paper}", _is_pdf, self.limits.file)
            file = read_pdf(raw, entry.title, self.limits, references=False)
        except (NotFound, DownloadTooLarge) as wrong:
            yield self._problem(entry, f"there is no PDF to be had: {wrong}")
            return
        except Unreadable as wrong:
            yield self._problem(entry, str(wrong), wrong.remedy)
            return
        yield from (Problem(note.message, str(entry.paper), lost=False) for note in file.notes)
        yield Document(
            document_id(full_id(entry.paper.id)), file.text, entry.title, dated(entry),
            tags=(*entry.categories, FULL), meta=meta(entry, FULL), outline=file.outline,
            uri=f"https://arxiv.org/pdf/{entry.paper}", language="en",
        )  # fmt: skip

    def _problem(self, entry: FeedEntry, message: str, remedy: str = "", *, lost: bool = True) -> Problem:
        document = document_id(full_id(entry.paper.id))
        text = f"{message}; its abstract is indexed"
        return Problem(text, str(entry.paper), remedy=remedy, document=document, lost=lost)


def _is_pdf(body: bytes) -> bytes:
    """The body, if it is a PDF; arXiv makes some when they are first asked for, and says so in HTML."""
    if b"%PDF-" not in body[:1024]:
        raise BrokenFeed("the answer is no PDF")
    return body
