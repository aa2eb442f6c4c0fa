"""Rows of a store become documents, by the rules of JSON Lines (`asof.sources.record`)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from asof.data import Document, Problem, Statement
from asof.data.document import LONGEST_ID, PART
from asof.data.storable import TooDeep, storable_value
from asof.errors import UsageError
from asof.sources.fields import Fields
from asof.sources.record import RecordReader, UnusableRecord
from asof.sources.source import InputLimits

LONGEST_TEXT = InputLimits().characters
"""Characters of a row's text; a longer one is no passage of anything, and is refused."""

LATE = ("updated_at", "last_modified_date", "last_modified")
"""Further names that stores have for when a text was changed: the date of an edit, and of a text that has no
other date."""

COPIES = ("_node_content", "_node_type")
"""What LlamaIndex keeps in the metadata of any store beside the text: the node once more, as JSON."""

_ID, _TEXT = "\x01id", "\x01text"  # no metadata is called so: a key "id" or "text" of it stays metadata


class Row(NamedTuple):
    """A row: its key in the store, its text (None: it has none), and its metadata, as JSON has them."""

    key: object
    text: object
    metadata: Mapping[str, Any]


class RowReader:
    """Makes documents of the rows of the source `name`, whose ids are `NAME!/KEY`.

    `time`: the name in the metadata that holds the date; "" for those of `fields`, then those of `LATE`.
    """

    def __init__(self, name: str, fields: Fields, time: str = "", remedy: str = "") -> None:
        self.name = name
        self.remedy = remedy or "name the column or key of the date: ?time=NAME"
        self._time = time
        self._records = RecordReader(
            replace(
                fields,
                id=(_ID,),
                text=(_TEXT,),
                published=(time,) if time else _several(fields.published, LATE),
                changed=_several(fields.changed, LATE),
            )
        )

    def documents(self, rows: Iterable[Row | Problem]) -> Iterator[Statement]:
        """A document for each row, problems for those that make none, and at the end one that says how many
        have no date."""
        undated = count = 0
        seen: set[tuple[str, str]] = set()
        for row in rows:
            for item in [row] if isinstance(row, Problem) else self._row(row):
                if isinstance(item, Document):
                    date = item.published.text if item.published else ""
                    if (item.id, date) in seen:
                        yield self._problem(item.id, "another row has the same id and date: left out")
                        continue
                    seen.add((item.id, date))
                    count += 1
                    undated += item.published is None
                yield item
        if undated:
            yield Problem(
                f"{undated} of {count} documents have no date", self.name, remedy=self.remedy, lost=False
            )

    def _row(self, row: Row) -> Iterator[Document | Problem]:
        if isinstance(row.key, bool) or not isinstance(row.key, str | int) or not str(row.key).strip():
            yield Problem(f"a row has no id that is a text or a whole number: {row.key!r:.60}", self.name)
            return
        whole_id = f"{self.name}{PART}{row.key}"
        if len(whole_id) > LONGEST_ID:
            yield Problem(f"an id has {len(whole_id)} characters: {whole_id[:60]}...", self.name)
            return
        if isinstance(row.text, str) and len(row.text) > LONGEST_TEXT:
            yield self._problem(whole_id, f"the text has more than {LONGEST_TEXT:,} characters")
            return
        notes = list[str]()
        try:
            metadata = {key: value for key, value in row.metadata.items() if key not in COPIES}
            stated = {**metadata, _ID: whole_id, _TEXT: row.text}
            record = storable_value(stated)
            if record != stated:
                notes.append("NUL or half of a surrogate pair stands in the row: read as U+FFFD")
            yield self._records.document(record, notes.append)
        except UnusableRecord as wrong:
            yield self._problem(whole_id, _without_names(str(wrong)))
        except (UsageError, TooDeep) as wrong:
            yield self._problem(whole_id, str(wrong))
        yield from (self._problem(whole_id, note, False) for note in notes)

    def _problem(self, document: str, message: str, lost: bool = True) -> Problem:
        return Problem(message, document, document=document if lost else "", lost=lost)


def _several(names: tuple[str, ...], more: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*names, *more)))


def _without_names(message: str) -> str:
    """What is wrong with a record, without the names of fields that only this module uses."""
    return message.partition("; accepted fields are ")[0]
