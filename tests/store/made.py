"""What tests of the store are made of: corpora whose clock is moved by hand, sources, documents."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from tests.support.corpora import Clock, new_corpus

from asof.documents import Document, Ended, Problem, SourcedTime
from asof.time.moment import read

Item = Document | Ended | Problem


def fresh(now: str = "2025", **settings: Any) -> Any:
    """A new corpus, its clock at a date; settings as keywords."""
    return new_corpus(clock=Clock.at(now), **settings)


@dataclass
class Said:
    """A source that states what it is told to; what it does not state any more has ended."""

    name: str = "said"
    kind: str = "test"
    complete: bool = True
    items: list[Item] = field(default_factory=list)

    def documents(self) -> Iterator[Item]:
        return iter(self.items)


def said(*items: Item, name: str = "said") -> Said:
    """A complete source of these items."""
    return Said(name, items=list(items))


def document(id_: str, text: str, date: str | None = None, by: str = "metadata", **more: Any) -> Document:
    """A document from id, text and the date that it claims."""
    return Document(id_, text, published=SourcedTime(read(date), date, by) if date else None, **more)
