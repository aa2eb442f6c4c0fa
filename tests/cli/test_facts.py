"""`asof facts`, `report` and `precompute`: what is known of a subject or a period."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest
from tests.support.fact_lines import CALLED
from tests.support.json_schema import against
from tests.support.market import sales, stall
from tests.support.openai_server import ModelServer, status
from tests.support.stated_facts import Sentences

from asof.corpus.corpus import open as open_corpus
from asof.extensions.facts.extraction import extract_all
from asof.models.metered import USD, amount

from .conftest import filled, jsonl, note

# -- facts -------------------------------------------------------------------------------------------------


def test_facts_by_relation_in_order_of_their_time(asof, ropes):
    result = asof("facts", "Quay", "Ropes", "--relation", "gross margin")
    assert (result.code, result.err) == (0, "")
    assert result.out.splitlines() == [
        "Quay Ropes, Inc. (QRI) as of now · 4 facts",
        "  gross margin",
        "    2024-Q1   55.8%      [notes/q1.md]",
        "    2024-Q1   up 160bp   [notes/q1.md]",
        "    2024-Q2   61%        [notes/q2.md]",
        "      contradicted by 58% [notes/gazette.md] (2024-09-01)",
        "    2024-Q2   58%        [notes/gazette.md]",
        "      contradicted by 61% [notes/q2.md] (2024-08-01)",
    ]
    assert asof("facts", "QRI", "--relation", "revenue").out.splitlines()[2:] == [
        "    2024-Q2   $3.7 billion    [notes/q2.md]",
        "      also stated by notes/gazette.md",
        "    2024-Q2   $3.68 billion   [notes/gazette.md]",
        "      also stated by notes/q2.md",
    ], "figures that round to each other are the same"


def test_a_state_and_what_came_in_its_place(asof, ropes):
    """The text that says what LHT means is gone, too."""
    assert asof("facts", "LHT").out.splitlines() == [
        "LHT as of now · 2 facts",
        "  mayor",
        "    2024-01-10 - 2025-02-01   Ada Marsh   [notes/town.md]",
        "      superseded by Tom Reed [notes/town.md] (2025-02-01)",
        "      removed on 2025-02-01",
        "    since 2025-02-01          Tom Reed    [notes/town.md]",
    ]
    assert asof("facts", "Lowtide Harbour Town", "--as-of", "2025-01-31").out.splitlines() == [
        "Lowtide Harbour Town (LHT) as of 2025-01-31 · 1 fact",
        "  mayor",
        "    since 2024-01-10   Ada Marsh   [notes/town.md]",
    ]


def test_why(asof, ropes):
    lines = asof("facts", "LHT", "--why", "--as-of", "2024-12").out.splitlines()
    stated = f'"Lowtide Harbour Town | {CALLED} | LHT" [notes/town.md] (2024-01-10)'
    assert lines[1] == f"  LHT is Lowtide Harbour Town: {stated}"
    assert lines[-1] == (
        '      "LHT | mayor | Ada Marsh" - visible since 2024-01-10; time read from the date of publication'
    )
    why = asof("facts", "QRI", "--why").out
    assert "QRI is Quay Ropes, Inc.: its title and metadata [notes/q1.md]" in why
    assert "time read from its words: 2024-Q1" in why


@pytest.mark.parametrize(
    ("options", "figures", "left_out"),
    [
        (["--since", "2024-05", "--relation", "margin"], ["61%", "58%"], 0),
        (["--until", "2024-03"], ["55.8%", "up 160bp"], 0), (["-k", "1"], ["$3.68 billion"], 5),
    ],
)  # fmt: skip
def test_since_until_and_how_many(asof, ropes, options, figures, left_out):
    result = asof("facts", "QRI", "--json", *options).json()
    assert [fact["object"] for group in result["groups"] for fact in group["facts"]] == figures
    assert result["left_out"] == left_out
    if left_out:
        assert "(5 older left out; -k 6 shows all)" in asof("facts", "QRI", *options).out


def test_what_was_not_known_or_is_of_nobody(asof, ropes):
    for options in (["--known-at", "2023"], ["--as-of", "2024-01"]):
        result = asof("facts", "Quay Ropes", *options)
        assert (result.code, result.out.partition(";")[0].strip()) == (1, "no fact about Quay Ropes")
    result = asof("facts", "Quai Ropes")
    assert (result.code, result.out) == (1, "no fact about Quai Ropes; did you mean Quay Ropes?\n")
    found = asof("facts", "Quai Ropes", "--json").json()
    assert (found["similar_names"], found["groups"], found["names"]) == (["Quay Ropes"], [], [])
    result = asof("facts", "QRI", "--relation", "profit")
    assert (result.code, result.out.splitlines()[1:]) == (1, ["nothing found"])


def test_facts_that_the_rules_find(asof, write):
    """End to end, without another extractor: the first question reads what is new."""
    results = "Revenue was $3.7 million in the first quarter of 2024, up 5% year over year."
    write("notes/q1.md", note("2024-05-07", "Results", results, company="Quay Ropes, Inc."))
    write("notes/q2.md", note("2020-05-07", "Harbour", "Marta Quill is harbour master of Lowtide."))
    assert asof("index", "notes").code == 0
    result = asof("facts", "Quay Ropes")
    assert (result.code, result.err) == (0, "")
    assert result.out.splitlines()[0].startswith("Quay Ropes, Inc. as of now · ")
    assert "2024-Q1   $3.7 million" in result.out
    assert "harbour master" in asof("facts", "Marta Quill").out


# -- reports -----------------------------------------------------------------------------------------------


@filled
def ferry(asof, write):
    """Fares of two quarters, told in documents of two years, with their facts."""
    told = (
        ("old", "2023-12-01", "Ferry fare was $2 in 2023-Q4."),
        ("new", "2024-03-01", "Ferry fare was $3 in 2024-Q1."),
        ("also", "2024-03-02", "Ferry fare was $3 in 2024-Q1."),
        ("closed", "2024-06-01", "Ferry closed doors in 2024."),
    )
    write("told.jsonl", jsonl({"id": i, "title": i.title(), "date": d, "text": t} for i, d, t in told))
    asof("index", "told.jsonl")
    with open_corpus(".", create=False) as corpus, closing(corpus.store.writer()) as db:
        extract_all(corpus.store, db, Sentences())


def test_a_report_tells_its_points_their_change_and_their_sources(asof, ferry):
    result = asof("report", "2024-Q1")
    assert (result.code, result.err) == (0, "")
    assert result.out.splitlines() == [
        "2024-Q1  as of now",
        "  2 facts in 2 documents; named most often: Ferry",
        "  - Ferry fare was $3 in 2024-Q1.",
        "    $2 -> $3, +50.0% against 2023-Q4",
        "    2024-Q1: New, 2024-03-01 [new]",
        "    2024-Q1: Also, 2024-03-02 [also]",
        "(1 fact of longer times (2024) not reported here)",
    ]
    found = asof("report", "2024-Q1", "--json").json()
    assert against("report", found) == []
    (point,) = found["reports"][0]["points"]
    assert point["changes"] == ["$2 -> $3, +50.0% against 2023-Q4"]
    assert point["because"] == "corroborated"
    assert [each["document"] for each in point["citations"]] == ["new", "also"]
    assert found["span"] == {"from": "2024-01-01T00:00:00Z", "until": "2024-04-01T00:00:00Z"}
    assert found["notes"] == ["1 fact of longer times (2024) not reported here"]


def test_reports_as_of_a_date_of_several_periods_and_about_a_name(asof, ferry):
    result = asof("report", "2024-Q1", "--as-of", "2024-03-01")
    assert ("New" in result.out, "Also" in result.out) == (True, False)
    assert result.out.startswith("2024-Q1  as of 2024-03-01\n  1 fact in 1 document;")
    early = asof("report", "2024-Q1", "--as-of", "2024-02")
    assert (early.code, early.out) == (1, "(no facts in this period)\n")
    assert asof("report", "2024-Q1", "--known-at", "2020").code == 1
    assert asof("report", "first", "half", "of", "2024").out.startswith("2024-Q1  ")
    both = asof("report", "2023-2024", "--about", "ferry").out
    assert both.index("ferry, 2023  ") < both.index("ferry, 2024  ")
    assert "Ferry closed doors in 2024." in both
    nothing = asof("report", "2024", "--about", "zebra")
    assert (nothing.code, nothing.out) == (1, "(no facts about 'zebra' in this period)\n")


# -- precompute: what is read, what it would cost and costs, and what is left ------------------------------

TOML = """
[model]
url = "{url}"
model = "reader"
attempts = 1
prices = {{prompt = 2.0, reply = 10.0}}
"""
BY_MODEL = f'{TOML}\n[facts]\nextractor = "model"\n'


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer(says=sales) as there:
        yield there


@pytest.fixture
def market(asof, write, users, server: ModelServer) -> ModelServer:
    """Four notes about stalls in an index, and a model that reads them."""
    for number in range(4):
        write(f"notes/{number}.md", f"---\ndate: 2021-05-04\n---\n{stall(number)}\n")
    users(BY_MODEL.format(url=server.url))
    assert asof("index", "notes").code == 0
    return server


def matches(pattern: str, text: str) -> bool:
    """True if a line is a pattern."""
    return re.search(f"^{pattern}$", text, re.MULTILINE) is not None


def cost_of(server: ModelServer) -> str:
    return amount(
        (2 * server.prompt_tokens + 10 * server.reply_tokens) / 1e6, USD
    )  # prices are for a million


def test_facts_are_read_by_rules_unless_a_model_is_configured(asof, write):
    write("a.md", "---\ndate: 2021-05-04\n---\nThe bakery sold 104 loaves in March 2021.\n")
    assert asof("index", "a.md").code == 0
    result = asof("precompute")
    assert (result.code, result.err) == (0, "")
    assert matches(r"facts: 1 passage read, \d+ facts? in [\d.]+ s", result.out)
    assert "facts: 0 passages read, 0 facts in" in asof("precompute").out


def test_facts_by_a_model_are_read_when_they_are_wanted(asof, market):
    assert asof("search", "loaves").code == 0
    assert market.requests == []
    result = asof("precompute")
    assert (result.code, result.err) == (0, "")
    tokens = f"{market.prompt_tokens:,} tokens read and {market.reply_tokens:,} written"
    told = rf"facts: 4 passages read, 4 facts in [\d.]+ s; 4 calls, {tokens}, {cost_of(market)}"
    assert matches(told, result.out)
    again = asof("precompute", "--json").json()
    assert against("precompute", again) == []
    assert (again["facts"]["passages"], again["facts"]["remaining"], again["facts"]["problems"]) == (0, 0, [])
    assert market.answered == 4


def test_a_budget_leaves_the_rest_for_the_next_run(asof, market):
    result = asof("precompute", "--budget", "0")
    assert (result.code, market.requests) == (3, [])
    assert "facts: 0 passages read, 0 facts in" in result.out
    assert result.err == "  4 passages left: the budget of 0 USD is used up; the next run goes on with them\n"
    result = asof("precompute", "--budget", "1")
    assert (result.code, result.err) == (0, "")
    assert "facts: 4 passages read, 4 facts" in result.out


def test_what_could_not_be_read_is_said(asof, market):
    def sometimes(body: dict[str, Any]) -> str:
        asked = json.dumps(body)
        return "no idea" if "Stall 1" in asked or "Stall 2" in asked else sales(body)

    market.says = sometimes
    result = asof("precompute")
    assert result.code == 3
    assert "facts: 2 passages read, 2 facts, 2 could not be read in " in result.out
    (line,) = result.err.splitlines()
    assert line.startswith("  2 files: the reply is no RepliedFacts, asked twice: ")
    assert line.endswith(", e.g. notes/1.md (run the same command again)")
    market.says = lambda body: sales(body).replace(" loaves", " cakes")
    result = asof("precompute")
    assert result.code == 0
    assert "facts: 2 passages read, 0 facts in " in result.out
    assert result.err == "  facts of replies that were dropped: 2 words that are not in the passage\n"


def test_a_server_that_is_ill_or_not_there(asof, refused, market, users):
    market.way = status(500)
    result = asof("precompute")
    assert (result.code, "4 could not be read" in result.out) == (3, True)
    assert asof("search", "loaves").code == 0, "no text is lost"
    users(BY_MODEL.format(url="http://127.0.0.1:9/v1"))
    refused(["precompute", "--json"], "; check url in asof.toml, and that the server runs")


NO_PRICES = '[model]\nurl = "http://localhost:1/v1"\nmodel = "m"\n'


@pytest.mark.parametrize(
    ("options", "toml", "message"),
    [
        ([], '[facts]\nextractor = "model"\n', "no model is named: see [model]"),
        (["--budget", "1"], NO_PRICES, "--budget is in US dollars: [model] needs prices"),
        ([], "[facts]\nextracter = 1\n", "[facts] no key extracter; did you mean extractor?"),
    ],
)
def test_configurations_that_are_refused(refused, notes, users, options, toml, message):
    users(toml)
    refused(["precompute", *options], message)
