"""One write: statements become versions, versions become rows. Used by every command that changes a corpus.

A `Write` lives inside one SQLite transaction. It collects what is new, and `settle` brings the rows of all
documents that it touched in line with their versions (see `lives.py`). What it began and ended is then
handed to the index, whose segment is published by the same transaction.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from asof.data import Document, Stated
from asof.store import state
from asof.store.digest import (
    Cut,
    Head,
    content_digest,
    cuts_of,
    digest,
    ends_of,
    head_of,
    indexed_text,
    layout_keys,
    name_digest,
    pack_layout,
    stated_digest,
)
from asof.store.lives import Life, Row, Version, changes
from asof.store.settings import Settings
from asof.store.state import Dossier, Known
from asof.text.tokens import Analyzer
from asof.time.span import BEGINNING, NEVER

if TYPE_CHECKING:
    from asof.text.chunks import Chunking


class IndexRow(NamedTuple):
    """A passage as the index takes it. `text` is what is indexed, title and headings before it."""

    id: int
    visible: int
    added: int
    dated: bool
    document: int
    digest: int
    number: int
    head: int
    language: str
    text: str


class EndRow(NamedTuple):
    """An end as the index takes it: `passage` was not said any more from `at` on, known since `added`."""

    passage: int
    at: int
    added: int


class Ids:
    """Fresh ids of one table, handed out in order, never twice."""

    def __init__(self, db: sqlite3.Connection, table: str) -> None:
        row = db.execute("SELECT seq FROM sqlite_sequence WHERE name = ?", (table,)).fetchone()
        self.first: int = 1 + (row[0] if row else 0)
        self.next = self.first

    def take(self) -> int:
        self.next += 1
        return self.next - 1


@dataclass(slots=True)
class Write:
    """The changes of one transaction, whose id and wall time is `now`."""

    db: sqlite3.Connection
    now: int
    settings: Settings
    analyzer: Analyzer
    source: int
    chunking: Chunking = field(init=False)
    dossiers: dict[str, Dossier] = field(default_factory=dict)
    touched: dict[int, Dossier] = field(default_factory=dict)
    begun: list[IndexRow] = field(default_factory=list)
    ended: list[EndRow] = field(default_factory=list)
    ids: dict[str, Ids] = field(default_factory=dict)
    _cuts: dict[int, tuple[list[Cut], int, Head]] = field(default_factory=dict)
    _layouts: dict[int, bytes] = field(default_factory=dict)
    _heads: dict[tuple[int, bytes], int] = field(default_factory=dict)
    _retired: list[int] = field(default_factory=list)
    _rows: dict[str, list[tuple[object, ...]]] = field(default_factory=dict)

    def __post_init__(self) -> None:

        from asof.text.chunks import Chunking

        self.chunking = Chunking.parse(self.settings.chunking)
        for table in ("documents", "heads", "versions", "passages", "ends"):
            self.ids[table] = Ids(self.db, table)
            self._rows[table] = []
        self._rows.update(links=[], aliases=[], tags=[])

    # -- what is known ------------------------------------------------------------------------------

    def load(self, names: Iterable[str]) -> None:
        """Fetch what is known of these documents, in one query."""
        found = self.db.execute(
            "SELECT d.name, d.id, d.source, v.id, v.content, v.stated, v.visible, v.added, v.head IS NULL"
            " FROM json_each(?) AS wanted JOIN documents AS d ON d.name = wanted.value"
            " LEFT JOIN versions AS v ON v.document = d.id AND v.retired IS NULL",
            (json.dumps(list(names)),),
        )
        for name, document, source, version, content, stated, visible, added, gone in found:
            dossier = self.dossiers.setdefault(name, Dossier(document, name, source))
            if version is not None:
                known = Known(version, content, stated, visible, added, bool(gone))
                dossier.versions.append(known)

    def dossier(self, name: str) -> Dossier:
        dossier = self.dossiers.get(name)
        if dossier is None:
            dossier = Dossier(self.ids["documents"].take(), name, self.source, new=True)
            self.dossiers[name] = dossier
        return dossier

    # -- statements ---------------------------------------------------------------------------------

    def state(self, document: Document) -> tuple[str, Known]:
        """Take in what a source states; says what it meant, and which version it is now."""
        dossier = self.dossier(document.id)
        content = content_digest(document)
        stated = stated_digest(content, document.published)
        verdict = state.judge(
            dossier, content, stated, document.published, document.changed, self.now, self.settings.undated
        )
        if verdict.same is not None:
            return verdict.what, verdict.same
        if verdict.retire is not None:
            self.retire(dossier, verdict.retire)
        known = self.begin_version(dossier, document, content, stated, verdict.published, verdict.visible)
        if dossier.current is known:
            dossier.source = self.source
        return verdict.what, known

    def begin_version(
        self,
        dossier: Dossier,
        document: Document,
        content: bytes,
        stated: bytes,
        published: Stated | None,
        visible: int,
    ) -> Known:
        language = document.language
        if language not in self.analyzer.languages:
            language = self.analyzer.detect(document.text)
        head = head_of(document, language)
        cuts = cuts_of(document, head, self.chunking)
        version = Known(self.ids["versions"].take(), content, stated, visible, self.now)
        head_id = self._head(dossier, head)
        self._cuts[version.id] = (cuts, head_id, head)
        starts, ends = ends_of(published)
        self._rows["versions"].append((
            version.id, dossier.id, head_id, content, stated, published.text if published else None,
            starts, ends, published.by if published else "none", visible, pack_layout(cuts), self.now, None,
        ))  # fmt: skip
        self._rows["links"] += [
            (version.id, place, link.target, link.heading, link.alias, link.kind)
            for place, link in enumerate(document.links)
        ]
        self._rows["aliases"] += [(alias, version.id) for alias in dict.fromkeys(document.aliases)]
        self._touch(dossier, version)
        return version

    def end(self, name: str, at: Stated | None, dated_by: str) -> tuple[str, Known | None]:
        """State that a document ended at a time (None: now). Says ended, or unchanged."""
        dossier = self.dossiers.get(name)
        current = dossier.current if dossier else None
        if dossier is None or current is None:
            return "unchanged", None
        starts, ends = ends_of(at)
        stated = digest(("gone", starts, ends))
        same = dossier.stating(stated) if at else (current if current.gone else None)
        if same is not None:
            return "unchanged", same
        visible = state.visible_from(at, self.now, "added")
        return "ended", self.begin_silence(dossier, stated, at, dated_by, visible)

    def begin_silence(
        self, dossier: Dossier, stated: bytes, at: Stated | None, dated_by: str, visible: int
    ) -> Known:
        """A version that says nothing, from `visible` on."""
        starts, ends = ends_of(at)
        known = Known(self.ids["versions"].take(), b"", stated, visible, self.now, gone=True)
        self._rows["versions"].append((
            known.id, dossier.id, None, b"", stated, at.text if at else None, starts, ends, dated_by,
            visible, None, self.now, None,
        ))  # fmt: skip
        self._touch(dossier, known)
        return known

    def restate(self, dossier: Dossier, old: Known, published: Stated, visible: int) -> Known:
        """State an old version's content again, under another date."""
        head, layout = self.db.execute("SELECT head, layout FROM versions WHERE id = ?", (old.id,)).fetchone()
        version = Known(self.ids["versions"].take(), old.content, old.stated, visible, self.now)
        starts, ends = ends_of(published)
        self._rows["versions"].append((
            version.id, dossier.id, head, old.content, old.stated, published.text, starts, ends,
            published.by, visible, layout, self.now, None,
        ))  # fmt: skip
        self._layouts[version.id] = layout
        self._rows["links"] += [
            (version.id, *row)
            for row in self.db.execute(
                "SELECT place, target, heading, alias, kind FROM links WHERE version = ?", (old.id,)
            )
        ]
        self._rows["aliases"] += [
            (alias, version.id)
            for (alias,) in self.db.execute("SELECT alias FROM aliases WHERE version = ?", (old.id,))
        ]
        self._touch(dossier, version)
        return version

    def retire(self, dossier: Dossier, known: Known) -> None:
        """A version turns out to have been wrong: it was never so."""
        dossier.versions.remove(known)
        self.touched[dossier.id] = dossier
        self._retired.append(known.id)

    def _touch(self, dossier: Dossier, known: Known) -> None:
        known.fresh = True
        dossier.versions.append(known)
        self.touched[dossier.id] = dossier

    def _head(self, dossier: Dossier, head: Head) -> int:
        key = (dossier.id, head.digest)
        known = self._heads.get(key)
        if known is None and not dossier.new:
            row = self.db.execute(
                "SELECT id FROM heads WHERE document = ? AND digest = ? AND source = ?",
                (dossier.id, head.digest, self.source),
            ).fetchone()
            known = row[0] if row else None
        if known is None:
            known = self.ids["heads"].take()
            self._rows["heads"].append((
                known, dossier.id, head.digest, self.source, head.title, head.uri, head.language,
                head.tags, head.meta, head.about,
            ))  # fmt: skip
            self._rows["tags"] += [(tag, known) for tag in dict.fromkeys(json.loads(head.tags))]
        self._heads[key] = known
        return known

    # -- rows ---------------------------------------------------------------------------------------

    @property
    def empty(self) -> bool:
        return not self.touched

    def settle(self) -> None:
        """Bring the rows of every touched document in line with its versions, and write it all."""
        for dossier in self.touched.values():
            if dossier.new:
                versions = [self._version(dossier, known) for known in dossier.versions]
                self._apply(dossier, versions, [])
            else:
                self._apply(dossier, self._versions(dossier), self._stored(dossier))
        self._flush()

    def _version(self, dossier: Dossier, known: Known, layout: bytes | None = None) -> Version:
        made = self._cuts.get(known.id)
        keys = tuple(cut.key for cut in made[0]) if made else layout_keys(layout)
        return Version(known.id, known.visible, known.added, keys)

    def _versions(self, dossier: Dossier) -> list[Version]:
        layouts = dict(
            self.db.execute(
                "SELECT id, layout FROM versions WHERE document = ? AND retired IS NULL", (dossier.id,)
            ).fetchall()
        )
        layouts.update(self._layouts)
        return [self._version(dossier, known, layouts.get(known.id)) for known in dossier.versions]

    def _stored(self, dossier: Dossier) -> list[Row]:
        rows = self.db.execute(
            "SELECT p.id, p.key, p.version, p.visible, min(coalesce(e.at, ?)) FROM passages AS p"
            " LEFT JOIN ends AS e ON e.passage = p.id WHERE p.document = ? GROUP BY p.id",
            (NEVER, dossier.id),
        )
        return [Row(*row) for row in rows if row[4] != BEGINNING]

    def _apply(self, dossier: Dossier, versions: Sequence[Version], stored: Sequence[Row]) -> None:
        todo = changes(versions, stored)
        name = name_digest(dossier.name)
        for life in todo.begin:
            self._begin(dossier, name, life)
        self.ended += [EndRow(row, at, self.now) for row, at in todo.end]
        self.ended += [EndRow(row, BEGINNING, self.now) for row in todo.retire]
        self._keep_unsaid(
            dossier, name, versions, {life.key for life in todo.begin} | {r.key for r in stored}
        )

    def _keep_unsaid(
        self, dossier: Dossier, name: int, versions: Sequence[Version], said: set[bytes]
    ) -> None:
        """A version superseded at its very first instant is never seen; its text is kept all the same."""
        for version in versions:
            if version.id not in self._cuts:
                continue
            for number, key in enumerate(version.keys):
                if key not in said:
                    said.add(key)
                    row = self._begin(dossier, name, Life(key, version.visible, NEVER, version.id, number))
                    self.ended.append(EndRow(row, BEGINNING, self.now))

    def _begin(self, dossier: Dossier, name: int, life: Life) -> int:
        """A new row for a life; its words come from its version, or from an older row that says the same."""
        passage = self.ids["passages"].take()
        dated = 1
        made = self._cuts.get(life.version)
        if made is not None:
            cuts, head, attributes = made
            piece = cuts[life.number]
            headings, text, language = piece.headings, piece.text, attributes.language
            title, about = attributes.title, attributes.about
        else:
            headings, text, head, language, title, about = self.db.execute(
                "SELECT p.headings, p.text, p.head, h.language, h.title, h.about FROM passages AS p"
                " JOIN heads AS h ON h.id = p.head WHERE p.document = ? AND p.key = ? LIMIT 1",
                (dossier.id, life.key),
            ).fetchone()
        dated = int(self._dated(life.version))
        self._rows["passages"].append((
            passage, dossier.id, life.key, life.version, head, life.number, life.start, dated, self.now,
            headings, text,
        ))  # fmt: skip
        self.begun.append(
            IndexRow(
                passage, life.start, self.now, bool(dated), dossier.id, name, life.number, head, language,
                indexed_text(title, headings, about, text),
            )
        )  # fmt: skip
        if life.end != NEVER:
            self.ended.append(EndRow(passage, life.end, self.now))
        return passage

    def _dated(self, version: int) -> bool:
        if version >= self.ids["versions"].first:
            return self._rows["versions"][version - self.ids["versions"].first][8] != "none"
        row = self.db.execute("SELECT dated_by FROM versions WHERE id = ?", (version,)).fetchone()
        return bool(row[0] != "none")

    def _flush(self) -> None:
        db, rows = self.db, self._rows
        for dossier in self.touched.values():
            current = dossier.current
            if dossier.new:
                rows["documents"].append((dossier.id, dossier.name, dossier.source, current and current.id))
            else:
                db.execute(
                    "UPDATE documents SET current = ?, source = ? WHERE id = ?",
                    (current and current.id, dossier.source, dossier.id),
                )
        db.executemany(
            "UPDATE versions SET retired = ? WHERE id = ?", [(self.now, version) for version in self._retired]
        )
        first = self.ids["ends"]
        rows["ends"] = [(first.take(), *end) for end in self.ended]
        for table, values in rows.items():
            if values:
                marks = ", ".join("?" * len(values[0]))
                db.executemany(f"INSERT INTO {table} VALUES ({marks})", values)
