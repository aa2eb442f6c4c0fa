"""Which columns of a table are the id, the text and the metadata of its rows."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from datetime import date
from typing import Any, NamedTuple

from asof.errors import UsageError
from asof.imports.stores.rows import Row, RowReader
from asof.sources.fields import Fields

TEXTS = ("document", "page_content", "chunk", "chunk_text")
IDS = ("uuid", "node_id", "langchain_id", "key")
NESTED = ("metadata", "metadata_", "cmetadata", "meta")
"""Columns whose keys are metadata of the row, as LangChain and LlamaIndex name them."""


class Columns(NamedTuple):
    """The names of the columns of the key, of the text, and of the date ("" for that of the metadata);
    `metadata`: the others."""

    id: str
    text: str
    time: str
    metadata: tuple[str, ...]

    @classmethod
    def of(cls, there: Collection[str], options: Mapping[str, str], fields: Fields, where: str) -> Columns:
        """Those that are named by `options`, else those with usual names. Raises UsageError, which lists
        what is `there`."""
        key = _one(there, "id", options.get("id", ""), (*fields.id, *IDS), where)
        text = _one(there, "text", options.get("text", ""), (*fields.text, *TEXTS), where)
        time = options.get("time", "")
        if time and time not in there and not set(NESTED) & set(there):
            raise UsageError(f"{where}: time={time}: no column is called so; {_listed(there)}")
        return cls(key, text, time, tuple(name for name in there if name not in (key, text)))

    @property
    def remedy(self) -> str:
        """What to do where rows have no date."""
        if not self.metadata:
            return "no column is left that could hold the date"
        return f"name the column of the date: ?time=NAME, of {', '.join(self.metadata)}"

    def reader(self, source: str, fields: Fields) -> RowReader:
        """What makes documents of the rows of a source."""
        return RowReader(source, fields, self.time, self.remedy)

    def row(self, values: Mapping[str, Any]) -> Row:
        """The row of these values."""
        nested: dict[str, Any] = {}
        own: dict[str, Any] = {}
        for name in self.metadata:
            value = values[name]
            if name in NESTED and isinstance(value := _object(value), Mapping):
                nested |= {str(key): _plain(each) for key, each in value.items()}
            elif value is not None:
                own[name] = _plain(value)
        return Row(_plain(values[self.id]), values[self.text], nested | own)


def _one(there: Collection[str], what: str, named: str, usual: tuple[str, ...], where: str) -> str:
    if named:
        if named in there:
            return named
        raise UsageError(f"{where}: {what}={named}: no column is called so; {_listed(there)}")
    for name in usual:
        if name in there:
            return name
    raise UsageError(f"{where}: which column holds the {what}? Say {what}=NAME; {_listed(there)}")


def _listed(there: Collection[str]) -> str:
    return f"the columns are {', '.join(there)}"


def _object(value: object) -> object:
    """The value; of a text that is a JSON object, the object."""
    if isinstance(value, str) and value.startswith("{"):
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            return value
    return value


def _plain(value: object) -> object:
    """The value as JSON has it. A time without a zone is one of UTC, as such a text in JSON Lines is."""
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, tuple | list):
        return [_plain(each) for each in value]
    if isinstance(value, Mapping):
        return {str(key): _plain(each) for key, each in value.items()}
    return value if value is None or isinstance(value, str | int | float | bool) else str(value)
