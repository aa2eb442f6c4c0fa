"""What Python code gives to `Corpus.add`: a source, documents, or records as JSON Lines has them."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import closing, nullcontext
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from asof.data import Document, Ended, Problem, Statement
from asof.data.storable import TooDeep, storable_value
from asof.errors import SourceError, UsageError
from asof.sources.record import RecordReader, UnusableRecord

if TYPE_CHECKING:
    from asof.sources.fields import Fields

MAX_NAME_BYTES = 255
"""Bytes of a part of a path, on the file systems in use."""

Item: TypeAlias = Statement
Record: TypeAlias = Mapping[str, Any]

ACCEPTED = (
    "a path, arxiv:..., a source (name, kind, complete, documents()), or one or several of asof.Document, "
    'asof.Ended and mappings such as {"id": "a", "text": "...", "published": "2021-03"}'
)


class PythonSource(NamedTuple):
    """A source as Python code passed it: its name and kind, whether it is complete and states its past (see
    `sources.source.Source`), and its documents."""

    name: str
    kind: str
    complete: bool
    documents: Iterable[object]
    states_past: bool = False


def as_python_source(source: object) -> PythonSource:
    """What a source is, or documents, one or several. Raises UsageError for anything else."""
    if isinstance(source, Item | Mapping):
        source = [source]
    if isinstance(source, Iterable) and not isinstance(source, str | bytes):
        return PythonSource("python", "documents", complete=False, documents=source)
    try:
        states_past = getattr(source, "states_past", False)
        return PythonSource(source.name, source.kind, source.complete, source.documents(), states_past)  # type: ignore[attr-defined]
    except AttributeError:
        if all(hasattr(source, name) for name in ("name", "kind", "complete", "documents")):
            raise
        raise refusal(source) from None


def path_of(source: str | Path) -> Path:
    """The path that a text is. Raises SourceError for a text that can be none."""
    path, words = Path(source), str(source)
    try:
        longest = max((len(os.fsencode(part)) for part in path.parts), default=0)
    except UnicodeEncodeError:
        raise SourceError(f"{words!r:.60} is no path: it holds half of a surrogate pair") from None
    if source == "" or "\0" in words or "\n" in words or longest > MAX_NAME_BYTES:
        raise SourceError(f"{words!r:.60} is no path; of a text make asof.Document(id, text)")
    if isinstance(source, str) and " " in words and not path.exists():
        raise SourceError(f"{words!r} is neither a file nor a folder; of a text make asof.Document(id, text)")
    return path


def items(values: Iterable[object], fields: Fields) -> Generator[Item, None, None]:
    """The documents among these, in their order; a record that cannot be used becomes a Problem.

    Raises UsageError for what is neither a document nor a record.
    """
    records = RecordReader(fields)
    with closing(values) if isinstance(values, Generator) else nullcontext():
        for number, item in enumerate(values, 1):
            if isinstance(item, Item):
                yield item
            elif isinstance(item, Mapping):
                yield from _record(records, item, number)
            else:
                raise refusal(item, f"item {number}")


def refusal(value: object, what: str = "source") -> UsageError:
    """The error for what cannot be added."""
    more = ""
    if isinstance(value, str):
        more = "; a path is given alone; of a text make asof.Document(id, text)"
    elif isinstance(value, bytes):
        more = "; of its text make asof.Document(id, raw.decode())"
    return UsageError(f"{what} is {value!r:.60} ({type(value).__name__}); accepted: {ACCEPTED}{more}")


def _record(
    records: RecordReader, item: Mapping[Any, Any], number: int
) -> Iterator[Document | Ended | Problem]:
    place, notes = f"item {number}", list[str]()
    try:
        whole = {str(key): _json(value) for key, value in item.items()}
        record = storable_value(whole)
        if record != whole:
            notes.append("NUL or half of a surrogate pair stands in the record: read as U+FFFD")
        yield records.statement(record, notes.append)
    except UnusableRecord as wrong:
        yield Problem(f"{place} {wrong}", remedy=wrong.remedy, document=wrong.document)
    except (UsageError, TooDeep) as wrong:
        yield Problem(f"{place}: {wrong}")
    yield from (Problem(f"{place}: {note}", lost=False) for note in notes)


def _json(value: object) -> object:
    """The value as JSON has it: tuples are lists; what is no number and no time (NaN, NaT) is null."""
    if isinstance(value, tuple):
        return list(value)
    return None if isinstance(value, float | date) and value != value else value
