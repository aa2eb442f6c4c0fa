"""Digests that identify equal statements, and the keys of passages."""

from __future__ import annotations

import json
import struct
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, NamedTuple

from asof.data import Document, SourcedTime
from asof.data.json import times_json
from asof.store.keywords import keywords_of, missing_keywords
from asof.time.span import BEGINNING, NEVER, Span, moment

if TYPE_CHECKING:
    from asof.text.chunks import Chunk, Chunking

WEAK_DATES = frozenset({"mtime", "none"})
"""Dates that no source states: a file with only another mtime is unchanged."""

KEY_BYTES = 6
_PLACE = struct.Struct(f"<{KEY_BYTES}sII")
PLACE_BYTES = _PLACE.size


# one encoder for all: `json.dumps` with options makes a new one at every call
_encode = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"), default=str).encode


def digest(value: Any) -> bytes:
    return blake2b(_encode(value).encode(), digest_size=16).digest()


def name_digest(name: str) -> int:
    """A 63-bit number for a document's id, the last criterion for ties."""
    return int.from_bytes(blake2b(name.encode(), digest_size=8).digest(), "little") >> 1


def time_bounds(stated: SourcedTime | None) -> tuple[int | None, int | None]:
    """First and last-but-exclusive instant of a stated time (None, None when there is none)."""
    if stated is None:
        return None, None
    return stated.span.first, min(stated.span.last + 1, NEVER)


def span_of(starts: int, ends: int) -> Span:
    """The inverse of `time_bounds`."""
    return Span(
        None if starts <= BEGINNING else moment(starts),
        None if ends >= NEVER else moment(ends),
    )


class SharedAttributes(NamedTuple):
    """The attributes that all passages of a version share, in stored form."""

    digest: bytes
    title: str
    uri: str
    language: str
    tags: str
    meta: str
    about: str
    keywords: str
    fiscal_start: int


def shared_attributes(document: Document, language: str, search: str | tuple[str, ...]) -> SharedAttributes:
    """The shared attributes of a document; `search`: which metadata is searched (see `keywords_of`).

    Without the source: a passage stays the same when its file moves to another folder.
    """
    fields = (
        document.title, document.uri, language,
        _encode(list(document.tags)), _encode(dict(document.meta)), _encode(times_json(document.about)),
    )  # fmt: skip
    keywords = _encode(keywords_of(document.meta, document.tags, search))
    return SharedAttributes(
        digest((*fields, document.fiscal_start)), *fields, keywords, document.fiscal_start
    )


def content_digest(document: Document) -> bytes:
    """The digest of a document without its date."""
    return digest((
        document.text, document.title, document.uri, document.language, document.tags, document.aliases,
        dict(document.meta), times_json(document.about), document.fiscal_start,
        [(link.target, link.heading, link.alias, link.kind) for link in document.links],
    ))  # fmt: skip


def stated_digest(content: bytes, published: SourcedTime | None) -> bytes:
    """The digest of a statement: its content and date, unless the date is weak."""
    if published is None or published.by in WEAK_DATES:
        return blake2b(content, digest_size=16).digest()
    starts, ends = time_bounds(published)
    return blake2b(content + f"{starts}:{ends}".encode(), digest_size=16).digest()


class DigestedPassage(NamedTuple):
    """A passage of a version: its key, its place in the text, its headings and text."""

    key: bytes
    start: int
    end: int
    headings: str
    text: str


def passages_from_chunks(text: str, chunks: list[Chunk], head: SharedAttributes) -> list[DigestedPassage]:
    """Passages with keys; equal in two versions exactly when all that is searched and shown is equal.

    Repeated passages of one document differ by how many came before.
    """
    base = blake2b(head.digest, digest_size=KEY_BYTES)
    keys: set[bytes] = set()
    repeated: dict[bytes, blake2b] = {}  # the hash after the last repetition
    passages: list[DigestedPassage] = []
    for piece in chunks:
        headings = "\n".join(piece.headings)
        passage_text = text[piece.start : piece.end]
        stem = base.copy()
        stem.update(f"{len(headings)}\n{headings}\n{passage_text}".encode())
        first = key = stem.digest()
        if first in keys:
            stem = repeated.get(first, stem)
            while key in keys:
                stem.update(b"again")
                key = stem.digest()
            repeated[first] = stem
        keys.add(key)
        passages.append(DigestedPassage(key, piece.start, piece.end, headings, passage_text))
    return passages


def document_passages(
    document: Document, head: SharedAttributes, chunking: Chunking
) -> list[DigestedPassage]:
    """The passages of a document. One with a title and no text has one empty passage, found by its title."""
    from asof.text.chunks import Chunk, chunk

    chunks = chunk(document.text, document.outline, chunking)
    if not chunks and document.title:
        chunks = [Chunk(0, 0, ())]
    return passages_from_chunks(document.text, chunks, head)


def pack_layout(passages: list[DigestedPassage]) -> bytes:
    return b"".join([_PLACE.pack(c.key, c.start, c.end) for c in passages])


def layout_keys(layout: bytes | None) -> tuple[bytes, ...]:
    layout = layout or b""
    return tuple(layout[at : at + KEY_BYTES] for at in range(0, len(layout), _PLACE.size))


def layout_places(layout: bytes | None) -> list[tuple[bytes, int, int]]:
    """(key, start, end) of each passage in order."""
    return list(_PLACE.iter_unpack(layout or b""))


def indexed_text(title: str, headings: str, about: str, text: str, keywords: str) -> str:
    """The indexed text of a passage: its document's title, headings, period, keywords, then its text.

    `headings` are separated by line feeds, the outermost first; a first heading that repeats the title is
    not counted twice, nor a heading with which the passage starts. Of the document's `keywords` (a JSON list)
    those are added that occur nowhere else.
    """
    above = headings.split("\n") if headings else []
    if above and above[0] == title:
        above = above[1:]
    if above and text.lstrip("#= \t").startswith(above[-1]):
        above = above[:-1]
    period = " ".join(time["text"] for time in json.loads(about)) if about != "[]" else ""
    parts = [title, *above, period]
    if keywords != "[]":
        parts += missing_keywords(keywords, "\n".join([*parts, text]))
    return "\n".join([part for part in (*parts, text) if part])


def hit_id(document: str, key: bytes) -> str:
    return f"{document}#{key.hex()}"
