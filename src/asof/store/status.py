"""Statistics of a corpus, and a check of the whole store."""

from __future__ import annotations

import sqlite3
import stat
from pathlib import Path
from typing import Annotated, NamedTuple

from msgspec import Struct

from asof.documents import Problem
from asof.sources.source import below
from asof.store.schema import CorpusSettings, get_meta
from asof.store.store import PATHS, Store, stored_problems, value_faults
from asof.time.span import Instant
from asof.wire import HIDDEN, As


class CountedSource(NamedTuple):
    """A source of documents."""

    name: str
    kind: str
    documents: int
    vault: Annotated[str, 'the Obsidian vault that it is or lies in; "": none']
    folder: Annotated[str, 'its place in the vault; "": it is the vault']


class CountedSegment(NamedTuple):
    """A file of the index."""

    file: str
    rows: int
    bytes: int


class CorpusStatus(Struct, frozen=True):
    """The content of a corpus. `last` is the instant after the latest publication."""

    documents: Annotated[int, "that are current"]
    ended: Annotated[int, As("removed"), "documents that are no longer current"]
    versions: int
    passages: Annotated[int, "of all versions"]
    current_passages: int
    first: Annotated[Instant | None, "the earliest publication of a dated document"]
    last: Annotated[int | None, HIDDEN]
    dated_by: Annotated[dict[str, int], "current documents by where their date was found"]
    undated: Annotated[int, "current documents without a date"]
    sources: list[CountedSource]
    problems: Annotated[list[Problem], "of the last run of each source"]
    segments: list[CountedSegment]
    transactions: Annotated[int, "writes so far"]
    bytes: Annotated[int, "on disk"]
    horizon: Annotated[Instant | None, "queries as of an earlier moment are refused; null: none is"]
    settings: CorpusSettings
    languages: Annotated[dict[str, int], "current documents by the language of their text"]
    derived: Annotated[tuple[str, ...], "caches and what was read by models, a line each"] = ()

    @property
    def latest(self) -> Annotated[Instant | None, As("last"), "the latest one"]:
        """The last instant of the latest publication."""
        return None if self.last is None else self.last - 1


def status(store: Store, db: sqlite3.Connection, root: Path) -> CorpusStatus:
    """The figures of a corpus of a folder, counted in one read transaction."""

    def one(sql: str) -> int:
        return int(db.execute(sql).fetchone()[0])

    db.execute("BEGIN")
    try:
        current = " FROM documents AS d JOIN versions AS v ON v.id = d.current WHERE v.head IS NOT NULL"
        dated_by = dict(
            db.execute(f"SELECT v.dated_by, count(*){current} GROUP BY 1 ORDER BY 2 DESC, 1").fetchall()
        )
        spoken = dict(
            db.execute(
                "SELECT h.language, count(*) FROM documents AS d JOIN versions AS v ON v.id = d.current"
                " JOIN heads AS h ON h.id = v.head GROUP BY 1"
            ).fetchall()
        )
        first, last = db.execute(
            "SELECT min(starts), max(ends) FROM versions"
            " WHERE retired IS NULL AND head IS NOT NULL AND dated_by <> 'none'"
        ).fetchone()
        horizon = get_meta(db, "horizon")
        return CorpusStatus(
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
            sources=[
                CountedSource(name, kind, documents, *vault_of(root, name, kind))
                for name, kind, documents in db.execute(
                    "SELECT s.name, s.kind, count(d.current) FROM sources AS s LEFT JOIN documents AS d"
                    " ON d.source = s.id GROUP BY s.id ORDER BY s.id"
                )
            ],
            problems=list(stored_problems(db)),
            segments=[
                CountedSegment(*row)
                for row in db.execute("SELECT file, rows, bytes FROM segments ORDER BY first")
            ],
            transactions=one("SELECT count(*) FROM transactions"),
            bytes=folder_size(store.folder),
            horizon=int(horizon) if horizon else None,
            settings=store.settings,
            languages={code: spoken.get(code, 0) for code in store.settings.languages},
        )  # fmt: skip
    finally:
        db.execute("ROLLBACK")


def vault_of(root: Path, name: str, kind: str) -> tuple[str, str]:
    """The name of the Obsidian vault that a source is or lies in, and its place there; both may be empty."""
    folder = below(root, name) if kind in PATHS else None
    above = () if folder is None else (folder, *folder.parents)
    vault = next((each for each in above if (each / ".obsidian").is_dir()), None)
    if vault is None or folder is None:
        return "", ""
    place = folder.relative_to(vault).as_posix()
    return vault.name, "" if place == "." else place


def folder_size(folder: Path) -> int:
    return sum(status.st_size for path in folder.rglob("*") if stat.S_ISREG((status := path.lstat()).st_mode))


def check_database(db: sqlite3.Connection, database: Path) -> list[str]:
    """Faults of a database: those that SQLite finds, and values that asof does not write.

    Reads in one transaction, so that a concurrent write is not reported as a fault.
    """
    db.execute("BEGIN")
    try:
        faults = [fault for (fault,) in db.execute("PRAGMA integrity_check") if fault != "ok"]
        faults += value_faults(db)
        return [f"{database.name}: {fault}" for fault in faults or _mixed(db)]
    finally:
        db.execute("ROLLBACK")


def _mixed(db: sqlite3.Connection) -> list[str]:
    """Documents whose current text is not their last one, or not what their folder stated last, as where it
    was read in two ways."""
    stated = "FROM versions AS v JOIN heads AS h ON h.id = v.head AND h.source = d.source"
    rows = db.execute(
        "SELECT d.name, s.name FROM documents AS d JOIN sources AS s ON s.id = d.source"
        " JOIN versions AS c ON c.id = d.current"
        " WHERE EXISTS (SELECT 1 FROM versions AS v WHERE v.document = d.id AND v.retired IS NULL"
        "  AND (v.visible, v.added, v.id) > (c.visible, c.added, c.id))"
        f" OR s.kind = 'folder' AND c.content <> x'' AND c.content <> (SELECT v.content {stated}"
        "  WHERE v.document = d.id AND v.retired IS NULL AND v.content <> x'' ORDER BY v.id DESC LIMIT 1)"
    )
    return [
        f"the current text of {name} is not its last: erase it with `asof purge`, and index {source} again"
        for name, source in rows
    ]


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
