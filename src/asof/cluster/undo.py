"""Taking back a batch that only some shards have, because the process that wrote it was killed between them.

A batch is visible in all shards or in none: until it is taken back nobody knows of it (`instants.py`), and
the next run of its source writes it again. Versions, passages and ends are only ever added, each with its
instant, so what a batch did is what has its instant.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable, Sequence

from asof.corpus.corpus import Corpus
from asof.engine import DERIVED
from asof.store import feedback
from asof.store.corrections import delete_calls

INDEXED = "index"
"""What the transactions of batches are called. Corrections are of one shard; what was erased stays erased."""

UNDONE = "undo"


def take_back(shards: Sequence[Corpus], after: int, instant: Callable[[], int]) -> int:
    """Take back what batches wrote after an instant, in the shards that have it; returns in how many.
    `instant`: when that is done. Where this is killed, the next one goes on. Raises Busy, NoSpace,
    CorpusError."""
    return sum(_take_back(shard, after, instant) for shard in shards)


def _take_back(shard: Corpus, after: int, instant: Callable[[], int]) -> bool:
    store, manifest = shard.store, shard.session.manifest
    with shard.session.writing() as db:
        written = db.execute("SELECT id FROM transactions WHERE id > ? AND what = ?", (after, INDEXED))
        instants = [each for (each,) in written]
        if not instants:
            return False
        with store.exclusive(db, instant, UNDONE):
            passages, ends = _undone(db, json.dumps(instants))
            touched = [
                entry
                for entry in manifest.entries(db)
                if any(entry.first <= each <= entry.last for each in passages)
                or any(entry.ends_first <= each <= entry.ends_last for each in ends)
            ]
            for entry in touched:
                manifest.renew(db, entry)
        manifest.discard(touched)
        manifest.sweep(db)
        shutil.rmtree(store.folder / DERIVED, ignore_errors=True)
    shard.session.forget()
    return True


def _undone(db: sqlite3.Connection, instants: str) -> tuple[list[int], list[int]]:
    """Remove the rows of these instants (JSON); returns the ids of the passages and of the ends that went."""
    of_these = "IN (SELECT value FROM json_each(?1))"

    def ids(query: str, values: str = instants) -> list[int]:
        return [row[0] for row in db.execute(query, (values,))]

    passages = ids(f"SELECT id FROM passages WHERE added {of_these}")
    ends = ids(f"SELECT id FROM ends WHERE added {of_these}")
    versions = json.dumps(ids(f"SELECT id FROM versions WHERE added {of_these}"))
    documents = ids(f"SELECT DISTINCT document FROM versions WHERE added {of_these} OR retired {of_these}")
    delete_calls(db, passages)
    feedback.delete_feedback(db, passages)
    gone = json.dumps(passages)
    for table, column, values in (
        ("vectors", "passage", gone), ("facts", "passage", gone), ("extractions", "passage", gone),
        ("ends", "passage", gone), ("ends", "id", json.dumps(ends)), ("passages", "id", gone),
        ("links", "version", versions), ("aliases", "version", versions), ("versions", "id", versions),
        ("transactions", "id", instants),
    ):  # fmt: skip
        db.execute(f"DELETE FROM {table} WHERE {column} {of_these}", (values,))
    db.execute(f"UPDATE versions SET retired = NULL WHERE retired {of_these}", (instants,))
    for document in documents:
        _restore(db, document)
    db.execute("DELETE FROM tags WHERE head NOT IN (SELECT id FROM heads)")
    db.execute(
        f"DELETE FROM sources WHERE added {of_these} AND id NOT IN (SELECT source FROM documents)"
        " AND id NOT IN (SELECT source FROM heads) AND id NOT IN (SELECT source FROM checkpoints)",
        (instants,),
    )
    return passages, ends


def _restore(db: sqlite3.Connection, document: int) -> None:
    """Let a document be what its remaining versions make of it. Its source is to state it again."""
    db.execute(
        "DELETE FROM heads WHERE document = ?1 AND id NOT IN (SELECT head FROM passages WHERE document = ?1)"
        " AND id NOT IN (SELECT head FROM versions WHERE document = ?1 AND head IS NOT NULL)",
        (document,),
    )
    db.execute("DELETE FROM checkpoints WHERE document = ?", (document,))
    if not db.execute("SELECT 1 FROM versions WHERE document = ? LIMIT 1", (document,)).fetchone():
        db.execute("DELETE FROM documents WHERE id = ?", (document,))
        return
    remaining = "FROM versions AS v WHERE v.document = ?1 AND v.retired IS NULL"
    order = "ORDER BY v.visible DESC, v.added DESC, v.id DESC LIMIT 1"
    db.execute(
        f"UPDATE documents SET current = (SELECT v.id {remaining} {order}), source = coalesce("
        f"(SELECT h.source FROM heads AS h WHERE h.id = (SELECT v.head {remaining} AND v.head IS NOT NULL"
        f" {order})), source) WHERE id = ?1",
        (document,),
    )
