"""Dates at which files say that they were made: which are believed."""

from __future__ import annotations

import pytest

from asof.sources.dates import DAY, SHARED, MadeTogether, second_made, without_later
from asof.sources.readers import ParsedFile
from asof.time.moment import read
from asof.values import SourcedTime

MARCH = "2015-03-02T10:00:00Z"


def page(made: str | None, text: str = "text") -> ParsedFile:
    return ParsedFile(text, "title", created=SourcedTime(read(made), made, "metadata") if made else None)


@pytest.mark.parametrize(
    ("made", "changed", "believed"),
    [(MARCH, "2015-03-02", True), (MARCH, "2016", True), (MARCH, "2015-02-28", False), (None, "2000", True)],
)
def test_a_file_is_not_made_after_its_last_change(made: str | None, changed: str, believed: bool) -> None:
    """A day is left for clocks of other zones."""
    given = page(made)
    found = without_later(given, read(changed).first)
    assert (found == given) == believed
    assert believed or "last changed before" in found.notes[0].message


def believed(count: int, others: int = 0) -> list[bool]:
    """Of so many pages of one second, and others that stand as they were."""
    made: MadeTogether[int] = MadeTogether()
    made.others[7] = others
    for number in range(count):
        made.wait(7, number)
    made.wait(8, count)
    found = {number: why for _, number, why in made.all()}
    assert found[count] == ""
    assert list(made.all()) == []
    return [not found[number] for number in range(count)]


def test_a_second_that_several_files_share_dates_none_of_them() -> None:
    assert believed(SHARED - 1) == [True] * (SHARED - 1)
    assert believed(SHARED) == [False] * SHARED
    assert believed(1, SHARED - 1) == [False]


LATER = read("2020").first


@pytest.mark.parametrize(
    ("made", "changed", "waits"),
    [
        (MARCH, LATER, True), (MARCH, read(MARCH).first + DAY // 2, False), ("2015-03-02", LATER, False),
        (None, LATER, False),
    ],
)  # fmt: skip
def test_what_was_saved_then_or_has_a_day_alone_does_not_wait(
    made: str | None, changed: int, waits: bool
) -> None:
    given = page(made)
    assert (second_made(given, given.created, changed) is not None) == waits


def test_what_dates_otherwise_does_not_wait() -> None:
    assert second_made(page(MARCH), page("2015").created, LATER) is None
