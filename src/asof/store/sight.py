"""Passages as a view sees them, by their ids: where they stand, since when, until when."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from typing import NamedTuple

from asof.data import SourcedTime
from asof.store.digest import hit_id, span_of
from asof.time.span import BEGINNING


class VisiblePassage(NamedTuple):
    """A passage that is or was in force in a view: `visible` is the instant of its beginning, `ended` that of
    its end as far as the view knows one, None while it is in force. `number` is its place in the document."""

    passage: int
    document: str
    key: bytes
    title: str
    uri: str
    text: str
    number: int
    visible: int
    ended: int | None
    published: SourcedTime | None

    @property
    def id(self) -> str:
        """As hits have it."""
        return hit_id(self.document, self.key)

    @property
    def order(self) -> tuple[int, str, int, bytes]:
        """What sorts passages in the same way in every corpus that holds them."""
        return self.visible, self.document, self.number, self.key


_SIGHT = (
    "SELECT p.id, d.name, p.key, h.title, h.uri, p.text, p.number, p.visible,"
    " (SELECT min(e.at) FROM ends AS e WHERE e.passage = p.id AND e.added <= ?3) AS ended,"
    " v.published, v.starts, v.ends, v.dated_by FROM json_each(?1) AS wanted"
    " JOIN passages AS p ON p.id = wanted.value JOIN documents AS d ON d.id = p.document"
    " JOIN heads AS h ON h.id = p.head JOIN versions AS v ON v.id = p.version"
    " WHERE p.visible <= ?2 AND p.added <= ?3"
)


def sights(
    db: sqlite3.Connection, passages: Iterable[int], as_of: int, known_at: int, *, ended: bool = False
) -> dict[int, VisiblePassage]:
    """Those of these passages that are in force at (`as_of`, `known_at`), by id.

    `ended`: also those that were in force before; never what had turned out to be wrong (retired).
    """
    found = {}
    for row in db.execute(_SIGHT, (json.dumps(list(passages)), as_of, known_at)):
        passage, document, key, title, uri, text, number, visible, end, *date = row
        over = end is not None and end <= as_of
        if over and (not ended or end <= BEGINNING or end <= visible):
            continue
        words, starts, ends, dated_by = date
        published = (
            None
            if starts is None or ends is None
            else SourcedTime(span_of(starts, ends), words or "", dated_by)
        )
        found[passage] = VisiblePassage(
            passage, document, key, title, uri, text, number, visible, end if over else None, published
        )
    return found
