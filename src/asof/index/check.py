"""Whether the index agrees with the store about its passages.

A segment with sound checksums can still be made up, or belong to another corpus. These checks read all rows,
so they run when something went wrong, and by `asof status --check`.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from asof.errors import DamagedSegment
from asof.index.rebuild import SegmentEntry
from asof.index.segment import Segment
from asof.index.vectors import dimensions
from asof.store.digest import name_digest

ROWS_AT_ONCE = 8_192

_COLUMNS = ("passage", "visible", "added", "dated", "document", "number", "head")
_ROWS = (
    "SELECT p.id, p.visible, p.added, p.dated, p.document, p.number, p.head, d.name FROM passages AS p"
    " JOIN documents AS d ON d.id = p.document WHERE p.id BETWEEN ? AND ? ORDER BY p.id"
)
_ENDS = "SELECT passage, at, added FROM ends WHERE id BETWEEN ? AND ?"


SEGMENT_NAME = re.compile(r"[0-9a-f]{16}\.seg")
"""The name of a file that the list of segments may name."""


def is_segment_name(name: object) -> bool:
    """Whether this is the name of a segment's file; what a crafted list holds need not even be a text."""
    return isinstance(name, str) and SEGMENT_NAME.fullmatch(name) is not None


def is_entry(row: Sequence[object]) -> bool:
    """Whether a row of the list of segments has the types of a `SegmentEntry`: SQLite enforces none."""
    file, *numbers = row
    return isinstance(file, str) and all(
        isinstance(number, int) and -1 <= number < 2**62 for number in numbers
    )


def list_fault(db: sqlite3.Connection, entries: Sequence[SegmentEntry]) -> str:
    """What is wrong with the list of segments as a whole, "" when it holds each passage and end once."""
    for table, first, last in (("passages", "first", "last"), ("ends", "ends_first", "ends_last")):
        ranges = sorted((getattr(entry, first), getattr(entry, last)) for entry in entries)
        ranges = [(low, high) for low, high in ranges if low <= high]
        if any(before[1] >= after[0] for before, after in pairwise(ranges)):
            return f"the list of segments names some {table} twice"
        count = f"SELECT count(*) FROM {table}"
        listed = sum(db.execute(f"{count} WHERE id BETWEEN ? AND ?", each).fetchone()[0] for each in ranges)
        if listed != db.execute(count).fetchone()[0]:
            return f"the list of segments lacks some {table}"
    return ""


def segment_fault(db: sqlite3.Connection, entry: SegmentEntry, segment: Segment, encoder: str) -> str:
    """What is wrong with a segment, "" when it is sound and agrees with the store.

    `encoder`: the name of the one that the corpus has vectors of, "" for none.
    """
    try:
        segment.verify()
        if segment.n and segment.facts["encoder"] != encoder:
            return f"{entry.file} holds vectors of another encoder"
        if "vectors" in segment and segment.n:
            width = dimensions(db, encoder)
            if segment["vectors"].shape[1] != width:
                return f"{entry.file} holds vectors of other dimensions than the store ({width})"
        if segment.n != entry.rows or not (_same_rows(db, entry, segment) and _same_ends(db, entry, segment)):
            return f"{entry.file} does not hold what the store holds"
    except DamagedSegment as damage:
        return str(damage)
    return ""


def _same_rows(db: sqlite3.Connection, entry: SegmentEntry, segment: Segment) -> bool:
    order = np.argsort(segment["passage"], kind="stable")
    rows = db.execute(_ROWS, (entry.first, entry.last))
    done = 0
    while batch := rows.fetchmany(ROWS_AT_ONCE):
        places = order[done : done + len(batch)]
        if len(places) < len(batch):
            return False
        stored = np.array([row[:-1] for row in batch], np.int64)
        digests = [name_digest(row[-1]) for row in batch]
        for at, name in enumerate(_COLUMNS):
            if (segment[name][places] != stored[:, at]).any():
                return False
        if (segment["digest"][places] != np.array(digests, np.int64)).any():
            return False
        done += len(batch)
    return done == segment.n


def _same_ends(db: sqlite3.Connection, entry: SegmentEntry, segment: Segment) -> bool:
    stored = np.array(db.execute(_ENDS, (entry.ends_first, entry.ends_last)).fetchall(), np.int64)
    stored = stored.reshape(-1, 3)
    indexed = np.stack([segment[name] for name in ("end_passage", "end_at", "end_added")], axis=1)
    return stored.shape == indexed.shape and bool((_sorted(stored) == _sorted(indexed)).all())


def _sorted(
    ends: np.ndarray[tuple[int, int], np.dtype[np.int64]],
) -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
    return ends[np.lexsort(ends.T)]
