"""The end of a write: the rows of every touched document are brought in line with its versions.

Rows are a pure function of the versions (`validity.py`); differences from the stored rows are written, and
passed to the index.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from asof.store.about import TimeReadingOptions, dumps, passage_times
from asof.store.digest import indexed_text, layout_keys, name_digest, span_of
from asof.store.rows import EndRow, IndexRow
from asof.store.statements import DocumentState, StoredVersion
from asof.store.validity import StoredInterval, ValidityInterval, VersionPassages, interval_changes
from asof.store.write import Transaction
from asof.time.span import BEGINNING, NEVER, Span


def reconcile(write: Transaction) -> None:
    """Bring the rows of every touched document in line with its versions, and insert all pending rows."""
    for document in write.touched.values():
        if document.new:
            versions = [_version_passages(write, version) for version in document.versions]
            _reconcile_document(write, document, versions, [])
        else:
            versions = _all_version_passages(write, document)
            _reconcile_document(write, document, versions, _stored_intervals(write, document))
    _flush(write)


def _version_passages(
    write: Transaction, version: StoredVersion, layout: bytes | None = None
) -> VersionPassages:
    new = write.passages.get(version.id)
    keys = tuple(passage.key for passage in new[0]) if new else layout_keys(layout)
    return VersionPassages(version.id, version.visible, version.added, keys)


def _all_version_passages(write: Transaction, document: DocumentState) -> list[VersionPassages]:
    layouts = dict(
        write.db.execute(
            "SELECT id, layout FROM versions WHERE document = ? AND retired IS NULL", (document.id,)
        ).fetchall()
    )
    layouts.update(write.layouts)
    return [_version_passages(write, version, layouts.get(version.id)) for version in document.versions]


def _stored_intervals(write: Transaction, document: DocumentState) -> list[StoredInterval]:
    rows = write.db.execute(
        "SELECT p.id, p.key, p.version, p.visible, min(coalesce(e.at, ?)) FROM passages AS p"
        " LEFT JOIN ends AS e ON e.passage = p.id WHERE p.document = ? GROUP BY p.id",
        (NEVER, document.id),
    )
    return [StoredInterval(*row) for row in rows if row[4] != BEGINNING]


def _reconcile_document(
    write: Transaction,
    document: DocumentState,
    versions: Sequence[VersionPassages],
    stored: Sequence[StoredInterval],
) -> None:
    changes = interval_changes(versions, stored)
    name = name_digest(document.name)
    for interval in changes.begin:
        _insert_passage(write, document, name, interval)
    write.new_ends += [EndRow(row, at, write.now) for row, at in changes.end]
    write.new_ends += [EndRow(row, BEGINNING, write.now) for row in changes.retire]
    keys = {interval.key for interval in changes.begin} | {row.key for row in stored}
    _insert_never_visible(write, document, name, versions, keys)


def _insert_never_visible(
    write: Transaction,
    document: DocumentState,
    name: int,
    versions: Sequence[VersionPassages],
    stored_keys: set[bytes],
) -> None:
    """A version superseded at its very first instant is never visible; its text is stored all the same."""
    for version in versions:
        if version.id not in write.passages:
            continue
        for number, key in enumerate(version.keys):
            if key not in stored_keys:
                stored_keys.add(key)
                interval = ValidityInterval(key, version.visible, NEVER, version.id, number)
                write.new_ends.append(
                    EndRow(_insert_passage(write, document, name, interval), BEGINNING, write.now)
                )


def _insert_passage(
    write: Transaction, document: DocumentState, name: int, interval: ValidityInterval
) -> int:
    """A new row for an interval; its text is that of its version, or of an older row with the same key."""
    passage = write.ids["passages"].take()
    new = write.passages.get(interval.version)
    if new is not None:
        passages, head, attributes, prepared = new
        digested = passages[interval.number]
        headings, text, language = digested.headings, digested.text, attributes.language
        title, about, keywords = attributes.title, attributes.about, attributes.keywords
        fiscal_start = attributes.fiscal_start
    else:
        prepared = None
        head = _head_id(write, interval.version)  # an older row may be from another source
        headings, text, language, title, about, keywords, fiscal_start = write.db.execute(
            "SELECT p.headings, p.text, h.language, h.title, h.about, h.keywords, h.fiscal_start"
            " FROM passages AS p"
            " JOIN heads AS h ON h.id = ? WHERE p.document = ? AND p.key = ? LIMIT 1",
            (head, document.id, interval.key),
        ).fetchone()
    dated, published = _publication_date(write, interval.version)
    options = TimeReadingOptions(language, fiscal_start)
    if prepared is not None and prepared.published == published:
        times = prepared.times[interval.number]
    else:
        times = passage_times(about, title, headings, text, published, options)
    write.pending["passages"].append((
        passage, document.id, interval.key, interval.version, head, interval.number, interval.start,
        int(dated), write.now, headings, text, dumps(times),
    ))  # fmt: skip
    write.new_rows.append(
        IndexRow(
            passage, interval.start, write.now, dated, document.id, name, interval.number, head, language,
            indexed_text(title, headings, about, text, keywords),
            tuple([(time.first, time.last, time.kind) for time in times]), title,
        )
    )  # fmt: skip
    if interval.end != NEVER:
        write.new_ends.append(EndRow(passage, interval.end, write.now))
    return passage


def _head_id(write: Transaction, version: int) -> int:
    """The id of the head of a version that is no deletion."""
    first = write.ids["versions"].first
    if version >= first:
        return cast(int, write.pending["versions"][version - first][2])
    return cast(int, write.db.execute("SELECT head FROM versions WHERE id = ?", (version,)).fetchone()[0])


def _publication_date(write: Transaction, version: int) -> tuple[bool, Span | None]:
    """Whether a version has a date, and its span."""
    first = write.ids["versions"].first
    if version >= first:
        row = write.pending["versions"][version - first][6:9]
    else:
        row = write.db.execute(
            "SELECT starts, ends, dated_by FROM versions WHERE id = ?", (version,)
        ).fetchone()
    starts, ends, dated_by = cast(tuple[int | None, int | None, str], row)
    return dated_by != "none", None if starts is None or ends is None else span_of(starts, ends)


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
