"""What entries state: each version that is not known, the earlier ones fetched by their ids."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from asof.data import Document, Problem
from asof.sources.arxiv.feed import Entry, Unusable
from asof.sources.arxiv.kept import Known
from asof.sources.arxiv.pages import A_PAGE, Api
from asof.sources.arxiv.stated import document, document_id, withdrawn
from asof.sources.arxiv.target import PaperId
from asof.sources.arxiv.wanted import Figures


@dataclass(slots=True)
class Versions:
    """States the versions of papers, each once (`seen`, as `2401.13222v2`).

    A version that is `known` is not stated again: at arXiv its words do not change any more, and a reference
    to a journal that was added since would count as an edit of today, after versions of yesterday.
    """

    api: Api
    known: Known
    figures: Figures
    size: int = A_PAGE
    seen: set[str] = field(default_factory=set)

    def state(self, entries: Sequence[Entry], alone: Collection[str] = ()) -> Iterator[Document | Problem]:
        """The versions of the entries, and all before them. `alone`: ids of papers of which no version but
        the entry's is wanted."""
        known = self.numbers(entries)
        wanted = [
            PaperId(each.paper.id, version)
            for each in entries
            if each.paper.id not in alone
            for version in range(1, each.paper.version)
            if version not in known.get(each.paper.id, ())
        ]
        earlier = self._earlier(wanted)
        for paper in wanted:
            if paper not in earlier:
                yield Problem(
                    "arXiv does not give this earlier version: what it said is not known", str(paper),
                    document=document_id(paper.id),
                )  # fmt: skip
        for entry in entries:
            fresh = [earlier[paper] for paper in wanted if paper.id == entry.paper.id and paper in earlier]
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

    def numbers(self, entries: Iterable[Entry]) -> Mapping[str, Collection[int]]:
        """Which versions of the entries' papers are known."""
        papers = {each.paper.id for each in entries}
        return self.known(papers) if papers else {}

    def fresh(self, entries: Iterable[Entry | Unusable]) -> list[Entry]:
        """The entries that were not seen, each once."""
        found = {str(each.paper): each for each in entries if isinstance(each, Entry)}
        return [each for name, each in found.items() if name not in self.seen]

    def unusable(self, entries: Iterable[Entry | Unusable]) -> Iterator[Problem]:
        """What cannot be read, each once."""
        for each in entries:
            if isinstance(each, Unusable) and each.id not in self.seen:
                self.seen.add(each.id)
                yield Problem(f"the entry {each.reason}", each.id or "arXiv", remedy="index again later")

    def _earlier(self, wanted: Sequence[PaperId]) -> dict[PaperId, Entry]:
        """Versions by their own ids: what the API gives in place of one is not taken for it."""
        found: dict[PaperId, Entry] = {}
        for first in range(0, len(wanted), self.size):
            came = self.api.papers(wanted[first : first + self.size])
            found.update((each.paper, each) for each in came if isinstance(each, Entry))
        return found
