"""Questions that were recorded, what was shown, what was said of it, and states of learning. SQL only.

No row here changes what a search finds, so none begins a transaction of the corpus (`transactions`). All
share one clock with it: `added` is later than the last transaction and than everything recorded before.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from asof.errors import BeforeHorizon
from asof.store.lock import writing
from asof.store.schema import get_meta
from asof.store.store import Store, translated
from asof.time.span import NEVER, iso


class AskedRow(NamedTuple):
    """A row of `asked`; `fields` and `filters` are JSON."""

    id: str
    question: str
    as_of: int
    known_at: int
    recipe: str
    fields: str
    filters: str
    unit: str
    added: int


class ShownRow(NamedTuple):
    """A row of `shown` without its question; `why` is packed."""

    rank: int
    passage: int
    hit: str
    document: str
    score: float
    why: bytes


class JudgementRow(NamedTuple):
    """A row of `judgements`."""

    asked: str
    rank: int
    kind: str
    grade: float | None
    added: int


@contextmanager
def adding(
    store: Store, clock: Callable[[], int], wait: float | None = None
) -> Iterator[tuple[sqlite3.Connection, int]]:
    """One transaction, and the `added` of what is written in it (microseconds since 1970).

    `wait`: seconds for another writer, the store's if None. Raises Busy, NoSpace, CorpusError; nothing is
    written then.
    """
    lock = writing(store.folder / "write.lock", store.wait if wait is None else wait)
    with translated(store.database), lock:
        db = store.writer()
        try:
            if wait is not None:
                db.execute(f"PRAGMA busy_timeout = {int(1000 * wait)}")
            db.execute("BEGIN IMMEDIATE")
            yield db, max(clock(), _last(db) + 1)
            db.execute("COMMIT")
        finally:
            if db.in_transaction:
                db.execute("ROLLBACK")
            db.close()


def _last(db: sqlite3.Connection) -> int:
    """The latest instant at which anything was written. Judgements and states are numbered in order of it."""
    last: int = db.execute(
        "SELECT max(coalesce((SELECT max(id) FROM transactions), 0),"
        " coalesce((SELECT max(added) FROM asked), 0),"
        " coalesce((SELECT added FROM judgements ORDER BY id DESC LIMIT 1), 0),"
        " coalesce((SELECT added FROM learned ORDER BY id DESC LIMIT 1), 0))"
    ).fetchone()[0]
    return last


# -- writing, within a transaction --------------------------------------------------------------------


def keep(db: sqlite3.Connection, asked: AskedRow, shown: Sequence[ShownRow]) -> int:
    """Enter a question with what was shown; returns how many hits were entered.

    A passage that was erased since is left out, and so is a question without any that is left.
    """
    there = {
        passage
        for (passage,) in db.execute(
            "SELECT id FROM passages WHERE id IN (SELECT value FROM json_each(?))",
            (json.dumps([each.passage for each in shown]),),
        )
    }
    rows = [(asked.id, *each) for each in shown if each.passage in there]
    if rows:
        db.execute("INSERT INTO asked VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", asked)
        db.executemany("INSERT INTO shown VALUES (?, ?, ?, ?, ?, ?, ?)", rows)
    return len(rows)


def state(db: sqlite3.Connection, said: Sequence[JudgementRow]) -> int:
    """Enter judgements; returns how many. One of a hit that was erased since is left out, and so is one that
    the latest of its kind says already."""
    entered = 0
    for each in said:
        place = (each.asked, each.rank)
        if db.execute("SELECT 1 FROM shown WHERE asked = ? AND rank = ?", place).fetchone() is None:
            continue
        latest = db.execute(
            "SELECT grade FROM judgements WHERE asked = ? AND rank = ? AND kind = ? ORDER BY id DESC LIMIT 1",
            (*place, each.kind),
        ).fetchone()
        if (latest or (None,)) != (each.grade,):
            db.execute(
                "INSERT INTO judgements (asked, rank, kind, grade, added) VALUES (?, ?, ?, ?, ?)", each
            )
            entered += 1
    return entered


def keep_state(db: sqlite3.Connection, recipe: str, text: str, added: int) -> None:
    """Enter what learning knows of a recipe; what it knew before stays."""
    db.execute("INSERT INTO learned (recipe, state, added) VALUES (?, ?, ?)", (recipe, text, added))


def forget(db: sqlite3.Connection, passages: Sequence[int]) -> None:
    """Remove these passages from what was shown, what was said of them, and questions of which nothing is
    left. States of learning stay: they are numbers."""
    wanted = json.dumps(passages)
    of_passages = "FROM shown WHERE passage IN (SELECT value FROM json_each(?))"
    db.execute(f"DELETE FROM judgements WHERE (asked, rank) IN (SELECT asked, rank {of_passages})", (wanted,))
    db.execute(f"DELETE {of_passages}", (wanted,))
    db.execute("DELETE FROM asked WHERE id NOT IN (SELECT asked FROM shown)")


# -- reading ------------------------------------------------------------------------------------------


def asked(db: sqlite3.Connection, known_at: int | None = None, recipe: str | None = None) -> list[AskedRow]:
    """Questions that were recorded by `known_at` (None: all), in order of `added`."""
    return [
        AskedRow(*row)
        for row in db.execute(
            "SELECT id, question, as_of, known_at, recipe, fields, filters, unit, added FROM asked"
            " WHERE added <= ?1 AND (?2 IS NULL OR recipe = ?2) ORDER BY added",
            (_until(db, known_at), recipe),
        )
    ]


def named(db: sqlite3.Connection, prefix: str) -> list[AskedRow]:
    """Questions whose id begins so, in order of `added`."""
    found = db.execute(
        "SELECT id, question, as_of, known_at, recipe, fields, filters, unit, added FROM asked"
        " WHERE id >= ?1 AND id < ?1 || '~' ORDER BY added",
        (prefix,),
    )
    return [AskedRow(*row) for row in found]


def shown(db: sqlite3.Connection, questions: Sequence[str]) -> dict[str, list[ShownRow]]:
    """What was shown for each of these questions, in order of rank."""
    found: dict[str, list[ShownRow]] = {each: [] for each in questions}
    for name, *row in db.execute(
        "SELECT asked, rank, passage, hit, document, score, why FROM shown"
        " WHERE asked IN (SELECT value FROM json_each(?)) ORDER BY asked, rank",
        (json.dumps(list(questions)),),
    ):
        found[name].append(ShownRow(*row))
    return found


def judgements(
    db: sqlite3.Connection, questions: Sequence[str], known_at: int | None = None
) -> dict[str, list[JudgementRow]]:
    """What was said by `known_at` (None: until now) of each of these questions, in order of `added`."""
    found: dict[str, list[JudgementRow]] = {each: [] for each in questions}
    for row in db.execute(
        "SELECT asked, rank, kind, grade, added FROM judgements"
        " WHERE asked IN (SELECT value FROM json_each(?)) AND added <= ? ORDER BY id",
        (json.dumps(list(questions)), _until(db, known_at)),
    ):
        found[row[0]].append(JudgementRow(*row))
    return found


def learned(db: sqlite3.Connection, recipe: str, known_at: int | None = None) -> str | None:
    """The last state of learning of a recipe that was entered by `known_at`; None when there is none."""
    row = db.execute(
        "SELECT state FROM learned WHERE recipe = ? AND added <= ? ORDER BY id DESC LIMIT 1",
        (recipe, _until(db, known_at)),
    ).fetchone()
    return None if row is None else str(row[0])


def _until(db: sqlite3.Connection, known_at: int | None) -> int:
    """Raises BeforeHorizon where a vacuum took from what was known then."""
    if known_at is None:
        return NEVER
    horizon = int(get_meta(db, "known_horizon") or 0)
    if known_at < horizon:
        raise BeforeHorizon(
            f"known at {iso(known_at)}: what was before {iso(horizon)} was dropped by `asof vacuum`; "
            "ask for a later moment"
        )
    return known_at


def all_ids(db: sqlite3.Connection) -> list[str]:
    """The ids of all questions, the latest first."""
    return [name for (name,) in db.execute("SELECT id FROM asked ORDER BY added DESC")]
