"""A server on this machine that reranks by counting words, unless it is told what to say."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any

import pytest
from tests.support.local_server import LocalServer, write

Reply = tuple[int, dict[str, str], bytes]


def shared_words(question: str, text: str) -> float:
    return float(len(set(question.lower().split()) & set(text.lower().split())))


def reranked(body: dict[str, Any] | None) -> Reply:
    """What a reranker says, best first; "well" to a GET."""
    if body is None:
        return 200, {}, b"well"
    scores = [shared_words(body["query"], text) for text in body["documents"]]
    rows = [{"index": at, "relevance_score": score} for at, score in enumerate(scores)]
    rows.sort(key=lambda row: -row["relevance_score"])
    return 200, {}, json.dumps({"model": "m", "results": rows}).encode()


@dataclass
class Server(LocalServer):
    """`replies` are used up, one a request; then it answers. `seen`: path, headers and body of each."""

    url: str = ""
    replies: list[Reply | Callable[[BaseHTTPRequestHandler], None]] = field(default_factory=list)
    seen: list[tuple[str, dict[str, str], Any]] = field(default_factory=list)

    def serve(self, handler: BaseHTTPRequestHandler, body: bytes) -> None:
        asked = json.loads(body) if body else None
        self.seen.append((handler.path, dict(handler.headers), asked))
        reply = self.replies.pop(0) if self.replies else reranked(asked)
        if callable(reply):
            reply(handler)
            return
        status, headers, said = reply
        handler.send_response_only(status)  # without a Date of its own
        write(handler, said, headers)


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as there:
        there.url = f"{there.origin}/rerank"
        yield there
