"""How answers change: timelines, and differences between two moments; and links as they stood."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, TypedDict

from asof.data.json import Instant, SpanJson, TimeJson, one_of, optional_time_json, validity_json
from asof.time.span import iso

if TYPE_CHECKING:
    from asof.graph.diff import Difference, ResultSide
    from asof.graph.links import Reach
    from asof.graph.timeline import Timeline


class ConflictJson(TypedDict):
    """A statement of another document that differs while this one is current."""

    id: Annotated[str, "the passage"]
    document: Annotated[str, "its document"]
    visible: Annotated[Instant, "since when it can be seen"]
    sentence: Annotated[str, "what it says"]


class TimelineEntryJson(TypedDict):
    """A statement, and how long it was current."""

    id: Annotated[str, "the passage"]
    document: Annotated[str, "its document"]
    title: Annotated[str, "the document's title"]
    published: Annotated[TimeJson | None, "when it was published; null: not known"]
    valid: Annotated[SpanJson, "from when until when it was current; `until` is null: it still is"]
    sentence: Annotated[str, "in which it differs from the one before (the first: from the next)"]
    words_added: Annotated[list[str], "runs of words that are new since the one before"]
    words_removed: Annotated[list[str], "runs of words that are gone since the one before"]
    contradicted_by: list[ConflictJson]


class TimelineJson(TypedDict):
    """How the answer to a query changed."""

    query: Annotated[str, "as it was asked"]
    as_of: Annotated[Instant, "the moment whose state of the documents was asked"]
    known_at: Annotated[Instant, "the moment whose knowledge of them was asked"]
    left_out: Annotated[int, "how many older statements there are beside `entries`"]
    entries: Annotated[list[TimelineEntryJson], "the statements of one series, oldest first"]


class SideJson(TypedDict):
    """What one of two answers has of a subject."""

    rank: Annotated[int, "of its best hit"]
    id: Annotated[str, "the passage that was newest then"]
    document: Annotated[str, "its document"]
    title: Annotated[str, "the document's title"]
    visible: Annotated[Instant | None, "since when it can be seen; null: undated"]
    sentence: Annotated[str, "what it says"]


class ChangeJson(TypedDict):
    """What became of a subject: a series of statements, or a passage in none."""

    kind: Annotated[str, one_of("changed", "added", "removed", "unchanged")]
    before: Annotated[SideJson | None, "as of `a`; null: no hit"]
    after: Annotated[SideJson | None, "as of `b`; null: no hit"]
    words_added: Annotated[list[str], "runs of words that are new, where it changed"]
    words_removed: Annotated[list[str], "runs of words that are gone, where it changed"]


class DiffJson(TypedDict):
    """The answers to a query as of two moments, side by side."""

    query: Annotated[str, "as it was asked"]
    a: Annotated[Instant, "the first moment"]
    b: Annotated[Instant, "the second moment"]
    changes: Annotated[list[ChangeJson], "changed, added, removed, unchanged, each by rank"]


def timeline_json(timeline: Timeline) -> TimelineJson:
    return {
        "query": timeline.question, "as_of": iso(timeline.as_of), "known_at": iso(timeline.known_at),
        "left_out": timeline.left_out,
        "entries": [
            {
                "id": entry.id, "document": entry.document, "title": entry.title,
                "published": optional_time_json(entry.published),
                "valid": validity_json(entry.start, entry.end), "sentence": entry.sentence,
                "words_added": list(entry.added), "words_removed": list(entry.removed),
                "contradicted_by": [
                    {"id": each.id, "document": each.document, "visible": iso(each.start),
                     "sentence": each.sentence}
                    for each in entry.contradicted
                ],
            }
            for entry in timeline.entries
        ],
    }  # fmt: skip


def diff_json(difference: Difference) -> DiffJson:
    return {
        "query": difference.question, "a": iso(difference.before), "b": iso(difference.after),
        "changes": [
            {
                "kind": each.kind, "before": _side_json(each.before), "after": _side_json(each.after),
                "words_added": list(each.added), "words_removed": list(each.removed),
            }
            for each in difference.changes
        ],
    }  # fmt: skip


def _side_json(side: ResultSide | None) -> SideJson | None:
    if side is None:
        return None
    return {
        "rank": side.rank, "id": side.id, "document": side.document, "title": side.title,
        "visible": None if side.start is None else iso(side.start), "sentence": side.sentence,
    }  # fmt: skip


# -- links -----------------------------------------------------------------------------------------------


class NeighbourJson(TypedDict):
    """A document within reach of links."""

    document: str
    title: str
    distance: Annotated[int, "how many links away"]
    direction: Annotated[str, one_of("out", "in", "both")]


class LinksJson(TypedDict):
    """What a document links to, and what links to it."""

    document: str
    as_of: Annotated[Instant, "the moment whose state of the documents was asked"]
    known_at: Annotated[Instant | None, "the moment whose knowledge of them was asked; null: all of it"]
    neighbours: list[NeighbourJson]
    broken: Annotated[list[str], "broken links, as they are written"]


def links_json(reach: Reach, as_of: int, known_at: int | None) -> LinksJson:
    return {
        "document": reach.document, "as_of": iso(as_of),
        "known_at": None if known_at is None else iso(known_at),
        "neighbours": [
            {
                "document": each.document, "title": each.title, "distance": each.distance,
                "direction": each.direction,
            }
            for each in reach.neighbours
        ],
        "broken": list(reach.broken),
    }  # fmt: skip
