"""Checkpoints: what sources have stated of documents, as tokens that a later run compares.

A checkpoint stands for all statements of a source about a document, in the order in which they came, and for
nothing else: any other statement about the document removes it, and whatever changes a document of a source
removes the checkpoint of that source as a whole.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence

from asof.store.write import Transaction

WHOLE = ""
"""The name that stands for all documents of a source; its checkpoint is stored as that of document 0."""


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
    written; whether any row differs."""
    before = write.db.total_changes
    _remove(write.db, sorted(write.touched))
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


def forget_checkpoints(db: sqlite3.Connection, document: int) -> None:
    """Remove what is known of the statements about a document that is going to be removed."""
    _remove(db, [document])


def _remove(db: sqlite3.Connection, documents: Sequence[int]) -> None:
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
