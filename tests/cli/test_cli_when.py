"""`asof when`: how the time in a question is read, and what the options that take a time do with words."""

from __future__ import annotations

import pytest
from tests.support.json_schema import against

THEN = "2024-05-31"  # a Friday; asked at its last instant


def first(asof, text, *options):
    """The first mention of a text: its words, from, until."""
    mention = asof("when", text, "--as-of", THEN, "--json", *options).json()["mentions"][0]
    return mention["text"], *mention["span"].values()


@pytest.mark.parametrize(
    ("text", "words", "start", "end", "grain", "relation"),
    [
        ("Marketing 2023", "2023", "2023-01-01", "2024-01-01", "year", "in"),
        ("sales since Q3 2023", "since Q3 2023", "2023-07-01", None, "quarter", "since"),
        ("who led before March 2021?", "before March 2021", None, "2021-03-01", "month", "before"),
        ("rain last spring", "last spring", "2023-03-01", "2023-06-01", "season", "in"),
        ("ferries from 2019 to 2021", "from 2019 to 2021", "2019-01-01", "2022-01-01", "year", "between"),
        ("the fares as of June 2021", "as of June 2021", None, "2021-07-01", "month", "as of"),
    ],
)  # fmt: skip
def test_a_mention_has_its_words_and_its_span(asof, text, words, start, end, grain, relation):
    """Spring 2024 is not over at the last instant of May, so the last one is that of 2023."""
    (mention,) = asof("when", text, "--as-of", THEN, "--json").json()["mentions"]
    assert text[mention["start"] : mention["end"]] == mention["text"] == words
    span = {"from": start and f"{start}T00:00:00Z", "until": end and f"{end}T00:00:00Z"}
    assert mention["span"] == span
    assert (mention["grain"], mention["relation"]) == (grain, relation)


@pytest.mark.parametrize("text", ["12345 units", "room 2024B", "who looks after the boiler", "Windows 2000"])
def test_where_no_time_is_said_none_is_found(asof, text):
    result = asof("when", text, "--json")
    assert result.code == 0
    assert result.json()["mentions"] == []
    assert result.json()["as_of"] == result.json()["asked_at"]
    assert result.json()["lexical"] == text
    assert "time  none" in asof("when", text).out


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
    shown = asof(
        "when", "since Q3 2023, on 3/4/2024, next Monday at 3pm, until May 2020", "--as-of", THEN
    ).out
    assert shown.splitlines()[:6] == [
        "     asked  2024-05-31",
        "      time  “since Q3 2023”: 2023-07-01 and later (since, quarter)",
        "      time  “3/4/2024”: 2024-03-04 (in, day); or 2024-04-03",
        "      time  “next Monday at 3pm”: 2024-06-03T15:00:00Z until 2024-06-03T16:00:00Z (in, hour)",
        "      time  “until May 2020”: 2020-05-31 and earlier (until, month)",
        "  searched  , on , ,",
    ]
    assert "2024-01-01 to 2024-03-31 (in, quarter)" in asof("when", "the ferry in Q1 2024").out
    assert "\x1b" not in asof("when", "red \x1b[31m 2020").out


def test_the_fiscal_year_is_that_of_asof_toml(asof, write):
    """FY24 from July is July 2023 to June 2024, so its third quarter is January to March."""
    calendar, fiscal = ("2024-07-01", "2024-10-01"), ("2024-01-01", "2024-04-01")
    for toml, (start, end) in (("", calendar), ("[fields]\nfiscal_start = 7\n", fiscal)):
        write("asof.toml", toml)
        found = first(asof, "profit in Q3 FY24")
        assert found == ("Q3 FY24", f"{start}T00:00:00Z", f"{end}T00:00:00Z")
    assert "(in, fiscal quarter)" in asof("when", "profit in Q3 FY24").out


def test_the_languages_are_those_of_the_corpus(asof, write):
    assert asof("when", "Umsatz letztes Jahr", "--as-of", THEN, "--json").json()["mentions"] == []
    write("notes/a.md", "Ein Kran.")
    assert asof("index", "notes", "--language", "de").code == 0
    found = first(asof, "Umsatz letztes Jahr")
    assert found == ("letztes Jahr", "2023-01-01T00:00:00Z", "2024-01-01T00:00:00Z")
    assert asof("when", "Umsatz", "--index", "nowhere").code == 2


def test_every_answer_keeps_the_schema(asof):
    for text in (
        "12345 units",
        "current fares as of June 2021",
        "since 2019 and on 3/4/2024, Q1 FY24, May Day",
    ):
        assert against("when", asof("when", text, "--json").json()) == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([""], "TEXT is empty"),
        ([" ", "\n"], "TEXT is empty"),
        ([], "Missing argument 'TEXT...'"),
        (["x", "--as-of", "soon"], "--as-of: 'soon' is not a time"),
        (["x" * 5_001], "TEXT has 5,001 characters; accepted: up to 5,000"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_what_is_refused(asof, arguments, message):
    result = asof("when", *arguments)
    assert (result.code, result.out) == (2, "")
    assert message in result.err


# what words mean as an option: text -> the day it begins, the last day; None: refused there
OPTIONS = {
    "end of 2020": ("2020-09-01", "2020-12-31"),
    "Q3 FY20": ("2020-07-01", "2020-09-30"),
    "the summer of 2020": ("2020-06-01", "2020-08-31"),
    "2019-2021": ("2019-01-01", "2021-12-31"),
    "between March and May 2020": ("2020-03-01", "2020-05-31"),
    "since 2020": ("2020-01-01", None),
    "after 2019": ("2020-01-01", None),
    "from 2020 on": ("2020-01-01", None),
    "until 2020": (None, "2020-12-31"),
    "by the end of 2020": (None, "2020-12-31"),
    "before 2021": (None, "2020-12-31"),
    "as of 2020": (None, "2020-12-31"),
}


@pytest.mark.parametrize(("text", "start", "last"), [(text, *ends) for text, ends in OPTIONS.items()])
def test_options_read_the_same_language(asof, notes, text, start, last):
    """`--since` wants a start, `--until` and `--as-of` an end, `--about` takes either."""
    for option, day, clock in (("since", start, "00:00:00"), ("until", last, "23:59:59.999999")):
        result = asof("search", "crane", f"--{option}", text, "--json")
        if day is None:
            assert result.code == 2
            assert (
                f"--{option}: {text!r} has no {'start' if option == 'since' else 'end'}; give" in result.err
            )
        else:
            assert result.json()["query"][option] == f"{day}T{clock}Z"
    result = asof("search", "crane", "--as-of", text, "--json")
    assert result.code == 2 if last is None else result.json()["query"]["as_of"] == f"{last}T23:59:59.999999Z"
    about = asof("search", "crane", "--about", text, "--json").json()["query"]["about"]
    assert (about["from"], about["until"] is None) == (start and f"{start}T00:00:00Z", last is None)


def test_options_count_from_now(asof, notes):
    """The notes are of January 2020, 2021 and 2022: the past 50 years hold them, the coming one none."""
    assert asof("search", "crane", "--since", "the past 50 years", "--json").code == 0
    assert asof("search", "crane", "--since", "next year", "--json").code == 1
    assert asof("search", "crane", "--until", "last spring", "--json").code == 0


def test_a_change_needs_both_ends(asof, notes):
    for text in ("since 2020", "until 2020"):
        assert asof("correct", "notes/red.md", text).code == 2
    assert "has no start" in asof("vacuum", "--before", "until 2020", "--yes").err
    assert asof("correct", "notes/red.md", "early 2020").code == 0
