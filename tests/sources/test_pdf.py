"""PDFs: pages as places, what print puts between words, the list of references, and hostile files."""

from __future__ import annotations

import resource
import zlib
from collections import Counter
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.small_pdf import Line, small_pdf
from tests.support.sources import stated

import asof
from asof.documents import Heading, Problem
from asof.extensions.documents import pdf
from asof.extensions.documents.parts import Part
from asof.extensions.documents.pdf import (
    ReferenceSection,
    UncertainReferences,
    flowing,
    lines_of,
    pages,
    read,
    references_in,
    without_heads,
)
from asof.extensions.documents.reading import FormatReader
from asof.sources.dates import UNKNOWN, of_content
from asof.sources.history import open_source
from asof.sources.readers import ParsedFile, Unreadable
from asof.sources.source import InputLimits

LONG = "The ferry of Orrin crosses the lake at noon, with bread and letters aboard."


def test_each_page_is_under_its_heading():
    file = read(small_pdf([[LONG, "First."], [], [LONG, "Third."]]), "log", InputLimits())
    assert file.text == f"Page 1\n\n{LONG} First.\n\nPage 3\n\n{LONG} Third."
    assert file.outline == (Heading(0, 1, "Page 1"), Heading(file.text.index("Page 3"), 1, "Page 3"))
    assert (file.title, file.notes) == ("log", ())


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


def test_ligatures_signs_that_print_nothing_and_the_stamp_of_arxiv():
    page = "the \ufb01rst  \ufb02ow\r\n\r\nof\u00a0e\ufb03cient fer\u00adries exam\ufffeple\x07"
    assert lines_of(page) == ["the first flow", "of efficient ferries exam-", "ple"]
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


RULES = "Rules of the rowing club"
CLUB: list[Line] = ["The members of the club row on the lake at dawn and mend the boats in winter."] * 6


@pytest.mark.parametrize(
    ("lines", "about", "stem", "title"),
    [
        (["Ash & Co", ("Rules of the", 24), ("rowing club", 24)], "", "scan_0012", RULES),
        ([(RULES, 24)], "Surname [v8] 8 June 2012", "x1", RULES),
        ([(RULES, 24)], "16476 - Rules_A4 12pp", "a", RULES),
        ([(RULES, 24)], "rules-of-2012", "a", RULES),
        ([(RULES, 24)], "Parish Council Letter", "a", RULES),  # of a template: nothing on the page says it
        ([(RULES, 24)], "Club rules", "a", "Club rules"),
        (["Reports"], "Parish Council Letter", "a", "Parish Council Letter"),  # a page without a heading
        # the name of a file that is made of words, but for one that the heading writes better
        ([("A Letterhead", 24)], "", "rowing-rules", "rowing rules"),
        ([("Rowing Rules", 24)], "", "rowing-rules", "Rowing Rules"),
        ([("Rowing Rules", 24)], "", "rowing-rules-2012", "rowing rules 2012"),
        ([(RULES, 24)], "rules_v3_final.doc", "rowing-final", RULES),  # words cut short, or of a draft
        ([(RULES, 24)], "Microsoft Word - r2.docx", "row-club", RULES),
        ([("Welcome to our club.", 24)], "", "scan_0012", "scan_0012"),  # a sentence
    ],
)
def test_the_title_of_a_pdf(lines: list[Line], about: str, stem: str, title: str):
    raw = small_pdf([[*lines, *CLUB]], about=f"/Title ({about})" if about else "")
    assert read(raw, stem.replace("-", " "), InputLimits()).title == title


def test_the_first_lines_of_a_pdf_stand_alone_where_its_text_flows_on():
    lines = ["Rules of the club and of all of its boats", "(as amended April 2014)", "1 Members row."]
    found = read(small_pdf([lines]), "rules", InputLimits())
    assert found.head.splitlines() == lines
    assert dates_of(found) == "April 2014"


def test_the_title_and_the_date_of_a_newer_version_do_not_show_before(tmp_path: Path):
    folder, index = tmp_path / "papers", tmp_path / "index"
    folder.mkdir()
    with asof.open(index) as corpus:
        for title, day in (
            ("Rules of the rowing club", "3 May 2019"),
            ("Statutes of the lake", "4 June 2021"),
        ):
            lines: list[Line] = [(title, 24), f"Version of {day}", *CLUB]
            (folder / "x1.pdf").write_bytes(small_pdf([lines]))
            corpus.add(folder)
        found = {day: corpus.at(day).search("members of the club")[0] for day in ("2020", "2022")}
        assert [each.title for each in found.values()] == ["Rules of the rowing club", "Statutes of the lake"]
        dated = [(str(each.published), each.dated_by) for each in found.values()]
        assert dated == [("3 May 2019", "content"), ("4 June 2021", "content")]
        assert "Statutes" not in str(corpus.at("2020").ask("what are the statutes of the lake?"))


def dates_of(found: ParsedFile) -> str:
    date = of_content(found.head or found.text, UNKNOWN, [], found.title)
    return date.text if date else ""


@pytest.mark.parametrize(
    ("about", "date"),
    [
        ("/CreationDate (D:20240131093000+01'00')", "2024-01-31T09:30:00+01:00"),
        ("/CreationDate (D:20240131093000Z)", "2024-01-31T09:30:00Z"),
        ("/CreationDate (D:20240131)", "2024-01-31"), ("/CreationDate (D:201905)", "2019-05"),
        *((f"/CreationDate ({said})", "") for said in ("yesterday", "D:20241341", "D:19700101000000Z", "")),
        # the last save counts
        ("/CreationDate (D:2019) /ModDate (D:20210203040506+02'00')", "2021-02-03T04:05:06+02:00"),
        ("/ModDate (D:20210203040506+0200)", "2021-02-03T04:05:06+02:00"),
        ("/CreationDate (D:2019) /ModDate (soon)", "2019"),
    ],
)  # fmt: skip
def test_the_date_that_it_was_made_or_saved(about: str, date: str):
    created = read(small_pdf([[LONG]], about=about), "stem", InputLimits()).created
    assert (str(created or ""), created.by if created else "metadata") == (date, "metadata")


def test_a_folder_of_pdfs(tmp_path):
    made = "/Title (The log) /CreationDate (D:20240131093000Z)"
    (tmp_path / "log.pdf").write_bytes(small_pdf([[LONG], ["The lamp is lit at dusk."]], about=made))
    (tmp_path / "2021-05-06 log.pdf").write_bytes(small_pdf([[LONG]], about=made))
    (tmp_path / "torn.pdf").write_bytes(b"%PDF-1.4 nothing")
    items = stated(open_source(tmp_path, root=tmp_path))
    by_name, log, torn = sorted(items, key=lambda each: isinstance(each, Problem))
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
        assert problem.message == "reading PDFs needs pypdfium2: install asof with its extra `documents`"
        assert (problem.document, problem.lost) == ("log.pdf", False)
        assert corpus.search("lake at noon").hits[0].document == "log.pdf"


@pytest.mark.slow
@given(st.integers(0, 900), st.binary(max_size=30))
def test_any_bytes_are_pages_or_unreadable(at: int, noise: bytes):
    raw = small_pdf([[LONG, "First."], ["Second page."]])
    with suppress(Unreadable):
        pages(raw[:at] + noise + raw[at + len(noise) :], InputLimits())


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


# -- the list of references of a paper ------------------------------------------------------------

BODY = [f"We cross the lake for the {n}th time and count the gulls on the mole." for n in range(60)]
LISTED = [
    line
    for n in range(12)
    for line in (
        f"[{n + 1}] I. Mole, J. Quay. Gulls of lake {n}. Journal of Lakes,",
        f"vol. {n}, pp. 3-9, {2001 + n}.",
    )
]
APPENDIX = [f"The gull number {n} sits on the quay and looks at the water." for n in range(40)]


@pytest.mark.parametrize(
    "heading",
    [
        "References", "7 References", "VII. REFERENCES", "Bibliography", "R EFERENCES", "Literature Cited",
        "Works cited", "References and Notes", "references:", "A. Literature",
    ],
)  # fmt: skip
def test_headings(heading: str):
    assert references_in([*BODY, heading, *LISTED]) == ReferenceSection(60, 60 + 1 + 24)


NO_HEADINGS = [
    "References to gulls are many.", "See the references", "The bibliography of gulls", "References 12",
    "In the literature", "preferences",
]  # fmt: skip


@pytest.mark.parametrize(
    "lines",
    [
        *([*BODY, line, *LISTED] for line in NO_HEADINGS),
        ["Contents", "References", *BODY],  # among the first lines
        BODY,
        [],
    ],
)
def test_papers_without_a_list(lines: list[str]):
    assert references_in(lines) is None


def test_the_last_heading_counts():
    lines = [*BODY[:40], "References", *BODY[40:], "References", *LISTED]
    assert references_in(lines) == ReferenceSection(61, 61 + 1 + 24)


@pytest.mark.parametrize(
    "heading",
    [
        "Appendix",
        "Appendix A. More gulls",
        "A Proofs of the lemmas",
        "B. More gulls",
        "Supplementary Material",
    ],
)
@pytest.mark.parametrize("times", [1, 4])
def test_an_appendix_stays(heading: str, times: int):
    """However long it is: with four times its lines the list stands in the first third."""
    assert references_in([*BODY, "References", *LISTED, heading, *APPENDIX * times]) == ReferenceSection(
        60, 85
    )


@pytest.mark.parametrize(
    ("listed", "why"),
    [(LISTED, "no heading that tells where they end"), ([], "'References' does not look like references")],
)
def test_where_it_is_not_sure_nothing_is_cut(listed: list[str], why: str):
    with pytest.raises(UncertainReferences, match=why):
        references_in([*BODY, "References", *listed, *APPENDIX])


@given(
    st.lists(st.sampled_from([*BODY[:5], "References", *LISTED[:6], "Appendix", *APPENDIX[:4]]), max_size=120)
)
def test_what_is_found_begins_with_a_heading_that_is_not_among_the_first(lines: list[str]):
    try:
        found = references_in(lines)
    except UncertainReferences:
        return
    if found is not None:
        assert lines[found.first] == "References"
        assert int(len(lines) * 0.2) <= found.first < found.last <= len(lines)


def sheets(lines: list[str]) -> list[list[str]]:
    return [lines[at : at + 30] for at in range(0, len(lines), 30)]


def test_a_paper_is_read_without_its_list():
    lines = [*BODY, "References", *LISTED, "Appendix A. More gulls", *APPENDIX]
    file = read(small_pdf(sheets(lines)), "log", InputLimits(), references=False)
    assert "Journal of Lakes" not in file.text
    assert "for the 59th time" in file.text
    assert "The gull number 0 sits" in file.text
    # 126 lines on five pages; the list fills lines 61 to 85, on page 3, which has some of the appendix, too
    assert [each.title for each in file.outline] == ["Page 1", "Page 2", "Page 3", "Page 4", "Page 5"]
    assert file.notes == ()
    left = read(
        small_pdf(sheets([*BODY, "References", *LISTED, *APPENDIX])), "log", InputLimits(), references=False
    )
    assert "Journal of Lakes" in left.text
    (note,) = left.notes
    assert ("the list of references is left in the text" in note.message, note.lost) == (True, False)


# -- PDFs that want all memory: each is one problem -----------------------------------------------

MIB = 2**20
LINE = "The lamp of the mole is lit at dusk."


def drawing(content: bytes, *forms: bytes, coded: bytes = b"") -> bytes:
    """A PDF of one page with this content, and forms /A, /B, ... that all of them can draw."""
    last = 5 + len(forms)
    names = b" ".join(b"/%c %d 0 R" % (65 + n, 5 + n) for n in range(len(forms)))
    drawn = b"/Resources << /Font << /F1 4 0 R >> /XObject << %s >> >>" % names
    return assembled([
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents %d 0 R %s >>" % (last, drawn),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        *(stream(b"/Type /XObject /Subtype /Form /BBox [0 0 595 842] " + drawn, form) for form in forms),
        stream(coded, content),
    ])  # fmt: skip


def assembled(objects: list[bytes]) -> bytes:
    """Without a table of where they stand: PDFium then looks for them."""
    body = b"".join(b"%d 0 obj\n%s\nendobj\n" % (number, each) for number, each in enumerate(objects, 1))
    return b"%PDF-1.4\n" + body + b"trailer\n<< /Root 1 0 R >>\n%%EOF\n"


def stream(about: bytes, content: bytes) -> bytes:
    return b"<< %s /Length %d >>\nstream\n%s\nendstream" % (about, len(content), content)


SHOWN = b"BT /F1 10 Tf 50 780 Td (%s) Tj ET" % LINE.encode()


def itself() -> bytes:
    """A form that draws itself twice."""
    return drawing(SHOWN + b" /A Do", b"/A Do /A Do")


def nested(levels: int) -> bytes:
    """Forms of which each draws the next twice, and the last the line: 2 ** (levels - 1) times in all."""
    twice = [b"/%c Do /%c Do" % (66 + n, 66 + n) for n in range(levels - 1)]
    return drawing(b"/A Do", *twice, SHOWN)


def blank(mebibytes: int) -> bytes:
    """A line and so many MiB of blanks, compressed to a thousandth, and that once more."""
    once = zlib.compressobj(1)
    parts = [once.compress(SHOWN), *(once.compress(b" " * MIB) for _ in range(mebibytes)), once.flush()]
    return drawing(zlib.compress(b"".join(parts)), coded=b"/Filter [/FlateDecode /FlateDecode]")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("raw", "limits"),
    [
        (itself(), InputLimits()),
        (itself(), InputLimits(memory=100 * MIB)),
        (nested(24), InputLimits(memory=100 * MIB)),
        (blank(160), InputLimits(memory=100 * MIB)),
    ],
    ids=["itself", "itself-in-100-MiB", "nested", "compressed"],
)
def test_what_wants_all_memory(raw: bytes, limits: InputLimits):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(Unreadable, match=r"MiB of memory|more memory") as caught:
        read(raw, "stem", limits)
    assert caught.value.remedy
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 40 * 1024  # in KiB


def test_what_wants_a_little_is_read():
    assert pages(nested(4), InputLimits())[0][0].count(LINE) == 8  # 2 ** (4 - 1)
    assert pages(blank(8), InputLimits(memory=100 * MIB))[0] == [LINE]
