"""`chroma:FOLDER#COLLECTION`: the documents of a collection that Chroma keeps on disk.

They are read from its file chroma.sqlite3, without Chroma: the tables that are asked here are the same from
Chroma 0.4 to 1.5. Chroma writes a change into the table embeddings_queue first, and applies it at once.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from itertools import groupby
from pathlib import Path
from typing import Any
from urllib.parse import quote

from asof.arguments import checked
from asof.data import Problem, Statement
from asof.errors import SourceError
from asof.imports.stores.rows import LONGEST_TEXT, Row, RowReader
from asof.imports.stores.target import chosen, read
from asof.sources.scheme import SourceContext, SourceScheme
from asof.sources.source import SourceNaming

FILE = "chroma.sqlite3"
DOCUMENT, URI = "chroma:document", "chroma:uri"
PAGE = 500
"""Rows that are read at a time: Chroma can write between two reads."""

TABLES = (
    "collections",
    "databases",
    "segments",
    "embeddings",
    "embedding_metadata",
    "embeddings_queue",
    "max_seq_id",
)
LISTS = "embedding_metadata_array"
"""Where Chroma 1.5 keeps the values of metadata that are lists."""

_COLLECTIONS = (
    "SELECT c.name, d.tenant_id, d.name, c.id, s.id FROM collections AS c"
    " JOIN databases AS d ON d.id = c.database_id"
    " JOIN segments AS s ON s.collection = c.id AND s.scope = 'METADATA' ORDER BY c.id"
)
_ROWS = (
    "SELECT e.id, e.embedding_id, m.key,"
    " CASE m.key WHEN 'chroma:document' THEN substr(m.string_value, 1, ?) ELSE m.string_value END,"
    " m.int_value, m.float_value, m.bool_value FROM (SELECT id, embedding_id FROM embeddings"
    " WHERE segment_id = ? AND id > ? ORDER BY id LIMIT ?) AS e LEFT JOIN {table} AS m ON m.id = e.id"
    " ORDER BY e.id, m.rowid"
)


class Chroma:
    """The documents of one collection; each has the key of its record, and its metadata."""

    kind = "chroma"
    complete = True

    def __init__(self, file: Path, name: str, collection: tuple[str, str], rows: RowReader) -> None:
        self.file = file
        self.name = name
        self._collection, self._segment = collection
        self._rows = rows

    def documents(self) -> Iterator[Statement]:
        try:
            with closing(_connect(self.file)) as db:
                yield from self._rows.documents(self._read(db))
                if waiting := self._waiting(db):
                    yield Problem(
                        f"{waiting} changes that Chroma has not applied yet are not read", self.name,
                        remedy="open the collection with Chroma, then index again",
                    )  # fmt: skip
        except sqlite3.Error as wrong:
            raise SourceError(f"{self.file} cannot be read: {wrong}") from wrong

    def _read(self, db: sqlite3.Connection) -> Iterator[Row]:
        """Each record with its text and metadata, in the order in which they were added."""
        lists = LISTS in _tables(db)
        last = -1
        while page := self._page(db, "embedding_metadata", last):
            several = self._page(db, LISTS, last) if lists else {}
            for number, (key, values) in page.items():
                metadata: dict[str, Any] = {name: value for name, value in values if name is not None}
                for name, value in several[number][1] if number in several else ():
                    if name is not None:
                        metadata.setdefault(name, []).append(value)
                text, uri = metadata.pop(DOCUMENT, None), metadata.pop(URI, None)
                if uri is not None:
                    metadata.setdefault("uri", uri)
                yield Row(key, text, metadata)
            last = max(page)

    def _page(
        self, db: sqlite3.Connection, table: str, last: int
    ) -> dict[int, tuple[str, list[tuple[str | None, Any]]]]:
        """The next records by their number, each with its key and the names and values of a table."""
        found = db.execute(_ROWS.format(table=table), (LONGEST_TEXT + 1, self._segment, last, PAGE))
        return {
            number: (key, [(row[2], _value(*row[3:])) for row in rows])
            for (number, key), rows in groupby(found.fetchall(), key=lambda row: row[:2])
        }

    def _waiting(self, db: sqlite3.Connection) -> int:
        """How many changes of the collection stand in the queue only."""
        row = db.execute("SELECT seq_id FROM max_seq_id WHERE segment_id = ?", (self._segment,)).fetchone()
        done = 0 if row is None else int.from_bytes(row[0], "big") if isinstance(row[0], bytes) else row[0]
        asked = "SELECT count(*) FROM embeddings_queue WHERE topic LIKE '%/' || ? AND seq_id > ?"
        return int(db.execute(asked, (self._collection, done)).fetchone()[0])


@checked
def open_chroma(
    target: str, context: SourceContext, *, collection: str | None = None, time: str | None = None
) -> Chroma:
    """The source that `chroma:FOLDER#COLLECTION` names; without a name the only collection is taken.

    `time`: the key of the metadata that holds a document's date (default: as in JSON Lines). Raises
    SourceError for a folder without a store, UsageError where the collection is not clear.
    """
    named = read(target, {"collection": collection, "time": time})
    file = Path(named.place).expanduser()
    file = file if file.name == FILE else file / FILE
    if not file.is_file():
        raise SourceError(f"{named.place or '.'} holds no {FILE}; the folder of a Chroma on disk is expected")
    naming = SourceNaming.of(file.parent, context.root)
    try:
        with closing(_connect(file)) as db:
            there = _collections(db)
    except sqlite3.Error as wrong:
        raise SourceError(f"{file} cannot be read as a store of Chroma 0.4 to 1.5: {wrong}") from wrong
    where = f"chroma:{naming.name}"
    part = chosen(named.named("collection", where), there, "collection", where)
    name = f"{where}#{part}"
    remedy = "name the key of the metadata that holds the date: ?time=KEY"
    return Chroma(file, name, there[part], RowReader(name, context.fields, named.option("time"), remedy))


def _connect(file: Path) -> sqlite3.Connection:
    db = sqlite3.connect(f"file:{quote(str(file.absolute()))}?mode=ro", uri=True, check_same_thread=False)
    db.execute("PRAGMA trusted_schema = OFF")  # the file may be anybody's
    db.text_factory = lambda raw: raw.decode("utf-8", "surrogateescape")
    return db


def _tables(db: sqlite3.Connection) -> set[str]:
    """The tables that there are (no views). Raises DatabaseError if one that is needed is not."""
    there = {name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if missing := [name for name in TABLES if name not in there]:
        raise sqlite3.DatabaseError(f"it has no table {missing[0]}")
    return there


def _collections(db: sqlite3.Connection) -> dict[str, tuple[str, str]]:
    """The id and the segment of each collection, by its name; by TENANT/DATABASE/NAME where two share it."""
    _tables(db)
    found = db.execute(_COLLECTIONS).fetchall()
    names = [name for name, *_ in found]
    return {
        name if names.count(name) == 1 else f"{tenant}/{database}/{name}": (collection, segment)
        for name, tenant, database, collection, segment in found
    }


def _value(text: str | None, whole: int | None, real: float | None, flag: int | None) -> Any:
    if flag is not None:
        return bool(flag)
    return next((value for value in (text, whole, real) if value is not None), None)


SCHEME = SourceScheme(open_chroma)
