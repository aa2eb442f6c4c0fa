"""Web pages that were saved below a folder: the file of an address, and the text in it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import SplitResult, unquote, urlsplit

from asof.data import Document, Link, Problem, SourcedTime
from asof.data.storable import storable
from asof.sources import dating
from asof.sources.readers import Unreadable, parsed, suffix, suffixes
from asof.sources.source import InputLimits, printable
from asof.sources.survey import content

_HTML = (".html", ".htm")


def file_of(address: str, folder: Path) -> Path | None:
    """The file of an address below a folder, or below the name of its host there: of /a/b it is a/b.html,
    a/b/index.html or a/b. None if there is none, and for what would lie outside of the folder."""
    try:
        parts = urlsplit(address)
        host = parts.hostname or ""
    except ValueError:
        return None
    top = folder.resolve()
    for below in ("", host):
        for relative in _paths(parts):
            try:
                path = (top / below / relative).resolve()
                if path.is_relative_to(top) and path.is_file():
                    return path
            except (OSError, ValueError, RuntimeError):  # too long for the file system, or a loop of links
                continue
    return None


def _paths(parts: SplitResult) -> Iterator[str]:
    """The paths at which the page of an address may be saved, as programs that save sites call them."""
    names = [unquote(each) for each in parts.path.split("/") if each]
    if any(each in (".", "..") or "\0" in each or "/" in each or "\\" in each for each in names):
        return
    path = "/".join(names)
    if parts.query:
        query = parts.query.replace("/", "%2F")
        yield from (f"{path or 'index.html'}{sign}{query}{end}" for sign in "?@" for end in (".html", ""))
        return
    if path:
        yield f"{path}.html"
    yield f"{path}/index.html" if path else "index.html"
    if path:
        yield path


def read_page(path: Path, limits: InputLimits) -> bytes:
    """The bytes of a page. Raises Unreadable."""
    try:
        size = path.stat().st_size
    except OSError as wrong:
        raise Unreadable(f"the file cannot be read: {wrong.strerror}") from None
    return content(path, size, limits.file)


def page_document(
    name: str,
    raw: bytes,
    path: Path,
    limits: InputLimits,
    *,
    title: str = "",
    published: SourcedTime | None,
    changed: SourcedTime | None = None,
    uri: str = "",
    tags: tuple[str, ...] = (),
    meta: dict[str, object] | None = None,
    links: tuple[Link, ...] = (),
) -> Iterator[Document | Problem]:
    """The document of a saved page or other file, dated as is said here, and remarks. Raises Unreadable.

    A file without a known suffix is read as HTML. What it says of its own dates stays in its metadata.
    """
    known = suffix(path.name) in suffixes()
    page = parsed(raw, storable(printable(path.name)) + ("" if known else ".html"), limits)
    about = dating.dates_in(page, published=False)
    for note in (*page.notes, *about.notes):
        yield Problem(note.message, printable(str(path)), note.line, note.remedy, lost=False)
    if page.parts:
        message = f"documents lie inside of it, which are not read here: {len(page.parts)}"
        if not page.text.strip():
            raise Unreadable(message, "index the file itself: asof index FILE")
        yield Problem(message, printable(str(path)), remedy="index the file itself: asof index FILE")
    if not page.text.strip():
        raise Unreadable("there is no text in the file", empty=True)
    yield Document(
        name, page.text, title or page.title, published, changed, about.about, (*links, *page.links),
        (*tags, *page.tags), page.aliases, {**about.meta, **(meta or {})}, page.outline, uri, page.language,
        about.fiscal_start,
    )  # fmt: skip
