"""Statistics of a corpus, and a check of the whole store."""

from __future__ import annotations

import sqlite3
import stat
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from asof.store.schema import CorpusSettings, get_meta
from asof.store.store import Store, value_faults


@dataclass(frozen=True, slots=True)
class Status:
    """Counts as of now. `first` and `last`: instants between which the dated documents were published.

    `bytes`: what the folder takes. `derived`: a line for each set of data that recipes derived from the
    passages. `formats`: how many segment files are of which format.
    """

    documents: int
    ended: int
    versions: int
    passages: int
    current_passages: int
    first: int | None
    last: int | None
    dated_by: dict[str, int]
    undated: int
    sources: list[tuple[str, str, int]]
    segments: list[tuple[str, int, int]]
    transactions: int
    bytes: int
    horizon: int | None
    settings: CorpusSettings
    derived: tuple[str, ...] = ()
    formats: dict[str, int] = field(default_factory=dict)


def status(store: Store, db: sqlite3.Connection) -> Status:
    """The figures of a corpus, counted in one read transaction."""
    one = _count(db)
    db.execute("BEGIN")
    try:
        current = " FROM documents AS d JOIN versions AS v ON v.id = d.current WHERE v.head IS NOT NULL"
        dated_by = dict(
            db.execute(f"SELECT v.dated_by, count(*){current} GROUP BY 1 ORDER BY 2 DESC, 1").fetchall()
        )
        first, last = db.execute(
            "SELECT min(starts), max(ends) FROM versions"
            " WHERE retired IS NULL AND head IS NOT NULL AND dated_by <> 'none'"
        ).fetchone()
        horizon = get_meta(db, "horizon")
        return Status(
            documents=one(f"SELECT count(*){current}"),
            ended=one("SELECT count(*) FROM documents AS d JOIN versions AS v ON v.id = d.current"
                      " WHERE v.head IS NULL"),
            versions=one("SELECT count(*) FROM versions"),
            passages=one("SELECT count(*) FROM passages"),
            current_passages=one("SELECT count(*) FROM passages WHERE id NOT IN (SELECT passage FROM ends)"),
            first=first,
            last=last,
            dated_by=dated_by,
            undated=dated_by.get("none", 0),
            sources=db.execute(
                "SELECT s.name, s.kind, count(d.id) FROM sources AS s LEFT JOIN documents AS d"
                " ON d.source = s.id GROUP BY s.id ORDER BY s.id"
            ).fetchall(),
            segments=db.execute("SELECT file, rows, bytes FROM segments ORDER BY first").fetchall(),
            transactions=one("SELECT count(*) FROM transactions"),
            bytes=folder_size(store.folder),
            horizon=int(horizon) if horizon else None,
            settings=store.settings,
        )  # fmt: skip
    finally:
        db.execute("ROLLBACK")


def _count(db: sqlite3.Connection) -> Callable[[str], int]:
    return lambda sql: int(db.execute(sql).fetchone()[0])


def folder_size(folder: Path) -> int:
    return sum(status.st_size for path in folder.rglob("*") if stat.S_ISREG((status := path.lstat()).st_mode))


def check_database(db: sqlite3.Connection, database: Path) -> list[str]:
    """Faults of a database: those that SQLite finds, and values that asof does not write.

    Reads in one transaction, so that a concurrent write is not reported as a fault.
    """
    db.execute("BEGIN")
    try:
        return _faults(db, database)
    finally:
        db.execute("ROLLBACK")


def _faults(db: sqlite3.Connection, database: Path) -> list[str]:
    faults = [fault for (fault,) in db.execute("PRAGMA integrity_check") if fault != "ok"]
    return [f"{database.name}: {fault}" for fault in (*faults, *value_faults(db))]


def fact_lines(db: sqlite3.Connection) -> tuple[str, ...]:
    """A line about facts for each extractor that read passages, and one about replies of models."""
    lines = [
        f"facts: {facts:,} in {passages:,} passages, read by {extractor}"
        for extractor, passages, facts in db.execute(
            "SELECT e.extractor, count(*), sum((SELECT count(*) FROM facts AS f WHERE f.passage = e.passage))"
            " FROM extractions AS e GROUP BY e.extractor ORDER BY e.extractor"
        )
    ]
    unread = (
        "SELECT count(*) FROM passages AS p LEFT JOIN extractions AS e ON e.passage = p.id"
        " WHERE e.passage IS NULL"
    )
    if lines and (left := db.execute(unread).fetchone()[0]):
        lines.append(f"facts: {left:,} {'passage is' if left == 1 else 'passages are'} not read yet")
    (calls,) = db.execute("SELECT count(*) FROM calls").fetchone()
    return (*lines, f"stored replies of models: {calls:,}") if calls else tuple(lines)
