"""The language model behind a server: what is sent, what comes back, what is asked again, what is not."""

from __future__ import annotations

import logging
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel
from tests.support.openai_server import (
    ModelServer,
    Way,
    chunked,
    drops,
    half,
    hang_up,
    raw,
    says,
    slow,
    status,
)

import asof
from asof.documents import Document
from asof.errors import ModelError, UsageError
from asof.extensions.providers.chat import FAILURES, PATH, TABLE, ChatModel, language_from
from asof.extensions.providers.http import Endpoint, Retry
from asof.models.metered import Prices
from asof.models.ports import Prompt, Reply

# -- the language model behind a server: what is sent, what comes back, what is asked again, what is---


Chat = Callable[..., ChatModel]
KEY = "sk-Tell-Nobody-42"


class Toll(BaseModel):
    bridge: str
    pence: int


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as there:
        yield there


@pytest.fixture
def waits() -> list[float]:
    return []


@pytest.fixture
def chat(server: ModelServer, waits: list[float]) -> Chat:
    """A model that notes its waits and sleeps none of them."""

    def make(key: str | None = None, url: str = "", largest: int = 8_000_000, **options: Any) -> ChatModel:
        patient = {name: options.pop(name) for name in ("attempts", "timeout") if name in options}
        retry = Retry(**patient, sleep=waits.append, draw=lambda: 1.0)
        endpoint = Endpoint.below(url or server.url, PATH, key=key, largest=largest, retry=retry)
        return ChatModel("mill-7b", endpoint, **options)

    return make


def ask(user: str, **more: Any) -> Prompt:
    return Prompt("You are a miller.", user, **more)


def test_what_is_sent(server: ModelServer, chat: Chat) -> None:
    assert chat().complete([]) == []
    assert chat().name == f"mill-7b at {server.url}"
    [reply] = chat(key=KEY).complete([ask("Who owns\nthe mill?", most=77)])
    # tokens are words: 4 of the system, 4 of the user, 2 of the reply
    assert reply == Reply("the mill?", None, "", 8, 2, 1)
    [request] = server.requests
    assert request.path == "/v1/chat/completions"
    assert request.body == {
        "model": "mill-7b", "temperature": 0.0, "seed": 42, "max_tokens": 77,
        "messages": [
            {"role": "system", "content": "You are a miller."},
            {"role": "user", "content": "Who owns\nthe mill?"},
        ],
    }  # fmt: skip
    sent = {name.lower(): value for name, value in request.headers.items()}
    assert sent.pop("authorization") == f"Bearer {KEY}"
    assert sent.pop("user-agent") == "asof"
    assert set(sent) == {"host", "content-type", "content-length", "accept", "accept-encoding"}


def test_without_a_key_and_by_the_newer_name_of_the_limit(server: ModelServer, chat: Chat) -> None:
    chat(limit="max_completion_tokens", temperature=1.0).complete([Prompt("", "Who?", most=5)])
    [request] = server.requests
    assert "Authorization" not in request.headers
    assert request.body["max_completion_tokens"] == 5
    assert "max_tokens" not in request.body


def test_replies_are_in_the_order_of_the_prompts_and_limited_at_once(server: ModelServer, chat: Chat) -> None:
    prompts = [ask(f"number {n}") for n in range(24)]
    server.ways += [slow(0.05), slow(0.02)]
    server.way = slow(0.005)
    assert [reply.text for reply in chat(concurrency=4).complete(prompts)] == [each.user for each in prompts]
    assert 1 < server.most_at_once <= 4
    assert server.answered == len(server.requests) == 24


def test_silence_and_an_answer_by_the_drop(server: ModelServer, chat: Chat) -> None:
    server.ways += [slow(2.0), drops]
    first, second = chat(timeout=0.5, attempts=1, concurrency=1).complete([ask("one"), ask("two")])
    told = f"{server.url}{PATH}: no answer within 0.5 s (1 attempt)"
    assert (first.problem, second.problem) == (told, told)


def test_after_failures_in_a_row_the_rest_is_not_sent(server: ModelServer, chat: Chat) -> None:
    server.ways += [says("ok"), status(400), status(400), says("ok")]
    server.way = status(500)
    replies = chat(attempts=2, concurrency=1).complete([ask(f"n {n}") for n in range(12)])
    assert [bool(reply.problem) for reply in replies[:4]] == [False, True, True, False]
    reason = f"{server.url}{PATH}: status 500 (2 attempts)"
    assert [reply.problem for reply in replies[4 : 4 + FAILURES]] == [reason] * FAILURES
    for reply in replies[4 + FAILURES :]:
        assert reply.problem == f"not sent: 5 prompts in a row got no reply, the last one because {reason}"
    # four answers, and five prompts of two attempts each
    assert len(server.requests) == 4 + 5 * 2


@pytest.mark.parametrize(
    ("way", "told"),
    [
        (status(401, "no"), "status 401, 'no'; check the key"),
        (status(403, "no"), "status 403, 'no'; check the key"),
        (status(402, "pay"), "status 402, 'pay'; the account has to be paid for"),
        (status(404, "no mill-7b"), "status 404, 'no mill-7b'; check the address"),
        (status(307, Location="http://elsewhere/v1"), "it redirects to 'http://elsewhere/v1', which is not"),
    ],
)
def test_what_holds_for_all_prompts_is_an_error(
    server: ModelServer, chat: Chat, waits: list[float], way: Way, told: str
) -> None:
    server.way = way
    with pytest.raises(ModelError, match=f"^{server.url}{PATH}: .*{told}"):
        chat(key=KEY, concurrency=2).complete([ask(f"n {n}") for n in range(20)])
    assert len(server.requests) <= 2
    assert waits == []


def test_replies_under_way_are_given_before_the_error(server: ModelServer, chat: Chat) -> None:
    server.ways += [says("paid for"), status(401)]
    replies = chat(concurrency=1).replies([ask("one"), ask("two"), ask("three")])
    assert next(replies)[1].text == "paid for"
    assert next(replies)[1].problem.endswith("check the key")
    assert next(replies)[1].problem.startswith("not sent: ")
    with pytest.raises(ModelError):
        next(replies)
    assert len(server.requests) == 2


@pytest.mark.parametrize(
    ("way", "told"),
    [
        (status(400, "too long"), "status 400, 'too long'"),
        (raw(b"<html>Login</html>"), "the answer is not JSON: '<html>Login</html>'"),
        (raw(b"[]"), "the answer is no chat completion: '[]'"),
        (raw(b'{"choices": [{"message": {"content": 7}}]}'), "the reply is a int; a text was expected"),
        (chunked(b" " * 3_000), "the answer has more than 2,000 bytes"),
    ],
)
def test_what_is_no_reply_is_not_asked_for_again(
    server: ModelServer, chat: Chat, way: Way, told: str
) -> None:
    server.ways.append(way)
    [reply] = chat(largest=2_000).complete([ask("hello")])
    assert told in reply.problem
    assert (reply.text, reply.calls) == ("", 0)
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("way", "told"),
    [
        (says("half a sent", "length"), "the reply was cut off after 1024 tokens (most)"),
        (says("", "content_filter"), "the server withheld the reply (content_filter)"),
        (says(" \n"), "the reply is empty"),
    ],
)
def test_a_reply_that_is_not_whole_is_paid_and_a_problem(
    server: ModelServer, chat: Chat, way: Way, told: str
) -> None:
    server.ways.append(way)
    [reply] = chat().complete([ask("hello", schema=Toll)])
    assert (reply.problem, reply.calls) == (told, 1)
    assert len(server.requests) == 1


# -- a shape ----------------------------------------------------------------------------------------


def test_broken_json_once(server: ModelServer, chat: Chat) -> None:
    server.ways += [says('{"bridge": "Old", "pence":'), says('```json\n{"bridge": "Old", "pence": 3}\n```')]
    [reply] = chat().complete([ask("Which toll?", schema=Toll)])
    assert (reply.value, reply.problem, reply.calls) == (Toll(bridge="Old", pence=3), "", 2)
    assert reply.prompt_tokens == server.prompt_tokens
    assert reply.reply_tokens == server.reply_tokens == 3 + 6
    assert server.requests[0].body["response_format"] == {"type": "json_object"}
    assert '"pence"' in server.requests[0].body["messages"][0]["content"]
    assert "there is no whole JSON object in it" in server.requests[1].user


# -- a stream ---------------------------------------------------------------------------------------


def test_a_stream_begins_again_while_nothing_came(
    server: ModelServer, chat: Chat, waits: list[float]
) -> None:
    server.ways += [status(500), hang_up, says("at last")]
    assert "".join(chat().stream(ask("Is it?"))) == "at last"
    assert waits == [0.5, 1.0]


def test_half_a_stream(server: ModelServer, chat: Chat) -> None:
    server.says = lambda _: "the mill is open"
    server.way = half
    pieces = chat().stream(ask("Is it?"))
    assert [next(pieces), next(pieces)] == ["the", " mill"]
    with pytest.raises(ModelError, match=r"cut off; 8 characters came$"):
        next(pieces)
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("way", "told"),
    [
        (status(401, "no"), "status 401, 'no'; check the key"),
        (status(503, "no"), r"status 503, 'no' \(3 attempts\)$"),
        (
            says("cut", "length"),
            r"the reply was cut off after 1024 tokens \(most\); 3 characters came$",
        ),
        (raw(b'data: {"error": {"message": "out of flour"}}\n\n'), "the server broke off: .*out of flour"),
        (raw(b'data: {"choices": [{"delta": {"content": 7}}]}\n\n'), "no piece of a chat completion"),
        (raw(b"data: [DONE]\n\n"), "the reply is empty"),
        (chunked(b": wait\n\n" * 400), "the answer has more than 2,000 bytes"),
    ],
)
def test_streams_that_fail(server: ModelServer, chat: Chat, way: Way, told: str) -> None:
    server.way = way
    with pytest.raises(ModelError, match=told):
        list(chat(largest=2_000).stream(ask("Is it?")))


# -- the key ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("code", [302, 401, 500])
def test_the_key_is_in_no_message(
    server: ModelServer, chat: Chat, caplog: pytest.LogCaptureFixture, code: int
) -> None:
    caplog.set_level(logging.DEBUG)
    headers = {"Location": f"/?key={KEY}"} if code == 302 else {}
    server.way = status(code, f"[wrong key {KEY}, sorry {KEY}]", **headers)
    model = chat(key=KEY, attempts=2)
    told = [repr(model), model.name, model.settings]
    for run in (lambda: model.complete([ask("hello")]), lambda: list(model.stream(ask("hello")))):
        try:
            told += [str(reply) for reply in run()]
        except ModelError as raised:
            error: BaseException | None = raised
            while error is not None:
                told.append(f"{error} {error!r}")
                error = error.__cause__ or error.__context__
    assert server.requests[0].headers["Authorization"] == f"Bearer {KEY}"
    assert KEY not in "\n".join(told) + caplog.text


def test_who_stops_reading_stops_the_batch(server: ModelServer, chat: Chat) -> None:
    server.way = slow(0.02)
    replies = chat(concurrency=2).replies([ask(f"n {n}") for n in range(200)])
    next(replies)
    replies.close()  # type: ignore[attr-defined]
    sent = len(server.requests)
    assert sent < 200
    time.sleep(0.1)
    assert len(server.requests) == sent


# -- `[model]` of asof.toml: what is accepted, what is refused, and which model it makes -----------


URL = "http://localhost:11434/v1"
LEAST = {"url": URL, "model": "mill-7b"}


def test_all_keys() -> None:
    settings = TABLE.value({
        **LEAST, "key_variable": "MILL_KEY", "json": "schema", "timeout": 5, "attempts": 2, "concurrency": 3,
        "temperature": 0.3, "limit": "max_completion_tokens",
        "prices": {"prompt": 0.15, "reply": 0.6},
    })  # fmt: skip
    assert settings.prices == Prices(0.15, 0.6)
    endpoint = Endpoint(f"{URL}{PATH}", "secret", Retry(2, 5))
    assert language_from(settings, Path(), {"MILL_KEY": " secret\n"}) == ChatModel(
        "mill-7b", endpoint, "schema", 3, 0.3, "max_completion_tokens"
    )


def test_defaults() -> None:
    settings = TABLE.value(LEAST)
    assert settings.prices is None
    model = ChatModel("mill-7b", Endpoint(f"{URL}{PATH}", retry=Retry()))
    assert language_from(settings, Path(), {"OPENAI_API_KEY": "sk-other"}) == model


@pytest.mark.parametrize(
    ("table", "told"),
    [
        ({}, "url and model missing: "),
        ({**LEAST, "modle": "x"}, "no key modle; did you mean model?"),
        ({**LEAST, "url": f"{URL}/chat/completions"}, f"url {URL}/chat/completions is the whole address"),
        ({**LEAST, "json": "yes"}, "json = 'yes': one of schema, object, none is expected"),
        ({**LEAST, "concurrency": 0}, "concurrency = 0: a whole number from 1 to 256 is expected"),
        ({**LEAST, "prices": 3}, "prices = 3: a table of two numbers, prompt = 0.15 and reply = 0.60"),
        ({**LEAST, "prices": {"prompt": 1, "reply": -1}}, "prices = {'prompt': 1, 'reply': -1}: a table"),
    ],
)
def test_what_is_refused(table: dict[str, Any], told: str) -> None:
    with pytest.raises(UsageError) as raised:
        TABLE.value(table)
    assert str(raised.value).startswith(told)


# -- a batch that is killed in the middle: what was paid for is kept, and is not asked for again ---


PROMPTS, THREADS = 30, 4

RUN = f"""
import sys
from contextlib import closing
from pathlib import Path
from asof.models.metered import CachedModel
from asof.extensions.providers.chat import LanguageModelConfig, language_from
from asof.models.metered import MeteredModel
from asof.models.ports import Prompt
from asof.store.calls import StoredCalls
from asof.store.store import Store
from asof.extensions.providers.chat import TABLE

table = {{"url": sys.argv[2], "model": "mill-7b", "key_variable": "MILL_KEY", "concurrency": {THREADS}}}
chat = language_from(TABLE.value(table), Path(), {{"MILL_KEY": "{KEY}"}})
with closing(StoredCalls(Store.open(Path(sys.argv[1])), lambda: 42)) as calls:
    model = MeteredModel(CachedModel(chat, calls))
    replies = model.complete([Prompt("", f"reply {{n}}", passages=(1,)) for n in range({PROMPTS})])
    assert [reply.text for reply in replies] == [f"reply {{n}}" for n in range({PROMPTS})]
    print(model.meter.calls, model.meter.cached)
"""


@pytest.fixture
def slow_server() -> Iterator[ModelServer]:
    with ModelServer(way=slow(0.04)) as there:
        yield there


@pytest.mark.slow
def test_a_batch_that_is_killed(slow_server: ModelServer, memory_folder: Path) -> None:
    with asof.open(memory_folder) as corpus:
        corpus.maintenance.background = False
        corpus.add([Document("ann", "Ann keeps the light.")])
        folder = corpus.store.folder
    command = [sys.executable, "-c", RUN, str(folder), slow_server.url]
    killed = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    give_up = time.monotonic() + 60
    while slow_server.answered < PROMPTS // 2 and killed.poll() is None and time.monotonic() < give_up:
        time.sleep(0.005)
    killed.send_signal(signal.SIGKILL)
    assert killed.wait() == -signal.SIGKILL
    while slow_server.busy:  # what was under way is answered into the void
        time.sleep(0.005)
    before = slow_server.answered
    assert PROMPTS // 2 <= before < PROMPTS

    slow_server.way = None
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    calls, kept = map(int, done.stdout.split())
    assert len(slow_server.prompts) == PROMPTS
    twice = [prompt for prompt, times in slow_server.prompts.items() if times > 1]
    assert len(twice) <= 2 * THREADS  # under way, or answered and not yet taken from the queue
    assert calls == PROMPTS - kept
    assert slow_server.answered == before + calls

    third = subprocess.run(command, capture_output=True, text=True, check=True)
    assert third.stdout.split() == ["0", str(PROMPTS)]
    assert slow_server.answered == PROMPTS + len(twice)
    for file in folder.rglob("*"):
        assert not file.is_file() or KEY.encode() not in file.read_bytes()
