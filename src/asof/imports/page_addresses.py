"""Which address each saved page of a folder is of, as the page says itself, and when it was saved."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from asof.data import Problem, SourcedTime
from asof.imports.said_dates import of_browser
from asof.sources.dates import of_file
from asof.sources.decode import NotText, decoded
from asof.sources.markup import pieces
from asof.sources.source import SourceNaming, printable
from asof.sources.walk import walk

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
            return address[1], of_browser(when[1]) if when else None
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
