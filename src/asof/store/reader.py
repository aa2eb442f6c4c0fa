"""Reading the store as it stood: what is shown of hits, links and aliases, filters, figures for status."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from asof.data import Link, SourcedTime
from asof.store.about import loads
from asof.store.digest import KEY_BYTES, indexed_text, layout_places, span_of
from asof.store.links import BY_NAME, LinkTarget, Rank
from asof.time.span import NEVER


class StoredPassage(NamedTuple):
    """A passage with the attributes of its document, as they are stored.

    `about` are the times of its document's metadata, `times` all that it is about itself.
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

    @property
    def indexed(self) -> str:
        """The text that the index was made of."""
        return indexed_text(self.title, self.headings, self.about, self.text, self.keywords)


_RECORD = (
    "SELECT p.id, d.name, p.key, p.headings, p.text, h.title, h.uri, h.language, h.about, h.keywords,"
    " p.about, v.published, v.starts, v.ends, v.dated_by, s.name"
    " FROM json_each(?) AS wanted JOIN passages AS p ON p.id = wanted.value"
    " JOIN documents AS d ON d.id = p.document JOIN versions AS v ON v.id = p.version"
    " JOIN heads AS h ON h.id = p.head JOIN sources AS s ON s.id = h.source"
)


def records(db: sqlite3.Connection, passages: Iterable[int]) -> dict[int, StoredPassage]:
    """The records of passages, by their id."""
    found = (StoredPassage(*row) for row in db.execute(_RECORD, (json.dumps(list(passages)),)))
    return {record.passage: record for record in found}


def published_of(record: StoredPassage) -> SourcedTime | None:
    if record.starts is None or record.ends is None:
        return None
    return SourcedTime(span_of(record.starts, record.ends), record.published or "", record.dated_by)


def about_of(record: StoredPassage) -> tuple[SourcedTime, ...]:
    """The times that a passage is about, those of its document's metadata first."""
    return tuple(time.stated() for time in loads(record.times))


@dataclass(frozen=True, slots=True)
class AsOfReader:
    """The store at (`as_of`, `known_at`), in instants."""

    db: sqlite3.Connection
    as_of: int
    known_at: int

    _IN_FORCE = (
        "SELECT v.id, v.layout, v.head FROM versions AS v JOIN documents AS d ON d.id = v.document"
        " WHERE d.name = ? AND v.visible <= ? AND v.added <= ? AND (v.retired IS NULL OR v.retired > ?)"
        " ORDER BY v.visible DESC, v.added DESC, v.id DESC LIMIT 1"
    )

    def in_force(self, document: str) -> tuple[int, bytes | None] | None:
        """The version of a document that is in force, as (id, layout); None when it says nothing."""
        row = self.db.execute(self._IN_FORCE, (document, self.as_of, self.known_at, self.known_at)).fetchone()
        return None if row is None or row[2] is None else (row[0], row[1])

    def stated(self, document: str) -> bool:
        """Whether a document was or had been in force, as was known."""
        row = self.db.execute(self._IN_FORCE, (document, self.as_of, self.known_at, self.known_at)).fetchone()
        return row is not None

    def sources(self) -> list[str]:
        """The names of the sources whose documents were or had been in force, as was known, in order."""
        rows = self.db.execute(
            "SELECT DISTINCT s.name FROM versions AS v JOIN heads AS h ON h.id = v.head"
            " JOIN sources AS s ON s.id = h.source"
            " WHERE v.visible <= ?1 AND v.added <= ?2 AND (v.retired IS NULL OR v.retired > ?2)"
            " ORDER BY s.name",
            (self.as_of, self.known_at),
        )
        return [name for (name,) in rows]

    def layouts(self, documents: Iterable[str]) -> dict[str, bytes]:
        """The layouts of the versions in force of these documents; those that say nothing are left out."""
        rows = self.db.execute(
            "SELECT d.name, v.layout FROM json_each(?) AS wanted"
            " JOIN documents AS d ON d.name = wanted.value JOIN versions AS v ON v.document = d.id"
            " WHERE v.visible <= ? AND v.added <= ? AND (v.retired IS NULL OR v.retired > ?)"
            " ORDER BY v.visible, v.added, v.id",
            (json.dumps(list(documents)), self.as_of, self.known_at, self.known_at),
        )
        last = dict(rows.fetchall())
        return {name: layout for name, layout in last.items() if layout is not None}

    def text(self, document: str) -> str | None:
        """The text of a document as it stood, put together from its passages by their places."""
        version = self.in_force(document)
        if version is None:
            return None
        return text_of(self.db, version[0], version[1])

    def links(self, document: str) -> list[Link]:
        version = self.in_force(document)
        if version is None:
            return []
        rows = self.db.execute(
            "SELECT target, heading, alias, kind FROM links WHERE version = ? ORDER BY place", (version[0],)
        )
        return [Link(*row) for row in rows]

    def resolve(self, target: str, origin: str = "") -> str | None:
        """The document that a link leads to: by path beside `origin`, by path, by name, by alias.

        Only documents in force count. Among several of one name the one nearest to `origin` is taken, then
        the one with the shortest id, then the first in order. (For many links: `store.links.LinkResolver`.)
        """
        wanted = LinkTarget.of(target, origin)
        candidates: list[tuple[Rank, str]] = [
            (wanted.rank(name), name)
            for (name,) in self.db.execute(
                "SELECT name FROM documents WHERE name LIKE ? ESCAPE '!'"
                " UNION SELECT d.name FROM aliases AS a JOIN versions AS v ON v.id = a.version"
                " JOIN documents AS d ON d.id = v.document WHERE a.alias = ? COLLATE NOCASE",
                (_around(wanted.last) if wanted.path.isascii() else "%", target),
            )
        ]
        for rank, name in sorted(candidates):
            by_name = rank[0] <= BY_NAME
            if (by_name or self._alias(name, target)) and self.in_force(name) is not None:
                return name
        return None

    def _alias(self, name: str, alias: str) -> bool:
        version = self.in_force(name)
        return version is not None and bool(
            self.db.execute(
                "SELECT 1 FROM aliases WHERE version = ? AND alias = ? COLLATE NOCASE", (version[0], alias)
            ).fetchone()
        )


def _around(text: str) -> str:
    """A LIKE pattern for what may hold a text; SQLite folds the case of ASCII only, so others match all."""
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


def titles_of(db: sqlite3.Connection, heads: Iterable[int]) -> dict[int, tuple[str, str]]:
    """Title and language of heads (`index` column `head`), by their id."""
    found = db.execute(
        "SELECT h.id, h.title, h.language FROM json_each(?) AS wanted JOIN heads AS h ON h.id = wanted.value",
        (json.dumps(list(heads)),),
    )
    return {head: (title, language) for head, title, language in found}


def heads_with(
    db: sqlite3.Connection, *, source: str = "", path: str = "", tags: Sequence[str] = (),
    meta: Sequence[tuple[str, str]] = (), any_tags: Sequence[str] = (),
    no_tags: Sequence[str] = (), documents: Sequence[str] = (),
) -> list[int]:  # fmt: skip
    """Ids of the heads whose attributes pass the filters (see `data.Filters`)."""
    where, values = ["1"], list[object]()
    if source:
        where.append("h.source IN (SELECT id FROM sources WHERE name = ?)")
        values.append(source)
    if path:
        where.append("h.document IN (SELECT id FROM documents WHERE name GLOB ?)")
        values.append(path)
    for tag in tags:
        where.append("h.id IN (SELECT head FROM tags WHERE tag = ?)")
        values.append(tag.removeprefix("#"))
    for given, several in (("IN", any_tags), ("NOT IN", no_tags)):
        if several:
            tagged = "SELECT head FROM tags WHERE tag IN (SELECT value FROM json_each(?))"
            where.append(f"h.id {given} ({tagged})")
            values.append(json.dumps([tag.removeprefix("#") for tag in several]))
    if documents:
        where.append(
            "h.document IN (SELECT id FROM documents WHERE name IN (SELECT value FROM json_each(?)))"
        )
        values.append(json.dumps(list(documents)))
    for key, value in meta:
        where.append(
            f"EXISTS (SELECT 1 FROM json_each(h.meta) AS m WHERE m.key = ? AND ({_as_text('m')} = ?"
            " OR m.type = 'array' AND EXISTS (SELECT 1 FROM json_each(m.value) AS e"
            f" WHERE {_as_text('e')} = ?)))"
        )
        values += [key, value, value]
    return [row[0] for row in db.execute(f"SELECT h.id FROM heads AS h WHERE {' AND '.join(where)}", values)]


def _as_text(each: str) -> str:
    """SQL for a value of `json_each` as JSON writes it: its true and false are numbers to SQLite."""
    return f"CASE WHEN {each}.type IN ('true', 'false') THEN {each}.type ELSE CAST({each}.value AS TEXT) END"


class PassageHistory(NamedTuple):
    """A life of a passage: from when it is visible, since when this corpus knows it, and all its ends.

    `ends` are pairs (at, added), as text "at:added,…".
    """

    passage: int
    visible: int
    dated: int
    added: int
    ends: str | None

    def ended(self, known_at: int) -> int:
        """When it ended, as was known then; NEVER while nothing was known of an end."""
        pairs = (pair.split(":") for pair in (self.ends or "").split(",") if pair)
        return min((int(at) for at, added in pairs if int(added) <= known_at), default=NEVER)


def whereabouts(db: sqlite3.Connection, wanted: str) -> list[PassageHistory]:
    """All lives of the passages of a document (by its id), or of one of its passages (by a hit's id)."""
    document, _, key = wanted.rpartition("#")
    where, values = "d.name = ?", [wanted]
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


def has_document(db: sqlite3.Connection, name: str) -> bool:
    """Whether a document of that id was ever stated."""
    return db.execute("SELECT 1 FROM documents WHERE name = ?", (name,)).fetchone() is not None
