"""The corpus that a retriever asks: an open one, or that of a folder, which is opened when it is needed."""

from __future__ import annotations

import threading
import weakref
from pathlib import Path
from typing import Any, Self

from asof.corpus.corpus import Corpus
from asof.corpus.corpus import open as open_corpus
from asof.errors import UsageError


class CorpusHandle:
    """Gives the corpus to all that share this handle: threads, copies, retrievers with other options.

    A copy is the handle itself. Pickled, it is the path of the folder: a corpus that was opened with a model
    or an encoder of its own is opened without it where that is read.
    """

    def __init__(self, index: str | Path | None = None, corpus: Corpus | None = None) -> None:
        """`index`: the folder in which `.asof` lies. Raises UsageError unless one of the two is given."""
        if (index is None) == (corpus is None):
            raise UsageError(
                "a retriever needs either index, the folder in which .asof lies, or corpus, an open one"
            )
        self.folder = Path(index) if corpus is None and index is not None else _root(corpus)
        self._given = corpus
        self._opened: Corpus | None = None
        self._closing: weakref.finalize[Any, Any] | None = None
        self._lock = threading.Lock()

    def corpus(self) -> Corpus:
        """The corpus, open. Raises NoCorpus where the folder has none, and what else `asof.open` does."""
        if self._given is not None:
            return self._given
        with self._lock:
            if self._opened is None:
                self._opened = open_corpus(self.folder, create=False)
                self._closing = weakref.finalize(self, self._opened.close)
            return self._opened

    def close(self) -> None:
        """Close the corpus, if it was opened here; the next question opens it again."""
        with self._lock:
            if self._closing is not None:
                self._closing()
            self._opened = self._closing = None

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self

    def __reduce__(self) -> tuple[type[Self], tuple[str]]:
        return type(self), (str(self.folder),)


def _root(corpus: object) -> Path:
    """The folder of a corpus. Raises UsageError for anything else."""
    if not isinstance(corpus, Corpus):
        raise UsageError(f"corpus is {corpus!r:.60}; accepted: an open corpus, as asof.open gives one")
    return corpus.root
