"""Tables: a cell is filled by a statement about its topic, its name and its period, or it is not found."""

from __future__ import annotations

import os
from typing import Any

import pytest
from tests.support.answers import answered, corpus_fixture, corpus_with, doc

from asof.answer.table import MAX_CELLS
from asof.documents import Document
from asof.hits import Answer
from asof.text.statements import laid_out
from asof.wire import encode

NONE = "not found"
FARES = "| Year | Adult | Child |\n|---|---|---|\n| 2019 | €4.50 | €2.00 |\n| 2021 | €5.10 | €2.40 |\n"
WIDE = "| Fare | 2019 | 2020 |\n|---|---|---|\n| Adult | €3.10 | €3.20 |\n| Child | €1.50 | €1.60 |\n"

island = corpus_fixture(
    doc("alder13", "2014-05-02", "At the end of the year it held reserves of £41,000. We thank the helpers.",
        "Alder Society annual report 2013"),
    doc("alder15", "2016-04-20", "Reserves stood at £46,500 (2014; £43,200).\n\n19 Reservation of rights\n\n"
        "Should it fail, the Society reserves the right to leave pursuant to Clause 18 of the terms.",
        "Alder Society accounts 2015"),
    doc("survey", "2016-11-01", "Birch Society had reserves of £127,000 in 2014 and £131,000 in 2016. "
        "Alder Society has four branches.", "Survey"),
    doc("north", "2022-03-01", FARES, "North Ferry fares"),
    doc("south", "2022-04-01", WIDE, "South Ferry fares"),
    doc("letter", "2020-03-01", "In 2020 we paid 40 crowns for a ferry and a bridge, which is no adult fare.",
        "Letters from the north and the south"),
    doc("board", "2016-05-12",
        "The budget of Fenshire for 2016 is £2.1 million; that of Moorland is £0.9 million.", "Board"),
)  # fmt: skip


def cells(made: Answer) -> list[tuple[str, str, str]]:
    return [(each.name, each.period, each.value) for each in made.values]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        (  # another society, a word of the same stem, the number of a clause, the year in a title
            "What were the reserves of Alder Society in 2013, 2014, 2015 and 2016?",
            [("Alder Society", "2013", "£41,000"), ("Alder Society", "2014", "£43,200"),
             ("Alder Society", "2015", "£46,500"), ("Alder Society", "2016", NONE)],
        ),
        (
            "What were the reserves of Alder Society and Birch Society in 2014 and 2016?",
            [("Alder Society", "2014", "£43,200"), ("Alder Society", "2016", NONE),
             ("Birch Society", "2014", "£127,000"), ("Birch Society", "2016", "£131,000")],
        ),
        (  # a year in each row, a year above each column; a range is each of its years
            "What was the adult fare of the North Ferry and the South Ferry from 2019 to 2021?",
            [("North Ferry", "2019", "€4.50"), ("North Ferry", "2020", NONE),
             ("North Ferry", "2021", "€5.10"), ("South Ferry", "2019", "€3.10"),
             ("South Ferry", "2020", "€3.20"), ("South Ferry", "2021", NONE)],
        ),
        (  # two names in one sentence
            "What was the budget of Fenshire and Moorland in 2015 and 2016?",
            [("Fenshire", "2015", NONE), ("Fenshire", "2016", "£2.1 million"),
             ("Moorland", "2015", NONE), ("Moorland", "2016", "£0.9 million")],
        ),
    ],
)  # fmt: skip
def test_each_cell_is_of_its_name_and_year(island: Any, question: str, expected: list[Any]) -> None:
    made = island.at().ask(question, mode="local")
    assert not made.refused
    assert cells(made) == expected
    quotes = {each.n: each.quote for each in made.citations}
    for each in made.values:
        assert (each.citation is None) == (each.value == NONE)
        assert each.citation is None or each.value in quotes[each.citation]


@pytest.mark.parametrize(
    "question",
    [
        "What were the reserves of Alder Society in 2020 and 2021?",  # nothing is known of these years
        "What were the reserves of North Ferry in 2019 and 2021?",  # or not that
    ],
)
def test_where_no_cell_is_found_the_answer_is_a_refusal(island: Any, question: str) -> None:
    made = island.at().ask(question, mode="local")
    assert made.refused
    assert made.text.startswith(f"No answer: {made.reason}.")
    assert [(each.value, each.citation) for each in made.values] == [(NONE, None), (NONE, None)]


def test_json_says_that_a_cell_is_not_found(island: Any) -> None:
    made = island.at().ask("What were the reserves of Birch Society in 2014 and 2015?", mode="local")
    of = {"name": "Birch Society", "measure": "reserves"}
    assert encode(made)["values"] == [
        {**of, "period": "2014", "value": "£127,000", "citation": 1},
        {**of, "period": "2015", "value": NONE, "citation": None},
    ]


LEAVE = [
    Document("leave.md", f"Annual leave is {days} days.", "Leave policy", f"{year}-02-01")
    for year, days in ((2018, 25), (2020, 27), (2023, 30))
]
HOW_MANY = "How many days of annual leave were there in 2016, 2019, 2021 and 2024?"


def test_a_page_that_was_edited_says_what_held_in_each_year(tmp_path: Any) -> None:
    with corpus_with(tmp_path) as corpus:
        for version in LEAVE:
            corpus.add([version])
        found = [value for _, _, value in cells(corpus.at().ask(HOW_MANY, mode="local"))]
        assert found == [NONE, "25 days", "27 days", "30 days"]
        before = [value for _, _, value in cells(corpus.at("2020-12-31").ask(HOW_MANY, mode="local"))]
        assert before[:2] == [NONE, "25 days"]
        assert "30 days" not in before


def test_the_day_of_a_copy_is_no_year_of_what_a_file_says(tmp_path: Any) -> None:
    """A file without a date in it fills a cell only where its words name the year."""
    for name, text in (("a", "The fee in 2019 was 5 euros."), ("b", "The fee of members was 6 euros.")):
        (tmp_path / f"{name}.txt").write_text(text)
        os.utime(tmp_path / f"{name}.txt", (1_588_000_000, 1_588_000_000))  # April 2020
    with corpus_with(tmp_path / ".index") as corpus:
        corpus.add(tmp_path)
        made = corpus.at().ask("What was the fee in 2019 and 2020?", mode="local")
    assert [value for _, _, value in cells(made)] == ["5 euros", NONE]


def test_sources_that_contradict_each_other_fill_no_cell(tmp_path: Any) -> None:
    before = {"a": "Rain fell for nine days.", "b": "The warden measured it.", "c": "A dry year."}
    documents = [
        doc(
            name,
            f"{year}-05-01",
            f"{before[name]} The height of the flood was {height} metres in March {year}.",
        )
        for name, year, height in (("a", 2021, "2.4"), ("b", 2021, "3.1"), ("c", 2022, "0.3"))
    ]
    question = "What was the height of the flood in March 2021 and in March 2022?"
    made = answered(tmp_path, question, *documents, mode="local")
    assert [value for _, _, value in cells(made)] == [NONE, "0.3 metres"]
    assert any(note.startswith("2021-03: the sources contradict each other") for note in made.notes)


def test_so_many_cells_are_looked_up(tmp_path: Any) -> None:
    years = ", ".join(map(str, range(1990, 2020)))
    asked = f"What was the fare of Esker and Tarn in {years}?"
    made = answered(
        tmp_path, asked, doc("a", "1991-05-01", "The fare of Esker was 5 euros in 1990.", "Esker")
    )
    assert len(made.values) == MAX_CELLS
    assert f"the question asks for 60 values: the first {MAX_CELLS} are looked up" in made.notes


def test_a_document_of_one_year_fills_no_cell_of_a_later_one(tmp_path: Any) -> None:
    """Its title says of which year it is; a year in the metadata may be no more than that of publication."""
    fees = doc("fees", "2019-02-01", "The fee is 5 euros.", "Fees 2019")
    rule = doc("rule", "2019-02-01", "The toll is 3 euros.", "Toll", meta={"year": 2019})
    for asked, later in ((("fee", fees), NONE), (("toll", rule), "3 euros")):
        question, told = f"What was the {asked[0]} in 2019 and 2021?", asked[1]
        made = answered(tmp_path / asked[0], question, told, mode="local")
        assert cells(made) == [("", "2019", f"{5 if told is fees else 3} euros"), ("", "2021", later)]


home = corpus_fixture(
    doc("insurance", "2024-01-05",
        "| Year | Property | Insurer | Premium |\n|---|---|---|---|\n"
        "| 2021 | Flat | Halden 24 | 312.00 |\n| 2021 | Garage | Halden 24 | 44.00 |\n"
        "| 2022 | Flat | Halden 24 | 338.00 |\n| 2022 | Garage | Corvid | 47.00 |\n", "Insurance"),
    doc("flat", "2022-03-01", "It has three rooms. In 2021 the rent was £870 a month.", "Flat"),
    doc("garage", "2022-03-02", "In 2021 the rent was £45 a month. It has two keys.", "Garage"),
    doc("both", "2022-03-03", "For the flat the rent of the garage was waived: 10 euros in 2022.", "Letter"),
    doc("friends", "2017-06-01", "We mean to build up reserves of 2 months of cost, or £900,000, in 2016."
        "\n\nAt the end of 2016 reserves stood at £324,000.\n\nIn 2015 a guide to reserves took 3 months.",
        "Annual report"),
    doc("ferry", "2023-08-01", "The ferry cost 84 euros in 2022. In 2023 the ferry left at 7:40 from pier 3.",
        "Trips"),
    doc("sales", "2024-07-15", "| Branch | Q1 2024 revenue | Q2 2024 revenue | Head |\n|---|---|---|---|\n"
        "| Turin | €1,240,000 | €1,310,000 | G Ferri |\n| Lyon | €980,000 | €1,020,000 | A Roche |\n",
        "Sales by branch"),
    doc("post", "2024-02-02", "The salary of the Data and Information Manager is £41,000.", "Post"),
    doc("phone", "2023-12-30", "The phone contract was with Telvia in 2021 and cost £18 a month in 2022.",
        "Phone"),
    doc("cats", "2024-02-11", "| Year | Practice | Bill |\n|---|---|---|\n| 2022 | Quay Vets | 140 euros |\n"
        "| 2023 | Old Mill Clinic | 151 euros |\n", "Vet bills"),
    doc("driver", "2024-02-03", "The salary of the driver is £23,000.", "Post: driver"),
)  # fmt: skip


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        # the column that has the word for what is asked for, whatever shares its stem
        ("What was the insurance premium of the flat in 2021 and 2022?", ["312.00", "338.00"]),
        ("What was the insurer of the flat and garage in 2022?", ["Halden 24", "Corvid"]),
        # what belongs to something else is no value, not in its own document nor below another title
        ("What was the rent of the flat in 2021 and 2022?", ["£870 a month", NONE]),
        ("flat rent 2021, 2022", ["£870 a month", NONE]),
        ("garage rent 2021, 2023", ["£45 a month", NONE]),
        # money, not a length of time; and the figure beside the word
        ("What were the reserves in 2015 and 2016?", [NONE, "£324,000"]),
        ("How much was the ferry in 2022 and 2023?", ["84 euros", NONE]),
        # of a sentence the time beside the figure; a row of its title's subject
        ("How much was the phone contract in 2021 and 2022?", [NONE, "£18 a month"]),
        ("What was the vet bill in 2022 and 2023?", ["140 euros", "151 euros"]),
        # words that both share
        ("Q1 and Q2 revenue Turin 2024", ["€1,240,000", "€1,310,000"]),
        ("What was the rent and insurance premium of the flat in 2021?", ["£870 a month", "312.00"]),
        # something of which no passage has a word
        ("What is the salary of the driver and the librarian?", ["£23,000", NONE]),
        # an "and" inside a name, and one between two things
        ("What is the salary of the driver and the data and information manager?", ["£23,000", "£41,000"]),
    ],
)
def test_a_cell_has_the_value_of_its_thing_and_kind_or_none(home: Any, question: str, expected: Any) -> None:
    made = home.at().ask(question, mode="local")
    assert [value for _, _, value in cells(made)] == expected


@pytest.mark.parametrize("name", ["Data and Information Manager", "data and information manager"])
def test_an_and_inside_a_name_joins_no_two_things(home: Any, name: str) -> None:
    made = home.at().ask(f"What is the salary of the {name}?", mode="local")
    assert made.values == ()
    assert "£41,000" in made.citations[0].quote


def values(made: Answer) -> list[str]:
    return [each.value for each in made.values]


def accounts(year: int, figures: str) -> Document:
    return doc(f"meadow{year}", f"{year + 1}-04-01", figures, f"Meadow Foundation annual report {year}")


def test_figures_in_running_text_belong_to_the_label_before_them(tmp_path: Any) -> None:
    """As a page of a PDF is read: below its years, or without them the first of the year of the document."""
    headed = "Page 4\n\nSummary 2021 2020 Reserves (£) 1,204,000 1,150,000 Average number of staff 112 109"
    bare = "Reserves (£) 1,300,000 1,204,000 Average number of staff 118 112"
    uncertain = "Key figures Reserves (£) Staff 1,350,000 1,300,000 121 118"
    told = [accounts(2021, headed), accounts(2022, bare), accounts(2023, uncertain)]
    question = "How many staff did Meadow Foundation have from 2020 to 2023?"
    with corpus_with(tmp_path, *told) as corpus:
        assert values(corpus.at().ask(question, mode="local")) == ["109", "112", "118", NONE]
        reserves = corpus.at().ask(
            "What were the reserves of Meadow Foundation in 2021 and 2022?", mode="local"
        )
        assert values(reserves) == ["1,204,000 (£)", "1,300,000 (£)"]
        before = corpus.at("2022-12-31").ask(question, mode="local")
    assert values(before) == ["109", "112", NONE, NONE]


def test_days_and_months_of_a_sentence_are_no_table() -> None:
    assert laid_out("Adults 29 Children 14 Dogs 3") != []
    assert laid_out("Valid from 29 April to 1 October 2023.") == []


@pytest.mark.parametrize(
    ("unit", "shown"), [("£000", " (£000)"), ("EUR million", " (EUR million)"), ("", "")]
)
def test_a_header_is_no_value_and_its_unit_is_that_of_the_values(
    tmp_path: Any, unit: str, shown: str
) -> None:
    table = f"| {unit} | 2022 | 2021 |\n|---|---|---|\n| Grants | 25 | 20 |\n| Pay | 310 | 290 |\n"
    made = answered(
        tmp_path, "What were the grants in 2021 and 2022?", doc("w", "2023-03-01", table, "Accounts 2022")
    )
    assert values(made) == [f"20{shown}", f"25{shown}"]


def test_no_highest_of_a_table_that_lacks_a_value(tmp_path: Any) -> None:
    told = [
        doc("a", "2023-03-01", "Total income for the year was £2,150,000.", "Alder Trust annual report 2022"),
        doc("b", "2023-03-01", "The trust planted trees.", "Birch Trust annual report 2022"),
        doc("c", "2023-03-01", "Total income for the year was £1,150,000.", "Cedar Trust annual report 2022"),
    ]
    with corpus_with(tmp_path, *told) as corpus:
        ask = corpus.at().ask
        all_three = ask("Which had the highest income in 2022, Alder Trust, Birch Trust or Cedar Trust?")
        assert all_three.text.startswith("highest: unknown; Birch Trust  2022 not found\n")
        two = ask("Which had the highest total income in 2022, Alder Trust or Cedar Trust?")
        assert two.text.startswith("highest: Alder Trust  2022, £2,150,000\n")
        total = ask("What was the total income of Cedar Trust in 2021 and 2022?")
        assert values(total) == [NONE, "£1,150,000"]


HIRE = (
    "| Room | Half day | Full day |\n|---|---|---|\n| Main Hall | £90 | £160 |\n| Oak Room | £48 | £88 |\n"
    "| Garden Room | £40 | £75 |\n"
)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What does a full day in the Main Hall cost, and half a day?", ["£160", "£90"]),
        ("What does a half day in the Oak Room cost, and a full day?", ["£48", "£88"]),
        ("What does a full day in the Oak Room and in the Garden Room cost?", ["£88", "£75"]),
    ],
)
def test_a_row_of_another_thing_fills_no_cell(tmp_path: Any, question: str, expected: list[str]) -> None:
    assert values(answered(tmp_path, question, doc("p", "2024-01-05", HIRE, "Hire charges"))) == expected


def test_a_person_is_no_number_and_who_leaves_is_not_in_office_after(tmp_path: Any) -> None:
    told = [
        doc("m13", "2013-05-01", "Ada Holm was elected chair.", "Minutes of the meeting 2013"),
        doc("m16", "2016-05-01", "Contents Chair's report 3 Notes 5", "Minutes of the meeting 2016"),
        doc("m17", "2017-05-01", "Ada Holm retired as chair in March.", "Minutes of the meeting 2017"),
        doc("m21", "2021-05-01", "Sam Ode is the treasurer.", "Minutes of the meeting 2021"),
        doc("m22", "2022-05-01", "Sam Ode resigned as treasurer. Idris Cole was elected in his place.",
            "Minutes of the meeting 2022"),
    ]  # fmt: skip
    with corpus_with(tmp_path, *told) as corpus:
        chair = corpus.at().ask("Who was the chair in 2013, 2016 and 2017?", mode="local")
        assert values(chair) == ["“Ada Holm was elected chair.”", NONE, NONE]
        treasurer = corpus.at().ask("Who was the treasurer in 2021 and 2022?", mode="local")
        assert "Idris Cole was elected" in values(treasurer)[1]


def test_a_number_in_words_fills_a_cell(tmp_path: Any) -> None:
    for year, days in ((2022, "two"), (2025, "four")):
        (tmp_path / f"home-{year}.md").write_text(
            f"---\ntitle: Home working\ndate: {year - 1}-11-01\nvalid_from: {year}-01-01\n---\n"
            f"Employees may work from home {days} days a week.\n"
        )
    with corpus_with(tmp_path / ".index") as corpus:
        corpus.add(tmp_path)
        question = "How many days a week may employees work from home in 2023 and in 2025?"
        assert values(corpus.at("2026").ask(question, mode="local")) == ["two days", "four days"]
        assert values(corpus.at("2024-06-30").ask(question, mode="local"))[1] != "four days"


def test_what_a_value_was_changed_to_holds_after(tmp_path: Any) -> None:
    told = [
        doc("l", "2021-03-01", "The upload limit is 5 GB.", "Limits"),
        doc("r", "2022-06-01", "The upload limit was raised to 10 GB.", "News"),
    ]
    question = "What was the upload limit in 2021 and in 2024?"
    with corpus_with(tmp_path, *told) as corpus:
        assert values(corpus.at().ask(question, mode="local")) == ["5 GB", "10 GB"]
        assert "10 GB" not in corpus.at("2022-01-01").ask(question, mode="local").text


def test_a_year_that_is_named_and_not_found_leaves_the_highest_unknown(tmp_path: Any) -> None:
    told = [
        doc(f"s{y}", f"{y + 1}-02-01", f"Attendance was {n}.", f"Fair report {y}")
        for y, n in ((2019, 41), (2021, 52))
    ]
    made = answered(tmp_path, "Which year had the highest attendance, 2019, 2020 or 2021?", *told)
    assert (values(made), made.text.partition("\n")[0]) == (
        ["41", NONE, "52"],
        "highest: unknown; 2020 not found",
    )


def test_two_years_written_as_one_are_one_period(tmp_path: Any) -> None:
    told = [
        doc("f1", "2017-08-01", "Membership was 410 in 2016-17.", "Club report 2016-17"),
        doc("f2", "2018-08-01", "Membership was 450 in 2017-18.", "Club report 2017-18"),
    ]
    made = answered(tmp_path, "What was the membership in 2016-17 and 2017-18?", *told)
    assert cells(made) == [("", "2016-17", "410"), ("", "2017-18", "450")]
