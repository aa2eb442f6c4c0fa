"""Answers from the papers of an office: logs, letters, agreements on several flats, drafts, corrections."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import pytest
from tests.support.answers import answered, corpus_with, doc

from asof.documents import Document
from asof.index.statements import is_letter
from asof.time.span import iso

JOBS = (
    "bins moved",
    "gate oiled",
    "drain cleaned",
    "lamp replaced",
    "stairs swept",
    "boiler checked",
    "lift stuck",
)
LONG = "and nothing else of note on this calm day of work around the house, in the yard and on the stairs"


def log(month: int, entry: str) -> str:
    """A month of entries, a line each: more than one passage holds."""
    return "\n".join(f"{entry.format(day=day)} {JOBS[(day * month) % 7]}, {LONG}." for day in range(1, 29))


LOGS = [
    doc(f"log-2022-0{month}.txt", f"2022-0{month}", f"# Caretaker log {name} 2022\n\n{log(month, entry)}\n",
        f"Caretaker log {name} 2022")
    for month, name, entry in
    ((6, "June", "{day:02}.06.2022"), (7, "July", "- {day} July:"), (8, "August", "- 2022-08-{day:02}:"))
]  # fmt: skip


@pytest.mark.parametrize(
    ("question", "begins"),
    [
        ("What did the caretaker do on 14 June 2022?", "14.06.2022 bins moved"),  # 14 * 6 = 7 * 12
        ("What did the caretaker do on 16 July 2022?", "16 July: bins moved"[:8]),
        ("What happened on 20 August 2022?", "2022-08-20:"),
        ("What happened on 14.06.2022?", "14.06.2022 bins moved"),
    ],
)
def test_a_day_of_a_log_is_answered_by_its_entry(tmp_path: Any, question: str, begins: str) -> None:
    made = answered(tmp_path, question, *LOGS)
    assert [each.quote[: len(begins)] for each in made.citations] == [begins]


@pytest.mark.parametrize(
    "question", ["What happened on 14 June 2021?", "What did the caretaker do on 3 May 2022?"]
)
def test_entries_of_other_days_answer_nothing(tmp_path: Any, question: str) -> None:
    assert answered(tmp_path, question, *LOGS).refused


def test_a_log_does_not_end_that_of_the_month_before(tmp_path: Any) -> None:
    with corpus_with(tmp_path, *LOGS) as corpus:
        assert {hit.superseded for hit in corpus.at().search("gate oiled", 20).hits} == {None}


def test_since_when_is_said_by_the_entry_or_the_clause(tmp_path: Any) -> None:
    text = "Caretaker log\n\n03.01.2024 hall light replaced.\n12.02.2024 lift stuck.\n"
    made = answered(tmp_path / "1", "When was the hall light replaced?", doc("log.txt", "2024-12-01", text))
    assert made.citations[0].quote == "since 2024-01-03: 03.01.2024 hall light replaced."
    text = "# Office\n\nInes Fair stays until 30 June 2024; from 1 July 2024 Yusuf Demir is secretary.\n"
    made = answered(
        tmp_path / "2", "Since when is Yusuf Demir secretary?", doc("a.md", "2024-03-10", text, "Office")
    )
    assert made.citations[0].quote == "since 2024-07-01: from 1 July 2024 Yusuf Demir is secretary."


FIRM = "HARROW PROPERTY MANAGEMENT"
HEAD = f"{FIRM}\n14 Cotham Hill\n\n"
AGREEMENT = """# Agreement

**Property:** Flat {flat}, Alder Court
**Tenant:** {tenant}

1. Rent. The rent is £{rent} per month.
2. Deposit. The tenant pays a deposit of £900, held by the bank.
3. Repairs. The tenant shall report defects within 7 days.
"""


def letter(flat: int, rent: int, begins: str) -> str:
    return f"{HEAD}Dear tenant,\n\nThe rent for Flat {flat} will be £{rent} per month from {begins}.\n"


SERIES = [
    [doc(f"{at}.md", f"202{at}-02-22", AGREEMENT.format(flat=flat, tenant=who, rent=rent), "Agreement")
     for at, (flat, who, rent) in enumerate([(3, "Priya Nair", 895), (1, "Ewan Brodie", 860)])],
    [doc(f"{at}.txt", f"202{at}-02-18", letter(*each), FIRM)
     for at, each in enumerate([(3, 895, "1 April 2020"), (2, 860, "1 August 2021")])],
    [doc("0.txt", "2020-01-17", f"{HEAD}Invoice no. 118\n\nNew tap in the yard\nTotal: £895\n", FIRM),
     doc("1.txt", "2021-05-09", f"{HEAD}Invoice no. 131\n\nNew tap in the hall\nTotal: £860\n", FIRM)],
    [doc("0.txt", "2020-10-21", "NOTICE TO ALL\n\nThe heating runs from 06:30 to 21:00.\n", "NOTICE TO ALL"),
     doc("1.txt", "2021-03-04", "NOTICE TO ALL\n\nThe water is off from 06:30 to 12:00.\n", "NOTICE TO ALL")],
]  # fmt: skip


@pytest.mark.parametrize("papers", SERIES, ids=["agreements", "letters", "invoices", "notices"])
def test_papers_with_one_heading_are_no_series(tmp_path: Any, papers: Sequence[Document]) -> None:
    with corpus_with(tmp_path, *papers) as corpus:
        hits = corpus.at().search("rent flat total heating water").hits
    assert {hit.document for hit in hits if hit.superseded is None} == {each.id for each in papers}


def test_a_question_on_a_flat_is_answered_by_its_own_paper(tmp_path: Any) -> None:
    made = answered(tmp_path / "1", "What is the rent of Flat 3?", *SERIES[0])
    assert (made.citations[0].document, made.citations[0].quote) == ("0.md", "The rent is £895 per month.")
    assert answered(tmp_path / "2", "What is the rent of Flat 7?", *SERIES[0]).refused
    one = doc("a.txt", "2024-01-01", "The rent for Flat 3, Alder Court, is £1,020 per month.")
    assert answered(tmp_path / "3", "What is the rent for Flat 3 Alder Court?", one).values == ()


RENT = "the rent for Flat 3 is £{} per month."
LEASE = doc(
    "lease.md",
    "2018-01-10",
    "## 1. Rent\n\nThe rent is 700 euros.\n\n## 3. Pets\n\nNo pets are allowed.\n",
    "Lease Mill Lane 4",
)


@pytest.mark.parametrize(
    ("question", "papers", "first"),
    [
        ("What is the rent for Flat 3?", [
            doc("old.txt", "2023-02-18", RENT.format(1020)),
            doc("2024-08-01 DRAFT rent.txt", "2024-08-01", RENT.format(1095)),
        ], "old.txt"),
        ("What are the quiet hours?", [
            doc("v3.md", "2023", "Quiet hours are from 22:30 to 07:30.", "House rules v3"),
            doc("v4.md", "2024", "Quiet hours are from 21:00 to 08:00.", "House rules v4 (draft)"),
        ], "v3.md"),
        ("How much does a parking space cost?", [
            doc("a.eml", "2023-11-06", "from 1 January 2024 a parking space costs £52.", "Parking"),
            doc("b.eml", "2023-11-10", "no, a parking space costs £50, not £52.", "Re: Parking - correction"),
        ], "b.eml"),
        ("Are pets allowed?", [
            LEASE, doc("am.md", "2020-05-02", "Clause 3 now reads: One cat is allowed as a pet.",
                       "Amendment 1 to the Lease Mill Lane 4"),
        ], "am.md"),
        ("When are gloves changed?", [
            doc("06.md", "2018-06", "Edition of June 2018\n\nGloves are changed every hour.", "Manual"),
            doc("21.md", "2021-03", "This edition replaces the edition of June 2018.\n\nGloves are changed "
                "after every patient.", "Manual"),
        ], "21.md"),
        ("When does the garden close?", [doc("r.md", None, "The garden closes at 21:00.", "Rules")], "r.md"),
        ("Is a fee charged for a reminder?", [
            doc("f.md", "2023", "No fee is charged for a reminder.", "Fees"),
        ], "f.md"),
        ("What is the call-out number for the lift?", [
            doc("l.md", "2023", "Annual fee: £1,340.\nEmergency call-out number: 0117 496 0455.", "Lift"),
        ], "l.md"),
    ],
    ids=["draft file", "draft title", "correction", "clause", "edition", "hour", "free", "number"],
)  # fmt: skip
def test_what_papers_do_to_each_other(
    tmp_path: Any, question: str, papers: Sequence[Document], first: str
) -> None:
    made = answered(tmp_path, question, *papers)
    assert not made.refused
    assert made.citations[0].document == first


def test_what_corrects_the_quoted_is_quoted_behind_it(tmp_path: Any) -> None:
    yard = doc("p.md", "2021-03-01", "The yard is closed to smokers from 1 April 2021.", "Smoking policy")
    told = 'In the smoking policy, instead of "1 April 2021" read "1 May 2021".'
    made = answered(
        tmp_path, "Since when is the yard closed to smokers?", yard,
        doc("c.md", "2021-03-20", told, "Correction: Smoking policy"),
    )  # fmt: skip
    assert [each.quote for each in made.citations][1:] == [told]
    assert made.citations[0].status == ("corrected since 2021-03-20 by Correction: Smoking policy",)


def test_a_correction_means_the_newest_of_its_name_before_it(tmp_path: Any) -> None:
    hours = [
        doc(f"{year}.eml", f"{year}-07-01", f"In August {year} we open at 9.", "Hours in August")
        for year in (2021, 2022, 2023)
    ]
    fix = doc("fix.eml", "2022-07-02", "Sorry, in August we open at 8.", "CORRECTION: Hours in August")
    with corpus_with(tmp_path, *hours, fix) as corpus:
        hits = corpus.at().search("August open").hits
    assert {hit.document for hit in hits if hit.amended} == {"2022.eml"}


RULES = "Quiet hours are from {} on.\n\nBins go out on {}.\n"


def test_what_changed_in_a_document_is_all_that_changed(tmp_path: Any) -> None:
    made = answered(
        tmp_path, "What changed in the house rules?",
        doc("1.md", "2023-05-01", RULES.format("23:00", "Thursday"), "House Rules"),
        doc("2.md", "2024-10-01", RULES.format("22:30", "Tuesday"), "House Rules"),
    )  # fmt: skip
    assert [each.quote for each in made.citations] == [
        "since 2024-10-01: Quiet hours are from 22:30 on.; before: Quiet hours are from 23:00 on.",
        "since 2024-10-01: Bins go out on Tuesday.; before: Bins go out on Thursday.",
    ]


FEES = "Valid from 1 September {}.\n\nBreakfast costs £{} per session.\n"
GATE = doc("welcome.txt", "2022-09-02", "The school gate opens at 8:40.", "Welcome")
LETTER = (
    "Millbrook\n14 Weir Lane\n\n17 November 2023\n\nFrom 5 January 2024 the school gate opens at 8:30.{}\n"
)


@pytest.mark.parametrize(
    ("question", "papers", "as_of", "quote"),
    [
        ("How much is breakfast?", [
            doc("a.md", "2022-08-26", FEES.format(2022, "3.00"), "Fees 2022/23"),
            doc("b.md", "2023-06-20", FEES.format(2023, "3.50"), "Fees 2023/24"),
        ], "2023-07-10", "Valid from 1 September 2022. Breakfast costs £3.00 per session."),
        ("At what time does the school gate open?", [
            GATE, doc("gate.txt", "2023-11-17", LETTER.format(""), "Millbrook"),
        ], "2023-12-10", "The school gate opens at 8:40."),
        ("At what time does the school gate open?", [
            GATE, doc("gate.txt", "2023-11-17", LETTER.format(" Lessons begin at 8:55."), "Millbrook"),
        ], "2023-12-10", "The school gate opens at 8:40."),
        ("Who is the teacher of Year 4?", [
            doc("a.csv", "2023", "| class | teacher | room |\n|---|---|---|\n| Year 2 | Omar Siddiq | 4 |\n"
                "| Year 4 | Ida Lund | 7 |\n", "Classes"),
        ], "2024", "class: Year 4; teacher: Ida Lund; room: 7"),
        ("What is the salary of the headteacher?", [
            doc("h.md", "2022", "The headteacher is Tom Ashby.", "Handbook"),
            doc("m.md", "2023", "After eleven years Ida Hollis retires. Tom Ashby is headteacher.", "Mail"),
        ], "2024", ""),
    ],
    ids=["a school year", "to come", "to come, among more", "rows of a thing", "no amount"],
)  # fmt: skip
def test_what_holds_on_a_day(
    tmp_path: Any, question: str, papers: Sequence[Document], as_of: str, quote: str
) -> None:
    made = answered(tmp_path, question, *papers, as_of=as_of)
    assert ("" if made.refused else made.citations[0].quote) == quote


def test_an_undated_paper_ends_another_from_when_it_holds(tmp_path: Any) -> None:
    for name, text in (
        ("fee-1.md", "effective: 2022-01-01\n---\nA fee of £15 is charged."),
        ("fee-2.md", "effective: 2023-09-01\nsupersedes: fee-1.md\n---\nNo fee is charged."),
    ):
        (tmp_path / name).write_text(f"---\ntitle: Late payment\n{text}\n")
        os.utime(tmp_path / name, (1_717_200_000, 1_717_200_000))  # June 2024
    with corpus_with(tmp_path / ".index") as corpus:
        corpus.add(tmp_path)
        hits = corpus.at().search("fee charged").hits
    assert {hit.document[-8:]: hit.superseded and iso(hit.superseded.at)[:10] for hit in hits} == {
        "fee-1.md": "2023-09-01", "fee-2.md": None,
    }  # fmt: skip


def test_a_correction_is_quoted_as_it_reads_now(tmp_path: Any) -> None:
    """Also where its earlier version is looked at for what changed."""
    yard = doc("p.md", "2021-03-01", "The yard is closed to smokers from 1 April 2021.", "Smoking policy")
    with corpus_with(tmp_path, yard) as corpus:
        for day, month in (("20", "June"), ("25", "May")):
            corpus.add(
                [doc("c.md", f"2021-03-{day}", f"Not April, but 1 {month}.", "Correction: Smoking policy")]
            )
        made = corpus.at().ask("Since when is the yard closed to smokers?")
    assert [each.quote for each in made.citations][1:] == ["Not April, but 1 May."]


def test_what_names_a_day_says_whether_it_holds(tmp_path: Any) -> None:
    plan = doc("p.md", "2023-01-01", "On 5 April 2024 the front door is painted.", "Plan (draft)")
    made = answered(tmp_path, "What happened on 5 April 2024?", plan)
    assert made.citations[0].status == ("not in force: draft",)


@pytest.mark.parametrize(
    ("text", "letter"),
    [
        ("Dear Ms Lind,\n\nThanks.", True), ("Sehr geehrte Frau Lind,\n", True), ("# Invoice 12\n", True),
        ("Smith Ltd\nInvoice no. 118\n", True), ("Invoice address: 4 Quay Street", False),
        ("Receipts are kept.", False), ("Monsieur Lind est le président.", False),
    ],
)  # fmt: skip
def test_letters_and_bills(text: str, letter: bool) -> None:
    assert is_letter(text) == letter


@pytest.mark.parametrize(
    ("title", "holds"),
    [
        ("DRAFT MINUTES", False),
        ("Rules - DRAFT", False),
        ("NFL DRAFT RESULTS", True),
        ("How we draft rules", True),
    ],
)
def test_drafts_by_their_titles(tmp_path: Any, title: str, holds: bool) -> None:
    with corpus_with(tmp_path, doc("a", "2024", "The gate opens at 8.", title)) as corpus:
        assert corpus.at().search("gate").hits[0].holds == holds


def test_a_question_in_a_language_that_the_corpus_has_not(tmp_path: Any) -> None:
    made = answered(
        tmp_path, "Quanto costa la Room 3 di questo albergo?", doc("a", "2024", "Room 3 costs 5 euros.")
    )
    assert made.citations[0].quote == "Room 3 costs 5 euros."
