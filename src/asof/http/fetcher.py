"""Downloads from one site: a pause between two requests, further attempts where one fails."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from ssl import SSLCertVerificationError
from typing import NoReturn, TypeVar

from asof.errors import SourceError
from asof.http.address import redirect_target, shown
from asof.http.connection import one_line, retry_after
from asof.http.retry import GaveUp, NoConnection, RequestRejected, Retry, RetryLater
from asof.http.transport import AGENT, Response, ResponseTooLarge, Unreachable, send

T = TypeVar("T")

LARGEST = 16 * 2**20
REDIRECTS = 3
PATIENT = Retry(attempts=6, patience=300.0, first_wait=3.0, jitter=0.5)


class NotFound(SourceError):
    """There is nothing at an address."""


class DownloadTooLarge(SourceError):
    """There are more bytes at an address than are read."""


@dataclass(slots=True)
class Fetcher:
    """GET requests, `delay` seconds from the end of one to the start of the next.

    `retry`: how often a server is asked that is busy (429), at fault (5xx) or silent, or whose answer cannot
    be read; one that was never reached is asked once. Redirects lead to the same host, or to another host of
    `domain` by https. `settings`: the table of asof.toml that holds the address, for messages. `sleep` and
    `clock` (seconds) are for tests. `last` is when the last request ended, by `clock`.
    """

    delay: float = 3.0
    retry: Retry = PATIENT
    domain: str = ""
    settings: str = "the settings"
    sleep: Callable[[float], None] = field(default=time.sleep, repr=False)
    clock: Callable[[], float] = field(default=time.monotonic, repr=False)
    last: float | None = None
    requests: int = 0
    answered: bool = False

    def get(self, url: str, read: Callable[[bytes], T], largest: int = LARGEST) -> T:
        """The result of `read`, which is given the answer's bytes, at most `largest` of them. It raises
        RetryLater for what should be asked for again, RequestRejected for what should not. Raises
        SourceError with the address and what is wrong."""
        try:
            return self.retry.run(partial(self._once, url, read, largest))
        except RequestRejected as error:
            _refuse(url, f"it says: {one_line(str(error))}", error)
        except Unreachable as error:
            _refuse(url, str(error), error)
        except ResponseTooLarge as error:
            raise DownloadTooLarge(f"{shown(url)}: {error}") from error
        except GaveUp as error:
            _refuse(url, f"{error}; documents indexed so far are kept: try again later", error)

    def _once(self, url: str, read: Callable[[bytes], T], largest: int, timeout: float) -> T:
        """What is read at an address, or where it redirects to."""
        for _ in range(REDIRECTS):
            response = self._response(url, largest, timeout)
            if response.location is None:
                return self._read(url, response, read)
            try:
                url = redirect_target(url, response.location, self.domain)
            except ValueError as error:
                where = one_line(response.location)
                _refuse(url, f"it redirects to {where!r}, which is not followed", error)
        raise SourceError(f"{shown(url)}: it redirects again, after {REDIRECTS} times")

    def _response(self, url: str, largest: int, timeout: float) -> Response:
        """One answer, after the pause. Raises RetryLater, Unreachable, ResponseTooLarge."""
        if self.last is not None and (left := self.last + self.delay - self.clock()) > 0:
            self.sleep(left)
        self.requests += 1
        headers = {"User-Agent": AGENT, "Accept-Encoding": "identity"}
        try:
            response = send("GET", url, headers, timeout, largest=largest)
        except NoConnection as error:
            if self.answered:  # the network was there a moment ago
                raise
            raise Unreachable(f"it cannot be reached: {error}; check the address and the network") from error
        except Unreachable as error:
            if self.answered and not isinstance(error.__cause__, SSLCertVerificationError):
                raise RetryLater(str(error)) from error
            raise
        finally:
            self.last = self.clock()
        self.answered = True
        return response

    def _read(self, url: str, response: Response, read: Callable[[bytes], T]) -> T:
        """The result of `read` for status 200; a request that is wrong (400) may be answered by a text that
        `read` understands, and says why."""
        status = response.status
        if status == 200:
            return read(response.body)
        if response.may_pass:
            raise RetryLater(f"status {status}", retry_after(response.headers))
        if status == 400:
            try:
                read(response.body)
            except RetryLater:
                _refuse(url, f"status 400, {one_line(response.body.decode('utf-8', 'replace'))!r}")
        if status == 404:
            raise NotFound(f"{shown(url)}: there is no such page (404)")
        return _refuse(url, f"status {status}; check the address in {self.settings}")


def _refuse(url: str, reason: str, cause: BaseException | None = None) -> NoReturn:
    """Raise SourceError about an address."""
    raise SourceError(f"{shown(url)}: {reason}") from cause
