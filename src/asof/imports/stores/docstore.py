"""`docstore:FILE`: the documents in LlamaIndex's docstore.json, or in a file or folder of LangChain's."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from asof.arguments import checked
from asof.data import Problem, Statement
from asof.errors import SourceError, UsageError
from asof.imports.stores import langchain_documents, llama_nodes
from asof.imports.stores.rows import Row, RowReader
from asof.imports.stores.target import read
from asof.sources.record import constant
from asof.sources.scheme import SourceContext, SourceScheme
from asof.sources.source import SourceNaming, printable

LARGEST = 512 * 2**20
"""Bytes of a file; it is read as a whole, and takes some five times as much memory."""

NODES = ("joined", "separate")


class BadStore(ValueError):
    """A file that holds no JSON, or too much of it."""


class DocStore:
    """The documents of a docstore; in a folder each file is one, called by its path in it."""

    kind = "docstore"
    complete = True

    def __init__(self, naming: SourceNaming, rows: RowReader, *, separate: bool) -> None:
        self.name = rows.name
        self.naming = naming
        self._rows = rows
        self._separate = separate

    def documents(self) -> Iterator[Statement]:
        if self.naming.target.is_dir():
            yield from self._rows.documents(self._folder())
            return
        try:
            value = _json(self.naming.target)
        except (BadStore, OSError) as wrong:
            raise SourceError(f"{self.naming.shown} {_reason(wrong)}") from wrong
        if llama_nodes.is_docstore(value):
            yield from self._rows.documents(llama_nodes.rows(value, self.name, separate=self._separate))
        elif isinstance(value, list | dict):
            yield from self._rows.documents(langchain_documents.rows(value, self.name))
        else:
            raise SourceError(
                f"{self.naming.shown} is no docstore: a docstore.json of LlamaIndex is expected, or a list "
                'or an object of {"page_content", "metadata"}'
            )

    def _folder(self) -> Iterator[Row | Problem]:
        """The files of LangChain's LocalFileStore: the name of each is its key. Links are not followed."""
        top = self.naming.target
        for path in sorted(each for each in top.rglob("*") if each.is_file() and not each.is_symlink()):
            relative = printable(path.relative_to(top).as_posix())
            try:
                value = _json(path)
            except (BadStore, OSError) as wrong:
                yield Problem(f"the file {_reason(wrong)}", self.naming.file(relative))
                continue
            if not langchain_documents.is_document(value):
                yield Problem("the file is no document of LangChain", self.naming.file(relative))
                continue
            yield from langchain_documents.rows({relative: value}, self.name)


@checked
def open_docstore(
    target: str, context: SourceContext, *, nodes: str | None = None, time: str | None = None
) -> DocStore:
    """The source that `docstore:FILE` names: a file, or the folder of a LocalFileStore.

    `nodes`: "joined" (default), the nodes of one document of LlamaIndex are one document; "separate", each
    is one. `time`: the key of the metadata that holds the date (default: as in JSON Lines). Raises
    SourceError for what is not there, UsageError for options that are not known.
    """
    named = read(target, {"nodes": nodes, "time": time})
    path = Path(named.place).expanduser()
    if named.part or not named.place:
        raise UsageError("docstore: the path of a file or folder is expected, as in docstore:FILE, without #")
    if not path.exists():
        raise SourceError(
            f"{named.place} does not exist; a docstore.json, or another file of JSON is expected"
        )
    form = named.option("nodes", "joined")
    if form not in NODES:
        raise UsageError(f"docstore: nodes={form[:40]}; accepted: {', '.join(NODES)}")
    naming = SourceNaming.of(path, context.root)
    remedy = "name the key of the metadata that holds the date: ?time=KEY"
    rows = RowReader(f"docstore:{naming.name}", context.fields, named.option("time"), remedy)
    return DocStore(naming, rows, separate=form == "separate")


def _json(path: Path) -> Any:
    """The JSON value in a file. Raises BadStore, OSError."""
    if (size := path.stat().st_size) > LARGEST:
        raise BadStore(f"has {size:,} bytes; the limit is {LARGEST:,}")
    try:
        return json.loads(path.read_bytes(), parse_constant=constant)
    except UnicodeDecodeError as wrong:
        raise BadStore(f"is not UTF-8 (at byte {wrong.start})") from None
    except RecursionError:
        raise BadStore("is nested too deeply") from None
    except ValueError as wrong:
        raise BadStore(f"is not JSON: {wrong}") from None


def _reason(wrong: BadStore | OSError) -> str:
    return f"cannot be read: {wrong.strerror}" if isinstance(wrong, OSError) else str(wrong)


SCHEME = SourceScheme(open_docstore)
