"""`bookmarks:PATH`: the bookmarks of a browser's export, with the texts of pages that were saved."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from asof.arguments import checked
from asof.data import Checkpoint, Document, Problem, SourcedTime, Statement, Unchanged
from asof.data.document import LONGEST_ID
from asof.errors import BadTime, SourceError
from asof.imports import said_dates
from asof.imports.bookmarks_file import Bookmark, bookmarks, is_export
from asof.imports.page_addresses import SavedPages
from asof.imports.saved_pages import page_document, read_page
from asof.imports.target import naming_of, whole, with_pages
from asof.sources.decode import NotText, decoded
from asof.sources.readers import Unreadable
from asof.sources.scheme import SourceContext, SourceScheme
from asof.sources.source import InputLimits, SourceNaming, printable, token

PREFIX = "bookmarks:"
COUNT = 8
"""The bytes of a checkpoint that say how many documents an export states."""

_NO_PAGE = re.compile(r"(?:javascript|data|place|about|chrome|edge|blob):", re.IGNORECASE)


class Bookmarks:
    """The documents of bookmarks, one for each address; one that the export holds no more has ended."""

    kind = "bookmarks"
    complete = True

    def __init__(
        self, naming: SourceNaming, pages: Path | None, limits: InputLimits = InputLimits()  # noqa: B008
    ) -> None:  # fmt: skip
        self.name = PREFIX + naming.name
        self.naming = naming
        self.pages = pages
        self.limits = limits
        self._before = b""

    def resume(self, checkpoints: Mapping[str, bytes]) -> None:
        self._before = checkpoints.get("", b"")

    def documents(self) -> Iterator[Statement]:
        """The bookmarks in the order of the export. Without saved pages nothing new while it holds the same
        bytes. Raises SourceError for a file that is no export."""
        raw = whole(self.naming, self.limits.file)
        state = token(self.name, repr(self.limits), raw)
        if self.pages is None and self._before[:-COUNT] == state:
            yield Unchanged(count=int.from_bytes(self._before[-COUNT:]))
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
            yield Checkpoint("", state + len(found).to_bytes(COUNT))

    def _found(self, raw: bytes) -> tuple[list[Bookmark], int]:
        """A bookmark for each address, with the folders and tags of all that have it, and how many others
        there are. Raises SourceError."""
        try:
            text = decoded(raw).text
        except NotText as wrong:
            raise SourceError(f"{self.naming.shown} {wrong}; export the bookmarks again") from wrong
        if not is_export(text):
            raise SourceError(
                f"{self.naming.shown} is no export of bookmarks; the browser's list of bookmarks exports"
                " them to HTML"
            )
        found: dict[str, Bookmark] = {}
        passed = 0
        for each in bookmarks(text):
            if not each.address or _NO_PAGE.match(each.address):
                passed += 1
            elif (first := found.get(each.address)) is None:
                found[each.address] = each
            else:
                tags = (*first.tags, *each.folders, *each.tags)
                found[each.address] = replace(first, tags=tags, about=first.about or each.about)
        return list(found.values()), passed

    def _stated(self, mark: Bookmark, saved: SavedPages | None) -> Iterator[Document | Problem]:
        name = PREFIX + mark.address
        if len(name) > LONGEST_ID:
            yield self._problem(f"an address has {len(name):,} characters: {name[:60]}...")
            return
        published = self._date(mark.added)
        changed = self._date(mark.changed)
        for date in (published, changed):
            if isinstance(date, Problem):
                yield replace(date, message=f"{mark.address[:200]}: {date.message}")
        added = None if isinstance(published, Problem) else published
        later = None if isinstance(changed, Problem) else changed
        meta: dict[str, object] = {"folder": "/".join(mark.folders)} if mark.folders else {}
        tags = (*mark.folders, *mark.tags)
        page = saved.of(mark.address) if saved else None
        if page is not None:
            when = _later(added, page.saved)
            try:
                yield from page_document(
                    name, read_page(page.path, self.limits), page.path, self.limits, title=mark.title,
                    published=when, uri=mark.address, tags=tags, meta=meta,
                )  # fmt: skip
            except Unreadable as wrong:
                yield Problem(str(wrong), printable(str(page.path)), 0, wrong.remedy, name, wrong.lost)
            return
        text = mark.about or mark.title or mark.address
        yield Document(name, text, mark.title, added, later, tags=tags, meta=meta, uri=mark.address)

    def _date(self, words: str) -> SourcedTime | Problem | None:
        try:
            return said_dates.of_seconds(words)
        except BadTime as wrong:
            return self._problem(f"its date cannot be read: {wrong}", lost=False)

    def _problem(self, message: str, *, lost: bool = True) -> Problem:
        return Problem(message, self.naming.shown, lost=lost)


def _later(added: SourcedTime | None, saved: SourcedTime | None) -> SourcedTime | None:
    """When the text of a saved page is known to have been there: a page that was saved after its address was
    kept may have been written in between."""
    if added is None or saved is None:
        return added or saved
    return saved if saved.span.last > added.span.last else added


@checked
def open_bookmarks(target: str, context: SourceContext, *, pages: str | Path | None = None) -> Bookmarks:
    """The source that `bookmarks:PATH` or `bookmarks:PATH?pages=FOLDER` names. `pages`: the folder of saved
    pages (default: none, the bookmarks alone). Raises SourceError for a path that is not there."""
    path, folder = with_pages(target, pages)
    return Bookmarks(naming_of(path, context), folder)


SCHEME = SourceScheme(open_bookmarks)
