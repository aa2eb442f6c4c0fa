"""Chat models behind an OpenAI-compatible server: one POST to `/chat/completions` for each prompt."""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

from msgspec import Struct

from asof.errors import ModelError, UsageError
from asof.extensions.providers.http import (
    CircuitBreaker,
    Endpoint,
    GaveUp,
    NotSent,
    RequestRejected,
    Retry,
    RetryLater,
    check_base,
    shown,
)
from asof.models.metered import Prices, prompt_tokens, tokens
from asof.models.ports import (
    FORMS,
    CompletesReplies,
    Prompt,
    Provider,
    Reply,
    characters,
    fitted,
    instructions,
)
from asof.schema import (
    INSECURE,
    KEY_VARIABLE,
    TRUST,
    AcceptedValue,
    Setting,
    Table,
    boolean,
    number,
    one_of,
    secret,
    text,
    variable,
    whole,
)

# -- threads: the same work for many items, results in the order in which they arrive ------------------

T = TypeVar("T")
R = TypeVar("R")

JOIN_SECONDS = 1.0
"""Seconds that abandoned threads are waited for. They are daemons (not those of an executor): a process that
is interrupted ends then, and not when a server has answered."""


def run_in_threads(
    work: Callable[[T], R], things: Sequence[T], threads: int, stop: Callable[[], None]
) -> Iterator[tuple[int, R]]:
    """The place of each thing and what `work` gives for it, in order of completion.

    No more than `threads` are worked on at a time, begun in their order. An exception of `work` is raised
    here. `stop` is called when the rest is not needed: it should make work that is under way end soon.
    """
    todo: SimpleQueue[tuple[int, T]] = SimpleQueue()
    done: SimpleQueue[tuple[int, Future[R]]] = SimpleQueue()
    over = threading.Event()
    for each in enumerate(things):
        todo.put(each)

    def run() -> None:
        while not over.is_set():
            try:
                at, thing = todo.get_nowait()
            except Empty:
                return
            result: Future[R] = Future()
            try:
                result.set_result(work(thing))
            except BaseException as error:  # noqa: BLE001 - raised again where results are waited for
                result.set_exception(error)
                over.set()
            done.put((at, result))

    workers = [threading.Thread(target=run, daemon=True) for _ in range(min(threads, len(things)))]
    for worker in workers:
        worker.start()
    try:
        for _ in things:
            at, result = done.get()
            yield at, result.result()
    except BaseException:
        over.set()
        stop()
        raise
    finally:
        until = time.monotonic() + JOIN_SECONDS
        for worker in workers:
            worker.join(max(until - time.monotonic(), 0.0))


# -- chat model ----------------------------------------------------------------------------------------

PATH = "/chat/completions"
SEED = 42
FAILURES = 5
"""After so many prompts in a row without a reply, the rest of a batch is not sent."""

DONE = "[DONE]"
"""The last event of a stream."""

CUT_OFF = "the reply was cut off after {} tokens (most)"
NO_PIECE = "the answer holds what is no piece of a chat completion"


def response_format(schema: Any, form: str) -> dict[str, Any] | None:
    """`response_format` of a request; None without a schema."""
    if form == "none":
        return None
    if form == "object":
        return {"type": "json_object"}
    name = re.sub(r"[^A-Za-z0-9_-]", "_", schema.__name__)[:64]
    return {"type": "json_schema", "json_schema": {"name": name, "schema": schema.model_json_schema()}}


@dataclass(frozen=True, slots=True)
class ChatModel(CompletesReplies):
    """The model of that name on a server; `endpoint` is its address with `PATH`.

    `form`: how a request asks for JSON, one of `FORMS`. `concurrency`: requests at a time. Each prompt is
    sent with `temperature` and a seed; servers do not promise that the reply is then always the same.
    `limit`: how the server names the most tokens of a reply (`LIMITS`).
    """

    model: str
    endpoint: Endpoint
    form: str = "object"
    concurrency: int = 8
    temperature: float = 0.0
    limit: str = "max_tokens"

    @property
    def name(self) -> str:
        return f"{self.model} at {self.endpoint.shown.removesuffix(PATH)}"

    @property
    def settings(self) -> str:
        """The settings that shape a reply beside the model and the prompt, as JSON."""
        return json.dumps([self.temperature, SEED, self.form])

    def replies(self, prompts: Sequence[Prompt]) -> Iterator[tuple[int, Reply]]:
        """The place of each prompt and its reply, as they arrive.

        Raises ModelError, after the replies that were under way, where all other prompts would fail too: the
        key or the model's name is wrong, or no connection was made.
        """
        breaker = CircuitBreaker(FAILURES)
        yield from run_in_threads(partial(self._reply, breaker), prompts, self.concurrency, breaker.stop)
        if breaker.error is not None:
            raise breaker.error

    def stream(self, prompt: Prompt) -> Iterator[str]:
        """The reply in pieces, as they arrive; a schema shapes it, and is not checked.

        Raises ModelError, with the number of characters received, if the reply is incomplete. It is asked for
        again only as long as nothing of it came.
        """
        came = 0
        try:
            for piece in self.endpoint.retry.run(partial(self._begun, prompt)):
                came += len(piece)
                yield piece
        except (GaveUp, RequestRejected, RetryLater) as error:
            after = f"; {came} characters came" if came else ""
            raise ModelError(f"{self.endpoint.message(error)}{after}") from error

    def _begun(self, prompt: Prompt, timeout: float) -> Iterator[str]:
        """The pieces of a reply whose first one has arrived. Raises what `Endpoint.lines` raises."""
        pieces = self._pieces(prompt, timeout)
        first = next(pieces, "")
        if not first:
            raise RequestRejected("the reply is empty")
        return chain([first], pieces)

    def _pieces(self, prompt: Prompt, timeout: float) -> Iterator[str]:
        ended = False
        for line in self.endpoint.lines({**self._body(prompt), "stream": True}, timeout):
            if not line.startswith("data:"):
                continue
            event = line.removeprefix("data:").strip()
            if event == DONE:
                return
            piece, reason = piece_in(event, prompt)
            ended = ended or reason is not None
            if piece:
                yield piece
        if not ended:
            raise RetryLater("the answer was cut off")

    def _body(self, prompt: Prompt) -> dict[str, Any]:
        by_role = {"system": instructions(prompt, self.form), "user": prompt.user}
        body = {
            "model": self.model, "temperature": self.temperature, "seed": SEED, self.limit: prompt.most,
            "messages": [{"role": role, "content": text} for role, text in by_role.items() if text],
        }  # fmt: skip
        form = response_format(prompt.schema, self.form) if prompt.schema is not None else None
        return body if form is None else {**body, "response_format": form}

    def _reply(self, breaker: CircuitBreaker, prompt: Prompt) -> Reply:
        try:
            return fitted(prompt, partial(self._ask, breaker))
        except ModelError as error:
            breaker.refused(error)
            return Reply("", problem=str(error))

    def _ask(self, breaker: CircuitBreaker, prompt: Prompt) -> Reply:
        """A reply as received. Raises ModelError if no prompt would get one."""
        try:
            reply = reply_in(self.endpoint.answer(self._body(prompt), breaker), prompt)
        except NotSent as unsent:
            return Reply("", problem=str(unsent))
        except (GaveUp, RequestRejected) as failure:
            reason = self.endpoint.message(failure)
            if isinstance(failure, GaveUp) and failure.absent:
                raise ModelError(reason) from failure
            breaker.failed(reason)
            return Reply("", problem=reason)
        breaker.succeeded()
        return reply


def reply_in(answer: Any, prompt: Prompt) -> Reply:
    """The reply in a completion. Tokens that the server does not count are estimated. Raises RequestRejected.

    A reply that was cut off, was withheld or is empty has a problem: it is not the whole of what the model
    would have written.
    """
    try:
        choice = answer["choices"][0]
        text, reason = choice["message"].get("content"), choice.get("finish_reason")
        usage = answer.get("usage") or {}
    except (LookupError, TypeError, AttributeError) as error:
        raise RequestRejected("the answer is no chat completion", json.dumps(answer)) from error
    if not isinstance(text, str | None):
        raise RequestRejected(f"the reply is a {type(text).__name__}; a text was expected")
    content = characters(text or "")
    problem = "" if content.strip() else "the reply is empty"
    if reason == "length":
        problem = CUT_OFF.format(prompt.most)
    if reason == "content_filter":
        problem = "the server withheld the reply (content_filter)"
    read, written = (usage.get(key) for key in ("prompt_tokens", "completion_tokens"))
    return Reply(
        content, None, problem,
        read if isinstance(read, int) else prompt_tokens(prompt),
        written if isinstance(written, int) else tokens(content), 1,
    )  # fmt: skip


def piece_in(event: str, prompt: Prompt) -> tuple[str, str | None]:
    """The words in an event of a stream, and why it ends if it does. Raises RequestRejected."""
    try:
        chunk = json.loads(event)
        if "error" in chunk:
            raise RequestRejected("the server broke off", json.dumps(chunk["error"]))
        if not chunk["choices"]:  # a count of tokens
            return "", None
        choice = chunk["choices"][0]
        text, reason = choice["delta"].get("content") or "", choice.get("finish_reason")
        if reason == "length":
            raise RequestRejected(CUT_OFF.format(prompt.most))
        return characters(text), reason
    except (ValueError, RecursionError, LookupError, TypeError, AttributeError) as error:
        raise RequestRejected(NO_PIECE, event) from error


# -- configuration: `[model]` of asof.toml -------------------------------------------------------------

LIMITS = ("max_tokens", "max_completion_tokens")
"""Names of the parameter for the most tokens of a reply: the older, widely known, and OpenAI's newer."""


class LanguageModelConfig(Struct, frozen=True):
    """A model by its name on an OpenAI-compatible server, whose address `url` ends before
    `/chat/completions`.

    `key_variable`: the name of the environment variable that holds the key. `json`: what the server is told
    of the shape of a reply (`structured.FORMS`). `timeout`: seconds for an attempt, of which there are up to
    `attempts`. `limit`: how the server names the most tokens of a reply. `prices`: US dollars for a million
    tokens of prompts and of replies. `insecure`: whether texts may go to another machine over plain http.
    """

    url: str
    model: str
    key_variable: str = ""
    json: str = "object"
    timeout: float = 60.0
    attempts: int = 3
    concurrency: int = 8
    temperature: float = 0.0
    limit: str = "max_tokens"
    prices: Prices | None = None
    insecure: bool = False

    @classmethod
    def read(cls, table: Mapping[str, Any]) -> LanguageModelConfig:
        """The configuration of a table whose keys are accepted. Raises UsageError."""
        missing = [key for key in ("url", "model") if key not in table]
        if missing:
            raise UsageError(
                f"{' and '.join(missing)} missing: a server's address and a model's name are expected"
            )
        prices = Prices(**table["prices"]) if "prices" in table else None
        config = cls(**{**table, "prices": prices})
        check_base(config.url, PATH, insecure=config.insecure)
        return config


def language_from(settings: LanguageModelConfig, root: Path, environment: Mapping[str, str]) -> ChatModel:  # noqa: ARG001
    """The model of these settings; the first request is sent with the first prompt.

    `environment`: where the key is looked up, by name. Raises UsageError when it is not there.
    """
    key = secret(environment, settings.key_variable, shown(settings.url), "model")
    retry = Retry(settings.attempts, settings.timeout)
    endpoint = Endpoint.below(settings.url, PATH, key=key, retry=retry, insecure=settings.insecure)
    return ChatModel(
        settings.model, endpoint, settings.json, settings.concurrency, settings.temperature, settings.limit
    )


_PRICE = number(0, 1_000_000)


def _prices(value: Any) -> bool:
    return (
        isinstance(value, Mapping)
        and set(value) == {"prompt", "reply"}
        and all(map(_PRICE.good, value.values()))
    )


TABLE = Table(
    f"A language model on a server that speaks OpenAI's protocol; none unless named. {TRUST}", {
        "url": Setting(
            text("an address such as http://localhost:11434/v1"),
            "The server's address, which ends before /chat/completions. No default.",
            "http://localhost:11434/v1",
        ),
        "model": Setting(
            text("the model's name, as the server knows it,"),
            "The model's name, as the server knows it. No default.", "llama3.1",
        ),
        "key_variable": Setting(variable(), KEY_VARIABLE, "MODEL_KEY"),
        "json": Setting(
            one_of(*FORMS), 'How the shape of a reply is asked for: "schema", "object", "none".', safe=True
        ),
        "timeout": Setting(
            number(0.1, 3_600, "a number of seconds"), "Seconds for an attempt.", safe=True
        ),
        "attempts": Setting(whole(1, 10), "How many attempts.", safe=True),
        "concurrency": Setting(whole(1, 256), "How many requests go at once.", safe=True),
        "temperature": Setting(number(0, 2), "0 (the same again) to 2.", safe=True),
        "limit": Setting(
            one_of(*LIMITS),
            'What the server calls the most tokens of a reply: "max_tokens", "max_completion_tokens".',
            safe=True,
        ),
        "prices": Setting(
            AcceptedValue(
                _prices, "a table of two numbers, prompt = 0.15 and reply = 0.60 (USD for a million tokens),"
            ),
            "US dollars for a million tokens of prompts and of replies. No default.",
            {"prompt": 0.15, "reply": 0.6},
        ),
        "insecure": Setting(boolean(), INSECURE),
    }, LanguageModelConfig, LanguageModelConfig.read, frozenset({"url"}),
)  # fmt: skip
"""[model] of asof.toml."""

PROVIDER = Provider(TABLE, language_from)
