"""`asof search`: filters, clocks, forms of dates, what is printed."""

from __future__ import annotations

import re

import pytest


@pytest.fixture
def found(asof, notes):
    """The documents that a search finds, from best to last."""

    def search(*arguments: str) -> list[str]:
        return [hit["document"] for hit in asof("search", *arguments, "--json").json()["hits"]]

    return search


RED, BLUE, OAK = "notes/red.md", "notes/blue.md", "notes/more/oak.md"

FILTERS = [
    ([], {RED, BLUE, OAK}),
    (["--since", "2021"], {BLUE, OAK}),
    (["--until", "2021"], {RED, BLUE}),
    (["--since", "2021-01-10", "--until", "2021-01-10"], {BLUE}),
    (["--since", "2021", "--until", "2020"], set()),
    (["--about", "2021"], {BLUE}),
    (["--about", "2021-01-09"], set()),
    (["--about", "2020-01", "--since", "2021"], set()),
    (["--path", "notes/more/*"], {OAK}),
    (["--path", "nope/*"], set()),
    (["--tag", "paint"], {RED, BLUE}),
    (["--tag", "#paint"], {RED, BLUE}),
    (["--tag", "paint", "--tag", "yard"], {RED}),
    (["--meta", "site=south"], {BLUE}),
    (["--meta", "site=south", "--tag", "yard"], set()),
    (["--source", "notes"], {RED, BLUE, OAK}),
    (["--as-of", "2020"], {RED}),
    (["--as-of", "2020", "--since", "2021"], set()),
    (["--known-at", "2020"], set()),
    (["--unit", "document"], {RED, BLUE, OAK}),
]


@pytest.mark.parametrize(("options", "documents"), FILTERS)
def test_filters(found, options, documents):
    assert set(found("crane", *options)) == documents


def test_how_many(found):
    assert [len(found("crane", "-k", k)) for k in ("1", "2", "3", "1000")] == [1, 2, 3, 3]


def test_the_words_of_the_question_may_stand_apart(found):
    assert found("crane", "blue")[0] == BLUE


def test_quoted_words_have_to_stand_as_they_are(found):
    assert set(found('"crane is"')) == {RED, BLUE}


# Published on 2021-01-10, nobody knows at what hour: seen from the last instant of that day on.
DATES = [
    ("2021-01-10", True), ("2021-01-09", False), ("2021-01", True), ("2020-12", False), ("2021", True),
    ("2020", False), ("2021-Q1", True), ("2020-Q4", False), ("January 2021", True), ("10 January 2021", True),
    ("9 January 2021", False), ("2021-W02", True), ("2021-W01", True), ("2020-W53", False),
    ("2021-01-10T23:59:58Z", False), ("2021-01-11T00:00Z", True), ("2021-01-11T00:30+01:00", False),
    ("now", True), ("yesterday", True), ("3 months ago", True), ("last quarter", True),
    ("10 years ago", False),
]  # fmt: skip


@pytest.mark.parametrize(("date", "visible"), DATES)
def test_every_form_of_a_date(found, date, visible):
    assert (BLUE in found("blue", "--as-of", date)) is visible


@pytest.mark.parametrize("option", ["--as-of", "--known-at", "--since", "--until", "--about"])
@pytest.mark.parametrize("bad", ["nonsense", "2020-02-30", "", "99999", "03/04/2020"])
def test_a_bad_date_is_one_line(asof, notes, option, bad):
    result = asof("search", "crane", option, bad)
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith(f"asof search: {option}: {bad!r} is not a time")
    assert "2024-Q1" in result.err  # what is accepted
    assert len(result.err.splitlines()) == 1


def test_nothing_found_is_code_1(asof, notes):
    result = asof("search", "zeppelin")
    unknown = "note: no current passage contains: zeppelin"
    assert (result.code, result.out) == (1, f"as of now · 3 current passages\nnothing found\n{unknown}\n")
    result = asof("search", "zeppelin", "--json")
    assert (result.code, result.json()["hits"]) == (1, [])
    result = asof("search", "crane", "--as-of", "1850")
    assert result.code == 1
    assert result.out.startswith("as of 1850-12-31 · 0 current passages\n")


def test_what_a_reader_sees(asof, notes):
    result = asof("search", "blue crane", "-k", "1", "--as-of", "2021-06")
    head, first, second, third = result.out.splitlines()
    assert head == "as of 2021-06-30 · 2 current passages"
    assert first == "  1. Blue  2021-01-10 (frontmatter)"
    assert re.fullmatch(r"     notes/blue\.md  \d\.\d{4}", second)
    assert third == "     The crane is blue now."


def test_both_clocks_are_echoed(asof, notes):
    head = asof("search", "crane", "--known-at", "2020-06").out.splitlines()[0]
    assert re.fullmatch(r"as of 20\S+ \S+Z · known at 2020-06-30 · 0 current passages", head)


def test_undated_texts_say_so(asof, here, write):
    for number in range(6):  # so many files within a minute look like a copy: their mtimes say nothing
        write(f"notes/{number}.md", f"# Note {number}\n\ncrane\n")
    asof("index", "notes")
    assert asof("search", "crane").out.count("  undated\n") == 6


def test_json_tells_the_question(asof, notes):
    result = asof(
        "search", "the latest crane", "--as-of", "2021", "--since", "2020-02", "--tag", "paint", "--meta",
        "site=south", "--path", "notes/*", "--source", "notes", "-k", "4", "--json",
    )  # fmt: skip
    query = result.json()["query"]
    assert query["text"] == "the latest crane"
    assert query["recency"] > 0
    assert query["as_of"] == "2021-12-31T23:59:59.999999Z"
    assert query["since"] == "2020-02-01T00:00:00Z"
    assert (query["tags"], query["meta"], query["k"]) == (["paint"], {"site": "south"}, 4)
    assert (query["path"], query["source"]) == ("notes/*", "notes")
    (hit,) = result.json()["hits"]
    assert hit["published"] == {
        "from": "2021-01-10T00:00:00Z", "until": "2021-01-11T00:00:00Z",
        "text": "2021-01-10", "by": "frontmatter",
    }  # fmt: skip


def test_defaults_come_from_asof_toml(asof, notes, write):
    write("asof.toml", "[search]\nk = 2\n")
    assert len(asof("search", "crane", "--json").json()["hits"]) == 2
    write("asof.toml", "[search]\nkk = 2\n")
    result = asof("search", "crane")
    assert result.code == 2
    assert "did you mean search.k?" in result.err


@pytest.mark.parametrize("moment", ["9999", "9999-12-31", "0001"])
@pytest.mark.parametrize("window", [[], ["--since", "2019"], ["--until", "2022", "--tag", "paint"]])
def test_the_ends_of_the_calendar(asof, notes, moment, window):
    """What ends with the year 9999 has an end beyond what a datetime can say."""
    result = asof("search", "crane", "--as-of", moment, *window)
    assert result.code == (1 if moment == "0001" else 0)
    assert result.out.startswith(f"as of {moment[:4]}-12-31")


def test_an_empty_name_of_a_recipe_is_none(asof, notes):
    result = asof("search", "crane", "--recipe", "")
    assert result.code == 2
    assert "no recipe ''; accepted: asof, twe" in result.err


def test_what_a_passage_speaks_of_counts_before_its_date(asof, here, write):
    write("log/a.md", "---\npublished: 2021-03-03\nfiscal_year: 2020\n---\nThe crane of last month.")
    write("log/b.md", "---\npublished: 2021-03-04\n---\nThe crane stands.")
    asof("index", "log")
    result = asof("search", "crane", "--about", "2021-02", "--json").json()
    assert result["query"]["about"] == {"from": "2021-02-01T00:00:00Z", "until": "2021-03-01T00:00:00Z"}
    (hit,) = result["hits"]
    assert [(time["from"][:10], time["until"][:10], time["text"], time["by"]) for time in hit["about"]] == [
        ("2020-01-01", "2021-01-01", "FY 2020", "fiscal_year"),
        ("2021-02-01", "2021-03-01", "last month", "text"),
    ]  # fmt: skip
    assert "about FY 2020 (fiscal_year), last month (text)" in asof("search", "crane", "--about", "2020").out
    assert "about" not in asof("search", "crane").out
    assert "about FY 2020" in asof("search", "crane", "--explain").out
    assert "log/b.md" in asof("search", "crane", "--about", "2021-03").out
    assert asof("why-not", "log/a.md", "crane", "--about", "2021-03").out.count("a filter excludes it") == 1
    assert asof("search", "crane", "--json").json()["query"]["about"] is None


@pytest.mark.parametrize(
    ("when", "day"),
    [
        ("this week", "28 June 2024"),  # 30 June 2024 is a Sunday: from Monday 24
        ("last Tuesday", "25 June 2024"),
        ("last tuesday", "25 June 2024"),
        ("this month", "4 June 2024"),
        ("in QTR 1, 2024", "31 March 2024"),
    ],
)
def test_the_time_in_a_question_is_a_window_of_its_day(asof, here, when, day):
    for written in (day, "23 June 2023", "2 July 2022"):
        text = f"---\ndate: 2024-06-30\n---\nThe boiler was serviced on {written}.\n"
        (here / f"{written}.md").write_text(text, encoding="utf-8")
    asof("index", ".", "--index", ".")
    hits = asof("search", f"was the boiler serviced {when}", "--as-of", "2024-06-30", "--json").json()["hits"]
    assert hits[0]["document"] == f"{day}.md"
    assert hits[0]["score"] > hits[1]["score"]
