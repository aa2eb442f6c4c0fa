"""One write: statements become versions, versions become rows. Used by every command that changes a corpus.

A `Transaction` lives inside one SQLite transaction and collects what is new. `reconcile.py` then brings the
rows of all documents that it touched in line with their versions, and the index takes the new rows and ends,
whose segment is published by the same transaction.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass, field

from asof.data import Document, SourcedTime
from asof.store import statements
from asof.store.digest import (
    DigestedPassage,
    SharedAttributes,
    content_digest,
    digest,
    pack_layout,
    stated_digest,
    time_bounds,
)
from asof.store.prepare import PreparedText, TextPreparation
from asof.store.rows import EndRow, Ids, IndexRow
from asof.store.settings import CorpusSettings
from asof.store.statements import DocumentState, StoredVersion


@dataclass(slots=True)
class Transaction:
    """The changes of one transaction, whose id and wall time is `now`.

    `passages`: the passages of each new version, the id of its head, its shared attributes, and what was
    prepared of it ahead; `layouts`: of each copied one. `pending`: rows to insert, by table. `checkpoints`:
    tokens of the source by document (None: it has none any longer; see `store/checkpoints.py`).
    """

    db: sqlite3.Connection
    now: int
    settings: CorpusSettings
    texts: TextPreparation
    source: int
    documents: dict[str, DocumentState] = field(default_factory=dict)
    touched: dict[int, DocumentState] = field(default_factory=dict)
    new_rows: list[IndexRow] = field(default_factory=list)
    new_ends: list[EndRow] = field(default_factory=list)
    ids: dict[str, Ids] = field(default_factory=dict)
    passages: dict[int, tuple[list[DigestedPassage], int, SharedAttributes, PreparedText | None]] = field(
        default_factory=dict
    )
    layouts: dict[int, bytes] = field(default_factory=dict)
    _heads: dict[tuple[int, bytes], int] = field(default_factory=dict)
    retired: list[int] = field(default_factory=list)
    pending: dict[str, list[tuple[object, ...]]] = field(default_factory=dict)
    checkpoints: dict[str, bytes | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for table in ("documents", "heads", "versions", "passages", "ends"):
            self.ids[table] = Ids(self.db, table)
            self.pending[table] = []
        self.pending.update(links=[], aliases=[], tags=[])

    @property
    def empty(self) -> bool:
        return not self.touched

    def load(self, names: Iterable[str]) -> None:
        """Fetch the states of these documents, in one query."""
        rows = self.db.execute(
            "SELECT d.name, d.id, d.source, v.id, v.content, v.stated, v.visible, v.added, v.dated_by,"
            " v.head IS NULL"
            " FROM json_each(?) AS requested JOIN documents AS d ON d.name = requested.value"
            " LEFT JOIN versions AS v ON v.document = d.id AND v.retired IS NULL",
            (json.dumps(list(names)),),
        )
        for name, document, source, version, content, stated, visible, added, dated_by, deleted in rows:
            state = self.documents.setdefault(name, DocumentState(document, name, source))
            if version is not None:
                state.versions.append(
                    StoredVersion(version, content, stated, visible, added, dated_by, bool(deleted))
                )

    def document_state(self, name: str) -> DocumentState:
        """The state of a loaded document, made when it is new."""
        state = self.documents.get(name)
        if state is None:
            state = DocumentState(self.ids["documents"].take(), name, self.source, new=True)
            self.documents[name] = state
        return state

    # -- statements ---------------------------------------------------------------------------------

    def put(
        self, document: Document, prepared: PreparedText | None = None, *, states_past: bool = False
    ) -> tuple[str, StoredVersion]:
        """Apply a document as a source states it; returns the outcome (see `statements.interpret`) and the
        version with this statement. `prepared`: what was computed of it ahead."""
        state = self.document_state(document.id)
        content = content_digest(document) if prepared is None else prepared.content
        stated = stated_digest(content, document.published)
        outcome = statements.interpret(
            state,
            content,
            stated,
            document.published,
            document.changed,
            self.now,
            self.settings.undated,
            states_past=states_past,
        )
        if outcome.same is not None:
            return outcome.what, outcome.same
        if outcome.retire is not None:
            self.retire(state, outcome.retire)
        version = self.add_version(
            state, document, content, stated, outcome.published, outcome.visible, prepared
        )
        if state.current is version:
            state.source = self.source
        return outcome.what, version

    def add_version(
        self,
        state: DocumentState,
        document: Document,
        content: bytes,
        stated: bytes,
        published: SourcedTime | None,
        visible: int,
        prepared: PreparedText | None = None,
    ) -> StoredVersion:
        """Add a version with the text of `document`."""
        head = self.texts.head(document) if prepared is None else prepared.head
        passages = self.texts.passages(document, head) if prepared is None else prepared.passages
        version = StoredVersion(
            self.ids["versions"].take(), content, stated, visible, self.now, _dated_by(published)
        )
        head_id = self._head_id(state, head)
        self.passages[version.id] = (passages, head_id, head, prepared)
        self.pending["links"] += [
            (version.id, place, link.target, link.heading, link.alias, link.kind)
            for place, link in enumerate(document.links)
        ]
        self.pending["aliases"] += [(alias, version.id) for alias in dict.fromkeys(document.aliases)]
        self._add(state, version, published, _dated_by(published), head_id, pack_layout(passages))
        return version

    def end(self, name: str, at: SourcedTime | None, dated_by: str) -> tuple[str, StoredVersion | None]:
        """End a document at a time (None: now, or at its beginning if that is later).

        Returns "ended" or "unchanged", and the deletion.
        """
        state = self.documents.get(name)
        current = state.current if state else None
        if state is None or current is None:
            return "unchanged", None
        starts, ends = time_bounds(at)
        stated = digest(("gone", starts, ends))
        same = state.with_digest(stated) if at else (current if current.deleted else None)
        if same is not None:
            return "unchanged", same
        visible = statements.visible_from(at, self.now, "added")
        if at is None:
            visible = max(visible, current.visible)
        return "ended", self.add_deletion(state, stated, at, dated_by, visible)

    def add_deletion(
        self, state: DocumentState, stated: bytes, at: SourcedTime | None, dated_by: str, visible: int
    ) -> StoredVersion:
        """Add a version without a text, which ends the document."""
        version = StoredVersion(
            self.ids["versions"].take(), b"", stated, visible, self.now, dated_by, deleted=True
        )
        self._add(state, version, at, dated_by, None, None)
        return version

    def add_copy(
        self, state: DocumentState, old: StoredVersion, published: SourcedTime | None, visible: int
    ) -> StoredVersion:
        """Add a version with the content of an old one, under another date."""
        head, layout = self.db.execute("SELECT head, layout FROM versions WHERE id = ?", (old.id,)).fetchone()
        version = StoredVersion(
            self.ids["versions"].take(), old.content, old.stated, visible, self.now, _dated_by(published)
        )
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
        self._add(state, version, published, _dated_by(published), head, layout)
        return version

    def retire(self, state: DocumentState, version: StoredVersion) -> None:
        """Mark a version as wrong from the beginning."""
        state.versions.remove(version)
        self.touched[state.id] = state
        self.retired.append(version.id)

    def _add(
        self,
        state: DocumentState,
        version: StoredVersion,
        published: SourcedTime | None,
        dated_by: str,
        head: int | None,
        layout: bytes | None,
    ) -> None:
        starts, ends = time_bounds(published)
        self.pending["versions"].append((
            version.id, state.id, head, version.content, version.stated,
            published.text if published else None, starts, ends, dated_by, version.visible, layout,
            self.now, None,
        ))  # fmt: skip
        version.seen = True
        state.versions.append(version)
        self.touched[state.id] = state

    def _head_id(self, state: DocumentState, head: SharedAttributes) -> int:
        """The id of the row of `heads` with these attributes, made when there is none."""
        key = (state.id, head.digest)
        head_id = self._heads.get(key)
        if head_id is None and not state.new:
            row = self.db.execute(
                "SELECT id FROM heads WHERE document = ? AND digest = ? AND source = ?",
                (state.id, head.digest, self.source),
            ).fetchone()
            head_id = row[0] if row else None
        if head_id is None:
            head_id = self.ids["heads"].take()
            self.pending["heads"].append((
                head_id, state.id, head.digest, self.source, head.title, head.uri, head.language,
                head.tags, head.meta, head.about, head.keywords, head.fiscal_start,
            ))  # fmt: skip
            self.pending["tags"] += [(tag, head_id) for tag in dict.fromkeys(json.loads(head.tags))]
        self._heads[key] = head_id
        return head_id


def _dated_by(published: SourcedTime | None) -> str:
    return published.by if published else "none"
