"""Moving whole documents from one shard to another: all of their rows, under ids of the other shard.

Instants stay as they are, and ids of one document keep their order, so at any (T, K) a document is what it
was.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from pathlib import Path

from asof.store.corrections import delete_calls
from asof.store.schema import get_meta, set_meta
from asof.store.shard_layout import NUMBERED

_CHOSEN = {
    "documents": "SELECT id FROM documents WHERE name IN (SELECT name FROM temp.moved)",
    "heads": "SELECT id FROM heads WHERE document IN (SELECT old FROM temp.new_documents)",
    "versions": "SELECT id FROM versions WHERE document IN (SELECT old FROM temp.new_documents)",
    "passages": "SELECT id FROM passages WHERE document IN (SELECT old FROM temp.new_documents)",
    "ends": "SELECT id FROM ends WHERE passage IN (SELECT old FROM temp.new_passages)",
}
"""Which rows of each numbered table are of the documents that move."""

_REFERRING = {
    "tags": ("head", "heads"), "links": ("version", "versions"), "aliases": ("version", "versions"),
    "vectors": ("passage", "passages"), "extractions": ("passage", "passages"),
    "facts": ("passage", "passages"),
}  # fmt: skip
"""Tables without ids of their own: the column that says what a row is of, and the table that this is in."""

_REFERENCES = {
    "documents": {"source": "sources", "current": "versions"},
    "heads": {"document": "documents", "source": "sources"},
    "versions": {"document": "documents", "head": "heads"},
    "passages": {"document": "documents", "version": "versions", "head": "heads"},
    "ends": {"passage": "passages"},
}
"""Columns of numbered tables that hold ids, and of which tables."""


def move(db: sqlite3.Connection, names: Sequence[str], target: Path) -> list[int]:
    """Move documents to the database `target`, in one transaction of `db` over both; returns the ids that
    their passages had. Segments are not touched."""
    db.execute("ATTACH DATABASE ? AS other", (str(target),))
    try:
        db.execute("BEGIN IMMEDIATE")
        try:
            passages = _moved(db, names)
            db.execute("COMMIT")
        except BaseException:
            db.execute("ROLLBACK")
            raise
    finally:
        db.execute("DETACH DATABASE other")
    return passages


def _moved(db: sqlite3.Connection, names: Sequence[str]) -> list[int]:
    db.execute("CREATE TEMP TABLE moved (name TEXT PRIMARY KEY) WITHOUT ROWID")
    db.executemany("INSERT INTO temp.moved VALUES (?)", [(name,) for name in names])
    for table in NUMBERED:
        _number(db, table)
    _take_sources(db)
    for table in NUMBERED:
        _copy(db, table, {"id": table, **_REFERENCES[table]})
    for table, (column, of) in _REFERRING.items():
        _copy(db, table, {column: of})
    db.execute(
        "INSERT INTO other.checkpoints SELECT s.new, d.new, c.token FROM main.checkpoints AS c"
        " JOIN temp.new_sources AS s ON s.old = c.source JOIN temp.new_documents AS d ON d.old = c.document"
    )
    passages = [passage for (passage,) in db.execute("SELECT old FROM temp.new_passages ORDER BY old")]
    _remove(db, passages)
    for table in ("moved", "new_sources", *(f"new_{table}" for table in NUMBERED)):
        db.execute(f"DROP TABLE temp.{table}")
    return passages


def _number(db: sqlite3.Connection, table: str) -> None:
    """New ids of the rows of a table that move, in the order of their old ones."""
    db.execute(f"CREATE TEMP TABLE new_{table} (old INTEGER PRIMARY KEY, new INTEGER NOT NULL)")
    (last,) = db.execute("SELECT seq FROM other.sqlite_sequence WHERE name = ?", (table,)).fetchone()
    db.execute(
        f"INSERT INTO temp.new_{table} SELECT id, ? + row_number() OVER (ORDER BY id)"
        f" FROM main.{table} WHERE id IN ({_CHOSEN[table]})",
        (last,),
    )


def _take_sources(db: sqlite3.Connection) -> None:
    """The sources of what moves, which the other shard may have already; the ids are its own."""
    db.execute(
        "INSERT INTO other.sources (name, kind, added) SELECT name, kind, added FROM main.sources WHERE id IN"
        " (SELECT source FROM main.documents WHERE id IN (SELECT old FROM temp.new_documents)"
        " UNION SELECT source FROM main.heads WHERE id IN (SELECT old FROM temp.new_heads)) ORDER BY id"
        " ON CONFLICT (name) DO UPDATE SET added = min(added, excluded.added)"
    )
    db.execute("CREATE TEMP TABLE new_sources (old INTEGER PRIMARY KEY, new INTEGER NOT NULL)")
    db.execute(
        "INSERT INTO temp.new_sources SELECT s.id, o.id FROM main.sources AS s"
        " JOIN other.sources AS o ON o.name = s.name"
    )


def _copy(db: sqlite3.Connection, table: str, references: dict[str, str]) -> None:
    """Copy the rows of a table whose first reference moves; columns that hold ids get the new ones."""
    columns = [name for _, name, *_ in db.execute(f"PRAGMA main.table_info({table})")]
    values = [f"{column}_.new" if column in references else f"t.{column}" for column in columns]
    joins = [
        f"{'' if at == 0 else 'LEFT '}JOIN temp.new_{of} AS {column}_ ON {column}_.old = t.{column}"
        for at, (column, of) in enumerate(references.items())
    ]
    db.execute(
        f"INSERT INTO other.{table} ({', '.join(columns)}) SELECT {', '.join(values)}"
        f" FROM main.{table} AS t {' '.join(joins)}"
    )


def _remove(db: sqlite3.Connection, passages: Sequence[int]) -> None:
    """Remove what was copied. Replies of models are asked for again; shown hits are of the new passages."""
    db.execute(
        "UPDATE shown SET passage = (SELECT new FROM temp.new_passages WHERE old = passage)"
        " WHERE passage IN (SELECT old FROM temp.new_passages)"
    )
    delete_calls(db, passages)
    for table, (column, of) in _REFERRING.items():
        db.execute(f"DELETE FROM main.{table} WHERE {column} IN (SELECT old FROM temp.new_{of})")
    db.execute("DELETE FROM main.checkpoints WHERE document IN (SELECT old FROM temp.new_documents)")
    for table in reversed(NUMBERED):
        db.execute(f"DELETE FROM main.{table} WHERE id IN (SELECT old FROM temp.new_{table})")


def take_over(db: sqlite3.Connection, old: Sequence[sqlite3.Connection]) -> None:
    """What every shard has, for a new one: all transactions, horizons, marks of erased documents, and what
    the sources said of themselves as a whole."""
    whole = (
        "SELECT s.name, s.kind, s.added, c.token FROM checkpoints AS c JOIN sources AS s ON s.id = c.source"
    )
    db.execute("BEGIN IMMEDIATE")
    try:
        for each in old:
            db.executemany(
                "INSERT OR IGNORE INTO transactions VALUES (?, ?)",
                each.execute("SELECT id, what FROM transactions").fetchall(),
            )
            for (key,) in each.execute("SELECT key FROM meta WHERE key LIKE 'erased %'").fetchall():
                set_meta(db, key, "")
            for key in ("horizon", "known_horizon"):
                if (value := get_meta(each, key)) is not None:
                    set_meta(db, key, str(max(int(value), int(get_meta(db, key) or value))))
        for name, kind, added, token in old[0].execute(f"{whole} WHERE c.document = 0").fetchall():
            db.execute(
                "INSERT INTO sources (name, kind, added) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
                (name, kind, added),
            )
            db.execute("INSERT INTO checkpoints SELECT id, 0, ? FROM sources WHERE name = ?", (token, name))
        db.execute("COMMIT")
    except BaseException:
        db.execute("ROLLBACK")
        raise
