"""Recorded questions, the hits shown, judgements of them, and states of learning. SQL only.

No row here changes the result of a search, so none begins a transaction of the corpus (`transactions`). All
share its clock: `added` is later than the last transaction and than everything recorded before.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from typing import NamedTuple

from asof.errors import BeforeHorizon
from asof.store.reader import existing_passages
from asof.store.schema import get_meta
from asof.store.store import Store, translate_errors
from asof.time.span import NEVER, iso


class AskedRow(NamedTuple):
    """A row of `asked`; `fields` is JSON. Its filters are empty, and its unit is the passage."""

    id: str
    question: str
    as_of: int
    known_at: int
    recipe: str
    fields: str
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

    question: str
    rank: int
    kind: str
    grade: float | None
    added: int


@contextmanager
def write_feedback(
    store: Store, clock: Callable[[], int], wait: float | None = None
) -> Iterator[tuple[sqlite3.Connection, int]]:
    """One transaction, and the `added` of the rows written in it (microseconds since 1970).

    `wait`: seconds for another writer, the store's if None. Raises Busy, NoSpace, CorpusError; nothing is
    written then.
    """
    with translate_errors(store.database), closing(store.writer()) as db:
        if wait is not None:
            db.execute(f"PRAGMA busy_timeout = {int(1000 * wait)}")
        with store.transaction(db, wait):
            yield db, max(clock(), _last_write(db) + 1)


def _last_write(db: sqlite3.Connection) -> int:
    """The latest instant at which anything was written. Ids of judgements and states follow its order."""
    last: int = db.execute(
        "SELECT coalesce(max(latest), 0) FROM (SELECT max(id) AS latest FROM transactions"
        " UNION ALL SELECT max(added) FROM asked"
        " UNION ALL SELECT added FROM judgements WHERE id = (SELECT max(id) FROM judgements)"
        " UNION ALL SELECT added FROM learned WHERE id = (SELECT max(id) FROM learned)) AS each_latest"
    ).fetchone()[0]
    return last


# -- writing, within a transaction --------------------------------------------------------------------


def insert_question(db: sqlite3.Connection, question: AskedRow, hits: Sequence[ShownRow]) -> int:
    """Insert a question with the hits shown; returns how many hits were inserted.

    Hits whose passage was erased meanwhile are left out, and so is a question with no hit left.
    """
    existing = existing_passages(db, [hit.passage for hit in hits])
    rows = [(question.id, *hit) for hit in hits if hit.passage in existing]
    if rows:
        db.execute("INSERT INTO asked VALUES (?, ?, ?, ?, ?, ?, '{}', 'passage', ?)", question)
        db.executemany("INSERT INTO shown VALUES (?, ?, ?, ?, ?, ?, ?)", rows)
    return len(rows)


def insert_judgements(db: sqlite3.Connection, judgements: Sequence[JudgementRow]) -> int:
    """Insert judgements; returns how many. Left out: those of erased hits, and those that repeat the latest
    grade of their kind."""
    entered = 0
    for judgement in judgements:
        place = (judgement.question, judgement.rank)
        if db.execute("SELECT 1 FROM shown WHERE asked = ? AND rank = ?", place).fetchone() is None:
            continue
        latest = db.execute(
            "SELECT grade FROM judgements WHERE asked = ? AND rank = ? AND kind = ? ORDER BY id DESC LIMIT 1",
            (*place, judgement.kind),
        ).fetchone()
        if (latest or (None,)) != (judgement.grade,):
            db.execute(
                "INSERT INTO judgements (asked, rank, kind, grade, added) VALUES (?, ?, ?, ?, ?)", judgement
            )
            entered += 1
    return entered


def insert_learned(db: sqlite3.Connection, recipe: str, text: str, added: int) -> None:
    """Insert a state of learning for a recipe; earlier states stay."""
    db.execute("INSERT INTO learned (recipe, state, added) VALUES (?, ?, ?)", (recipe, text, added))


# -- reading ------------------------------------------------------------------------------------------


ASKED = "SELECT id, question, as_of, known_at, recipe, fields, added FROM asked"


def recorded_questions(db: sqlite3.Connection, known_at: int | None = None) -> list[AskedRow]:
    """Questions recorded by `known_at` (None: all), in order of `added`."""
    rows = db.execute(f"{ASKED} WHERE added <= ? ORDER BY added", (added_until(db, known_at),))
    return [AskedRow(*row) for row in rows]


def questions_by_prefix(db: sqlite3.Connection, prefix: str) -> list[AskedRow]:
    """Questions whose id begins with `prefix`, in order of `added`."""
    rows = db.execute(f"{ASKED} WHERE id >= ?1 AND id < ?1 || '~' ORDER BY added", (prefix,))
    return [AskedRow(*row) for row in rows]


def shown_hits(db: sqlite3.Connection, questions: Sequence[str]) -> dict[str, list[ShownRow]]:
    """The hits shown for each of these questions, in order of rank."""
    by_question: dict[str, list[ShownRow]] = {each: [] for each in questions}
    for name, *row in db.execute(
        "SELECT asked, rank, passage, hit, document, score, why FROM shown"
        " WHERE asked IN (SELECT value FROM json_each(?)) ORDER BY asked, rank",
        (json.dumps(list(questions)),),
    ):
        by_question[name].append(ShownRow(*row))
    return by_question


def judgements(
    db: sqlite3.Connection, questions: Sequence[str], known_at: int | None = None
) -> dict[str, list[JudgementRow]]:
    """The judgements of each of these questions by `known_at` (None: until now), in order of `added`."""
    by_question: dict[str, list[JudgementRow]] = {each: [] for each in questions}
    for row in db.execute(
        "SELECT asked, rank, kind, grade, added FROM judgements"
        " WHERE asked IN (SELECT value FROM json_each(?)) AND added <= ? ORDER BY id",
        (json.dumps(list(questions)), added_until(db, known_at)),
    ):
        by_question[row[0]].append(JudgementRow(*row))
    return by_question


def learned_state(db: sqlite3.Connection, recipe: str, known_at: int | None = None) -> str | None:
    """The last state of learning of a recipe inserted by `known_at`; None when there is none."""
    row = db.execute(
        "SELECT state FROM learned WHERE recipe = ? AND added <= ? ORDER BY id DESC LIMIT 1",
        (recipe, added_until(db, known_at)),
    ).fetchone()
    return None if row is None else str(row[0])


def added_until(db: sqlite3.Connection, known_at: int | None) -> int:
    """`known_at` as an upper bound of `added`; raises BeforeHorizon where a vacuum dropped history."""
    if known_at is None:
        return NEVER
    horizon = int(get_meta(db, "known_horizon") or 0)
    if known_at < horizon:
        raise BeforeHorizon(
            f"known at {iso(known_at)}: history before {iso(horizon)} was dropped by `asof vacuum`; "
            "use a later moment"
        )
    return known_at


def question_ids(db: sqlite3.Connection) -> list[str]:
    """The ids of all questions, the latest first."""
    return [name for (name,) in db.execute("SELECT id FROM asked ORDER BY added DESC")]
