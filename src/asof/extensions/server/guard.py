"""Middleware: host and key checks, limits of size and rate, concurrency, the request log, metrics.

`Guard`, at the end, puts each request through the other parts. Keys are stored as salted scrypt hashes in the
user's own folder. Bodies are received whole, within a limit for all together; a client that takes nothing of
a reply for some time is given up, so that it keeps no others waiting.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import re
import secrets
import sys
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from contextlib import asynccontextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

import msgspec
from msgspec import Meta, Struct
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from asof import environment
from asof.corpus.corpus import Corpus
from asof.errors import (
    AsofError,
    Busy,
    CorpusError,
    DocumentNotFound,
    ModelError,
    NoSpace,
    SourceError,
    UsageError,
)
from asof.files import PrivateFile, WritableByOthers
from asof.time.span import iso

# -- bodies on their way in, replies on their way out ----------------------------------------------


class BodyTooLarge(Exception):
    """A body has more bytes than are taken."""


class BodiesTooLarge(Exception):
    """All bodies under way together have more bytes than are kept."""


class Gone(Exception):
    """The client went away."""


@dataclass(slots=True)
class Bodies:
    """The bodies that are being received and worked on: at most `most` bytes in all."""

    most: int
    held: int = 0

    async def receive(self, receive: Receive, most: int, sizes: list[int]) -> bytes:
        """A whole body; its bytes held are added to `sizes`, to be given back by `release`. Raises
        BodyTooLarge, BodiesTooLarge, and Gone if it breaks off."""
        body = bytearray()
        while True:
            message = await receive()
            if message["type"] != "http.request":
                raise Gone
            piece = message.get("body", b"")
            body += piece
            self.held += len(piece)
            sizes.append(len(piece))
            if len(body) > most:
                raise BodyTooLarge
            if self.held > self.most:
                raise BodiesTooLarge
            if not message.get("more_body"):
                return bytes(body)

    def release(self, sizes: list[int]) -> None:
        self.held -= sum(sizes)
        sizes.clear()


def replayed(body: bytes, receive: Receive) -> Receive:
    """The `receive` of an application whose request body is there already."""
    sent = False

    async def received() -> Message:
        nonlocal sent
        if sent:
            return await receive()
        sent = True
        return {"type": "http.request", "body": body, "more_body": False}

    return received


AHEAD = 8
"""The messages of a reply that may wait for their client: a file has one for each 64 KB."""


@dataclass(slots=True)
class ReplyQueue:
    """Messages of a reply: `put` takes them at once, but for those of a long one, `write` waits until the
    client has them.

    A client that takes nothing of a message for `patience` seconds is given up.
    """

    send: Send
    patience: float
    _messages: asyncio.Queue[Message | None] = field(default_factory=lambda: asyncio.Queue(AHEAD))

    async def put(self, message: Message) -> None:
        await self._messages.put(message)

    async def write(self) -> None:
        """Send the messages that are put, until the end. Raises Gone."""
        while (message := await self._messages.get()) is not None:
            try:
                async with asyncio.timeout(self.patience):
                    await self.send(message)
            except TimeoutError as slow:
                raise Gone from slow

    async def made_by(self, work: Coroutine[None, None, None]) -> None:
        """Run what makes the reply while it is written, and write the rest. Raises Gone, and what the work
        raises."""
        writing, working = asyncio.ensure_future(self.write()), asyncio.ensure_future(work)
        ending: asyncio.Future[None] | None = None
        try:
            await asyncio.wait({writing, working}, return_when=asyncio.FIRST_COMPLETED)
            if writing.done():  # the client is gone: what is under way is for nobody
                working.cancel()
                with suppress(asyncio.CancelledError):
                    await working
            else:
                ending = asyncio.ensure_future(self._messages.put(None))
            await writing
            await working
        finally:
            for each in (working, writing, ending):
                if each is not None:
                    each.cancel()


# -- metrics for Prometheus ------------------------------------------------------------------------


_SECONDS = (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30)


class Metrics:
    """Counters and gauges of one server."""

    def __init__(self) -> None:
        self.registry = one = CollectorRegistry()
        self.requests = Counter(
            "asof_requests", "Requests by verb and status", ("verb", "status"), registry=one
        )
        self.seconds = Histogram(
            "asof_request_seconds", "Seconds to answer, by verb", ("verb",), buckets=_SECONDS, registry=one
        )
        self.cost = Counter("asof_model_cost_dollars", "What language models cost", registry=one)
        self.documents = Gauge("asof_documents", "Current documents", registry=one)
        self.passages = Gauge("asof_current_passages", "Current passages", registry=one)
        self.written = Gauge(
            "asof_last_write_timestamp_seconds", "When the corpus was last written to", registry=one
        )

    def text(self, corpus: Corpus) -> bytes:
        """The metrics in Prometheus' text format, with figures of the corpus as it is."""
        figures = corpus.status()
        self.documents.set(figures.documents)
        self.passages.set(figures.current_passages)
        self.written.set(corpus.session.last_write() / 1e6)
        return generate_latest(self.registry)


# -- errors as JSON: what was given, what is accepted, what to do ----------------------------------


STATUS: tuple[tuple[type[AsofError], int], ...] = (
    (Busy, 503), (NoSpace, 507), (ModelError, 502), (DocumentNotFound, 404), (UsageError, 422),
    (SourceError, 422), (CorpusError, 503),
)  # fmt: skip
"""The HTTP status of each kind of error; the first that fits."""


def as_json(
    value: Mapping[str, Any], status: int = 200, headers: Mapping[str, str] | None = None
) -> Response:
    body = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
    return Response(body, status, headers, "application/json")


def refusal(
    status: int, kind: str, message: str, request: str = "", headers: Mapping[str, str] | None = None
) -> Response:
    """An error in this form."""
    return as_json({"error": {"kind": kind, "message": message, "request": request}}, status, headers)


def of_error(error: AsofError, request: str) -> Response:
    """An error of asof: its message, and its status by STATUS."""
    status = next((status for kind, status in STATUS if isinstance(error, kind)), 500)
    headers = {"Retry-After": "1"} if status == 503 else None
    return refusal(status, type(error).__name__, str(error), request, headers)


# -- headers ---------------------------------------------------------------------------------------


HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self';"
        " base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
"""On every reply that does not set them itself."""

ONCE = ("host", "origin", "authorization", "content-type")
OTHER_SITES = frozenset({"cross-site", "same-site"})
"""What browsers write into Sec-Fetch-Site of requests of a page that is none of this server."""


def is_own(origin: str, host: str) -> bool:
    """True if an origin is the site that is called."""
    try:
        parts = urlsplit(origin)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and parts.netloc == host


def host_name(host: str) -> str:
    """A host without its port."""
    name, colon, port = host.rpartition(":")
    return (name if colon and port.isdigit() else host).lower()


# -- limits ----------------------------------------------------------------------------------------


API = "/api/v1"
DOCUMENTS = f"{API}/documents"


@dataclass(frozen=True, slots=True)
class Limits:
    """`body`, `documents`: of a request that adds documents, in bytes and documents; `call`: bytes of any
    other body; `bodies`: of all that are under way; `patience`: seconds for a request to come, and for a part
    of a reply to be taken; `line`: of an address and of one header, in bytes, and `headers`: how many;
    `connections`: from one address; `running`: quick requests that a process works on at once (more only get
    into each other's way), `models`: that wait for a language model, `waiting`: that may wait for a place;
    `rate`: requests a second of a key, `burst`: at once; `wrong_keys`: a minute from one address."""

    body: int = 8 * 2**20
    documents: int = 1_000
    call: int = 256 * 2**10
    bodies: int = 64 * 2**20
    line: int = 16 * 2**10
    headers: int = 100
    patience: float = 20.0
    connections: int = 500
    running: int = 2
    models: int = 4
    waiting: int = 256
    rate: float = 50.0
    burst: float = 200.0
    wrong_keys: int = 30

    def body_of(self, path: str) -> int:
        """The most bytes that a body may have which is sent there."""
        return self.body if path == DOCUMENTS else self.call


@dataclass(slots=True)
class TokenBucket:
    """A limit for each of many clients: `rate` a second, `burst` at once."""

    rate: float
    burst: float
    clock: Callable[[], float] = time.monotonic
    most: int = 10_000
    _left: dict[str, tuple[float, float]] = field(default_factory=dict)

    def take(self, name: str) -> float:
        """Take one; seconds to wait where none is left, else 0."""
        now = self.clock()
        left, at = self._left.get(name, (self.burst, now))
        left = min(self.burst, left + (now - at) * self.rate)
        if len(self._left) >= self.most and name not in self._left:
            self._left = {each: kept for each, kept in self._left.items() if now - kept[1] < 60.0}
        if left < 1.0:
            self._left[name] = left, now
            return (1.0 - left) / self.rate
        self._left[name] = left - 1.0, now
        return 0.0

    def empty(self, name: str) -> bool:
        """True if none is left, without taking one."""
        left, at = self._left.get(name, (self.burst, self.clock()))
        return left + (self.clock() - at) * self.rate < 1.0


# -- keys, each with a name and a scope ------------------------------------------------------------


LARGEST = 1_000_000

KeyScope = Literal["read", "write"]

BEGINNING = 13
"""So many characters of a secret are stored as they are ("asof_" and 8 of 43): whose they are not is no key,
without a hash, and `asof key list` shows them."""

LONGEST = 200
SALT, HASH = 16, 32
"""Bytes."""

GUESSES = 30
"""The number of wrong secrets a minute, with the beginning of a key, that are hashed."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_COST = {"n": 2**14, "r": 8, "p": 1}
"""scrypt: 16 MB and about 60 ms for a key that was not seen before."""


class Key(Struct, frozen=True, forbid_unknown_fields=True):
    """A stored key: how its secret begins, salt and hash in hexadecimal, when it was made (ISO 8601)."""

    scope: KeyScope
    begins: Annotated[str, Meta(min_length=BEGINNING, max_length=BEGINNING)]
    salt: Annotated[str, Meta(pattern=f"^[0-9a-f]{{{2 * SALT}}}$")]
    hash: Annotated[str, Meta(pattern=f"^[0-9a-f]{{{2 * HASH}}}$")]
    at: str

    @classmethod
    def of(cls, secret: str, scope: KeyScope, at: str) -> Key:
        salt = secrets.token_bytes(SALT)
        return cls(scope, secret[:BEGINNING], salt.hex(), _hashed(secret, salt), at)

    def fits(self, secret: str) -> bool:
        """True if this is the key; takes the same time for all that begin as it does."""
        return hmac.compare_digest(_hashed(secret, bytes.fromhex(self.salt)), self.hash)


class KeyFile(Struct, frozen=True, forbid_unknown_fields=True):
    """The content of the file of keys."""

    format: Literal[2]
    keys: dict[str, Key]


@dataclass(slots=True)
class Keys:
    """The keys of a user. Those that were verified are remembered by a keyed hash until the file changes."""

    path: Path
    owners: frozenset[int]
    _verified: dict[bytes, tuple[str, Key]] = field(default_factory=dict)
    _state: tuple[int, int, int] | None = None
    _keys: dict[str, Key] = field(default_factory=dict)
    _pepper: bytes = field(default_factory=lambda: secrets.token_bytes(32))
    _guesses: TokenBucket = field(default_factory=lambda: TokenBucket(GUESSES / 60, GUESSES))

    @property
    def _file(self) -> PrivateFile:
        return PrivateFile(self.path, self.owners, LARGEST)

    def all(self) -> dict[str, Key]:
        """By name. Raises UsageError where the file is damaged or others may write to it."""
        try:
            content = self._file.read()
            return {} if content is None else msgspec.json.decode(content, type=KeyFile).keys
        except WritableByOthers as error:
            raise UsageError(f"{error}: no key is accepted; remove it") from error
        except (msgspec.MsgspecError, ValueError, RecursionError, OSError) as error:
            raise UsageError(f"{self.path} is damaged: no key is accepted; remove it ({error})") from error

    def add(self, name: str, scope: KeyScope, at: str) -> str:
        """Make a key; returns its secret, which is kept nowhere. Raises UsageError, AsofError."""
        if not _NAME.fullmatch(name):
            raise UsageError(f"{name!r:.80} is no name of a key; accepted: 64 letters, digits and . _ -")
        secret = f"asof_{secrets.token_urlsafe(32)}"
        with self._file.locked():
            keys = self.all()
            if name in keys:
                raise UsageError(f"there is a key {name!r}; remove it first: asof key remove {name}")
            self._write({**keys, name: Key.of(secret, scope, at)})
        return secret

    def remove(self, name: str) -> bool:
        """Revoke a key at once, also in servers that run; whether there was one."""
        with self._file.locked():
            keys = self.all()
            if name not in keys:
                return False
            self._write({other: key for other, key in keys.items() if other != name})
        return True

    def verify(self, secret: str) -> tuple[str, Key] | None:
        """The name and key of a secret; None for none. Hashes it the first time, if a key begins like it."""
        if not 0 < len(secret) <= LONGEST:
            return None
        self._follow()
        mark = hmac.digest(self._pepper, secret.encode("utf-8", "replace"), "sha256")
        if (known := self._verified.get(mark)) is not None:
            return known
        begins = secret[:BEGINNING]
        for name, key in self._keys.items():
            if key.begins == begins and not self._guesses.empty(name):
                if key.fits(secret):
                    self._verified[mark] = name, key
                    return name, key
                self._guesses.take(name)
        return None

    def _follow(self) -> None:
        """Read the file anew if it has changed."""
        try:
            about = self.path.stat()
            state = (about.st_mtime_ns, about.st_ino, about.st_size)
        except FileNotFoundError:
            state = (0, 0, 0)
        except OSError as error:
            raise UsageError(f"{self.path} cannot be read: no key is accepted ({error.strerror})") from error
        if state != self._state:
            self._state, self._keys, self._verified = None, {}, {}
            self._keys = self.all()
            self._state = state

    def _write(self, keys: Mapping[str, Key]) -> None:
        stored = msgspec.json.encode(KeyFile(2, {name: keys[name] for name in sorted(keys)}))
        self._file.write(f"{msgspec.json.format(stored).decode()}\n")


def _hashed(secret: str, salt: bytes) -> str:
    return hashlib.scrypt(secret.encode("utf-8", "replace"), salt=salt, dklen=HASH, **_COST).hex()


# -- concurrency: quick requests do not wait for slow ones, nor for models -------------------------


SLOW = frozenset(f"{API}/{verb}" for verb in ("facts", "report", "stale"))
"""Verbs that first read all passages that are new, for facts or statements: many seconds after much was
added."""
ASK = frozenset({f"{API}/ask", f"{API}/ask/stream"})
READS, MCP = frozenset({"GET", "HEAD", "OPTIONS"}), "/mcp"


def writes(method: str, path: str) -> bool:
    """True if a request may add, change or delete documents: all but calls of assistants, whose tools are
    offered by the scope of the key."""
    return method not in READS and path.rstrip("/") != MCP


class Lanes:
    """`model`: questions are answered by a language model, which is mostly waited for."""

    def __init__(self, limits: Limits, model: bool = False) -> None:
        self.model = model
        self.waiting = 0
        self._quick, self._slow, self._models = map(asyncio.Semaphore, (limits.running, 1, limits.models))

    @asynccontextmanager
    async def turn(self, method: str, path: str) -> AsyncIterator[None]:
        """Hold a place of the lane of a request, waiting for it if need be."""
        lane = self._quick
        if path in SLOW or writes(method, path):
            lane = self._slow
        elif path in ASK and self.model:
            lane = self._models
        self.waiting += 1
        try:
            await lane.acquire()
        finally:
            self.waiting -= 1
        try:
            yield
        finally:
            lane.release()


# -- the middleware --------------------------------------------------------------------------------


LOOPBACK = frozenset({"localhost", "127.0.0.1", "[::1]", "::1"})
OPEN = frozenset({"/health", "/ready"})
"""Addresses that say whether the server lives: they need no key and wait for nobody."""

PAGE = "/page/"
"""The files of the page below this need no key, nor does "/": they are the same for everybody."""

STREAMS = ("/mcp", "/file")
"""Addresses below these may stay open for long: they take no place of those that are worked on."""


@dataclass(slots=True)
class Guard:
    """An ASGI application around another one.

    `hosts`: names under which the server may be called (checked against DNS rebinding); None: any. Pages of
    other sites may not call it. `keys`: None where none is needed. `model`: questions are answered by a
    language model. `log`: gets one line of JSON for each request.
    """

    app: ASGIApp
    metrics: Metrics
    hosts: frozenset[str] | None = LOOPBACK
    keys: Keys | None = None
    limits: Limits = field(default_factory=Limits)
    model: bool = False
    log: Callable[[str], None] = lambda line: print(line, file=sys.stderr, flush=True)  # noqa: T201
    _buckets: TokenBucket = field(init=False)
    _wrong: TokenBucket = field(init=False)
    _lanes: Lanes = field(init=False)
    _bodies: Bodies = field(init=False)

    def __post_init__(self) -> None:
        self._buckets = TokenBucket(self.limits.rate, self.limits.burst)
        self._wrong = TokenBucket(self.limits.wrong_keys / 60, self.limits.wrong_keys)
        self._lanes = Lanes(self.limits, self.model)
        self._bodies = Bodies(self.limits.bodies)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        request = secrets.token_hex(8)
        scope.setdefault("state", {})["request"] = request
        started, status = time.perf_counter(), 499

        async def sending(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(scope=message)
                for name, value in {**HEADERS, "x-request-id": request}.items():
                    headers.setdefault(name, value)
            await send(message)

        try:
            reply = await self._refusal(scope, Headers(scope=scope), request)
            if reply is not None:
                await reply(scope, receive, sending)
            else:
                await self._with_body(scope, receive, sending, request)
        except Gone:
            pass  # nobody reads a reply: uvicorn closes the connection
        finally:
            self._record(scope, status, time.perf_counter() - started, request)

    async def _with_body(self, scope: Scope, receive: Receive, send: Send, request: str) -> None:
        """Hand a request on once its body is there, so that no slow client occupies a lane."""
        most, sizes = self.limits.body_of(scope["path"]), list[int]()
        try:
            async with asyncio.timeout(self.limits.patience):
                body = await self._bodies.receive(receive, most, sizes)
        except TimeoutError:
            slow = f"the body did not come within {self.limits.patience:g} seconds"
            await refusal(408, "TooSlow", slow, request)(scope, receive, send)
        except BodyTooLarge:
            large = f"the body has more than {most:,} bytes: send less at a time"
            await refusal(413, "TooLarge", large, request)(scope, receive, send)
        except BodiesTooLarge:
            await self._overloaded(request)(scope, receive, send)
        else:
            await self._answer(scope, replayed(body, receive), send, request)
        finally:
            self._bodies.release(sizes)

    async def _answer(self, scope: Scope, receive: Receive, send: Send, request: str) -> None:
        """Work on a request when there is room. Its reply is written without holding a place."""
        at_once = scope["path"] in OPEN or scope["path"].startswith(STREAMS)
        if not at_once and self._lanes.waiting >= self.limits.waiting:
            await self._overloaded(request)(scope, receive, send)
            return
        reply = ReplyQueue(send, self.limits.patience)

        async def work() -> None:
            async with nullcontext() if at_once else self._lanes.turn(scope["method"], scope["path"]):
                await self.app(scope, receive, reply.put)

        await reply.made_by(work())

    @staticmethod
    def _overloaded(request: str) -> Response:
        message = "too many requests at once; try again"
        return refusal(503, "Overloaded", message, request, {"Retry-After": "1"})

    async def _refusal(self, scope: Scope, given: Headers, request: str) -> Response | None:
        """Why a request is not handed on; None if it is."""
        limits, host, origin = self.limits, given.get("host", ""), given.get("origin", "")
        address = len(scope.get("raw_path") or b"") + len(scope["query_string"])
        if len(scope["headers"]) > limits.headers:
            return refusal(431, "TooLarge", f"there are over {limits.headers} headers", request)
        if max((address, *(len(value) for _, value in scope["headers"]))) > limits.line:
            message = f"the address or a header has over {limits.line:,} bytes"
            return refusal(431, "TooLarge", message, request)
        if twice := next((name for name in ONCE if len(given.getlist(name)) > 1), ""):
            return refusal(400, "BadRequest", f"the header {twice} stands there twice", request)
        if {"content-length", "transfer-encoding"} <= set(given):  # servers differ in which one counts
            return refusal(400, "BadRequest", "content-length excludes transfer-encoding", request)
        if self.hosts is not None and host_name(host) not in self.hosts:
            message = f"this server is not called {host[:100]!r}; it is: {', '.join(sorted(self.hosts))}"
            return refusal(421, "WrongHost", message, request)
        to_page = scope["path"] == "/" and given.get("sec-fetch-mode") == "navigate"  # a link
        if given.get("sec-fetch-site") in OTHER_SITES and not to_page:
            origin = "other sites"  # browsers tell no origin of images, say
        if origin and not is_own(origin, host):
            return refusal(403, "WrongOrigin", f"pages of {origin[:100]} may not call this server", request)
        if not scope["path"].isprintable():  # a route would match before a line feed at the end
            return refusal(400, "BadRequest", "the path has a control character", request)
        return await self._key_refusal(scope, given, request)

    async def _key_refusal(self, scope: Scope, given: Mapping[str, str], request: str) -> Response | None:
        """Why a key is not accepted, or may not do this; None if none is needed or it may."""
        path, keys = scope["path"], self.keys
        scope["state"]["scope"] = "write" if keys is None else "read"
        if keys is None or path in OPEN or path == "/" or path.startswith(PAGE):
            return None
        header = given.get("authorization", "")
        secret = header[7:].strip() if header[:7].lower() == "bearer " else ""
        try:
            found = await run_in_threadpool(keys.verify, secret) if secret else None
        except AsofError as error:
            self.log(json.dumps({"request": request, "message": str(error)}))
            return refusal(503, "KeysUnusable", "the list of keys cannot be read; see the log", request)
        if found is None:
            client = str((scope.get("client") or ("?",))[0])
            if secret and (wait := self._wrong.take(client)) > 0:
                message = f"too many wrong keys from {client}; wait {wait:.0f} seconds"
                return refusal(429, "TooManyWrongKeys", message, request, {"Retry-After": str(int(wait) + 1)})
            message = "this is no key that is known" if secret else "a key is needed"
            message += ": Authorization: Bearer KEY (asof key add makes one)"
            return refusal(401, "KeyNeeded", message, request, {"WWW-Authenticate": "Bearer"})
        name, key = found
        scope["state"]["scope"] = key.scope
        if (wait := self._buckets.take(name)) > 0:
            message = f"the key {name} has at most {self.limits.rate:g} requests a second"
            return refusal(429, "TooMany", message, request, {"Retry-After": str(int(wait) + 1)})
        if writes(scope["method"], path) and key.scope != "write":
            message = "this key may only read (asof key add NAME --scope write)"
            return refusal(403, "NotAllowed", message, request)
        return None

    def _record(self, scope: Scope, status: int, seconds: float, request: str) -> None:
        route: Any = scope.get("route")
        path = getattr(route, "path", "")
        verb = path or "other"
        self.metrics.requests.labels(verb, str(status)).inc()
        self.metrics.seconds.labels(verb).observe(seconds)
        line = {
            "at": iso(environment.now()), "request": request, "method": scope["method"][:20],
            "path": path or scope["path"][:100], "status": status, "ms": round(1000 * seconds, 1),
        }  # fmt: skip
        self.log(json.dumps(line))
