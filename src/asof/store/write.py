"""One write: statements become versions, versions become rows. Used by every command that changes a corpus.

A `Transaction` lives inside one SQLite transaction. It collects what is new, and `settle` brings the rows of
all documents that it touched in line with their versions (see `lives.py`). What it began and ended is then
handed to the index, whose segment is published by the same transaction.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from asof.data import Document, SourcedTime
from asof.store import state
from asof.store.digest import (
    DigestedPassage,
    SharedAttributes,
    content_digest,
    cuts_of,
    digest,
    ends_of,
    head_of,
    pack_layout,
    stated_digest,
)
from asof.store.rows import EndRow, Ids, IndexRow
from asof.store.settings import CorpusSettings
from asof.store.settle import settle
from asof.store.state import DocumentState, StoredVersion
from asof.text.tokens import Analyzer

if TYPE_CHECKING:
    from asof.text.chunks import Chunking


@dataclass(slots=True)
class Transaction:
    """The changes of one transaction, whose id and wall time is `now`."""

    db: sqlite3.Connection
    now: int
    settings: CorpusSettings
    analyzer: Analyzer
    source: int
    chunking: Chunking = field(init=False)
    dossiers: dict[str, DocumentState] = field(default_factory=dict)
    touched: dict[int, DocumentState] = field(default_factory=dict)
    begun: list[IndexRow] = field(default_factory=list)
    ended: list[EndRow] = field(default_factory=list)
    ids: dict[str, Ids] = field(default_factory=dict)
    cuts: dict[int, tuple[list[DigestedPassage], int, SharedAttributes]] = field(default_factory=dict)
    layouts: dict[int, bytes] = field(default_factory=dict)
    _heads: dict[tuple[int, bytes], int] = field(default_factory=dict)
    retired: list[int] = field(default_factory=list)
    pending: dict[str, list[tuple[object, ...]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        from asof.text.chunks import Chunking

        self.chunking = Chunking.parse(self.settings.chunking)
        for table in ("documents", "heads", "versions", "passages", "ends"):
            self.ids[table] = Ids(self.db, table)
            self.pending[table] = []
        self.pending.update(links=[], aliases=[], tags=[])

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
            dossier = self.dossiers.setdefault(name, DocumentState(document, name, source))
            if version is not None:
                known = StoredVersion(version, content, stated, visible, added, bool(gone))
                dossier.versions.append(known)

    def dossier(self, name: str) -> DocumentState:
        dossier = self.dossiers.get(name)
        if dossier is None:
            dossier = DocumentState(self.ids["documents"].take(), name, self.source, new=True)
            self.dossiers[name] = dossier
        return dossier

    # -- statements ---------------------------------------------------------------------------------

    def state(self, document: Document) -> tuple[str, StoredVersion]:
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
        dossier: DocumentState,
        document: Document,
        content: bytes,
        stated: bytes,
        published: SourcedTime | None,
        visible: int,
    ) -> StoredVersion:
        language = document.language
        if language not in self.analyzer.languages:
            language = self.analyzer.detect(document.text)
        head = head_of(document, language, self.settings.search)
        cuts = cuts_of(document, head, self.chunking)
        version = StoredVersion(self.ids["versions"].take(), content, stated, visible, self.now)
        head_id = self._head(dossier, head)
        self.cuts[version.id] = (cuts, head_id, head)
        starts, ends = ends_of(published)
        self.pending["versions"].append((
            version.id, dossier.id, head_id, content, stated, published.text if published else None,
            starts, ends, published.by if published else "none", visible, pack_layout(cuts), self.now, None,
        ))  # fmt: skip
        self.pending["links"] += [
            (version.id, place, link.target, link.heading, link.alias, link.kind)
            for place, link in enumerate(document.links)
        ]
        self.pending["aliases"] += [(alias, version.id) for alias in dict.fromkeys(document.aliases)]
        self._touch(dossier, version)
        return version

    def end(self, name: str, at: SourcedTime | None, dated_by: str) -> tuple[str, StoredVersion | None]:
        """State that a document ended at a time (None: now, or before it is ever seen). Says ended, or
        unchanged."""
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
        if at is None:
            visible = max(visible, current.visible)
        return "ended", self.begin_silence(dossier, stated, at, dated_by, visible)

    def begin_silence(
        self, dossier: DocumentState, stated: bytes, at: SourcedTime | None, dated_by: str, visible: int
    ) -> StoredVersion:
        """A version that says nothing, from `visible` on."""
        starts, ends = ends_of(at)
        known = StoredVersion(self.ids["versions"].take(), b"", stated, visible, self.now, gone=True)
        self.pending["versions"].append((
            known.id, dossier.id, None, b"", stated, at.text if at else None, starts, ends, dated_by,
            visible, None, self.now, None,
        ))  # fmt: skip
        self._touch(dossier, known)
        return known

    def restate(
        self, dossier: DocumentState, old: StoredVersion, published: SourcedTime | None, visible: int
    ) -> StoredVersion:
        """State an old version's content again, under another date."""
        head, layout = self.db.execute("SELECT head, layout FROM versions WHERE id = ?", (old.id,)).fetchone()
        version = StoredVersion(self.ids["versions"].take(), old.content, old.stated, visible, self.now)
        starts, ends = ends_of(published)
        self.pending["versions"].append((
            version.id, dossier.id, head, old.content, old.stated, published.text if published else None,
            starts, ends, published.by if published else "none", visible, layout, self.now, None,
        ))  # fmt: skip
        self.layouts[version.id] = layout
        self.pending["links"] += [
            (version.id, *row)
            for row in self.db.execute(
                "SELECT place, target, heading, alias, kind FROM links WHERE version = ?", (old.id,)
            )
        ]
        self.pending["aliases"] += [
            (alias, version.id)
            for (alias,) in self.db.execute("SELECT alias FROM aliases WHERE version = ?", (old.id,))
        ]
        self._touch(dossier, version)
        return version

    def retire(self, dossier: DocumentState, known: StoredVersion) -> None:
        """A version turns out to have been wrong: it was never so."""
        dossier.versions.remove(known)
        self.touched[dossier.id] = dossier
        self.retired.append(known.id)

    def _touch(self, dossier: DocumentState, known: StoredVersion) -> None:
        known.fresh = True
        dossier.versions.append(known)
        self.touched[dossier.id] = dossier

    def _head(self, dossier: DocumentState, head: SharedAttributes) -> int:
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
            self.pending["heads"].append((
                known, dossier.id, head.digest, self.source, head.title, head.uri, head.language,
                head.tags, head.meta, head.about, head.keywords, head.fiscal_start,
            ))  # fmt: skip
            self.pending["tags"] += [(tag, known) for tag in dict.fromkeys(json.loads(head.tags))]
        self._heads[key] = known
        return known

    # -- the end of it ------------------------------------------------------------------------------

    @property
    def empty(self) -> bool:
        return not self.touched

    def settle(self) -> None:
        """Bring the rows of every touched document in line with its versions, and write it all."""
        settle(self)
