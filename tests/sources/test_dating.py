"""Dates in the names and in the first lines of files, and when they say that they were made."""

from __future__ import annotations

import pytest

from asof.documents import SourcedTime
from asof.sources import dates
from asof.sources.dates import without_later
from asof.sources.readers import ParsedFile
from asof.time.moment import read


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
        ("x\n" * 9 + "2024-03-05", "2024-03-05"),
        ("Quay 3\n\nLondon, 4 March 2020\n\nDear Ms Quill,", "4 March 2020"),
        ("Our ref: AB/12 Date: 4 March 2020", "4 March 2020"),
        ("(as amended April 2014)", "April 2014"),
        ("As revised in March 2018", "March 2018"),
        ("Version of 3 May 2021", "3 May 2021"),
        ("Version 2.3, 3 May 2021", "3 May 2021"),
        ("Revision 4 – 21 November 2019", "21 November 2019"),
        ("Issue 7: May 2018", "May 2018"),
        ("*Last reviewed on 12 June 2020.*", "12 June 2020"),
        ("Approved by the Board on 14 May 2015", "14 May 2015"),
        ("Approved 6 March 2017 by Dr A. Brandt.", "6 March 2017"),
        ("Version 2. Approved 6 March 2017 by Dr A. Brandt.", "6 March 2017"),
        ("Version 2. Approved 20 August 2019. In force from 1 September 2019.", "20 August 2019"),
        ("Version 1, 8 June 2021. Next review due: June 2023.", "8 June 2021"),
        ("Signed on 21 June 2021", "21 June 2021"),
        ("Edition of May 2025", "May 2025"),
        ("Edition of March 2021. This edition replaces the edition of June 2018.", "March 2021"),
        ("Minutes\n\nHeld on 16 May 2023", "16 May 2023"),
        ("Contract date: 5 May 2023", "5 May 2023"),
        ("(as amended at the Club's AGM on 24th April 2014)", "24th April 2014"),
        ("Kiln thermometer\n\nDate of calibration: 12 April 2024", "12 April 2024"),
        ("Ms M. Quill\t\t\t26 September 2017", "26 September 2017"),
        ("in der Fassung vom 12.03.2019", "12.03.2019"),
        ("Version du 3 mai 2021", "3 mai 2021"),
        ("Borrador del 3 de mayo de 2021", "3 de mayo de 2021"),
        ("Approvato il 3 maggio 2021", "3 maggio 2021"),
        ("Vastgesteld door het bestuur op 3 mei 2021", "3 mei 2021"),
        ("Versão de 3 de maio de 2021", "3 de maio de 2021"),
    ],
)
def test_a_date_in_the_first_lines(text, date):
    assert dates.of_content(text, dates.UNKNOWN, []) == SourcedTime(read(date), date, "content")


@pytest.mark.parametrize(
    ("line", "date"),
    [
        ("Adopted 3 May 2012, as amended April 2014", "April 2014"),
        ("(Adopted on 3 May 2012 and amended 4 April 2014)", "4 April 2014"),
        ("First issued May 2010; last reviewed 12 March 2021.", "12 March 2021"),
        ("Issued 1 March 2019 (updated 5 June 2020)", "5 June 2020"),
        ("Version 2, adopted 3 May 2012", "3 May 2012"),
        ("Adopted 3 May 2012, next review April 2014", "3 May 2012"),  # that is to come
        ("Beschlossen am 3. Mai 2012, zuletzt geändert im April 2014", "April 2014"),
        ("Adopted 3 May 2012, the plan was dropped in 2014", None),  # a sentence
        ("Housing Act 1996, as amended 3 April 2014", None),
        ("The society was formed 3 May 2012, and changed its name in April 2014", None),
    ],
)
def test_the_last_date_of_a_line_with_several_of_the_text_itself(line, date):
    found = dates.of_content(f"Constitution\n{line}\n\nText.", dates.UNKNOWN, [], "Constitution")
    assert (found and found.text) == date


@pytest.mark.parametrize(
    "text",
    ["", "1984", "On 2024-03-05 we met", "Date: soon", "yesterday", "Date: 3 days ago", "03/04/2024",
     "x" * 1000 + "\n1 2", "x\n" * 10 + "2024-03-05",
     # when it is in force, a sentence, a birth, a law, a meeting; a number that is no year of the text
     "Effective 1 July 2023", "Valid from 2 March 2020", "The rules were amended on 3 May 2021.",
     "Ms M. Quill\t2017", "From\t3 May 2017\tto\t4 May 2017",
     "Born 3 May 1961", "Date of birth: 3 May 1961", "Libraries Act 1964 (as amended April 2014)",
     "It explains the Housing Act 1996, as amended 3 April 2014.", "Version 2014", "- Date: 20 May 2024",
     "Prepared for the meeting of 5 June 2020", "Meeting of the board on 5 June 2020",
     "In version 4 of May 2018 the map changed."],
)  # fmt: skip
def test_no_date_in_the_first_lines(text):
    assert dates.of_content(text, dates.UNKNOWN, []) is None


@pytest.mark.parametrize(
    ("line", "title", "date"),
    [
        ("Constitution (as amended on 9 October 2016)", "Constitution", "9 October 2016"),
        (
            "Lending policy, as amended 3 April 2014",
            "Lending policy, as amended 3 April 2014",
            "3 April 2014",
        ),
        ("Fees – version of 3 May 2021", "Fees", "3 May 2021"),
        ("Statutes, version 2 (2021-05-15)", "Statutes, version 2 (2021-05-15)", "2021-05-15"),
        ("Statutes (2021-05-15)", "Statutes (2021-05-15)", None),
        ("Housing Act 1996, as amended 3 April 2014", "Guide to housing", None),
        ("Minutes of the meeting, 3 May 2021", "Minutes of the meeting", None),
    ],
)
def test_a_date_behind_the_title(line, title, date):
    found = dates.of_content(f"{line}\n\nText.", dates.UNKNOWN, [], title)
    assert (found and found.text) == date


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
