"""What stands before every request: its address, its key, its size, how many there are; and the log."""

from __future__ import annotations

import asyncio
import json
import secrets
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from asof import environment
from asof.errors import AsofError
from asof.serve import headers as h
from asof.serve.exchange import Bodies, BodiesTooLarge, BodyTooLarge, Gone, Reply, replayed
from asof.serve.keys import Keys
from asof.serve.lanes import Lanes, writes
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


@dataclass(slots=True)
class Guard:
    """An ASGI application around another one.

    `hosts`: names under which the server may be called (checked against DNS rebinding); None: any. `origins`:
    other sites whose pages may call it. `keys`: None where none is needed. `model`: questions are answered
    by a language model. `log`: gets one line of JSON for each request.
    """

    app: ASGIApp
    metrics: Metrics
    hosts: frozenset[str] | None = LOOPBACK
    origins: frozenset[str] = frozenset()
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
        given, twice = h.given(scope["headers"])
        allowed = origin if (origin := given.get("origin", "")) in self.origins else ""

        async def sending(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = h.completed(message["headers"], request, allowed)
            await send(message)

        try:
            reply = await self._refusal(scope, given, twice, request)
            if reply is not None:
                await reply(scope, receive, sending)
            else:
                await self._with_body(scope, receive, sending, request)
        except Gone:
            pass  # nobody reads a reply: uvicorn closes the connection
        finally:
            self._record(scope, status, time.perf_counter() - started, request)

    async def _with_body(self, scope: Scope, receive: Receive, send: Send, request: str) -> None:
        """Hand a request on when its body is there; what a slow client sends is waited for before."""
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
        reply = Reply(send, self.limits.patience)

        async def work() -> None:
            async with nullcontext() if at_once else self._lanes.turn(scope["method"], scope["path"]):
                await self.app(scope, receive, reply.put)

        await reply.made_by(work())

    @staticmethod
    def _overloaded(request: str) -> Response:
        message = "too many requests at once; try again"
        return refusal(503, "Overloaded", message, request, {"Retry-After": "1"})

    async def _refusal(
        self, scope: Scope, given: Mapping[str, str], twice: str, request: str
    ) -> Response | None:
        """Why a request is not handed on; None if it is."""
        limits, host, origin = self.limits, given.get("host", ""), given.get("origin", "")
        address = len(scope.get("raw_path") or b"") + len(scope["query_string"])
        if len(scope["headers"]) > limits.headers:
            return refusal(431, "TooLarge", f"there are over {limits.headers} headers", request)
        if address > limits.line or h.longest(scope["headers"]) > limits.line:
            return refusal(
                431, "TooLarge", f"the address or a header has over {limits.line:,} bytes", request
            )
        if twice:
            return refusal(400, "BadRequest", f"the header {twice} stands there twice", request)
        if self.hosts is not None and h.host_name(host) not in self.hosts:
            known = ", ".join(sorted(self.hosts))
            return refusal(
                421, "WrongHost", f"this server is not called {host[:100]!r}; it is: {known}", request
            )
        if origin and origin not in self.origins and not h.is_own(origin, host):
            return refusal(403, "WrongOrigin", f"pages of {origin[:100]} may not call this server", request)
        if scope["method"] == "OPTIONS" and origin in self.origins:
            return Response(status_code=204)
        return await self._key_refusal(scope, given, request)

    async def _key_refusal(self, scope: Scope, given: Mapping[str, str], request: str) -> Response | None:
        """Why a key is not accepted, or may not do this; None if none is needed or it may."""
        path, keys = scope["path"], self.keys
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
