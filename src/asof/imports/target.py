"""The file or folder that `KIND:PATH` names, and its bytes within limits."""

from __future__ import annotations

import gzip
import io
import zlib
from pathlib import Path
from urllib.parse import unquote

from asof.errors import SourceError
from asof.sources.bounded_xml import ForbiddenXml, UnsoundXml, XmlTree
from asof.sources.readers import Unreadable
from asof.sources.scheme import SourceContext
from asof.sources.source import SourceNaming
from asof.sources.survey import content

_PAGES = "?pages="
_GZIP = b"\x1f\x8b"

MAX_ELEMENTS = 1_000_000
MAX_ATTRIBUTES = 100
"""Of one element."""


def naming_of(target: str, context: SourceContext) -> SourceNaming:
    """What `KIND:PATH` names: the path counts from the current folder, as any path does, and `~` is the home.

    Raises SourceError for a path that is not there.
    """
    path = existing(target.partition(":")[2])
    return SourceNaming.of(path, context.root)


def with_pages(target: str, pages: str | Path | None) -> tuple[str, Path | None]:
    """`KIND:PATH` without its `?pages=FOLDER`, and the folder of saved pages; `pages` counts if given.

    Raises SourceError for a folder that is not there.
    """
    path, _, said = target.partition(_PAGES)
    named = unquote(said) if pages is None else pages
    return path, folder(named) if named else None


def existing(words: str | Path) -> Path:
    """The path that a text is. Raises SourceError for one that is not there."""
    if not str(words).strip() or "\0" in str(words):
        raise SourceError(f"{str(words)!r:.60} is no path; the path of a file or folder is expected")
    try:
        path = Path(words).expanduser()
        there = path.exists()
    except (OSError, RuntimeError) as wrong:
        raise SourceError(f"{words} cannot be read: {wrong}") from wrong
    if not there:
        raise SourceError(f"{words} does not exist; the path of a file or folder is expected")
    return path


def folder(words: str | Path) -> Path:
    """The folder that a text names. Raises SourceError."""
    path = existing(words)
    if not path.is_dir():
        raise SourceError(f"{words} is no folder; the folder of the saved pages is expected")
    return path


def whole(naming: SourceNaming, limit: int) -> bytes:
    """The bytes of the file, unpacked if it is gzipped. Raises SourceError for what cannot be read, and for
    more bytes than the limit."""
    if not naming.target.is_file():
        raise SourceError(f"{naming.shown} is no file; one that was exported or saved is expected")
    try:
        raw = content(naming.target, naming.target.stat().st_size, limit)
    except Unreadable as wrong:
        raise SourceError(f"{naming.shown}: {wrong}") from wrong
    except OSError as wrong:
        raise SourceError(f"{naming.shown} cannot be read: {wrong.strerror}") from wrong
    return _unpacked(raw, naming, limit) if raw.startswith(_GZIP) else raw


def tree_of(raw: bytes, shown: str) -> XmlTree:
    """The tree of a feed or a sitemap. Raises SourceError for what is no sound XML, has a document type or
    exceeds a limit."""
    try:
        return XmlTree(raw, elements=MAX_ELEMENTS, attributes=MAX_ATTRIBUTES)
    except ForbiddenXml as wrong:
        raise SourceError(f"{shown}:{wrong.line}: it {wrong}; do not trust it") from wrong
    except UnsoundXml as wrong:
        raise SourceError(f"{shown} is no sound XML: {wrong}; fetch or save it again") from wrong


def _unpacked(raw: bytes, naming: SourceNaming, limit: int) -> bytes:
    try:
        with gzip.open(io.BytesIO(raw)) as stream:
            unpacked = stream.read(limit + 1)
    except (OSError, EOFError, zlib.error) as wrong:
        raise SourceError(f"{naming.shown} is damaged: {wrong}; fetch it again") from wrong
    if len(unpacked) > limit:
        raise SourceError(f"{naming.shown} unpacks to more than {limit:,} bytes; do not trust it")
    return unpacked
