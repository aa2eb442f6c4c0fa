"""A corpus in a folder in memory, whose clock is moved by hand."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from asof.corpus.corpus import Corpus
from asof.corpus.corpus import open as open_corpus
from asof.data import Document, Ended, Problem, SourcedTime
from asof.store.settings import CorpusSettings
from asof.time.moment import read


@dataclass
class Clock:
    """A clock that goes on by a second at each look, and can be moved to the first instant of a date."""

    now: int = 0

    def __call__(self) -> int:
        self.now += 1_000_000
        return self.now

    def to(self, date: str) -> int:
        self.now = read(date).first
        return self.now


@dataclass
class Said:
    """A source that states what it is told to; what it does not state any more has ended."""

    name: str = "said"
    kind: str = "test"
    complete: bool = True
    items: list[Document | Ended | Problem] = field(default_factory=list)

    def documents(self) -> Iterator[Document | Ended | Problem]:
        return iter(self.items)


Fresh = Callable[..., AbstractContextManager[Corpus]]


@pytest.fixture(scope="session")
def fresh() -> Fresh:
    """A new corpus, its clock at 2025; settings as keywords."""

    @contextmanager
    def make(now: str = "2025", **settings: Any) -> Iterator[Corpus]:
        memory = Path("/dev/shm")  # noqa: S108
        with (
            tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as folder,
            open_corpus(folder, settings=CorpusSettings(**settings)) as corpus,
        ):
            clock = Clock()
            clock.to(now)
            corpus.session.clock = clock
            corpus.maintenance.background = False
            yield corpus

    return make


@pytest.fixture(scope="session")
def said() -> Callable[..., Said]:
    """A complete source of these items."""
    return lambda *items, name="said": Said(name=name, items=list(items))


@pytest.fixture(scope="session")
def document() -> Callable[..., Document]:
    """A document from id, text and the date that it claims."""

    def make(id_: str, text: str, date: str | None = None, by: str = "metadata", **more: Any) -> Document:
        published = SourcedTime(read(date), date, by) if date else None
        return Document(id_, text, published=published, **more)

    return make
