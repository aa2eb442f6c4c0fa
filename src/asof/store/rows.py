"""Rows that a write passes to the index, and new ids."""

from __future__ import annotations

import sqlite3
from typing import NamedTuple


class IndexRow(NamedTuple):
    """A passage for the index. `text`: title, headings and text. `title`: that of its document.

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
    title: str = ""


class EndRow(NamedTuple):
    """An end for the index: `passage` is not valid from `at` on, as known since `added`."""

    passage: int
    at: int
    added: int


class Ids:
    """New ids of one table, ascending, never repeated."""

    def __init__(self, db: sqlite3.Connection, table: str) -> None:
        row = db.execute("SELECT seq FROM sqlite_sequence WHERE name = ?", (table,)).fetchone()
        self.first: int = 1 + (row[0] if row else 0)
        self.next = self.first

    def take(self) -> int:
        self.next += 1
        return self.next - 1
