"""What is told of a hit beside its text, as plain values that JSON can hold."""

from __future__ import annotations

from typing import Any

from asof.time.span import iso
from asof.values import Hit

TECHNICAL = ("id", "document", "uri", "score", "published_from", "dated_by", "why")
"""Keys that say nothing to a language model which reads the passage."""


def metadata(hit: Hit, *, explain: bool = False) -> dict[str, Any]:
    """The metadata of a hit.

    `id`: that of the hit; `document`: that of its document. `published`: the date as it was stated, None for
    an undated document; `published_from`: its first instant (ISO 8601, UTC), None for one without a start.
    `dated_by`: where the date was found. `superseded`: None, or the later passage that states the same of the
    same subject: its `id`, `document`, `title`, and `at`, the instant since when it can be seen. `headings`:
    those above the passage, from the top. `why`, if that is to be explained: the tree of the score.
    """
    published, later = hit.published, hit.superseded
    start = None if published is None or published.span.start is None else iso(published.span.first)
    told: dict[str, Any] = {
        "id": hit.id, "document": hit.document, "title": hit.title, "uri": hit.uri,
        "published": None if published is None else published.text, "published_from": start,
        "dated_by": hit.dated_by, "headings": list(hit.place.headings), "score": hit.score,
        "superseded": None if later is None else {
            "id": later.id, "document": later.document, "title": later.title, "at": iso(later.at),
        },
    }  # fmt: skip
    if explain:
        told["why"] = hit.why.as_json()
    return told
