"""Servers that say something in time, each time, and never come to an end; and what their words become."""

from __future__ import annotations

import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from http.client import IncompleteRead

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asof.extensions.providers.http import TimedConnection, first_bytes, one_line, retry_after

SECONDS = 0.2
GENEROUS = 3.0
"""Seconds: servers go on for three times as long, and hang up then, which is no TimeoutError."""

Speak = Callable[[socket.socket], None]
OK = b"HTTP/1.1 200 OK\r\n"
WELL = b"\r\nwell"
CHUNKS = OK + b"Transfer-Encoding: chunked\r\n\r\n"


def drips(first: bytes, drop: bytes) -> Speak:
    """Says `first`, then `drop` over and over, for three times as long as is generous."""

    def speak(caller: socket.socket) -> None:
        caller.recv(65_536)
        caller.sendall(first)
        for _ in range(int(3 * GENEROUS / 0.02)):
            caller.sendall(drop)
            time.sleep(0.02)

    return speak


def says(words: bytes) -> Speak:
    def speak(caller: socket.socket) -> None:
        caller.recv(65_536)
        caller.sendall(words)

    return speak


def anonymous(protocol: int) -> ssl.SSLContext:
    """Secure connections without certificates, so that no key has to lie here."""
    context = ssl.SSLContext(protocol)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    context.maximum_version = ssl.TLSVersion.TLSv1_2
    context.set_ciphers("aNULL:@SECLEVEL=0")
    return context


@pytest.fixture
def serving() -> Iterator[Callable[..., int]]:
    """Starts a server that speaks so to its one caller; gives its port. With `secure`, by TLS."""
    begun: list[tuple[socket.socket, threading.Thread]] = []

    def start(speak: Speak, secure: bool = False) -> int:
        there = socket.create_server(("127.0.0.1", 0))
        there.settimeout(10)

        def serve() -> None:
            try:
                caller, _ = there.accept()
                with caller:
                    if secure:
                        caller = anonymous(ssl.PROTOCOL_TLS_SERVER).wrap_socket(caller, server_side=True)
                    with caller:
                        speak(caller)
            except OSError:  # the caller hung up, which is what these tests are about, or never came
                pass

        thread = threading.Thread(target=serve)
        thread.start()
        begun.append((there, thread))
        return int(there.getsockname()[1])

    yield start
    for there, thread in begun:
        thread.join()
        there.close()


def asked(url: str, seconds: float = SECONDS, most: int = 10_000, body: bytes | None = None) -> bytes:
    connection = TimedConnection(url, seconds)
    try:
        connection.request("POST", "/", body)
        with connection.getresponse() as response:
            return first_bytes(response, most)
    finally:
        connection.close()


ENDLESS = {
    "status line": (b"", b"H"),
    "headers": (OK + b"X: ", b"a"),
    "100 Continue": (b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
    "a chunk's size": (CHUNKS + b"5;", b"a"),
    "chunks": (CHUNKS, b"1\r\na\r\n"),
    "trailers": (CHUNKS + b"0\r\n", b"X: y\r\n"),
    "body": (OK + b"\r\n", b"a"),
    "announced body": (OK + b"Connection: close\r\nContent-Length: 9999\r\n\r\n", b"a"),
    "handshake": (b"\x16\x03\x03\x40\x00", b"\x00"),  # a record of 16,384 bytes
    "error body": (b"HTTP/1.1 503 Busy\r\nContent-Length: 9999\r\n\r\n", b"a"),
}


@pytest.mark.parametrize(
    ("where", "secure"),
    [(where, secure) for where in ENDLESS for secure in (False, True) if secure or where != "handshake"],
)
def test_a_server_that_drips(
    serving: Callable[..., int], monkeypatch: pytest.MonkeyPatch, where: str, secure: bool
) -> None:
    monkeypatch.setattr(ssl, "create_default_context", lambda: anonymous(ssl.PROTOCOL_TLS_CLIENT))
    port = serving(drips(*ENDLESS[where]), secure and where != "handshake")
    with pytest.raises(TimeoutError):
        asked(f"http{'s' * secure}://127.0.0.1:{port}/")


def test_a_server_that_does_not_listen(serving: Callable[..., int]) -> None:
    """What is sent fills the buffers between the two, and is then not taken."""
    hold = threading.Event()

    def ignore(caller: socket.socket) -> None:
        hold.wait(3 * GENEROUS)

    port = serving(ignore)
    try:
        with pytest.raises(TimeoutError):
            asked(f"http://127.0.0.1:{port}/", body=bytes(30_000_000))
    finally:
        hold.set()


@pytest.mark.parametrize("secure", [False, True], ids=["http", "https"])
@pytest.mark.parametrize(
    "answer",
    [
        OK + b"Content-Length: 4\r\n\r\nwell",
        OK + b"Connection: close\r\n\r\nwell",
        b"HTTP/1.1 100 Continue\r\n\r\n" + CHUNKS + b"3\r\nwel\r\n1;x=y\r\nl\r\n0\r\nX: y\r\n\r\n",
        b"HTTP/1.0 404 No\r\n\r\nwell",
        OK + b"Content-Length: 9\r\n\r\nwell",  # fewer than announced
    ],
)
def test_what_is_said_in_time(
    serving: Callable[..., int], monkeypatch: pytest.MonkeyPatch, answer: bytes, secure: bool
) -> None:
    monkeypatch.setattr(ssl, "create_default_context", lambda: anonymous(ssl.PROTOCOL_TLS_CLIENT))
    port = serving(says(answer), secure)
    assert asked(f"http{'s' * secure}://127.0.0.1:{port}/", 30.0) == b"well"


@pytest.mark.parametrize("size", [b"-1", b"-5", b"9", b"x"])
def test_chunks_of_sizes_that_are_none(serving: Callable[..., int], size: bytes) -> None:
    """They are an error, or read no further than is wanted."""
    with pytest.raises(IncompleteRead):
        asked(f"http://127.0.0.1:{serving(says(CHUNKS + size + WELL))}/", 30.0)
    if size.startswith(b"-"):
        port = serving(says(CHUNKS + size + b"\r\n" + b"a" * 100_000))
        assert asked(f"http://127.0.0.1:{port}/", 30.0, most=10_000) == b"a" * 10_000


@pytest.mark.parametrize(
    ("headers", "wait"),
    [
        ({"Retry-After": "7"}, 7.0),
        ({"Retry-After": " 0.25 "}, 0.25),
        ({"Retry-After": "Tue, 01 Jan 2002 00:00:09 GMT"}, None),
        ({"Retry-After": ""}, None),
        ({"Retry-After": "-3"}, None),
        ({"Retry-After": "1e9"}, None),
        ({"Retry-After": "9" * 30}, None),
        ({"Retry-After": "soon"}, None),
        ({}, None),
    ],
)
def test_how_long_a_server_asks_to_wait(headers: dict[str, str], wait: float | None) -> None:
    assert retry_after(headers) == wait


@given(st.text(max_size=400))
def test_any_wait_is_a_number_or_nothing_and_words_become_one_printable_line(said: str) -> None:
    wait = retry_after({"Retry-After": said})
    assert wait is None or wait >= 0
    line = one_line(said)
    assert line.isprintable()
    assert len(line) <= 201
    assert one_line(line) == line or len(line) == 201


def test_a_server_s_words_on_one_line() -> None:
    assert one_line("  no\r\n\tsuch \x1b[31m page ") == "no such [31m page"
    assert one_line("x" * 200) == "x" * 200
    assert one_line("x" * 201) == "x" * 200 + "…"
