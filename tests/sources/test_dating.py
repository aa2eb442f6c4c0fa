"""Dates in the names and in the first lines of files."""

from __future__ import annotations

import pytest

from asof.sources import dates


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
        ("202403051430 zettel", "20240305T1430"),
        ("20240305143059", "20240305T143059"),
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
    found = dates.of_name(stem)
    assert found is not None
    assert (found.text, found.by) == (text, "filename")


@pytest.mark.parametrize(
    "stem",
    ["", "title", "2024-13-45 x", "the 2024-03-05 meeting", "2024 review", "20249999 x", "x20240305",
     "1234-5678", "2024-03-055", "12024-03-05", "2024-0305", "RFC 2119", "v2024-03-05b", "20240305abc"],
)  # fmt: skip
def test_no_date_in_a_name(stem):
    assert dates.of_name(stem) is None


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
    found = dates.of_content(text)
    assert found is not None
    assert (found.text, found.by) == (date, "content")


@pytest.mark.parametrize(
    "text",
    ["", "1984", "On 2024-03-05 we met", "Date: soon", "yesterday", "Date: 3 days ago", "03/04/2024",
     "x" * 1000 + "\n1 2", "\n" * 10 + "2024-03-05"],
)  # fmt: skip
def test_no_date_in_the_first_lines(text):
    assert dates.of_content(text) is None
