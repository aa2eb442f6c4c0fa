"""The document that an entry states: one version of a paper, published when it was submitted."""

from __future__ import annotations

import re
from typing import Any

from asof.arxiv.feed import FeedEntry
from asof.arxiv.target import PREFIX
from asof.data import Document, SourcedTime
from asof.sources.dates import second

MAX_AUTHORS = 64
"""So many authors are listed; a longer list says how many there are."""

ABSTRACT, FULL = "abstract", "full"
"""What a document has of a paper: `kind` of its metadata; full texts are tagged so, too."""

WITHDRAWN = "withdrawn"

_WITHDRAWN = re.compile(
    r"\b(?:paper|article|manuscript|submission|preprint|work|version)\b[^.]{0,60}"
    r"\b(?:is|was|has been|have been) (?:being )?(?:temporarily )?withdrawn\b"
    r"|\A\W*(?:this \w+ )?(?:is |was |has been )?withdrawn\b",
    re.IGNORECASE,
)


def document_id(paper: str) -> str:
    """The id of the document that a paper's abstracts are versions of."""
    return PREFIX + paper


def full_id(paper: str) -> str:
    """The part of a full text's id after `arxiv:`."""
    return f"{paper}/{FULL}"


def withdrawn(entry: FeedEntry) -> bool:
    """Whether this version says that the paper was withdrawn."""
    return any(_WITHDRAWN.search(words) is not None for words in (entry.comment, entry.summary))


def dated(entry: FeedEntry) -> SourcedTime:
    """When a version was submitted, to the second. It is announced some days later, which no feed states."""
    return second(int(entry.dated.timestamp()), "metadata")


def document(entry: FeedEntry) -> Document:
    """The abstract of one version."""
    tags = (WITHDRAWN,) if withdrawn(entry) else ()
    return Document(
        document_id(entry.paper.id),
        entry.summary or entry.title,
        entry.title,
        dated(entry),
        tags=(*entry.categories, *tags),
        meta=meta(entry, ABSTRACT),
        uri=f"https://arxiv.org/abs/{entry.paper}",
        language="en",
    )


def meta(entry: FeedEntry, kind: str) -> dict[str, Any]:
    """The metadata of a version; what is empty is left out."""
    fields: dict[str, Any] = {
        "kind": kind,
        "authors": list(entry.authors[:MAX_AUTHORS]),
        "authors_in_all": len(entry.authors) if len(entry.authors) > MAX_AUTHORS else 0,
        "primary_category": entry.primary,
        "doi": entry.doi,
        "journal_ref": entry.journal,
        "comment": entry.comment,
        "version": entry.paper.version,
        WITHDRAWN: withdrawn(entry),
    }
    return {key: value for key, value in fields.items() if value}
