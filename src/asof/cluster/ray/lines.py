"""How the root talks to an actor in a search: over a connection, or by calls of Ray where there can be none.

A call of Ray takes about a millisecond, and a search has some ten rounds of them.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol, TypeVar

from asof.cluster.conversation import Call, End, FromShard, ToShard
from asof.cluster.program import SearchRequest
from asof.cluster.ray.connection import Address, Connection, connect
from asof.cluster.ray.library import ray
from asof.cluster.ray.messages import NotPackable, packed, unpacked
from asof.errors import CorpusError, ShardLost

CONNECT = 2.0
"""Seconds within which an actor has to take a connection."""

BY_CALLS = 60.0
"""Seconds for which an actor that took no connection is talked to by calls of Ray."""

T = TypeVar("T")


class Begin(NamedTuple):
    """To an actor: begin a search (see `Searcher.begin`)."""

    search: str
    request: SearchRequest
    number: int
    call: Call | None


@dataclass(slots=True)
class Written:
    """The bytes of the last message, which are made once for all who are told it."""

    _message: Begin | ToShard | None = None
    _data: bytes = b""

    def of(self, message: Begin | ToShard) -> bytes:
        """The bytes of a message."""
        if message is not self._message:
            self._message, self._data = message, packed(message)
        return self._data


class Line(Protocol):
    """How one actor is talked to in one search: `ask` and `take` take turns."""

    def begin(self, beginning: Begin, written: Written) -> None:
        """Begin the search; what the actor says is taken."""
        ...

    def ask(self, message: ToShard, written: Written) -> None:
        """Say something, which others may be told as well."""
        ...

    def take(self, until: float) -> FromShard:
        """What the actor says, until an instant of the monotonic clock. Raises ShardLost."""
        ...

    def end(self) -> None:
        """The search is over."""
        ...


@dataclass(slots=True)
class RayLine:
    """Talks to an actor by calls of Ray."""

    actor: Any
    _search: str = ""
    _waiting: Any = None

    def begin(self, beginning: Begin, written: Written) -> None:
        self._search = beginning.search
        self._waiting = self.actor.begin.remote(*beginning)

    def ask(self, message: ToShard, written: Written) -> None:
        self._waiting = self.actor.step.remote(self._search, message)

    def take(self, until: float) -> FromShard:
        said: FromShard = result(self._waiting, until)
        return said

    def end(self) -> None:
        with suppress(ray().exceptions.RayError):
            self.actor.end.remote(self._search)


@dataclass(slots=True)
class DirectLine:
    """Talks to an actor over a connection, which is given back at the end, or closed where the search ended
    between what was asked and what is said."""

    connection: Connection
    give_back: Callable[[Connection], None]
    _waits: bool = False

    def begin(self, beginning: Begin, written: Written) -> None:
        self._send(written.of(beginning))

    def ask(self, message: ToShard, written: Written) -> None:
        self._send(written.of(message))

    def take(self, until: float) -> FromShard:
        data = _lost(lambda: self.connection.receive(max(until - time.monotonic(), 0.01)))
        said: FromShard = understood(data)
        self._waits = False
        return said

    def end(self) -> None:
        if self._waits:
            self.connection.close()
            return
        try:
            self.connection.send(packed(End()), CONNECT)
        except OSError:
            self.connection.close()
        else:
            self.give_back(self.connection)

    def _send(self, data: bytes) -> None:
        self._waits = True
        _lost(lambda: self.connection.send(data, CONNECT))


@dataclass(slots=True)
class Lines:
    """The lines to the actors of a corpus; threads share it."""

    _free: dict[Any, list[Connection]] = field(default_factory=dict)
    _addresses: dict[Any, Address | None] = field(default_factory=dict)
    _by_calls: dict[Any, float] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def begin(self, actor: Any, beginning: Begin, written: Written, until: float) -> Line:
        """Begin a search at an actor. Raises ShardLost."""
        connection = self._connection(actor, until)
        if connection is not None:
            line: Line = DirectLine(connection, lambda own: self._give_back(actor, own))
            try:
                line.begin(beginning, written)
            except NotPackable:  # a recipe with a stage of a plugin
                line.end()
            except ShardLost:
                connection.close()
                raise
            else:
                return line
        line = RayLine(actor)
        line.begin(beginning, written)
        return line

    def lost(self, actor: Any) -> None:
        """An actor was lost: its connections are of no use."""
        with self._lock:
            for each in self._free.pop(actor, []):
                each.close()

    def close(self) -> None:
        """Close all connections."""
        for actor in list(self._free):
            self.lost(actor)

    def _give_back(self, actor: Any, connection: Connection) -> None:
        with self._lock:
            self._free.setdefault(actor, []).append(connection)

    def _connection(self, actor: Any, until: float) -> Connection | None:
        """A connection to an actor; None where there can be none. Raises ShardLost."""
        with self._lock:
            if free := self._free.get(actor):
                return free.pop()
            if self._by_calls.get(actor, 0.0) > time.monotonic():
                return None
            known = self._addresses.get(actor)
        if known is not None:
            with suppress(OSError):  # it may be started again since, elsewhere
                return connect(known, CONNECT)
        address: Address | None = result(actor.address.remote(), until)
        if address is not None:
            with suppress(OSError):
                made = connect(address, CONNECT)
                self._addresses[actor] = address
                return made
        with self._lock:
            self._by_calls[actor] = time.monotonic() + BY_CALLS
        return None


def understood(data: bytes) -> Any:
    """The message that bytes are of. Raises CorpusError where they are of none, as of another version's."""
    try:
        return unpacked(data)
    except ValueError as error:
        raise CorpusError(f"a message between an actor and who asked cannot be read: {error}") from error


def result(waiting: Any, until: float) -> Any:
    """The result of a call of an actor. Raises ShardLost where it died, or gave none in time."""
    errors = ray().exceptions
    try:
        return ray().get(waiting, timeout=max(until - time.monotonic(), 0.01))
    except errors.GetTimeoutError as error:
        raise ShardLost("a shard gave no answer in time") from error
    except errors.RayTaskError:
        raise  # a fault of ours, with its place
    except errors.RayError as error:
        raise ShardLost(f"the process of a shard ended: {str(error).splitlines()[0]:.200}") from error


def _lost(do: Callable[[], T]) -> T:
    try:
        return do()
    except TimeoutError as error:
        raise ShardLost("a shard gave no answer in time") from error
    except OSError as error:
        raise ShardLost(f"the process of a shard ended: {error}") from error
