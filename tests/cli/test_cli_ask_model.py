"""`asof ask` with a model: a budget, what was used; reports with a rating."""

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


def test_what_is_kept_costs_nothing_again(yard):
    asked = ("ask", "What happened in 2022?", "--mode", "global")
    yard(*asked)
    assert yard(*asked, "-v").err.splitlines() == [
        "cost: cached 3",
        "  reports on periods: 1 kept reply costs nothing",
        "  points of the evidence: 1 kept reply costs nothing",
        "  the answer: 1 kept reply costs nothing",
    ]  # fmt: skip


def test_without_a_model_a_budget_has_no_effect(asof, write):
    write("n/crane.md", "The crane is red.\n")
    assert asof("index", "n").code == 0
    assert notes(asof("ask", "the crane is red", "--budget", "1")) == [
        "a budget is for a language model, and none is configured: nothing is spent"
    ]
    assert notes(asof("ask", "the crane is red")) == []


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


def test_the_configuration_has_a_budget(yard, users, server):
    users(f'[model]\nurl = "{server.url}"\nmodel = "m"\n{PRICES}[ask]\nbudget = 0.0001\n')
    result = yard("ask", "What happened in 2022?", "--mode", "global")
    assert server.requests == []
    assert "note: stopped at the budget of 0.0001 USD: 2 prompts were not sent" in result.out


def test_wrong_usage(yard, server):
    assert yard("ask", "crane", "--budget", "-1").code == 2
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
