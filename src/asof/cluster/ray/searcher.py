"""The actor that holds a shard: it runs its side of searches, several at once."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from asof import environment
from asof.cluster.conversation import (
    Call,
    Conversation,
    End,
    Failed,
    FromShard,
    Gone,
    ShardSide,
    ToShard,
)
from asof.cluster.program import SearchRequest
from asof.cluster.ray.connection import Address, Connection, listen
from asof.cluster.ray.library import address_of_node
from asof.cluster.ray.lines import Begin, understood
from asof.cluster.ray.messages import NotPackable, packed
from asof.cluster.ray.place import Opened, ShardPlace
from asof.cluster.united import Union
from asof.errors import AsofError, CorpusError, ShardLost

IDLE = 300.0
"""Seconds after which a search that nobody goes on with is ended: who asked has died."""


@dataclass(slots=True)
class Searching:
    """A search under way, and when something was last asked of it."""

    conversation: Conversation
    opened: Opened
    at: float = field(default_factory=time.monotonic)


class Searcher:
    """A shard that is open for searching; the class of the actor. Threads share it.

    A search is of one manifest to its end: where a later one is asked for, the shard is opened anew beside,
    and the older one is closed when no search is left in it. Where a shard cannot be opened when the actor
    starts, the first search tries again: Ray starts no actor again whose constructor raised. `host`: the
    address at which it takes connections; "" for that of its node.
    """

    def __init__(self, place: ShardPlace, host: str = "") -> None:
        self._place = place
        self._host = host
        self._held: int | None = None
        self._opened: Opened | None = None
        self._union = Union()
        self._searches: dict[str, Searching] = {}
        self._lock = threading.RLock()
        self._direct: dict[object, Opened] = {}  # of searches in which it takes part to their end
        self._ended: dict[str, float] = {}  # searches of which the end came before the beginning was over
        self._counts = {"searches": 0, "fetched": 0}
        self._beginning = threading.Condition()
        self._count = 0  # of searches that begin just now
        self._awaited = 0  # searches that wait until a later manifest can be fetched
        self._address: Address | None = None
        with suppress(AsofError):
            self._fetch(None)

    def address(self) -> Address | None:
        """Where searches can be asked over connections; None where Ray encrypts what it sends, which
        connections of our own do not, or nothing can listen there."""
        with self._lock:
            if self._address is None and not environment.ray_encrypts():
                with suppress(OSError):
                    self._address = listen(
                        self._host or address_of_node(),
                        lambda connection: SearchesOfConnection(self, connection).answer(),
                    )
            return self._address

    def take_part(
        self, beginning: Begin, say: Callable[[FromShard], None], hear: Callable[[], ToShard]
    ) -> None:
        """Take part in a search to its end (see `ShardSide`). Raises Gone."""
        calls = [beginning.call] if beginning.call is not None else []
        with ExitStack() as begins:
            try:
                opened = begins.enter_context(self._at(beginning.number))
            except Exception as error:  # noqa: BLE001  it is raised again where the question was asked
                say(Failed(error))
                return

            def said(message: FromShard) -> None:
                begins.close()  # it has its view from here on, whatever is fetched
                say(message)

            with self._taking_part(opened):
                ShardSide(
                    (opened.session,), self._union, beginning.request, said,
                    lambda: calls.pop() if calls else hear(),
                ).run()  # fmt: skip

    @contextmanager
    def _taking_part(self, opened: Opened) -> Iterator[None]:
        search = object()
        with self._lock:
            self._direct[search] = opened
            self._counts["searches"] += 1
        try:
            yield
        finally:
            with self._lock:
                del self._direct[search]
            self._close_unused([opened])

    def begin(self, search: str, request: SearchRequest, number: int, call: Call | None) -> FromShard:
        """Begin a search at a manifest (0: as the shard is); what the shard says first. Where nothing is
        searched, that is the answer to a call."""
        try:
            with self._at(number) as opened:
                conversation = Conversation((opened.session,), self._union, request)
                if call is not None:
                    conversation.send(call)
                said = conversation.receive()  # it has its view from here on, whatever is fetched
                with self._lock:
                    over = search in self._ended
                    if not over:
                        self._searches[search] = Searching(conversation, opened)
                        self._counts["searches"] += 1
                if over:
                    conversation.close()
        except Exception as error:  # noqa: BLE001  it is raised again where the question was asked
            return Failed(error)
        return said

    def step(self, search: str, message: ToShard) -> FromShard:
        """Tell the shard something, and get what it says then. A search that is not known here was lost with
        the process before."""
        with self._lock:
            searching = self._searches.get(search)
        if searching is None:
            return Failed(ShardLost(f"shard {self._place.shard} was opened anew in the middle of a search"))
        searching.at = time.monotonic()
        searching.conversation.send(message)
        return searching.conversation.receive()

    def end(self, search: str) -> None:
        """End a search, and those that were left by who asked."""
        with self._lock:
            late = time.monotonic() - IDLE
            self._ended = {each: at for each, at in self._ended.items() if at >= late}
            if search not in self._searches:
                self._ended[search] = time.monotonic()
            ended = [each for each, its in self._searches.items() if each == search or its.at < late]
            over = [self._searches.pop(each) for each in ended]
        for each in over:
            each.conversation.close()
        self._close_unused([each.opened for each in over])

    def status(self) -> Mapping[str, Any]:
        """What `asof cluster status` tells of the actor."""
        with self._lock:
            under_way, opened = len(self._searches) + len(self._direct), self._now()
        store = opened.session.store
        segments = store.folder / "segments"
        return {
            "shard": self._place.shard, "manifest": opened.number, "process": os.getpid(),
            "head": opened.session.last_write(), "under_way": under_way, **self._counts,
            "resident_bytes": _resident(),
            "segment_bytes": sum(each.stat().st_size for each in segments.glob("*.seg")),
        }  # fmt: skip

    def settings(self) -> str | Failed:
        """The settings of the corpus (see `CorpusSettings.loads`), or why its shard cannot be opened."""
        try:
            with self._at(0) as opened:
                return opened.session.store.settings.dumps()
        except AsofError as error:
            return Failed(error)

    @contextmanager
    def _at(self, number: int) -> Iterator[Opened]:
        """The shard at a manifest (0: as it is), of which no later one is fetched meanwhile. Searches that
        are under way go on while one is fetched. Raises ShardLost where the shard is at a later one."""
        with self._beginning:
            # what begins now does not hold up who waits until nothing begins
            self._beginning.wait_for(lambda: not self._awaited)
            if self._opened is None or self._place.moved(self._opened):
                self._fetch(number or None)
            if number > self._now().number:
                self._awaited += 1
                try:
                    self._beginning.wait_for(lambda: not self._count)
                    self._fetch(number)
                finally:
                    self._awaited -= 1
                    self._beginning.notify_all()
            opened = self._now()
            if number and number < opened.number:
                raise ShardLost(
                    f"shard {self._place.shard} is at manifest {opened.number} already, not at {number}"
                )
            self._count += 1
        try:
            yield opened
        finally:
            with self._beginning:
                self._count -= 1
                self._beginning.notify_all()

    def _now(self) -> Opened:
        if self._opened is None:
            raise ShardLost(f"shard {self._place.shard} is not open yet")
        return self._opened

    def _fetch(self, number: int | None) -> None:
        """Open the shard at a manifest (None: the latest)."""
        opened = self._opened
        if opened and (number is None or number <= opened.number) and not self._place.moved(opened):
            return  # another search has waited for it, too
        if self._held is None:
            self._held = self._place.hold()
        opened = self._place.open(number)
        with self._lock:
            before, self._opened = self._opened, opened
            self._counts["fetched"] += 1
            self._close_unused([before] if before else [])

    def _close_unused(self, opened: list[Opened]) -> None:
        with self._lock:
            opened_now = [
                self._now(),
                *self._direct.values(),
                *(its.opened for its in self._searches.values()),
            ]
            used = {id(each.session) for each in opened_now}
            for each in opened:
                if id(each.session) not in used and not each.session.closed:
                    each.session.close()


@dataclass(slots=True)
class SearchesOfConnection:
    """What is said over a connection: one search after the other."""

    searcher: Searcher
    connection: Connection

    def answer(self) -> None:
        """Take part in searches until the connection is lost, or what is said on it is in step no more."""
        with suppress(Gone):
            while True:
                try:
                    message = self._hear()
                except CorpusError as error:
                    self._say(Failed(error))
                    continue
                if isinstance(message, Begin):
                    self.searcher.take_part(message, self._say, lambda: self._hear(IDLE))
                elif not isinstance(message, End):  # of a search that failed here
                    self._say(Failed(ShardLost("the search has not begun at this shard")))

    def _hear(self, timeout: float | None = None) -> Any:
        try:
            return understood(self.connection.receive(timeout))
        except OSError as error:
            raise Gone from error

    def _say(self, said: FromShard) -> None:
        try:
            data = packed(said)
        except NotPackable as error:
            data = packed(Failed(error))
        try:
            self.connection.send(data, IDLE)
        except OSError as error:
            raise Gone from error


def _resident() -> int:
    """Bytes of memory that the process has, mapped files included where they are in memory."""
    try:
        with open("/proc/self/statm", "rb") as file:  # noqa: PTH123
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0
