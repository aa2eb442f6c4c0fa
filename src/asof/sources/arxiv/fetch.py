"""How arXiv is asked over HTTP: one request at a time, with a pause between two, and again where it fails.

Not `urllib`: it follows redirects to anywhere, takes proxies from the environment, and opens files.
"""

from __future__ import annotations

import random
import re
import ssl
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http.client import HTTPException, HTTPResponse
from typing import NoReturn, TypeVar
from urllib.parse import urljoin, urlsplit

from asof.errors import SourceError
from asof.sources.arxiv.feed import BrokenFeed, RequestRefused
from asof.sources.arxiv.settings import of_arxiv
from asof.web import asked_wait, connection_to, first_bytes, one_line

T = TypeVar("T")

AGENT = "asof (a search engine on a user's own machine; one request at a time)"
LARGEST = 16 * 2**20
REDIRECTS = 3


class TransientError(Exception):
    """A failure that may pass. `wait`: seconds that the server asks for, None where it says nothing."""

    def __init__(self, reason: str, wait: float | None = None) -> None:
        super().__init__(reason)
        self.wait = wait


@dataclass(slots=True)
class Fetcher:
    """GET requests, `delay` seconds from the end of one to the start of the next.

    There are up to `attempts` of `timeout` seconds where the server is busy (429), at fault (5xx), silent or
    gone, or its answer cannot be read; before each further one it is waited up to `delay` seconds that
    double, or as long as the server asks, but never longer than `patience`. `sleep`, `clock` (seconds) and
    `draw` (from 0 to 1) are for tests. `last` is when the last request ended, by `clock`.
    """

    delay: float = 3.0
    attempts: int = 6
    timeout: float = 60.0
    patience: float = 300.0
    sleep: Callable[[float], None] = field(default=time.sleep, repr=False)
    clock: Callable[[], float] = field(default=time.monotonic, repr=False)
    draw: Callable[[], float] = field(default=random.random, repr=False)
    last: float | None = None
    requests: int = 0
    answered: bool = False

    def get(self, url: str, read: Callable[[bytes], T], largest: int = LARGEST) -> T:
        """What `read` makes of the answer's bytes, at most `largest`. `read` raises Garbled or Passing for
        what should be asked for again. Raises SourceError with the address and what is wrong."""
        for attempt in range(self.attempts):
            try:
                return read(self._follow(url, read, largest))
            except RequestRefused as error:
                refuse(url, f"it says: {one_line(str(error))}", error)
            except (TransientError, BrokenFeed) as failure:
                wait = failure.wait if isinstance(failure, TransientError) else None
                if attempt == self.attempts - 1 or (wait is not None and wait > self.patience):
                    asks = f"; it asks for a wait of {wait:.0f} s" if wait is not None else ""
                    times = f"{attempt + 1} attempt{'s' if attempt else ''}"
                    refuse(
                        url, f"{failure}{asks} ({times}); what was taken in stays: try again later", failure
                    )
                self.sleep(self._backoff(attempt) if wait is None else wait)
        raise AssertionError("attempts is at least 1")

    def _backoff(self, attempt: int) -> float:
        return min((0.5 + self.draw() / 2) * self.delay * 2.0**attempt, self.patience)

    def _follow(self, url: str, read: Callable[[bytes], T], largest: int) -> bytes:
        """The body at an address, or where it redirects to."""
        for _ in range(REDIRECTS):
            found = self._answer(url, read, largest)
            if isinstance(found, bytes):
                return found
            url = redirected(url, found)
        raise SourceError(f"{shown(url)}: it redirects again, after {REDIRECTS} times")

    def _answer(self, url: str, read: Callable[[bytes], T], largest: int) -> bytes | str:
        """The body of status 200, or the address of a redirect. Raises Passing, Refused, SourceError."""
        self._pause()
        self.requests += 1
        connection = connection_to(url, self.timeout)
        parts = urlsplit(url)
        path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        try:
            connection.request("GET", path, headers={"User-Agent": AGENT, "Accept-Encoding": "identity"})
            with connection.getresponse() as response:
                if 300 <= response.status < 400 and response.headers.get("Location"):
                    return str(response.headers["Location"])
                self.answered = True
                body = self._body(url, response, largest)
                self._accept(url, response, body, read)
                return body
        except TimeoutError as error:
            raise TransientError(f"no answer within {self.timeout:g} s") from error
        except ssl.SSLCertVerificationError as error:
            refuse(url, f"its certificate is not accepted: {error.verify_message}", error)
        except HTTPException as error:
            raise TransientError(f"the answer is no HTTP, or was cut off ({type(error).__name__})") from error
        except (OSError, UnicodeError) as error:
            self._lost(url, error)
        finally:
            connection.close()
            self.last = self.clock()

    def _lost(self, url: str, error: Exception) -> NoReturn:
        """Raise Passing where the connection broke, or the network was there a moment ago; or SourceError."""
        reason = getattr(error, "strerror", None) or type(error).__name__
        refused = isinstance(error, ConnectionRefusedError)
        broke = isinstance(error, ConnectionError | ssl.SSLError) and not refused
        if broke or self.answered:
            raise TransientError(f"the connection failed: {reason}") from error
        refuse(url, f"it cannot be reached: {reason}; check the address and the network", error)

    def _pause(self) -> None:
        if self.last is not None and (left := self.last + self.delay - self.clock()) > 0:
            self.sleep(left)

    def _body(self, url: str, response: HTTPResponse, largest: int) -> bytes:
        """The answer's bytes, as many as were announced, and not too many."""
        announced = response.length
        if (announced or 0) > largest or len(body := first_bytes(response, largest + 1)) > largest:
            raise ResponseTooLarge(f"{shown(url)}: the answer has more than {largest:,} bytes")
        if announced is not None and len(body) < announced:
            raise TransientError(f"the answer was cut off after {len(body)} of {announced} bytes")
        return body

    def _accept(self, url: str, response: HTTPResponse, body: bytes, read: Callable[[bytes], T]) -> None:
        """Nothing for status 200. A request that is wrong is answered with 400 and a feed that says why."""
        status = response.status
        if status == 200:
            return
        if status == 429 or status >= 500:
            raise TransientError(f"status {status}", asked_wait(response.headers))
        if status == 400:
            try:
                read(body)
            except (BrokenFeed, TransientError):
                refuse(url, f"status 400, {one_line(body.decode('utf-8', 'replace'))!r}")
        if status == 404:
            raise NotFound(f"{shown(url)}: there is no such page (404)")
        refuse(url, f"status {status}; check the address in [arxiv] of asof.toml")


class NotFound(SourceError):
    """There is nothing at an address."""


class ResponseTooLarge(SourceError):
    """An answer has more bytes than are read."""


def redirected(url: str, location: str) -> str:
    """Where a redirect leads: to the same hosts, and never from https to http. Raises SourceError."""
    try:
        target = urljoin(url, location)
        old, new = urlsplit(url), urlsplit(target)
        same = (old.hostname, old.port) == (new.hostname, new.port)
        named = new.hostname or ""
    except ValueError as error:
        refuse(url, f"it redirects to {one_line(location)!r}, which is no address", error)
    family = of_arxiv(old.hostname or "") and of_arxiv(named) and new.port in (None, 443)
    plainer = new.scheme != old.scheme and new.scheme != "https"
    if plainer or "@" in new.netloc or not (same or (family and new.scheme == "https")):
        refuse(url, f"it redirects to {one_line(location)!r}, which is not followed")
    return target


def shown(url: str) -> str:
    """An address without its query."""
    return re.split(r"[?#]", url)[0]


def refuse(url: str, reason: str, cause: BaseException | None = None) -> NoReturn:
    """Raise SourceError about an address."""
    raise SourceError(f"{shown(url)}: {reason}") from cause
