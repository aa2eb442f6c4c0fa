"""The end of a write: the rows of every document that it touched are brought in line with its versions.

Rows are a pure function of the versions (`lives.py`); what differs from what is stored is written, and
handed to the index.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from asof.store.about import TimeReadingOptions, dumps, times_of
from asof.store.digest import indexed_text, layout_keys, name_digest, span_of
from asof.store.lives import StoredInterval, ValidityInterval, VersionPassages, changes
from asof.store.rows import EndRow, IndexRow
from asof.store.state import DocumentState, StoredVersion
from asof.time.span import BEGINNING, NEVER, Span

if TYPE_CHECKING:
    from asof.store.write import Transaction


def settle(write: Transaction) -> None:
    """Bring the rows of every touched document in line with its versions, and write it all."""
    for dossier in write.touched.values():
        if dossier.new:
            versions = [_version(write, known) for known in dossier.versions]
            _apply(write, dossier, versions, [])
        else:
            _apply(write, dossier, _versions(write, dossier), _stored(write, dossier))
    _flush(write)


def _version(write: Transaction, known: StoredVersion, layout: bytes | None = None) -> VersionPassages:
    made = write.cuts.get(known.id)
    keys = tuple(cut.key for cut in made[0]) if made else layout_keys(layout)
    return VersionPassages(known.id, known.visible, known.added, keys)


def _versions(write: Transaction, dossier: DocumentState) -> list[VersionPassages]:
    layouts = dict(
        write.db.execute(
            "SELECT id, layout FROM versions WHERE document = ? AND retired IS NULL", (dossier.id,)
        ).fetchall()
    )
    layouts.update(write.layouts)
    return [_version(write, known, layouts.get(known.id)) for known in dossier.versions]


def _stored(write: Transaction, dossier: DocumentState) -> list[StoredInterval]:
    rows = write.db.execute(
        "SELECT p.id, p.key, p.version, p.visible, min(coalesce(e.at, ?)) FROM passages AS p"
        " LEFT JOIN ends AS e ON e.passage = p.id WHERE p.document = ? GROUP BY p.id",
        (NEVER, dossier.id),
    )
    return [StoredInterval(*row) for row in rows if row[4] != BEGINNING]


def _apply(
    write: Transaction,
    dossier: DocumentState,
    versions: Sequence[VersionPassages],
    stored: Sequence[StoredInterval],
) -> None:
    todo = changes(versions, stored)
    name = name_digest(dossier.name)
    for life in todo.begin:
        _begin(write, dossier, name, life)
    write.ended += [EndRow(row, at, write.now) for row, at in todo.end]
    write.ended += [EndRow(row, BEGINNING, write.now) for row in todo.retire]
    _keep_unsaid(write, dossier, name, versions, {life.key for life in todo.begin} | {r.key for r in stored})


def _keep_unsaid(
    write: Transaction,
    dossier: DocumentState,
    name: int,
    versions: Sequence[VersionPassages],
    said: set[bytes],
) -> None:
    """A version superseded at its very first instant is never seen; its text is kept all the same."""
    for version in versions:
        if version.id not in write.cuts:
            continue
        for number, key in enumerate(version.keys):
            if key not in said:
                said.add(key)
                row = _begin(
                    write, dossier, name, ValidityInterval(key, version.visible, NEVER, version.id, number)
                )
                write.ended.append(EndRow(row, BEGINNING, write.now))


def _begin(write: Transaction, dossier: DocumentState, name: int, life: ValidityInterval) -> int:
    """A new row for a life; its words come from its version, or from an older row that says the same."""
    passage = write.ids["passages"].take()
    made = write.cuts.get(life.version)
    if made is not None:
        cuts, head, attributes = made
        piece = cuts[life.number]
        headings, text, language = piece.headings, piece.text, attributes.language
        title, about, keywords = attributes.title, attributes.about, attributes.keywords
        fiscal_start = attributes.fiscal_start
    else:
        head = _head(write, life.version)  # an older row may be from another source
        headings, text, language, title, about, keywords, fiscal_start = write.db.execute(
            "SELECT p.headings, p.text, h.language, h.title, h.about, h.keywords, h.fiscal_start"
            " FROM passages AS p"
            " JOIN heads AS h ON h.id = ? WHERE p.document = ? AND p.key = ? LIMIT 1",
            (head, dossier.id, life.key),
        ).fetchone()
    dated, published = _date(write, life.version)
    times = times_of(about, title, headings, text, published, TimeReadingOptions(language, fiscal_start))
    write.pending["passages"].append((
        passage, dossier.id, life.key, life.version, head, life.number, life.start, int(dated), write.now,
        headings, text, dumps(times),
    ))  # fmt: skip
    write.begun.append(
        IndexRow(
            passage, life.start, write.now, dated, dossier.id, name, life.number, head, language,
            indexed_text(title, headings, about, text, keywords),
            tuple([(time.first, time.last, time.kind) for time in times]),
        )
    )  # fmt: skip
    if life.end != NEVER:
        write.ended.append(EndRow(passage, life.end, write.now))
    return passage


def _head(write: Transaction, version: int) -> int:
    """The head of a version that says something."""
    first = write.ids["versions"].first
    if version >= first:
        return cast(int, write.pending["versions"][version - first][2])
    return cast(int, write.db.execute("SELECT head FROM versions WHERE id = ?", (version,)).fetchone()[0])


def _date(write: Transaction, version: int) -> tuple[bool, Span | None]:
    """Whether a version has a date, and which."""
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
    for dossier in write.touched.values():
        current = dossier.current
        if dossier.new:
            rows["documents"].append((dossier.id, dossier.name, dossier.source, current and current.id))
        else:
            db.execute(
                "UPDATE documents SET current = ?, source = ? WHERE id = ?",
                (current and current.id, dossier.source, dossier.id),
            )
    db.executemany(
        "UPDATE versions SET retired = ? WHERE id = ?", [(write.now, version) for version in write.retired]
    )
    first = write.ids["ends"]
    rows["ends"] = [(first.take(), *end) for end in write.ended]
    for table, values in rows.items():
        if values:
            marks = ", ".join("?" * len(values[0]))
            db.executemany(f"INSERT INTO {table} VALUES ({marks})", values)
