"""Dates in the names and in the first lines of files, and when they say that they were made."""

from __future__ import annotations

import pytest

from asof.sources import dates
from asof.sources.dates import without_later
from asof.sources.readers import ParsedFile
from asof.time.moment import read
from asof.values import SourcedTime


@pytest.mark.parametrize(
    ("stem", "text"),
    [
        ("2024-03-05 Title", "2024-03-05"),
        ("2024-03-05-title", "2024-03-05"),
        ("2024-03-05", "2024-03-05"),
        ("2024_03_05_title", "2024-03-05"),
        ("2024-03-05T10-30 call", "2024-03-05"),
        ("20240305", "20240305"),
        ("20240305 title", "20240305"),
        ("202403051430 zettel", "202403051430"),
        ("20240305143059", "20240305143059"),
        ("2024-03", "2024-03"),
        ("2024-Q1 report", "2024-Q1"),
        ("2024-W09", "2024-W09"),
        ("2024", "2024"),
        ("March 2024", "March 2024"),
        ("Meeting 2024-03-05", "2024-03-05"),
        ("report_2024-Q1", "2024-Q1"),
        ("notes (2024-03-05)", "2024-03-05"),
        ("notes-20240305", "20240305"),
    ],
)
def test_a_date_in_a_name(stem, text):
    assert dates.of_name(stem, dates.UNKNOWN, []) == dates.stated(text, "filename")


@pytest.mark.parametrize(
    "stem",
    ["", "title", "2024-13-45 x", "2024 review", "20249999 x", "x20240305",
     "1234-5678", "2024-03-055", "12024-03-05", "2024-0305", "RFC 2119", "v2024-03-05b", "20240305abc"],
)  # fmt: skip
def test_no_date_in_a_name(stem):
    assert dates.of_name(stem, dates.UNKNOWN, []) is None


@pytest.mark.parametrize(
    ("stem", "committed", "created", "published"),
    [
        ("2024-03-05 agenda", "2024-03-06T09:00Z", None, "2024-03-05"),
        ("2024-03-05 agenda", "2024-02-27T09:00Z", None, "2024-02-27T09:00Z"),  # it was to come
        ("agenda March 2024", None, "2024-03-02T09:00Z", "2024-03-02T09:00Z"),  # of that month
        ("agenda March 2024", None, "2024-01-02T09:00Z", "March 2024"),
        ("agenda March 2024", "2024-05-02T09:00Z", "2024-03-02T09:00Z", "2024-03-02T09:00Z"),
        ("agenda", "2024-05-02T09:00Z", "2024-03-02T09:00Z", "2024-05-02T09:00Z"),
    ],
)
def test_a_name_beside_a_commit_and_the_making_of_a_file(stem, committed, created, published):
    commit, made = (dates.stated(each, "git") for each in (committed, created))
    found = ParsedFile("A crane.", "", created=made)
    known = dates.FileDates(f"a/{stem}.md", "a", commit, None, b"")
    date = known.published(found, dates.dates_in(found), dates.UNKNOWN, [])
    assert date is not None
    assert date.text == published


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("Title\n2024-03-05\n", "2024-03-05"),
        ("Date: 5 March 2024", "5 March 2024"),
        ("**Published:** March 2024", "March 2024"),
        ("x\n\nDatum: 2024-03-05\r", "2024-03-05"),
        (":date: 2024", "2024"),
        ("*5 March 2024*", "5 March 2024"),
        ("\n" * 9 + "2024-03-05", "2024-03-05"),
    ],
)
def test_a_date_in_the_first_lines(text, date):
    assert dates.of_content(text, dates.UNKNOWN, []) == SourcedTime(read(date), date, "content")


@pytest.mark.parametrize(
    "text",
    ["", "1984", "On 2024-03-05 we met", "Date: soon", "yesterday", "Date: 3 days ago", "03/04/2024",
     "x" * 1000 + "\n1 2", "\n" * 10 + "2024-03-05"],
)  # fmt: skip
def test_no_date_in_the_first_lines(text):
    assert dates.of_content(text, dates.UNKNOWN, []) is None


# -- when a file says that it was made ---------------------------------------------------------------

MARCH = "2015-03-02T10:00:00Z"


def page(made: str | None) -> ParsedFile:
    return ParsedFile("text", "title", created=SourcedTime(read(made), made, "metadata") if made else None)


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
