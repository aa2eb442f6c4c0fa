"""What was dismissed of what is stale, with when that was said. SQL only.

A row has a digest of two sentences (`asof.data.stale.Stale.id`) and none of their words, so there is nothing
to erase here when a document is erased.
"""

from __future__ import annotations

import re
import sqlite3
from typing import NamedTuple

from asof.store.feedback import added_until

_ID = re.compile(r"[0-9a-f]{12}")


class Dismissal(NamedTuple):
    """A row of `dismissals`: what is stale, whether it was dismissed or that was taken back, since when."""

    stale: str
    dismissed: bool
    added: int


def is_stale_id(text: str) -> bool:
    """Whether a text is an id of what is stale."""
    return _ID.fullmatch(text) is not None


def insert_dismissal(db: sqlite3.Connection, row: Dismissal) -> bool:
    """Insert a dismissal; False, and nothing is inserted, where the same was said last."""
    latest = db.execute(
        "SELECT dismissed FROM dismissals WHERE stale = ? ORDER BY id DESC LIMIT 1", (row.stale,)
    ).fetchone()
    if bool(latest and latest[0]) == row.dismissed:
        return False
    db.execute("INSERT INTO dismissals (stale, dismissed, added) VALUES (?, ?, ?)", row)
    return True


def dismissed_ids(db: sqlite3.Connection, known_at: int | None = None) -> frozenset[str]:
    """What is dismissed, as it was known at `known_at` (None: now). Raises BeforeHorizon."""
    rows = db.execute(
        "SELECT stale, dismissed FROM dismissals WHERE added <= ? ORDER BY id", (added_until(db, known_at),)
    )
    return frozenset(stale for stale, dismissed in dict(rows).items() if dismissed)


def all_dismissals(db: sqlite3.Connection) -> list[Dismissal]:
    """All that was ever said, in order of `added`."""
    rows = db.execute("SELECT stale, dismissed, added FROM dismissals ORDER BY id")
    return [Dismissal(stale, bool(dismissed), added) for stale, dismissed, added in rows]
