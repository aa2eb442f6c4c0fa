"""The dates at which files say that they were made: which of them are believed.

A template, or the program that wrote all files of a folder in one go, leaves its own date in each. So a date
that several files of a folder share to the second counts for none of them, unless they were saved then; nor
does a date later than the file itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Generic, TypeVar

from asof.data import Problem, SourcedTime
from asof.sources.readers import ParsedFile

DAY = 24 * 3600 * 1_000_000  # microseconds
SHARED = 5
"""So many files that were made in one second were not made then."""

Waiting = TypeVar("Waiting")


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


def second_made(page: ParsedFile, published: SourcedTime | None, mtime: int) -> int | None:
    """The instant at which a page was made, if that is its date (`published`), to the second, and long before
    its file was changed: then it is to be seen whether others share it."""
    made = page.created
    if made is None or published is not made or abs(made.span.first - mtime) < DAY:
        return None
    return made.span.first if made.span.last - made.span.first < DAY - 1 else None


@dataclass(slots=True)
class MadeTogether(Generic[Waiting]):
    """What waits for the end of a folder, by the second in which it was made; `others`: how many files of a
    second stand as they were."""

    waiting: dict[int, list[Waiting]] = field(default_factory=dict)
    others: Counter[int] = field(default_factory=Counter)

    def wait(self, second: int, what: Waiting) -> None:
        self.waiting.setdefault(second, []).append(what)

    def all(self) -> Iterator[tuple[int, Waiting, str]]:
        """All that waited, in the order in which it came of each second, with why its date is not believed
        ("": it is)."""
        for second, group in self.waiting.items():
            count = len(group) + self.others[second]
            why = f"{count} files say that they were made in that second" if count >= SHARED else ""
            yield from ((second, each, why) for each in group)
        self.waiting.clear()
        self.others.clear()
