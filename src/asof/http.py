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
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from functools import partial
from http.client import HTTPS_PORT, HTTPConnection, HTTPException, HTTPMessage, HTTPResponse, IncompleteRead
from io import BufferedReader, RawIOBase
from socket import socket
from ssl import SSLCertVerificationError
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
    """Seconds of the header Retry-After; a date in it is compared with the answer's Date, no clock."""
    value = headers.get("Retry-After", "").strip()
    if re.fullmatch(r"\d{1,9}(\.\d{1,9})?", value):
        return float(value)
    try:
        wait = parsedate_to_datetime(value) - parsedate_to_datetime(headers.get("Date", ""))
    except (ValueError, TypeError, OverflowError):  # absent, no date, or one with a zone and one without
        return None
    return max(wait.total_seconds(), 0.0)


def _left(deadline: float) -> float:
    left = deadline - time.perf_counter()
    if left <= 0:
        raise TimeoutError
    return left


class TimedConnection(HTTPConnection):
    """A connection to an http or https address, not yet made, for one request and its answer.

    Connecting, asking and reading raise TimeoutError once `seconds` from now are over. Two things can take
    longer: finding the addresses of a host, and a host of several addresses, each of which is given what
    was left when the first was tried. No proxy of the environment is used, no redirect followed.
    """

    def __init__(self, url: str, seconds: float) -> None:
        parts = urlsplit(url)
        self.tls = ssl.create_default_context() if parts.scheme == "https" else None
        if self.tls is not None:
            self.default_port = HTTPS_PORT
        super().__init__(parts.hostname or "", parts.port)
        self.deadline = time.perf_counter() + seconds
        self.response_class = partial(_TimedResponse, deadline=self.deadline)  # type: ignore[assignment]

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
    def __init__(self, sock: socket, *rest: Any, deadline: float, **more: Any) -> None:
        super().__init__(sock, *rest, **more)
        self.fp = BufferedReader(_TimedReader(self.fp.detach(), sock, deadline))


class _TimedReader(RawIOBase):
    """The bytes of a socket, each wait for them as long as the time that is left."""

    def __init__(self, raw: RawIOBase, sock: socket, deadline: float) -> None:
        self.raw, self.sock, self.deadline = raw, sock, deadline

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer, /) -> int | None:
        self.sock.settimeout(_left(self.deadline))
        return self.raw.readinto(buffer)

    def close(self) -> None:
        if not self.closed:
            self.raw.close()
        super().close()


# -- circuit breaker: stops a batch after failures in a row, or after a final refusal --------------


class NotSent(Exception):
    """A request that was not sent, and why."""


class CircuitBreaker(Struct, eq=False):
    """The state that the threads of one batch share. `most`: after so many prompts without a reply, one after
    another in the order in which they ended, nothing more is sent.

    A prompt counts as failed when its last attempt has failed. What is under way when it stops is waited for.
    """

    most: int = 1
    refusal: ModelError | None = None
    absent: str = ""
    answered: bool = False
    _row: int = 0
    _why: str = ""
    _stopped: threading.Event = msgspec.field(default_factory=threading.Event)
    _lock: threading.Lock = msgspec.field(default_factory=threading.Lock)

    def check(self) -> None:
        """Raises NotSent if nothing may be sent."""
        if self._stopped.is_set():
            raise NotSent(self._why)

    def pause(self, seconds: float, sleep: Callable[[float], None] | None) -> None:
        """Wait before another attempt; with no `sleep` of its own, not longer than until the batch stops.
        Raises NotSent if it has stopped."""
        self.check()
        if sleep is None:
            self._stopped.wait(seconds)
        else:
            sleep(seconds)

    def succeeded(self) -> None:
        """Record that a prompt got a reply."""
        with self._lock:
            self.answered, self._row = True, 0

    def failed(self, reason: str, *, absent: bool = False) -> None:
        """Record that a prompt got no reply. `absent`: not even a connection was made."""
        with self._lock:
            self._row += 1
            self.answered |= not absent
            if absent:
                self.absent = reason
            if self._row >= self.most:
                self._stop(
                    f"not sent: {self._row} prompts in a row got no reply, the last one because {reason}"
                )

    def refused(self, error: ModelError) -> None:
        """Record a response that every other prompt would get too."""
        with self._lock:
            if self.refusal is None:
                self.refusal = error
            self._stop(f"not sent: {error}")

    def stop(self) -> None:
        """Stop the batch: the caller does not wait for replies any more."""
        with self._lock:
            self._stop("not sent: the batch was given up")

    def settle(self) -> None:
        """To be called after the batch. Raises ModelError if no prompt could have got a reply."""
        if self.refusal is not None:
            raise self.refusal
        if self.absent and not self.answered:
            raise ModelError(self.absent)

    def _stop(self, why: str) -> None:
        if not self._stopped.is_set():
            self._why = why
            self._stopped.set()


# -- retries: exponential backoff with jitter ----------------------------------------------------------

T = TypeVar("T")


class RetryLater(Exception):
    """A failure that may pass. `wait`: seconds that the server asks for, or None."""

    def __init__(self, reason: str, wait: float | None = None) -> None:
        super().__init__(reason)
        self.wait = wait


class NoConnection(RetryLater):
    """No connection was made: nothing listens there, or there is no such host."""


class RequestRejected(Exception):
    """An answer to this request that cannot be used, and would be the same the next time. `answer`: the
    server's own words, which a message may only hold after `one_line`, and without the key."""

    def __init__(self, reason: str, answer: str = "") -> None:
        super().__init__(reason)
        self.answer = answer


class GaveUp(Exception):
    """All attempts failed. `absent`: in each of them no connection was made."""

    def __init__(self, reason: str, *, absent: bool = False) -> None:
        super().__init__(reason)
        self.absent = absent


@dataclass(frozen=True, slots=True)
class Retry:
    """Up to `attempts` attempts of `timeout` seconds each.

    The wait before attempt n + 1 is at most `first_wait` * 2^(n - 1) seconds, or `patience` if that is less;
    the part `jitter` of it is drawn (1: "full jitter"). A wait that the server asks for is kept to the
    second, but one longer than `patience` ends the attempts. `sleep` and `draw` (from 0 to 1) are for tests;
    without a `sleep`, waiting ends when the breaker stops.
    """

    attempts: int = 3
    timeout: float = 60.0
    patience: float = 30.0
    first_wait: float = 0.5
    jitter: float = 1.0
    sleep: Callable[[float], None] | None = field(default=None, repr=False, compare=False)
    draw: Callable[[], float] = field(default=random.random, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.attempts < 1:
            raise UsageError(f"attempts is {self.attempts}; accepted: 1 or more")

    def run(self, once: Callable[[float], T], breaker: CircuitBreaker | None = None) -> T:
        """The result of `once(timeout)`, which raises RetryLater for a failure that may pass. Raises GaveUp,
        NotSent, and whatever else `once` raises."""
        breaker = breaker or CircuitBreaker()
        absent = True
        for attempt in range(self.attempts):
            breaker.check()
            try:
                return once(self.timeout)
            except RetryLater as failure:
                absent = absent and isinstance(failure, NoConnection)
                wait = failure.wait
                if attempt == self.attempts - 1 or (wait is not None and wait > self.patience):
                    asks = f"; it asks for a wait of {wait:.0f} s" if wait is not None else ""
                    times = f"{attempt + 1} attempt{'s' if attempt else ''}"
                    raise GaveUp(f"{failure}{asks} ({times})", absent=absent) from failure
                breaker.pause(self._backoff(attempt) if wait is None else wait, self.sleep)
        raise AssertionError("there is at least one attempt")

    def _backoff(self, attempt: int) -> float:
        longest = min(self.first_wait * 2.0**attempt, self.patience)
        return (1 - self.jitter + self.jitter * self.draw()) * longest


# -- transport: one request and its response; failures as three kinds of errors ------------------------

AGENT = "asof (a search engine on a user's own machine; one request at a time)"


class Unreachable(Exception):
    """An address that cannot be reached: no such host, no HTTP, no secure connection."""


class ResponseTooLarge(Exception):
    """A response with more bytes than are read."""

    def __init__(self, limit: int) -> None:
        super().__init__(f"the answer has more than {limit:,} bytes")


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
        """True if the server is busy (429) or failed (5xx), so that a retry may succeed."""
        return self.status == 429 or self.status >= 500


def send(
    method: str,
    url: str,
    headers: Mapping[str, str],
    timeout: float,
    *,
    body: bytes | None = None,
    largest: int,
) -> Response:
    """The response to one request, whatever its status. No redirect is followed, no proxy used.

    Raises RetryLater (NoConnection) for a server that is silent, gone, or cuts its answer off; Unreachable;
    ResponseTooLarge for a 200 with more than `largest` bytes.
    """
    connection, parts = TimedConnection(url, timeout), urlsplit(url)
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    try:
        connection.request(method, target, body, dict(headers))
        with connection.getresponse() as response:
            return Response(response.status, response.headers, _body(response, largest))
    except TimeoutError as error:
        raise RetryLater(f"no answer within {timeout:g} s") from error
    except ssl.SSLCertVerificationError as error:
        raise Unreachable(f"no secure connection: {error.verify_message}") from error
    except ssl.SSLError as error:
        raise Unreachable(f"no secure connection: {error.reason or error}") from error
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
    403: "check the key",
    404: "check the address and the model's name",
}


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
        check_key(self.key, self.url)

    @property
    def shown(self) -> str:
        """The address without what may be secret in it."""
        return shown(self.url)

    def post(self, body: Mapping[str, Any]) -> Any:
        """The server's answer to `body`, both JSON. Raises ModelError with the address and what is wrong."""
        data = json.dumps(body).encode()
        try:
            answer = self.retry.run(partial(self._once, data))
        except (GaveUp, Unreachable) as error:
            self.refuse(str(error), cause=error)
        except ResponseTooLarge as error:
            self.refuse(f"{error}; is this the right address?", cause=error)
        try:
            return json.loads(answer, parse_constant=_no_constant)
        except (ValueError, RecursionError) as error:
            text = self._without_key(answer.decode("utf-8", "replace"))
            self.refuse(f"the answer is not JSON: {text!r}", cause=error)

    def refuse(self, reason: str, *, cause: BaseException | None = None) -> NoReturn:
        """Raise ModelError about this server."""
        raise ModelError(f"{self.shown}: {reason}") from cause

    def _once(self, data: bytes, timeout: float) -> bytes:
        """The bytes of an answer with status 200. Raises RetryLater, ModelError, and what `send` raises."""
        headers = {"Content-Type": "application/json", "Accept": "application/json", "User-Agent": "asof"}
        if self.key is not None:
            headers["Authorization"] = f"Bearer {self.key}"
        response = send("POST", self.url, headers, timeout, body=data, largest=self.largest)
        status = response.status
        if status == 200:
            return response.body
        if (location := response.location) is not None:
            target = self._without_key(location)
            self.refuse(f"it redirects to {target!r}, which is not followed; set the right address as url")
        message = self._without_key(response.body.decode("utf-8", "replace"))
        reason = f"status {status}" + (f", {message!r}" if message else "")
        if response.may_pass:
            raise RetryLater(reason, retry_after(response.headers))
        remedy = self.remedies.get(status) or _REMEDIES.get(status)
        return self.refuse(reason + (f"; {remedy}" if remedy else ""))

    def _without_key(self, message: str) -> str:
        """A server's own words as part of a message: without the key, on one line, shortened."""
        return one_line(message.replace(self.key, "(the key)") if self.key else message)


def check_key(key: str | None, url: str) -> None:
    """Raises UsageError for a key that cannot be sent as a bearer token."""
    if key is not None and not re.fullmatch(r"[!-~]+", key):
        raise UsageError(f"the key for {shown(url)} is empty, or has characters that no key has")


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


# -- fetcher: downloads from one site, with a pause between requests -----------------------------------

LARGEST = 16 * 2**20
REDIRECTS = 3
PATIENT = Retry(attempts=6, patience=300.0, first_wait=3.0, jitter=0.5)


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
        except RequestRejected as error:
            _refuse(url, f"it says: {one_line(str(error))}", error)
        except Unreachable as error:
            _refuse(url, str(error), error)
        except ResponseTooLarge as error:
            raise DownloadTooLarge(f"{shown(url)}: {error}") from error
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
