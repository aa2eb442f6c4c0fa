"""A server that answers JSON with JSON: how long it is waited for, when it is asked again, what is refused.

Not `urllib`: it follows redirects with all headers, takes proxies from the environment, and opens files.
"""

from __future__ import annotations

import json
import random
import re
import ssl
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.client import HTTPException, HTTPResponse, IncompleteRead
from typing import Any, NoReturn
from urllib.parse import urlsplit

from asof.errors import ModelError, UsageError
from asof.web import READ_AT_ONCE, asked_wait, connection_to, first_bytes, loopback, one_line

FIRST_WAIT = 0.5
"""Seconds before the second attempt, at most; twice as many before the third, and so on."""

_REMEDIES = {
    401: "check the key",
    403: "check the key",
    404: "check the address and the model's name",
    413: "rerank fewer texts (top), or index smaller passages",
    422: "the server reads another shape, or a text is too long for its model",
}


class RetryLater(Exception):
    """A failure that may pass. `wait`: seconds that the server asks for, None where it says nothing."""

    def __init__(self, reason: str, wait: float | None = None) -> None:
        super().__init__(reason)
        self.wait = wait


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An http or https address that is sent JSON by POST, with `key` as a bearer token if there is one.

    `timeout`: seconds for an attempt. There are up to `attempts` where the server is busy (429), at fault
    (5xx), silent or gone; each wait is drawn from 0 to a length that doubles, or is as long as the server
    says, but never longer than `patience` seconds. `largest`: bytes of an answer. Redirects are not
    followed: the key is for this address only. Over plain http only this machine is asked, unless it is
    `insecure`. Raises UsageError for an address or a key that cannot be used.
    """

    url: str
    key: str | None = field(default=None, repr=False)
    timeout: float = 10.0
    attempts: int = 3
    largest: int = 8_000_000
    patience: float = 30.0
    sleep: Callable[[float], None] = field(default=time.sleep, repr=False, compare=False)
    draw: Callable[[], float] = field(default=random.random, repr=False, compare=False)
    insecure: bool = False

    def __post_init__(self) -> None:
        if not re.fullmatch(r"https?://[!-~]+", self.url) or not _readable(self.url):
            told = "of another form" if "@" in self.url else repr(self.shown)  # a password may be in it
            raise UsageError(f"url is {told}; accepted: http://host:port/path, https://...")
        parts = urlsplit(self.url)
        if "@" in parts.netloc:
            raise UsageError(f"url {self.shown} holds a password; name a variable that holds a key instead")
        if not self.insecure and parts.scheme == "http" and not loopback(parts.hostname or ""):
            raise UsageError(
                f"url {self.shown} is plain http to another machine, where all on the way can read texts and "
                "key; accepted: https, or insecure = true beside it"
            )
        if self.key is not None and not re.fullmatch(r"[!-~]+", self.key):
            raise UsageError(f"the key for {self.shown} is empty, or has characters that no key has")

    @property
    def shown(self) -> str:
        """The address without what may be secret in it."""
        return re.sub(r"//[^/]*@", "//", re.split(r"[?#]", self.url)[0])

    def post(self, body: Mapping[str, Any]) -> Any:
        """The server's answer to `body`, both JSON. Raises ModelError with the address and what is wrong."""
        data = json.dumps(body).encode()
        for attempt in range(self.attempts):
            try:
                return self._parsed(self._answer(data))
            except RetryLater as failure:
                last = attempt == self.attempts - 1
                wait = failure.wait
                if last or (wait is not None and wait > self.patience):
                    asks = f"; it asks for a wait of {wait:.0f} s" if wait is not None else ""
                    times = f"{attempt + 1} attempt{'s' if attempt else ''}"
                    self.refuse(f"{failure}{asks} ({times})", cause=failure)
                self.sleep(
                    self.draw() * min(FIRST_WAIT * 2**attempt, self.patience) if wait is None else wait
                )
        raise AssertionError("attempts is at least 1")

    def refuse(self, reason: str, *, cause: BaseException | None = None) -> NoReturn:
        """Raise ModelError about this server."""
        raise ModelError(f"{self.shown}: {reason}") from cause

    def _answer(self, data: bytes) -> bytes:
        """What the server says with status 200. Raises Again, ModelError."""
        connection = connection_to(self.url, self.timeout)
        try:
            connection.request("POST", self._path(), data, self._headers())
            with connection.getresponse() as response:
                self._accept(response)
                return self._body(response)
        except TimeoutError as error:
            raise RetryLater(f"no answer within {self.timeout:g} s") from error
        except ssl.SSLError as error:
            self.refuse(f"no secure connection: {error.reason or error}", cause=error)
        except ConnectionError as error:
            raise RetryLater(f"the connection failed: {error.strerror or type(error).__name__}") from error
        except IncompleteRead as error:
            raise RetryLater("the answer was cut off") from error
        except HTTPException as error:
            self.refuse(f"this is no HTTP server ({type(error).__name__})", cause=error)
        except (OSError, UnicodeError) as error:
            reason = getattr(error, "strerror", None) or type(error).__name__
            self.refuse(f"it cannot be reached: {reason}; check the address", cause=error)
        finally:
            connection.close()

    def _path(self) -> str:
        parts = urlsplit(self.url)
        return (parts.path or "/") + (f"?{parts.query}" if parts.query else "")

    def _headers(self) -> dict[str, str]:
        headers = {"Content-Type": "application/json", "Accept": "application/json", "User-Agent": "asof"}
        if self.key is not None:
            headers["Authorization"] = f"Bearer {self.key}"
        return headers

    def _accept(self, response: HTTPResponse) -> None:
        """Nothing for status 200. Raises Again, ModelError."""
        status = response.status
        if status == 200:
            return
        if 300 <= status < 400:
            target = self._plain(response.headers.get("Location", ""))
            self.refuse(f"it redirects to {target!r}, which is not followed; set the right address as url")
        said = self._plain(first_bytes(response, READ_AT_ONCE).decode("utf-8", "replace"))
        reason = f"status {status}" + (f", {said!r}" if said else "")
        if status == 429 or status >= 500:
            raise RetryLater(reason, asked_wait(response.headers))
        remedy = _REMEDIES.get(status)
        self.refuse(reason + (f"; {remedy}" if remedy else ""))

    def _body(self, response: HTTPResponse) -> bytes:
        """The answer's bytes, as many as were announced, and not too many."""
        announced = response.length
        if announced is not None and announced > self.largest:
            self._too_large()
        body = first_bytes(response, self.largest + 1)
        if len(body) > self.largest:
            self._too_large()
        if announced is not None and len(body) < announced:
            raise IncompleteRead(body, announced - len(body))
        return body

    def _too_large(self) -> NoReturn:
        self.refuse(f"the answer has more than {self.largest:,} bytes; is this the right address?")

    def _parsed(self, body: bytes) -> Any:
        try:
            return json.loads(body, parse_constant=_no_constant)
        except (ValueError, RecursionError) as error:
            self.refuse(
                f"the answer is not JSON: {self._plain(body.decode('utf-8', 'replace'))!r}", cause=error
            )

    def _plain(self, said: str) -> str:
        """A server's own words as part of a message: without the key, on one line, not long."""
        if self.key is not None:
            said = said.replace(self.key, "(the key)")
        return one_line(said)


def _readable(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return parts.port != 0 and re.fullmatch(r"[a-z0-9._-]+|[0-9a-f.:]+", parts.hostname or "") is not None
    except ValueError:  # a port or an IPv6 address that is none
        return False


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")
