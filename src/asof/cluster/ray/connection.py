"""Connections between the root and actors, on which each side has proven to the other that it knows the key.

A message is its length (8 bytes) and its bytes. The key is made by the actor and handed out by Ray, to which
only members of the cluster talk; it never goes over a connection. Texts are not encrypted, as Ray's own
messages are not.
"""

from __future__ import annotations

import hmac
import secrets
import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import NamedTuple, Self

HANDSHAKE = 10.0
"""Seconds within which both sides have to have proven themselves."""

CONNECTIONS = 256
"""Connections that an actor has at once; more are refused."""

LARGEST = 1 << 30
"""Bytes of the largest message."""

_LENGTH, _NONCE, _JOINED = 8, 32, 1 << 16


class Address(NamedTuple):
    """Where an actor listens, and the key with which it is talked to."""

    host: str
    port: int
    key: bytes


class Connection:
    """One end of a connection; used by one thread at a time. Raises OSError where it is lost or the other
    side takes too long (`TimeoutError`): it is of no use then."""

    def __init__(self, opened: socket.socket) -> None:
        self._socket = opened
        opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def send(self, message: bytes, timeout: float | None = None) -> None:
        """Send a message."""
        self._socket.settimeout(timeout)
        length = len(message).to_bytes(_LENGTH, "big")
        if len(message) <= _JOINED:
            self._socket.sendall(length + message)
        else:
            self._socket.sendall(length)
            self._socket.sendall(message)

    def receive(self, timeout: float | None = None) -> bytes:
        """The next message."""
        until = None if timeout is None else time.monotonic() + timeout
        length = int.from_bytes(self._exactly(_LENGTH, until), "big")
        if length > LARGEST:
            raise ConnectionError(f"a message of {length:,} bytes; at most {LARGEST:,} are accepted")
        return self._exactly(length, until)

    def close(self) -> None:
        """Close it; who waits at the other side is told."""
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()

    def _exactly(self, count: int, until: float | None) -> bytes:
        buffer = bytearray(count)
        view, have = memoryview(buffer), 0
        while have < count:
            self._socket.settimeout(None if until is None else max(until - time.monotonic(), 0.001))
            got = self._socket.recv_into(view[have:])
            if not got:
                raise ConnectionResetError("the other side has closed the connection")
            have += got
        return bytes(buffer)

    def _proves(self, key: bytes, *, listens: bool) -> Self:
        """Prove to each other that both know the key; it is closed where the other does not."""
        until = time.monotonic() + HANDSHAKE
        try:
            own = secrets.token_bytes(_NONCE)
            self._socket.settimeout(HANDSHAKE)
            self._socket.sendall(own)
            other = self._exactly(_NONCE, until)
            first, second = (own, other) if listens else (other, own)
            said = {who: hmac.digest(key, who + first + second, "sha256") for who in (b"actor", b"root")}
            if not listens:
                self._socket.sendall(said[b"root"])
            if not hmac.compare_digest(self._exactly(32, until), said[b"root" if listens else b"actor"]):
                raise ConnectionRefusedError("the other side does not know the key of this actor")
            if listens:
                self._socket.sendall(said[b"actor"])
        except OSError:
            self.close()
            raise
        return self


def connect(address: Address, timeout: float) -> Connection:
    """A connection to an actor. Raises OSError."""
    opened = socket.create_connection((address.host, address.port), timeout)
    return Connection(opened)._proves(address.key, listens=False)


def listen(host: str, answer: Callable[[Connection], None]) -> Address:
    """Take connections on a port of an address of this machine until the process ends, and `answer` each in a
    thread of its own, until it is lost. Raises OSError where there is no such address."""
    listening = socket.create_server((host, 0), backlog=CONNECTIONS)
    key = secrets.token_bytes(32)
    free = threading.BoundedSemaphore(CONNECTIONS)

    def answered(opened: socket.socket) -> None:
        try:
            with suppress(OSError):  # who asked sees that it ended, too
                opened.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
                answer(Connection(opened)._proves(key, listens=True))
        finally:
            opened.close()
            free.release()

    def accept() -> None:
        while True:
            try:
                opened, _ = listening.accept()
            except OSError:  # for one, too many files are open; who asked tries again
                time.sleep(0.1)
                continue
            if free.acquire(blocking=False):
                threading.Thread(target=answered, args=(opened,), name="asof-connection", daemon=True).start()
            else:
                opened.close()

    threading.Thread(target=accept, name="asof-listening", daemon=True).start()
    return Address(host, int(listening.getsockname()[1]), key)
