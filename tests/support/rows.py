"""Rows of a corpus, for tests that look behind its interface."""

from __future__ import annotations

import sqlite3
from typing import Any

from asof.corpus.corpus import Corpus


def db_of(corpus: Corpus) -> sqlite3.Connection:
    """A connection of the corpus that reads; it is closed with the corpus."""
    with corpus.session.connection() as db:
        return db


VERSIONS = (
    "SELECT d.name, s.name, v.head IS NULL, v.content, v.published, v.dated_by, v.visible, v.retired,"
    " v.id = d.current FROM versions AS v JOIN documents AS d ON d.id = v.document"
    " JOIN sources AS s ON s.id = d.source ORDER BY d.name, v.id"
)


def versions(corpus: Corpus) -> list[Any]:
    """All versions, instants as ranks: transactions of both corpora have other ids."""
    rows = db_of(corpus).execute(VERSIONS).fetchall()
    times = sorted({each for row in rows for each in row[6:8] if each is not None})
    rank = {time: at for at, time in enumerate(times)}
    return [(*row[:4], *row[5:6], rank[row[6]], row[7] is None, row[8]) for row in rows]
