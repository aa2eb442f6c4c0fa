"""Dates at which files say that they were made: which are believed."""

from __future__ import annotations

import pytest

from asof.data import SourcedTime
from asof.sources.made import DAY, SHARED, MadeTogether, without_later
from asof.sources.readers import ParsedFile
from asof.time.moment import read

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


def kept(*pages: tuple[ParsedFile, int]) -> list[tuple[ParsedFile, int]]:
    """What waits of pages (with when their files were changed), numbered, and then comes."""
    made: MadeTogether[int] = MadeTogether()
    for number, (each, changed) in enumerate(pages):
        made.hold(each, each.created, changed, number)
    return list(made.all())


def test_a_second_that_several_files_share_dates_none_of_them() -> None:
    later = read("2020").first
    many = [(page(MARCH, f"text {n}"), later) for n in range(SHARED)]
    other = (page("2015-03-02T10:00:01Z"), later)
    found = {number: each for each, number in kept(*many, other)}
    assert [found[n].created for n in range(SHARED)] == [None] * SHARED
    assert found[SHARED].created is not None
    assert "5 files say that they were made in that second" in found[0].notes[0].message
    assert all(each.created is not None for each, _ in kept(*many[1:]))  # one fewer: they are believed


def test_what_was_saved_then_or_has_a_day_alone_does_not_wait() -> None:
    assert kept((page(MARCH), read(MARCH).first + DAY // 2)) == []
    assert kept((page("2015-03-02"), read("2020").first)) == []
    assert kept((page(None), read("2020").first)) == []


def test_what_dates_otherwise_does_not_wait() -> None:
    made: MadeTogether[int] = MadeTogether()
    assert not made.hold(page(MARCH), page("2015").created, read("2020").first, 0)
