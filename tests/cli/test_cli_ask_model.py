"""`asof ask` with a model: form and length, an estimate, a budget, what was used; reports with a rating."""

from __future__ import annotations

import json
import re

import pytest
from tests.support.json_schema import against
from tests.support.openai_server import ModelServer, says

PRICES = "prices = { prompt = 1.0, reply = 10.0 }\n"
REPLIES = json.dumps({
    "times": [], "title": "A busy year", "summary": "Cranes came.",
    "rating": 6.5, "rating_explanation": "Much changed.",
    "findings": [{"statement": "Cranes came.", "facts": [1]}],
    "points": [{"description": "A crane came.", "importance": 60, "confidence": 0.9, "sources": [1]}],
    "statements": [{"statement": "A crane came.", "points": [1]}],
})  # fmt: skip


@pytest.fixture
def server():
    with ModelServer() as server:
        server.way = says(REPLIES)
        yield server


@pytest.fixture
def yard(asof, write, users, server):
    """Fourteen notes on a year, a model with prices."""
    users(f'[model]\nurl = "{server.url}"\nmodel = "m"\nattempts = 1\n{PRICES}')
    for n in range(14):
        write(
            f"n/crane{n}.md",
            f"---\ndate: 2022-03-{n + 1:02}\n---\nThe crane of pier {n} cost ${n + 2} million in 2022.\n",
        )
    assert asof("index", "n").code == 0
    return asof


def test_an_estimate_asks_nothing_and_names_each_step(yard, server):
    result = yard("ask", "What happened in 2022?", "--mode", "global", "--estimate")
    assert result.code == 0
    assert server.requests == []
    lines = result.out.splitlines()
    assert lines[0].startswith("at most 3 calls, ")
    assert lines[0].endswith(" USD (reports over periods)")
    assert [line.split(":")[0] for line in lines[1:]] == [
        "  reports on periods", "  points of the evidence", "  the answer",
    ]  # fmt: skip


def test_what_is_kept_costs_nothing_again(yard):
    asked = ("ask", "What happened in 2022?", "--mode", "global")
    yard(*asked)
    assert yard(*asked, "--estimate").out.splitlines() == [
        "3 kept replies cost nothing (reports over periods)",
        "  reports on periods: 1 kept reply costs nothing",
        "  points of the evidence: 1 kept reply costs nothing",
        "  the answer: 1 kept reply costs nothing",
    ]  # fmt: skip


def test_an_estimate_says_whether_the_budget_is_enough(yard):
    enough = yard("ask", "What happened in 2022?", "--mode", "global", "--estimate", "--budget", "1")
    assert enough.out.splitlines()[-1] == "it fits into the budget of 1 USD"
    # 1,500, 1,500 and 2,000 tokens of replies alone are .05
    little = yard("ask", "What happened in 2022?", "--mode", "global", "--estimate", "--budget", "0.04")
    assert little.out.splitlines()[-1] == "it may be stopped at the budget of 0.04 USD"


def test_an_estimate_as_json(yard):
    value = yard("ask", "What happened in 2022?", "--mode", "global", "--estimate", "--json").json()
    assert against("ask-estimate", value) == []
    assert (value["mode"], value["cost"]["calls"], value["budget"], value["within_budget"]) == (
        "global",
        3,
        None,
        True,
    )
    assert [each["step"] for each in value["cost"]["steps"]] == ["reports", "points", "answer"]
    cost = value["cost"]
    assert cost["usd"] == pytest.approx((cost["prompt_tokens"] + 10 * cost["reply_tokens"]) / 1e6)


def test_without_a_model_nothing_is_estimated(asof, write):
    write("n/crane.md", "The crane is red.\n")
    assert asof("index", "n").code == 0
    result = asof("ask", "crane", "--estimate")
    assert result.out.splitlines() == [
        "nothing: no language model is configured; the answer is quoted (single passages)"
    ]


@pytest.mark.parametrize("estimate", [(), ("--estimate",)])
def test_without_a_model_what_has_no_effect_is_said(asof, write, estimate):
    write("n/crane.md", "The crane is red.\n")
    assert asof("index", "n").code == 0
    options = ("--budget", "1", "--reports", "all", "--length", "9")
    told = notes(asof("ask", "the crane is red", *options, *estimate))
    assert [each.partition(" is for ")[0].partition(" are for ")[0] for each in sorted(told)] == [
        "a budget", "format, length and variety", "which reports are written",
    ]  # fmt: skip
    assert notes(asof("ask", "the crane is red", *estimate)) == []


@pytest.mark.parametrize("estimate", [(), ("--estimate",)])
def test_on_single_passages_what_is_for_periods_is_said(yard, server, estimate):
    server.way = says("A crane came [1].")
    question = ("ask", "what did the crane of pier 3 cost in 2022?", "--mode")
    told = notes(yard(*question, "local", "--reports", "all", "--diverse", *estimate))
    assert told == [
        "which reports are written is for answers over periods (mode global); this one reads none",
        "variety is for answers over periods (mode global); this one is on single passages",
    ]
    assert notes(yard(*question, "local", "--budget", "1", "--length", "9", *estimate)) == []
    assert not [each for each in notes(yard(*question, "global", "--reports", "all", "--diverse", *estimate))
                if "mode global" in each]  # fmt: skip


def notes(result) -> list[str]:
    """What is said behind "note:", lines that are wrapped put together."""
    lines = re.sub(r"\n {6,}", " ", result.out).splitlines()
    return [each.removeprefix("note: ") for each in lines if each.startswith("note: ")]


def test_what_was_used_is_told_for_each_step(yard):
    result = yard("ask", "What happened in 2022?", "--mode", "global", "-v")
    assert result.err.splitlines()[0].startswith("cost: calls 3, ")
    assert "  reports on periods: 1 call, " in result.err
    assert "point: 2022: A crane came. (importance 60, confidence 0.9)" in result.out
    value = yard("ask", "What happened in 2022?", "--mode", "global", "--json").json()
    assert against("ask", value) == []
    assert value["points"] == [
        {"text": "A crane came.", "importance": 60, "confidence": 0.9, "periods": ["2022"], "read": True}
    ]  # fmt: skip
    assert {each["step"]: each["cached"] for each in value["cost"]["steps"]} == {
        "reports": 1, "points": 1, "answer": 1,
    }  # fmt: skip


def test_a_budget_of_one_answer_stops_it(yard, server):
    result = yard("ask", "What happened in 2022?", "--mode", "global", "--budget", "0.0001")
    assert result.code == 0
    assert server.requests == []
    assert "note: stopped at the budget of 0.0001 USD: 2 prompts were not sent" in result.out


def test_no_report_is_written_where_only_written_ones_are_wanted(yard, server):
    yard("ask", "What happened in 2022?", "--mode", "global", "--reports", "written")
    assert len(server.requests) == 2
    yard("ask", "What happened in 2022?", "--mode", "global", "--reports", "all")
    periods = [each.user.partition("\n")[0] for each in server.requests if each.user.startswith("Period: ")]
    # sections are the fourteen days of publication, and what is of the year itself
    assert sorted(periods) == ["Period: 2022", *(f"Period: 2022-03-{n:02}" for n in range(1, 15))]


def test_format_and_length_reach_the_model(yard, server):
    server.way = says("A crane came [1].")
    result = yard(
        "ask",
        "what did the crane of pier 3 cost?",
        "--format",
        "single sentence",
        "--length",
        "12",
        "--mode",
        "local",
    )
    assert result.out.startswith("A crane came [1].")
    user = server.requests[-1].user
    assert "Target length and format of the answer: single sentence, about 12 words" in user


def test_the_configuration_has_defaults_for_all(yard, users, server):
    users(
        f'[model]\nurl = "{server.url}"\nmodel = "m"\n{PRICES}'
        '[ask]\nformat = "list"\nlength = 40\ndiverse = true\nreports = "written"\nbudget = 2\n'
    )
    result = yard("ask", "What happened in 2022?", "--mode", "global", "--estimate")
    assert result.out.splitlines()[0].startswith("at most 2 calls, ")
    assert result.out.splitlines()[-1] == "it fits into the budget of 2 USD"


@pytest.mark.parametrize(
    "options",
    [
        ("--length", "2"),
        ("--reports", "some"),
        ("--budget", "-1"),
        ("--format", " "),
        ("--format", "x" * 101),
    ],
)
def test_wrong_usage(yard, server, options):
    assert yard("ask", "crane", *options).code == 2
    assert server.requests == []


def test_a_report_shows_its_rating(yard):
    result = yard("report", "2022")
    assert "  rated 6.5 of 10: Much changed." in result.out.splitlines()
    value = yard("report", "2022", "--json").json()
    assert against("report", value) == []
    assert (value["reports"][0]["rating"], value["reports"][0]["rating_explanation"]) == (
        6.5,
        "Much changed.",
    )
