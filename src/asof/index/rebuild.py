"""A segment anew from the store: its rows and ends are known by their ranges of ids."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from asof.corpus_files import remove
from asof.errors import DamagedStore
from asof.index.build import build
from asof.index.merge import merge
from asof.index.segment import Segment
from asof.store.about import loads
from asof.store.digest import indexed_text, name_digest
from asof.store.rows import EndRow, IndexRow
from asof.text.tokens import Analyzer

REBUILD_ROWS = 8_192


class SegmentEntry(NamedTuple):
    """A line of the list: the file, and the ranges of passages and ends that it holds."""

    file: str
    first: int
    last: int
    ends_first: int
    ends_last: int
    rows: int
    bytes: int
    checksum: int


def entry_of_all(db: sqlite3.Connection) -> SegmentEntry:
    """The ranges of all passages and ends; it names no file yet."""
    first, last = db.execute("SELECT coalesce(min(id), 1), coalesce(max(id), 0) FROM passages").fetchone()
    ends = db.execute("SELECT coalesce(min(id), 1), coalesce(max(id), 0) FROM ends").fetchone()
    return SegmentEntry("", first, last, ends[0], ends[1], 0, 0, 0)


def rebuild(
    db: sqlite3.Connection, entry: SegmentEntry, path: Path, analyzer: Analyzer, encoder: str, *,
    at_once: int = REBUILD_ROWS,
) -> tuple[int, int, int]:  # fmt: skip
    """Write the segment of an entry to `path` in parts of `at_once` rows, and merge them.

    Returns rows, size, checksum.
    """
    parts: list[Path] = []
    try:
        for at, (rows, ends, vectors) in enumerate(stored_parts(db, entry, encoder, at_once)):
            parts.append(path.with_name(f"{path.stem}-{at}.part"))
            build(parts[-1], rows, ends, analyzer, vectors, encoder)
        return merge(path, [Segment(part) for part in parts])
    finally:
        for part in parts:
            remove(part)


Part = tuple[list[IndexRow], list[EndRow], NDArray[np.int16] | None]


def stored_parts(
    db: sqlite3.Connection, entry: SegmentEntry, encoder: str, at_once: int = REBUILD_ROWS
) -> Iterator[Part]:
    """The rows and ends of a segment from the store, in parts of `at_once` rows (at least one part)."""
    ends = [
        EndRow(*row)
        for row in db.execute(
            "SELECT passage, at, added FROM ends WHERE id BETWEEN ? AND ? ORDER BY id",
            (entry.ends_first, entry.ends_last),
        )
    ]
    after = entry.first - 1
    while True:
        rows = [
            IndexRow(
                *(row[0], row[1], row[2], bool(row[3]), row[4], name_digest(row[5]), row[6], row[7], row[8]),
                indexed_text(*row[9:14]),
                tuple([(time.first, time.last, time.kind) for time in loads(row[14])]),
                row[9],
            )
            for row in db.execute(
                "SELECT p.id, p.visible, p.added, p.dated, p.document, d.name, p.number, p.head, h.language,"
                " h.title, p.headings, h.about, p.text, h.keywords, p.about FROM passages AS p"
                " JOIN documents AS d ON d.id = p.document JOIN heads AS h ON h.id = p.head"
                " WHERE p.id > ? AND p.id <= ? ORDER BY p.id LIMIT ?",
                (after, entry.last, at_once),
            )
        ]  # fmt: skip
        if not rows and after >= entry.first:
            return
        vectors = stored_vectors(db, rows, encoder) if encoder and rows else None
        yield rows, ends, vectors
        if not rows:
            return
        after, ends = rows[-1].id, []


def stored_vectors(db: sqlite3.Connection, rows: Sequence[IndexRow], encoder: str) -> NDArray[np.int16]:
    return vectors_of(db, [row.id for row in rows], encoder)


def vectors_of(db: sqlite3.Connection, passages: Sequence[int], encoder: str) -> NDArray[np.int16]:
    """The vectors (n, d) that the store has of passages. Raises DamagedStore where it has none of one."""
    vectors = dict(
        db.execute(
            "SELECT v.passage, v.vector FROM json_each(?) AS requested JOIN vectors AS v"
            " ON v.passage = requested.value WHERE v.encoder = ?",
            (json.dumps(list(passages)), encoder),
        ).fetchall()
    )
    if missing := [passage for passage in passages if passage not in vectors]:
        raise DamagedStore(
            f"{len(missing)} passages have no vector of the encoder {encoder}: `asof embed` makes them"
        )
    return np.stack([np.frombuffer(vectors[passage], "<i2") for passage in passages]).astype(np.int16)
