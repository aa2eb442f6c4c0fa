"""Texts are prepared by worker processes, ahead of the one process that writes.

    batch n+1 is read and handed out  ->  batch n is written from what the workers return

What they return is what the writer would compute itself (`prepare.py`), so a corpus is the same whatever
their number. They hold no lock and touch no file: one that is ended leaves nothing behind.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from types import TracebackType
from typing import Self

from asof.data import Document, SafeToCommit, Statement
from asof.errors import CorpusError
from asof.store.prepare import PreparedText, TextPreparation
from asof.store.settings import CorpusSettings

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
    Close it, or use it in a `with` statement. Raises CorpusError when a worker was ended from outside.
    """

    def __init__(
        self,
        settings: CorpusSettings,
        count: int,
        known: Callable[[Sequence[str]], set[str]],
        worth: int = WORTH,
    ) -> None:
        self.settings, self.count, self.known, self.worth = settings, count, known, worth
        self._pool: Processes | None = None
        self._results: dict[int, tuple[Document, Callable[[], list[PreparedText]], int]] = {}

    def ahead(self, batches: Iterable[list[Statement]]) -> Iterator[list[Statement]]:
        """The batches; of large ones the next is read, and handed out, before one is given."""
        before: list[Statement] | None = None
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
        """What a worker made of this document; None if it was not handed out."""
        _, done, place = self._results.pop(id(document), (None, None, 0))
        return None if done is None else done()[place]

    def close(self) -> None:
        """End the processes; what is not begun is dropped."""
        if self._pool is not None:
            self._pool.close()
        self._pool = None
        self._results.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        frames: TracebackType | None,
    ) -> None:
        self.close()

    def _hand_out(self, batch: Sequence[Statement]) -> bool:
        """Whether a batch is large enough; its new documents are handed out then."""
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
            self._pool = Processes(self.settings, self.count)
        done = self._pool.begin(group)
        self._results.update((id(each), (each, done, place)) for place, each in enumerate(group))


def _size(document: Document) -> int:
    return len(document.text) + EACH


class Processes:
    """Up to `count` processes, which prepare several groups of documents at a time."""

    def __init__(self, settings: CorpusSettings, count: int) -> None:
        context = multiprocessing.get_context("spawn")
        self._executor = ProcessPoolExecutor(count, context, _begin, (settings,))

    def begin(self, group: list[Document]) -> Callable[[], list[PreparedText]]:
        """Begin with a group; what is returned waits until it is done, and gives what was made of each.
        Both raise CorpusError where a process was ended from outside."""
        with _alive():
            future = self._executor.submit(_prepared, group)

        def done() -> list[PreparedText]:
            with _alive():
                return future.result()

        return done

    def close(self) -> None:
        """Drop what is not begun."""
        self._executor.shutdown(cancel_futures=True)


@contextmanager
def _alive() -> Iterator[None]:
    try:
        yield
    except BrokenProcessPool as error:
        raise CorpusError(
            "a process that prepares texts was ended from outside, perhaps for want of memory; what was "
            "committed stays: run the same command again, or with --workers 1"
        ) from error


# -- in a worker ----------------------------------------------------------------------------------------

_preparation: list[TextPreparation] = []


def _begin(settings: CorpusSettings) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the writer ends its workers
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _preparation.append(TextPreparation.of(settings))


def _end_with_parent() -> None:
    """A writer that is killed ends nobody, and its workers would wait forever."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _prepared(group: list[Document]) -> list[PreparedText]:
    return [_preparation[0].prepared(each) for each in group]
