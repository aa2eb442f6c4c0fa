"""An HTTP server on this machine, which answers each request in a thread of its own."""

from __future__ import annotations

import socket
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import ClassVar, Self


def free_port() -> int:
    """A port of this machine that nothing listens at."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port: int = listening.getsockname()[1]
    return port


class LocalServer:
    """Serves while it is entered: `serve` answers a request and the body that came with it."""

    protocol: ClassVar = "HTTP/1.0"  # each connection is closed behind its answer
    _http: ThreadingHTTPServer
    _thread: threading.Thread

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self._http.server_address[1]}"

    def serve(self, handler: BaseHTTPRequestHandler, body: bytes) -> None:
        raise NotImplementedError

    def __enter__(self) -> Self:
        there = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = there.protocol
            disable_nagle_algorithm = True

            def do_GET(self) -> None:
                there.serve(self, self.rfile.read(int(self.headers.get("Content-Length", "0"))))

            def do_POST(self) -> None:
                self.do_GET()

            def log_message(self, *args: object) -> None:
                """Nothing: the terminal is the tests'."""

        class Quiet(ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *args: object) -> None:
                """A client that hung up is what some tests are about."""

        self._http = Quiet(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.01})
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()


def send(handler: BaseHTTPRequestHandler, status: int, said: bytes, headers: dict[str, str]) -> None:
    """An answer of these bytes; a header given replaces one that would be sent anyway."""
    handler.send_response(status)
    write(handler, said, headers)


def write(handler: BaseHTTPRequestHandler, said: bytes, headers: dict[str, str]) -> None:
    """What stands below the line of the status."""
    for name, value in {"Content-Length": str(len(said)), **headers}.items():
        handler.send_header(name, value)
    handler.end_headers()
    handler.wfile.write(said)
