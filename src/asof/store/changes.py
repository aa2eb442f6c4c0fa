"""Changes that no source states: corrections, erasure, and dropping history."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence

from asof.data import Stated
from asof.errors import UsageError
from asof.store import state
from asof.store.digest import KEY_BYTES
from asof.store.schema import set_meta
from asof.store.write import Write

PLACE_BYTES = KEY_BYTES + 8


def correct(write: Write, name: str, published: Stated) -> None:
    """The version in force of a document was dated wrongly: it retires, and is stated under this date.

    The source's own statement stays known, so that indexing it again does not undo the correction.
    Raises UsageError when there is no such document, or it has ended.
    """
    write.load([name])
    dossier = write.dossiers.get(name)
    current = dossier.current if dossier else None
    if dossier is None or current is None or current.gone:
        raise UsageError(f"no document {name!r} is in force: ids are shown by `asof search`")
    write.source = dossier.source
    visible = state.visible_from(published, write.now, write.settings.undated)
    write.restate(dossier, current, published, visible)
    write.retire(dossier, current)


def erase(db: sqlite3.Connection, name: str) -> list[int]:
    """Remove a document and all that was derived from it; returns the ids of its passages.

    Raises UsageError when there is no such document.
    """
    row = db.execute("SELECT id FROM documents WHERE name = ?", (name,)).fetchone()
    if row is None:
        raise UsageError(f"no document {name!r} in the corpus: ids are shown by `asof search`")
    document = row[0]
    passages = [id_ for (id_,) in db.execute("SELECT id FROM passages WHERE document = ?", (document,))]
    of_document = "(SELECT id FROM {} WHERE document = ?)"
    for table, column, owner in (
        ("ends", "passage", "passages"), ("vectors", "passage", "passages"), ("links", "version", "versions"),
        ("aliases", "version", "versions"), ("tags", "head", "heads"),
    ):  # fmt: skip
        db.execute(f"DELETE FROM {table} WHERE {column} IN {of_document.format(owner)}", (document,))
    for table in ("passages", "versions", "heads"):
        db.execute(f"DELETE FROM {table} WHERE document = ?", (document,))
    db.execute("DELETE FROM documents WHERE id = ?", (document,))
    return passages


def drop_history(db: sqlite3.Connection, horizon: int) -> list[int]:
    """Remove what no question as of `horizon` or later can see; returns the ids of the passages removed.

    Nothing that a view at (T, K) with T and K not before the horizon shows is touched.
    """
    dropped = [
        id_
        for (id_,) in db.execute(
            "SELECT DISTINCT passage FROM ends WHERE at <= ? AND added <= ?", (horizon, horizon)
        )
    ]
    wanted = json.dumps(dropped)
    for table, column in (("passages", "id"), ("ends", "passage"), ("vectors", "passage")):
        db.execute(f"DELETE FROM {table} WHERE {column} IN (SELECT value FROM json_each(?))", (wanted,))
    _drop_versions(db, horizon)
    db.execute("DELETE FROM tags WHERE head NOT IN (SELECT head FROM passages)")
    db.execute(
        "DELETE FROM heads WHERE id NOT IN (SELECT head FROM passages)"
        " AND id NOT IN (SELECT head FROM versions WHERE head IS NOT NULL)"
    )
    set_meta(db, "horizon", str(horizon))
    return dropped


def _drop_versions(db: sqlite3.Connection, horizon: int) -> None:
    """Versions that are never in force any more go, or keep only those passages that began with them."""
    past = db.execute(
        "SELECT v.id, v.document, v.layout FROM versions AS v WHERE v.retired <= ?1 OR EXISTS ("
        " SELECT 1 FROM versions AS w WHERE w.document = v.document AND w.visible <= ?1 AND w.added <= ?1"
        " AND (w.retired IS NULL OR w.retired > ?1)"
        " AND (w.visible, w.added, w.id) > (v.visible, v.added, v.id))",
        (horizon,),
    ).fetchall()
    for version, document, layout in past:
        begun = [
            key for (key,) in db.execute("SELECT key FROM passages WHERE document = ? AND version = ?",
                                         (document, version))
        ]  # fmt: skip
        if begun:
            kept = _only(layout or b"", begun)
            db.execute("UPDATE versions SET layout = ? WHERE id = ?", (kept, version))
        else:
            db.execute("DELETE FROM versions WHERE id = ?", (version,))
            db.execute("DELETE FROM links WHERE version = ?", (version,))
            db.execute("DELETE FROM aliases WHERE version = ?", (version,))


def _only(layout: bytes, keys: Sequence[bytes]) -> bytes:
    places = [layout[at : at + PLACE_BYTES] for at in range(0, len(layout), PLACE_BYTES)]
    return b"".join(place for place in places if place[:KEY_BYTES] in keys)
