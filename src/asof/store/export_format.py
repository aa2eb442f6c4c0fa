"""The lines of an export: what each kind of line holds.

A line is one JSON object; its first key says of which kind it is. The first line is the header, the last one
says how many documents and versions came before it, and has the digest of all bytes before it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import NamedTuple

from asof.data import Document, SourcedTime
from asof.store.settings import CorpusSettings
from asof.time.span import BEGINNING, NEVER, iso

FORMAT = 1
"""The version of the format, which the header says."""

HEADER = "asof_export"
BEGINNING_OF_FILE = b'{"asof_export":'
SOONEST, LATEST = "always", "never"
"""How the instants before and after all others are written, from which undated versions can be seen."""

TEXT_OF_A_LINE = 1_000_000
"""The most characters of passages that one line holds; `more` lines have the rest."""

encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
"""A value of an export as JSON, without spaces, in the order of its keys."""


class ExportedSource(NamedTuple):
    """A source: its name, its kind, and the instant at which it was first indexed."""

    name: str
    kind: str
    added: int


@dataclass(frozen=True, slots=True)
class ExportHeader:
    """The first line. `horizon`: the times of day before which history was dropped (`as of`, `known at`);
    `erased`: digests of the names of documents that were erased for good."""

    settings: CorpusSettings
    sources: tuple[ExportedSource, ...]
    horizon: tuple[int, int] | None
    erased: tuple[str, ...]


class ExportedTransaction(NamedTuple):
    """A transaction; what follows, until the next one, was added by it."""

    at: int
    what: str


class ExportedPassage(NamedTuple):
    """A passage: its offset in the text, and its headings and text, or the place (from 1) of the same passage
    in the version of the document before this one. Headings are separated by line feeds."""

    at: int
    headings: str
    text: str
    same: int | None


class ExportedVersion(NamedTuple):
    """A version with its text. `owner`: the source of the document, in its first line only; `source`: that
    which stated this version. `document` has the attributes of the version, and no text."""

    document: Document
    owner: str | None
    source: str
    language: str
    visible: int
    content: bytes
    stated: bytes
    passages: list[ExportedPassage]


class ExportedDeletion(NamedTuple):
    """A version without a text: the document ended."""

    name: str
    owner: str | None
    visible: int
    published: SourcedTime | None
    dated_by: str
    stated: bytes


class ExportedRetirement(NamedTuple):
    """A version that turned out to be wrong from the beginning: the `number`-th one (from 1) of its
    document, deletions counted."""

    name: str
    number: int


class MoreText(NamedTuple):
    """More of the version before: passages, and texts that continue the passage before."""

    passages: list[ExportedPassage | str]


class ExportEnd(NamedTuple):
    """The last line: how many documents and versions there are, and the digest of all bytes before it."""

    documents: int
    versions: int
    digest: str


ExportedLine = (
    ExportHeader | ExportedTransaction | ExportedVersion | ExportedDeletion | ExportedRetirement | MoreText
    | ExportEnd
)  # fmt: skip


def visible_json(at: int) -> str:
    """The instant from which a version can be seen, as it is written."""
    return {BEGINNING: SOONEST, NEVER: LATEST}.get(at) or iso(at)
