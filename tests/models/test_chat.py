"""The language model behind a server: what is sent, what comes back, what is asked again, what is not."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler
from typing import Any

import pytest
from pydantic import BaseModel
from tests.support.openai_server import (
    INJECTION,
    ModelServer,
    Request,
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

from asof.errors import ModelError, UsageError
from asof.http import Retry
from asof.models.chat import ChatModel, OpenAIServer
from asof.models.ports import Prompt, Reply

KEY = "sk-Tell-Nobody-42"
INTERNAL = {"x-stainless-raw-response"}


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
def chat(server: ModelServer, waits: list[float]) -> Callable[..., ChatModel]:
    """A model that notes its waits and sleeps none of them; half of each is drawn."""

    def make(key: str | None = None, url: str = "", largest: int = 8_000_000, **options: Any) -> ChatModel:
        patient = {name: options.pop(name) for name in ("attempts", "timeout", "patience") if name in options}
        retry = Retry(**patient, sleep=waits.append, draw=lambda: 0.5)
        return ChatModel("mill-7b", OpenAIServer(url or server.url, key, largest), retry=retry, **options)

    return make


def ask(user: str, **more: Any) -> Prompt:
    return Prompt("You are a miller.", user, **more)


def test_what_is_sent(server: ModelServer, chat: Callable[..., ChatModel]) -> None:
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
    assert (
        set(sent)
        == {"host", "connection", "content-type", "content-length", "accept", "accept-encoding"} | INTERNAL
    )


def test_without_a_key_and_by_the_newer_name_of_the_limit(
    server: ModelServer, chat: Callable[..., ChatModel]
) -> None:
    chat(limit="max_completion_tokens", temperature=1.0).complete([Prompt("", "Who?", most=5)])
    [request] = server.requests
    assert "Authorization" not in request.headers
    assert request.body["max_completion_tokens"] == 5
    assert request.body["messages"] == [{"role": "user", "content": "Who?"}]
    assert "max_tokens" not in request.body


def test_nothing_comes_from_the_environment(
    server: ModelServer, chat: Callable[..., ChatModel], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {
        "OPENAI_API_KEY": "sk-of-the-environment", "OPENAI_BASE_URL": "http://127.0.0.1:9/v1",
        "OPENAI_ORG_ID": "org", "OPENAI_PROJECT_ID": "project", "OPENAI_CUSTOM_HEADERS": "X-Own: 1",
        "HTTP_PROXY": "http://127.0.0.1:9", "http_proxy": "http://127.0.0.1:9", "ALL_PROXY": "http://127.0.0.1:9",
    }.items():  # fmt: skip
        monkeypatch.setenv(name, value)
    assert chat().complete([ask("hello")])[0].text == "hello"
    [request] = server.requests
    told = {name.lower() for name in request.headers}
    assert not told & {"authorization", "openai-organization", "openai-project", "x-own"}
    assert {name for name in told if name.startswith("x-stainless")} <= INTERNAL


def test_replies_are_in_the_order_of_the_prompts_and_limited_at_once(
    server: ModelServer, chat: Callable[..., ChatModel]
) -> None:
    prompts = [ask(f"number {n}") for n in range(24)]
    server.ways += [slow(0.05), slow(0.02)]
    server.way = slow(0.005)
    assert [reply.text for reply in chat(concurrency=4).complete(prompts)] == [each.user for each in prompts]
    assert server.most_at_once <= 4
    assert server.answered == len(server.requests) == 24


def test_no_prompts(server: ModelServer, chat: Callable[..., ChatModel]) -> None:
    assert chat().complete([]) == []
    assert server.requests == []


def test_replies_come_before_the_batch_has_ended(server: ModelServer, chat: Callable[..., ChatModel]) -> None:
    gate = threading.Event()

    def held(server: ModelServer, handler: BaseHTTPRequestHandler, request: Request) -> None:
        if request.user == "first":
            gate.wait(5)
        says("late")(server, handler, request)

    server.way = held
    replies = chat(concurrency=2).replies([ask("first"), ask("second")])
    assert next(replies)[0] == 1
    gate.set()
    assert next(replies) == (0, Reply("late", None, "", 5, 1, 1))


@pytest.mark.parametrize("code", [408, 429, 500, 502, 503, 529])
def test_a_failure_that_passes(
    server: ModelServer, chat: Callable[..., ChatModel], waits: list[float], code: int
) -> None:
    server.ways += [status(code, "busy"), status(code, "busy")]
    [reply] = chat().complete([ask("hello")])
    assert (reply.text, reply.calls, reply.problem) == ("hello", 1, "")
    assert waits == [0.5 * 0.5 * 2**0, 0.5 * 0.5 * 2**1]
    assert len(server.requests) == 3


@pytest.mark.parametrize("way", [half, hang_up])
def test_half_a_body_is_asked_for_again(
    server: ModelServer, chat: Callable[..., ChatModel], way: Way
) -> None:
    server.ways.append(way)
    assert chat().complete([ask("hello there")])[0].text == "hello there"
    assert (server.answered, len(server.requests)) == (1, 2)


def test_a_failure_that_stays_is_a_problem(server: ModelServer, chat: Callable[..., ChatModel]) -> None:
    server.ways += [status(500, "out\tof flour")] * 3
    first, second = chat(concurrency=1).complete([ask("one"), ask("two")])
    assert first == Reply("", problem=f"{server.url}: status 500, 'out of flour' (3 attempts)")
    assert second.text == "two"


@pytest.mark.parametrize(
    ("headers", "waited"),
    [({"Retry_After": "7"}, [7.0]), ({"Retry_After": "0.25"}, [0.25]), ({"Retry_After": "soon"}, [0.25])],
)
def test_a_server_that_says_when(
    server: ModelServer, chat: Callable[..., ChatModel], waits: list[float], headers: Any, waited: list[float]
) -> None:
    server.ways.append(status(429, "slow down", **headers))
    assert chat().complete([ask("hello")])[0].text == "hello"
    assert waits == waited


def test_a_wait_beyond_patience_is_not_waited(
    server: ModelServer, chat: Callable[..., ChatModel], waits: list[float]
) -> None:
    server.way = status(429, "later", Retry_After="31")
    [reply] = chat().complete([ask("hello")])
    assert reply.problem == f"{server.url}: status 429, 'later'; it asks for a wait of 31 s (1 attempt)"
    assert waits == []


def test_silence_and_an_answer_by_the_drop(server: ModelServer, chat: Callable[..., ChatModel]) -> None:
    server.ways += [slow(2.0), drops]
    first, second = chat(timeout=0.5, attempts=1, concurrency=1).complete([ask("one"), ask("two")])
    assert first.problem == f"{server.url}: no answer within 0.5 s (1 attempt)"
    assert second.problem == f"{server.url}: no whole answer in time (1 attempt)"


def test_a_deadline_for_the_batch(server: ModelServer, chat: Callable[..., ChatModel]) -> None:
    server.way = slow(0.1)
    replies = chat(deadline=0.3, concurrency=1).complete([ask(f"n {n}") for n in range(9)])
    assert replies[-1].problem == "not sent: the 0.3 s for the batch are over (deadline)"
    assert len(server.requests) <= 3  # each takes 0.1 s or more


def test_a_wait_beyond_the_deadline_is_not_waited(
    server: ModelServer, chat: Callable[..., ChatModel], waits: list[float]
) -> None:
    server.way = status(429, Retry_After="20")
    [reply] = chat(deadline=10.0).complete([ask("hello")])
    assert reply.problem == "not sent: the 10 s for the batch are over (deadline)"
    assert waits == []


def test_after_failures_in_a_row_the_rest_is_not_sent(
    server: ModelServer, chat: Callable[..., ChatModel]
) -> None:
    server.ways += [says("ok"), status(500), status(500)]
    server.way = status(500)
    replies = chat(attempts=2, failures=3, concurrency=1).complete([ask(f"n {n}") for n in range(9)])
    assert replies[0].text == "ok"
    assert all("status 500 (2 attempts)" in reply.problem for reply in replies[1:4])
    reason = f"{server.url}: status 500 (2 attempts)"
    for reply in replies[4:]:
        assert reply.problem == f"not sent: 3 prompts in a row got no reply, the last one because {reason}"
    # one answer, and three prompts of two attempts each
    assert len(server.requests) == 1 + 3 * 2


def test_failures_are_counted_over_threads(server: ModelServer, chat: Callable[..., ChatModel]) -> None:
    server.way = status(503)
    replies = chat(attempts=1, concurrency=4).complete([ask(f"n {n}") for n in range(40)])
    assert all(reply.problem for reply in replies)
    assert 5 <= len(server.requests) <= 5 + 3  # beside the fifth failure three more may be under way


def test_a_success_between_failures_begins_the_row_anew(
    server: ModelServer, chat: Callable[..., ChatModel]
) -> None:
    server.ways += [status(400), status(400), says("ok")] * 4
    replies = chat(failures=3, concurrency=1).complete([ask("x")] * 12)
    assert [bool(reply.problem) for reply in replies] == [True, True, False] * 4


@pytest.mark.parametrize(
    ("way", "told"),
    [
        (status(401, "no"), "status 401, 'no'; check the key"),
        (status(403, "no"), "status 403, 'no'; check the key"),
        (status(402, "pay"), "status 402, 'pay'; the account has to be paid for"),
        (status(404, "no mill-7b"), "status 404, 'no mill-7b'; check the address"),
        (
            status(429, '{"code": "insufficient_quota"}'),
            "insufficient_quota.*; the account has to be paid for",
        ),
        (status(307, Location="http://elsewhere/v1"), "it redirects to 'http://elsewhere/v1', which is not"),
    ],
)
def test_what_holds_for_all_prompts_is_an_error(
    server: ModelServer, chat: Callable[..., ChatModel], waits: list[float], way: Way, told: str
) -> None:
    server.way = way
    with pytest.raises(ModelError, match=f"^{server.url}: .*{told}"):
        chat(key=KEY, concurrency=2).complete([ask(f"n {n}") for n in range(20)])
    assert len(server.requests) <= 2
    assert waits == []


def test_replies_under_way_are_given_before_the_error(
    server: ModelServer, chat: Callable[..., ChatModel]
) -> None:
    server.ways += [says("paid for"), status(401)]
    replies = chat(concurrency=1).replies([ask("one"), ask("two"), ask("three")])
    assert next(replies)[1].text == "paid for"
    assert next(replies)[1].problem.endswith("check the key")
    assert next(replies)[1].problem.startswith("not sent: ")
    with pytest.raises(ModelError):
        next(replies)
    assert len(server.requests) == 2


def test_a_server_that_is_not_there(chat: Callable[..., ChatModel]) -> None:
    with ModelServer() as gone:
        url = gone.url
    with pytest.raises(
        ModelError,
        match=rf"^{url}: the connection failed: .*refused.* \(3 attempts\)"
        r"; check url in \[model\] of asof\.toml, and that the server runs$",
    ):
        chat(url=url).complete([ask("hello")])


def test_https_where_there_is_none(server: ModelServer, chat: Callable[..., ChatModel]) -> None:
    [reply] = chat(url=server.url.replace("http:", "https:")).complete([ask("hello")])
    assert "no secure connection: " in reply.problem
    assert server.requests == []


@pytest.mark.parametrize(
    ("way", "told"),
    [
        (status(400, "too long"), "status 400, 'too long'"),
        (raw(b"<html>Login</html>"), "the answer is not JSON: '<html>Login</html>'"),
        (raw(b"[" * 1_900), "the answer is not JSON: "),
        (raw(b"[]"), "the answer is no chat completion: '[]'"),
        (raw(b'{"choices": []}'), "the answer is no chat completion"),
        (raw(b'{"choices": [{"message": {"content": 7}}]}'), "the reply is a int; a text was expected"),
        (raw(b" " * 2_001), "the answer has more than 2,000 bytes"),
        (chunked(b" " * 3_000), "the answer has more than 2,000 bytes"),
        (raw(b"x", Content_Encoding="gzip"), "the answer is compressed, which was not asked for"),
    ],
)
def test_what_is_no_reply_is_not_asked_for_again(
    server: ModelServer, chat: Callable[..., ChatModel], way: Way, told: str
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
    server: ModelServer, chat: Callable[..., ChatModel], way: Way, told: str
) -> None:
    server.ways.append(way)
    [reply] = chat().complete([ask("hello", schema=Toll)])
    assert (reply.problem, reply.calls) == (told, 1)
    assert len(server.requests) == 1


# -- a shape ----------------------------------------------------------------------------------------


def test_a_reply_of_a_shape(server: ModelServer, chat: Callable[..., ChatModel]) -> None:
    server.ways.append(says('```json\n{"bridge": "Old", "pence": 3}\n```'))
    [reply] = chat().complete([ask("Which toll?", schema=Toll)])
    assert reply.value == Toll(bridge="Old", pence=3)
    assert server.requests[0].body["response_format"] == {"type": "json_object"}
    assert '"pence"' in server.requests[0].body["messages"][0]["content"]


def test_broken_json_once(server: ModelServer, chat: Callable[..., ChatModel]) -> None:
    server.ways += [says('{"bridge": "Old", "pence":'), says('{"bridge": "Old", "pence": 3}')]
    [reply] = chat().complete([ask("Which toll?", schema=Toll)])
    assert (reply.value, reply.problem, reply.calls) == (Toll(bridge="Old", pence=3), "", 2)
    assert reply.prompt_tokens == server.prompt_tokens
    assert reply.reply_tokens == server.reply_tokens == 3 + 4
    assert "there is no whole JSON object in it" in server.requests[1].user


def test_broken_json_always(server: ModelServer, chat: Callable[..., ChatModel]) -> None:
    server.way = says('{"bridge": "Old"}')
    [reply] = chat().complete([ask("Which toll?", schema=Toll)])
    assert reply.problem == "the reply is no Toll, asked twice: pence: Field required"
    assert (reply.value, reply.calls, server.answered) == (None, 2, 2)
    assert reply.prompt_tokens == server.prompt_tokens


def test_a_repair_that_fails_keeps_what_was_paid(server: ModelServer, chat: Callable[..., ChatModel]) -> None:
    server.ways += [says("no"), status(400)]
    [reply] = chat().complete([ask("Which toll?", schema=Toll)])
    assert (reply.text, reply.calls, reply.reply_tokens) == ("no", 1, 1)
    assert reply.problem == f"{server.url}: status 400"


def test_an_injection_is_only_text(server: ModelServer, chat: Callable[..., ChatModel]) -> None:
    server.way = says(INJECTION)
    plain, shaped = chat(key=KEY, concurrency=1).complete([ask("one"), ask("two", schema=Toll)])
    assert plain.text == INJECTION
    assert shaped.problem.startswith("the reply is no Toll")
    assert [request.path for request in server.requests] == ["/v1/chat/completions"] * 3
    assert all(KEY not in str(request.body) for request in server.requests)


def test_characters_that_no_encoding_has(server: ModelServer, chat: Callable[..., ChatModel]) -> None:
    [reply] = chat().complete([ask("Fähre \ud800 渡し船")])
    assert reply.text == "Fähre \ufffd 渡し船"


# -- a stream ---------------------------------------------------------------------------------------


def test_a_stream(server: ModelServer, chat: Callable[..., ChatModel]) -> None:
    server.ways.append(says("the mill is\nopen, said Ännchen"))
    pieces = list(chat(key=KEY).stream(ask("Is it?")))
    assert pieces == ["the", " mill", " is\nopen,", " said", " Ännchen"]
    assert server.requests[0].body["stream"] is True


def test_a_stream_begins_again_while_nothing_came(
    server: ModelServer, chat: Callable[..., ChatModel], waits: list[float]
) -> None:
    server.ways += [status(500), hang_up, says("at last")]
    assert "".join(chat().stream(ask("Is it?"))) == "at last"
    assert waits == [0.25, 0.5]


def test_half_a_stream(server: ModelServer, chat: Callable[..., ChatModel]) -> None:
    server.says = lambda _: "the mill is open"
    server.way = half
    pieces = chat().stream(ask("Is it?"))
    assert [next(pieces), next(pieces)] == ["the", " mill"]
    with pytest.raises(ModelError, match=r"cut off; 8 characters came: 'the mill'$"):
        next(pieces)
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("way", "told"),
    [
        (status(401, "no"), "status 401, 'no'; check the key"),
        (status(400, "no"), "status 400, 'no'$"),
        (status(503, "no"), r"status 503, 'no' \(3 attempts\)$"),
        (
            says("cut", "length"),
            r"the reply was cut off after 1024 tokens \(most\); 3 characters came: 'cut'$",
        ),
        (raw(b'data: {"error": {"message": "out of flour"}}\n\n'), "the server broke off: .*out of flour"),
        (raw(b"data: seven\n\n"), "the answer holds what is no piece of a chat completion: 'seven'"),
        (raw(b'data: {"choices": [{"delta": {"content": 7}}]}\n\n'), "no piece of a chat completion"),
        (raw(b"data: [DONE]\n\n"), "the reply is empty"),
        (chunked(b": wait\n\n" * 400), "the answer has more than 2,000 bytes"),
    ],
)
def test_streams_that_fail(server: ModelServer, chat: Callable[..., ChatModel], way: Way, told: str) -> None:
    server.way = way
    with pytest.raises(ModelError, match=told):
        list(chat(largest=2_000).stream(ask("Is it?")))


def test_a_stream_that_nobody_reads_to_the_end(server: ModelServer, chat: Callable[..., ChatModel]) -> None:
    pieces = chat().stream(ask("one two three"))
    assert next(pieces) == "one"
    pieces.close()  # type: ignore[attr-defined]


# -- the key ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("code", [200, 302, 400, 401, 500])
def test_the_key_is_in_no_message(
    server: ModelServer, chat: Callable[..., ChatModel], caplog: pytest.LogCaptureFixture, code: int
) -> None:
    # below INFO the transport notes the headers of answers as they come, and this one repeats the key there
    caplog.set_level(logging.INFO if code == 302 else logging.DEBUG)
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


@pytest.mark.parametrize(
    "said", [f'{{"error": "{"wrong " * 11}{KEY}"}}', f"<html>{KEY}</html>", f'data: {{"error": "{KEY}"}}\n\n']
)
def test_nor_where_the_answer_is_no_reply(
    server: ModelServer, chat: Callable[..., ChatModel], said: str
) -> None:
    """Not even a part of it: what is shown of an answer is cut after the key has gone from it."""
    server.way = raw(said.encode())
    [reply] = chat(key=KEY).complete([ask("hello")])
    with pytest.raises(ModelError) as raised:
        list(chat(key=KEY).stream(ask("hello")))
    for told in (reply.problem, str(raised.value)):
        assert "sk-Tell" not in told


def test_nor_in_a_reply(server: ModelServer, chat: Callable[..., ChatModel]) -> None:
    server.way = says(f"Your key is {KEY}, and EMPTY.")
    assert chat(key=KEY).complete([ask("hello")])[0].text == "Your key is (the key), and EMPTY."
    assert chat(key="EMPTY").complete([ask("hello")])[0].text == f"Your key is {KEY}, and EMPTY."  # no secret


def test_nor_in_a_stream(server: ModelServer, chat: Callable[..., ChatModel]) -> None:
    """Also where a piece ends inside of it; what only begins like it comes a piece later."""
    begin, end = KEY[:5], KEY[5:]
    model = chat(key=KEY)
    server.says = lambda _: f"a {KEY} {begin} {KEY}, {begin}"
    assert "".join(model.stream(ask("hello"))) == f"a (the key) {begin} (the key), {begin}"
    pieces = model.server.pieces_without_key(iter(["a", f" {begin}", end, f" {begin}", "mill ", begin]))
    assert list(pieces) == ["a", " ", "(the key)", " ", f"{begin}mill ", begin]


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"form": "yes"}, "form is 'yes'; accepted: schema, object, none"),
        ({"concurrency": 0}, "concurrency is 0; accepted: 1 or more"),
        ({"failures": 0}, "failures is 0; accepted: 1 or more"),
        ({"attempts": 0}, "attempts is 0; accepted: 1 or more"),
        (
            {"key": "two words"},
            "the key for http://127.0.0.1:9/v1 is empty, or has characters that no key has",
        ),
        ({"url": "ftp://h/"}, "url is 'ftp://h/'; accepted: http://host:port/path, https://..."),
    ],
)
def test_options_that_are_none(chat: Callable[..., ChatModel], options: dict[str, Any], told: str) -> None:
    with pytest.raises(UsageError) as raised:
        chat(**{"url": "http://127.0.0.1:9/v1", **options})
    assert str(raised.value) == told


def test_who_stops_reading_stops_the_batch(server: ModelServer, chat: Callable[..., ChatModel]) -> None:
    server.way = slow(0.02)
    replies = chat(concurrency=2).replies([ask(f"n {n}") for n in range(200)])
    next(replies)
    replies.close()  # type: ignore[attr-defined]
    sent = len(server.requests)
    assert sent < 200
    time.sleep(0.1)
    assert len(server.requests) == sent


def test_the_name_says_which_model_and_where(server: ModelServer, chat: Callable[..., ChatModel]) -> None:
    assert chat(key=KEY).name == f"mill-7b at {server.url}"
