"""Documents of LangChain as JSON: lists, objects by their ids, and what its `dumps` writes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from hashlib import blake2b
from typing import Any

from asof.data import Problem
from asof.imports.stores.rows import Row

IDS = ("id", "_id", "doc_id")


def is_document(value: object) -> bool:
    """Whether a JSON value is a document: `page_content` or `text`, or an object that `dumps` wrote."""
    return isinstance(value, Mapping) and bool(value.keys() & {"page_content", "text", "kwargs"})


def rows(value: object, name: str) -> Iterator[Row | Problem]:
    """A row for each document of a list, or of an object that has them by their ids; a Problem for what is
    none.

    Without an id of its own a document is called SOURCE:N, the Nth of its `source`, or else by a digest of
    its text, so that another text is another document.
    """
    sources: Counter[str] = Counter()
    if is_document(value):
        pairs: Any = [("", value)]
    else:
        pairs = value.items() if isinstance(value, Mapping) else (("", each) for each in _listed(value))
    for number, (key, stored) in enumerate(pairs, 1):
        if not is_document(stored):
            place = f"{key[:80]!r}" if key else f"item {number}"
            yield Problem(f"{place} is no document: page_content and metadata are expected", name)
            continue
        inner = stored.get("kwargs")
        document = inner if isinstance(inner, Mapping) else stored
        text = document.get("page_content", document.get("text"))
        given = document.get("metadata")
        metadata = dict(given) if isinstance(given, Mapping) else {}
        yield Row(key or _id(document, metadata, text, sources), text, metadata)


def _listed(value: object) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _id(document: Mapping[str, Any], metadata: Mapping[str, Any], text: object, sources: Counter[str]) -> str:
    own = document.get("id")
    for value in (own, *(metadata.get(name) for name in IDS)):
        if isinstance(value, str | int) and not isinstance(value, bool) and str(value).strip():
            return str(value)
    source = metadata.get("source")
    if isinstance(source, str) and source.strip():
        sources[source] += 1
        return f"{source}:{sources[source]}"
    return blake2b(str(text).encode("utf-8", "backslashreplace"), digest_size=12).hexdigest()
