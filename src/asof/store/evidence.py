"""What the evidence graph reads from the store: texts of passages, and whose voice a document is."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence


def texts_between(db: sqlite3.Connection, first: int, last: int) -> list[tuple[int, str]]:
    """Passages with ids from `first` to `last`, in order, and their texts."""
    return db.execute(
        "SELECT id, text FROM passages WHERE id BETWEEN ? AND ? ORDER BY id", (first, last)
    ).fetchall()


def texts_of(db: sqlite3.Connection, passages: Sequence[int]) -> list[str]:
    """The texts of these passages, in any order."""
    rows = db.execute(
        "SELECT text FROM passages WHERE id IN (SELECT value FROM json_each(?))", (json.dumps(passages),)
    )
    return [text for (text,) in rows]


def sources_of_heads(db: sqlite3.Connection) -> list[tuple[int, int]]:
    """Heads, in order, and the numbers of their sources."""
    return db.execute("SELECT id, source FROM heads ORDER BY id").fetchall()


def values_of_heads(db: sqlite3.Connection, key: str) -> list[tuple[int, str]]:
    """Heads whose metadata has a key, in order, and what it says; nothing ('' or null) is not said."""
    return db.execute(
        "SELECT h.id, m.type || ' ' || m.value FROM heads AS h, json_each(h.meta) AS m"
        " WHERE m.key = ? AND m.value IS NOT NULL AND m.value <> '' ORDER BY h.id",
        (key,),
    ).fetchall()
