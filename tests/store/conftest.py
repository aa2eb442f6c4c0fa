"""A corpus in a folder in memory, whose clock is moved by hand."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any

import pytest
from tests.support.corpora import Clock, new_corpus

from asof.corpus.corpus import Corpus
from asof.time.moment import read
from asof.values import Document, Ended, Problem, SourcedTime


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

    return lambda now="2025", **settings: new_corpus(clock=Clock.at(now), **settings)


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
