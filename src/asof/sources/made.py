"""The dates at which files say that they were made: which of them are believed.

A template, or the program that wrote all files of a folder in one go, leaves its own date in each. So a date
that several files of a folder share to the second counts for none of them, unless they were saved then; nor
does a date later than the file itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Generic, TypeVar

from asof.data import Problem, SourcedTime
from asof.sources.readers import ParsedFile

DAY = 24 * 3600 * 1_000_000  # microseconds
SHARED = 5
"""So many files that were made in one second were not made then."""

MOST_HELD = 50_000_000
"""Characters of texts that wait for the end of a folder; beyond these the rest is judged by itself."""

Held = TypeVar("Held")


def without_later(page: ParsedFile, mtime: int) -> ParsedFile:
    """The page without a date that is later than its file (`mtime`: instant of its last change)."""
    if page.created is None or page.created.span.first <= mtime + DAY:
        return page
    return disbelieved(page, "the file was last changed before")


def disbelieved(page: ParsedFile, why: str) -> ParsedFile:
    """The page without the date at which it says that it was made, and a note why."""
    date = page.created.text[:10] if page.created else ""
    note = Problem(f"its date {date} is not believed: {why}", lost=False)
    return replace(page, created=None, notes=(*page.notes, note))


@dataclass(slots=True)
class MadeTogether(Generic[Held]):
    """Pages whose date waits for those of the others: `held`, by the second in which they were made."""

    held: dict[int, list[tuple[ParsedFile, Held]]] = field(default_factory=dict)
    characters: int = 0

    def hold(self, page: ParsedFile, published: SourcedTime | None, mtime: int, what: Held) -> bool:
        """Keep a page whose date (`published`) is that at which it was made, long before its file was
        changed; whether it was kept."""
        made = page.created
        if made is None or published is not made or abs(made.span.first - mtime) < DAY:
            return False
        if made.span.last - made.span.first >= DAY - 1 or self.characters > MOST_HELD:
            return False
        self.held.setdefault(made.span.first, []).append((page, what))
        self.characters += len(page.text)
        return True

    def all(self) -> Iterator[tuple[ParsedFile, Held]]:
        """All that was kept, in the order in which it came of each second; shared dates are left out."""
        for pages in self.held.values():
            why = f"{len(pages)} files say that they were made in that second"
            for page, what in pages:
                yield (disbelieved(page, why) if len(pages) >= SHARED else page), what
        self.held.clear()
        self.characters = 0
