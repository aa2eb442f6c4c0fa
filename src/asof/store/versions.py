"""Stored version numbers of documents, as their sources number them, and marks of erased documents."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from hashlib import blake2b

from asof.data.sourced_time import SourcedTime
from asof.sources.scheme import ERASED
from asof.store.digest import span_of
from asof.store.schema import set_meta


def version_numbers(db: sqlite3.Connection, names: Iterable[str]) -> dict[str, set[int]]:
    """The numbers (`version` in the metadata) of all versions of these documents that have one.

    For a document that was erased for good and is not stored again: `ERASED`.
    """
    names = list(names)
    rows = db.execute(
        "SELECT d.name, json_extract(h.meta, '$.version') FROM json_each(?) AS requested"
        " JOIN documents AS d ON d.name = requested.value LEFT JOIN versions AS v ON v.document = d.id"
        " AND v.retired IS NULL LEFT JOIN heads AS h ON h.id = v.head",
        (json.dumps(names),),
    )
    numbers: dict[str, set[int]] = {}
    stored = set()
    for name, number in rows:
        stored.add(name)
        if isinstance(number, int):
            numbers.setdefault(name, set()).add(number)
    absent = (name for name in names if name not in stored)
    return numbers | {name: {ERASED} for name in _erased(db, absent)}


def published_at(db: sqlite3.Connection, name: str, visible: int, known_at: int) -> SourcedTime | None:
    """The date of the version of a document that can be seen since an instant; None where it has none."""
    row = db.execute(
        "SELECT v.published, v.starts, v.ends, v.dated_by FROM versions AS v JOIN documents AS d"
        " ON d.id = v.document WHERE d.name = ?1 AND v.visible = ?2 AND v.added <= ?3"
        " AND (v.retired IS NULL OR v.retired > ?3) AND v.starts IS NOT NULL AND v.ends IS NOT NULL"
        " ORDER BY v.id DESC LIMIT 1",
        (name, visible, known_at),
    ).fetchone()
    if row is None:
        return None
    published, starts, ends, by = row
    return SourcedTime(span_of(starts, ends), published or "", by)


def mark_erased(db: sqlite3.Connection, name: str) -> None:
    """Mark a document as erased for good. Only a digest of its name is stored, so that the name cannot be
    read from the database."""
    set_meta(db, _digest(name), "")


def _erased(db: sqlite3.Connection, names: Iterable[str]) -> Iterable[str]:
    """The documents among `names` that were erased for good."""
    names = {_digest(name): name for name in names}
    rows = db.execute(
        "SELECT requested.value FROM json_each(?) AS requested JOIN meta ON meta.key = requested.value",
        (json.dumps(list(names)),),
    )
    return [names[key] for (key,) in rows]


def _digest(name: str) -> str:
    """The key of `meta` that marks a document as erased."""
    return f"erased {blake2b(name.encode(), digest_size=16).hexdigest()}"


def known_documents(db: sqlite3.Connection, names: Sequence[str]) -> set[str]:
    """Which of these ids are of documents that the corpus has, or had."""
    rows = db.execute(
        "SELECT name FROM documents WHERE name IN (SELECT value FROM json_each(?))", (json.dumps(names),)
    )
    return {name for (name,) in rows}
