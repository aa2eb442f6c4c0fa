"""An HTTP proxy before the S3 server that fails on command."""

from __future__ import annotations

import http.client
import re
import socket
import struct
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Literal

from cluster.support.processes import LOOPBACK

Kind = Literal["503", "slow", "cut", "refuse", "lost"]


@dataclass
class Fault:
    """What happens to the next `times` requests of `method` whose path matches the regular expression `path`.

    - `503`: the proxy answers 503 SlowDown; the server does not see the request
    - `slow`: the answer comes `seconds` late
    - `cut`: of the body of the answer the first `keep` bytes are sent, then the connection is closed
    - `refuse`: the connection is closed before the server sees the request
    - `lost`: the server has done what was asked, and the connection is closed without an answer
    """

    kind: Kind
    method: str = ".*"
    path: str = ""
    times: int = 1
    seconds: float = 0.0
    keep: int = 0
    hits: int = 0

    def matches(self, method: str, path: str) -> bool:
        return self.hits < self.times and bool(
            re.fullmatch(self.method, method) and re.search(self.path, path)
        )


@dataclass
class Faults:
    """The proxy's commands and counts."""

    port: int = 0
    requests: Counter[str] = field(default_factory=Counter)
    """Requests by method, those that failed included."""
    paths: list[tuple[str, str]] = field(default_factory=list)
    sent: int = 0
    """Bytes of bodies that came from the server."""
    _planned: list[Fault] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def plan(self, fault: Fault) -> Fault:
        """From now on this happens, after what was planned before; its `hits` count."""
        with self._lock:
            self._planned.append(fault)
        return fault

    def clear(self) -> None:
        """Nothing happens any more, and counts begin at zero."""
        with self._lock:
            self._planned.clear()
            self.requests.clear()
            self.paths.clear()
            self.sent = 0

    def next(self, method: str, path: str) -> Fault | None:
        with self._lock:
            self.requests[method] += 1
            self.paths.append((method, path))
            for fault in self._planned:
                if fault.matches(method, path):
                    fault.hits += 1
                    return fault
        return None

    def came(self, count: int) -> None:
        with self._lock:
            self.sent += count


@contextmanager
def faulty_proxy(server_port: int) -> Iterator[Faults]:
    """A proxy before the server at this port, in a thread of this process."""
    faults = Faults()

    class Handler(_Proxy):
        behind = server_port
        planned = faults

    with ThreadingHTTPServer((LOOPBACK, 0), Handler) as proxy:
        proxy.daemon_threads = True
        faults.port = proxy.server_address[1]
        thread = threading.Thread(target=proxy.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        thread.start()
        try:
            yield faults
        finally:
            proxy.shutdown()
            thread.join()


class _Proxy(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    behind: int
    planned: Faults

    def _forward(self) -> None:
        body = self._body()
        fault = self.planned.next(self.command, self.path)
        kind = fault.kind if fault else None
        if kind == "refuse":
            return self._close()
        if kind == "503":
            return self._answer(
                503, {"Content-Type": "application/xml"}, b"<Error><Code>SlowDown</Code></Error>"
            )
        status, headers, answer = self._ask(body)
        if fault and kind == "slow":
            time.sleep(fault.seconds)
        if kind == "lost":
            return self._close()
        return self._answer(status, headers, answer, fault.keep if fault and kind == "cut" else None)

    do_GET = _forward  # noqa: N815  BaseHTTPRequestHandler looks up these names
    do_HEAD = _forward  # noqa: N815
    do_PUT = _forward  # noqa: N815
    do_POST = _forward  # noqa: N815
    do_DELETE = _forward  # noqa: N815

    def _body(self) -> bytes:
        if self.headers.get("Transfer-Encoding", "").lower() == "chunked":
            parts = []
            while size := int(self.rfile.readline().split(b";")[0], 16):
                parts.append(self.rfile.read(size))
                self.rfile.readline()
            self.rfile.readline()
            return b"".join(parts)
        return self.rfile.read(int(self.headers.get("Content-Length") or 0))

    def _ask(self, body: bytes) -> tuple[int, dict[str, str], bytes]:
        connection = http.client.HTTPConnection(LOOPBACK, self.behind, timeout=60)
        skipped = {"host", "transfer-encoding", "connection", "content-length", "expect"}
        headers = {name: value for name, value in self.headers.items() if name.lower() not in skipped}
        headers["Content-Length"] = str(len(body))
        try:
            connection.request(self.command, self.path, body, headers)
            answer = connection.getresponse()
            content = answer.read()
            self.planned.came(len(content))
            return answer.status, dict(answer.getheaders()), content
        finally:
            connection.close()

    def _answer(self, status: int, headers: dict[str, str], body: bytes, keep: int | None = None) -> None:
        self.send_response_only(status)
        length = str(len(body))
        for name, value in headers.items():
            if name.lower() == "content-length" and self.command == "HEAD":
                length = value
            elif name.lower() not in {"content-length", "transfer-encoding", "connection"}:
                self.send_header(name, value)
        self.send_header("Content-Length", length)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body if keep is None else body[:keep])
        if keep is not None:
            self._close()

    def _close(self) -> None:
        """Closed at once: the client sees a reset, not an orderly end."""
        self.wfile.flush()
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close_connection = True

    def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002
        """Nothing is printed."""
