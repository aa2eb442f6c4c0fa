"""`sitemap:PATH`: the addresses of a sitemap, each with the text of its saved page and the date `lastmod`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from asof.arguments import checked
from asof.data import Checkpoint, Document, Problem, SourcedTime, Statement, Unchanged
from asof.data.document import LONGEST_ID
from asof.data.storable import storable
from asof.errors import BadTime, SourceError
from asof.imports import said_dates
from asof.imports.saved_pages import file_of, page_document, read_page
from asof.imports.target import naming_of, tree_of, whole, with_pages
from asof.sources.bounded_xml import XmlTree, local
from asof.sources.readers import Unreadable
from asof.sources.scheme import SourceContext, SourceScheme
from asof.sources.source import InputLimits, SourceNaming, printable, token

PREFIX = "sitemap:"


class ListedPage(NamedTuple):
    """An address of a sitemap, when its page was changed, as written, and the line of both."""

    address: str
    changed: str
    line: int


class Sitemap:
    """The documents of the pages that a sitemap lists and a folder has; what it lists no more has ended."""

    kind = "sitemap"
    complete = True

    def __init__(
        self, naming: SourceNaming, pages: Path, limits: InputLimits = InputLimits()  # noqa: B008
    ) -> None:  # fmt: skip
        self.name = PREFIX + naming.name
        self.naming = naming
        self.pages = pages
        self.limits = limits
        self._checkpoints: Mapping[str, bytes] = {}

    def resume(self, checkpoints: Mapping[str, bytes]) -> None:
        self._checkpoints = checkpoints

    def documents(self) -> Iterator[Statement]:
        """The pages in the order of the sitemap. Raises SourceError."""
        shown = self.naming.shown
        tree = tree_of(whole(self.naming, self.limits.file), shown)
        without: list[ListedPage] = []
        seen: set[str] = set()
        for listed in _pages(tree, shown):
            if listed.address in seen:
                continue
            seen.add(listed.address)
            if not listed.address or len(listed.address) > LONGEST_ID - len(PREFIX):
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

    def _page(self, listed: ListedPage, path: Path) -> Iterator[Statement]:
        name = PREFIX + listed.address
        try:
            raw = read_page(path, self.limits)
            state = token(repr(self.limits), listed.address, listed.changed, path.name, raw)
            if self._checkpoints.get(name) == state:
                yield Unchanged(name)
                return
            notes: list[Problem] = []
            when = self._date(listed, notes)
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

    def _date(self, listed: ListedPage, notes: list[Problem]) -> SourcedTime | None:
        try:
            return said_dates.of_text(listed.changed)
        except BadTime as wrong:
            why = f"its lastmod cannot be read: {wrong}"
            notes.append(Problem(why, self.naming.shown, listed.line, lost=False))
            return None


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


SCHEME = SourceScheme(open_sitemap)
