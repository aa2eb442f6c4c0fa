"""`asof ask`: answers, refusals, exit codes; with a model, what it writes as it comes, and its cost."""

from __future__ import annotations

import json
import re
import sys

import pytest
from tests.support.json_schema import against
from tests.support.openai_server import ModelServer, says, status

from .conftest import note

ESCAPES = "\x1b]0;owned\x07\x1b[31mred\u202e"
REVENUE = "What was the revenue of Otter Mills in 2021?"


def test_an_answer_with_its_source(mills):
    result = mills("ask", REVENUE, "--as-of", "2024")
    assert result.code == 0
    assert result.out.splitlines() == [
        "[1] “Revenue was $12 million in 2021.” (Otter Mills 2021, 2022-02-01)",
        "    n/2021.md",
        "as of 2024-12-31",
    ]
    words = mills("ask", *REVENUE.split(), "--json", "--as-of", "2024").json()
    assert words == mills("ask", REVENUE, "--json", "--as-of", "2024").json()
    known = mills("ask", REVENUE, "--known-at", "2020")
    assert known.out.splitlines()[-1] == "as of now · known at 2020-12-31"
    assert "known at" not in mills("ask", REVENUE).out
    for command in (["ask", REVENUE], ["search", "revenue"]):
        dated = mills(*command, "--in-force", "2023").out
        assert "as of now · in force on 2023-12-31" in dated
    assert (
        "in force on 2023-12-31)" in mills("ask", REVENUE, "--in-force", "2023", "--format", "markdown").out
    )


def test_quotes_have_no_marks(mills, write):
    write("n/dock.md", note("2022-05-01", "Otter Mills 2022", "Revenue was **$14 million** in [[2022]]."))
    mills("index", "n")
    question = ("ask", "What was the revenue of Otter Mills in 2022?")
    assert "[1] “Revenue was $14 million in 2022.” (Otter" in mills(*question).out
    quotes = [each["quote"] for each in mills(*question, "--json").json()["citations"]]
    assert quotes == ["Revenue was $14 million in 2022."]


def test_a_refusal_says_why_and_has_exit_code_1(mills):
    result = mills("ask", "What was the revenue of Otter Mills in 2031?")
    assert result.code == 1
    assert result.out.startswith("No answer: nothing about Otter Mills is known of 2031; ")
    earlier = mills("ask", REVENUE, "--as-of", "2021-06")
    assert (earlier.code, "$12" in earlier.out + earlier.err) == (1, False)


def test_a_named_past_time_shows_from_when_to_when_its_answer_held(asof, write):
    for day, name in (("2019-03-01", "Ann Cole"), ("2023-03-01", "Ben Reed")):
        write("n/mayor.md", note(day, "Mayor", f"{name} is the mayor of Dover."))
        assert asof("index", "n").code == 0
    assert asof("ask", "who was mayor in 2020?").out.splitlines() == [
        "As of 2020-12-31, which the question names:",
        "[1] “Ann Cole is the mayor of Dover.” (Mayor, 2019-03-01)",
        "    n/mayor.md",
        "    in force until 2023-03-01",
        "as of 2020-12-31",
    ]


# -- with a model ------------------------------------------------------------------------------------------


@pytest.fixture
def server():
    with ModelServer() as server:
        yield server


@pytest.fixture
def model(mills, users, server):
    users(f'[model]\nurl = "{server.url}"\nmodel = "m"\nattempts = 1\n')

    def ask(reply, *options):
        server.way = says(reply) if isinstance(reply, str) else reply
        return mills("ask", "Is the crane red in 2022?", "--as-of", "2024", *options)

    return ask


def test_what_the_model_writes_is_shown_once_with_its_sources(model, server):
    result = model("The crane is red [1].")
    assert result.code == 0
    assert result.out.splitlines()[:2] == ["The crane is red [1].", "[1] Crane, 2022-03-01"]
    assert server.requests[-1].body["stream"] is True
    assert "· by m" in result.out
    assert "cost: calls 1" in result.err
    assert "estimated" in result.err, "a stream has no count of tokens"


def test_with_json_it_is_no_stream(model, server):
    value = model("The crane is red [1].", "--json").json()
    assert against("ask", value) == []
    assert (value["answer"], value["refused"], value["cost"]["calls"]) == ("The crane is red [1].", False, 1)
    assert not server.requests[-1].body.get("stream")


@pytest.mark.parametrize(
    ("reply", "code", "said"),
    [
        ("It is blue.", 1, "It is blue.\nNo answer: the model's answer cites none of the passages."),
        ("It is red [1][77].", 0, "It is red [1][77].\nIt is red [1]."),
        ("It is red [1][77].", 0, "the model cited passages that do not exist: 77"),
        ("NO ANSWER: nobody says it.", 1, "No answer: nobody says it."),
        (
            status(500),
            0,
            "[1] “The crane is red. Otter Mills opened a depot in May 2022.” (Crane, 2022-03-01)",
        ),
        (status(500), 0, "gave no answer"),
    ],
)
def test_what_is_made_of_a_reply(model, reply, code, said):
    result = model(reply)
    assert (result.code, said in result.out) == (code, True), result


def test_an_answer_is_plain_on_the_terminal(model):
    for options in ((), ("--json",)):
        result = model(f"It is {ESCAPES} [1].", *options)
        assert result.code == 0
        assert not set("\x1b\x07\u202e") & set(result.out + result.err)
    assert json.loads(result.out)["answer"] == f"It is {ESCAPES} [1]."


def test_a_wrong_key_is_an_error_and_not_an_answer(model):
    result = model(status(401))
    assert result.code not in (0, 1)
    assert (result.out, "401" in result.err) == ("", True)


@pytest.mark.parametrize("command", [
    ("ask", "crane"), ("report", "2022"), ("precompute",),
])  # fmt: skip
def test_a_missing_extra_is_one_line(mills, users, server, monkeypatch, command):
    users(f'[model]\nurl = "{server.url}"\nmodel = "m"\n[facts]\nextractor = "model"\n')
    for name in ("openai", "pydantic"):
        monkeypatch.setitem(sys.modules, name, None)
    result = mills(*command)
    assert (result.code, result.out, server.requests) == (2, "", [])
    assert result.err == "asof: a language model needs pydantic: install asof with its extra `llm`\n"


@pytest.mark.parametrize("command", [("ask", "crane"), ("report", "2022"), ("facts", "crane")])
def test_rules_in_place_of_a_model_are_told(mills, write, command):
    assert mills(*command).err == ""
    write("asof.toml", '[facts]\nextractor = "model"\n')
    result = mills(*command)
    assert result.code in (0, 1)
    assert result.err.startswith("note: facts are read by rules: [facts] of asof.toml asks")


# -- what it costs: reports and points of many notes -------------------------------------------------------

PRICES = "prices = { prompt = 1.0, reply = 10.0 }\n"
REPLIES = json.dumps({
    "title": "A busy year", "summary": "Cranes came.",
    "rating": 6.5, "rating_explanation": "Much changed.",
    "findings": [{"statement": "Cranes came.", "facts": [1]}],
    "points": [{"description": "A crane came.", "importance": 60, "confidence": 0.9, "sources": [1]}],
    "statements": [{"statement": "A crane came.", "points": [1]}],
})  # fmt: skip
YEAR = ("ask", "What happened in 2022?", "--mode", "global")


@pytest.fixture
def year(asof, write, users, server):
    """Fourteen notes on a year, a model with prices."""
    server.way = says(REPLIES)
    users(f'[model]\nurl = "{server.url}"\nmodel = "m"\nattempts = 1\n{PRICES}')
    for n in range(14):
        text = f"The crane of pier {n} cost ${n + 2} million in 2022."
        write(f"n/crane{n}.md", f"---\ndate: 2022-03-{n + 1:02}\n---\n{text}\n")
    assert asof("index", "n").code == 0
    return asof


def test_what_was_used_is_told_for_each_step_and_costs_nothing_again(year):
    assert year(*YEAR).err.startswith("cost: calls 2, ")
    value = year(*YEAR, "--json").json()
    assert against("ask", value) == []
    assert value["points"] == [
        {"text": "A crane came.", "importance": 60, "confidence": 0.9, "periods": ["2022"], "read": True}
    ]  # fmt: skip
    assert {each["step"]: each["cached"] for each in value["cost"]["steps"]} == {"points": 1, "answer": 1}
    assert year(*YEAR).err == "cost: cached 2\n"


@pytest.mark.parametrize(("options", "ask"), [(["--budget", "0.0001"], ""), ([], "[ask]\nbudget = 0.0001\n")])
def test_a_budget_of_one_answer_stops_it(year, users, server, options, ask):
    users(f'[model]\nurl = "{server.url}"\nmodel = "m"\n{PRICES}{ask}')
    result = year(*YEAR, *options)
    assert (result.code, server.requests) == (0, [])
    assert "note: stopped at the budget of 0.0001 USD: 1 prompt was not sent" in result.out


def test_without_a_model_a_budget_has_no_effect(asof, write):
    write("n/crane.md", "The crane is red.\n")
    assert asof("index", "n").code == 0
    told = re.sub(r"\n {6,}", " ", asof("ask", "the crane is red", "--budget", "1").out)
    assert "note: a budget is for a language model, and none is configured: nothing is spent" in told
    assert "note: " not in asof("ask", "the crane is red").out


def test_a_report_shows_its_rating(year):
    result = year("report", "2022")
    assert "  rated 6.5 of 10: Much changed." in result.out.splitlines()
    value = year("report", "2022", "--json").json()
    assert against("report", value) == []
    (report,) = value["reports"]
    assert (report["rating"], report["rating_explanation"]) == (6.5, "Much changed.")
