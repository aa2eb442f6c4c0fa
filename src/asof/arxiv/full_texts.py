"""The full text of a paper: a document of its own beside the abstract, so that each can be searched alone."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from asof.arxiv.documents import FULL as FULL
from asof.arxiv.documents import dated, document_id, meta, withdrawn
from asof.arxiv.documents import full_id as full_id
from asof.arxiv.feed import BrokenFeed, FeedEntry
from asof.data import Document, Problem
from asof.http.fetcher import DownloadTooLarge, Fetcher, NotFound
from asof.sources.pdf import read
from asof.sources.readers import Unreadable
from asof.sources.source import InputLimits

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
            file = read(raw, entry.title, self.limits, references=False)
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
