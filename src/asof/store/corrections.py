"""Changes made by a user, not by a source: corrections of dates, erasure, dropping history."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Container, Mapping, Sequence

from asof.documents import SourcedTime
from asof.errors import DocumentNotFound
from asof.store import validity
from asof.store.digest import layout_keys, layout_places, pack_layout, span_of
from asof.store.schema import get_meta, set_meta
from asof.store.validity import EDIT, mark_erased
from asof.store.writing import Transaction, forget_checkpoints
from asof.time.span import BEGINNING, NEVER


def correct(write: Transaction, name: str, published: SourcedTime) -> None:
    """Give the current version of a document another date of publication.

    The version with the wrong date retires. Its statement stays known, so that indexing the source again does
    not undo the correction. Raises DocumentNotFound when there is no such document, or it was removed.
    """
    write.load([name])
    document = write.documents.get(name)
    current = document.current if document else None
    if document is None or current is None or current.deleted:
        raise DocumentNotFound(f"no current document {name!r}; a search shows the ids")
    write.source = document.source
    visible = validity.visible_from(published, write.now, write.settings.undated)
    write.add_copy(document, current, published, visible)
    write.retire(document, current)


def carry(write: Transaction, moved: Mapping[str, str]) -> None:
    """Repeat what was corrected of documents in the same versions of those that they were moved to."""
    rows = write.db.execute(
        "SELECT n.name, v.id, c.published, c.starts, c.ends, c.dated_by, c.visible FROM json_each(?) AS m"
        " JOIN documents AS o ON o.name = m.key JOIN documents AS n ON n.name = m.value JOIN versions AS c"
        " ON c.document = o.id AND c.retired IS NULL AND c.dated_by != ? JOIN versions AS r"
        " ON r.document = o.id AND r.retired IS NOT NULL AND r.stated = c.stated AND r.starts IS NOT c.starts"
        " JOIN versions AS v ON v.document = n.id AND v.retired IS NULL AND v.layout = r.layout"
        " AND (v.starts, v.ends) = (r.starts, r.ends) GROUP BY v.id",
        (json.dumps(moved), EDIT),
    )
    for name, wrong, text, starts, ends, by, visible in rows.fetchall():
        (version,) = (each for each in write.documents[name].versions if each.id == wrong)
        published = SourcedTime(span_of(starts, ends), text or "", by)
        write.add_copy(write.documents[name], version, published, visible)
        write.retire(write.documents[name], version)


def erase(db: sqlite3.Connection, name: str) -> list[int]:
    """Remove a document and everything derived from it, also under the ids that it had before it was moved;
    returns the ids of its passages.

    Raises DocumentNotFound when there is no such document.
    """
    row = db.execute("SELECT id FROM documents WHERE name = ?", (name,)).fetchone()
    if row is None:
        raise DocumentNotFound(f"no document {name!r} in the corpus; a search shows the ids")
    document = row[0]
    before = db.execute(
        "SELECT DISTINCT d.id FROM heads AS h JOIN documents AS d ON d.name = h.path"
        " WHERE h.document = ? AND d.current IS NULL AND d.id != ?",
        (document, document),
    ).fetchall()
    return [passage for (each,) in [row, *before] for passage in _erase(db, each)]


def _erase(db: sqlite3.Connection, document: int) -> list[int]:
    passages = [id_ for (id_,) in db.execute("SELECT id FROM passages WHERE document = ?", (document,))]
    forget_checkpoints(db, [document])
    of_source = "DELETE FROM problems WHERE source = (SELECT source FROM documents WHERE id = ?)"
    db.execute(of_source, (document,))  # they may quote it
    _delete_passages(db, passages)
    of_document = "(SELECT id FROM {} WHERE document = ?)"
    for table, column, owner in (
        ("links", "version", "versions"), ("aliases", "version", "versions"), ("tags", "head", "heads"),
    ):  # fmt: skip
        db.execute(f"DELETE FROM {table} WHERE {column} IN {of_document.format(owner)}", (document,))
    for table in ("versions", "heads"):
        db.execute(f"DELETE FROM {table} WHERE document = ?", (document,))
    db.execute("DELETE FROM documents WHERE id = ?", (document,))
    return passages


def erase_for_good(db: sqlite3.Connection, names: Sequence[str]) -> list[int]:
    """Remove documents of a scheme for good: no later run of their source adds them again. Returns the ids
    of their passages. Raises DocumentNotFound when there is no such document."""
    passages = [passage for name in names for passage in erase(db, name)]
    for name in names:
        mark_erased(db, name)
    return passages


def drop_history(db: sqlite3.Connection, horizon: int) -> list[int]:
    """Remove versions and passages that no search as of `horizon` or later can see; returns the ids of the
    removed passages.

    Passages visible at (T, K) stay if T is not before the horizon and K not before the last write.
    """
    last = db.execute("SELECT max(id) FROM transactions").fetchone()[0] or 0
    unreachable = _unreachable_versions(db, horizon)
    dropped, retained = _unreachable_passages(db, horizon, unreachable)
    # passages from before the horizon, retained only for the text of a later version: marked as never visible
    db.executemany("INSERT INTO ends (passage, at, added) VALUES (?, ?, ?)",
                   [(passage, BEGINNING, last) for passage in retained])  # fmt: skip
    _delete_passages(db, dropped)
    for version in unreachable:
        _shrink_version(db, version)
    db.execute("DELETE FROM tags WHERE head NOT IN (SELECT head FROM passages)")
    db.execute(
        "DELETE FROM heads WHERE id NOT IN (SELECT head FROM passages)"
        " AND id NOT IN (SELECT head FROM versions WHERE head IS NOT NULL)"
    )
    for key, dropped_before in (("horizon", horizon), ("known_horizon", max(last, horizon))):
        set_meta(db, key, str(max(dropped_before, int(get_meta(db, key) or dropped_before))))
    return dropped


def _delete_passages(db: sqlite3.Connection, passages: Sequence[int]) -> None:
    """Remove passages and everything derived from them."""
    ids = json.dumps(passages)
    delete_calls(db, passages)
    _delete_feedback(db, passages)
    for table, column in (
        ("passages", "id"), ("ends", "passage"), ("vectors", "passage"), ("facts", "passage"),
        ("extractions", "passage"),
    ):  # fmt: skip
        db.execute(f"DELETE FROM {table} WHERE {column} IN (SELECT value FROM json_each(?))", (ids,))


def delete_calls(db: sqlite3.Connection, passages: Sequence[int]) -> None:
    """Remove the replies of models to prompts with these passages, and the links from replies to passages."""
    ids = json.dumps(passages)
    db.execute(
        "DELETE FROM calls WHERE digest IN (SELECT digest FROM call_passages"
        " WHERE passage IN (SELECT value FROM json_each(?)))",
        (ids,),
    )
    db.execute("DELETE FROM call_passages WHERE digest NOT IN (SELECT digest FROM calls)")


def _delete_feedback(db: sqlite3.Connection, passages: Sequence[int]) -> None:
    """Delete the hits and judgements of these passages, and questions with no hit left. States of learning
    stay: they are numbers."""
    ids = json.dumps(passages)
    of_passages = "FROM shown WHERE passage IN (SELECT value FROM json_each(?))"
    db.execute(f"DELETE FROM judgements WHERE (asked, rank) IN (SELECT asked, rank {of_passages})", (ids,))
    db.execute(f"DELETE {of_passages}", (ids,))
    db.execute("DELETE FROM asked WHERE id NOT IN (SELECT asked FROM shown)")


def _unreachable_versions(db: sqlite3.Connection, horizon: int) -> list[int]:
    """Versions that no view shows: retired ones, and those superseded before the horizon."""
    rows = db.execute(
        "SELECT v.id FROM versions AS v WHERE v.retired IS NOT NULL OR v.visible <= ?1 AND EXISTS ("
        " SELECT 1 FROM versions AS w WHERE w.document = v.document AND w.visible <= ?1"
        " AND w.retired IS NULL AND (w.visible, w.added, w.id) > (v.visible, v.added, v.id))",
        (horizon,),
    )
    return [version for (version,) in rows]


def _unreachable_passages(
    db: sqlite3.Connection, horizon: int, unreachable: Sequence[int]
) -> tuple[list[int], list[int]]:
    """Passages that had ended by the horizon: those to drop, and those to retain, whose text is needed by a
    version that is not `unreachable` (without retired ones)."""
    ended = db.execute(
        "SELECT p.id, p.document, p.key, min(e.at) FROM ends AS e JOIN passages AS p ON p.id = e.passage"
        " WHERE e.at <= ?1 GROUP BY p.id ORDER BY p.id",
        (horizon,),
    ).fetchall()
    ended_ids = {passage for passage, *_ in ended}
    documents = json.dumps(sorted({document for _, document, *_ in ended}))
    of_documents = "WHERE document IN (SELECT value FROM json_each(?))"
    needed: dict[int, set[bytes]] = {}
    removed = set(unreachable)
    for version, document, layout in db.execute(
        f"SELECT id, document, layout FROM versions {of_documents}", (documents,)
    ):
        if version not in removed:
            needed.setdefault(document, set()).update(layout_keys(layout))
    for passage, document, key in db.execute(
        f"SELECT id, document, key FROM passages {of_documents}", (documents,)
    ):
        if passage not in ended_ids:
            needed.get(document, set()).discard(key)
    dropped, retained = [], []
    for passage, document, key, at in ended:
        if key not in needed.get(document, ()):
            dropped.append(passage)
            continue
        needed[document].remove(key)
        if at != BEGINNING:
            retained.append(passage)
    return dropped, retained


def _shrink_version(db: sqlite3.Connection, version: int) -> None:
    """Delete a past version, or reduce its layout to passages that are still current, so that their intervals
    do not change.

    A reduced version no longer matches any statement of a source.
    """
    document, visible, layout, begun = db.execute(
        "SELECT document, visible, layout, EXISTS (SELECT 1 FROM passages AS p WHERE p.document = v.document"
        " AND (p.version = v.id OR p.visible = v.visible)) FROM versions AS v WHERE v.id = ?",
        (version,),
    ).fetchone()
    if not begun:
        for table, column in (("versions", "id"), ("links", "version"), ("aliases", "version")):
            db.execute(f"DELETE FROM {table} WHERE {column} = ?", (version,))
        return
    alive = db.execute(
        "SELECT p.key FROM passages AS p JOIN versions AS v ON v.id = p.version"
        " LEFT JOIN ends AS e ON e.passage = p.id WHERE p.document = ?1"
        " AND v.visible <= ?2 GROUP BY p.id HAVING min(coalesce(e.at, ?3)) > ?2",
        (document, visible, NEVER),
    )
    remaining = _filter_layout(layout or b"", {key for (key,) in alive})
    if remaining != layout:
        db.execute(
            "UPDATE versions SET layout = ?, content = x'', stated = x'' WHERE id = ?", (remaining, version)
        )


def _filter_layout(layout: bytes, keys: Container[bytes]) -> bytes:
    """The layout of these passages alone, placed in the text that is left of them."""
    left, at, dropped = [], 0, 0
    for key, start, end in layout_places(layout):
        if key in keys:
            dropped += max(0, start - at)
            at = max(at, end)
            left.append((key, start - dropped, end - dropped))
    return pack_layout(left)
