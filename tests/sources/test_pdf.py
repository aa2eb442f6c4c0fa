"""PDFs: pages as places, what print puts between words, and files that give no text."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.small_pdf import small_pdf
from tests.support.sources import stated

import asof
from asof.extensions.documents import pdf
from asof.extensions.documents.parts import Part
from asof.extensions.documents.pdf import flowing, lines_of, pages, read, without_heads
from asof.extensions.documents.reading import FormatReader
from asof.sources.history import open_source
from asof.sources.readers import Unreadable
from asof.sources.source import InputLimits
from asof.time.span import iso
from asof.values import Document, Problem

LONG = "The ferry of Orrin crosses the lake at noon, with bread and letters aboard."


def test_each_page_is_under_its_heading():
    file = read(small_pdf([[LONG, "First."], [], [LONG, "Third."]]), "log", InputLimits())
    text, outline, notes = file.text, file.outline, file.notes
    assert [(each.title, text[each.offset :].partition("\n")[0]) for each in outline] == [
        ("Page 1", "Page 1"), ("Page 3", "Page 3"),
    ]  # fmt: skip
    assert text == f"Page 1\n\n{LONG} First.\n\nPage 3\n\n{LONG} Third."
    assert (file.title, notes) == ("log", ())


def test_words_that_were_parted_are_whole():
    lines = [LONG, "A well-known sundial, one of many well-", "known ones, is an exam-", "ple of it."]
    assert read(small_pdf([lines]), "log", InputLimits()).text.endswith(
        "A well-known sundial, one of many well-known ones, is an example of it."
    )


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
        (small_pdf([[], []]), "no text in the PDF$"),
        (small_pdf([200, []]), "no text in the PDF, as in a scanned one$"),
        (small_pdf([[LONG]] * 4), "has 4 pages; the limit is 3"),
        (small_pdf([[LONG] * 9]), "more than 300 characters"),
        (small_pdf([["x"]]) + b" " * 9_000, "bytes; the limit is 9000"),
    ],
)
def test_what_gives_no_text(raw: bytes, said: str):
    with pytest.raises(Unreadable, match=said):
        pages(raw, InputLimits(file=9_000, pages=3, characters=300))


@pytest.mark.parametrize(
    ("about", "title"),
    [
        ("/Title (The log of Orrin)", "The log of Orrin"),
        ("/Title (draft-3.doc)", "stem"),
        ("/Title (Microsoft Word - notes)", "stem"),
        ("/Title ( )", "stem"),
        (f"/Title ({'long ' * 30})", "stem"),
    ],
)
def test_the_title_that_somebody_wrote(about: str, title: str):
    assert read(small_pdf([[LONG]], about=about), "stem", InputLimits()).title == title


@pytest.mark.parametrize(
    ("said", "first", "last"),
    [
        # 9:30 an hour east of Greenwich is 8:30 there
        ("D:20240131093000+01'00'", "2024-01-31T08:30:00Z", "2024-01-31T08:30:00.999999Z"),
        ("D:20240131093000Z", "2024-01-31T09:30:00Z", "2024-01-31T09:30:00.999999Z"),
        ("D:20240131", "2024-01-31T00:00:00Z", "2024-01-31T23:59:59.999999Z"),
    ],
)
def test_the_date_that_it_was_made(said: str, first: str, last: str):
    created = read(small_pdf([[LONG]], about=f"/CreationDate ({said})"), "stem", InputLimits()).created
    assert created is not None
    assert (iso(created.span.first), iso(created.span.last), created.by) == (first, last, "metadata")


@pytest.mark.parametrize("said", ["yesterday", "D:20241341", "D:19700101000000Z", ""])
def test_a_date_that_is_none(said: str):
    assert read(small_pdf([[LONG]], about=f"/CreationDate ({said})"), "stem", InputLimits()).created is None


def test_a_folder_of_pdfs(tmp_path):
    made = "/Title (The log) /CreationDate (D:20240131093000Z)"
    (tmp_path / "log.pdf").write_bytes(small_pdf([[LONG], ["The lamp is lit at dusk."]], about=made))
    (tmp_path / "2021-05-06 log.pdf").write_bytes(small_pdf([[LONG]], about=made))
    (tmp_path / "torn.pdf").write_bytes(b"%PDF-1.4 nothing")
    by_name, log, torn = sorted(
        stated(open_source(tmp_path, root=tmp_path)), key=lambda each: isinstance(each, Problem)
    )
    assert isinstance(by_name, Document)
    assert isinstance(log, Document)
    assert isinstance(torn, Problem)
    assert (by_name.id, by_name.dated_by) == ("2021-05-06 log.pdf", "filename")
    assert (log.id, log.title, log.dated_by) == ("log.pdf", "The log", "metadata")
    assert [each.title for each in log.outline] == ["Page 1", "Page 2"]
    assert (torn.document, torn.lost) == ("torn.pdf", True)


def test_without_the_extra_a_pdf_is_a_problem_and_stays_current(memory_folder, monkeypatch):
    (memory_folder / "log.pdf").write_bytes(small_pdf([[LONG]]))
    (memory_folder / "note.md").write_text("The ferry is late.")
    with asof.open(memory_folder) as corpus:
        assert corpus.add(memory_folder).added == 2
        monkeypatch.setattr(pdf, "find_spec", lambda _: None)
        assert corpus.add(memory_folder).unchanged == 2, "what was read already is not read again"
        (memory_folder / "log.pdf").write_bytes(small_pdf([[LONG, "And more."]]))
        report = corpus.add(memory_folder)
        assert (report.unchanged, report.ended) == (1, 0)
        (problem,) = report.problems
        assert problem.message == "reading PDFs needs pypdfium2: pip install 'asof-search[documents]'"
        assert (problem.document, problem.lost) == ("log.pdf", False)
        assert corpus.search("lake at noon").hits[0].document == "log.pdf"


@pytest.mark.slow
@given(st.integers(0, 900), st.binary(max_size=30))
def test_any_bytes_are_pages_or_unreadable(at: int, noise: bytes):
    raw = small_pdf([[LONG, "First."], ["Second page."]])
    with suppress(Unreadable):
        pages(raw[:at] + noise + raw[at + len(noise) :], InputLimits())


@pytest.mark.parametrize(
    ("about", "date"),
    [
        ("/CreationDate (D:2019) /ModDate (D:20210203040506+02'00')", "2021-02-03T04:05:06+02:00"),
        ("/ModDate (D:20210203040506+0200)", "2021-02-03T04:05:06+02:00"),
        ("/CreationDate (D:201905)", "2019-05"), ("/CreationDate (D:2019)", "2019"),
        ("/CreationDate (D:2019) /ModDate (soon)", "2019"),
    ],
)  # fmt: skip
def test_the_last_save_counts_and_dates_may_be_short(about: str, date: str):
    assert str(read(small_pdf([[LONG]], about=about), "stem", InputLimits()).created) == date


@pytest.mark.parametrize("front", [{}, {"scanned": [1]}, {"scanned": True}])
def test_a_process_may_say_anything(front, monkeypatch):
    monkeypatch.setattr(FormatReader, "parts", lambda *_: [Part("a text", front=front)])
    with pytest.raises(Unreadable, match="breaks what reads it"):
        pages(small_pdf([[LONG]]), InputLimits())


def test_pages_that_are_pictures_are_noted():
    assert read(small_pdf([["Hi"]]), "stem", InputLimits()).text == "Page 1\n\nHi"
    file = read(small_pdf([[LONG], [], 90]), "stem", InputLimits())
    (note,) = file.notes
    assert note.message == "1 of 3 pages hold no text, as scans do"
    assert "ocrmypdf" in note.remedy
    assert read(small_pdf([[LONG], [LONG], []]), "stem", InputLimits()).notes == ()
