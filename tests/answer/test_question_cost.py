"""What a question takes, by step; the budget that stops it."""

from __future__ import annotations

import json

import pytest
from tests.support.fact_lines import corpus_of, note

from asof.answer.replies import QuestionTimes
from asof.answer.write import QuestionModel, added, step_of
from asof.errors import UsageError
from asof.models.metered import MeteredModel, Prices
from asof.models.ports import Prompt, ScriptedModel
from asof.values import Usage

REPLIES = json.dumps({
    "times": [], "statements": [{"statement": "It is red.", "points": [1]}],
    "points": [{"description": "It is red.", "importance": 50, "confidence": 0.9, "sources": [1]}],
})  # fmt: skip
NOTES = (
    note("a", "2021-12-01", "Crane | is | red | 2020"),
    note("b", "2021-12-01", "Crane | is | blue | 2021"),
)


def reply(prompt: Prompt) -> str:
    return "It is red [1]." if prompt.schema is None else REPLIES


@pytest.fixture
def model():
    return ScriptedModel(reply)


@pytest.fixture
def cranes(model):
    with corpus_of(*NOTES) as corpus:
        corpus.models.model = model
        yield corpus


def test_each_step_is_counted_by_itself_and_all_add_up(cranes):
    cost = cranes.at().ask("What happened?", mode="global").cost
    assert [each.step for each in cost.steps] == ["times", "points", "answer"]
    for name in ("calls", "cached", "prompt_tokens", "reply_tokens"):
        assert getattr(cost.usage, name) == sum(getattr(each.usage, name) for each in cost.steps)
    # replies are of 17 words each: the same text three times
    assert [each.usage.reply_tokens for each in cost.steps] == [len(REPLIES.split())] * 3


def test_what_is_kept_costs_nothing_again(cranes):
    first = cranes.at("2022").ask("What happened?", mode="global").cost.usage
    again = cranes.at("2022").ask("What happened?", mode="global").cost.usage
    assert (first.calls, first.cached) == (3, 0)
    assert (again.calls, again.cached, again.prompt_tokens) == (0, 3, 0)


def test_a_budget_stops_before_it_is_exceeded_and_says_so(cranes, model):
    answer = cranes.at().ask("What happened?", mode="global", budget=1_500)  # tokens: no prices are set
    # a reply on the time of the question may have 300 tokens, one on points 1,500
    assert [step_of(each) for each in model.prompts] == ["times"]
    assert answer.by == "extractive"
    assert answer.notes[-1] == (
        "stopped at the budget of 1,500 tokens (a budget is of tokens where [model] has no prices): "
        "1 prompt was not sent"
    )
    assert answer.cost.usage.prompt_tokens + answer.cost.usage.reply_tokens <= 1_500
    assert not any("stopped" in each for each in cranes.at().ask("What happened?", mode="global").notes)


@pytest.mark.parametrize("budget", [-1, float("nan"), 1e10])
def test_a_budget_that_is_none(cranes, budget):
    with pytest.raises(UsageError, match="budget"):
        cranes.at().ask("What happened?", budget=budget)


# -- the parts ---------------------------------------------------------------------------------------------


def test_costs_are_added_where_there_are_prices():
    one, other = Usage(1, 2, 0, 0, 10, 5, 0.5), Usage(2, 0, 1, 1, 20, 5, 0.25)
    assert added(one, other) == Usage(3, 2, 1, 1, 30, 10, 0.75)
    assert added(None, one) == one
    assert added(one, Usage(1)).cost is None


def test_prompts_that_are_held_back_count_in_their_step_and_in_all():
    model = QuestionModel(MeteredModel(ScriptedModel([]), budget=5))
    model.hold_back([Prompt("", "u", QuestionTimes), Prompt("", "v", QuestionTimes)])
    assert model.used == model.steps["times"] == Usage(failed=2, refused=2)
    assert model.stopped().endswith(": 2 prompts were not sent")


def test_a_stream_is_counted_in_the_step_of_the_answer():
    model = QuestionModel(MeteredModel(ScriptedModel(["It is red [1]."]), Prices(1, 10)))
    assert "".join(model.stream(Prompt("s", "u"))) == "It is red [1]."
    # a token is three characters: "su" 1, the reply 14 characters are 5; 1 USD and 10 USD a million
    assert model.steps["answer"] == Usage(1, 0, 0, 0, 1, 5, (1 + 50) / 1e6)
