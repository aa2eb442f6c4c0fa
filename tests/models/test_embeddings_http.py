"""An encoder behind HTTP: what is sent, what is read, and every answer that is refused."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import replace
from http.server import BaseHTTPRequestHandler
from typing import Any

import numpy as np
import pytest

from asof.errors import ModelError, UsageError
from asof.http import Retry
from asof.models.encoders import HttpEncoder, embeddings_endpoint

KEY = "sk-Tell-Nobody-42"
TEXTS = ["mill", "ferries", "fog"]


def numbers(text: str) -> list[float]:
    """A vector of a text: its length, how many of its letters are e, and 1."""
    return [float(len(text)), float(text.count("e")), 1.0]


def said(vectors: list[Any], order: list[int] | None = None) -> bytes:
    rows = [{"object": "embedding", "index": at, "embedding": vector} for at, vector in enumerate(vectors)]
    rows = rows if order is None else [rows[at] for at in order]
    return json.dumps({"object": "list", "data": rows, "model": "m", "usage": {"prompt_tokens": 3}}).encode()


def embeds(handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
    answer = said([numbers(text) for text in body["input"]])
    handler.send_response(200)
    handler.send_header("Content-Length", str(len(answer)))
    handler.end_headers()
    handler.wfile.write(answer)


@pytest.fixture
def waits() -> list[float]:
    return []


@pytest.fixture
def encoder(server: Any, waits: list[float]) -> Callable[..., HttpEncoder]:
    """An encoder of the server, which answers each request that `server.replies` has nothing for."""
    base = server.url.removesuffix("/rerank") + "/v1"

    def answers(handler: BaseHTTPRequestHandler) -> None:
        if not server.replies:
            server.replies.append(answers)
        embeds(handler, server.seen[-1][2])

    server.replies.append(answers)

    def make(*replies: Any, key: str | None = None, **options: Any) -> HttpEncoder:
        server.replies[:0] = replies
        endpoint = embeddings_endpoint(base, key, Retry(3, sleep=waits.append, draw=lambda: 0.5))
        return HttpEncoder(endpoint, **{"model": "m", **options})

    return make


Make = Callable[..., HttpEncoder]


def test_vectors_of_unit_length_in_the_order_of_the_texts(server: Any, encoder: Make) -> None:
    found = encoder((200, {}, said([numbers(text) for text in TEXTS], [2, 0, 1]))).encode(TEXTS)
    # mill (4, 0, 1) / √17; ferries (7, 2, 1) / √54; fog (3, 0, 1) / √10
    expected = np.array([[4, 0, 1], [7, 2, 1], [3, 0, 1]]) / np.sqrt([[17], [54], [10]])
    assert found.dtype == np.float32
    assert np.allclose(found, expected, atol=1e-7)
    path, headers, body = server.seen[0]
    assert path == "/v1/embeddings"
    assert body == {"model": "m", "input": TEXTS, "encoding_format": "float"}
    assert "Authorization" not in headers


def test_the_key_goes_into_one_header(server: Any, encoder: Make) -> None:
    made = encoder(key=KEY, dimensions=3)
    made.encode(["mill"])
    assert server.seen[0][1]["Authorization"] == f"Bearer {KEY}"
    assert server.seen[0][2]["dimensions"] == 3
    assert KEY not in repr(made) + made.name


def test_batches(server: Any, encoder: Make) -> None:
    texts = [f"text {'e' * at}" for at in range(7)]
    made = encoder(batch=3)
    assert (made.encode(texts) == encoder().encode(texts)).all()
    assert [len(body["input"]) for _, _, body in server.seen] == [3, 3, 1, 7]
    assert made.encode([]).shape == (0, 3)
    assert len(server.seen) == 4, "nobody was asked"


def test_questions_and_passages_are_told_apart(server: Any, encoder: Make) -> None:
    made = encoder(model="nomic-embed-text:v1.5")
    made.encode(["fog"])
    made.encode(["fog"], question=True)
    encoder(model="nomic-embed-text", query_prefix="", passage_prefix="P: ").encode(["fog"])
    assert [body["input"] for _, _, body in server.seen] == [
        ["search_document: fog"], ["search_query: fog"], ["P: fog"],
    ]  # fmt: skip


def test_blank_texts_are_not_sent(server: Any, encoder: Make) -> None:
    made = encoder()
    assert made.encode([" ", ""]).tolist() == [[0, 0, 0], [0, 0, 0]]
    assert made.encode(["", "mill"])[0].tolist() == [0, 0, 0]
    assert [body["input"] for _, _, body in server.seen] == [["."], ["mill"]]


def test_the_name_says_what_the_vectors_are_a_function_of(server: Any, encoder: Make) -> None:
    where = server.url.removesuffix("/rerank") + "/v1"
    assert encoder().name == f"m at {where}"
    assert encoder(model="e5-small", dimensions=64).name == (
        f"e5-small at {where} 64d (query 'query: ', passage 'passage: ')"
    )
    assert encoder(model="e5-small", query_prefix="", passage_prefix="").name == f"e5-small at {where}"


# -- failures that pass ---------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [429, 500, 502, 503])
def test_a_failure_that_passes(encoder: Make, waits: list[float], status: int) -> None:
    made = encoder((status, {}, b"busy"), (status, {"Retry-After": "7"}, b""))
    assert made.encode(["mill"]).shape == (1, 3)
    assert waits == [0.25, 7.0]  # .5 drawn of .5 s, then what the server asks


def test_a_failure_that_stays(encoder: Make, waits: list[float]) -> None:
    with pytest.raises(ModelError, match=r"/v1/embeddings: status 500, 'no memory' \(3 attempts\)"):
        encoder(*[(500, {}, b"no memory")] * 3).encode(["mill"])
    assert len(waits) == 2


def test_half_a_body(encoder: Make) -> None:
    def half(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Length", "1000")
        handler.end_headers()
        handler.wfile.write(b'{"data": [')
        handler.close_connection = True

    assert encoder(half).encode(["mill"]).shape == (1, 3), "asked again"
    with pytest.raises(ModelError, match=r"the answer was cut off \(3 attempts\)"):
        encoder(half, half, half).encode(["mill"])


def test_a_refusal_by_the_drop(encoder: Make) -> None:
    """Each byte comes in time, but the time is for the whole of it."""

    def drops(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(400)
        handler.send_header("Content-Length", "1000")
        handler.end_headers()
        for _ in range(1_000):
            handler.wfile.write(b" ")
            time.sleep(0.02)

    with pytest.raises(ModelError, match=r"no answer within 0\.2 s"):
        HttpEncoder(replace(encoder(drops).endpoint, retry=Retry(1, 0.2)), "m").encode(["mill"])


# -- answers that are refused ---------------------------------------------------------------------------

ROW = {"index": 0, "embedding": [1.0, 2.0]}


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ({"data": [ROW]}, "2 texts were sent, 1 vectors came back"),
        ({"data": [ROW, ROW]}, "two vectors have the index 0"),
        ({"data": [ROW, {**ROW, "index": 2}]}, "the index 2; 0 to 1 was expected"),
        ({"data": [ROW, {**ROW, "index": True}]}, "the index True; 0 to 1 was expected"),
        ({"data": [ROW, {"embedding": [1.0, 2.0]}]}, "the index None"),
        ({"data": [ROW, {"index": 1, "embedding": [1.0, 2.0, 3.0]}]}, "has 3 dimensions; 2 were expected"),
        ({"data": [ROW, {"index": 1, "embedding": []}]}, "no list `embedding`"),
        (
            {"data": [ROW, {"index": 1, "embedding": "gD8AAABA"}]},
            "no list `embedding`; a server that gives fl",
        ),
        ({"data": [ROW, {"index": 1, "embedding": [1.0, None]}]}, "something that is no number"),
        ({"data": [ROW, {"index": 1, "embedding": [True, 1.0]}]}, "something that is no number"),
        ({"data": [ROW, {"index": 1, "embedding": [10**400, 1.0]}]}, "a number that is not finite"),
        ({"data": [ROW, {"index": 1, "embedding": [0.0, 0.0]}]}, "a vector without a direction"),
        ({"data": [ROW, 7]}, "the index None"),
        ({"error": "no"}, "no list `data`; is this the address of an embeddings server"),
        ([ROW, ROW], "no list `data`"),
    ],
)
def test_answers_that_are_none(encoder: Make, answer: Any, message: str) -> None:
    with pytest.raises(ModelError) as refused:
        encoder((200, {}, json.dumps(answer).encode())).encode(["mill", "fog"])
    assert message in str(refused.value)
    assert "/v1/embeddings: " in str(refused.value) or "direction" in message


@pytest.mark.parametrize("text", [b'{"data": [{"index": 0, "embedding": [NaN]}]}', b"<html>", b"[" * 100_000])
def test_no_json(encoder: Make, text: bytes) -> None:
    with pytest.raises(ModelError, match="the answer is not JSON"):
        encoder((200, {}, text)).encode(["mill"])


def test_dimensions_stay_what_they_are(encoder: Make) -> None:
    made = encoder()
    made.encode(["mill"])
    other = encoder((200, {}, said([[1.0, 2.0]])))
    other._d = made._d
    with pytest.raises(ModelError, match="has 2 dimensions; 3 were expected"):
        other.encode(["mill"])


def test_too_large_an_answer(server: Any, encoder: Make) -> None:
    made = encoder((200, {"Content-Length": "70000000"}, b"{"))
    with pytest.raises(ModelError, match="more than 64,000,000 bytes"):
        made.encode(["mill"])


@pytest.mark.parametrize(
    ("status", "remedy"),
    [(400, "a text may be too long"), (413, "send fewer texts"), (401, "check the key"), (404, "the model")],
)
def test_what_to_do_about_a_refusal(encoder: Make, status: int, remedy: str) -> None:
    with pytest.raises(ModelError) as refused:
        encoder((status, {}, f"no: {KEY}".encode()), key=KEY).encode(["mill"])
    assert remedy in str(refused.value)
    assert "(the key)" in str(refused.value)
    assert KEY not in str(refused.value)


@pytest.mark.parametrize(
    "url", ["http://h/v1/embeddings", "http://h/v1?x=1", "file:///etc", "http://u:p@h/v1"]
)
def test_addresses_that_are_refused(url: str) -> None:
    with pytest.raises(UsageError, match=r"^url "):
        embeddings_endpoint(url)
