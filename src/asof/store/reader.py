"""Reading the store as of a date: versions, texts, links, filters over attributes."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from asof.data import Link
from asof.store.digest import layout_places
from asof.store.links import BY_NAME, LinkTarget, Rank
from asof.store.passages import StoredPassage, records


@dataclass(frozen=True, slots=True)
class AsOfReader:
    """The store at (`as_of`, `known_at`), in instants."""

    db: sqlite3.Connection
    as_of: int
    known_at: int

    _CURRENT = (
        "SELECT v.id, v.layout, v.head FROM versions AS v JOIN documents AS d ON d.id = v.document"
        " WHERE d.name = ? AND v.visible <= ? AND v.added <= ? AND (v.retired IS NULL OR v.retired > ?)"
        " ORDER BY v.visible DESC, v.added DESC, v.id DESC LIMIT 1"
    )

    def current_version(self, document: str) -> tuple[int, bytes | None] | None:
        """The current version of a document, as (id, layout); None when there is none or it is a deletion."""
        row = self.db.execute(self._CURRENT, (document, self.as_of, self.known_at, self.known_at)).fetchone()
        return None if row is None or row[2] is None else (row[0], row[1])

    def was_published(self, document: str) -> bool:
        """Whether a version of a document was published by `as_of`, as known at `known_at`."""
        row = self.db.execute(self._CURRENT, (document, self.as_of, self.known_at, self.known_at)).fetchone()
        return row is not None

    def sources(self) -> list[str]:
        """The names of the sources with documents published by `as_of`, as known at `known_at`, in order."""
        rows = self.db.execute(
            "SELECT DISTINCT s.name FROM versions AS v JOIN heads AS h ON h.id = v.head"
            " JOIN sources AS s ON s.id = h.source"
            " WHERE v.visible <= ?1 AND v.added <= ?2 AND (v.retired IS NULL OR v.retired > ?2)"
            " ORDER BY s.name",
            (self.as_of, self.known_at),
        )
        return [name for (name,) in rows]

    def layouts(self, documents: Iterable[str]) -> dict[str, bytes]:
        """The layouts of the current versions of these documents; deleted documents are left out."""
        rows = self.db.execute(
            "SELECT d.name, v.layout FROM json_each(?) AS requested"
            " JOIN documents AS d ON d.name = requested.value JOIN versions AS v ON v.document = d.id"
            " WHERE v.visible <= ? AND v.added <= ? AND (v.retired IS NULL OR v.retired > ?)"
            " ORDER BY v.visible, v.added, v.id",
            (json.dumps(list(documents)), self.as_of, self.known_at, self.known_at),
        )
        last = dict(rows.fetchall())
        return {name: layout for name, layout in last.items() if layout is not None}

    def records(self, passages: Iterable[int]) -> dict[int, StoredPassage]:
        """The stored passages with these ids, by id."""
        return records(self.db, passages)

    def labels(self, passages: Iterable[int]) -> dict[int, tuple[str, str, str]]:
        """Headings, tags (JSON) and language of the stored passages with these ids, by id."""
        rows = self.db.execute(
            "SELECT p.id, p.headings, h.tags, h.language FROM json_each(?) AS wanted"
            " JOIN passages AS p ON p.id = wanted.value JOIN heads AS h ON h.id = p.head",
            (json.dumps(list(passages)),),
        )
        return {passage: (headings, tags, language) for passage, headings, tags, language in rows}

    def matching_heads(self, **attributes: Any) -> list[int]:
        """Ids of the heads that have these attributes, each named as an argument of `matching_heads`."""
        return matching_heads(self.db, **attributes)

    def text(self, document: str) -> str | None:
        """The text of the current version of a document; None when there is none."""
        version = self.current_version(document)
        if version is None:
            return None
        return text_of(self.db, version[0], version[1])

    def links(self, document: str) -> list[Link]:
        """The links of the current version of a document, in their order."""
        version = self.current_version(document)
        if version is None:
            return []
        rows = self.db.execute(
            "SELECT target, heading, alias, kind FROM links WHERE version = ? ORDER BY place", (version[0],)
        )
        return [Link(*row) for row in rows]

    def resolve(self, target: str, origin: str = "") -> str | None:
        """The document that a link leads to: by path beside `origin`, by path, by name, by alias.

        Only current documents count. Among several of one name the one nearest to `origin` is taken, then
        the one with the shortest id, then the first in order. (For many links: `store.links.LinkResolver`.)
        """
        link = LinkTarget.of(target, origin)
        candidates: list[tuple[Rank, str]] = [
            (link.rank(name), name)
            for (name,) in self.db.execute(
                "SELECT name FROM documents WHERE name LIKE ? ESCAPE '!'"
                " UNION SELECT d.name FROM aliases AS a JOIN versions AS v ON v.id = a.version"
                " JOIN documents AS d ON d.id = v.document WHERE a.alias = ? COLLATE NOCASE",
                (_like_pattern(link.last) if link.path.isascii() else "%", target),
            )
        ]
        for rank, name in sorted(candidates):
            by_name = rank[0] <= BY_NAME
            if (by_name or self._alias(name, target)) and self.current_version(name) is not None:
                return name
        return None

    def _alias(self, name: str, alias: str) -> bool:
        version = self.current_version(name)
        return version is not None and bool(
            self.db.execute(
                "SELECT 1 FROM aliases WHERE version = ? AND alias = ? COLLATE NOCASE", (version[0], alias)
            ).fetchone()
        )


def _like_pattern(text: str) -> str:
    """A LIKE pattern for strings that contain a text; SQLite folds ASCII case only, so other texts match
    all."""
    if not text.isascii():
        return "%"
    return "%" + text.replace("!", "!!").replace("%", "!%").replace("_", "!_") + "%"


def text_of(db: sqlite3.Connection, version: int, layout: bytes | None) -> str:
    """The normalised text of a version, byte for byte as the source gave it."""
    texts = dict(
        db.execute(
            "SELECT key, text FROM passages WHERE document = (SELECT document FROM versions WHERE id = ?)",
            (version,),
        ).fetchall()
    )
    text, at = [], 0
    for key, start, end in layout_places(layout):
        text.append(texts[key][at - start :] if at > start else texts[key])
        at = max(at, end)
    return "".join(text)


def matching_heads(
    db: sqlite3.Connection, *, source: str = "", path: str = "", tags: Sequence[str] = (),
    meta: Sequence[tuple[str, str]] = (), any_tags: Sequence[str] = (),
    no_tags: Sequence[str] = (), documents: Sequence[str] = (),
) -> list[int]:  # fmt: skip
    """Ids of the heads whose attributes pass the filters (see `data.Filters`)."""
    where, values = ["1 = 1"], list[object]()
    if source:
        where.append("h.source IN (SELECT id FROM sources WHERE name = ?)")
        values.append(source)
    if path:
        where.append("h.document IN (SELECT id FROM documents WHERE name GLOB ?)")
        values.append(path)
    for tag in tags:
        where.append("h.id IN (SELECT head FROM tags WHERE tag = ?)")
        values.append(tag.removeprefix("#"))
    for operator, values_of in (("IN", any_tags), ("NOT IN", no_tags)):
        if values_of:
            tagged = "SELECT head FROM tags WHERE tag IN (SELECT value FROM json_each(?))"
            where.append(f"h.id {operator} ({tagged})")
            values.append(json.dumps([tag.removeprefix("#") for tag in values_of]))
    if documents:
        where.append(
            "h.document IN (SELECT id FROM documents WHERE name IN (SELECT value FROM json_each(?)))"
        )
        values.append(json.dumps(list(documents)))
    for key, value in meta:
        where.append(
            f"EXISTS (SELECT 1 FROM json_each(h.meta) AS m WHERE m.key = ? AND ({_json_text('m')} = ?"
            " OR m.type = 'array' AND EXISTS (SELECT 1 FROM json_each(m.value) AS e"
            f" WHERE {_json_text('e')} = ?)))"
        )
        values += [key, value, value]
    return [row[0] for row in db.execute(f"SELECT h.id FROM heads AS h WHERE {' AND '.join(where)}", values)]


def _json_text(each: str) -> str:
    """SQL for a value of `json_each` as JSON writes it: its true and false are numbers to SQLite."""
    return f"CASE WHEN {each}.type IN ('true', 'false') THEN {each}.type ELSE CAST({each}.value AS TEXT) END"


def has_document(db: sqlite3.Connection, name: str) -> bool:
    """Whether the store holds any version of a document."""
    return db.execute("SELECT 1 FROM documents WHERE name = ?", (name,)).fetchone() is not None


def sources_of_heads(db: sqlite3.Connection) -> list[tuple[int, int]]:
    """Ids of heads, in order, and the ids of their sources."""
    return db.execute("SELECT id, source FROM heads ORDER BY id").fetchall()


def values_of_heads(db: sqlite3.Connection, key: str) -> list[tuple[int, str]]:
    """Ids of heads whose metadata has a key, in order, and the value; empty values are left out."""
    return db.execute(
        "SELECT h.id, m.type || ' ' || m.value FROM heads AS h, json_each(h.meta) AS m"
        " WHERE m.key = ? AND m.value IS NOT NULL AND m.value <> '' ORDER BY h.id",
        (key,),
    ).fetchall()
