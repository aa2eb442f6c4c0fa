"""`asof precompute`: what is read, what it would cost and costs, and what is left."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.support.json_schema import against
from tests.support.market import sales, stall
from tests.support.openai_server import ModelServer, status

from asof.models.metered import USD, amount

from .conftest import Asof

TOML = """
[model]
url = "{url}"
model = "reader"
attempts = 1
prices = {{prompt = 2.0, reply = 10.0}}

[facts]
extractor = "model"
{more}
"""


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer(says=sales) as there:
        yield there


@pytest.fixture
def market(
    asof: Asof, here: Path, write: Callable[[str, str], Path], users: Callable[[str], Path],
    server: ModelServer,
) -> ModelServer:  # fmt: skip
    """Four notes about stalls in an index, and a model that reads them."""
    for number in range(4):
        write(f"notes/{number}.md", f"---\ndate: 2021-05-04\n---\n{stall(number)}\n")
    users(TOML.format(url=server.url, more=""))
    assert asof("index", "notes").code == 0
    return server


def test_facts_are_read_by_rules_unless_a_model_is_configured(asof, here, write):
    write("a.md", "---\ndate: 2021-05-04\n---\nThe bakery sold 104 loaves in March 2021.\n")
    assert asof("index", "a.md").code == 0
    result = asof("precompute")
    assert (result.code, result.err) == (0, "")
    assert re.search(r"^facts: 1 passage read, \d+ facts? in [\d.]+ s$", result.out, re.MULTILINE)
    assert "facts: 0 passages read, 0 facts in" in asof("precompute").out
    assert "facts: reading them would cost nothing\n" in asof("precompute", "--estimate").out


def test_no_model_is_asked_unless_facts_are_wanted(asof, market):
    assert asof("search", "loaves").code == 0
    assert market.requests == []


def test_facts_by_a_model(asof, market):
    result = asof("precompute")
    assert (result.code, result.err) == (0, "")
    tokens = f"{market.prompt_tokens:,} tokens read and {market.reply_tokens:,} written"
    cost = (2 * market.prompt_tokens + 10 * market.reply_tokens) / 1e6  # the prices are for a million
    pattern = rf"^facts: 4 passages read, 4 facts in [\d.]+ s; 4 calls, {tokens}, {amount(cost, USD)}$"
    assert re.search(pattern, result.out, re.MULTILINE)
    result = asof("precompute")
    assert re.search(r"^facts: 0 passages read, 0 facts in [\d.]+ s$", result.out, re.MULTILINE)
    assert market.answered == 4


def test_an_estimate_asks_nothing(asof, market):
    result = asof("precompute", "--estimate")
    assert (result.code, market.requests) == (0, [])
    found = re.search(
        r"^facts: reading them would take at most 4 calls, ([\d,]+) tokens read and ([\d,]+) written, "
        r"(\d\.\d+) USD$",
        result.out,
        re.MULTILINE,
    )
    assert found is not None
    asked, written = (int(figure.replace(",", "")) for figure in found.groups()[:2])
    assert f"{found[3]} USD" == amount((2 * asked + 10 * written) / 1e6, USD)
    asof("precompute")
    assert "facts: reading them would cost nothing\n" in asof("precompute", "--estimate").out


def test_a_budget_leaves_the_rest_for_the_next_run(asof, market):
    result = asof("precompute", "--budget", "0")
    assert result.code == 3
    assert "facts: 0 passages read, 0 facts in" in result.out
    assert result.err == "  4 passages left: the budget of 0 USD is used up; the next run goes on with them\n"
    assert market.requests == []
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
    assert line.startswith("  notes/1.md: the reply is no RepliedFacts, asked twice: ")
    assert line.endswith("(run the same command again) [and 1 more like this]")
    market.says = sales
    result = asof("precompute")
    assert (result.code, result.err) == (0, "")
    assert "facts: 2 passages read, 2 facts in " in result.out


def test_a_server_that_is_ill_is_no_reason_to_lose_the_texts(asof, market):
    market.way = status(500)
    result = asof("precompute")
    assert result.code == 3
    assert "4 could not be read" in result.out
    assert asof("search", "loaves").code == 0


def test_facts_that_were_not_kept_are_counted(asof, market):
    market.says = lambda body: sales(body).replace(" loaves", " cakes")
    result = asof("precompute")
    assert result.code == 0
    assert result.err == "  facts of replies that were dropped: 4 words that are not in the passage\n"


def test_as_json(asof, market):
    result = asof("precompute", "--estimate", "--json").json()
    assert against("precompute", result) == []
    assert (result["facts"], result["reports"], result["estimate"]["reports"]) == (None, None, None)
    assert result["estimate"]["facts"]["calls"] == 4
    read = asof("precompute", "--json").json()
    assert against("precompute", read) == []
    facts = read["facts"]
    assert (facts["passages"], facts["facts"], facts["remaining"], facts["problems"]) == (4, 4, 0, [])
    assert facts["cost"]["calls"] == 4


@pytest.mark.parametrize(
    ("options", "toml", "message"),
    [
        (["--budget", "-1"], "", "Invalid value for '--budget'"),
        ([], '[facts]\nextractor = "model"\n', "no model is named: see [model]"),
        (["--estimate"], '[facts]\nextractor = "model"\n', "no model is named: see [model]"),
        (
            ["--budget", "1"],
            '[model]\nurl = "http://localhost:1/v1"\nmodel = "m"\n',
            "--budget is in US dollars: [model] needs prices",
        ),
        ([], "[facts]\ngleaning = 4\n", "[facts] gleaning = 4: a whole number from 0 to 3"),
        ([], "[facts]\ngleaning = 1\n", '[facts] gleaning: only for extractor = "model"'),
        ([], '[facts]\nextractor = "mind"\n', "[facts] extractor = 'mind': one of rules, model"),
        ([], "[facts]\nentity_types = []\n", "a list of 1 to 32 short names"),
        ([], '[facts]\nentity_types = ["a\\nb"]\n', "a list of 1 to 32 short names"),
        ([], "[facts]\ngleening = 1\n", "[facts] no key gleening; did you mean gleaning?"),
    ],
)
def test_what_is_refused(asof, here, write, users, options, toml, message):
    write("a.md", "a crane")
    assert asof("index", "a.md").code == 0
    users(toml)
    result = asof("precompute", *options)
    assert result.code == 2
    assert message in result.err
    assert len(result.err.splitlines()) == 1


def test_a_server_that_is_not_there_is_one_line(asof, market, users):
    users(TOML.format(url="http://127.0.0.1:9/v1", more=""))
    result = asof("precompute", "--json")
    assert (result.code, result.out) == (2, "")
    assert "; check url in [model] of asof.toml, and that the server runs" in result.err
    assert len(result.err.splitlines()) == 1
