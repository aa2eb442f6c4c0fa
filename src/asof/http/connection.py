"""A connection with a deadline for the whole request, and how a server's bytes and words are read.

A socket's timeout is for one wait: a server that sends a byte now and then in its status line, its headers
or the size of a chunk, or `100 Continue` without an end, would be waited for forever. Here each wait gets the
time that is left.
"""

from __future__ import annotations

import re
import ssl
import time
from email.utils import parsedate_to_datetime
from functools import partial
from http.client import HTTPS_PORT, HTTPConnection, HTTPResponse
from io import BufferedReader, RawIOBase
from socket import socket
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

READ_AT_ONCE = 65_536
QUOTED = 200
"""So many characters of a server's own message are shown."""


class Headers(Protocol):
    """Headers of an answer, whatever client brought it."""

    def get(self, name: str, default: str, /) -> str: ...


def connection_to(url: str, seconds: float) -> HTTPConnection:
    """A connection to an http or https address, not yet made, for one request and its answer.

    Connecting, asking and reading raise TimeoutError once `seconds` from now are over. Two things can take
    longer: finding the addresses of a host, and a host of several addresses, each of which is given what
    was left when the first was tried. No proxy of the environment is used, no redirect followed.
    """
    parts = urlsplit(url)
    tls = ssl.create_default_context() if parts.scheme == "https" else None
    return _TimedConnection(parts.hostname or "", parts.port, time.perf_counter() + seconds, tls)


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
    """A server's own words as part of a message: on one line, printable, not long."""
    message = " ".join("".join(each if each.isprintable() else " " for each in message).split())
    return message[:QUOTED] + ("…" if len(message) > QUOTED else "")


def retry_after(headers: Headers) -> float | None:
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


class _TimedConnection(HTTPConnection):
    """A connection, each wait of which ends at `deadline`; by TLS where there is a context for it."""

    def __init__(self, host: str, port: int | None, deadline: float, tls: ssl.SSLContext | None) -> None:
        if tls is not None:
            self.default_port = HTTPS_PORT
        super().__init__(host, port)
        self.deadline, self.tls = deadline, tls
        self.response_class = partial(_TimedResponse, deadline=deadline)  # type: ignore[assignment]

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
