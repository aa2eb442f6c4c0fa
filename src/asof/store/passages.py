"""Passages by their ids: as stored, as visible in a view, and with the history of their validity."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from asof.data import SourcedTime
from asof.store.about import loads
from asof.store.digest import KEY_BYTES, hit_id, indexed_text, span_of
from asof.time.span import BEGINNING, NEVER


class StoredPassage(NamedTuple):
    """A stored passage with the attributes of its document.

    `about`: the times of its document's metadata; `times`: all times that it is about.
    """

    passage: int
    document: str
    key: bytes
    headings: str
    text: str
    title: str
    uri: str
    language: str
    about: str
    keywords: str
    times: str
    published: str | None
    starts: int | None
    ends: int | None
    dated_by: str
    source: str
    tags_json: str = "[]"
    meta_json: str = "{}"

    @property
    def tags(self) -> tuple[str, ...]:
        return tuple(json.loads(self.tags_json))

    @property
    def meta(self) -> dict[str, Any]:
        """The document's metadata, with the types of JSON."""
        return dict(json.loads(self.meta_json))

    @property
    def indexed(self) -> str:
        """The text that is indexed."""
        return indexed_text(self.title, self.headings, self.about, self.text, self.keywords)


_RECORD = (
    "SELECT p.id, d.name, p.key, p.headings, p.text, h.title, h.uri, h.language, h.about, h.keywords,"
    " p.about, v.published, v.starts, v.ends, v.dated_by, s.name, h.tags, h.meta"
    " FROM json_each(?) AS requested JOIN passages AS p ON p.id = requested.value"
    " JOIN documents AS d ON d.id = p.document JOIN versions AS v ON v.id = p.version"
    " JOIN heads AS h ON h.id = p.head JOIN sources AS s ON s.id = h.source"
)


def records(db: sqlite3.Connection, passages: Iterable[int]) -> dict[int, StoredPassage]:
    """The stored passages with these ids, by id."""
    rows = db.execute(_RECORD, (json.dumps(list(passages)),))
    return {row[0]: StoredPassage(*row) for row in rows}


def published_of(record: StoredPassage) -> SourcedTime | None:
    """The date of publication of a passage; None when unknown."""
    return _published(record.published, record.starts, record.ends, record.dated_by)


def _published(text: str | None, starts: int | None, ends: int | None, by: str) -> SourcedTime | None:
    return None if starts is None or ends is None else SourcedTime(span_of(starts, ends), text or "", by)


def about_of(record: StoredPassage) -> tuple[SourcedTime, ...]:
    """The times that a passage is about, those of its document's metadata first."""
    return tuple(time.sourced_time() for time in loads(record.times))


class VisiblePassage(NamedTuple):
    """A passage as visible in a view: `visible` is the instant of its beginning, `ended` that of its end,
    None while it is current. `number` is its place in the document."""

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
    headings: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """The id of the passage in hits."""
        return hit_id(self.document, self.key)

    @property
    def order(self) -> tuple[int, str, int, bytes]:
        """A sort key that is the same in every corpus with these passages."""
        return self.visible, self.document, self.number, self.key


_VISIBLE = (
    "SELECT p.id, d.name, p.key, h.title, h.uri, p.text, p.number, p.headings, p.visible,"
    " (SELECT min(e.at) FROM ends AS e WHERE e.passage = p.id AND e.added <= ?3) AS ended,"
    " v.published, v.starts, v.ends, v.dated_by FROM json_each(?1) AS requested"
    " JOIN passages AS p ON p.id = requested.value JOIN documents AS d ON d.id = p.document"
    " JOIN heads AS h ON h.id = p.head JOIN versions AS v ON v.id = p.version"
    " WHERE p.visible <= ?2 AND p.added <= ?3"
)


def visible_passages(
    db: sqlite3.Connection, passages: Iterable[int], as_of: int, known_at: int, *, ended: bool = False
) -> dict[int, VisiblePassage]:
    """The passages among these that are current at (`as_of`, `known_at`), by id.

    `ended`: also those that were current before; never retired ones.
    """
    visible_by_id = {}
    for row in db.execute(_VISIBLE, (json.dumps(list(passages)), as_of, known_at)):
        passage, document, key, title, uri, text, number, headings, visible, end, *date = row
        over = end is not None and end <= as_of
        if over and (not ended or end <= BEGINNING or end <= visible):
            continue
        published = _published(*date)
        visible_by_id[passage] = VisiblePassage(
            passage,
            document,
            key,
            title,
            uri,
            text,
            number,
            visible,
            end if over else None,
            published,
            tuple(headings.split("\n")) if headings else (),
        )
    return visible_by_id


class Life(NamedTuple):
    """From when a passage was visible, and when it ended (instants); None while it is current."""

    visible: int
    ended: int | None


def lives(db: sqlite3.Connection, hits: Iterable[str], as_of: int, known_at: int) -> dict[str, list[Life]]:
    """The lives that passages had begun by `as_of`, in order of time, by the ids of hits; a text that came
    back has several. Ids of which there is nothing are left out."""
    found = {}
    for hit in hits:
        rows = [each.passage for each in passage_histories(db, hit)]
        seen = visible_passages(db, rows, as_of, known_at, ended=True).values()
        begun = sorted((each for each in seen if each.id == hit), key=lambda each: each.visible)
        if begun:
            found[hit] = [Life(each.visible, each.ended) for each in begun]
    return found


def passage_as_of(db: sqlite3.Connection, hit: str, as_of: int, known_at: int) -> VisiblePassage | None:
    """The passage with a hit's id as it stood, or stood last; None where there was none by then."""
    if "#" not in hit:
        return None
    rows = [each.passage for each in passage_histories(db, hit)]
    seen = visible_passages(db, rows, as_of, known_at, ended=True).values()
    return max((each for each in seen if each.id == hit), key=lambda each: each.visible, default=None)


class PassageHistory(NamedTuple):
    """A validity interval of a passage: from when it is visible, since when the corpus knows it, and all its
    ends.

    `ends` are pairs (at, added), as text "at:added,…".
    """

    passage: int
    visible: int
    dated: int
    added: int
    ends: str | None

    def ended(self, known_at: int) -> int:
        """When it ended as known at `known_at`; NEVER while no end was known."""
        pairs = (pair.split(":") for pair in (self.ends or "").split(",") if pair)
        return min((int(at) for at, added in pairs if int(added) <= known_at), default=NEVER)


def passage_histories(db: sqlite3.Connection, name: str) -> list[PassageHistory]:
    """All intervals of the passages of a document (by its id), or of one of its passages (by a hit's id)."""
    document, _, key = name.rpartition("#")
    where, values = "d.name = ?", [name]
    if document and len(key) == 2 * KEY_BYTES:
        where = "(d.name = ? OR d.name = ? AND lower(hex(p.key)) = ?)"
        values += [document, key.lower()]
    rows = db.execute(
        "SELECT p.id, p.visible, p.dated, p.added, group_concat(e.at || ':' || e.added)"
        " FROM passages AS p JOIN documents AS d ON d.id = p.document LEFT JOIN ends AS e ON e.passage = p.id"
        f" WHERE {where} GROUP BY p.id",
        values,
    )
    return [PassageHistory(*row) for row in rows]


def existing_passages(db: sqlite3.Connection, passages: Iterable[int]) -> set[int]:
    """The ids among these of passages that were not erased."""
    rows = db.execute(
        "SELECT p.id FROM json_each(?) AS requested JOIN passages AS p ON p.id = requested.value",
        (json.dumps(list(passages)),),
    )
    return {passage for (passage,) in rows}


def texts_between(db: sqlite3.Connection, first: int, last: int) -> list[tuple[int, str]]:
    """Passages with ids from `first` to `last`, in order, and their texts."""
    return db.execute(
        "SELECT id, text FROM passages WHERE id BETWEEN ? AND ? ORDER BY id", (first, last)
    ).fetchall()


def texts_of(db: sqlite3.Connection, passages: Sequence[int]) -> list[str]:
    """The texts of these passages, in any order."""
    rows = db.execute(
        "SELECT text FROM passages WHERE id IN (SELECT value FROM json_each(?))", (json.dumps(passages),)
    )
    return [text for (text,) in rows]
