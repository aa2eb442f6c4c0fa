"""One write transaction: statements become versions, versions become rows. Used by every command that writes.

A `Transaction` lives inside one SQLite transaction and collects what is new. At its end the rows of all
touched documents are recomputed from their versions, differences from the stored rows are written, and the
index takes the new rows and ends as a segment, which the same transaction publishes.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Self, TypeAlias

from asof.documents import Document, SourcedTime
from asof.errors import DamagedStore
from asof.store import validity
from asof.store.digest import (
    WEAK_DATES,
    DigestedPassage,
    SharedAttributes,
    TimeReadingOptions,
    content_digest,
    digest,
    document_passages,
    dumps,
    indexed_text,
    layout_keys,
    layout_places,
    name_digest,
    pack_layout,
    passage_times,
    run_digest,
    shared_attributes,
    span_of,
    stated_digest,
    time_bounds,
)
from asof.store.schema import CorpusSettings, get_meta
from asof.store.validity import (
    EDIT,
    DocumentState,
    StoredInterval,
    StoredVersion,
    ValidityInterval,
    VersionPassages,
    interval_changes,
)
from asof.text.versions import of_passage
from asof.time.span import BEGINNING, NEVER
from asof.wire import replace

if TYPE_CHECKING:
    from asof.text.passages import Chunking
    from asof.text.tokens import Analyzer

# -- rows that a write passes to the index, and new ids ------------------------------------------------


class IndexRow(NamedTuple):
    """A passage for the index. `text`: title, headings and text; `body`: the text alone. `title`, `path`:
    those of its document.

    `about`: the times that it is about, each as first instant, last instant, kind (`AboutTime.kind`). `said`:
    since when its text stands there without a gap, not after `visible`; `run`: equal for the rows of that
    time.
    """

    id: int
    visible: int
    added: int
    said: int
    run: int
    dated: bool
    document: int
    digest: int
    number: int
    language: str
    text: str
    about: tuple[tuple[int, int, int], ...] = ()
    title: str = ""
    path: str = ""
    headings: str = ""
    body: str = ""
    dated_by: str = ""

    @property
    def version(self) -> int:
        """The ordinal of the version that it is of (`asof.text.versions`), 0 for none."""
        version = of_passage(self.headings, self.title, self.path)
        return 0 if version is None else version.at


class EndRow(NamedTuple):
    """An end for the index: `passage` is not valid from `at` on, as known since `added`."""

    passage: int
    at: int
    added: int


class Ids:
    """New ids of one table, ascending, never repeated; in a shard of S every S-th one, so that rows of all
    shards have different ones (`asof.extensions.cluster`)."""

    def __init__(self, db: sqlite3.Connection, table: str) -> None:
        row = db.execute("SELECT seq FROM sqlite_sequence WHERE name = ?", (table,)).fetchone()
        shard = get_meta(db, SHARD) if table in SHOWN else None
        place, self.step = map(int, (shard or "0/1").split("/"))
        last: int = row[0] if row else 0
        if not isinstance(last, int) or not 0 <= last < 2**62:
            raise DamagedStore(f"sqlite_sequence holds {last!r} as the last id of {table}")
        self.first = last + 1 + (place - last - 1) % self.step
        self.next = self.first

    def take(self) -> int:
        self.next += self.step
        return self.next - self.step


SHARD = "shard"
"""The key of `meta` that tells which shard of how many a corpus is: "3/8"."""
SHOWN = frozenset({"documents", "heads", "versions", "passages"})
"""The tables whose ids a view knows."""


@dataclass(frozen=True, slots=True)
class TextPreparation:
    """Settings by which the texts of a corpus are analysed and split."""

    analyzer: Analyzer
    chunking: Chunking
    search: str | tuple[str, ...]

    @classmethod
    def of(cls, settings: CorpusSettings, analyzer: Analyzer) -> Self:
        from asof.text.passages import Chunking

        return cls(analyzer, Chunking.parse(settings.chunking), settings.search)

    def head(self, document: Document, *, acts: bool) -> SharedAttributes:
        """The attributes that all passages of a document share; `acts`: whether it acts on another one."""
        return shared_attributes(document, self._language(document), self.search, acts)

    def content(self, document: Document) -> bytes:
        """The digest of a document without its date. A language is part of it only where the text shows
        another one: whether it was stated makes no difference."""
        if document.language and self._language(document) == self.analyzer.detect(document.text):
            document = replace(document, language="")
        return content_digest(document)

    def _language(self, document: Document) -> str:
        known = document.language in self.analyzer.languages
        return document.language if known else self.analyzer.detect(document.text)

    def passages(self, document: Document) -> list[DigestedPassage]:
        return document_passages(document, self.chunking)


# -- transaction ---------------------------------------------------------------------------------------

Layouts: TypeAlias = dict[int, tuple[bytes | None, bytes]]
"""By version its layout, and the digest of the attributes with which its passages are searched."""


@dataclass(slots=True)
class Transaction:
    """The changes of one transaction, whose id and wall time is `now`.

    `passages`: the passages of each new version, and its shared attributes; `layouts`: the layout of each
    copied one, and the digest of its searched attributes.
    `pending`: rows to insert, by table. `checkpoints`: tokens of the source by document (None: it has none
    any longer). `files`: of the index, to be removed if this is not committed.
    """

    db: sqlite3.Connection
    now: int
    settings: CorpusSettings
    texts: TextPreparation
    source: int
    files: list[Path] = field(default_factory=list)
    documents: dict[str, DocumentState] = field(default_factory=dict)
    touched: dict[int, DocumentState] = field(default_factory=dict)
    new_rows: list[IndexRow] = field(default_factory=list)
    new_ends: list[EndRow] = field(default_factory=list)
    ids: dict[str, Ids] = field(default_factory=dict)
    passages: dict[int, tuple[list[DigestedPassage], SharedAttributes]] = field(default_factory=dict)
    layouts: Layouts = field(default_factory=dict)
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

    def put(self, document: Document, *, replaces_history: bool = False) -> tuple[str, StoredVersion]:
        """Apply a document as a source states it; returns the outcome (see `validity.interpret`) and the
        version with this statement."""
        state = self.document_state(document.id)
        content = self.texts.content(document)
        stated = stated_digest(content, document.published)
        outcome = validity.interpret(
            state,
            content,
            stated,
            document.published,
            document.changed,
            self.now,
            self.settings.undated,
            replaces_history=replaces_history,
        )
        if outcome.same is not None:
            return outcome.what, outcome.same
        if outcome.retire is not None:
            self.retire(state, outcome.retire)
        published = outcome.published
        if published is not None and published.by == EDIT and state.current is not None:
            published = self._date_kept(state.current, document) or published
        version = self.add_version(state, document, content, stated, published, outcome.visible)
        if state.current is version:
            state.source = self.source
        return outcome.what, version

    def _date_kept(self, current: StoredVersion, document: Document) -> SourcedTime | None:
        """The date of the current version of a dated document, which an edit keeps that changes links or
        metadata and says nothing new; None for another edit."""
        from asof.store.reader import text_of
        from asof.text.statements import says_the_same

        if current.deleted or current.dated_by in WEAK_DATES or current.id >= self.ids["versions"].first:
            return None
        text, starts, ends, layout = self.db.execute(
            "SELECT published, starts, ends, layout FROM versions WHERE id = ?", (current.id,)
        ).fetchone()
        words = [link.words for link in document.links]
        if starts is None or not says_the_same(text_of(self.db, current.id, layout), document.text, words):
            return None
        return SourcedTime(span_of(starts, ends), text or "", EDIT)

    def add_version(
        self,
        state: DocumentState,
        document: Document,
        content: bytes,
        stated: bytes,
        published: SourcedTime | None,
        visible: int,
    ) -> StoredVersion:
        """Add a version with the text of `document`."""
        from asof.text.acts import acts_of  # which a search does without

        acts = acts_of(
            document.path or document.id, document.title, document.text, document.meta, document.links
        )
        head = self.texts.head(document, acts=bool(acts))
        passages = self.texts.passages(document)
        version = StoredVersion(
            self.ids["versions"].take(), content, stated, visible, self.now, _dated_by(published)
        )
        head_id = self._head_id(state, head)
        self.passages[version.id] = passages, head
        self.pending["links"] += [
            (version.id, place, link.target, link.heading, link.alias, link.kind)
            for place, link in enumerate((*document.links, *acts))
        ]
        self.pending["aliases"] += [(alias, version.id) for alias in dict.fromkeys(document.aliases)]
        self._add(state, version, published, head_id, pack_layout(passages))
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
        visible = validity.visible_from(at, self.now, "added")
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
        self._add(state, version, at, None, None)
        return version

    def add_copy(
        self, state: DocumentState, old: StoredVersion, published: SourcedTime | None, visible: int
    ) -> StoredVersion:
        """Add a version with the content of an old one, under another date."""
        head, layout, attributes = self.db.execute(
            "SELECT v.head, v.layout, coalesce(h.searched, x'') FROM versions AS v"
            " LEFT JOIN heads AS h ON h.id = v.head WHERE v.id = ?",
            (old.id,),
        ).fetchone()
        version = StoredVersion(
            self.ids["versions"].take(), old.content, old.stated, visible, self.now, _dated_by(published)
        )
        self.layouts[version.id] = layout, attributes
        self._copy_names(version.id, old.id)
        self._add(state, version, published, head, layout)
        return version

    def _copy_names(self, version: int, old: int) -> None:
        """The links and aliases of an old version are a new one's, too."""
        columns = "SELECT place, target, heading, alias, kind FROM links WHERE version = ?"
        self.pending["links"] += [(version, *row) for row in self.db.execute(columns, (old,))]
        aliases = self.db.execute("SELECT alias FROM aliases WHERE version = ?", (old,))
        self.pending["aliases"] += [(alias, version) for (alias,) in aliases]

    def move(self, before: str, document: Document) -> tuple[str, StoredVersion]:
        """Continue a document under another id: all its versions are stated under that one, with the paths
        that they had, and withdrawn under the old one. It is stated as `document` since the move is known,
        whatever dates that, and keeps the date of its text."""
        old, state = self.documents.get(before), self.document_state(document.id)
        if old is None or not old.versions or state.versions:
            return self.put(document)
        rows = self.db.execute("SELECT key, headings, text FROM passages WHERE document = ?", (old.id,))
        texts = {key: (headings, text) for key, headings, text in rows}
        published = None
        for version in sorted(old.versions, key=lambda each: each.order):
            published = self._copy_to(state, version, texts)
            self.retire(old, version)
        current = state.current
        if current is None or current.deleted:
            return self.put(document)
        known = validity.edit_without_date(current, None, None, self.now)
        content = self.texts.content(document)
        stated = stated_digest(content, document.published)
        version = self.add_version(state, document, content, stated, published, known.visible)
        state.source = self.source
        return known.what, version

    def _copy_to(
        self, state: DocumentState, old: StoredVersion, texts: Mapping[bytes, tuple[str, str]]
    ) -> SourcedTime | None:
        """Add a version of another document, whose passages have these `texts`, and return its date."""
        head_id, layout, text, starts, ends = self.db.execute(
            "SELECT head, layout, published, starts, ends FROM versions WHERE id = ?", (old.id,)
        ).fetchone()
        dated = starts is not None and ends is not None
        published = SourcedTime(span_of(starts, ends), text or "", old.dated_by) if dated else None
        if old.deleted:
            self.add_deletion(state, old.stated, published, old.dated_by, old.visible)
            return published
        head = _stored_head(self.db, head_id)
        content = digest((head.path, old.content.hex()))  # no statement under the new id is the same
        stated = stated_digest(content, published)
        version = StoredVersion(
            self.ids["versions"].take(), content, stated, old.visible, self.now, old.dated_by
        )
        places = layout_places(layout)
        self.passages[version.id] = [DigestedPassage(*place, *texts[place[0]]) for place in places], head
        self._copy_names(version.id, old.id)
        self._add(state, version, published, self._head_id(state, head), layout)
        return published

    def retire(self, state: DocumentState, version: StoredVersion) -> None:
        """Mark a version as wrong from the beginning."""
        state.versions.remove(version)
        self.touched[state.id] = state
        self.retired.append(version.id)

    def withdraw(self, state: DocumentState, versions: Sequence[StoredVersion]) -> None:
        """Retire versions that a history no longer has, and an edit that then says what is said before it."""
        for version in versions:
            self.retire(state, version)
        last = sorted(state.versions, key=lambda each: each.order)[-2:]
        said = {(each.content, each.deleted) for each in last}
        if len(last) == 2 and len(said) == 1 and last[1].dated_by == EDIT:
            self.retire(state, last[1])

    def _add(
        self, state: DocumentState, version: StoredVersion, published: SourcedTime | None, head: int | None,
        layout: bytes | None,
    ) -> None:  # fmt: skip
        starts, ends = time_bounds(published)
        self.pending["versions"].append((
            version.id, state.id, head, version.content, version.stated,
            published.text if published else None, starts, ends, version.dated_by, version.visible, layout,
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
            self.pending["heads"].append((head_id, state.id, head.digest, self.source, *head[1:]))
            self.pending["tags"] += [(tag, head_id) for tag in dict.fromkeys(json.loads(head.tags))]
        self._heads[key] = head_id
        return head_id


def _stored_head(db: sqlite3.Connection, head: int) -> SharedAttributes:
    """The attributes in a row of `heads`."""
    columns = ", ".join(SharedAttributes._fields)
    return SharedAttributes._make(db.execute(f"SELECT {columns} FROM heads WHERE id = ?", (head,)).fetchone())


def _dated_by(published: SourcedTime | None) -> str:
    return published.by if published else "none"


# -- end of a write: rows of touched documents follow their versions -----------------------------------


def reconcile(write: Transaction) -> None:
    """Bring the rows of every touched document in line with its versions, and insert all pending rows."""
    for document in write.touched.values():
        layouts, stored = ({}, []) if document.new else _stored(write, document)
        layouts |= write.layouts
        versions = [_version_passages(write, each, layouts) for each in document.versions]
        changes = interval_changes(versions, stored)
        for interval in changes.begin:
            _insert_passage(write, document, interval)
        write.new_ends += [EndRow(row, at, write.now) for row, at in changes.end]
        write.new_ends += [EndRow(row, BEGINNING, write.now) for row in changes.retire]
        keys = {interval.key for interval in changes.begin} | {row.key for row in stored}
        _insert_never_visible(write, document, versions, keys)
    _flush(write)


def _version_passages(write: Transaction, version: StoredVersion, layouts: Layouts) -> VersionPassages:
    new = write.passages.get(version.id)
    if new:
        keys, head = tuple(passage.key for passage in new[0]), new[1].searched
    else:
        layout, head = layouts.get(version.id, (None, b""))
        keys = layout_keys(layout)
    return VersionPassages(version.id, version.visible, version.added, keys, head)


def _stored(write: Transaction, document: DocumentState) -> tuple[Layouts, list[StoredInterval]]:
    """Of a document the layouts of its versions and the digests of their searched attributes, by id, and the
    rows of its passages."""
    versions = write.db.execute(
        "SELECT v.id, v.layout, coalesce(h.searched, x'') FROM versions AS v"
        " LEFT JOIN heads AS h ON h.id = v.head WHERE v.document = ? AND v.retired IS NULL",
        (document.id,),
    )
    layouts: Layouts = {version: (layout, head) for version, layout, head in versions}
    rows = write.db.execute(
        "SELECT p.id, p.key, p.version, p.visible, min(coalesce(e.at, ?)), h.searched FROM passages AS p"
        " JOIN heads AS h ON h.id = p.head LEFT JOIN ends AS e ON e.passage = p.id WHERE p.document = ?"
        " GROUP BY p.id",
        (NEVER, document.id),
    )
    return layouts, [StoredInterval(*row) for row in rows if row[4] != BEGINNING]


def _insert_never_visible(
    write: Transaction, document: DocumentState, versions: Sequence[VersionPassages], stored_keys: set[bytes]
) -> None:
    """A version superseded at its very first instant is never visible; its text is stored all the same."""
    for version in versions:
        if version.id not in write.passages:
            continue
        for number, key in enumerate(version.keys):
            if key not in stored_keys:
                stored_keys.add(key)
                interval = ValidityInterval(
                    key, version.visible, NEVER, version.id, number, version.id, version.head
                )
                write.new_ends.append(
                    EndRow(_insert_passage(write, document, interval), BEGINNING, write.now)
                )


def _insert_passage(write: Transaction, document: DocumentState, interval: ValidityInterval) -> int:
    """A new row for an interval; its text is that of a new version, or of an older row with the same key."""
    passage = write.ids["passages"].take()
    head = _version_row(write, interval.renewed).head
    said = _version_row(write, interval.version)
    of = _attributes(write, interval.renewed, head)
    headings, text = _text(write, document, interval)
    published = None if said.starts is None or said.ends is None else span_of(said.starts, said.ends)
    options = TimeReadingOptions(of.language, of.fiscal_start)
    times = passage_times(of.about, of.title, headings, text, published, options)
    dated = said.dated_by != "none"
    write.pending["passages"].append((
        passage, document.id, interval.key, interval.version, head, interval.number, interval.start,
        int(dated), write.now, headings, text, dumps(times),
    ))  # fmt: skip
    write.new_rows.append(
        IndexRow(
            passage, interval.start, write.now, said.visible, run_digest(interval.version, interval.key),
            dated, document.id, name_digest(of.path), interval.number, of.language,
            indexed_text(of.title, headings, of.about, text, of.keywords),
            tuple([(time.first, time.last, time.kind) for time in times]), of.title, of.path, headings, text,
            said.dated_by,
        )
    )  # fmt: skip
    if interval.end != NEVER:
        write.new_ends.append(EndRow(passage, interval.end, write.now))
    return passage


def _text(write: Transaction, document: DocumentState, interval: ValidityInterval) -> tuple[str, str]:
    """Headings and text of a passage."""
    new = write.passages.get(interval.renewed)
    if new is not None:
        digested = new[0][interval.number]
        return digested.headings, digested.text
    new = write.passages.get(interval.version)
    if new is not None:
        return next((each.headings, each.text) for each in new[0] if each.key == interval.key)
    row: tuple[str, str] = write.db.execute(
        "SELECT headings, text FROM passages WHERE document = ? AND key = ? LIMIT 1",
        (document.id, interval.key),
    ).fetchone()
    return row


def _attributes(write: Transaction, version: int, head: int) -> SharedAttributes:
    """The attributes of a version with this head."""
    new = write.passages.get(version)
    return _stored_head(write.db, head) if new is None else new[1]


class _VersionRow(NamedTuple):
    """Head, first and last instant of the date, its origin, and the first instant of a version."""

    head: int
    starts: int | None
    ends: int | None
    dated_by: str
    visible: int


def _version_row(write: Transaction, version: int) -> _VersionRow:
    """What is stored of a version that is no deletion."""
    ids = write.ids["versions"]
    if version >= ids.first:
        row = write.pending["versions"][(version - ids.first) // ids.step]
        return _VersionRow._make((row[2], *row[6:10]))
    query = "SELECT head, starts, ends, dated_by, visible FROM versions WHERE id = ?"
    return _VersionRow._make(write.db.execute(query, (version,)).fetchone())


def _flush(write: Transaction) -> None:
    db, rows = write.db, write.pending
    for document in write.touched.values():
        current = document.current
        if document.new:
            rows["documents"].append((document.id, document.name, document.source, current and current.id))
        else:
            db.execute(
                "UPDATE documents SET current = ?, source = ? WHERE id = ?",
                (current and current.id, document.source, document.id),
            )
    db.executemany(
        "UPDATE versions SET retired = ? WHERE id = ?", [(write.now, version) for version in write.retired]
    )
    first = write.ids["ends"]
    rows["ends"] = [(first.take(), *end) for end in write.new_ends]
    for table, values in rows.items():
        if values:
            marks = ", ".join("?" * len(values[0]))
            db.executemany(f"INSERT INTO {table} VALUES ({marks})", values)


# -- checkpoints: what sources have stated of documents, as tokens that a later run compares -----------
# A checkpoint stands for all statements of a source about a document, in their order. Any other statement
# about the document removes it, and whatever changes a document of a source removes the checkpoint of that
# source as a whole.

WHOLE = ""
"""The name for all documents of a source; its checkpoint is stored as that of document 0."""


def stored_checkpoints(db: sqlite3.Connection, source: str) -> dict[str, bytes]:
    """The tokens of a source, by document."""
    rows = db.execute(
        "SELECT coalesce(d.name, ?), c.token FROM checkpoints AS c JOIN sources AS s ON s.id = c.source"
        " LEFT JOIN documents AS d ON d.id = c.document"
        " WHERE s.name = ? AND (d.id IS NOT NULL OR c.document = 0)",
        (WHOLE, source),
    )
    return dict(rows.fetchall())


def save_checkpoints(write: Transaction) -> bool:
    """Store the checkpoints that a transaction states and remove those that it ends, after its rows are
    written; returns True if any row differs."""
    before = write.db.total_changes
    forget_checkpoints(write.db, sorted(write.touched))
    for name, token in write.checkpoints.items():
        state = write.documents.get(name)
        document = 0 if name == WHOLE else state.id if state is not None else None
        if document is None:
            continue  # the end of what never was
        if token is None:
            write.db.execute("DELETE FROM checkpoints WHERE document = ?", (document,))
            continue
        write.db.execute(
            "INSERT INTO checkpoints VALUES (?1, ?2, ?3)"
            " ON CONFLICT (source, document) DO UPDATE SET token = ?3 WHERE checkpoints.token IS NOT ?3",
            (write.source, document, token),
        )
    return write.db.total_changes > before


def forget_checkpoints(db: sqlite3.Connection, documents: Sequence[int]) -> None:
    """Remove the checkpoints of documents, and of the sources that have stated any of them."""
    if not documents:
        return
    wanted = json.dumps(documents)
    chosen = "(SELECT value FROM json_each(?1))"
    db.execute(f"DELETE FROM checkpoints WHERE document IN {chosen} AND document != 0", (wanted,))
    db.execute(
        "DELETE FROM checkpoints WHERE document = 0 AND source IN ("
        f"SELECT source FROM documents WHERE id IN {chosen}"
        f" UNION SELECT source FROM heads WHERE document IN {chosen})",
        (wanted,),
    )
