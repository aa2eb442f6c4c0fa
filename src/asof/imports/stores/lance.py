"""`lancedb:FOLDER#TABLE`: the rows of a table that LanceDB keeps on disk, as they are now."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from asof.arguments import checked
from asof.data import Statement
from asof.errors import SourceError
from asof.imports.stores.columns import Columns
from asof.imports.stores.rows import Row, RowReader
from asof.imports.stores.target import chosen, package, read
from asof.sources.scheme import SourceContext, SourceScheme
from asof.sources.source import SourceNaming

SUFFIX = ".lance"
BATCH = 256
"""Rows that are in memory at a time."""

_UNREAD = ("list<", "large_list<", "fixed_size_list<")
_NUMBERS = ("item: float", "item: double", "item: halffloat", "element: float", "element: double")
_BYTES = ("binary", "large_binary", "fixed_size_binary")


class LanceTable:
    """The rows of one table: each is a document, with its other columns as metadata."""

    kind = "lancedb"
    complete = True

    def __init__(self, table: Any, name: str, columns: Columns, rows: RowReader) -> None:
        self.table = table
        self.name = name
        self._columns = columns
        self._rows = rows

    def documents(self) -> Iterator[Statement]:
        try:
            yield from self._rows.documents(self._read())
        except (OSError, RuntimeError, ValueError, OverflowError) as wrong:  # what the package raises
            raise SourceError(f"{self.name} cannot be read: {_short(wrong)}") from wrong

    def _read(self) -> Iterator[Row]:
        wanted = list(dict.fromkeys((self._columns.id, self._columns.text, *self._columns.metadata)))
        count = self.table.count_rows()
        query = self.table.search().select(wanted).limit(max(count, 1))
        for batch in query.to_batches(batch_size=BATCH):
            for values in _microseconds(batch).to_pylist():
                yield self._columns.row(values)


@checked
def open_lance(
    target: str,
    context: SourceContext,
    *,
    table: str | None = None,
    id: str | None = None,  # noqa: A002  the option's name
    text: str | None = None,
    time: str | None = None,
) -> LanceTable:
    """The source that `lancedb:FOLDER#TABLE` names; without a name the only table is taken.

    `id`, `text`, `time`: the columns of the key, the text and the date (default: those with usual names).
    Raises SourceError for a folder without tables, UsageError where the table or a column is not clear, and
    MissingExtra without the package lancedb.
    """
    named = read(target, {"table": table, "id": id, "text": text, "time": time})
    folder = Path(named.place).expanduser()
    there = sorted(each.stem for each in folder.glob(f"*{SUFFIX}") if each.is_dir())
    if not there:
        raise SourceError(f"{named.place or '.'} holds no table of LanceDB (a folder that ends in {SUFFIX})")
    where = f"lancedb:{SourceNaming.of(folder, context.root).name}"
    part = chosen(named.named("table", where), there, "table", where)
    name = f"{where}#{part}"
    lancedb = package("lancedb", "lancedb", "a table of LanceDB")
    try:
        opened = lancedb.connect(str(folder)).open_table(part)
        columns = Columns.of(_readable(opened.schema), named.options, context.fields, name)
    except (OSError, RuntimeError, ValueError) as wrong:
        raise SourceError(f"{name} cannot be read: {_short(wrong)}") from wrong
    return LanceTable(opened, name, columns, columns.reader(name, context.fields))


def _readable(schema: Any) -> list[str]:
    """The columns that are no vectors and no bytes."""
    return [field.name for field in schema if not _is_vector(str(field.type))]


def _is_vector(kind: str) -> bool:
    numbers = kind.startswith(_UNREAD) and any(each in kind for each in _NUMBERS)
    return numbers or kind.startswith((*_BYTES, "fixed_size_list<"))


def _microseconds(batch: Any) -> Any:
    """The batch with times that Python's datetime can hold."""
    for number, column in enumerate(batch.schema):
        if str(column.type).startswith("timestamp[ns"):
            kind = import_module("pyarrow").timestamp("us", tz=column.type.tz)
            batch = batch.set_column(number, column.name, batch.column(number).cast(kind, safe=False))
    return batch


def _short(wrong: BaseException) -> str:
    return " ".join(str(wrong).split())[:300]


SCHEME = SourceScheme(open_lance)
