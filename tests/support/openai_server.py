"""A server on this machine that speaks as OpenAI's does, and does what a test wants of it.

    with ModelServer() as server:
        server.ways += [status(500), half]      # the next two requests; then it answers
        ...
        assert server.answered == 3

Its reply is what `says` gives for the request's body: by default the last line of the user's words. Its
tokens are words. It counts what it has answered in full (`answered`, `prompt_tokens`, `reply_tokens`, and
`prompts`: the user's words of each), and remembers every request.
"""

from __future__ import annotations

import json
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any, NamedTuple

from tests.support.local_server import LocalServer, send


class Request(NamedTuple):
    """What came: where, with which headers, and what."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]

    @property
    def user(self) -> str:
        return str(self.body["messages"][-1]["content"])


def last_line(body: dict[str, Any]) -> str:
    """The last line of the user's words."""
    return str(body["messages"][-1]["content"]).rstrip().rpartition("\n")[2]


@dataclass
class ModelServer(LocalServer):
    """`ways` are used up, one a request; then each goes `way`. `says`: the reply to a request."""

    protocol = "HTTP/1.1"
    says: Callable[[dict[str, Any]], str] = last_line
    way: Way | None = None
    ways: list[Way] = field(default_factory=list)
    requests: list[Request] = field(default_factory=list)
    prompts: Counter[str] = field(default_factory=Counter)
    prompt_tokens: int = 0
    reply_tokens: int = 0
    finish: str = "stop"
    most_at_once: int = 0
    _at_once: int = 0
    _waiting: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def url(self) -> str:
        return f"{self.origin}/v1"

    @property
    def answered(self) -> int:
        return self.prompts.total()

    @property
    def busy(self) -> bool:
        """Whether a request is under way."""
        return self._at_once > 0

    def serve(self, handler: BaseHTTPRequestHandler, body: bytes) -> None:
        request = Request(handler.path, dict(handler.headers), json.loads(body or b"{}"))
        with self._lock:
            self.requests.append(request)
            way = self.ways.pop(0) if self.ways else self.way
            self._at_once += 1
        try:
            (way or good)(self, handler, request)
        finally:
            with self._lock:
                self._at_once -= 1

    def count(self, request: Request, reply: str) -> None:
        """Note an answer that is sent in full."""
        with self._lock:
            self.prompts[request.user] += 1
            self.prompt_tokens += prompt_words(request)
            self.reply_tokens += len(reply.split())


Way = Callable[[ModelServer, BaseHTTPRequestHandler, Request], None]


def prompt_words(request: Request) -> int:
    """The tokens of a request, as this server counts them."""
    return sum(len(each["content"].split()) for each in request.body["messages"])


def completion(request: Request, reply: str, finish: str = "stop") -> dict[str, Any]:
    """A chat completion that says `reply`."""
    usage = {"prompt_tokens": prompt_words(request), "completion_tokens": len(reply.split())}
    message = {"role": "assistant", "content": reply}
    return {
        "id": "1", "object": "chat.completion", "model": request.body.get("model", ""), "usage": usage,
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
    }  # fmt: skip


def good(server: ModelServer, handler: BaseHTTPRequestHandler, request: Request) -> None:
    """An answer, in pieces where a stream is wanted."""
    says(server.says(request.body))(server, handler, request)


def says(reply: str, finish: str = "") -> Way:
    """An answer of these words."""

    def way(server: ModelServer, handler: BaseHTTPRequestHandler, request: Request) -> None:
        end = finish or server.finish
        server.count(request, reply)  # before: a client that has the answer may look at the count at once
        if request.body.get("stream"):
            stream(handler, reply, end)
        else:
            send(handler, 200, json.dumps(completion(request, reply, end)).encode(), {})

    return way


def slow(seconds: float, then: Way = good) -> Way:
    """An answer that takes its time, in which it counts as under way: who has it may ask again at once."""

    def way(server: ModelServer, handler: BaseHTTPRequestHandler, request: Request) -> None:
        with server._lock:
            server._waiting += 1
            server.most_at_once = max(server.most_at_once, server._waiting)
        time.sleep(seconds)
        with server._lock:
            server._waiting -= 1
        then(server, handler, request)

    return way


def status(code: int, said: str = "", **headers: str) -> Way:
    """An answer of this status; headers as keywords (Retry_After="7")."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda _server, handler, _request: send(handler, code, said.encode(), named)


def raw(said: bytes, **headers: str) -> Way:
    """An answer of status 200 with these bytes."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda _server, handler, _request: send(handler, 200, said, named)


def chunked(said: bytes) -> Way:
    """An answer of status 200 with these bytes, whose number is not told before."""

    def way(server: ModelServer, handler: BaseHTTPRequestHandler, request: Request) -> None:
        handler.send_response(200)
        handler.send_header("Transfer-Encoding", "chunked")
        handler.end_headers()
        _piece(handler, said)
        _piece(handler, b"")

    return way


def half(server: ModelServer, handler: BaseHTTPRequestHandler, request: Request) -> None:
    """Half an answer, then nothing: the connection is closed."""
    handler.close_connection = True
    reply = server.says(request.body)
    if request.body.get("stream"):
        stream(handler, reply, None)
        return
    said = json.dumps(completion(request, reply)).encode()
    send(handler, 200, said[: len(said) // 2], {"Content-Length": str(len(said))})


def hang_up(server: ModelServer, handler: BaseHTTPRequestHandler, request: Request) -> None:
    """No answer at all: the connection is closed."""
    handler.close_connection = True


def drops(server: ModelServer, handler: BaseHTTPRequestHandler, request: Request) -> None:
    """An answer of which each byte comes in time."""
    handler.send_response(200)
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    for _ in range(1_000):
        handler.wfile.write(b" ")
        time.sleep(0.02)


def stream(handler: BaseHTTPRequestHandler, reply: str, finish: str | None) -> None:
    """The reply word by word, as events; broken off after half of the words where it has no `finish`."""
    handler.send_response(200)
    handler.send_header("Content-Type", "text/event-stream")
    handler.send_header("Transfer-Encoding", "chunked")
    handler.end_headers()
    words = [word if not at else f" {word}" for at, word in enumerate(reply.split(" "))]
    told = words if finish is not None else words[: len(words) // 2]
    for word in told:
        _chunk(handler, {"choices": [{"index": 0, "delta": {"content": word}, "finish_reason": None}]})
    if finish is not None:
        _chunk(handler, {"choices": [{"index": 0, "delta": {}, "finish_reason": finish}]})
        _piece(handler, b"data: [DONE]\n\n")
        _piece(handler, b"")


def _chunk(handler: BaseHTTPRequestHandler, event: dict[str, Any]) -> None:
    _piece(handler, f"data: {json.dumps(event)}\n\n".encode())


def _piece(handler: BaseHTTPRequestHandler, said: bytes) -> None:
    handler.wfile.write(b"%x\r\n%s\r\n" % (len(said), said))
    handler.wfile.flush()
