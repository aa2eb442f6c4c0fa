"""Reading the store into an export: all versions of all documents, in the order in which they were added.

What follows from the versions (rows, index, vectors, facts) is not in it, for it is made again from them.
A passage that stands in the version before, too, is written once. Memory does not grow with the corpus.
"""

from __future__ import annotations

import heapq
import json
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple, cast

from asof.data.json import time_json
from asof.data.sourced_time import SourcedTime
from asof.errors import DamagedStore
from asof.store.digest import layout_keys, layout_places, span_of
from asof.store.export_format import FORMAT, HEADER, TEXT_OF_A_LINE, visible_json
from asof.store.schema import get_meta
from asof.store.settings import CorpusSettings
from asof.time.span import iso
from asof.version import __version__

_VERSIONS = (
    "SELECT v.added, v.id, v.document, d.name, o.name, h.id, s.name, h.title, h.uri, h.language, h.tags,"
    " h.meta, h.about, h.fiscal_start, v.content, v.stated, v.published, v.starts, v.ends, v.dated_by,"
    " v.visible, v.layout FROM versions AS v"
    " CROSS JOIN documents AS d ON d.id = v.document CROSS JOIN sources AS o ON o.id = d.source"
    " LEFT JOIN heads AS h ON h.id = v.head LEFT JOIN sources AS s ON s.id = h.source ORDER BY v.id"
)
_RETIRED = (
    "SELECT v.retired, v.id, d.name, (SELECT count(*) FROM versions AS w WHERE w.document = v.document"
    " AND w.id <= v.id) FROM versions AS v JOIN documents AS d ON d.id = v.document"
    " WHERE v.retired IS NOT NULL ORDER BY v.retired, v.id"
)
_ERASED = "SELECT substr(key, 8) FROM meta WHERE key LIKE 'erased %' ORDER BY key"
_BEFORE = (
    "SELECT layout FROM versions WHERE document = ? AND id < ? AND head IS NOT NULL ORDER BY id DESC LIMIT 1"
)


@dataclass(slots=True)
class ExportReport:
    """What was exported: documents, all their versions (deletions are versions too), bytes of the file."""

    documents: int = 0
    versions: int = 0
    bytes: int = 0

    def end(self) -> dict[str, int]:
        """What the last line says of it."""
        return {"documents": self.documents, "versions": self.versions}


class _Version(NamedTuple):
    """A row of `_VERSIONS`."""

    added: int
    id: int
    document: int
    name: str
    owner: str
    head: int | None
    source: str
    title: str
    uri: str
    language: str
    tags: str
    meta: str
    about: str
    fiscal_start: int
    content: bytes
    stated: bytes
    published: str | None
    starts: int | None
    ends: int | None
    dated_by: str
    visible: int
    layout: bytes | None


def exported_lines(
    dbs: Sequence[sqlite3.Connection], settings: CorpusSettings, report: ExportReport
) -> Iterator[dict[str, Any]]:
    """All lines of an export but the last one, of the state that the read transactions of `dbs` see, a
    database for each shard of a corpus; they are counted in the report. Raises DamagedStore.

    Transactions of one instant are one. In it, versions stand in the order of their ids."""
    yield {HEADER: FORMAT, **_header(dbs, settings)}
    current = None
    for at, kind, number, shard, found in heapq.merge(*(_events(db, at) for at, db in enumerate(dbs))):
        if kind == 0:
            if at != current:
                yield {"transaction": iso(at), "what": found}
            current = at
            continue
        if at != current:
            raise DamagedStore(f"version {number} belongs to no transaction: restore the corpus from a copy")
        if kind == 1:
            yield from _version_lines(dbs[shard], _Version(*found), report)
        else:
            yield {"retirement": found[0], "number": found[1]}


def _events(db: sqlite3.Connection, shard: int) -> Iterator[tuple[int, int, int, int, Any]]:
    """What happened in a shard, in order: when, what (0 a transaction, 1 a version, 2 a retirement), the id
    of the version, the shard, and the rest."""
    rows = db.execute("SELECT * FROM transactions ORDER BY id")
    transactions = ((at, 0, 0, shard, what) for at, what in rows)
    versions = ((row[0], 1, row[1], shard, row) for row in db.execute(_VERSIONS))
    retired = ((row[0], 2, row[1], shard, row[2:]) for row in db.execute(_RETIRED))
    return heapq.merge(transactions, versions, retired)


def _header(dbs: Sequence[sqlite3.Connection], settings: CorpusSettings) -> dict[str, Any]:
    horizons = ([get_meta(db, key) for db in dbs] for key in ("horizon", "known_horizon"))
    added: dict[str, tuple[int, str]] = {}
    for db in dbs:
        for name, kind, at in db.execute("SELECT name, kind, added FROM sources ORDER BY id"):
            added[name] = min((at, kind), added.get(name, (at, kind)))
    listed = list(added.items())
    if len(dbs) > 1:  # each shard met them in an order of its own
        listed.sort(key=lambda each: (each[1][0], each[0]))
    return {
        "asof": __version__,
        "settings": asdict(settings),
        "sources": [{"name": name, "kind": kind, "added": iso(at)} for name, (at, kind) in listed],
        "horizon": [iso(max(map(int, filter(None, each)))) for each in horizons if any(each)],
        "erased": sorted({digest for db in dbs for (digest,) in db.execute(_ERASED)}),
    }


def _version_lines(db: sqlite3.Connection, row: _Version, report: ExportReport) -> Iterator[dict[str, Any]]:
    before = db.execute(_BEFORE, (row.document, row.id)).fetchone()
    earlier = "SELECT 1 FROM versions WHERE document = ? AND id < ? LIMIT 1"
    first_of_all = before is None and db.execute(earlier, (row.document, row.id)).fetchone() is None
    report.documents += first_of_all
    report.versions += 1
    owner = {"owner": row.owner} if first_of_all else {}
    time = row.starts is not None and row.ends is not None
    published = {"published": time_json(_published(row))} if time else {}
    if row.head is None:
        yield {
            "deletion": row.name, **owner, "visible": visible_json(row.visible), **published,
            **({} if time else {"dated_by": row.dated_by}), "stated": row.stated.hex(),
        }  # fmt: skip
        return
    first, *more = _parted(_passages(db, row, before[0] if before else b""))
    attributes = {
        "title": row.title, "uri": row.uri, "tags": json.loads(row.tags), "meta": json.loads(row.meta),
        "about": json.loads(row.about), **_links(db, row.id),
    }  # fmt: skip
    yield {
        "version": row.name, **owner, "source": row.source, "visible": visible_json(row.visible), **published,
        **{key: value for key, value in attributes.items() if value}, "language": row.language,
        "fiscal_start": row.fiscal_start, "content": row.content.hex(), "stated": row.stated.hex(),
        "passages": first,
    }  # fmt: skip
    yield from ({"more": part} for part in more)


def _published(row: _Version) -> SourcedTime:
    return SourcedTime(span_of(cast(int, row.starts), cast(int, row.ends)), row.published or "", row.dated_by)


def _links(db: sqlite3.Connection, version: int) -> dict[str, list[Any]]:
    links = db.execute(
        "SELECT target, heading, alias, kind FROM links WHERE version = ? ORDER BY place", (version,)
    )
    aliases = db.execute("SELECT alias FROM aliases WHERE version = ? ORDER BY alias", (version,))
    keys = ("target", "heading", "alias", "kind")
    return {
        "links": [dict(zip(keys, link, strict=True)) for link in links],
        "aliases": [alias for (alias,) in aliases],
    }


def _passages(db: sqlite3.Connection, row: _Version, before: bytes) -> Iterator[dict[str, Any]]:
    """The passages of a version; those of the layout `before` by their places there."""
    same = {key: place for place, key in enumerate(layout_keys(before), 1)}
    places = layout_places(row.layout)
    texts: dict[bytes, tuple[str, str]] = {}
    if any(key not in same for key, _, _ in places):
        query = "SELECT key, headings, text FROM passages WHERE document = ?"
        texts = {
            key: (headings, text)
            for key, headings, text in db.execute(query, (row.document,))
            if key not in same
        }
    for key, start, _ in places:
        if key in same:
            yield {"at": start, "same": same[key]}
        elif key in texts:
            headings, text = texts[key]
            yield {"at": start, **({"headings": headings.split("\n")} if headings else {}), "text": text}
        else:
            raise DamagedStore(f"a version of {row.name!r} lacks a passage: restore the corpus from a copy")


def _parted(passages: Iterator[dict[str, Any]]) -> list[list[dict[str, Any] | str]]:
    """Passages by lines of a bounded size; a longer text is continued by texts."""
    parts: list[list[dict[str, Any] | str]] = [[]]
    size = 0
    for passage in passages:
        text = passage.get("text", "")
        starts = range(0, max(len(text), 1), TEXT_OF_A_LINE)
        for start in starts:
            piece = text[start : start + TEXT_OF_A_LINE]
            size += len(piece) + 50
            if size > TEXT_OF_A_LINE and parts[-1]:
                parts.append([])
                size = len(piece) + 50
            parts[-1].append(piece if start else {**passage, "text": piece} if "text" in passage else passage)
    return parts
