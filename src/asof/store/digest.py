"""Digests that say whether two statements are the same, and the keys of passages."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from asof.data import Document, SourcedTime
from asof.store.keywords import keywords_of, unsaid
from asof.time.span import BEGINNING, NEVER, Span, iso, moment

if TYPE_CHECKING:
    from asof.text.chunks import Chunk, Chunking

WEAK_DATES = frozenset({"mtime", "none"})
"""A date of these is no claim: a file that was merely touched is unchanged."""

KEY_BYTES = 6
_PLACE = struct.Struct(f"<{KEY_BYTES}sII")
PLACE_BYTES = _PLACE.size


# one encoder for all: `json.dumps` with options makes a new one at every call
_encode = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"), default=str).encode


def digest(value: Any) -> bytes:
    return blake2b(_encode(value).encode(), digest_size=16).digest()


def name_digest(name: str) -> int:
    """A 63-bit number for a document's id: the last word where everything else ties."""
    return int.from_bytes(blake2b(name.encode(), digest_size=8).digest(), "little") >> 1


def ends_of(stated: SourcedTime | None) -> tuple[int | None, int | None]:
    """First and last-but-exclusive instant of a stated time (None, None when there is none)."""
    if stated is None:
        return None, None
    return stated.span.first, min(stated.span.last + 1, NEVER)


def span_of(starts: int, ends: int) -> Span:
    """The inverse of `ends_of`."""
    return Span(
        None if starts <= BEGINNING else moment(starts),
        None if ends >= NEVER else moment(ends),
    )


def times_json(times: Iterable[SourcedTime]) -> list[dict[str, str | None]]:
    """Times as the JSON that is stored and shown: from and until (half-open), text, by."""
    return [
        {
            "from": None if time.span.start is None else iso(time.span.first),
            "until": None if time.span.end is None else iso(time.span.last + 1),
            "text": time.text,
            "by": time.by,
        }
        for time in times
    ]


@dataclass(frozen=True, slots=True)
class SharedAttributes:
    """The attributes that all passages of a version share, ready to be stored."""

    digest: bytes
    title: str
    uri: str
    language: str
    tags: str
    meta: str
    about: str
    keywords: str
    fiscal_start: int


def head_of(document: Document, language: str, search: str | tuple[str, ...]) -> SharedAttributes:
    """What passages share; `search` says which metadata is searched (see `keywords_of`).

    Not the source: a passage stays the same when its file moves to another folder.
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
    """Of all that a document says, its date left out."""
    return digest((
        document.text, document.title, document.uri, document.language, document.tags, document.aliases,
        dict(document.meta), times_json(document.about), document.fiscal_start,
        [(link.target, link.heading, link.alias, link.kind) for link in document.links],
    ))  # fmt: skip


def stated_digest(content: bytes, published: SourcedTime | None) -> bytes:
    """Of a statement: its content and the date it claims, if that is a claim at all."""
    if published is None or published.by in WEAK_DATES:
        return blake2b(content, digest_size=16).digest()
    starts, ends = ends_of(published)
    return blake2b(content + f"{starts}:{ends}".encode(), digest_size=16).digest()


@dataclass(frozen=True, slots=True)
class DigestedPassage:
    """A passage of a version: its key, where it stands in the text, what it says."""

    key: bytes
    start: int
    end: int
    headings: str
    text: str


def cut(text: str, pieces: list[Chunk], head: SharedAttributes) -> list[DigestedPassage]:
    """Passages with keys that are equal in two versions exactly when all that is searched and shown is.

    Passages of one document that say the same are told apart by how many came before.
    """
    base = blake2b(head.digest, digest_size=KEY_BYTES)
    seen: set[bytes] = set()
    repeated: dict[bytes, blake2b] = {}  # where the count of passages that say the same has come to
    cuts: list[DigestedPassage] = []
    for piece in pieces:
        headings = "\n".join(piece.headings)
        said = text[piece.start : piece.end]
        stem = base.copy()
        stem.update(f"{len(headings)}\n{headings}\n{said}".encode())
        first = key = stem.digest()
        if first in seen:
            stem = repeated.get(first, stem)
            while key in seen:
                stem.update(b"again")
                key = stem.digest()
            repeated[first] = stem
        seen.add(key)
        cuts.append(DigestedPassage(key, piece.start, piece.end, headings, said))
    return cuts


def cuts_of(document: Document, head: SharedAttributes, chunking: Chunking) -> list[DigestedPassage]:
    """The passages of a document; one without a text that has a title is found by that: a passage of no
    characters."""
    from asof.text.chunks import Chunk, chunk

    pieces = chunk(document.text, document.outline, chunking)
    if not pieces and document.title:
        pieces = [Chunk(0, 0, ())]
    return cut(document.text, pieces, head)


def pack_layout(cuts: list[DigestedPassage]) -> bytes:
    return b"".join([_PLACE.pack(c.key, c.start, c.end) for c in cuts])


def layout_keys(layout: bytes | None) -> tuple[bytes, ...]:
    layout = layout or b""
    return tuple(layout[at : at + KEY_BYTES] for at in range(0, len(layout), _PLACE.size))


def layout_places(layout: bytes | None) -> list[tuple[bytes, int, int]]:
    """(key, start, end) of each passage in order."""
    return list(_PLACE.iter_unpack(layout or b""))


def indexed_text(title: str, headings: str, about: str, text: str, keywords: str) -> str:
    """What the index holds of a passage: its document's title, headings, period, keywords, words.

    `headings` are separated by line feeds, the outermost first; a first heading that repeats the title is
    not counted twice, and a passage that starts with its own heading does not say it twice. Of the document's
    `keywords` (a JSON list) those are added that are said nowhere else.
    """
    above = headings.split("\n") if headings else []
    if above and above[0] == title:
        above = above[1:]
    if above and text.lstrip("#= \t").startswith(above[-1]):
        above = above[:-1]
    period = " ".join(time["text"] for time in json.loads(about)) if about != "[]" else ""
    parts = [title, *above, period]
    if keywords != "[]":
        parts += unsaid(keywords, "\n".join([*parts, text]))
    return "\n".join([part for part in (*parts, text) if part])


def hit_id(document: str, key: bytes) -> str:
    return f"{document}#{key.hex()}"
