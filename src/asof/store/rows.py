"""What a write hands on: passages and ends as the index takes them, and fresh ids."""

from __future__ import annotations

import sqlite3
from typing import NamedTuple


class IndexRow(NamedTuple):
    """A passage as the index takes it. `text` is what is indexed, title and headings before it.

    `about`: the times that it is about, each as first instant, last instant, kind (`store.about.Time.kind`).
    """

    id: int
    visible: int
    added: int
    dated: bool
    document: int
    digest: int
    number: int
    head: int
    language: str
    text: str
    about: tuple[tuple[int, int, int], ...] = ()


class EndRow(NamedTuple):
    """An end as the index takes it: `passage` was not said any more from `at` on, known since `added`."""

    passage: int
    at: int
    added: int


class Ids:
    """Fresh ids of one table, handed out in order, never twice."""

    def __init__(self, db: sqlite3.Connection, table: str) -> None:
        row = db.execute("SELECT seq FROM sqlite_sequence WHERE name = ?", (table,)).fetchone()
        self.first: int = 1 + (row[0] if row else 0)
        self.next = self.first

    def take(self) -> int:
        self.next += 1
        return self.next - 1
