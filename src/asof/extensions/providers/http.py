"""HTTP client: requests with a deadline, retries and a circuit breaker; JSON endpoints; a polite fetcher.

Not `urllib`: it follows redirects with all headers, takes proxies from the environment, and opens files. A
socket's timeout is for one wait, so a server that sends a byte now and then would be waited for forever; here
each wait gets the time that is left.
"""

from __future__ import annotations

import json
import random
import re
import ssl
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache, partial
from http.client import HTTPS_PORT, HTTPConnection, HTTPException, HTTPMessage, HTTPResponse, IncompleteRead
from io import BufferedReader, RawIOBase
from socket import socket
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar
from urllib.parse import urljoin, urlsplit

import msgspec
from msgspec import Struct

from asof.errors import ModelError, SourceError, UsageError

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer


# -- addresses: which are allowed, and how they are shown without secrets ------------------------------


def is_loopback(host: str) -> bool:
    """True if a host is this machine, so that nobody else can read what is sent to it over plain http."""
    return host in ("localhost", "::1") or re.fullmatch(r"127(?:\.[0-9]{1,3}){3}", host) is not None


def shown(url: str) -> str:
    """The address without its query, fragment, user and password."""
    return re.sub(r"//[^/]*@", "//", re.split(r"[?#]", url)[0])


def check_address(url: str, *, insecure: bool = False) -> None:
    """Raises UsageError for a text that is no http or https address, for one with a password in it, and for
    plain http to another machine unless it is `insecure`."""
    if not re.fullmatch(r"https?://[!-~]+", url) or not _has_host(url):
        shown_url = "of another form" if "@" in url else repr(shown(url))  # a password may be in it
        raise UsageError(f"url is {shown_url}; accepted: http://host:port/path, https://...")
    parts = urlsplit(url)
    if "@" in parts.netloc:
        raise UsageError(f"url {shown(url)} holds a password; name a variable that holds a key instead")
    if not insecure and parts.scheme == "http" and not is_loopback(parts.hostname or ""):
        raise UsageError(
            f"url {shown(url)} is plain http to another machine, where all on the way can read texts and "
            "key; accepted: https, or insecure = true beside it"
        )


def check_base(url: str, path: str, *, insecure: bool = False) -> None:
    """The same for the address that ends before `path`, such as /embeddings. Raises UsageError."""
    check_address(url, insecure=insecure)
    parts = urlsplit(url)
    if parts.query or parts.fragment or parts.path.rstrip("/").endswith(path):
        raise UsageError(
            f"url {shown(url)} is the whole address of a request; accepted: what stands before "
            f"{path} in it, such as https://api.openai.com/v1"
        )


def redirect_target(url: str, location: str, domain: str = "") -> str:
    """The address that a redirect from `url` leads to. Raises ValueError unless it is one of the same host,
    or (by https, at the usual port) of `domain` as `url` is; never one from https to http."""
    target = urljoin(url, location)
    old, new = urlsplit(url), urlsplit(target)
    same = (old.hostname, old.port) == (new.hostname, new.port)
    related = in_domain(old.hostname or "", domain) and in_domain(new.hostname or "", domain)
    related = related and new.scheme == "https" and new.port in (None, 443)
    downgraded = new.scheme not in (old.scheme, "https")
    if downgraded or "@" in new.netloc or not (same or related):
        raise ValueError("another host, or plain http")
    return target


def in_domain(host: str, domain: str) -> bool:
    """True if a host is a domain or a subdomain of it; no host is in the domain ""."""
    return bool(domain) and (host == domain or host.endswith(f".{domain}"))


def _has_host(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return parts.port != 0 and re.fullmatch(r"[a-z0-9._-]+|[0-9a-f.:]+", parts.hostname or "") is not None
    except ValueError:  # a port or an IPv6 address that is none
        return False


# -- connection with a deadline for the whole request --------------------------------------------------

READ_AT_ONCE = 65_536
QUOTED = 200
"""The most characters of a server's own message that are shown."""


def first_bytes(response: HTTPResponse, most: int) -> bytes:
    """The first bytes of an answer, at most `most`; fewer where it ends, as announced or before that.

    Raises IncompleteRead where an answer in chunks is cut off. Not `response.read(most)`, which follows a
    chunk of negative size to the end of the connection, or raises ValueError.
    """
    body = bytearray()
    while len(body) < most and (block := response.read1(min(most - len(body), READ_AT_ONCE))):
        body += block
    return bytes(body[:most])


def one_line(message: str) -> str:
    """A server's own words as part of a message: on one line, printable, shortened."""
    message = " ".join("".join(each if each.isprintable() else " " for each in message).split())
    return message[:QUOTED] + ("…" if len(message) > QUOTED else "")


def retry_after(headers: HTTPMessage | Mapping[str, str]) -> float | None:
    """Seconds of the header Retry-After, None where it is absent or a date."""
    value = headers.get("Retry-After", "").strip()
    return float(value) if re.fullmatch(r"\d{1,9}(\.\d{1,9})?", value) else None


def _left(deadline: float) -> float:
    left = deadline - time.perf_counter()
    if left <= 0:
        raise TimeoutError
    return left


@lru_cache(maxsize=1)
def _certificates(read: Callable[[], ssl.SSLContext]) -> ssl.SSLContext:
    """The certificates of this machine, which take longer to read than a short answer takes to arrive."""
    return read()


class TimedConnection(HTTPConnection):
    """A connection to an http or https address, not yet made, for one request and its answer.

    Connecting, asking and reading raise TimeoutError once `seconds` from now, or from `extend`, are over. Two
    things can take longer: finding the addresses of a host, and a host of several addresses, each of which
    is given what was left when the first was tried. No proxy of the environment is used.
    """

    def __init__(self, url: str, seconds: float) -> None:
        parts = urlsplit(url)
        self.tls = _certificates(ssl.create_default_context) if parts.scheme == "https" else None
        if self.tls is not None:
            self.default_port = HTTPS_PORT
        super().__init__(parts.hostname or "", parts.port)
        self.extend(seconds)
        self.response_class = partial(_TimedResponse, connection=self)  # type: ignore[assignment]

    def extend(self, seconds: float) -> None:
        self.deadline = time.perf_counter() + seconds

    def connect(self) -> None:
        self.timeout = _left(self.deadline)
        super().connect()
        if self.tls is not None:
            self.sock.settimeout(_left(self.deadline))
            self.sock = self.tls.wrap_socket(self.sock, server_hostname=self.host)

    def send(self, data: Any) -> None:
        if self.sock is None:
            self.connect()
        self.sock.settimeout(_left(self.deadline))
        super().send(data)


class _TimedResponse(HTTPResponse):
    def __init__(self, sock: socket, *rest: Any, connection: TimedConnection, **more: Any) -> None:
        super().__init__(sock, *rest, **more)
        self.fp = BufferedReader(_TimedReader(self.fp.detach(), sock, connection))


class _TimedReader(RawIOBase):
    """The bytes of a socket, each wait for them as long as the time that is left."""

    def __init__(self, raw: RawIOBase, sock: socket, connection: TimedConnection) -> None:
        self.raw, self.sock, self.connection = raw, sock, connection

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer, /) -> int | None:
        self.sock.settimeout(_left(self.connection.deadline))
        return self.raw.readinto(buffer)

    def close(self) -> None:
        if not self.closed:
            self.raw.close()
        super().close()


# -- failures ------------------------------------------------------------------------------------------


class RetryLater(Exception):
    """A failure that may pass. `wait`: seconds that the server asks for, or None."""

    def __init__(self, reason: str, wait: float | None = None) -> None:
        super().__init__(reason)
        self.wait = wait


class NoConnection(RetryLater):
    """No connection was made: nothing listens there."""


class RequestRejected(Exception):
    """A failure of this request that would be the same the next time. `answer`: the server's own words, which
    a message may only hold after `one_line`, and without the key."""

    def __init__(self, reason: str, answer: str = "") -> None:
        super().__init__(reason)
        self.answer = answer


class Unreachable(RequestRejected):
    """An address that cannot be reached: no such host, no HTTP, no secure connection."""


class ResponseTooLarge(RequestRejected):
    """A response with more bytes than are read."""

    def __init__(self, limit: int) -> None:
        super().__init__(f"the answer has more than {limit:,} bytes")


class GaveUp(Exception):
    """All attempts failed. `absent`: in each of them no connection was made."""

    def __init__(self, reason: str, *, absent: bool = False) -> None:
        super().__init__(reason)
        self.absent = absent


class NotSent(Exception):
    """A request that was not sent, and why."""


# -- retries: exponential backoff with jitter, and a breaker that ends them for a whole batch ----------

T = TypeVar("T")


class CircuitBreaker(Struct, eq=False):
    """The state that the threads of one batch share. `most`: after so many prompts in a row without a reply
    nothing more is sent; what is under way is waited for."""

    most: int = 1
    error: ModelError | None = None
    _row: int = 0
    _why: str = ""
    _stopped: threading.Event = msgspec.field(default_factory=threading.Event)
    _lock: threading.Lock = msgspec.field(default_factory=threading.Lock)

    def check(self) -> None:
        """Raises NotSent if nothing may be sent."""
        if self._stopped.is_set():
            raise NotSent(self._why)

    def pause(self, seconds: float) -> None:
        """Wait before another attempt, not longer than until the batch stops. Raises NotSent if it has."""
        self._stopped.wait(seconds)
        self.check()

    def succeeded(self) -> None:
        """Record that a prompt got a reply."""
        with self._lock:
            self._row = 0

    def failed(self, reason: str) -> None:
        """Record that a prompt got no reply."""
        with self._lock:
            self._row += 1
            row = self._row
        if row >= self.most:
            self.stop(f"{row} prompts in a row got no reply, the last one because {reason}")

    def refused(self, error: ModelError) -> None:
        """Record an error that every other prompt would get too; the first is the `error` of the batch."""
        self.error = self.error or error
        self.stop(str(error))

    def stop(self, why: str = "the batch was given up") -> None:
        with self._lock:
            if not self._stopped.is_set():
                self._why = f"not sent: {why}"
                self._stopped.set()


@dataclass(frozen=True, slots=True)
class Retry:
    """Up to `attempts` attempts of `timeout` seconds each.

    The wait before attempt n + 1 is between half and all of `first_wait` * 2^(n - 1) seconds, or of
    `patience` if that is less. A wait that the server asks for is kept to the second, but one longer than
    `patience` ends the attempts. `sleep` and `draw` (from 0 to 1) are for tests.
    """

    attempts: int = 3
    timeout: float = 60.0
    patience: float = 30.0
    first_wait: float = 0.5
    sleep: Callable[[float], None] | None = field(default=None, repr=False, compare=False)
    draw: Callable[[], float] = field(default=random.random, repr=False, compare=False)

    def run(self, once: Callable[[float], T], breaker: CircuitBreaker | None = None) -> T:
        """The result of `once(timeout)`, which raises RetryLater for a failure that may pass. Raises GaveUp,
        NotSent, and whatever else `once` raises."""
        breaker = breaker or CircuitBreaker()
        absent, attempt = True, 0
        while True:
            breaker.check()
            try:
                return once(self.timeout)
            except RetryLater as failure:
                absent = absent and isinstance(failure, NoConnection)
                attempt += 1
                if attempt >= self.attempts or (failure.wait or 0) > self.patience:
                    asks = f"; it asks for a wait of {failure.wait:.0f} s" if failure.wait is not None else ""
                    times = f"{attempt} attempt{'s' if attempt > 1 else ''}"
                    raise GaveUp(f"{failure}{asks} ({times})", absent=absent) from failure
                wait = self._backoff(attempt) if failure.wait is None else failure.wait
                (self.sleep or breaker.pause)(wait)

    def _backoff(self, attempt: int) -> float:
        longest = min(self.first_wait * 2.0 ** (attempt - 1), self.patience)
        return (0.5 + 0.5 * self.draw()) * longest


# -- transport: one request and its response; failures as three kinds of errors ------------------------

AGENT = "asof (a search engine on a user's own machine; one request at a time)"


class Response(Struct, frozen=True):
    """A response: all bytes of a 200, none of a redirect, the first 64 KiB of any other status."""

    status: int
    headers: HTTPMessage
    body: bytes

    @property
    def location(self) -> str | None:
        """The target of a redirect, as the server states it; None if the response is no redirect."""
        return self.headers.get("Location", "") if 300 <= self.status < 400 else None

    @property
    def may_pass(self) -> bool:
        """True if the server is slow (408), busy (429) or failed (5xx), so that a retry may succeed."""
        return self.status in (408, 429) or self.status >= 500


@contextmanager
def exchange(
    method: str, url: str, headers: Mapping[str, str], timeout: float, body: bytes | None = None
) -> Iterator[tuple[TimedConnection, HTTPResponse]]:
    """One request, and the response while it is read. No redirect is followed, no proxy used.

    Raises RetryLater (NoConnection) for a server that is silent, gone, or cuts its answer off; Unreachable.
    """
    connection, parts = TimedConnection(url, timeout), urlsplit(url)
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    try:
        connection.request(method, target, body, dict(headers))
        with connection.getresponse() as response:
            yield connection, response
    except TimeoutError as error:
        raise RetryLater(f"no answer within {timeout:g} s") from error
    except ssl.SSLError as error:
        reason = getattr(error, "verify_message", "") or error.reason or error
        raise Unreachable(f"no secure connection: {reason}") from error
    except ConnectionError as error:
        kind = NoConnection if isinstance(error, ConnectionRefusedError) else RetryLater
        raise kind(f"the connection failed: {error.strerror or type(error).__name__}") from error
    except IncompleteRead as error:
        raise RetryLater("the answer was cut off") from error
    except HTTPException as error:
        raise Unreachable(f"this is no HTTP server ({type(error).__name__})") from error
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or type(error).__name__
        raise Unreachable(f"it cannot be reached: {reason}; check the address and the network") from error
    finally:
        connection.close()


def send(
    method: str, url: str, headers: Mapping[str, str], timeout: float, largest: int, body: bytes | None = None
) -> Response:
    """The response to one request, whatever its status. Raises what `exchange` raises, and ResponseTooLarge
    for a 200 with more than `largest` bytes."""
    with exchange(method, url, headers, timeout, body) as (_, response):
        return Response(response.status, response.headers, _body(response, largest))


def _body(response: HTTPResponse, largest: int) -> bytes:
    if 300 <= response.status < 400:
        return b""
    if response.status != 200:
        return first_bytes(response, READ_AT_ONCE)
    announced = response.length
    if (announced or 0) > largest or len(body := first_bytes(response, largest + 1)) > largest:
        raise ResponseTooLarge(largest)
    if announced is not None and len(body) < announced:
        raise IncompleteRead(body, announced - len(body))
    return body


# -- endpoint: JSON in, JSON out -----------------------------------------------------------------------

_REMEDIES = {
    401: "check the key",
    402: "the account has to be paid for",
    403: "check the key",
    404: "check the address and the model's name",
}
"""Statuses that every request would get."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An http or https address that is sent JSON by POST, with `key` as a bearer token if there is one.

    `retry`: how often a server is asked that is busy (429), at fault (5xx), silent or gone. `largest`: bytes
    of an answer. `remedies`: what to do about an answer, by its status. Redirects are not followed: the key
    is for this address only. Over plain http only this machine is asked, unless it is `insecure`. Raises
    UsageError for an address or a key that cannot be used.
    """

    url: str
    key: str | None = field(default=None, repr=False)
    retry: Retry = field(default_factory=lambda: Retry(timeout=10.0))
    largest: int = 8_000_000
    insecure: bool = False
    remedies: Mapping[int, str] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        check_address(self.url, insecure=self.insecure)
        if self.key is not None and not re.fullmatch(r"[!-~]+", self.key):
            raise UsageError(f"the key for {self.shown} is empty, or has characters that no key has")

    @classmethod
    def below(cls, base: str, path: str, **options: Any) -> Endpoint:
        """The endpoint `path` (such as /embeddings) of a server whose address ends before it."""
        check_base(base, path, insecure=options.get("insecure", False))
        return cls(base.rstrip("/") + path, **options)

    @property
    def shown(self) -> str:
        """The address without what may be secret in it."""
        return shown(self.url)

    def post(self, body: Mapping[str, Any]) -> Any:
        """The server's answer to `body`, both JSON. Raises ModelError with the address and what is wrong."""
        try:
            return self.answer(body)
        except (GaveUp, RequestRejected) as error:
            raise ModelError(self.message(error)) from error

    def answer(self, body: Mapping[str, Any], breaker: CircuitBreaker | None = None) -> Any:
        """The same for one request of a batch. Raises GaveUp, NotSent, RequestRejected; and ModelError for
        what every other request would get too."""
        answer = self.retry.run(partial(self._once, json.dumps(body).encode()), breaker)
        try:
            return json.loads(answer, parse_constant=_no_constant)
        except (ValueError, RecursionError) as error:
            raise RequestRejected("the answer is not JSON", answer.decode("utf-8", "replace")) from error

    def lines(self, body: Mapping[str, Any], timeout: float) -> Iterator[str]:
        """The lines of one answer as they arrive, `timeout` seconds from one to the next. Raises RetryLater,
        RequestRejected, ModelError."""
        left = self.largest
        data = json.dumps(body).encode()
        with exchange("POST", self.url, self._headers, timeout, data) as (connection, response):
            if response.status != 200:
                self._check(Response(response.status, response.headers, _body(response, self.largest)))
            while line := response.readline(left + 1):
                left -= len(line)
                if left < 0:
                    raise ResponseTooLarge(self.largest)
                yield line.decode("utf-8", "replace").rstrip("\r\n")
                connection.extend(timeout)

    def message(self, failure: Exception) -> str:
        """A failure as a message about this server."""
        answer = self._plain(failure.answer) if isinstance(failure, RequestRejected) else ""
        absent = isinstance(failure, GaveUp) and failure.absent
        about = "; is this the right address?" if isinstance(failure, ResponseTooLarge) else ""
        about = "; check url in asof.toml, and that the server runs" if absent else about
        return f"{self.shown}: {failure}{f': {answer!r}' if answer else ''}{about}"

    def refuse(self, reason: str) -> NoReturn:
        """Raise ModelError about this server."""
        raise ModelError(f"{self.shown}: {reason}")

    @property
    def _headers(self) -> dict[str, str]:
        key = {} if self.key is None else {"Authorization": f"Bearer {self.key}"}
        return {"Content-Type": "application/json", "Accept": "*/*", "User-Agent": "asof", **key}

    def _once(self, data: bytes, timeout: float) -> bytes:
        response = send("POST", self.url, self._headers, timeout, self.largest, data)
        self._check(response)
        return response.body

    def _check(self, response: Response) -> None:
        """Raises RetryLater, RequestRejected, ModelError for another status than 200."""
        status = response.status
        if status == 200:
            return
        if (location := response.location) is not None:
            target = self._plain(location)
            self.refuse(f"it redirects to {target!r}, which is not followed; set the right address as url")
        said = self._plain(response.body.decode("utf-8", "replace"))
        reason = f"status {status}" + (f", {said!r}" if said else "")
        if response.may_pass:
            raise RetryLater(reason, retry_after(response.headers))
        remedy = self.remedies.get(status) or _REMEDIES.get(status)
        reason += f"; {remedy}" if remedy else ""
        if status in _REMEDIES:
            self.refuse(reason)
        raise RequestRejected(reason)

    def _plain(self, message: str) -> str:
        """A server's own words as part of a message: without the key, on one line, shortened."""
        return one_line(message.replace(self.key, "(the key)") if self.key else message)


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


# -- fetcher: downloads from one site, with a pause between requests -----------------------------------

LARGEST = 16 * 2**20
REDIRECTS = 3
PATIENT = Retry(attempts=6, patience=300.0, first_wait=3.0)


class NotFound(SourceError):
    """The address does not exist."""


class DownloadTooLarge(SourceError):
    """The content of an address has more bytes than are read."""


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
        RetryLater for a request to repeat, RequestRejected for one not to repeat. Raises SourceError with the
        address and what is wrong."""
        try:
            return self.retry.run(partial(self._once, url, read, largest))
        except ResponseTooLarge as error:
            raise DownloadTooLarge(f"{shown(url)}: {error}") from error
        except Unreachable as error:
            _refuse(url, str(error), error)
        except RequestRejected as error:
            _refuse(url, f"it says: {one_line(str(error))}", error)
        except GaveUp as error:
            _refuse(url, f"{error}; documents indexed so far are kept: try again later", error)

    def _once(self, url: str, read: Callable[[bytes], T], largest: int, timeout: float) -> T:
        """Reads an address, or where it redirects to."""
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
            response = send("GET", url, headers, timeout, largest)
        except (NoConnection, Unreachable) as error:
            if self.answered:  # the network was there a moment ago
                raise RetryLater(str(error)) from error
            if isinstance(error, Unreachable):
                raise
            raise Unreachable(f"it cannot be reached: {error}; check the address and the network") from error
        finally:
            self.last = self.clock()
        self.answered = True
        return response

    def _read(self, url: str, response: Response, read: Callable[[bytes], T]) -> T:
        """The result of `read` for status 200; a request that is wrong (400) may be answered by a text that
        `read` understands, with the reason."""
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
