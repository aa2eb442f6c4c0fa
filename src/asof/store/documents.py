"""Documents as they stood: one with its text and the versions so far, a page of all, how many by month."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from asof.data import SourcedTime
from asof.store.digest import span_of
from asof.store.reader import AsOfReader, text_of

_COLUMNS = "d.name, h.title, h.uri, h.tags, h.meta, v.published, v.starts, v.ends, v.dated_by, v.visible"
_KNOWN = "v.visible <= :as_of AND v.added <= :known_at AND (v.retired IS NULL OR v.retired > :known_at)"
_CURRENT = (
    "WITH ranked AS (SELECT v.*, row_number() OVER (PARTITION BY v.document"
    f" ORDER BY v.visible DESC, v.added DESC, v.id DESC) AS place FROM versions AS v WHERE {_KNOWN})"
    f" SELECT {_COLUMNS} FROM ranked AS v JOIN documents AS d ON d.id = v.document"
    " JOIN heads AS h ON h.id = v.head WHERE v.place = 1"
)


class DocumentVersion(NamedTuple):
    """A version of a document: the instant from which it is visible, what dates it, and its title; `removed`:
    it is a deletion. `current`: it is the one that holds."""

    visible: int
    published: SourcedTime | None
    title: str
    removed: bool
    current: bool


class DocumentSummary(NamedTuple):
    """What is said of a document in a list. `visible`: the instant since which this version is."""

    id: str
    title: str
    uri: str
    tags: tuple[str, ...]
    meta: Mapping[str, Any]
    published: SourcedTime | None
    visible: int


@dataclass(frozen=True, slots=True)
class DocumentAsOf:
    """A document as it stood: its text, and all its versions until then, oldest first."""

    summary: DocumentSummary
    text: str
    versions: tuple[DocumentVersion, ...]


def document_as_of(store: AsOfReader, name: str) -> DocumentAsOf | None:
    """The document with this id; None where none was current."""
    version = store.current_version(name)
    if version is None:
        return None
    moment = {"name": name, "as_of": store.as_of, "known_at": store.known_at}
    rows = store.db.execute(
        "SELECT v.id, v.visible, v.published, v.starts, v.ends, v.dated_by, coalesce(h.title, ''),"
        " h.id IS NULL FROM versions AS v JOIN documents AS d ON d.id = v.document"
        " LEFT JOIN heads AS h ON h.id = v.head"
        f" WHERE d.name = :name AND {_KNOWN} ORDER BY v.visible, v.added, v.id",
        moment,
    ).fetchall()
    versions = tuple(
        DocumentVersion(visible, _published(*dated), title, bool(removed), number == version[0])
        for number, visible, *dated, title, removed in rows
    )
    head = store.db.execute(
        f"SELECT {_COLUMNS} FROM versions AS v JOIN documents AS d ON d.id = v.document"
        " JOIN heads AS h ON h.id = v.head WHERE v.id = ?",
        (version[0],),
    ).fetchone()
    return DocumentAsOf(_summary(*head), text_of(store.db, *version), versions)


def documents_as_of(store: AsOfReader, after: str, most: int, part: str = "") -> list[DocumentSummary]:
    """At most so many current documents whose ids come after `after`, in order of id; those alone that have
    `part` in their id or title, without regard to ASCII case."""
    rows = store.db.execute(
        f"{_CURRENT} AND d.name > :after AND (instr(lower(d.name), :part) OR instr(lower(h.title), :part)"
        " OR :part = '') ORDER BY d.name LIMIT :most",
        {
            "as_of": store.as_of,
            "known_at": store.known_at,
            "after": after,
            "part": part.lower(),
            "most": most,
        },
    )
    return [_summary(*row) for row in rows]


def versions_by_month(store: AsOfReader) -> list[tuple[str, int]]:
    """For each month with any, how many dated versions were published in it; in order of time."""
    return store.db.execute(
        "SELECT month, count(*) FROM (SELECT strftime('%Y-%m', v.starts / 1000000, 'unixepoch') AS month"
        " FROM versions AS v WHERE v.head IS NOT NULL AND v.dated_by <> 'none' AND v.starts IS NOT NULL"
        f" AND {_KNOWN}) AS dated WHERE month IS NOT NULL GROUP BY month ORDER BY month",
        {"as_of": store.as_of, "known_at": store.known_at},
    ).fetchall()


def _summary(
    name: str, title: str, uri: str, tags: str, meta: str, published: str | None, starts: int | None,
    ends: int | None, dated_by: str, visible: int,
) -> DocumentSummary:  # fmt: skip
    return DocumentSummary(
        name, title, uri, tuple(json.loads(tags)), json.loads(meta),
        _published(published, starts, ends, dated_by), visible,
    )  # fmt: skip


def _published(text: str | None, starts: int | None, ends: int | None, by: str) -> SourcedTime | None:
    return None if starts is None or ends is None else SourcedTime(span_of(starts, ends), text or "", by)
