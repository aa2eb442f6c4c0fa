"""Chat models behind an OpenAI-compatible server (`/chat/completions`), through the `openai` client.

The client is kept from reading the environment (keys, addresses, proxies, headers), from following redirects
and from retrying: exactly what is written here is sent.
"""

from __future__ import annotations

import importlib
import json
import math
import ssl
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass, field
from functools import lru_cache, partial
from itertools import chain
from queue import SimpleQueue
from typing import Any, NoReturn, TypeVar

from msgspec import Struct

from asof.errors import ModelError, UsageError, missing_extra
from asof.http import (
    READ_AT_ONCE,
    CircuitBreaker,
    GaveUp,
    NoConnection,
    NotSent,
    RequestRejected,
    Retry,
    RetryLater,
    check_base,
    check_key,
    one_line,
    retry_after,
    shown,
)
from asof.models.metered import DONE, Prices, piece_in, reply_in, request
from asof.models.ports import FORMS, CompletesReplies, Prompt, Reply, fitted
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
from asof.wire import replace

# -- errors of the client and of its transport, translated ---------------------------------------------


@contextmanager
def translated(timeout: float) -> Iterator[None]:
    """Raises errors of the client, and of the transport under it, as RetryLater (NoConnection),
    RequestRejected and ModelError."""
    import openai

    transport = _transport()
    try:
        yield
    except (openai.APITimeoutError, transport.TimeoutException) as error:
        if isinstance(error.__cause__, transport.ConnectTimeout):
            raise NoConnection(f"no connection within {timeout:g} s") from error
        raise RetryLater(f"no answer within {timeout:g} s") from error
    except openai.APIConnectionError as error:
        raise _send_error(error, transport) from error
    except (transport.RemoteProtocolError, transport.ReadError) as error:
        raise RetryLater("the answer was cut off") from error
    except (transport.HTTPError, OSError) as error:
        raise RetryLater(f"the connection failed: {str(error) or type(error).__name__}") from error


def _send_error(error: Exception, transport: Any) -> Exception:
    """Translates an error of the client while sending: old clients wrap also what a hook raises."""
    cause = error.__cause__
    if isinstance(cause, RetryLater | RequestRejected | ModelError):
        return copy(cause)  # else it would be the cause of its own cause
    if secure := _first_cause(cause, ssl.SSLError):
        return RequestRejected(f"no secure connection: {getattr(secure, 'reason', '') or secure}")
    kind = NoConnection if isinstance(cause, transport.ConnectError) else RetryLater
    return kind(f"the connection failed: {str(cause) or type(cause).__name__}")


def _transport() -> Any:
    """The library that the client sends with: httpx, or httpx2 since version 3."""
    import openai

    client = next(base for base in openai.DefaultHttpxClient.__mro__ if base.__name__ == "Client")
    return importlib.import_module(client.__module__.partition(".")[0])


def _first_cause(error: BaseException | None, kind: type[BaseException]) -> BaseException | None:
    """The first error of this kind among the causes of one."""
    while error is not None and not isinstance(error, kind):
        error = error.__cause__ or error.__context__
    return error


# -- connection: one request and its reply -------------------------------------------------------------

SENT_HEADERS = frozenset({"host", "content-type", "content-length", "connection", "x-stainless-raw-response"})
"""Headers that the client adds and that stay (by the last one it knows later that we read the answer). All
else that it says of itself, of this machine or of the environment goes."""

REMEDIES = {
    401: "check the key",
    402: "the account has to be paid for",
    403: "check the key",
    404: "check the address (it ends before /chat/completions) and the model's name",
}
"""Statuses that every request would get: no more requests are sent."""

NO_CREDIT = "insufficient_quota"
"""OpenAI's code for an account without credit, with status 429; waiting does not help."""

CHECK_SERVER = "; check url in [model] of asof.toml, and that the server runs"
"""The advice if no connection is made."""

MIN_KEY_LENGTH = 8
"""Characters of a real key. Servers without keys take any word, such as "none" or "EMPTY"."""


@dataclass(frozen=True, slots=True)
class OpenAIServer:
    """The address that ends before `/chat/completions` (https://api.openai.com/v1), and the key for it.

    `largest`: bytes of an answer; `insecure`: see `Endpoint`. Raises UsageError for an address or a key
    that cannot be used.
    """

    url: str
    key: str | None = field(default=None, repr=False)
    largest: int = 8_000_000
    insecure: bool = False

    def __post_init__(self) -> None:
        check_base(self.url, "/chat/completions", insecure=self.insecure)
        check_key(self.key, self.url)

    @property
    def shown(self) -> str:
        """The address without what may be secret in it."""
        return shown(self.url)

    @contextmanager
    def connected(self) -> Iterator[Connection]:
        """Connections that threads may share, closed at the end. Raises MissingExtra."""
        openai = _openai()
        hooks: Any = {"request": [self._strip], "response": [self._accept]}
        http = openai.DefaultHttpxClient(
            trust_env=False, follow_redirects=False, verify=_certificates(), event_hooks=hooks
        )
        with openai.OpenAI(base_url=self.url, api_key="none", max_retries=0, http_client=http) as client:
            yield Connection(self, client)

    def without_key(self, text: str) -> str:
        """The words of a server, in which it may have repeated the key."""
        secret = self.key is not None and len(self.key) >= MIN_KEY_LENGTH
        return text.replace(self.key, "(the key)") if secret and self.key else text

    def pieces_without_key(self, pieces: Iterator[str]) -> Iterator[str]:
        """The same in pieces: an end that may be the beginning of the key waits for the piece after it."""
        key = self.key if self.key is not None and len(self.key) >= MIN_KEY_LENGTH else ""
        rest = ""
        for piece in pieces:
            rest = self.without_key(rest + piece)
            withheld = next((n for n in range(len(key) - 1, 0, -1) if rest.endswith(key[:n])), 0)
            ready, rest = rest[: len(rest) - withheld], rest[len(rest) - withheld :]
            if ready:
                yield ready
        if rest:
            yield rest

    def message_of(self, failure: Exception) -> str:
        """A failure as a message about this server."""
        answer = failure.answer if isinstance(failure, RequestRejected) else ""
        absent = isinstance(failure, GaveUp) and failure.absent
        quoted = f": {self.plain(answer)!r}" if answer else ""
        return f"{self.shown}: {failure}{quoted}" + CHECK_SERVER * absent

    def plain(self, text: str) -> str:
        """A server's own words as part of a message: without the key, on one line, not long."""
        return one_line(self.without_key(text))

    def fail(self, reason: str) -> NoReturn:
        """Raise ModelError about this server."""
        raise ModelError(f"{self.shown}: {reason}")

    def _strip(self, request: Any) -> None:
        """Headers of ours only: not those of OPENAI_ORG_ID or OPENAI_CUSTOM_HEADERS."""
        for name in list(request.headers):
            if name.lower() not in SENT_HEADERS:
                del request.headers[name]
        ours = {"Accept": "application/json, text/event-stream", "Accept-Encoding": "identity"}
        request.headers.update({**ours, "User-Agent": "asof"})
        if self.key is not None:
            request.headers["Authorization"] = f"Bearer {self.key}"

    def _accept(self, response: Any) -> None:
        """Check that an answer can be read. Raises RetryLater, RequestRejected, ModelError."""
        status, headers = response.status_code, response.headers
        if 300 <= status < 400:
            target = self.plain(headers.get("Location", ""))
            self.fail(f"it redirects to {target!r}, which is not followed; set the right address as url")
        if status == 200:
            if headers.get("Content-Encoding", "identity") != "identity":
                raise RequestRejected("the answer is compressed, which was not asked for")
            if int(headers.get("Content-Length", "0")) > self.largest:
                self.too_large()
            return
        whole = _first(response.iter_bytes(), READ_AT_ONCE).decode("utf-8", "replace")
        message = self.plain(whole)
        reason = f"status {status}" + (f", {message!r}" if message else "")
        if status in REMEDIES or NO_CREDIT in whole:
            self.fail(f"{reason}; {REMEDIES.get(status, REMEDIES[402])}")
        if status in (408, 429) or status >= 500:
            raise RetryLater(reason, retry_after(headers))
        raise RequestRejected(reason)

    def too_large(self) -> NoReturn:
        raise RequestRejected(f"the answer has more than {self.largest:,} bytes; is this the right address?")


class Connection(Struct, frozen=True):
    """The interface that sends requests. Each method raises RetryLater, RequestRejected or ModelError."""

    server: OpenAIServer
    client: Any

    def post(self, body: Mapping[str, Any], timeout: float) -> Any:
        """The answer to a chat completion, which is JSON; its body within `timeout` seconds, and so is each
        read of what stands before it."""
        answer = b"".join(self._blocks(body, timeout, time.perf_counter() + timeout))
        try:
            return json.loads(answer)
        except (ValueError, RecursionError) as error:
            raise RequestRejected("the answer is not JSON", answer.decode("utf-8", "replace")) from error

    def events(self, body: Mapping[str, Any], silence: float) -> Iterator[str]:
        """The data of each event of a stream, as it arrives; "[DONE]" is the last one. `silence`: seconds
        between two of them."""
        rest = b""
        for block in self._blocks(body, silence, math.inf):
            *lines, rest = (rest + block).split(b"\n")
            for line in lines:
                if line.startswith(b"data:"):
                    yield line[5:].decode("utf-8", "replace").strip()

    def _blocks(self, body: Mapping[str, Any], timeout: float, until: float) -> Iterator[bytes]:
        """The bytes of an answer with status 200, all of them, and not too many."""
        came = 0
        with translated(timeout):
            opened: Any = self.client.chat.completions.with_streaming_response.create(**body, timeout=timeout)
            with opened as response:
                for block in response.iter_bytes():
                    came += len(block)
                    if came > self.server.largest:
                        self.server.too_large()
                    if time.perf_counter() > until:
                        raise RetryLater("no whole answer in time")
                    yield block


@lru_cache(maxsize=1)
def _certificates() -> ssl.SSLContext:
    """The certificates of this machine, which take longer to read than a short answer takes to arrive."""
    return ssl.create_default_context()


def _openai() -> Any:
    try:
        import openai
    except ModuleNotFoundError as error:
        if error.name != "openai":
            raise
        raise missing_extra("a language model", "llm", "the openai client") from error
    return openai


def _first(blocks: Iterator[bytes], most: int) -> bytes:
    """The first bytes of an answer, at most so many and a block."""
    read = bytearray()
    for block in blocks:
        read += block
        if len(read) >= most:
            break
    return bytes(read[:most])


# -- threads: the same work for many items, results in the order in which they arrive ------------------

T = TypeVar("T")
R = TypeVar("R")

JOIN_SECONDS = 1.0
"""Seconds that abandoned threads are waited for. They are daemons: a process that is interrupted ends then,
and not when a server has answered."""


def run_in_threads(
    work: Callable[[T], R], things: Sequence[T], threads: int, stop: Callable[[], None]
) -> Iterator[tuple[int, R]]:
    """The place of each thing and what `work` gives for it, in order of completion.

    No more than `threads` are worked on at a time, begun in their order. An exception of `work` is raised
    here. `stop` is called when the rest is not needed: it should make work that is under way end soon.
    """
    todo = deque(enumerate(things))
    done: SimpleQueue[tuple[int, Future[R]]] = SimpleQueue()

    def run() -> None:
        while True:
            try:
                at, thing = todo.popleft()
            except IndexError:
                return
            result: Future[R] = Future()
            try:
                result.set_result(work(thing))
            except BaseException as error:  # noqa: BLE001 - raised again where results are waited for
                result.set_exception(error)
                todo.clear()  # the rest is not needed
            done.put((at, result))

    workers = [threading.Thread(target=run, daemon=True) for _ in range(min(threads, len(things)))]
    for worker in workers:
        worker.start()
    finished = False
    try:
        for _ in things:
            at, result = done.get()
            yield at, result.result()
        finished = True
    finally:
        if not finished:
            todo.clear()
            stop()
        until = time.monotonic() + JOIN_SECONDS
        for worker in workers:
            worker.join(max(until - time.monotonic(), 0.0))


# -- chat model ----------------------------------------------------------------------------------------

SEED = 42


@dataclass(frozen=True, slots=True)
class ChatModel(CompletesReplies):
    """The model of that name on a server.

    `form`: how a request asks for JSON, one of `structured.FORMS`. `concurrency`: requests at a time.
    After `failures` prompts in a row without a
    reply, the rest of a batch is not sent. Each prompt is sent with `temperature` and `seed`; servers do not
    promise that the reply is then always the same. `limit`: how the server names the most tokens of a reply
    (`LIMITS`).
    """

    model: str
    server: OpenAIServer
    form: str = "object"
    retry: Retry = field(default_factory=Retry)
    concurrency: int = 8
    failures: int = 5
    temperature: float = 0.0
    seed: int = SEED
    limit: str = "max_tokens"

    def __post_init__(self) -> None:
        if self.form not in FORMS:
            raise UsageError(f"form is {self.form!r}; accepted: {', '.join(FORMS)}")
        for name in ("concurrency", "failures"):
            if getattr(self, name) < 1:
                raise UsageError(f"{name} is {getattr(self, name)}; accepted: 1 or more")

    @property
    def name(self) -> str:
        return f"{self.model} at {self.server.shown}"

    @property
    def settings(self) -> str:
        """The settings that shape a reply beside the model and the prompt, as JSON."""
        return json.dumps([self.temperature, self.seed, self.form])

    def replies(self, prompts: Sequence[Prompt]) -> Iterator[tuple[int, Reply]]:
        """The place of each prompt and its reply, as they arrive.

        Raises MissingExtra; and ModelError, after the replies that were under way, where all other prompts
        would fail too: the key or the model's name is wrong, or no connection was made at all.
        """
        if not prompts:
            return
        breaker = CircuitBreaker(self.failures)
        with self.server.connected() as connection:
            reply = partial(self._reply, connection, breaker)
            yield from run_in_threads(reply, prompts, self.concurrency, breaker.stop)
        breaker.settle()

    def stream(self, prompt: Prompt) -> Iterator[str]:
        """The reply in pieces, as they arrive; a schema shapes it, and is not checked.

        Raises MissingExtra; and ModelError, with the pieces received, if the reply is incomplete. It is asked
        for again only as long as nothing of it came.
        """
        breaker = CircuitBreaker(self.failures)
        came: list[str] = []
        with self.server.connected() as connection:
            try:
                pieces = self.retry.run(partial(self._begun, connection, prompt), breaker)
                for piece in pieces:
                    came.append(piece)
                    yield piece
            except (GaveUp, RequestRejected, NotSent, RetryLater) as error:
                partial_text = "".join(came)
                after = (
                    f"; {len(partial_text)} characters came: {self.server.plain(partial_text)!r}"
                    if came
                    else ""
                )
                raise ModelError(f"{self.server.message_of(error)}{after}") from error

    def _begun(self, connection: Connection, prompt: Prompt, timeout: float) -> Iterator[str]:
        """The pieces of a reply whose first one has arrived. Raises what `Connection.events` raises."""
        pieces = self.server.pieces_without_key(self._pieces(connection, prompt, timeout))
        first = next(pieces, "")
        if not first:
            raise RequestRejected("the reply is empty")
        return chain([first], pieces)

    def _pieces(self, connection: Connection, prompt: Prompt, timeout: float) -> Iterator[str]:
        ended = False
        for event in connection.events({**self._body(prompt), "stream": True}, timeout):
            if event == DONE:
                ended = True
                break
            piece, reason = piece_in(event, prompt)
            ended = ended or reason is not None
            if piece:
                yield piece
        if not ended:
            raise RetryLater("the answer was cut off")

    def _body(self, prompt: Prompt) -> dict[str, Any]:
        shaped = {"temperature": self.temperature, "seed": self.seed, self.limit: prompt.most}
        return {"model": self.model, **request(prompt, self.form), **shaped}

    def _reply(self, connection: Connection, breaker: CircuitBreaker, prompt: Prompt) -> Reply:
        try:
            return fitted(prompt, partial(self._ask, connection, breaker))
        except ModelError as error:
            breaker.refused(error)
            return Reply("", problem=str(error))

    def _ask(self, connection: Connection, breaker: CircuitBreaker, prompt: Prompt) -> Reply:
        """A reply as received. Raises ModelError if no prompt would get one."""
        try:
            answer = self.retry.run(partial(connection.post, self._body(prompt)), breaker)
            reply = reply_in(answer, prompt)
        except NotSent as unsent:
            return Reply("", problem=str(unsent))
        except (GaveUp, RequestRejected) as failure:
            reason = self.server.message_of(failure)
            breaker.failed(reason, absent=isinstance(failure, GaveUp) and failure.absent)
            return Reply("", problem=reason)
        breaker.succeeded()
        return replace(reply, text=self.server.without_key(reply.text))


# -- configuration: `[model]` of asof.toml -------------------------------------------------------------

LIMITS = ("max_tokens", "max_completion_tokens")
"""Names of the parameter for the most tokens of a reply: the older, widely known, and OpenAI's newer."""


PATIENCE = 30.0
"""The longest wait in seconds that a server may ask for."""


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
        OpenAIServer(config.url, insecure=config.insecure)
        return config


def language_from(settings: LanguageModelConfig, environment: Mapping[str, str]) -> ChatModel:
    """The model of these settings; the first request is sent with the first prompt.

    `environment`: where the key is looked up, by name. Raises UsageError when it is not there.
    """

    server = OpenAIServer(settings.url, insecure=settings.insecure)
    if settings.key_variable:
        server = replace(server, key=secret(environment, settings.key_variable, server.shown, "model"))
    return ChatModel(
        settings.model, server, settings.json,
        Retry(settings.attempts, settings.timeout, PATIENCE), settings.concurrency,
        temperature=settings.temperature, limit=settings.limit,
    )  # fmt: skip


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
