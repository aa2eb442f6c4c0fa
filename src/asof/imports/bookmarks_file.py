"""The bookmarks of a browser's export (HTML of the form that Netscape began): address, folders, dates."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from asof.data.storable import storable
from asof.sources.markup import MarkupToken, pieces

MAX_DEPTH = 100
"""Folders in folders; deeper ones count as the last of these."""

_MARK = re.compile(r"<!doctype\s+netscape-bookmark-file|<dt>\s*<a\s", re.IGNORECASE)


@dataclass(slots=True)
class Bookmark:
    """A bookmark as it is written; dates are texts. `about`: what the user said of it."""

    address: str
    folders: tuple[str, ...]
    tags: tuple[str, ...]
    added: str
    changed: str
    title: str = ""
    about: str = ""


def is_export(text: str) -> bool:
    """Whether a text looks like an export of bookmarks."""
    return _MARK.search(text) is not None


def bookmarks(text: str) -> Iterator[Bookmark]:
    """The bookmarks in their order, each under the folders in which it lies."""
    return _Reading().all(text)


class _Reading:
    """`open`: a name for each list that is open; the list of all is "", for it has no heading,
    and so are the folders that every browser has (its bar)."""

    def __init__(self) -> None:
        self.open: list[str] = []
        self.beyond = 0
        self.heading = ""
        self.of_browser = False
        self.current: Bookmark | None = None
        self.words: list[str] = []
        self.place = ""

    def all(self, text: str) -> Iterator[Bookmark]:
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
            self._end(piece) if ended else self._start(piece)
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

    def _end(self, piece: MarkupToken) -> None:
        if piece.name == "dl":
            if self.beyond:
                self.beyond -= 1
            elif self.open:
                self.open.pop()

    def _end_words(self) -> None:
        """What was said since the last tag that counts, for the element in which it stands."""
        words = storable(" ".join("".join(self.words).split()))
        self.words.clear()
        if self.place == "h3":
            self.heading = "" if self.of_browser else words
        elif self.place == "a" and self.current is not None:
            self.current.title = words
        elif self.place == "dd" and self.current is not None:
            self.current.about = words
        self.place = ""
