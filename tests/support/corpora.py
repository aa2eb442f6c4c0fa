"""Corpora in memory, whose clocks are moved by hand."""

from __future__ import annotations

import itertools
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from asof.corpus.corpus import Corpus
from asof.corpus.corpus import open as open_corpus
from asof.documents import Document
from asof.store.schema import CorpusSettings
from asof.time.moment import read

SHARED_MEMORY = Path("/dev/shm")  # noqa: S108
MEMORY = SHARED_MEMORY if SHARED_MEMORY.is_dir() else None
"""Where folders lie in memory; None where there is no such place."""


@contextmanager
def memory_folder() -> Iterator[Path]:
    """A folder in memory where there is one, for corpora that are made and written very often."""
    with tempfile.TemporaryDirectory(dir=MEMORY) as folder:
        yield Path(folder)


@dataclass
class Clock:
    """A clock that goes on by a step in microseconds at each look, and can be moved to a date."""

    now: int = 0
    step: int = 1_000_000

    @classmethod
    def at(cls, date: str, step: int = 1_000_000) -> Clock:
        return cls(read(date).first, step)

    def __call__(self) -> int:
        self.now += self.step
        return self.now

    def to(self, date: str) -> int:
        """Move it to the first instant of a date."""
        self.now = read(date).first
        return self.now


@contextmanager
def new_corpus(
    documents: Iterable[Document] | None = None, *, clock: Callable[[], int] | None = None,
    encoder: Any = None, **settings: Any,
) -> Iterator[Corpus]:  # fmt: skip
    """A new corpus in memory of some documents; settings as keywords. It merges no segments by itself. Its
    clock stands at 2025 and goes on by a second at each look, if no other is given."""
    chosen = CorpusSettings(**settings)
    with memory_folder() as folder, open_corpus(folder, encoder=encoder, settings=chosen) as corpus:
        corpus.session.clock = clock or itertools.count(read("2025").first, 1_000_000).__next__
        corpus.maintenance.background = False
        if documents is not None:
            corpus.add(documents)
        yield corpus
