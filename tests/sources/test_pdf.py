"""PDFs: pages as places, what print puts between words, and files that give no text."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.small_pdf import small_pdf

from asof.sources.page import Unreadable
from asof.sources.pdf import PdfLimits, pages, paper
from asof.sources.pdflines import flowing, lines_of, without_heads

LONG = "The ferry of Orrin crosses the lake at noon, with bread and letters aboard."


def test_each_page_is_under_its_heading():
    text, outline, notes = paper(small_pdf([[LONG, "First."], [], [LONG, "Third."]]))
    assert [(each.title, text[each.offset :].partition("\n")[0]) for each in outline] == [
        ("Page 1", "Page 1"), ("Page 3", "Page 3"),
    ]  # fmt: skip
    assert text == f"Page 1\n\n{LONG} First.\n\nPage 3\n\n{LONG} Third."
    assert notes == []


def test_words_that_were_parted_are_whole():
    text, _, _ = paper(
        small_pdf(
            [[LONG, "A well-known sundial, one of many well-", "known ones, is an exam-", "ple of it."]]
        )
    )
    assert text.endswith("A well-known sundial, one of many well-known ones, is an example of it.")


@pytest.mark.parametrize(
    ("lines", "words", "text"),
    [
        (["a time-", "table"], {}, "a timetable"),
        (["a time-", "table"], {"time-table": 1}, "a time-table"),
        (["a time-", "table"], {"time-table": 1, "timetable": 1}, "a timetable"),
        (["the A-", "Team"], {}, "the A- Team"),  # a capital begins no half of a word
        (["pages 3-", "4 say"], {}, "pages 3- 4 say"),
        (
            ["x" * 40, "It ends.", "New begins here, " + "y" * 30],
            {},
            f"{'x' * 40} It ends.\n\nNew begins here, {'y' * 30}",
        ),
        ([], {}, ""),
    ],
)
def test_lines_flow(lines: list[str], words: dict[str, int], text: str):
    assert flowing(lines, Counter(words)) == text


def test_ligatures_and_signs_that_print_nothing():
    page = "the \ufb01rst  \ufb02ow\r\n\r\nof\u00a0e\ufb03cient fer\u00adries exam\ufffeple\x07"
    assert lines_of(page) == ["the first flow", "of efficient ferries exam-", "ple"]


def test_the_stamp_of_arxiv_is_no_line():
    assert lines_of("arXiv:2401.13222v2 [cs.CL] 3 Feb 2024\nWords") == ["Words"]


def test_running_heads_and_numbers_are_dropped_where_they_repeat():
    letters = "abcd"
    sheets = [
        ["Mole and Quay", f"Body {each}", "all", f"ends {each}", f"{n}"] for n, each in enumerate(letters)
    ]
    title = ["A title page", "by Ida Mole"]
    assert without_heads([title, *sheets]) == [
        title,
        *([f"Body {each}", "all", f"ends {each}"] for each in letters),
    ]


def test_what_repeats_within_pages_stays():
    sheets = [
        [f"{each} one", "two" * n, "again", "again", f"four {each}", "x" * n] for n, each in enumerate("abcd")
    ]
    assert without_heads(sheets) == sheets


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (b"", "no PDF, or a damaged one"),
        (b"%PDF-1.4 nothing", "no PDF, or a damaged one"),
        (small_pdf([[LONG]], encrypted=True), "encrypted"),
        (small_pdf([[], []]), "no text in the PDF, as in a scanned one"),
        (small_pdf([[LONG]] * 4), "has 4 pages; the limit is 3"),
        (small_pdf([[LONG] * 9]), "more than 300 characters"),
        (small_pdf([["x"]]) + b" " * 9_000, "bytes; the limit is 9000"),
    ],
)
def test_what_gives_no_text(raw: bytes, said: str):
    with pytest.raises(Unreadable, match=said):
        pages(raw, PdfLimits(file=9_000, pages=3, characters=300))


@settings(max_examples=40)  # each starts a process
@given(st.integers(0, 900), st.binary(max_size=30))
def test_any_bytes_are_pages_or_unreadable(at: int, noise: bytes):
    raw = small_pdf([[LONG, "First."], ["Second page."]])
    with suppress(Unreadable):
        pages(raw[:at] + noise + raw[at + len(noise) :], PdfLimits())
