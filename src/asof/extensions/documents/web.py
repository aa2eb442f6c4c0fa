"""Saved web pages, and the two sources that use them: `sitemap:PATH` and `bookmarks:PATH`.

A saved page states its address and when it was saved; `SavedPages` finds the file of an address in a folder.
A sitemap gives addresses with the date `lastmod`; a browser's export of bookmarks addresses, folders and
dates.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple
from urllib.parse import SplitResult, unquote, urlsplit

from asof.arguments import checked
from asof.errors import SourceError
from asof.extensions.documents import feeds
from asof.extensions.documents.feeds import FileSource, date_in, naming_of, tree_of, whole, with_pages
from asof.extensions.documents.xml import XmlTree, local
from asof.sources import dates
from asof.sources.dates import of_file
from asof.sources.files import content, walk
from asof.sources.html_walk import MarkupToken, pieces
from asof.sources.readers import NotText, Unreadable, decoded, parsed, suffix, suffixes
from asof.sources.source import InputLimits, SourceContext, SourceNaming, SourceScheme, printable, token
from asof.values import (
    LONGEST_ID,
    Checkpoint,
    Document,
    Link,
    Problem,
    SourcedTime,
    SourceEvent,
    Unchanged,
    storable,
)
from asof.wire import replace

# -- the address of a saved page -------------------------------------------------------------------


HEAD = 256 * 1024
"""The bytes at the start of a page in which its address is looked for."""

_SUFFIXES = (".html", ".htm")
_SINGLE_FILE = re.compile(r"\burl:\s*(\S+)")
_SAVED = re.compile(r"\bsaved date:\s*([^\n]+)")
_SAVED_FROM = re.compile(r"saved from url=\([0-9]+\)(\S+)")


@dataclass(frozen=True, slots=True)
class SavedPage:
    """A page's file, and when it was saved: as it says itself, else when its file was last changed."""

    path: Path
    saved: SourcedTime | None


class SavedPages:
    """The saved pages below a folder by their addresses. `problems`: files that could not be looked at."""

    def __init__(self, folder: Path) -> None:
        self.problems: list[Problem] = []
        self._pages: dict[str, SavedPage] = {}
        for address, page in self._found(folder):
            before = self._pages.get(address)
            if before is None or _instant(page) > _instant(before):
                self._pages[address] = page

    def of(self, address: str) -> SavedPage | None:
        """The page of an address that was saved last."""
        return self._pages.get(_key(address))

    def _found(self, folder: Path) -> Iterator[tuple[str, SavedPage]]:
        naming = SourceNaming(folder, ".", printable(str(folder)))
        for file in walk(naming):
            if isinstance(file, Problem):
                self.problems.append(file)
                continue
            if not file.relative.lower().endswith(_SUFFIXES):
                continue
            path = folder / file.relative
            try:
                with path.open("rb") as stream:
                    head = stream.read(HEAD)
                address, saved = stated_address(decoded(head).text)
            except NotText:
                address, saved = stated_address(head.decode("utf-8", "replace"))
            except OSError as wrong:
                self.problems.append(
                    Problem(f"the page cannot be read: {wrong.strerror}", printable(str(path)), lost=False)
                )
                continue
            if address:
                yield _key(address), SavedPage(path, saved or of_file(file.mtime))


def stated_address(head: str) -> tuple[str, SourcedTime | None]:
    """The address of which a page says that it was saved from it ("" for none), and when that was.

    SingleFile and the browsers say so in a comment; else the page's canonical address counts.
    """
    for said in _comments(head):
        if "SingleFile" in said and (address := _SINGLE_FILE.search(said)):
            when = _SAVED.search(said)
            return address[1], feeds.of_browser(when[1]) if when else None
        if address := _SAVED_FROM.search(said):
            return address[1], None
    for piece in pieces(head):
        if piece.kind == "start" and piece.name == "link":
            if "canonical" in piece.attributes.get("rel", "").lower().split():
                return piece.attributes.get("href", "").strip(), None
        elif piece.kind == "start" and piece.name == "body":
            break
    return "", None


def _comments(text: str) -> Iterator[str]:
    start = text.find("<!--")
    while start >= 0 and (end := text.find("-->", start + 4)) >= 0:
        yield text[start + 4 : end]
        start = text.find("<!--", end)


def _key(address: str) -> str:
    """An address without its fragment and a slash at its end."""
    return address.partition("#")[0].rstrip("/")


def _instant(page: SavedPage) -> int:
    return page.saved.span.last if page.saved else 0


# -- the file of an address, and its text ----------------------------------------------------------


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
    """The document of a saved page or other file, with the given date, and remarks. Raises Unreadable.

    A file without a known suffix is read as HTML. What it says of its own dates stays in its metadata.
    """
    known = suffix(path.name) in suffixes()
    page = parsed(raw, storable(printable(path.name)) + ("" if known else ".html"), limits)
    about = dates.dates_in(page, published=False)
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


# -- the source sitemap:PATH -----------------------------------------------------------------------


SITEMAP_PREFIX = "sitemap:"


class ListedPage(NamedTuple):
    """An address of a sitemap, when its page was changed, as written, and the line of both."""

    address: str
    changed: str
    line: int


class Sitemap(FileSource):
    """The documents of the pages that a sitemap lists and a folder has; a page that it drops ends."""

    kind = "sitemap"

    def __init__(self, naming: SourceNaming, pages: Path) -> None:
        super().__init__(naming)
        self.pages = pages

    def documents(self) -> Iterator[SourceEvent]:
        """The pages in the order of the sitemap. Raises SourceError."""
        shown = self.naming.shown
        tree = tree_of(whole(self.naming, self.limits.file), shown)
        without: list[ListedPage] = []
        seen: set[str] = set()
        for listed in _pages(tree, shown):
            if listed.address in seen:
                continue
            seen.add(listed.address)
            if not listed.address or len(listed.address) > LONGEST_ID - len(SITEMAP_PREFIX):
                yield Problem("the address is empty or too long", shown, listed.line)
            elif (path := file_of(listed.address, self.pages)) is None:
                without.append(listed)
            else:
                yield from self._page(listed, path)
        if without:
            yield Problem(
                f"{len(without)} of {len(seen)} addresses have no file below {printable(str(self.pages))},"
                f" the first is {without[0].address[:200]}",
                shown, remedy="save these pages there: /a/b as a/b.html or a/b/index.html", lost=False,
            )  # fmt: skip

    def _page(self, listed: ListedPage, path: Path) -> Iterator[SourceEvent]:
        name = SITEMAP_PREFIX + listed.address
        try:
            raw = content(path, self.limits.file)
            state = token(repr(self.limits), listed.address, listed.changed, path.name, raw)
            if self.checkpoints.get(name) == state:
                yield Unchanged(name)
                return
            notes: list[Problem] = []
            about = Problem("its lastmod", self.naming.shown, listed.line)
            when = date_in(feeds.of_text, listed.changed, notes, about)
            items = list(
                page_document(
                    name, raw, path, self.limits, published=when, changed=when, uri=listed.address
                )
            )  # fmt: skip
        except Unreadable as wrong:
            yield Problem(str(wrong), printable(str(path)), 0, wrong.remedy, name, wrong.lost)
            return
        yield from (*notes, *items)
        if when is not None and not notes and all(isinstance(each, Document) for each in items):
            yield Checkpoint(name, state)


def _pages(tree: XmlTree, shown: str) -> Iterator[ListedPage]:
    root = tree.root
    if local(root) == "sitemapindex":
        raise SourceError(f"{shown} lists sitemaps, and no pages: import each of these")
    if local(root) != "urlset":
        raise SourceError(f"{shown}: its XML is <{local(root)}>, no sitemap; <urlset> is expected")
    for url in root:
        if local(url) == "url":
            said = {local(each): storable("".join(each.itertext()).strip()) for each in reversed(url)}
            yield ListedPage(said.get("loc", ""), said.get("lastmod", ""), tree.line(url))


@checked
def open_sitemap(target: str, context: SourceContext, *, pages: str | Path | None = None) -> Sitemap:
    """The source that `sitemap:PATH` or `sitemap:PATH?pages=FOLDER` names. `pages`: the folder of the saved
    pages (default: the sitemap's own). Raises SourceError for a path that is not there."""
    path, folder = with_pages(target, pages)
    naming = naming_of(path, context)
    return Sitemap(naming, folder or naming.target.parent)


SITEMAP = SourceScheme(open_sitemap)


# -- the export of a browser (Netscape's HTML) -----------------------------------------------------


MAX_DEPTH = 100
"""Folders in folders; deeper ones count as the last of these."""

_MARK = re.compile(r"<!doctype\s+netscape-bookmark-file|<dt>\s*<a\s", re.IGNORECASE)


@dataclass(slots=True)
class Bookmark:
    """A bookmark as it is written; dates are texts. `about`: the user's description."""

    address: str
    folders: tuple[str, ...]
    tags: tuple[str, ...]
    added: str
    changed: str
    title: str = ""
    about: str = ""


@dataclass(slots=True)
class BookmarkParser:
    """The state of reading an export. `open`: a name for each list that is open; the list of all is "", for
    it has no heading, and so are the folders that every browser has (its bar)."""

    open: list[str] = field(default_factory=list)
    beyond: int = 0
    heading: str = ""
    of_browser: bool = False
    current: Bookmark | None = None
    words: list[str] = field(default_factory=list)
    place: str = ""

    def bookmarks(self, text: str) -> Iterator[Bookmark]:
        """The bookmarks in their order, each under the folders in which it lies."""
        for piece in pieces(text):
            if piece.kind == "text":
                self.words.append(piece.text)
                continue
            ended = piece.kind == "end"
            if piece.name in ("a", "h3", "dd", "dt", "dl"):
                self._end_words()
                if self.current is not None and piece.name != "dd" and not (piece.name == "a" and ended):
                    yield self.current
                    self.current = None
            if not ended:
                self._start(piece)
            elif piece.name == "dl" and self.beyond:
                self.beyond -= 1
            elif piece.name == "dl" and self.open:
                self.open.pop()
        self._end_words()
        if self.current is not None:
            yield self.current

    def _start(self, piece: MarkupToken) -> None:
        get = piece.attributes.get
        if piece.name == "a":
            tags = (storable(" ".join(each.split())) for each in get("tags", "").split(","))
            self.current = Bookmark(
                storable(get("href", "").strip()), tuple(each for each in self.open if each),
                tuple(each for each in tags if each), get("add_date", ""), get("last_modified", ""),
            )  # fmt: skip
        elif piece.name == "dl":
            if len(self.open) >= MAX_DEPTH:
                self.beyond += 1
            else:
                self.open.append(self.heading)
            self.heading = ""
        elif piece.name == "h3":
            self.of_browser = bool(get("personal_toolbar_folder") or get("unfiled_bookmarks_folder"))
        if piece.name in ("a", "h3", "dd"):
            self.place = piece.name

    def _end_words(self) -> None:
        """The text since the last tag that counts, for the element in which it stands."""
        words = storable(" ".join("".join(self.words).split()))
        self.words.clear()
        if self.place == "h3":
            self.heading = "" if self.of_browser else words
        elif self.place == "a" and self.current is not None:
            self.current.title = words
        elif self.place == "dd" and self.current is not None:
            self.current.about = words
        self.place = ""


# -- the source bookmarks:PATH ---------------------------------------------------------------------


BOOKMARKS_PREFIX = "bookmarks:"
_NO_PAGE = re.compile(r"(?:javascript|data|place|about|chrome|edge|blob):", re.IGNORECASE)


class Bookmarks(FileSource):
    """The documents of bookmarks, one for each address; one that the export holds no more has ended."""

    kind = "bookmarks"

    def __init__(self, naming: SourceNaming, pages: Path | None) -> None:
        super().__init__(naming)
        self.pages = pages

    def documents(self) -> Iterator[SourceEvent]:
        """The bookmarks in the order of the export. Without saved pages nothing new while it holds the same
        bytes. Raises SourceError for a file that is no export."""
        raw = whole(self.naming, self.limits.file)
        state = token(self.name, repr(self.limits), raw)
        if self.pages is None and (same := self.unchanged(state)):
            yield same
            return
        found, passed = self._found(raw)
        saved = None if self.pages is None else SavedPages(self.pages)
        if saved is not None:
            yield from saved.problems
        sound = True
        for each in found:
            for item in self._stated(each, saved):
                sound = sound and not isinstance(item, Problem)
                yield item
        if passed:
            are = "is" if passed == 1 else "are"
            yield self._problem(
                f"{passed} of the bookmarks {are} of no page (javascript:, data:, about:, or no address)",
                lost=False,
            )
        if sound and not passed and saved is None:
            yield self.checkpoint(state, len(found))

    def _found(self, raw: bytes) -> tuple[list[Bookmark], int]:
        """A bookmark for each address, with the folders and tags of all that have it, and how many others
        there are. Raises SourceError."""
        try:
            text = decoded(raw).text
        except NotText as wrong:
            raise SourceError(f"{self.naming.shown} {wrong}; export the bookmarks again") from wrong
        if not _MARK.search(text):
            raise SourceError(
                f"{self.naming.shown} is no export of bookmarks; the browser's list of bookmarks exports"
                " them to HTML"
            )
        found: dict[str, Bookmark] = {}
        passed = 0
        for each in BookmarkParser().bookmarks(text):
            if not each.address or _NO_PAGE.match(each.address):
                passed += 1
            elif (first := found.get(each.address)) is None:
                found[each.address] = each
            else:
                tags = (*first.tags, *each.folders, *each.tags)
                found[each.address] = replace(first, tags=tags, about=first.about or each.about)
        return list(found.values()), passed

    def _stated(self, mark: Bookmark, saved: SavedPages | None) -> Iterator[Document | Problem]:
        name = BOOKMARKS_PREFIX + mark.address
        if len(name) > LONGEST_ID:
            yield self._problem(f"an address has {len(name):,} characters: {name[:60]}...")
            return
        notes: list[Problem] = []
        about = self._problem(f"{mark.address[:200]}: its date")
        added, later = (date_in(feeds.of_seconds, each, notes, about) for each in (mark.added, mark.changed))
        yield from notes
        meta: dict[str, object] = {"folder": "/".join(mark.folders)} if mark.folders else {}
        tags = (*mark.folders, *mark.tags)
        page = saved.of(mark.address) if saved else None
        if page is not None:
            when = _later(added, page.saved)
            try:
                yield from page_document(
                    name, content(page.path, self.limits.file), page.path, self.limits, title=mark.title,
                    published=when, uri=mark.address, tags=tags, meta=meta,
                )  # fmt: skip
            except Unreadable as wrong:
                yield Problem(str(wrong), printable(str(page.path)), 0, wrong.remedy, name, wrong.lost)
            return
        text = mark.about or mark.title or mark.address
        yield Document(name, text, mark.title, added, later, tags=tags, meta=meta, uri=mark.address)

    def _problem(self, message: str, *, lost: bool = True) -> Problem:
        return Problem(message, self.naming.shown, lost=lost)


def _later(added: SourcedTime | None, saved: SourcedTime | None) -> SourcedTime | None:
    """The time at which the text of a saved page is known to have been there: a page that was saved after its
    address was kept may have been written in between."""
    if added is None or saved is None:
        return added or saved
    return saved if saved.span.last > added.span.last else added


@checked
def open_bookmarks(target: str, context: SourceContext, *, pages: str | Path | None = None) -> Bookmarks:
    """The source that `bookmarks:PATH` or `bookmarks:PATH?pages=FOLDER` names. `pages`: the folder of saved
    pages (default: none, the bookmarks alone). Raises SourceError for a path that is not there."""
    path, folder = with_pages(target, pages)
    return Bookmarks(naming_of(path, context), folder)


BOOKMARKS = SourceScheme(open_bookmarks)
