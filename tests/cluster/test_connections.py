"""Connections between the root and an actor: who does not know the key is told nothing."""

from __future__ import annotations

import secrets
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing

import pytest

from asof.cluster.ray import connection as connections
from asof.cluster.ray.connection import Address, Connection, connect, listen


def echo(ended: threading.Event) -> Callable[[Connection], None]:
    """Says what it is told, but nothing to nothing; waits before it answers "slow"."""

    def answer(connection: Connection) -> None:
        try:
            while True:
                message = connection.receive()
                if message == b"slow":
                    time.sleep(0.3)
                if message:
                    connection.send(message)
        finally:
            ended.set()

    return answer


@pytest.fixture
def ended() -> threading.Event:
    return threading.Event()


@pytest.fixture
def address(ended: threading.Event) -> Address:
    return listen("127.0.0.1", echo(ended))


@pytest.fixture
def connection(address: Address) -> Iterator[Connection]:
    with closing(connect(address, 5)) as connected:
        yield connected


@pytest.mark.parametrize("size", [1, 1 << 16, (1 << 16) + 1, 5_000_000])
def test_messages_of_any_size_arrive_whole(connection: Connection, size: int) -> None:
    message = secrets.token_bytes(size)
    for _ in range(2):
        connection.send(message, 5)
        assert connection.receive(5) == message


def test_nothing_is_said_to_some_messages(connection: Connection) -> None:
    connection.send(b"")
    connection.send(b"next")
    assert connection.receive(5) == b"next"


def test_who_closes_is_noticed_at_the_other_side(connection: Connection, ended: threading.Event) -> None:
    connection.send(b"x")
    assert connection.receive(5) == b"x"
    connection.close()
    assert ended.wait(5)


def test_an_answer_that_comes_late_is_a_timeout(connection: Connection) -> None:
    connection.send(b"slow")
    with pytest.raises(TimeoutError):
        connection.receive(0.05)


def wrong_key(address: Address) -> None:
    connect(address._replace(key=bytes(32)), 5)


def says_what_it_was_told(address: Address) -> None:
    """Sends the number of the actor back, and its own proof from the beginning of another one."""
    with socket.create_connection(address[:2]) as other:
        number = other.recv(32)
        other.sendall(number + number)
        assert other.recv(1) == b""
        raise ConnectionError


def breaks_off(address: Address) -> None:
    with socket.create_connection(address[:2]) as other:
        other.recv(32)
        raise ConnectionError


@pytest.mark.parametrize("stranger", [wrong_key, says_what_it_was_told, breaks_off])
def test_who_does_not_know_the_key_is_told_nothing(
    address: Address, ended: threading.Event, stranger: Callable[[Address], None]
) -> None:
    with pytest.raises(OSError):  # noqa: PT011  of several kinds
        stranger(address)
    with closing(connect(address, 5)) as own:  # others go on
        own.send(b"x")
        assert own.receive(5) == b"x"
    assert not ended.is_set() or ended.wait(5)


def test_a_listener_that_does_not_know_the_key_is_refused() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def answer() -> None:
            other, _ = listening.accept()
            with other:
                other.sendall(bytes(32))
                other.recv(64)
                other.sendall(bytes(32))

        threading.Thread(target=answer, daemon=True).start()
        with pytest.raises(ConnectionRefusedError, match="does not know the key"):
            connect(Address("127.0.0.1", listening.getsockname()[1], secrets.token_bytes(32)), 5)


def test_who_says_nothing_at_all_holds_up_nobody(address: Address, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "HANDSHAKE", 0.2)
    with socket.create_connection(address[:2]) as silent:
        with closing(connect(address, 5)) as own:
            own.send(b"x")
            assert own.receive(5) == b"x"
        silent.settimeout(5)
        assert len(silent.recv(32)) == 32
        assert silent.recv(1) == b""  # closed after HANDSHAKE


def test_more_connections_than_are_accepted_are_closed(
    monkeypatch: pytest.MonkeyPatch, ended: threading.Event
) -> None:
    monkeypatch.setattr(connections, "CONNECTIONS", 1)
    address = listen("127.0.0.1", echo(ended))
    with closing(connect(address, 5)), pytest.raises(OSError):  # noqa: PT011  closed or reset
        connect(address, 5)
    assert ended.wait(5)


def test_a_message_that_is_too_long_ends_the_connection(
    connection: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "LARGEST", 10)
    connection.send(bytes(11))
    with pytest.raises(ConnectionError):
        connection.receive(5)
