"""Integrity checks: whether a database has the schema of asof, and only values that asof writes.

SQLite checks pages, not meaning: a forged file can have triggers, texts where numbers are expected, dangling
references. `schema_fault` is quick and runs whenever a corpus is opened; `value_faults` reads all rows, and
runs after unexpected errors, and for `asof status --check`.
"""

from __future__ import annotations

import json
import sqlite3
import struct
import zlib
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from asof.errors import UsageError
from asof.store.about import loads
from asof.store.digest import KEY_BYTES, PLACE_BYTES, layout_keys
from asof.store.schema import get_meta, migrate
from asof.store.settings import CorpusSettings
from asof.time.span import BEGINNING, NEVER

UNREADABLE = (
    ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError, struct.error,
    zlib.error, MemoryError,
)  # fmt: skip
"""Exceptions of Python that malformed stored data can cause; so can a bug of asof."""

MAX_FAULTS = 20
"""The most faults that are listed."""

_INSTANTS = {
    "transactions": ("id",), "versions": ("starts", "ends", "visible", "added", "retired"),
    "passages": ("visible", "added"), "ends": ("at", "added"), "facts": ("first", "last"),
    "asked": ("as_of", "known_at", "added"), "sources": ("added",), "calls": ("added",),
    "judgements": ("added",), "learned": ("added",),
}  # fmt: skip
_BOUNDS = {
    ("heads", "fiscal_start"): (1, 12), ("passages", "number"): (0, 2**31 - 1), ("passages", "dated"): (0, 1),
    ("facts", "start"): (0, 2**31 - 1), ("facts", "end"): (0, 2**31 - 1), ("facts", "confidence"): (0, 1),
}  # fmt: skip
_JSON = {
    "heads": {"tags": "array", "meta": "object", "about": "array", "keywords": "array"},
    "passages": {"about": "array"}, "asked": {"fields": "object", "filters": "object"},
}  # fmt: skip
_TYPES = {"INTEGER": ("integer",), "TEXT": ("text",), "BLOB": ("blob",), "REAL": ("real", "integer")}


class TableColumn(NamedTuple):
    """A column as SQLite describes it (`PRAGMA table_xinfo`)."""

    name: str
    type: str
    required: int
    key: int
    hidden: int


Tables = dict[str, tuple[TableColumn, ...]]


def schema_fault(db: sqlite3.Connection) -> str:
    """The first difference of a schema from that of asof; "" when they are equal.

    For a database of the newest schema version.
    """
    expected = _expected_objects()
    objects = _objects(db)
    if unexpected := sorted(objects - expected.keys()):
        return f"it has the {unexpected[0][0]} {unexpected[0][1]!r}, which is not part of asof's schema"
    if missing := sorted(expected.keys() - objects):
        return f"it lacks the {missing[0][0]} {missing[0][1]!r}"
    for kind, name in sorted(objects):
        if kind == "table" and _columns(db, name) != expected[kind, name]:
            return f"the columns of its table {name!r} differ from asof's schema"
    return ""


@cache
def _expected_objects() -> dict[tuple[str, str], tuple[TableColumn, ...]]:
    """The objects of the newest schema; of tables their columns."""
    db = sqlite3.connect(":memory:", isolation_level=None)
    try:
        migrate(db)
        return {(kind, name): _columns(db, name) if kind == "table" else () for kind, name in _objects(db)}
    finally:
        db.close()


def _objects(db: sqlite3.Connection) -> set[tuple[str, str]]:
    return set(db.execute("SELECT type, name FROM sqlite_master WHERE name NOT LIKE 'sqlite!_%' ESCAPE '!'"))


def _columns(db: sqlite3.Connection, table: str) -> tuple[TableColumn, ...]:
    rows = db.execute('SELECT name, type, "notnull", pk, hidden FROM pragma_table_xinfo(?)', (table,))
    return tuple(TableColumn(*row) for row in rows)


def value_faults(db: sqlite3.Connection) -> list[str]:
    """Values in the rows that asof does not write; the first MAX_FAULTS."""
    faults = []
    for fault in _value_faults(db):
        faults.append(fault)
        if len(faults) == MAX_FAULTS:
            break
    return faults


def _value_faults(db: sqlite3.Connection) -> Iterator[str]:
    if fault := schema_fault(db):
        yield fault
        return
    yield from _meta_faults(db)
    for (kind, table), columns in _expected_objects().items():
        if kind == "table" and table != "segments":  # a cache, which is repaired when it is read
            yield from _type_faults(db, table, columns)
    for table, column in ((table, name) for table, names in _INSTANTS.items() for name in names):
        if _any_row(db, table, f"{column} NOT BETWEEN {BEGINNING} AND {NEVER}"):
            yield f"{table}.{column} holds an instant out of bounds"
    for (table, column), (low, high) in _BOUNDS.items():
        if _any_row(db, table, f'"{column}" NOT BETWEEN {low} AND {high}'):
            yield f"{table}.{column} holds a number out of bounds"
    for table, kinds in _JSON.items():
        for column, kind in kinds.items():
            wrong = f"CASE WHEN json_valid({column}) THEN json_type({column}) <> '{kind}' ELSE TRUE END"
            if _any_row(db, table, wrong):
                yield f"{table}.{column} holds a value that is not a JSON {kind}"
    for table, _, parent, _ in db.execute("PRAGMA foreign_key_check"):
        yield f"a row of {table} refers to a missing row of {parent}"
    if _any_row(db, "documents", "current IS NOT NULL AND current NOT IN (SELECT id FROM versions)"):
        yield "a document's current version is missing"
    yield from _text_faults(db)
    yield from _layout_faults(db)


def _meta_faults(db: sqlite3.Connection) -> Iterator[str]:
    for key in ("horizon", "known_horizon"):
        stored = get_meta(db, key)
        if stored is not None and not (isinstance(stored, str) and stored.lstrip("-").isdecimal()):
            yield f"meta.{key} is not an instant"
    stored = get_meta(db, "settings")
    if stored is not None:
        try:
            CorpusSettings.loads(stored).checked().analyzer()
        except (*UNREADABLE, UsageError) as error:
            yield f"meta.settings cannot be read ({error})"


def _type_faults(db: sqlite3.Connection, table: str, columns: tuple[TableColumn, ...]) -> Iterator[str]:
    for column in columns:
        types = ", ".join(f"'{each}'" for each in _TYPES[column.type])
        empty = "" if column.required or column.key else f' AND "{column.name}" IS NOT NULL'
        if _any_row(db, table, f'typeof("{column.name}") NOT IN ({types}){empty}'):
            yield f"{table}.{column.name} holds a value of another type than {column.type}"


def _text_faults(db: sqlite3.Connection) -> Iterator[str]:
    """Times and keywords that cannot be read."""
    readers = (
        ("passages", "about", lambda stored: [time.sourced_time() for time in loads(stored)]),
        ("heads", "about", lambda stored: [str.strip(time["text"]) for time in json.loads(stored)]),
        ("heads", "keywords", lambda stored: [str.strip(word) for word in json.loads(stored)]),
        ("heads", "tags", lambda stored: [str.strip(tag) for tag in json.loads(stored)]),
    )
    for table, column, read in readers:
        for (stored,) in db.execute(f"SELECT DISTINCT {column} FROM {table}"):
            try:
                read(stored)
            except UNREADABLE as error:
                yield f"{table}.{column} cannot be read ({error})"
                break


def _layout_faults(db: sqlite3.Connection) -> Iterator[str]:
    if _any_row(db, "passages", f"length(key) <> {KEY_BYTES}"):
        yield "passages.key holds a key of another length"
        return
    if _any_row(db, "versions", f"length(layout) % {PLACE_BYTES} <> 0"):
        yield "versions.layout holds a layout that is cut off"
        return
    keys: dict[int, set[bytes]] = {}
    for document, key in db.execute("SELECT document, key FROM passages"):
        keys.setdefault(document, set()).add(key)
    for version, document, layout in db.execute(
        "SELECT id, document, layout FROM versions WHERE typeof(layout) = 'blob'"
    ):
        if any(key not in keys.get(document, ()) for key in layout_keys(layout)):
            yield f"version {version} lacks a passage"


def _any_row(db: sqlite3.Connection, table: str, where: str) -> bool:
    return db.execute(f"SELECT 1 FROM {table} WHERE {where} LIMIT 1").fetchone() is not None
