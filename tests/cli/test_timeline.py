"""`asof timeline`: from when until when an answer said what, and what contradicted it."""

from __future__ import annotations

import pytest
from tests.support.json_schema import against

from .conftest import filled


def master(date: str, name: str) -> str:
    result = f"The office opens at nine. The harbour master of Lowtide is {name}."
    return f"---\ndate: {date}\n---\n# Harbour master\n\n{result}\n"


@filled
def told(asof, write):
    """One note with three versions, another note that says otherwise in 2021, and one of another harbour."""
    write("notes/office.md", master("2019-03-01", "Ada Marsh"))
    write("notes/bread.md", "---\ndate: 2019-01-01\n---\n# Bread\n\nThe mill bakes rye bread on Fridays.\n")
    assert asof("index", "notes").code == 0
    write("notes/office.md", master("2020-05-01", "Tom Reed"))
    assert asof("index", "notes").code == 0
    write("notes/office.md", master("2022-02-01", "Ina Vogel"))
    write("notes/gazette.md", master("2021-01-10", "Olaf Brink"))
    assert asof("index", "notes").code == 0


def test_each_statement_with_its_span(asof, told):
    result = asof("timeline", "harbour", "master", "--as-of", "2020-12-31")
    assert result.code == 0
    assert result.out.splitlines() == [
        "as of 2020-12-31 · 2 statements",
        "2019-03-01 - 2020-05-01  Harbour master",
        "  The harbour master of Lowtide is Ada Marsh.",
        "  notes/office.md",
        "2020-05-01 - then  Harbour master",
        "  The harbour master of Lowtide is Tom Reed.",
        "  + Tom Reed",
        "  - Ada Marsh",
        "  notes/office.md",
    ]


def test_a_contradiction_is_shown_as_one(asof, told):
    """The gazette says otherwise from 2021-01-10 on; the office names one before 2022 and one after."""
    result = asof("timeline", "harbour master", "--json").json()
    assert [(entry["document"], entry["sentence"].split(" is ")[1]) for entry in result["entries"]] == [
        ("notes/office.md", "Ada Marsh."), ("notes/office.md", "Tom Reed."),
        ("notes/office.md", "Ina Vogel."),
    ]  # fmt: skip
    assert [[each["document"] for each in entry["contradicted_by"]] for entry in result["entries"]] == [
        [], ["notes/gazette.md"], ["notes/gazette.md"],
    ]  # fmt: skip
    text = asof("timeline", "harbour master").out
    line = "  contradicted by notes/gazette.md (2021-01-10): The harbour master of Lowtide is Olaf Brink."
    assert text.splitlines().count(line) == 2


def test_a_contradiction_is_not_shown_before_it_was_published(asof, told):
    result = asof("timeline", "harbour master", "--as-of", "2021-01-09", "--json").json()
    assert [entry["contradicted_by"] for entry in result["entries"]] == [[], []]


def test_another_source_that_says_otherwise_is_not_just_the_next(asof, write, told):
    """One price list follows another, but the first is of another source and is still said."""
    for folder, year, price in (("one", 2020, 40), ("two", 2021, 45)):
        result = f"A berth costs {price} crowns."
        write(f"{folder}/fee.md", f"---\ndate: {year}-01-01\n---\n# Berth fee\n\n{result}\n")
        assert asof("index", folder).code == 0
    result = asof("timeline", "berth fee", "--json").json()
    assert [(e["words_added"], e["words_removed"]) for e in result["entries"]] == [([], []), (["45"], ["40"])]
    assert [len(entry["contradicted_by"]) for entry in result["entries"]] == [1, 0]


def test_since_until_and_how_many(asof, told):
    def years(*options):
        result = asof("timeline", "harbour master", "--json", *options).json()
        return [entry["valid"]["from"][:4] for entry in result["entries"]], result["left_out"]

    assert years() == (["2019", "2020", "2022"], 0)
    assert years("--since", "2021") == (["2020", "2022"], 0)
    assert years("--until", "2020-04") == (["2019"], 0)
    assert years("-k", "1") == (["2022"], 2)
    assert "(2 older left out; -k 3 shows all)" in asof("timeline", "harbour master", "-k", "1").out


def test_what_was_not_known_is_not_told(asof, told):
    assert asof("timeline", "harbour master", "--known-at", "2019").code == 1


def test_nothing_found(asof, told):
    result = asof("timeline", "xylophone")
    assert (result.code, result.out.splitlines()) == (1, ["as of now · 0 statements", "nothing found"])
    assert asof("timeline", "xylophone", "--json").json()["entries"] == []


def test_one_statement_alone(asof, told):
    result = asof("timeline", "rye bread")
    assert result.code == 0
    assert result.out.splitlines()[0] == "as of now · 1 statement"
    assert "2019-01-01 - now  Bread" in result.out


@pytest.mark.parametrize(
    ("arguments", "told_why"),
    [
        ([" "], "QUERY is empty"),
        (["mole", "--since", "blue"], "--since"),
        (["mole", "-k", "0"], "0 is not between 1 and 1000"),
        (["mole", "--recipe", "nobody"], "nobody"),
    ],
)
def test_wrong_usage(asof, told, arguments, told_why):
    result = asof("timeline", *arguments)
    assert result.code == 2
    assert told_why in result.err


def test_a_note_cannot_steer_the_terminal(asof, write):
    write("evil.md", "---\ndate: 2020-01-01\n---\n# Bell\n\nThe bell \x1b[31m rings.\n")
    asof("index", ".")
    assert "\x1b[31m" not in asof("timeline", "bell").out


def test_the_json_keeps_its_schema(asof, told):
    for options in ([], ["--as-of", "2020"], ["-k", "1"]):
        assert against("timeline", asof("timeline", "harbour master", *options, "--json").json()) == []
