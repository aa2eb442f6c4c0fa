"""Names in the current facts: mentions of entities, and aliases."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from typing import NamedTuple

from asof.data import EVENT, NAME

_CURRENT = (
    " p.visible <= ?1 AND p.added <= ?2 AND NOT EXISTS"
    " (SELECT 1 FROM ends AS e WHERE e.passage = p.id AND e.added <= ?2 AND e.at <= ?1) "
)
_JOINS = " JOIN passages AS p ON p.id = f.passage JOIN documents AS d ON d.id = p.document "
_NAMES = f"f.kind IN ('{EVENT}', '{NAME}') AND f.value IS NULL AND f.object_key <> ''"
"""SQL: the object of a fact is a name, not a figure."""


class AliasFact(NamedTuple):
    """A fact of kind NAME: `object` is another name of `subject`. `start` and `end` are those of its sentence
    in its passage, both 0 for what the head of the document states."""

    passage: int
    document: str
    subject: str
    object: str
    start: int
    end: int


class TitleAlias(NamedTuple):
    """An alias of a current document, with its title; valid since `visible`."""

    document: str
    title: str
    alias: str
    visible: int


class NameMention(NamedTuple):
    """A name in a document, and the key that it is compared by."""

    document: str
    name: str
    key: str


def alias_facts(db: sqlite3.Connection, as_of: int, known_at: int) -> list[AliasFact]:
    """All current facts of kind NAME, in an order that does not depend on the rest of the corpus."""
    rows = db.execute(
        f"SELECT p.id, d.name, f.subject, f.object, f.start, f.end FROM facts AS f{_JOINS}"
        f" WHERE f.kind = '{NAME}' AND{_CURRENT}ORDER BY d.name, p.number, p.visible, f.number",
        (as_of, known_at),
    )
    return [AliasFact(*row) for row in rows]


def title_aliases(db: sqlite3.Connection, as_of: int, known_at: int) -> list[TitleAlias]:
    """The aliases of all current documents that have a title, in order of documents and aliases."""
    rows = db.execute(
        "SELECT d.name, h.title, a.alias, v.visible FROM aliases AS a JOIN versions AS v ON v.id = a.version"
        " JOIN documents AS d ON d.id = v.document JOIN heads AS h ON h.id = v.head"
        " WHERE v.visible <= ?1 AND v.added <= ?2 AND (v.retired IS NULL OR v.retired > ?2) AND h.title <> ''"
        " AND NOT EXISTS (SELECT 1 FROM versions AS w WHERE w.document = v.document AND w.visible <= ?1"
        "  AND w.added <= ?2 AND (w.retired IS NULL OR w.retired > ?2)"
        "  AND (w.visible, w.added, w.id) > (v.visible, v.added, v.id)) ORDER BY d.name, a.alias",
        (as_of, known_at),
    )
    return [TitleAlias(*row) for row in rows]


def has_aliases(db: sqlite3.Connection) -> bool:
    """Whether any version ever had an alias."""
    return db.execute("SELECT 1 FROM aliases LIMIT 1").fetchone() is not None


def mentions_by_key(
    db: sqlite3.Connection, keys: Iterable[str], as_of: int, known_at: int
) -> list[NameMention]:
    """The distinct names with these keys in current facts, with each document that mentions them."""
    key_list = json.dumps(list(keys))
    rows = db.execute(
        f"SELECT d.name, f.subject, f.subject_key FROM facts AS f{_JOINS}"
        f" WHERE f.subject_key IN (SELECT value FROM json_each(?3)) AND{_CURRENT}"
        f" UNION SELECT d.name, f.object, f.object_key FROM facts AS f{_JOINS}"
        f" WHERE f.object_key IN (SELECT value FROM json_each(?3)) AND {_NAMES} AND{_CURRENT} ORDER BY 1, 2",
        (as_of, known_at, key_list),
    )
    return [NameMention(*row) for row in rows]


def mentions_by_document(
    db: sqlite3.Connection, documents: Iterable[str], as_of: int, known_at: int
) -> dict[str, list[NameMention]]:
    """The names in current facts of these documents, in text order, with repetitions."""
    rows = db.execute(
        "SELECT d.name, f.subject, f.subject_key, CASE WHEN"
        f" {_NAMES} THEN f.object ELSE '' END, f.object_key FROM json_each(?3) AS requested"
        " JOIN documents AS d ON d.name = requested.value JOIN passages AS p ON p.document = d.id"
        f" JOIN facts AS f ON f.passage = p.id WHERE{_CURRENT}"
        "ORDER BY d.name, p.number, p.visible, f.start, f.number",
        (as_of, known_at, json.dumps(list(documents))),
    )
    mentions: dict[str, list[NameMention]] = {}
    for document, subject, subject_key, object_, object_key in rows:
        here = mentions.setdefault(document, [])
        here.append(NameMention(document, subject, subject_key))
        if object_:
            here.append(NameMention(document, object_, object_key))
    return mentions


def all_names(db: sqlite3.Connection, as_of: int, known_at: int) -> list[str]:
    """The distinct names in current facts, sorted."""
    rows = db.execute(
        f"SELECT f.subject FROM facts AS f{_JOINS} WHERE{_CURRENT}"
        f"UNION SELECT f.object FROM facts AS f{_JOINS} WHERE {_NAMES} AND{_CURRENT} ORDER BY 1",
        (as_of, known_at),
    )
    return [name for (name,) in rows]
