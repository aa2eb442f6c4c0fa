"""What is used is counted within a budget, replies are kept, and completions are read."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, field_validator
from tests.support.openai_server import ModelServer, half, says, status
from tests.support.scripted import ScriptedModel

from asof.errors import ModelError
from asof.extensions.providers.chat import PATH, ChatModel, reply_in
from asof.extensions.providers.http import Endpoint, RequestRejected, Retry
from asof.hits import Usage
from asof.models.metered import (
    TOKENS,
    USD,
    CachedModel,
    CachedReply,
    Meter,
    MeteredModel,
    Prices,
    amount,
)
from asof.models.ports import Prompt, Reply
from asof.wire import replace

# -- replies that are kept: by all that shapes them, as soon as they come, and never a failure -----


class Lamp(BaseModel):
    lit: bool


class Other(BaseModel):
    lit: bool
    oil: int = 0


class Memory:
    """Kept replies in a dict, and what was noted of passages, in order."""

    def __init__(self) -> None:
        self.replies: dict[bytes, CachedReply] = {}
        self.noted: list[tuple[bytes, tuple[int, ...]]] = []

    def find(self, digests: Sequence[bytes]) -> dict[bytes, CachedReply]:
        return {each: self.replies[each] for each in digests if each in self.replies}

    def keep(self, digest: bytes, model: str, reply: CachedReply, passages: Sequence[int]) -> None:
        self.replies[digest] = reply
        self.noted.append((digest, tuple(passages)))


PROMPT = Prompt("You keep the light.", "Is it lit?", Lamp, passages=(3,), most=9)


def test_what_was_asked_once_is_not_asked_again() -> None:
    memory, scripted = Memory(), ScriptedModel(['{"lit": true}'])
    model = CachedModel(scripted, memory)
    # words: 4 of the system, 3 of the user, 2 of the reply
    assert model.complete([PROMPT]) == [Reply('{"lit": true}', Lamp(lit=True), "", 7, 2, 1)]
    assert model.complete([PROMPT]) == [Reply('{"lit": true}', Lamp(lit=True), "", 7, 2, 0)]
    assert len(scripted.prompts) == 1
    assert model.name == "scripted"


@pytest.mark.parametrize(
    "other", [{"system": ""}, {"user": "Is it?"}, {"schema": Other}, {"schema": None}, {"most": 10}]
)
def test_all_that_shapes_a_reply_tells_prompts_apart(other: dict[str, Any]) -> None:
    model = CachedModel(ScriptedModel([]), Memory())
    assert model.digest(PROMPT) != model.digest(replace(PROMPT, **other))
    assert model.digest(PROMPT) == model.digest(replace(PROMPT, passages=(4, 5)))
    assert model.digest(Prompt("ab", "c")) != model.digest(Prompt("a", "bc"))


def test_models_and_their_settings_are_told_apart() -> None:
    server, same, other = (
        Endpoint.below(f"http://127.0.0.1:{port}/v1", PATH, key=key)
        for port, key in ((9, "sk-1"), (9, "sk-2"), (8, None))
    )
    models = [
        ChatModel("a", server), ChatModel("b", server),
        ChatModel("a", other),
        ChatModel("a", server, temperature=0.5), ChatModel("a", server, "schema"),
    ]  # fmt: skip
    assert len({CachedModel(model, Memory()).digest(PROMPT) for model in models}) == len(models)
    # a key, patience and threads shape nothing
    alike = ChatModel("a", same, concurrency=1)
    assert CachedModel(alike, Memory()).digest(PROMPT) == CachedModel(models[0], Memory()).digest(PROMPT)


def test_failures_are_not_kept() -> None:
    memory = Memory()
    model = CachedModel(ScriptedModel([Reply("", problem="cut off"), "no", "no", '{"lit": true}']), memory)
    assert model.complete([PROMPT])[0].problem == "cut off"
    assert model.complete([PROMPT])[0].problem.startswith("the reply is no Lamp")
    assert memory.replies == {}
    assert model.complete([PROMPT])[0].value == Lamp(lit=True)


def test_the_same_prompt_twice_is_asked_once() -> None:
    memory, scripted = Memory(), ScriptedModel({"Is it lit?": '{"lit": true}', "Why?": "oil"})
    again = replace(PROMPT, passages=(4,))
    replies = CachedModel(scripted, memory).complete([PROMPT, Prompt("", "Why?"), again])
    assert [(reply.text, reply.calls) for reply in replies] == [
        ('{"lit": true}', 1), ("oil", 1), ('{"lit": true}', 0),
    ]  # fmt: skip
    assert len(scripted.prompts) == 2
    assert memory.noted[0][1] == (3, 4)


def test_a_kept_reply_that_fits_no_more_is_asked_for_again() -> None:
    def lamp(strict: bool) -> type[BaseModel]:
        class Lamp(BaseModel):
            lit: bool

            @field_validator("lit")
            @classmethod
            def checked(cls, lit: bool) -> bool:
                if strict and not lit:
                    raise ValueError("it is lit")
                return lit

        return Lamp

    memory = Memory()
    CachedModel(ScriptedModel(['{"lit": false}'], "lamp"), memory).complete(
        [replace(PROMPT, schema=lamp(False))]
    )
    scripted = ScriptedModel(['{"lit": true}'], "lamp")
    [reply] = CachedModel(scripted, memory).complete([replace(PROMPT, schema=lamp(True))])
    assert (reply.text, reply.calls) == ('{"lit": true}', 1)
    assert [reply.text for reply in memory.replies.values()] == ['{"lit": true}']


def test_a_stream_is_kept_when_it_is_whole() -> None:
    memory = Memory()
    model = CachedModel(ScriptedModel(["the light is out", "unread"]), memory)
    prompt = Prompt("", "Is it lit?", passages=(3,))
    assert list(model.stream(prompt)) == ["the ", "light ", "is ", "out"]
    assert list(model.stream(prompt)) == ["the light is out"]
    other = model.stream(Prompt("", "Why?"))
    next(other)
    other.close()  # type: ignore[attr-defined]
    assert len(memory.replies) == 1
    assert memory.noted == [(model.digest(prompt), (3,))]


# -- what is used is counted, and a budget is not exceeded -----------------------------------------


class Tide(BaseModel):
    metres: float


PRICES = Prices(prompt=1.0, reply=10.0)  # USD for a million tokens


def ask(user: str, most: int = 10) -> Prompt:
    return Prompt("", user, most=most)


def test_calls_tokens_and_money() -> None:
    model = MeteredModel(
        ScriptedModel({"a": "x y", "b": Reply("", problem="cut off", prompt_tokens=5, calls=1)}),
        Meter(PRICES),
    )
    model.complete([ask("a b c"), ask("b")])
    # prompts: 3 words, and 5 of the scripted failure; replies: 2 words
    cost = (8 * 1.0 + 2 * 10.0) / 1e6
    assert model.meter == Usage(calls=2, failed=1, prompt_tokens=8, reply_tokens=2, cost=cost)
    assert model.name == "scripted"


def test_a_budget_of_tokens() -> None:
    # each prompt: ceil(9 / 3) = 3 tokens and 10 at most, of which 3 words and 1 are used
    scripted = ScriptedModel(lambda _: "ok")
    model = MeteredModel(scripted, Meter(budget=20))
    replies = model.complete([ask("aa bb cc!"[:9])] * 4)
    # 13 fit into 20; after 4 are used 13 fit into 16; after 8, 13 do not fit into 12
    assert [reply.text for reply in replies] == ["ok", "ok", "", ""]
    told = (
        "the budget is used up: 8 tokens of 20 tokens (a budget is of tokens where [model] has no prices) "
        "are spent, and this prompt may need 13 tokens; not sent"
    )
    assert [reply.problem for reply in replies] == ["", "", told, told]
    assert model.meter == Usage(calls=2, failed=2, refused=2, prompt_tokens=6, reply_tokens=2)
    assert len(scripted.prompts) == 2


def test_a_budget_of_money() -> None:
    scripted = ScriptedModel(lambda _: "ok")
    # a prompt of 3 tokens and at most 10 of the reply: 3 * 1 + 10 * 10 = 103 millionths of a dollar
    model = MeteredModel(scripted, Meter(PRICES, 102e-6))
    [reply] = model.complete([ask("aa bb cc!")])
    assert reply.problem == (
        "the budget is used up: 0 USD of 0.000102 USD are spent, and this prompt may need 0.000103 USD; "
        "not sent"
    )
    assert MeteredModel(scripted, Meter(PRICES, 103e-6)).complete([ask("aa bb cc!")])[0].text == "ok"


def test_what_is_under_way_is_reserved_and_not_given_again() -> None:
    """Once only what was used counted, so two threads could each be told that the last tokens are theirs."""
    meter = Meter(budget=30)
    wants = ask("a" * 30)  # 10 tokens and 10
    assert (meter.reserve([wants, wants]), meter.reserve([wants])) == (1, 0)
    meter.release((10, 10))
    assert meter.reserve([wants]) == 1
    meter.release((10, 10))
    meter.count(Reply("ok", None, "", 10, 1, 1))  # 11 are used
    assert meter.reserve([wants]) == 0
    assert Meter().reserve([wants] * 1_000) == 1_000
    assert [Meter(PRICES, budget).reserve([ask("aa bb cc!")]) for budget in (103e-6, 102e-6)] == [1, 0]


@given(
    st.lists(st.tuples(st.integers(1, 30), st.integers(1, 40), st.integers(0, 40)), max_size=12),
    st.integers(0, 300),
)
def test_no_budget_is_exceeded(each: list[tuple[int, int, int]], budget: int) -> None:
    """Where the server counts no more than was estimated. What is held is given back to the last token."""
    prompts = [ask("x" * (3 * size) + f"{at}", most=most) for at, (size, most, _) in enumerate(each)]
    used = {
        prompt.user: (size, min(most, said)) for prompt, (size, most, said) in zip(prompts, each, strict=True)
    }

    def reply(prompt: Prompt) -> Reply:
        size, said = used[prompt.user]
        return Reply("ok", None, "", size, said, 1)

    model = MeteredModel(ScriptedModel(reply), Meter(budget=budget))
    replies = model.complete(prompts)
    meter = model.meter
    assert meter.prompt_tokens + meter.reply_tokens <= budget
    assert meter.calls + meter.refused == len(replies) == len(prompts)
    assert model.total._reserved == (0, 0)


def test_kept_replies_are_free_and_given_without_a_budget() -> None:
    memory = Memory()
    CachedModel(ScriptedModel(["ok"], "kept"), memory).complete([ask("a")])
    model = MeteredModel(CachedModel(ScriptedModel([], "kept"), memory), Meter(PRICES, 0.0))
    first, second = model.complete([ask("a"), ask("b")])
    assert (first.text, first.calls) == ("ok", 0)
    assert second.problem.startswith("the budget is used up")
    assert model.meter == Usage(cached=1, failed=1, refused=1, cost=0.0)


# -- a stream ---------------------------------------------------------------------------------------


def test_a_stream_is_estimated() -> None:
    model = MeteredModel(ScriptedModel(["four score and"]), Meter(PRICES))
    assert "".join(model.stream(ask("abcd"))) == "four score and"
    # 4 characters and 14, a token for 3
    assert model.meter == Usage(calls=1, prompt_tokens=2, reply_tokens=5, cost=(2 + 5 * 10) / 1e6)


# -- beside a server's own count --------------------------------------------------------------------


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as there:
        yield there


def endpoint(server: ModelServer) -> Endpoint:
    return Endpoint.below(server.url, PATH, retry=Retry(5, sleep=lambda _: None))


def test_the_meter_is_the_servers_count(server: ModelServer) -> None:
    """After retries, half bodies, repairs that help and repairs that do not."""
    server.ways += [status(500), half, status(429, Retry_After="0")]
    server.says = lambda body: _tide(str(body["messages"][-1]["content"]))
    model = MeteredModel(ChatModel("tide-1b", endpoint(server), concurrency=4), Meter(PRICES))
    prompts = [
        Prompt("Read the tide.", f"{kind} {n}", Tide) for n in range(5) for kind in ("good", "once", "never")
    ]
    replies = model.complete([*prompts, Prompt("", "good 9")])
    assert [bool(reply.problem) for reply in replies] == [False, False, True] * 5 + [False]
    meter = model.meter
    # 5 good ones, 10 asked for twice, and one without a shape
    assert meter.calls == server.answered == 5 + 2 * 10 + 1
    assert (meter.prompt_tokens, meter.reply_tokens) == (server.prompt_tokens, server.reply_tokens)
    assert meter.failed == 5
    assert len(server.requests) == server.answered + 3


def _tide(user: str) -> str:
    repaired = "It cannot be used" in user
    if user.startswith("never") or (user.startswith("once") and not repaired):
        return "about three metres"
    return '{"metres": 3.1}'


def test_what_comes_before_an_error_is_counted(server: ModelServer) -> None:
    server.ways += [says("paid for"), status(401)]
    model = MeteredModel(ChatModel("tide-1b", endpoint(server), concurrency=1), Meter(budget=10_000))
    with pytest.raises(ModelError):
        model.complete([ask("a"), ask("b"), ask("c")])
    assert model.meter.calls == server.answered == 1
    assert model.total._reserved == (0, 0)


def test_a_stream_that_is_broken_off_counts_as_the_longest_reply():
    """Who stops reading does not know how much more the server wrote, and will charge for."""
    metered = MeteredModel(ScriptedModel(["one two three four five"]))
    pieces = metered.stream(Prompt("", "count", most=100))
    assert isinstance(pieces, Generator)
    next(pieces)
    pieces.close()
    assert (metered.meter.calls, metered.meter.reply_tokens) == (1, 100)


def test_models_on_one_meter_share_its_budget_and_count_for_themselves() -> None:
    """Each prompt costs 5 tokens at most ("abc" is one, its reply 4): a budget of 12 holds two of them."""
    meter = Meter(budget=12)
    first = MeteredModel(ScriptedModel(lambda _: Reply("ok", None, "", 1, 4, 1)), meter)
    second = MeteredModel(ScriptedModel(lambda _: Reply("ok", None, "", 1, 4, 1)), meter)
    assert first.complete([ask("abc", most=4)])[0].text == "ok"
    replies = second.complete([ask("abc", most=4), ask("abc", most=4)])
    assert [bool(reply.problem) for reply in replies] == [False, True]
    assert "10 tokens of 12 tokens" in replies[1].problem
    assert (first.meter.calls, second.meter.calls, meter.used.calls) == (2, 2, 2)  # the first was not done
    later = MeteredModel(ScriptedModel([]), meter)
    assert later.meter == Usage()
    assert meter.used == Usage(calls=2, failed=1, refused=1, prompt_tokens=2, reply_tokens=8)


# -- chat completions as JSON: counts that are missing, and what is no completion ------------------


COUNT = Prompt("You count.", "How many?", most=9)


def answer(content: Any = "forty", **more: Any) -> dict[str, Any]:
    return {"choices": [{"message": {"content": content}, "finish_reason": "stop"}], **more}


@pytest.mark.parametrize(
    ("usage", "counted"),
    [
        ({"prompt_tokens": 7, "completion_tokens": 2}, (7, 2)),
        # a token for 3 characters, rounded up: 10 of the system and 9 of the user, 5 of the reply
        (None, (7, 2)),
        ({"prompt_tokens": None, "completion_tokens": "2"}, (7, 2)),
        ([], (7, 2)),
    ],
)
def test_tokens_that_nobody_counts_are_estimated(usage: Any, counted: tuple[int, int]) -> None:
    assert reply_in(answer(usage=usage), COUNT) == Reply("forty", None, "", *counted, 1)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(
            st.sampled_from(
                ["choices", "message", "delta", "content", "finish_reason", "usage", "prompt_tokens", "error"]
            ),
            inner,
            max_size=3,
        )
    ),
    max_leaves=8,
)


@given(JSON)
def test_any_json_is_a_reply_or_refused(said: Any) -> None:
    with suppress(RequestRejected):
        assert isinstance(reply_in(said, COUNT), Reply)


# -- amounts and budgets in words: no power of ten, no zeros where something is --------------------


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (0.00005, USD, "0.00005 USD"),
        (0.000051239, USD, "0.0000512 USD"),
        (0.0, USD, "0 USD"),
        (1234.5, USD, "1,234.5 USD"),
        (1_234_567, TOKENS, "1,234,567 tokens"),
    ],
)
def test_amounts(value, unit, text):
    assert amount(value, unit) == text
