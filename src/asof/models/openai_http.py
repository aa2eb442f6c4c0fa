"""A server that speaks as OpenAI's does, through the `openai` client: one request, and what its answer means.

The client is kept from reading the environment (keys, addresses, proxies, headers), from following redirects
and from asking again. What is sent is exactly what is written here.
"""

from __future__ import annotations

import json
import ssl
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NoReturn

from asof.errors import MissingExtra, ModelError
from asof.http import address
from asof.http.connection import READ_AT_ONCE, one_line, retry_after
from asof.http.endpoint import check_key
from asof.http.retry import GaveUp, RequestRejected, RetryLater
from asof.models.openai_errors import translated

SENT_HEADERS = frozenset({"host", "content-type", "content-length", "connection", "x-stainless-raw-response"})
"""Headers that the client adds and that stay (by the last one it knows later that we read the answer). All
else that it says of itself, of this machine or of the environment goes."""

REMEDIES = {
    401: "check the key",
    402: "the account has to be paid for",
    403: "check the key",
    404: "check the address (it ends before /chat/completions) and the model's name",
}
"""Statuses that every request would get: nothing more is sent."""

NO_CREDIT = "insufficient_quota"
"""OpenAI's code for an account without credit, with status 429; waiting does not help."""

CHECK_SERVER = "; check url in [model] of asof.toml, and that the server runs"
"""What to do where no connection is made."""

MIN_KEY_LENGTH = 8
"""Characters of a key that is one. Servers that want no key take any word, such as "none" or "EMPTY"."""


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
        address.check_base(self.url, "/chat/completions", insecure=self.insecure)
        check_key(self.key, self.url)

    @property
    def shown(self) -> str:
        """The address without what may be secret in it."""
        return address.shown(self.url)

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
        """Headers that are only ours: not what OPENAI_ORG_ID or OPENAI_CUSTOM_HEADERS say."""
        for name in list(request.headers):
            if name.lower() not in SENT_HEADERS:
                del request.headers[name]
        ours = {"Accept": "application/json, text/event-stream", "Accept-Encoding": "identity"}
        request.headers.update({**ours, "User-Agent": "asof"})
        if self.key is not None:
            request.headers["Authorization"] = f"Bearer {self.key}"

    def _accept(self, response: Any) -> None:
        """Nothing for an answer that can be read. Raises RetryLater, RequestRejected, ModelError."""
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


@dataclass(frozen=True, slots=True)
class Connection:
    """What requests are sent over. Each method raises RetryLater, RequestRejected or ModelError."""

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

    def events(self, body: Mapping[str, Any], silence: float, until: float) -> Iterator[str]:
        """What stands after `data:` in each event of a stream, as it comes; "[DONE]" is the last one.

        `silence`: seconds between two of them; `until`: seconds of `time.perf_counter` for all.
        """
        rest = b""
        for block in self._blocks(body, silence, until):
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
    """The certificates of this machine, which take longer to read than a short answer to come."""
    return ssl.create_default_context()


def _openai() -> Any:
    try:
        import openai
    except ModuleNotFoundError as error:
        if error.name != "openai":
            raise
        raise MissingExtra("a language model needs the openai client: pip install 'asof[llm]'") from error
    return openai


def _first(blocks: Iterator[bytes], most: int) -> bytes:
    """The first bytes of an answer, at most so many and a block."""
    read = bytearray()
    for block in blocks:
        read += block
        if len(read) >= most:
            break
    return bytes(read[:most])
