"""Bookmarks as browsers export them (`bookmarks:PATH`): addresses with titles, dates and the names of their
folders."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from asof.arguments import checked
from asof.documents import LONGEST_ID, Document, Problem, SourcedTime, SourceEvent, storable
from asof.errors import BadTime, SourceError
from asof.extensions.documents.feeds import FileSource, date_in, naming_of, whole
from asof.sources.dates import second
from asof.sources.html_walk import pieces
from asof.sources.readers import NotText, decoded
from asof.sources.source import SourceContext, SourceScheme
from asof.wire import replace

PREFIX = "bookmarks:"
MAX_DEPTH = 100
"""Folders in folders; deeper ones are those of the last of these."""

_MARK = re.compile(r"<!doctype\s+netscape-bookmark-file|<dt>\s*<a\s", re.IGNORECASE)
_NO_PAGE = re.compile(r"(?:javascript|data|place|about|chrome|edge|blob):", re.IGNORECASE)


@dataclass(slots=True)
class Bookmark:
    """A bookmark as it is written; dates are texts. `tags`: its folders, from the top, and its own."""

    address: str
    tags: tuple[str, ...]
    added: str
    changed: str
    title: str = ""


def of_seconds(words: str) -> SourcedTime | None:
    """The second of a Unix time; None for blanks and 0, which mean no date. Raises BadTime."""
    words = words.strip()
    if not words.strip("0"):
        return None
    if not (words.isascii() and words.isdigit() and len(words) <= 20):
        raise BadTime(f"{words!r:.40} is not a number of seconds since 1970")
    return second(int(words), "metadata")


def bookmarks(text: str) -> Iterator[Bookmark]:
    """The bookmarks of an export (Netscape's HTML), in its order; a heading names the list behind it."""
    folders: list[str] = []
    heading = place = ""
    of_browser, depth = False, 0
    words: list[str] = []
    current: Bookmark | None = None
    for piece in pieces(text):
        get = piece.attributes.get
        if piece.kind == "text":
            words.append(piece.text)
            continue
        if piece.kind == "end" and piece.name == place:
            said = storable(" ".join("".join(words).split()))
            if current is not None:
                yield replace(current, title=said)
                current = None
            else:
                heading = "" if of_browser else said  # the browser's bar is no folder that somebody made
            place = ""
        elif piece.kind == "start" and piece.name in ("a", "h3"):
            place, words = piece.name, []
            if current is not None:  # one that was never closed
                yield current
                current = None
            if piece.name == "a":
                own = (storable(" ".join(each.split())) for each in get("tags", "").split(","))
                tags = tuple(dict.fromkeys(each for each in (*folders, *own) if each))
                current = Bookmark(
                    storable(get("href", "").strip()), tags, get("add_date", ""), get("last_modified", "")
                )
            else:
                of_browser = bool(get("personal_toolbar_folder") or get("unfiled_bookmarks_folder"))
        elif piece.name == "dl" and piece.kind == "start":
            folders += [heading] if depth < MAX_DEPTH else []
            heading, depth = "", depth + 1
        elif piece.name == "dl" and depth:
            depth -= 1
            del folders[depth:]
    if current is not None:
        yield current


class Bookmarks(FileSource):
    """The documents of bookmarks, one for each address; one that the export holds no more has ended."""

    kind = "bookmarks"

    def documents(self) -> Iterator[SourceEvent]:
        """The bookmarks in the order of the export. Raises SourceError for a file that is no export."""
        found, passed = self._found(whole(self.naming, self.limits.file))
        for each in found:
            yield from self._stated(each)
        if passed:
            are = "is" if passed == 1 else "are"
            yield self._problem(
                f"{passed} of the bookmarks {are} of no page (javascript:, data:, about:, or no address)",
                lost=False,
            )

    def _found(self, raw: bytes) -> tuple[list[Bookmark], int]:
        """A bookmark for each address, with the tags of all that have it, and how many others there are.
        Raises SourceError."""
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
        for each in bookmarks(text):
            if not each.address or _NO_PAGE.match(each.address):
                passed += 1
            elif (first := found.get(each.address)) is None:
                found[each.address] = each
            else:
                found[each.address] = replace(first, tags=tuple(dict.fromkeys((*first.tags, *each.tags))))
        return list(found.values()), passed

    def _stated(self, mark: Bookmark) -> Iterator[Document | Problem]:
        name = PREFIX + mark.address
        if len(name) > LONGEST_ID:
            yield self._problem(f"an address has {len(name):,} characters: {name[:60]}...")
            return
        notes: list[Problem] = []
        about = self._problem(f"{mark.address[:200]}: its date")
        added, later = (date_in(of_seconds, each, notes, about) for each in (mark.added, mark.changed))
        yield from notes
        text = mark.title or mark.address
        yield Document(name, text, mark.title, added, later, tags=mark.tags, uri=mark.address)

    def _problem(self, message: str, *, lost: bool = True) -> Problem:
        return Problem(message, self.naming.shown, lost=lost)


@checked
def open_bookmarks(target: str, context: SourceContext) -> Bookmarks:
    """The source that `bookmarks:PATH` names. Raises SourceError for a path that is not there."""
    return Bookmarks(naming_of(target, context))


BOOKMARKS = SourceScheme(open_bookmarks)
