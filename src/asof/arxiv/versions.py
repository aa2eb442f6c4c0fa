"""What entries state: each version that is not known, the earlier ones fetched by their ids."""

from __future__ import annotations

from collections.abc import Collection, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from asof.arxiv.documents import document, document_id, withdrawn
from asof.arxiv.feed import FeedEntry, UnusableEntry
from asof.arxiv.harvest import PAGE_SIZE, ArxivApi
from asof.arxiv.harvest_log import Known
from asof.arxiv.harvest_range import Figures
from asof.arxiv.target import PaperId
from asof.data import Document, Problem
from asof.sources.scheme import ERASED

MAX_EARLIER = 50
"""So many of the latest versions before the last are taken of a paper, beside the first."""

EARLIER_PER_RUN, EARLIER_PER_PAPER = 2_000, 5
"""A run asks for at most `EARLIER_PER_RUN` earlier versions, and `EARLIER_PER_PAPER` more for every paper
that it lists: a paper of arXiv has fewer than one on average, and a feed may say anything."""


@dataclass(slots=True)
class VersionReader:
    """States the versions of papers, each once (`seen`, as `2401.13222v2`). `erased`: the papers that were
    passed over, since they are not to be taken in again. `left`: how many earlier versions may be asked for.

    A version that is `known` is not stated again: at arXiv its words do not change any more, and a reference
    to a journal that was added since would count as an edit of today, after versions of yesterday.
    """

    api: ArxivApi
    known: Known
    figures: Figures
    size: int = PAGE_SIZE
    seen: set[str] = field(default_factory=set)
    erased: set[str] = field(default_factory=set)
    left: int = EARLIER_PER_RUN

    def allowed(self, entries: Sequence[FeedEntry]) -> list[FeedEntry]:
        """The entries without those of papers that were erased."""
        known = self.numbers(entries)
        self.erased.update(paper for paper, versions in known.items() if ERASED in versions)
        return [each for each in entries if each.paper.id not in self.erased]

    def state(
        self, entries: Sequence[FeedEntry], alone: Collection[str] = ()
    ) -> Iterator[Document | Problem]:
        """The versions of the entries, and all before them. `alone`: ids of papers of which no version but
        the entry's is requested."""
        known = self.numbers(entries)
        self.left += EARLIER_PER_PAPER * len(entries)
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
        """Which versions of the entries' papers are known."""
        papers = {each.paper.id for each in entries}
        return self.known(papers) if papers else {}

    def fresh(self, entries: Iterable[FeedEntry | UnusableEntry]) -> list[FeedEntry]:
        """The entries that were not seen, each once."""
        by_name = {str(each.paper): each for each in entries if isinstance(each, FeedEntry)}
        return [each for name, each in by_name.items() if name not in self.seen]

    def unusable(self, entries: Iterable[FeedEntry | UnusableEntry]) -> Iterator[Problem]:
        """What cannot be read, each once."""
        for each in entries:
            if isinstance(each, UnusableEntry) and each.id not in self.seen:
                self.seen.add(each.id)
                yield Problem(f"the entry {each.reason}", each.id or "arXiv", remedy="index again later")

    def _earlier_versions(
        self, entry: FeedEntry, known: Collection[int]
    ) -> Generator[Problem, None, list[PaperId]]:  # fmt: skip
        """The earlier versions of a paper that are to be asked for; what is left out is a problem."""
        id_, last = entry.paper.id, entry.paper.version
        latest = range(max(2, last - MAX_EARLIER), last)
        numbers = [each for each in (*range(1, min(2, last)), *latest) if each not in known]
        if len(latest) < last - 2 and last not in known:
            yield Problem(
                f"it has {last} versions: taken are the first and the latest {MAX_EARLIER + 1}",
                str(entry.paper), lost=False, document=document_id(id_),
            )  # fmt: skip
        if len(numbers) > self.left:
            yield Problem(
                f"its {len(numbers)} earlier versions are not asked for: too many were in this run",
                str(entry.paper), remedy=f"asof index {document_id(id_)}", document=document_id(id_),
            )  # fmt: skip
            numbers = []
        self.left -= len(numbers)
        return [PaperId(id_, each) for each in numbers]

    def _earlier(self, ids: Sequence[PaperId]) -> dict[PaperId, FeedEntry]:
        """Versions by their own ids: what the API gives in place of one is not taken for it."""
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
