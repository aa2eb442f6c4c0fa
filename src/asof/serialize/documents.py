"""Documents as they stood, for the surfaces that open and list them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Annotated, Any, TypedDict

from asof.data.json import Instant, SpanJson, TimeJson, optional_time_json, validity_json
from asof.store.documents import DocumentAsOf, DocumentSummary
from asof.store.passages import VisiblePassage
from asof.time.span import iso


class DocumentSummaryJson(TypedDict):
    """A document in a list."""

    document: Annotated[str, "its id"]
    title: str
    uri: str
    tags: list[str]
    meta: dict[str, Any]
    published: Annotated[TimeJson | None, "null: nobody knows"]
    visible: Annotated[Instant, "since when this version is"]


class VersionJson(TypedDict):
    """A version of a document."""

    visible: Annotated[Instant, "since when it is"]
    published: Annotated[TimeJson | None, "null: nobody knows"]
    title: str
    deletion: Annotated[bool, "the document was removed then"]
    current: Annotated[bool, "it is the one that is shown"]


class DocumentJson(DocumentSummaryJson):
    """A document as it stood at a moment."""

    as_of: Annotated[Instant, "the moment whose state of the documents was asked"]
    known_at: Annotated[Instant | None, "the moment whose knowledge was asked; null: all that is known"]
    text: Annotated[str, "its text from `offset` on"]
    offset: Annotated[int, "the character of the text with which `text` begins"]
    characters: Annotated[int, "of the whole text"]
    versions: Annotated[list[VersionJson], "those until then, oldest first"]


class DocumentsJson(TypedDict):
    """A page of the current documents."""

    as_of: Instant
    known_at: Annotated[Instant | None, "null: all that is known"]
    documents: Annotated[list[DocumentSummaryJson], "in order of id"]
    next: Annotated[str | None, "what `after` has to be for the next page; null: this is the last one"]


class DeletedJson(TypedDict):
    """A document that was deleted with all of its versions."""

    document: str
    passages: Annotated[int, "how many passages it had, in all versions"]


class PassageJson(TypedDict):
    """A passage as it stood, or stood last."""

    id: Annotated[str, "the passage"]
    document: Annotated[str, "its document"]
    title: str
    published: Annotated[TimeJson | None, "null: nobody knows"]
    visible: Annotated[Instant, "since when it is"]
    valid: Annotated[SpanJson, "from when until when it was current; open: it is"]
    text: str
    as_of: Instant
    known_at: Annotated[Instant | None, "null: all that is known"]


class MonthJson(TypedDict):
    """A month and what was published in it."""

    month: Annotated[str, "as 2024-03"]
    versions: Annotated[int, "dated versions of documents that were published in it"]


class CalendarJson(TypedDict):
    """How many versions were published by month."""

    as_of: Instant
    known_at: Annotated[Instant | None, "null: all that is known"]
    months: Annotated[list[MonthJson], "in order of time; without those in which nothing was published"]


def document_json(
    found: DocumentAsOf, as_of: int, known_at: int | None, offset: int = 0, most: int | None = None
) -> DocumentJson:
    """A document, with at most so many characters of its text from `offset` on."""
    return {
        **summary_json(found.summary),
        **_moment(as_of, known_at),
        "text": found.text[offset:] if most is None else found.text[offset : offset + most],
        "offset": min(offset, len(found.text)),
        "characters": len(found.text),
        "versions": [
            {
                "visible": iso(each.visible), "published": optional_time_json(each.published),
                "title": each.title, "deletion": each.removed, "current": each.current,
            }
            for each in found.versions
        ],
    }  # fmt: skip


def summary_json(one: DocumentSummary) -> DocumentSummaryJson:
    return {
        "document": one.id, "title": one.title, "uri": one.uri, "tags": list(one.tags),
        "meta": dict(one.meta), "published": optional_time_json(one.published), "visible": iso(one.visible),
    }  # fmt: skip


def documents_json(
    page: Sequence[DocumentSummary], most: int, as_of: int, known_at: int | None
) -> DocumentsJson:
    """A page of at most `most` documents, of which one more was looked for."""
    shown = page[:most]
    return {
        **_moment(as_of, known_at), "documents": [summary_json(each) for each in shown],
        "next": shown[-1].id if len(page) > most else None,
    }  # fmt: skip


def passage_json(one: VisiblePassage, as_of: int, known_at: int | None) -> PassageJson:
    return {
        **_moment(as_of, known_at), "id": one.id, "document": one.document, "title": one.title,
        "published": optional_time_json(one.published), "visible": iso(one.visible),
        "valid": validity_json(one.visible, one.ended), "text": one.text,
    }  # fmt: skip


def calendar_json(months: Iterable[tuple[str, int]], as_of: int, known_at: int | None) -> CalendarJson:
    return {
        **_moment(as_of, known_at),
        "months": [{"month": month, "versions": count} for month, count in months],
    }


class _MomentJson(TypedDict):
    as_of: Instant
    known_at: Instant | None


def _moment(as_of: int, known_at: int | None) -> _MomentJson:
    return {"as_of": iso(as_of), "known_at": None if known_at is None else iso(known_at)}
