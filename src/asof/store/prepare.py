"""What follows from a document alone, whatever the corpus holds: its digest, passages, and their times.

So it can be computed in any process and in any order, with the same result (`workers.py`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Self

from asof.data import Document
from asof.store.about import AboutTime, TimeReadingOptions, passage_times
from asof.store.digest import (
    DigestedPassage,
    SharedAttributes,
    content_digest,
    document_passages,
    shared_attributes,
    span_of,
    time_bounds,
)
from asof.time.span import Span

if TYPE_CHECKING:
    from asof.store.settings import CorpusSettings
    from asof.text.chunks import Chunking
    from asof.text.tokens import Analyzer


class PreparedText(NamedTuple):
    """The digest, shared attributes and passages of a document. `times`: those that each passage speaks of
    if the version is `published` as the document states."""

    content: bytes
    head: SharedAttributes
    passages: list[DigestedPassage]
    published: Span | None
    times: list[tuple[AboutTime, ...]]


@dataclass(frozen=True, slots=True)
class TextPreparation:
    """How the texts of a corpus are analysed and split."""

    analyzer: Analyzer
    chunking: Chunking
    search: str | tuple[str, ...]

    @classmethod
    def of(cls, settings: CorpusSettings, analyzer: Analyzer | None = None) -> Self:
        """That of some settings; `analyzer`: theirs, if the caller has one."""
        from asof.text.chunks import Chunking

        return cls(analyzer or settings.analyzer(), Chunking.parse(settings.chunking), settings.search)

    def head(self, document: Document) -> SharedAttributes:
        """The attributes that all passages of a document share."""
        language = document.language
        if language not in self.analyzer.languages:
            language = self.analyzer.detect(document.text)
        return shared_attributes(document, language, self.search)

    def passages(self, document: Document, head: SharedAttributes) -> list[DigestedPassage]:
        return document_passages(document, head, self.chunking)

    def prepared(self, document: Document) -> PreparedText:
        """All of it."""
        head = self.head(document)
        passages = self.passages(document, head)
        starts, ends = time_bounds(document.published)
        published = None if starts is None or ends is None else span_of(starts, ends)
        options = TimeReadingOptions(head.language, head.fiscal_start)
        times = [
            passage_times(head.about, head.title, each.headings, each.text, published, options)
            for each in passages
        ]
        return PreparedText(content_digest(document), head, passages, published, times)
