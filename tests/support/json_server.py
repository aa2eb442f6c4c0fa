"""A server on this machine that reranks by counting words, unless it is told what to say."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

Reply = tuple[int, dict[str, str], bytes]


def shared_words(question: str, text: str) -> float:
    return float(len(set(question.lower().split()) & set(text.lower().split())))


def answer(body: dict[str, Any] | None) -> Reply:
    """What a reranker says, best first; "well" to a GET."""
    if body is None:
        return 200, {}, b"well"
    scores = [shared_words(body["query"], text) for text in body["documents"]]
    rows = [{"index": at, "relevance_score": score} for at, score in enumerate(scores)]
    rows.sort(key=lambda row: -row["relevance_score"])
    return 200, {}, json.dumps({"model": "m", "results": rows}).encode()


def drips(first: bytes) -> Callable[[BaseHTTPRequestHandler], None]:
    """Says this, and then a byte now and then, without an end."""

    def reply(handler: BaseHTTPRequestHandler) -> None:
        handler.wfile.write(first)
        for _ in range(500):
            handler.wfile.write(b" ")
            time.sleep(0.02)

    return reply


@dataclass
class Server:
    """`replies` are used up, one a request; then it answers. `seen`: path, headers and body of each."""

    url: str
    replies: list[Reply | Callable[[BaseHTTPRequestHandler], None]] = field(default_factory=list)
    seen: list[tuple[str, dict[str, str], Any]] = field(default_factory=list)


@pytest.fixture
def server() -> Iterator[Server]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.reply(None)

        def do_POST(self) -> None:
            self.reply(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))

        def reply(self, body: Any) -> None:
            there.seen.append((self.path, dict(self.headers), body))
            reply = there.replies.pop(0) if there.replies else answer(body)
            if callable(reply):
                reply(self)
                return
            status, headers, said = reply
            self.send_response_only(status)  # without a Date of its own
            for name, value in {"Content-Length": str(len(said)), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(said)

        def log_message(self, *args: object) -> None:
            """Nothing: the terminal is the tests'."""

    class Quiet(ThreadingHTTPServer):
        def handle_error(self, *args: object) -> None:
            """A client that hung up is what some tests are about."""

    with Quiet(("127.0.0.1", 0), Handler) as http:
        there = Server(f"http://127.0.0.1:{http.server_address[1]}/rerank")
        thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield there
        http.shutdown()
        thread.join()
