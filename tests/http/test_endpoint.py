"""Asking a server: patience, retries, limits, and a key that nobody sees."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler
from typing import Any

import pytest

from asof.errors import ModelError, UsageError
from asof.extensions.providers.http import Endpoint, Retry

KEY = "sk-Tell-Nobody-42"


@pytest.fixture
def waits() -> list[float]:
    return []


@pytest.fixture
def endpoint(server: Any, waits) -> Callable[..., Endpoint]:
    """An endpoint that notes its waits and sleeps none of them."""

    def make(**options: Any) -> Endpoint:
        patient = {name: options.pop(name) for name in ("attempts", "timeout", "patience") if name in options}
        retry = Retry(**{"timeout": 10.0, **patient}, sleep=waits.append, draw=lambda: 1.0)
        return Endpoint(options.pop("url", server.url), retry=retry, **options)

    return make


BODY = {"query": "mill", "documents": ["the mill"], "top_n": 1}
ANSWER = {"model": "m", "results": [{"index": 0, "relevance_score": 1.0}]}


def test_an_answer_is_json(server, endpoint) -> None:
    asked = {**BODY, "query": 'mill Fähre "\ud800" 渡し船\n\x00'}
    assert endpoint().post(asked) == ANSWER
    path, headers, body = server.seen[0]
    assert (path, body) == ("/rerank", asked)
    assert headers["Content-Type"] == "application/json"
    assert "Authorization" not in headers


@pytest.mark.parametrize("status", [408, 429, 500, 503])
def test_a_failure_that_passes(server, endpoint, waits, status: int) -> None:
    server.replies += [(status, {}, b"busy"), (status, {"Retry-After": "7"}, b"")]
    assert endpoint().post(BODY) == ANSWER
    assert len(server.seen) == 3
    assert waits == [0.5, 7.0]


def test_a_wait_beyond_patience_is_not_waited(server, endpoint, waits) -> None:
    server.replies += [(429, {"Retry-After": "3600"}, b"")] * 3
    with pytest.raises(ModelError, match=r"status 429; it asks for a wait of 3600 s \(1 attempt\)$"):
        endpoint().post(BODY)
    assert waits == []


@pytest.mark.parametrize(
    ("status", "told"),
    [
        (400, "status 400, 'no'$"),
        (401, "status 401, 'no'; check the key"),
        (403, "status 403, 'no'; check the key"),
        (404, "status 404, 'no'; check the address and the model's name"),
        (413, "status 413, 'no'; rerank fewer texts"),
        (204, "status 204$"),
    ],
)
def test_a_refusal_is_final(server, endpoint, waits, status: int, told: str) -> None:
    server.replies.append((status, {}, b"" if status == 204 else b"no"))
    with pytest.raises(ModelError, match=told):
        endpoint(remedies={413: "rerank fewer texts"}).post(BODY)
    assert len(server.seen) == 1
    assert waits == []


@pytest.mark.parametrize("status", [301, 307])
def test_redirects_are_not_followed(server, endpoint, status: int) -> None:
    elsewhere = server.url.replace("/rerank", "/elsewhere")
    server.replies.append((status, {"Location": elsewhere}, b""))
    with pytest.raises(ModelError, match=f"it redirects to '{elsewhere}', which is not followed; set"):
        endpoint(key=KEY).post(BODY)
    assert [path for path, _, _ in server.seen] == ["/rerank"]


@pytest.mark.parametrize(
    "said",
    [b"<html>Login</html>", b"", b'{"a": [', b'{"a": NaN}', b"\xff\xfe", b"[" * 100_000, b"9" * 5_000],
    ids=["html", "nothing", "cut", "nan", "bytes", "deep", "digits"],
)  # fmt: skip
def test_what_is_no_json(server, endpoint, said: bytes) -> None:
    server.replies.append((200, {}, said))
    with pytest.raises(ModelError, match="the answer is not JSON") as raised:
        endpoint().post(BODY)
    assert len(str(raised.value)) < 300
    assert len(server.seen) == 1


def test_a_chunked_answer(server, endpoint) -> None:
    def chunked(end: bytes) -> Callable[[BaseHTTPRequestHandler], None]:
        def reply(handler: BaseHTTPRequestHandler) -> None:
            handler.protocol_version = "HTTP/1.1"
            handler.send_response(200)
            handler.send_header("Transfer-Encoding", "chunked")
            handler.end_headers()
            handler.wfile.write(b'6\r\n{"a": \r\n2\r\n1}\r\n' + end)
            handler.close_connection = True

        return reply

    server.replies += [chunked(b"9\r\nlost"), chunked(b"0\r\n\r\n")]
    assert endpoint().post(BODY) == {"a": 1}
    assert len(server.seen) == 2
    server.replies += [(200, {"Content-Length": "1000"}, b'{"results": []}'), chunked(b"-5\r\nno")]
    with pytest.raises(ModelError, match=r"the answer was cut off \(2 attempts\)"):
        endpoint(attempts=2).post(BODY)


def test_an_answer_that_is_too_large(server, endpoint) -> None:
    def endless(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.end_headers()
        while True:  # until the client hangs up
            handler.wfile.write(b" " * 10_000)

    server.replies += [(200, {}, b" " * 1_001), (200, {"Content-Length": "9999"}, b"{}"), endless]
    for _ in range(3):
        with pytest.raises(ModelError, match="the answer has more than 1,000 bytes"):
            endpoint(largest=1_000).post(BODY)
    server.replies.append((200, {}, b" " * 998 + b"{}"))
    assert endpoint(largest=1_000).post(BODY) == {}


@pytest.fixture
def listening() -> Iterator[tuple[socket.socket, str]]:
    """A port on which nothing speaks HTTP."""
    with socket.create_server(("127.0.0.1", 0)) as port:
        port.settimeout(10)
        yield port, f"http://127.0.0.1:{port.getsockname()[1]}/"


def test_a_port_where_nobody_is(listening: tuple[socket.socket, str], endpoint, waits) -> None:
    port, url = listening
    port.close()
    with pytest.raises(
        ModelError, match=r"the connection failed: .*refused.* \(3 attempts\); check url in asof"
    ):
        endpoint(url=url).post(BODY)
    assert len(waits) == 2


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (b"SSH-2.0-OpenSSH\r\n\r\n", r"this is no HTTP server \(BadStatusLine\)"),
        (b"", r"the connection failed: .+ \(1 attempt\)"),
    ],
)
def test_what_is_no_web_server(
    listening: tuple[socket.socket, str], endpoint, said: bytes, told: str
) -> None:
    port, url = listening

    def speak() -> None:
        caller, _ = port.accept()
        with caller:
            caller.recv(65_536)
            caller.sendall(said)

    thread = threading.Thread(target=speak)
    thread.start()
    with pytest.raises(ModelError, match=told):
        endpoint(url=url, attempts=1).post(BODY)
    thread.join()


# -- the key ----------------------------------------------------------------------------------------


def test_the_key_is_sent_and_never_shown(server, endpoint) -> None:
    with_key = endpoint(key=KEY)
    with_key.post(BODY)
    assert server.seen[0][1]["Authorization"] == f"Bearer {KEY}"
    assert KEY not in repr(with_key) + str(with_key)


@pytest.mark.parametrize("status", [200, 302, 401, 500])
def test_a_server_that_repeats_the_key(server, endpoint, status: int) -> None:
    server.replies += [(status, {"Location": f"/?key={KEY}"}, f"wrong key {KEY}, sorry {KEY}".encode())] * 2
    with pytest.raises(ModelError) as raised:
        endpoint(key=KEY, attempts=2).post(BODY)
    error: BaseException | None = raised.value
    while error is not None:
        assert KEY not in f"{error} {error!r}"
        error = error.__cause__ or error.__context__
    assert "(the key)" in str(raised.value)


@pytest.mark.parametrize("key", ["", "two words", "line\nX-Other: 1", "schlüssel", "tab\t"])
def test_keys_that_are_none(key: str) -> None:
    with pytest.raises(UsageError) as raised:
        Endpoint("http://localhost/", key)
    assert str(raised.value) == "the key for http://localhost/ is empty, or has characters that no key has"


def test_a_query_in_the_address_is_sent_and_not_shown(server, endpoint) -> None:
    server.replies.append((404, {}, b""))
    with pytest.raises(ModelError) as raised:
        endpoint(url=f"{server.url}?token={KEY}#top").post(BODY)
    assert KEY not in str(raised.value)
    assert server.seen[0][0] == f"/rerank?token={KEY}"


@pytest.mark.parametrize(
    "url",
    ["", "localhost:8080/rerank", "file:///etc/passwd", "ftp://host/", "http://", "http:///rerank", "http://h:x/",
     "http://h:99999/", "http://h:0/", "http://[::1/", "http://h/a b", "http://h/\r\nX: 1", "HTTP//h/"],
)  # fmt: skip
def test_addresses_that_are_none(url: str) -> None:
    with pytest.raises(UsageError, match=r"url is .*; accepted: http://host:port/path, https://"):
        Endpoint(url)


@pytest.mark.parametrize(
    "host", ["h", "10.0.0.1", "127.0.0.1.evil.example", "0x7f.1", "[::2]", "localhost.x"]
)
def test_plain_http_to_another_machine_is_refused_unless_it_is_said_to_be_meant(host: str) -> None:
    with pytest.raises(
        UsageError, match=r"is plain http to another machine, .* accepted: https, or insecure"
    ):
        Endpoint(f"http://{host}/rerank", KEY)
    assert Endpoint(f"http://{host}/rerank", KEY, insecure=True).url == f"http://{host}/rerank"
    assert Endpoint(f"https://{host}/rerank", KEY).key == KEY
    for here in ("localhost", "LOCALHOST:80", "127.0.0.1:9", "[::1]:9", "127.8.9.1"):
        assert not Endpoint(f"http://{here}/rerank", KEY).insecure


@pytest.mark.parametrize(
    "url", [f"http://me:{KEY}@h/", f"http://{KEY}@h/", f"http://me:{KEY}/x@h/", f"http://me:{KEY}?x@h/"]
)
def test_a_password_in_the_address_is_refused_and_not_shown(url: str) -> None:
    with pytest.raises(UsageError) as raised:
        Endpoint(url)
    assert KEY not in str(raised.value)
