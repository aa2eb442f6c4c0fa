"""What stands before every request: its address, its key, its size, how many there are; and the log."""

from __future__ import annotations

import asyncio
import json
import secrets
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from starlette.concurrency import run_in_threadpool
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from asof import environment
from asof.serve.keys import Keys
from asof.serve.limits import Limits, TokenBucket
from asof.serve.metrics import Metrics
from asof.serve.replies import refusal
from asof.time.span import iso

LOOPBACK = frozenset({"localhost", "127.0.0.1", "[::1]", "::1"})
OPEN = frozenset({"/health", "/ready"})
"""Addresses that say whether the server lives: they need no key and wait for nobody."""

PAGE = "/page/"
"""The files of the page below this need no key, nor does "/": they are the same for everybody."""

STREAMS = "/mcp"
"""Addresses below this may stay open for long: they take no place of those that are worked on."""

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


@dataclass(slots=True)
class Guard:
    """An ASGI application around another one.

    `hosts`: names under which the server may be called (checked against DNS rebinding); None: any. `origins`:
    other sites whose pages may call it. `keys`: None where none is needed. `log`: gets one line of JSON for
    each request.
    """

    app: ASGIApp
    metrics: Metrics
    hosts: frozenset[str] | None = LOOPBACK
    origins: frozenset[str] = frozenset()
    keys: Keys | None = None
    limits: Limits = field(default_factory=Limits)
    log: Callable[[str], None] = lambda line: print(line, file=sys.stderr, flush=True)  # noqa: T201
    _buckets: TokenBucket = field(init=False)
    _wrong: TokenBucket = field(init=False)
    _running: asyncio.Semaphore = field(init=False)
    _waiting: int = 0

    def __post_init__(self) -> None:
        self._buckets = TokenBucket(self.limits.rate, self.limits.burst)
        self._wrong = TokenBucket(self.limits.wrong_keys / 60, self.limits.wrong_keys)
        self._running = asyncio.Semaphore(self.limits.running)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        request = secrets.token_hex(8)
        scope.setdefault("state", {})["request"] = request
        started, status = time.perf_counter(), 500
        headers = {
            name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]
        }
        origin = headers.get("origin", "")

        async def sending(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = self._with_headers(message["headers"], request, origin)
            await send(message)

        try:
            reply = await self._refusal(scope, headers, request)
            if reply is not None:
                await reply(scope, receive, sending)
            elif scope["path"] in OPEN:
                await self.app(scope, receive, sending)
            else:
                await self._run(scope, receive, sending, request)
        finally:
            self._record(scope, status, time.perf_counter() - started, request)

    async def _run(self, scope: Scope, receive: Receive, send: Send, request: str) -> None:
        """Hand it on when there is room; what a slow client sends is waited for before."""
        try:
            async with asyncio.timeout(self.limits.patience):
                body = await _body(receive, self.limits.body)
        except TimeoutError:
            slow = f"the body did not come within {self.limits.patience:g} seconds"
            await refusal(408, "TooSlow", slow, request)(scope, receive, send)
            return
        if body is None:
            more = f"the body has more than {self.limits.body:,} bytes: send fewer documents at a time"
            await refusal(413, "TooLarge", more, request)(scope, receive, send)
            return
        if self._waiting >= self.limits.waiting:
            busy = refusal(
                503, "Overloaded", "too many requests at once; try again", request, {"Retry-After": "1"}
            )
            await busy(scope, receive, send)
            return
        sent = False

        async def received() -> Message:
            nonlocal sent
            if sent:
                return await receive()
            sent = True
            return {"type": "http.request", "body": body, "more_body": False}

        if scope["path"].startswith(STREAMS):
            await self.app(scope, received, send)
            return
        self._waiting += 1
        try:
            await self._running.acquire()
        finally:
            self._waiting -= 1
        try:
            await self.app(scope, received, send)
        finally:
            self._running.release()

    async def _refusal(self, scope: Scope, headers: Mapping[str, str], request: str) -> Response | None:
        """Why a request is not handed on; None if it is."""
        limits, host, origin = self.limits, headers.get("host", ""), headers.get("origin", "")
        address = len(scope.get("raw_path") or b"") + len(scope["query_string"])
        if len(scope["headers"]) > limits.headers:
            return refusal(431, "TooLarge", f"there are over {limits.headers} headers", request)
        if address > limits.line or any(len(value) > limits.line for value in headers.values()):
            return refusal(
                431, "TooLarge", f"the address or a header has over {limits.line:,} bytes", request
            )
        if self.hosts is not None and _name(host) not in self.hosts:
            known = ", ".join(sorted(self.hosts))
            return refusal(
                421, "WrongHost", f"this server is not called {host[:100]!r}; it is: {known}", request
            )
        if origin and not self._is_own(origin, host):
            return refusal(403, "WrongOrigin", f"pages of {origin[:100]} may not call this server", request)
        if scope["method"] == "OPTIONS" and origin in self.origins:
            return Response(status_code=204)
        path = scope["path"]
        if self.keys is None or path in OPEN or path == "/" or path.startswith(PAGE):
            scope["state"]["scope"] = "write"
            return None
        return await self._key_refusal(scope, headers, request, self.keys)

    async def _key_refusal(
        self, scope: Scope, headers: Mapping[str, str], request: str, keys: Keys
    ) -> Response | None:
        given = headers.get("authorization", "")
        secret = given[7:].strip() if given[:7].lower() == "bearer " else ""
        found = await run_in_threadpool(keys.verify, secret) if secret else None
        if found is None:
            client = str((scope.get("client") or ("?",))[0])
            if secret and (wait := self._wrong.take(client)) > 0:
                message = f"too many wrong keys from {client}; wait {wait:.0f} seconds"
                return refusal(429, "TooManyWrongKeys", message, request, {"Retry-After": str(int(wait) + 1)})
            message = "this is no key that is known" if secret else "a key is needed"
            message += ": Authorization: Bearer KEY (asof key add makes one)"
            return refusal(401, "KeyNeeded", message, request, {"WWW-Authenticate": "Bearer"})
        name, key = found
        if (wait := self._buckets.take(name)) > 0:
            message = f"the key {name} has at most {self.limits.rate:g} requests a second"
            return refusal(429, "TooMany", message, request, {"Retry-After": str(int(wait) + 1)})
        scope["state"]["scope"] = key.scope
        return None

    def _is_own(self, origin: str, host: str) -> bool:
        parts = urlsplit(origin)
        return origin in self.origins or (parts.scheme in ("http", "https") and parts.netloc == host)

    def _with_headers(
        self, own: list[tuple[bytes, bytes]], request: str, origin: str
    ) -> list[tuple[bytes, bytes]]:
        there = {name.lower() for name, _ in own}
        added = {**HEADERS, "x-request-id": request}
        if origin in self.origins:
            added |= {
                "access-control-allow-origin": origin, "vary": "Origin",
                "access-control-allow-headers": "authorization, content-type",
                "access-control-allow-methods": "GET, POST, DELETE",
            }  # fmt: skip
        return own + [
            (name.encode(), value.encode("latin-1"))
            for name, value in added.items()
            if name.encode() not in there
        ]

    def _record(self, scope: Scope, status: int, seconds: float, request: str) -> None:
        route: Any = scope.get("route")
        path = getattr(route, "path", "")
        verb = path or "other"
        self.metrics.requests.labels(verb, str(status)).inc()
        self.metrics.seconds.labels(verb).observe(seconds)
        line = {
            "at": iso(environment.now()), "request": request, "method": scope["method"][:20],
            "path": path or scope["path"][:100],
            "status": status, "ms": round(1000 * seconds, 1),
        }  # fmt: skip
        self.log(json.dumps(line))


def _name(host: str) -> str:
    """A host without its port."""
    name, colon, port = host.rpartition(":")
    return (name if colon and port.isdigit() else host).lower()


async def _body(receive: Receive, most: int) -> bytes | None:
    """The body of a request; None if it is larger."""
    body = bytearray()
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return bytes(body)
        body += message.get("body", b"")
        if len(body) > most:
            return None
        if not message.get("more_body"):
            return bytes(body)
