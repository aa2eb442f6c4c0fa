"""`asof precompute --reports`: reports of all periods ahead of time, their cost, and what is left."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.support.json_schema import against
from tests.support.openai_server import ModelServer

from asof.models.metered import USD, amount

from .conftest import Asof

TOML = """
[model]
url = "{url}"
model = "reader"
attempts = 1
prices = {{prompt = 2.0, reply = 10.0}}
"""


def account(body: dict[str, Any]) -> str:
    """A report that rests on all that it was shown."""
    user = body["messages"][-1]["content"]
    numbers = [int(each) for each in re.findall(r"^\[(\d+)\]", user, re.MULTILINE)]
    finding = {"statement": "Told by the reader.", "facts": numbers}
    return json.dumps({"title": "A report", "summary": "Told.", "findings": [finding]})


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer(says=account) as there:
        yield there


@pytest.fixture
def yard(
    asof: Asof, here: Path, write: Callable[[str, str], Path], users: Callable[[str], Path],
    server: ModelServer,
) -> ModelServer:  # fmt: skip
    """Two notes on two days of a month, so that there are five periods; rules read the facts."""
    for day in (3, 4):
        write(f"notes/{day}.md", f"---\ndate: 2021-05-0{day}\n---\nQuay Ltd's revenue was ${day} million.\n")
    users(TOML.format(url=server.url))
    assert asof("index", "notes").code == 0
    return server


def test_reports_of_all_periods(asof, yard):
    result = asof("precompute", "--reports")
    assert (result.code, result.err) == (0, "")
    assert re.search(r"^facts: 2 passages read, \d facts in [\d.]+ s$", result.out, re.MULTILINE)
    cost = (2 * yard.prompt_tokens + 10 * yard.reply_tokens) / 1e6  # the prices are for a million
    assert re.search(
        rf"^reports: 5 generated in [\d.]+ s; 5 calls, .*, {amount(cost, USD)}$", result.out, re.MULTILINE
    )
    assert "Told by the reader." in asof("report", "2021").out
    assert re.search(r"^reports: 5 generated in [\d.]+ s$", asof("precompute", "--reports").out, re.MULTILINE)
    assert yard.answered == 5


def test_what_they_would_cost(asof, yard):
    result = asof("precompute", "--reports", "--estimate")
    assert result.code == 0
    assert "facts: reading them would cost nothing\n" in result.out
    assert re.search(
        r"^reports: generating them would take at most 5 calls, .* USD$", result.out, re.MULTILINE
    )
    assert yard.requests == []
    asof("precompute", "--reports")
    result = asof("precompute", "--reports", "--estimate")
    assert (
        "reports: generating them would cost nothing; 5 replies are cached and cost nothing\n" in result.out
    )


def test_what_they_would_cost_is_not_known_before_a_model_has_read(asof, yard, users):
    users(f'{TOML.format(url=yard.url)}\n[facts]\nextractor = "model"\n')
    result = asof("precompute", "--reports", "--estimate")
    assert "reports: what they would cost is known when the facts are read\n" in result.out
    asked = asof("precompute", "--reports", "--estimate", "--json").json()
    assert asked["estimate"]["facts"]["calls"] == 2
    assert asked["estimate"]["reports"] is None
    assert yard.requests == []


def test_what_is_left(asof, yard):
    result = asof("precompute", "--reports", "--budget", "0")
    assert result.code == 3
    assert "reports: 0 generated in" in result.out
    assert "  5 reports left: the budget of 0 USD is used up; the next run goes on with them\n" in result.err
    assert yard.requests == []


def test_reports_wait_for_facts(asof, yard, users):
    users(f'{TOML.format(url=yard.url)}\n[facts]\nextractor = "model"\n')
    result = asof("precompute", "--reports", "--budget", "0")
    assert result.code == 3
    assert "  reports were not begun: they are made of facts, and some are left\n" in result.err
    assert "reports: " not in result.out


def test_a_report_that_is_no_report(asof, yard):
    yard.says = lambda _: "I cannot."
    result = asof("precompute", "--reports")
    assert result.code == 3
    assert "reports: 0 generated, 5 could not be generated in" in result.out
    assert "2021-05-03: extracted, because" in result.err


def test_reports_as_json(asof, yard):
    result = asof("precompute", "--reports", "--json").json()
    assert against("precompute", result) == []
    told = result["reports"]
    assert (told["reports"], told["remaining"], told["problems"], told["cost"]["calls"]) == (5, 0, [], 5)


def test_reports_without_a_model_are_refused(asof, here, write):
    write("a.md", "a crane")
    assert asof("index", "a.md").code == 0
    result = asof("precompute", "--reports")
    assert (result.code, result.err.count("\n")) == (2, 1)
    assert "--reports: without a model they are made when asked: see [model] in asof.toml" in result.err
