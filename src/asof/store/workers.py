"""Text preparation of documents (digest, passages, their times), in worker processes ahead of the writer.

    batch n+1 is read and handed out  ->  batch n is written from what the workers return

All of it follows from a document alone, so a corpus is the same whatever the number of workers. Workers hold
no lock and touch no file: one that is killed leaves nothing behind.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Self

from asof.errors import CorpusError
from asof.store.digest import (
    AboutTime,
    DigestedPassage,
    SharedAttributes,
    TimeReadingOptions,
    content_digest,
    document_passages,
    passage_times,
    shared_attributes,
    span_of,
    time_bounds,
)
from asof.store.schema import CorpusSettings
from asof.time.span import Span
from asof.values import Document, SafeToCommit, SourceEvent
from asof.wire import replace

if TYPE_CHECKING:
    from concurrent.futures import Future, ProcessPoolExecutor

    from asof.text.passages import Chunking
    from asof.text.tokens import Analyzer


# -- preparation ---------------------------------------------------------------------------------------


class PreparedText(NamedTuple):
    """The digest, shared attributes and passages of a document. `times`: those that each passage is about if
    the version is `published` as the document states."""

    content: bytes
    head: SharedAttributes
    passages: list[DigestedPassage]
    published: Span | None
    times: list[tuple[AboutTime, ...]]


@dataclass(frozen=True, slots=True)
class TextPreparation:
    """Settings by which the texts of a corpus are analysed and split."""

    analyzer: Analyzer
    chunking: Chunking
    search: str | tuple[str, ...]

    @classmethod
    def of(cls, settings: CorpusSettings, analyzer: Analyzer | None = None) -> Self:
        """The preparation of some settings; `analyzer`: theirs, if the caller has one."""
        from asof.text.passages import Chunking

        return cls(analyzer or settings.analyzer(), Chunking.parse(settings.chunking), settings.search)

    def head(self, document: Document) -> SharedAttributes:
        """The attributes that all passages of a document share."""
        return shared_attributes(document, self._language(document), self.search)

    def content(self, document: Document) -> bytes:
        """The digest of a document without its date. A language is part of it only where the text shows
        another one: whether it was stated makes no difference."""
        if document.language and self._language(document) == self.analyzer.detect(document.text):
            document = replace(document, language="")
        return content_digest(document)

    def _language(self, document: Document) -> str:
        known = document.language in self.analyzer.languages
        return document.language if known else self.analyzer.detect(document.text)

    def passages(self, document: Document, head: SharedAttributes) -> list[DigestedPassage]:
        return document_passages(document, head, self.chunking)

    def prepared(self, document: Document) -> PreparedText:
        """Prepares all of a document."""
        head = self.head(document)
        passages = self.passages(document, head)
        starts, ends = time_bounds(document.published)
        published = None if starts is None or ends is None else span_of(starts, ends)
        options = TimeReadingOptions(head.language, head.fiscal_start)
        times = [
            passage_times(head.about, head.title, each.headings, each.text, published, options)
            for each in passages
        ]
        return PreparedText(self.content(document), head, passages, published, times)


# -- workers -------------------------------------------------------------------------------------------

WORTH = 1_000_000
"""Characters of a batch from which on workers are started: it takes them as long as half a second of work."""

AT_ONCE = 100_000
"""Characters that are handed to a worker at a time."""

EACH = 200
"""The characters that take as long as what every document takes besides those of its text."""

LONGEST = 1_000_000
"""Longer texts are left to the writer: a worker ends when its last one is done."""


class TextWorkers:
    """Up to `count` processes that prepare the new documents of large batches; with 1, the writer does all.

    `known` says which of some document ids are in the corpus: of those, and of what is stated twice, mostly
    little is new, which is found out sooner than it is prepared. `worth`: characters of a large batch.
    Close it. Raises CorpusError when a worker was ended from outside.
    """

    def __init__(
        self,
        settings: CorpusSettings,
        count: int,
        known: Callable[[Sequence[str]], set[str]],
        worth: int = WORTH,
    ) -> None:
        self.settings, self.count, self.known, self.worth = settings, count, known, worth
        self._pool: ProcessPoolExecutor | None = None
        self._results: dict[int, tuple[Document, Future[list[PreparedText]], int]] = {}

    def ahead(self, batches: Iterable[list[SourceEvent]]) -> Iterator[list[SourceEvent]]:
        """The batches; of large ones the next is read, and handed out, before one is given."""
        before: list[SourceEvent] | None = None
        for batch in batches:
            begun = self.count > 1 and self._hand_out(batch)
            if before is not None:
                yield before
            before = batch if begun and not isinstance(batch[-1], SafeToCommit) else None
            if before is None:
                yield batch
        if before is not None:
            yield before

    def prepared(self, document: Document) -> PreparedText | None:
        """The text of this document as a worker prepared it; None if it was not handed out."""
        _, future, place = self._results.pop(id(document), (None, None, 0))
        if future is None:
            return None
        with _alive():
            return future.result()[place]

    def close(self) -> None:
        """End the processes; work that is not begun is dropped."""
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)
        self._pool = None
        self._results.clear()

    def _hand_out(self, batch: Sequence[SourceEvent]) -> bool:
        """True if a batch is large enough; its new documents are handed out then."""
        documents = [item for item in batch if isinstance(item, Document)]
        if sum(map(_size, documents)) < self.worth:
            return False
        first = {each.id: each for each in reversed(documents)}
        known = self.known(list(first))
        group: list[Document] = []
        size = 0
        for each in documents:
            if first[each.id] is not each or each.id in known or len(each.text) > LONGEST:
                continue
            group.append(each)
            size += _size(each)
            if size >= AT_ONCE:
                self._submit(group)
                group, size = [], 0
        self._submit(group)
        return True

    def _submit(self, group: list[Document]) -> None:
        if not group:
            return
        if self._pool is None:
            from concurrent.futures import ProcessPoolExecutor
            from multiprocessing import get_context

            context = get_context("spawn")
            self._pool = ProcessPoolExecutor(self.count, context, _begin, (self.settings,))
        with _alive():
            future = self._pool.submit(_prepared, group)
        self._results.update((id(each), (each, future, place)) for place, each in enumerate(group))


def _size(document: Document) -> int:
    return len(document.text) + EACH


@contextmanager
def _alive() -> Iterator[None]:
    from concurrent.futures.process import BrokenProcessPool

    try:
        yield
    except BrokenProcessPool as error:
        raise CorpusError(
            "a process that prepares texts was ended from outside, perhaps for want of memory; what was "
            "committed stays: run the same command again, or with --workers 1"
        ) from error


# -- inside a worker process ---------------------------------------------------------------------------

_preparation: list[TextPreparation] = []


def _begin(settings: CorpusSettings) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the writer ends its workers
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _preparation.append(TextPreparation.of(settings))


def _end_with_parent() -> None:
    """Ends a worker whose writer was killed, as it would wait forever."""
    from multiprocessing import parent_process

    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _prepared(group: list[Document]) -> list[PreparedText]:
    return [_preparation[0].prepared(each) for each in group]
