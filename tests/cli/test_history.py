"""`asof timeline`, `diff` and `when`: how answers change, and how times in a question are read."""

from __future__ import annotations

import re
import shlex
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from asof.cli.history import days_of
from asof.time.expressions import TimeContext, parse

# -- timeline ----------------------------------------------------------------------------------------------


def test_each_statement_with_its_span(asof, masters):
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


@pytest.mark.parametrize(
    ("options", "years", "left_out"),
    [
        ([], ["2019", "2020", "2022"], 0), (["--since", "2021"], ["2020", "2022"], 0),
        (["--until", "2020-04"], ["2019"], 0), (["-k", "1"], ["2022"], 2), (["--known-at", "2019"], [], 0),
    ],
)  # fmt: skip
def test_since_until_and_how_many(asof, masters, options, years, left_out):
    result = asof("timeline", "harbour master", "--json", *options)
    assert result.code == (0 if years else 1)
    assert [entry["valid"]["from"][:4] for entry in result.json()["entries"]] == years
    assert result.json()["left_out"] == left_out
    if left_out:
        assert "(2 older left out; -k 3 shows all)" in asof("timeline", "harbour master", *options).out


def test_one_statement_and_none(asof, masters):
    one = asof("timeline", "rye bread")
    assert (one.code, one.out.splitlines()[0]) == (0, "as of now · 1 statement")
    assert "2019-01-01 - now  Bread" in one.out
    none = asof("timeline", "xylophone")
    assert (none.code, none.out.splitlines()) == (1, ["as of now · 0 statements", "nothing found"])


# -- diff --------------------------------------------------------------------------------------------------


def test_the_values_at_two_dates_and_between(asof, fees):
    result = asof("diff", "ferry fee", "2020-12-31", "2021-12-31")
    assert result.code == 0
    assert result.out.splitlines() == [
        "as of 2021-12-31 · 2 statements",
        "2020-03-01 - 2021-03-01  Ferry fee 2020",
        "  The ferry fee to the island is 40 crowns.",
        "  + 40",
        "  - 30",
        "  notes/fee-2020.md",
        "2021-03-01 - then  Ferry fee 2021",
        "  The ferry fee to the island is 45 crowns.",
        "  + 45",
        "  - 40",
        "  notes/fee-2021.md",
    ]
    assert asof("diff", "ferry fee", "2021-12-31", "2020-12-31").out == result.out
    empty = asof("diff", "ferry", "2001", "2002")
    assert (empty.code, empty.out.splitlines()[1:]) == (1, ["nothing found"])


# -- when --------------------------------------------------------------------------------------------------

THEN = "2024-05-31"  # a Friday; asked at its last instant


def first(asof, text, *options):
    """The first mention of a text: its words, from, until."""
    mention = asof("when", text, "--as-of", THEN, "--json", *options).json()["mentions"][0]
    return mention["text"], *mention["span"].values()


def test_as_of_moves_the_view_never_forward(asof):
    text = "current chair as of June 2021"
    assert asof("when", text, "--json").json()["as_of"] == "2021-06-30T23:59:59.999999Z"
    before = asof("when", text, "--as-of", "2020", "--json").json()
    assert before["as_of"] == before["asked_at"] == "2020-12-31T23:59:59.999999Z"
    assert "as of  2021-06-30, by its words" in asof("when", text).out


def test_the_wish_is_told_with_its_reasons(asof):
    result = asof("when", "Who", "is", "the", "current", "chair?", "--json").json()
    assert (result["recency"], result["direction"]) == (1.0, "recent")
    assert "current" in result["reasons"]
    assert result["lexical"].split() == ["Who", "is", "the", "chair?"]
    shown = asof("when", "Who is the current chair?").out
    assert "asked for explicitly (recency 1)" in shown
    assert "because  current" in shown
    assert "not asked for (recency 0)" in asof("when", "How do tides work?").out


def test_what_a_reader_sees(asof):
    """Whole days by the first and the last one, other times by instants, other readings behind."""
    text = "since Q3 2023, on 3/4/2024, next Monday at 3pm, until May 2020"
    shown = asof("when", text, "--as-of", THEN).out
    assert shown.splitlines()[:6] == [
        "     asked  2024-05-31",
        "      time  “since Q3 2023”: 2023-07-01 and later (since, quarter)",
        "      time  “3/4/2024”: 2024-03-04 (in, day); or 2024-04-03",
        "      time  “next Monday at 3pm”: 2024-06-03T15:00:00Z until 2024-06-03T16:00:00Z (in, hour)",
        "      time  “until May 2020”: 2020-05-31 and earlier (until, month)",
        "  searched  , on , ,",
    ]
    assert "2024-01-01 to 2024-03-31 (in, quarter)" in asof("when", "the ferry in Q1 2024").out
    assert "time  none" in asof("when", "12345 units").out


def test_the_fiscal_year_is_that_of_asof_toml_and_the_languages_those_of_the_corpus(asof, write):
    """FY24 from July is July 2023 to June 2024, so its third quarter is January to March."""
    for toml, start, end in (
        ("", "2024-07-01", "2024-10-01"),
        ("[fields]\nfiscal_start = 7\n", "2024-01-01", "2024-04-01"),
    ):
        write("asof.toml", toml)
        found = first(asof, "profit in Q3 FY24")
        assert found == ("Q3 FY24", f"{start}T00:00:00Z", f"{end}T00:00:00Z")
    assert "(in, fiscal quarter)" in asof("when", "profit in Q3 FY24").out
    assert asof("when", "Umsatz letztes Jahr", "--as-of", THEN, "--json").json()["mentions"] == []
    write("notes/a.md", "Ein Kran.")
    assert asof("index", "notes", "--language", "de").code == 0
    found = first(asof, "Umsatz letztes Jahr")
    assert found == ("letztes Jahr", "2023-01-01T00:00:00Z", "2024-01-01T00:00:00Z")


# what words mean as an option: text -> the day it begins, the last day; None: refused there
OPTIONS = {
    "end of 2020": ("2020-09-01", "2020-12-31"),
    "Q3 FY20": ("2020-07-01", "2020-09-30"),
    "between March and May 2020": ("2020-03-01", "2020-05-31"),
    "since 2020": ("2020-01-01", None),
    "until 2020": (None, "2020-12-31"),
    "as of 2020": (None, "2020-12-31"),
}


@pytest.mark.parametrize(("text", "start", "last"), [(text, *ends) for text, ends in OPTIONS.items()])
def test_options_read_the_same_language(asof, refused, notes, text, start, last):
    """`--since` wants a start, `--until` and `--as-of` an end, `--about` takes either."""
    for option, day, clock in (("since", start, "00:00:00"), ("until", last, "23:59:59.999999")):
        command = ["search", "crane", f"--{option}", text]
        if day is None:
            end = "start" if option == "since" else "end"
            refused(command, f"--{option}: {text!r} has no {end}; give")
        else:
            assert asof(*command, "--json").json()["query"][option] == f"{day}T{clock}Z"
    result = asof("search", "crane", "--as-of", text, "--json")
    assert result.code == 2 if last is None else result.json()["query"]["as_of"] == f"{last}T23:59:59.999999Z"
    about = asof("search", "crane", "--about", text, "--json").json()["query"]["about"]
    assert (about["from"], about["until"] is None) == (start and f"{start}T00:00:00Z", last is None)


def test_options_count_from_now(asof, notes):
    """The notes are of January 2020, 2021 and 2022: the past 50 years hold them, the coming one none."""
    assert asof("search", "crane", "--since", "the past 50 years", "--json").code == 0
    assert asof("search", "crane", "--since", "next year", "--json").code == 1
    assert asof("search", "crane", "--until", "last spring", "--json").code == 0
    assert asof("correct", "notes/red.md", "early 2020").code == 0


# -- docs/explanation/time.md: words mean what its tables say, and its commands print what it shows --------

PAGE = (Path(__file__).parents[2] / "docs" / "explanation" / "time.md").read_text("utf-8")
MORE = (Path(__file__).parents[1] / "time" / "tables.md").read_text("utf-8")
"""Tables as those of the page, for what it has no room for."""
ASKED = datetime(2024, 5, 31, 12, tzinfo=UTC)
TABLE = re.compile(r"^\| asked on 31 May 2024(.*?) \| means \|\n\|---\|---\|\n((?:\|.*\n)+)", re.MULTILINE)
SHOWN = re.compile(r"^```console\n\$ asof (.*)\n```\n\n```text\n(.*?)```", re.MULTILINE | re.DOTALL)

MANNER: dict[str, dict[str, Any]] = {
    "": {}, ", fiscal years from July": {"fiscal_start": 7}, ", in German": {"language": "de"},
    ", in French": {"language": "fr"}, ", in Spanish": {"language": "es"},
    ", in Portuguese": {"language": "pt"}, ", in Italian": {"language": "it"},
    ", in Dutch": {"language": "nl"},
}  # fmt: skip
ROWS = [
    (how, *row.removeprefix("| `").removesuffix(" |").split("` | "))
    for how, rows in TABLE.findall(PAGE) + TABLE.findall(MORE)
    for row in rows.splitlines()
]
COMMANDS = SHOWN.findall(PAGE)


def test_the_page_has_tables_and_commands():
    assert TABLE.findall(PAGE)
    assert len(ROWS) > 50
    assert {how for how, _, _ in ROWS} == MANNER.keys()
    assert COMMANDS


@pytest.mark.parametrize(("how", "text", "meant"), ROWS, ids=[text for _, text, _ in ROWS])
def test_the_tables_of_the_page_are_true(how, text, meant):
    found = parse(text, ASKED, TimeContext(**MANNER[how]))
    told = [", or ".join(map(days_of, (each.span, *each.alternatives))) for each in found]
    assert ("; ".join(told) or "none") == meant


@pytest.mark.parametrize(("command", "output"), COMMANDS, ids=[command for command, _ in COMMANDS])
def test_the_commands_of_the_page_print_this(asof, command, output):
    result = asof(*shlex.split(command))
    assert (result.code, result.out) == (0, output)
