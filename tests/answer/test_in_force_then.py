"""Answers for a time that a question names: what is in force then, what held then, and what ended before."""

from __future__ import annotations

from typing import Any

import pytest
from tests.support.answers import answered, corpus_with, doc

from asof.hits import Answer

FARE = "The {} pass costs {} crowns."


def fare(name: str, year: int, crowns: int) -> Any:
    """A fare that is in force in a year, as its metadata say; told in the November before."""
    return doc(
        f"{name}-{year}", f"{year - 1}-11-20", FARE.format(name, crowns), f"{name} pass fare",
        in_force=(f"{year}-01-01", f"{year}-12-31"), meta={"year": year},
    )  # fmt: skip


FARES = [fare("Harbour", 2021, 9), fare("Harbour", 2022, 10), fare("Harbour", 2023, 12)]
ASKED = "How much does the Harbour pass cost in {}?"


def first_lines(made: Answer) -> list[str]:
    return made.text.split("\n")[:2]


def test_what_ended_before_the_named_time_is_said_to_have_ended(tmp_path: Any) -> None:
    """Of the last list, 12 crowns in 2023; not of 15 crowns, which are in force from 2026 on."""
    with corpus_with(tmp_path, *FARES, now="2025-11-30") as corpus:
        alone = corpus.at().ask(ASKED.format(2025))
        corpus.add([fare("Harbour", 2026, 15)])
        between = corpus.at().ask(ASKED.format(2025))
        after = corpus.at().ask(ASKED.format(2026))
    for made in (alone, between):
        assert first_lines(made) == [
            "Nothing that is in force in 2025 says so; this ended on 2023-12-31:",
            f"[1] “{FARE.format('Harbour', 12)}” (Harbour pass fare, 2022-11-20)",
        ]
    assert after.text.startswith(f"[1] “{FARE.format('Harbour', 15)}”")


@pytest.mark.parametrize(("year", "crowns"), [(2021, 9), (2022, 10), (2023, 12)])
def test_what_was_in_force_at_the_named_time_answers_without_more(tmp_path: Any, year: int, crowns: int):
    made = answered(tmp_path, ASKED.format(year), *FARES)
    assert made.text.startswith(f"[1] “{FARE.format('Harbour', crowns)}”")


def test_words_that_name_the_time_speak_of_it_whenever_they_are_in_force(tmp_path: Any) -> None:
    late = doc(
        "note", "2022-11-20", "In 2025 the Harbour pass costs 20 crowns.", "Plans",
        in_force=("2023-01-01", "2023-12-31"),
    )  # fmt: skip
    made = answered(tmp_path, ASKED.format(2025), *FARES, late)
    assert made.text.startswith("[1] “In 2025 the Harbour pass costs 20 crowns.”")


LIMITS = [
    doc("limits", "2021-08-10", "The gate allows 100 boats a day.", "Limits", meta={"year": 2021}),
    doc("limits", "2022-11-05", "The gate allows 300 boats a day.", "Limits", meta={"year": 2022}),
]


@pytest.mark.parametrize(("year", "boats"), [(2021, 100), (2022, 300), (2023, 300), (2024, 300)])
def test_what_has_no_end_answers_for_each_later_time(tmp_path: Any, year: int, boats: int) -> None:
    """The same as "as of" the end of that year, whether it was said in that year or before."""
    made = answered(tmp_path, f"How many boats a day did the gate allow in {year}?", *LIMITS)
    assert not made.refused
    assert made.citations[0].quote == f"The gate allows {boats} boats a day."


@pytest.mark.parametrize("when", ["before 2022-11-05", "in March 2022"])
def test_the_year_in_the_metadata_is_no_more_than_that_of_publication(tmp_path: Any, when: str) -> None:
    """300 from 2022-11-05 on, in a version whose metadata say 2022."""
    made = answered(tmp_path, f"How many boats a day did the gate allow {when}?", *LIMITS)
    assert made.citations[0].quote == "The gate allows 100 boats a day."


def test_words_that_only_ask_are_no_topic_of_a_cell(tmp_path: Any) -> None:
    keys = [doc("keys", f"{year}-02-01", f"The locks are greased every {n} days.", "Locks")
            for year, n in ((2021, 90), (2023, 60))]  # fmt: skip
    made = answered(tmp_path, "How often were the locks greased in 2022 and 2024?", *keys)
    assert [each.value for each in made.values] == ["90 days", "60 days"]


def test_before_all_of_it_nothing_is_known(tmp_path: Any) -> None:
    made = answered(tmp_path, "How many boats a day did the gate allow in 2019?", *LIMITS)
    assert made.reason.startswith("nothing is known of 2019")


OLD = doc("a", "2018-05-02", "A harbour pass costs 24 crowns. The mate sells it.", "Harbour pass: its costs")
NEW = doc("b", "2024-03-02", "Diesel is dear. A harbour pass costs 31 crowns, by vote.", "Minutes of spring")
NOTICE = doc("c", "2016-01-11", "Mooring costs 9 crowns. The office is here since 1998.", "Notice 2016")


def test_the_newer_of_two_figures_leads_with_until_when_the_other_held(tmp_path: Any) -> None:
    """Whatever the titles; as of 2023 there is only one."""
    with corpus_with(tmp_path, OLD, NEW, NOTICE) as corpus:
        made = corpus.at().ask("What does a harbour pass cost?")
        assert [each.document for each in made.citations] == ["b", "a"]
        assert made.notes == ("[2] held until 2024-03-02, if [1] holds instead",)
        then = corpus.at("2023").ask("What does a harbour pass cost?")
        assert ([each.document for each in then.citations][:1], then.notes) == (["a"], ())


def test_no_later_figure_answers_for_a_time_before(tmp_path: Any) -> None:
    """The notice of 2016 says since when there is an office, not since when mooring costs 9 crowns."""
    with corpus_with(tmp_path, OLD, NEW, NOTICE) as corpus:
        assert corpus.at().ask("What did mooring cost in 2012?").reason.startswith("nothing is known of 2012")
        assert corpus.at().ask("What did mooring cost in 2017?").citations[0].document == "c"
        assert corpus.at().ask("Where was the office in 2012?").citations[0].document == "c"


SEVERAL = [
    fare(name, 2023, crowns) for name, crowns in (("Harbour", 12), ("Island", 20), ("Family", 31))
]  # fmt: skip


def test_a_table_of_names_has_what_ended_where_nothing_is_in_force(tmp_path: Any) -> None:
    with corpus_with(tmp_path, *SEVERAL) as corpus:
        now = corpus.at().ask("How much do Harbour, Island and Family cost?")
        then = corpus.at("2023-06-01").ask("How much do Harbour, Island and Family cost?")
    values = [("Harbour", "12 crowns"), ("Island", "20 crowns"), ("Family", "31 crowns")]
    for made in (now, then):
        assert [(each.name, each.value) for each in made.values] == values
    assert first_lines(now)[0] == "Harbour  cost: 12 crowns [1], ended on 2023-12-31"
    assert first_lines(then)[0] == "Harbour  cost: 12 crowns [1]"


def test_a_plan_that_is_a_thing_is_no_forecast(tmp_path: Any) -> None:
    plans = [doc(name, "2023-05-05", f"The {name} plan costs {n} euros.", f"{name} plan")
             for name, n in (("Basic", 4), ("Crew", 9))]  # fmt: skip
    made = answered(tmp_path, "How much did Basic and Crew cost in 2023?", *plans)
    assert [each.value for each in made.values] == ["4 euros", "9 euros"]


ROWS = (("700", "2016-03-01", "2018-02-28"), ("750", "2018-03-01", "2020-12-31"), ("820", "2021-01-01", ""))
TABLE = "| Rent | From | Until |\n|---|---|---|\n" + "".join(f"| {' | '.join(row)} |\n" for row in ROWS)


@pytest.mark.parametrize("as_file", [False, True])
@pytest.mark.parametrize(
    ("when", "rent"),
    [
        ("was the rent in 2019", "750"), ("was the rent in 2017", "700"), ("was the rent in 2023", "820"),
        ("was the rent in January 2020", "750"), ("is the rent", "820"), ("was the rent in 2015", ""),
        ("will the rent be in 2031", ""),
    ],
)  # fmt: skip
def test_a_row_is_of_all_the_time_from_its_one_end_to_the_other(
    tmp_path: Any, when: str, rent: str, as_file: bool
) -> None:
    """A year within is a match, though both ends are outside; nobody knows of 2031 what began in 2021."""
    with corpus_with(tmp_path, now="2025") as corpus:
        if as_file:
            (tmp_path / "rents.csv").write_text("Rent,From,Until\n" + "\n".join(map(",".join, ROWS)))
            corpus.add(tmp_path / "rents.csv")
        else:
            corpus.add([doc("rents", "2024-05-01", TABLE, "Rents")])
        answer = corpus.at("2026").ask(f"What {when}?")
    assert answer.refused == (not rent)
    if rent:
        assert [f"Rent: {rent};" in each.quote for each in answer.citations] == [True]


def test_what_holds_from_one_month_to_another_is_known_of_the_year_between(tmp_path: Any) -> None:
    said = doc("p", "2024-05-01", "From March 2018 to June 2020 parking cost 5 euros.", "Parking")
    with corpus_with(tmp_path, said) as corpus:
        assert "5 euros" in corpus.at().ask("What did parking cost in 2019?").citations[0].quote
        assert corpus.at().ask("What did parking cost in 2022?").refused


# -- in force at a date that is given beside the question -------------------------------------------------


def plan(year: int, euros: int) -> Any:
    """A price list that says nothing of the time in which it is in force: it holds until the next one."""
    return doc(
        f"price/team-{year}.md", f"{year}-01-20", f"The Team plan costs {euros} euros per month.",
        "Team plan", tags="price", meta={"team": "sales", "year": year, "for": ["all", 7]},
    )  # fmt: skip


PLANS = [plan(2022, 25), plan(2024, 29), plan(2025, 32)]
HOW_MUCH = "How much does the Team plan cost?"


def test_of_a_series_the_document_answers_that_held_at_the_date(tmp_path: Any) -> None:
    with corpus_with(tmp_path, *PLANS, now="2026-12-01") as corpus:
        then = corpus.at()
        said = {
            at: then.ask(HOW_MUCH, in_force=at).citations[0].quote[20:28]
            for at in ("2023-05", "2024-05", "2026")
        }
        assert said == {"2023-05": "25 euros", "2024-05": "29 euros", "2026": "32 euros"}
        hits = then.search("Team plan", in_force="2023-05").hits
        assert [(hit.document[11:15], hit.holds, hit.status) for hit in hits] == [
            ("2022", True, ("in force until 2024-01-20",)),
            ("2025", False, ("takes effect on 2025-01-20",)),
            ("2024", False, ("takes effect on 2024-01-20",)),
        ]
        assert then.ask(HOW_MUCH, in_force="2023-05").in_force == hits[0].at
        heads = then.context("Team plan", in_force="2023-05").text.split("\n")[::3]
        assert heads[0] == "[1] Team plan (2022-01-20), in force until 2024-01-20"
        none = then.ask(HOW_MUCH, in_force="2021-05")
        assert none.text.startswith("Nothing that is in force says so yet; this takes effect on 20")


def test_of_an_edited_document_the_version_answers_that_held_at_the_date(tmp_path: Any) -> None:
    versions = [
        doc("plan.md", f"{y}-01-20", f"The Team plan costs {p} euros.", "Team")
        for y, p in ((2022, 25), (2025, 32))
    ]
    with corpus_with(tmp_path, now="2026-12-01") as corpus:
        for each in versions:
            corpus.add(each)
        made = corpus.at().ask(HOW_MUCH, in_force="2023-05")
        assert made.citations[0].quote == "The Team plan costs 25 euros."
        assert (
            corpus.at().ask(HOW_MUCH, in_force="2025-05").citations[0].quote
            == "The Team plan costs 32 euros."
        )


def test_what_holds_comes_before_what_will_and_says_as_much(tmp_path: Any) -> None:
    """The other one has the better title."""
    documents = [
        doc("lease", "2022-01-01", "The rent of the flat is 500 euros a month.", "Lease",
            in_force=("2022-02-01", None)),
        doc("rise", "2024-10-20", "The rent is 600 euros.", "Rent of the house",
            in_force=("2025-01-20", None)),
    ]  # fmt: skip
    with corpus_with(tmp_path, *documents, now="2024-12-01") as corpus:
        first = [hit.document for hit in corpus.at().search("rent").hits]
        then = [hit.document for hit in corpus.at().search("rent", in_force="2024-08").hits]
        later = [hit.document for hit in corpus.at().search("rent", in_force="2025-08").hits]
    assert first == ["rise", "lease"]
    assert then == ["lease", "rise"]
    assert later == ["rise", "lease"]


@pytest.mark.parametrize(
    ("filters", "note"),
    [
        ({"tags": ["prise"]}, "no document has the tag 'prise'; did you mean price?"),
        ({"meta": {"tem": "sales"}}, "no document has the metadata 'tem'; did you mean team?"),
        ({"meta": {"team": "salse"}}, "no document has the metadata team='salse'; did you mean sales?"),
        ({"meta": {"team": ["salse", "x"]}},
         "no document has the metadata team='salse' or 'x'; did you mean sales?"),
        ({"path": "prices/"}, "no document's id matches 'prices/'; did you mean price/*?"),
        ({"meta": {"year": "2022.0"}}, None), ({"meta": {"for": 7}}, None), ({"meta": {"for": "all"}}, None),
    ],
)  # fmt: skip
def test_a_filter_that_no_document_passes_is_told_with_the_nearest_one(
    tmp_path: Any, filters: Any, note: str
) -> None:
    with corpus_with(tmp_path, *PLANS, now="2026-12-01") as corpus:
        for notes in (
            corpus.at().ask(HOW_MUCH, **filters).notes,
            corpus.at().search("plan", **filters).notes,
        ):
            assert [each for each in notes if each.startswith("nothing matches")] == (
                [f"nothing matches: {note}"] if note else []
            )
        early = corpus.at("2021").ask(HOW_MUCH, **filters)
        assert early.notes == (), "it does not tell that there is something later"


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("Mira works at Nordwind since 2019.", "Where did Mira work in 2022?"),
        ("Mira lives in Turin since 2019.", "Where did Mira live in 2022?"),
    ],
)
def test_since_a_year_reaches_to_the_present(tmp_path: Any, text: str, question: str) -> None:
    """Of what is to come nobody knows, nor of what was before."""
    with corpus_with(tmp_path, doc("note", "2026-11-01", text, "Mira"), now="2026-12-01") as corpus:
        assert corpus.at().ask(question).text == f"[1] “{text}” (Mira, 2026-11-01)"
        assert corpus.at().ask(question.replace("2022", "2017")).refused
        assert corpus.at().ask(question.replace("2022", "2031")).refused


# -- an end that is the value of a statement ----------------------------------------------------------------


@pytest.mark.parametrize("said", ["was extended to", "has been extended to", "is now extended to"])
def test_a_deadline_that_has_passed_is_not_followed_by_the_one_before(tmp_path: Any, said: str) -> None:
    new = f"The deadline of the grant {said} 28 February 2027."
    documents = (
        doc("a", "2026-10-01", "The deadline of the grant is 15 January 2027."),
        doc("b", "2026-11-01", new),
    )
    with corpus_with(tmp_path, *documents, now="2027-06-01") as corpus:
        for at in ("2026-11-20", "2027-02-01", "2027-06-01"):
            made = corpus.at(at).ask("When is the deadline of the grant?")
            assert [each.quote for each in made.citations] == [new], at
            old = next(hit for hit in corpus.at(at).search("deadline").hits if hit.document == "a")
            assert old.status == ("superseded on 2026-11-01 by b",)
        before = corpus.at("2026-10-15").ask("When is the deadline of the grant?")
        assert before.citations[0].quote == documents[0].text


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("Mira's passport expires on 3 March 2027.", "When does Mira's passport expire?"),
        (
            "The warranty of the boiler runs until 3 March 2027.",
            "Until when does the warranty of the boiler run?",
        ),
    ],
)
def test_an_end_that_is_stated_of_a_thing_stays_stated(tmp_path: Any, text: str, question: str) -> None:
    with corpus_with(tmp_path, doc("a", "2026-10-01", text, "Papers"), now="2027-06-01") as corpus:
        for at in ("2026-11-20", "2027-06-01"):
            assert corpus.at(at).ask(question).text == f"[1] “{text}” (Papers, 2026-10-01)"
