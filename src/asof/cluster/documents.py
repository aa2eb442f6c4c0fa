"""What shards say of documents by their ids and names: each lies whole in one of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from asof.index.view import View
from asof.store.documents import (
    DocumentAsOf,
    DocumentSummary,
    document_as_of,
    documents_as_of,
    versions_by_month,
)
from asof.store.find_document import DocumentNames, names_as_of
from asof.store.passages import Life, VisiblePassage, lives, passage_as_of


def _names(view: View, wanted: str) -> DocumentNames:
    return names_as_of(view.store, wanted)


def _text(view: View, document: str) -> str | None:
    return view.store.text(document)


def _document(view: View, document: str) -> DocumentAsOf | None:
    return document_as_of(view.store, document)


def _passage(view: View, hit: str) -> VisiblePassage | None:
    return passage_as_of(view.store.db, hit, view.as_of, view.known_at)


def _lives(view: View, hits: list[str]) -> dict[str, list[Life]]:
    return lives(view.store.db, hits, view.as_of, view.known_at)


def _documents(view: View, after: str, most: int, part: str) -> list[DocumentSummary]:
    return documents_as_of(view.store, after, most, part)


def _calendar(view: View) -> list[tuple[str, int]]:
    return versions_by_month(view.store)


OF_DOCUMENTS: Mapping[str, Callable[..., Any]] = {
    "names": _names,
    "text": _text,
    "document": _document,
    "passage": _passage,
    "lives": _lives,
    "documents": _documents,
    "calendar": _calendar,
}
"""What a shard answers of its own documents, by name (`asof.cluster.calls`)."""


def only(answers: Iterable[Any]) -> Any:
    """The answer of the shard that has one; None where none has."""
    return next((each for each in answers if each is not None), None)


def months(calendars: Iterable[list[tuple[str, int]]]) -> list[tuple[str, int]]:
    """How many versions all shards have of each month."""
    counts: Counter[str] = Counter()
    for each in calendars:
        counts.update(dict(each))
    return sorted(counts.items())
