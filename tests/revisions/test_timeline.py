"""Timelines and differences, and in which words two passages differ."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import pytest
from tests.revisions.made import document, fresh
from tests.support.corpora import new_corpus

from asof.corpus.corpus import Corpus
from asof.documents import Document
from asof.errors import UsageError
from asof.revisions.timeline import _in_order, below_heading, word_changes
from asof.time.moment import read
from asof.time.span import iso


@pytest.fixture
def fees() -> Iterator[Corpus]:
    """The fee of 2020, 2021 and 2022; that of 2021 was learned in 2026 only, the others in 2025."""

    def fee(year: int, crowns: int) -> Any:
        return document(f"f{year}", f"A berth costs {crowns} crowns.", f"{year}-06", title="Berth fee")

    with fresh(fee(2020, 40), fee(2022, 50)) as corpus:
        corpus.session.clock = itertools.count(read("2026-05").first, 1_000_000).__next__
        corpus.add([fee(2021, 45)])
        yield corpus


def said(side: Any) -> str | None:
    return None if side is None else side.sentence.split()[3]


def test_a_timeline_knows_what_was_known(fees: Corpus) -> None:
    def told(*when: str) -> list[str | None]:
        return [said(entry) for entry in fees.at(*when).timeline("berth fee").entries]

    assert told() == ["40", "45", "50"]
    assert told("2023", "2025") == ["40", "50"]
    assert told("2021") == ["40", "45"]
    assert told("2021", "2025") == ["40"]
    assert told("2019") == []


def test_a_timeline_of_what_was_known_when_it_was_kept(fees: Corpus) -> None:
    """What is kept has three rows; five came since."""
    fees.prepare()
    fees.session.clock = itertools.count(read("2026-06").first, 1_000_000).__next__
    fees.add(
        [
            document(f"f{year}", f"A berth costs {year} crowns.", f"{year}", title="Berth fee")
            for year in range(2005, 2010)
        ]
    )
    entries = fees.at("2023", "2026-05").timeline("berth fee").entries
    assert [said(entry) for entry in entries] == ["40", "45", "50"]


def test_spans_touch(fees: Corpus) -> None:
    entries = fees.at().timeline("berth fee").entries
    assert [entry.end for entry in entries] == [entries[1].start, entries[2].start, None]
    assert [(entry.added, entry.removed) for entry in entries[1:]] == [
        (("45",), ("40",)), (("50",), ("45",)),
    ]  # fmt: skip


def test_a_difference_has_the_answers_at_two_moments_and_between(fees: Corpus) -> None:
    def told(one: str, other: str) -> list[str | None]:
        return [said(entry) for entry in fees.at(one).diff("berth fee", fees.at(other)).entries]

    assert told("2020", "2022") == told("2022", "2020") == ["40", "45", "50"]
    assert told("2021", "2022") == ["45", "50"]
    assert told("2019", "2020") == ["40"]
    assert told("2001", "2002") == []


def test_nothing_and_wrong_usage(fees: Corpus) -> None:
    assert fees.at().timeline("xylophone").entries == ()
    with pytest.raises(UsageError, match="most is 0"):
        fees.at().timeline("berth", 0)


# -- words -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "after", "added", "removed"),
    [
        ("The fee is 40 crowns.", "The fee is 45 crowns.", ("45",), ("40",)),
        ("Ada Marsh is master", "Tom Reed is now master", ("Tom Reed", "now"), ("Ada Marsh",)),
        ("6-3 7-6(4)", "6-3 7-6(5), at last", ("7-6(5) at last",), ("7-6(4)",)),
        ('"Open" (daily)', "open daily", (), ()),
        ("", "new words", ("new words",), ()),
    ],
)
def test_changed(before: str, after: str, added: tuple[str, ...], removed: tuple[str, ...]) -> None:
    assert word_changes(before, after) == (added, removed)


def test_series_of_which_filters_leave_nothing_are_in_order() -> None:
    assert _in_order([]) == []


def test_a_heading_stands_above_already() -> None:
    assert below_heading("## Fees\nIt costs 4.", "Ferry\nFees") == "It costs 4."
    assert below_heading("## Fees\n", "Fees") == "## Fees\n"
    assert below_heading("Fees are 4.\nMore.", "Fees") == "Fees are 4.\nMore."


RENT = [
    document("Rent.md", "The rent of the flat is 870 euros a month.", "2022-03-10", title="Rent"),
    document(
        "letter.md", "From 1 May 2024 the rent is 950 euros. This replaces the amount in [[Rent]].",
        "2024-03-02", title="Letter",
    ),
]  # fmt: skip
CAR = [
    document("Car.md", "Insurance is with AXA: 612 euros a year.", "2020-06-15", title="Car"),
    document(
        "new.md",
        "Car insurance is with Ethias: 540 euros a year, since 1 February 2023. It supersedes [[Car]].",
        "2023-01-12", title="Car insurance 2023",
    ),
]  # fmt: skip


@pytest.mark.parametrize(
    ("documents", "question", "as_of", "told"),
    [
        (RENT, "rent", "2024-06", [("Rent.md", "2024-05-01"), ("letter.md", None)]),
        (RENT, "rent", "2024-04", [("Rent.md", "2024-05-01"), ("letter.md", None)]),  # told, not yet in force
        (RENT, "rent", "2024-02", [("Rent.md", None)]),
        (CAR, "car insurance", "2025", [("Car.md", "2023-02-01"), ("new.md", None)]),
        (CAR, "Ethias", "2025", [("new.md", None)]),  # the older note says nothing of it
    ],
)
def test_a_timeline_has_what_acts_join(documents: Any, question: str, as_of: str, told: Any) -> None:
    with fresh(*documents) as corpus:
        entries = corpus.at(as_of).timeline(question).entries
        assert [(each.document, each.end and iso(each.end)[:10]) for each in entries] == told
        if len(told) == 2:
            assert entries[1].removed == word_changes(entries[0].sentence, entries[1].sentence).removed != ()
            since = corpus.at("2025").diff(question, corpus.at("2023-01-05")).entries
            assert [each.document for each in since] == [name for name, _ in told]


PLAN = Document("plan", "The phone plan is with Orbit and costs 20 euros.", "Phone plan", "2023-01-10")


@pytest.mark.parametrize(
    ("said", "at", "told"),
    [
        ("Cancelled the phone plan on 3 June.", "2025",
         [("plan", "2023-01-10", "2024-06-03"), ("note", "2024-06-03", None)]),
        ("The phone plan was discontinued.", "2025",
         [("plan", "2023-01-10", "2024-06-05"), ("note", "2024-06-05", None)]),
        ("Cancelled the phone plan on 3 June.", "2024-06-04", [("plan", "2023-01-10", None)]),
        ("The phone plan should not be cancelled.", "2025", [("plan", "2023-01-10", None)]),
        ("Cancelled the phone call of the dentist.", "2025", [("plan", "2023-01-10", None)]),
    ],
)  # fmt: skip
def test_a_timeline_ends_with_the_note_that_says_so(said: str, at: str, told: Any) -> None:
    note = Document("note", f"Called Orbit. {said}", "2024-06-05", "2024-06-05")
    with new_corpus([PLAN, note]) as corpus:
        entries = corpus.at(at).timeline("phone plan").entries
    assert [
        (each.document, iso(each.start)[:10], each.end and iso(each.end)[:10]) for each in entries
    ] == told


RENTS = (
    document("notes", "The rent is 820 euros.", "2021-09-01", title="Flat"),
    document("call", "The rent goes up to 890 euros from July 2023.", "2023-06-10", title="Call"),
    document("letter", "From 1 May 2024 the rent is 950 euros.", "2024-03-15", title="Letter"),
    document("garage", "The rent of the garage is 60 euros.", "2022-03-15", title="Garage"),
)


@pytest.mark.parametrize(
    ("as_of", "values"),
    [
        ("2022-12", [("820", None)]),
        ("2023-12", [("820", "2023-07-01"), ("890", None)]),
        (None, [("820", "2023-07-01"), ("890", "2024-05-01"), ("950", None)]),
    ],
)
def test_a_value_that_other_documents_change_from_a_day_on(as_of: str | None, values: list[Any]) -> None:
    with fresh(*(each for each in RENTS if each.id != "garage" or as_of != "2022-12")) as corpus:
        then = corpus.at(as_of)
        told = then.timeline("rent").entries
        assert [each.end and iso(each.end)[:10] for each in told] == [end for _, end in values]
        assert all(amount in each.sentence for each, (amount, _) in zip(told, values, strict=True))
        assert values[-1][0] in then.ask("How much is the rent?").citations[0].quote


def test_of_two_that_say_no_day_none_is_the_next_of_the_other() -> None:
    garage = document("garage", "The rent is 60 euros.", "2022-03-15", title="Garage")
    with fresh(RENTS[0], garage) as corpus:
        assert len(corpus.at().timeline("rent").entries) == 1


def test_what_has_no_date_did_not_begin_when_it_was_indexed() -> None:
    """Its second version did, as far as anybody knows; what says since when it holds does."""
    said = "The safety officer is {}."
    texts = [said.format("Lena Dorn"), said.format("Pavel Hruska"), "From 2 May 2020 the pool is open."]
    with new_corpus([document("r", texts[0], None), document("p", texts[2], None)]) as corpus:
        (first,) = corpus.at().timeline("safety officer").entries
        (pool,) = corpus.at().timeline("pool open").entries
        corpus.add([document("r", texts[1], None)])
        entries = corpus.at().timeline("safety officer").entries
    assert [first.valid, first.since] == [(None, None), None]
    assert str(pool.valid.start and iso(pool.valid.start))[:10] == "2020-05-02"
    assert [(entry.sentence, entry.since is None) for entry in entries] == [(texts[1], False)]
