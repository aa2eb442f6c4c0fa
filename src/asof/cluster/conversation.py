"""The side of shards in a search, which runs the first stages and then answers what is asked. Shards of one
process can be searched as one (`united.py`); to the others they are one shard.

The view is made once, in one read transaction, so whatever is written meanwhile does not show. Messages go
both ways: the shard gives a value to gather and waits for those of all; at the end of the first stages it
sends the rows that it chose; from then on it answers calls until it is told to end.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from queue import SimpleQueue
from typing import Any, NamedTuple, TypeVar

from asof.cluster.calls import answer
from asof.cluster.program import Chosen, SearchRequest, first_stages
from asof.cluster.united import Union
from asof.corpus.session import Session
from asof.errors import AsofError, DamagedSegment, ShardLost
from asof.index.view import View

T = TypeVar("T")


class Gathered(NamedTuple):
    """To a shard: for each of its values what all shards gave (`partial.together`)."""

    values: list[list[Any]]


class Call(NamedTuple):
    """To a shard: a question by name (`asof.cluster.calls`)."""

    name: str
    arguments: tuple[Any, ...]


class End(NamedTuple):
    """To a shard: nothing more will be asked."""


class Given(NamedTuple):
    """From a shard: its values, to be gathered."""

    value: tuple[Any, ...]


class Answer(NamedTuple):
    """From a shard: the answer to a call."""

    value: Any


class Failed(NamedTuple):
    """From a shard: what went wrong."""

    error: Exception


class Over(NamedTuple):
    """The thread of a shard has ended: it says nothing more."""


ToShard = Gathered | Call | End
FromShard = Given | Chosen | Answer | Failed


class Ended(Exception):
    """The search ended while a shard waited for values."""


class Gone(Exception):
    """Nobody hears what a shard says: who asked is gone, or has ended the search."""


@dataclass(slots=True)
class ShardSide:
    """The side of a shard, or of several as one, in a search. `say` and `hear` take turns with the root,
    beginning with what the shard says; where nothing is searched, it hears a call first. They raise Gone."""

    sessions: Sequence[Session]
    union: Union
    request: SearchRequest
    say: Callable[[FromShard], None]
    hear: Callable[[], ToShard]
    _said: bool = False
    _over: bool = False

    def run(self) -> None:
        """Take part to the end of the search. What goes wrong is said, and a damaged segment mended. Raises
        Gone where it cannot be said."""
        try:
            used(self.sessions, self.request, self._talk)
        except Ended:
            pass
        except Gone:
            raise
        except Exception as error:
            if self._over:
                raise Gone from error
            self._tell(self._mended(error))

    def _mended(self, error: Exception) -> Failed:
        """What went wrong; where a segment is damaged, once it has been rebuilt."""
        if isinstance(error, ShardDamaged):
            try:
                for session in self.sessions:
                    session.manifest.mend()
                    session.forget()
            except AsofError as instead:
                return Failed(instead)
        return Failed(error)

    def _talk(self, views: tuple[View, ...]) -> None:
        if self._said:  # what was said cannot be taken back, so the whole search has to begin anew
            raise ShardDamaged("the index of a shard was mended while it was searched")
        try:
            view = self.union.of(views)
            answered = partial(answer, self.union, views, view, self.request)
            if self.request.recipe is not None:
                describe = partial(answered, "succession.described")
                self._tell(first_stages(self.request, view, self._gather, describe))
            while not isinstance(message := self._told(), End):
                assert isinstance(message, Call)  # noqa: S101  no values are gathered any more
                self._tell(Answer(answered(message.name, *message.arguments)))
        except DamagedSegment as damage:
            raise ShardDamaged(str(damage)) from damage

    def _gather(self, own: tuple[Any, ...]) -> list[list[Any]]:
        self._tell(Given(own))
        message = self._told()
        if isinstance(message, End):
            raise Ended
        assert isinstance(message, Gathered)  # noqa: S101  a shard that gathers is asked nothing
        return message.values

    def _tell(self, message: FromShard) -> None:
        self._said = True
        self.say(message)

    def _told(self) -> ToShard:
        message = self.hear()
        self._over = isinstance(message, End)
        return message


class Conversation:
    """A search at shards of this process, in a thread of its own."""

    def __init__(self, sessions: Sequence[Session], union: Union, request: SearchRequest) -> None:
        self._to: SimpleQueue[ToShard] = SimpleQueue()
        self._from: SimpleQueue[FromShard | Over] = SimpleQueue()
        self._side = ShardSide(sessions, union, request, self._from.put, self._to.get)
        self._thread = threading.Thread(target=self._run, name="asof-shard", daemon=True)
        self._thread.start()

    def receive(self) -> FromShard:
        """What the shard says next: after its end, that it ended, to whoever still waits."""
        said = self._from.get()
        if isinstance(said, Over):
            self._from.put(said)
            return Failed(ShardLost("the search was ended at a shard while something was asked"))
        return said

    def send(self, message: ToShard) -> None:
        """Tell the shard something."""
        self._to.put(message)

    def close(self) -> None:
        """End it, and wait until its view is given back."""
        self._to.put(End())
        self._thread.join()

    def _run(self) -> None:
        try:
            with suppress(Gone):
                self._side.run()
        finally:
            self._from.put(Over())


def used(
    sessions: Sequence[Session], request: SearchRequest, do: Callable[[tuple[View, ...]], T],
    views: tuple[View, ...] = (),
) -> T:  # fmt: skip
    """Do something with a view of every shard, each in one read transaction. See `Session.use`."""
    if len(views) == len(sessions):
        return do(views)
    session, until = sessions[len(views)], request.until

    def with_it(view: View) -> T:
        return used(sessions, request, do, (*views, view))

    def unless_later(view: View) -> tuple[T] | None:
        return None if until is not None and view.known_at > until else (with_it(view),)

    if request.known_at is None and until is not None:
        done = session.use(request.as_of, None, unless_later)
        return done[0] if done is not None else session.use(request.as_of, until, with_it)
    return session.use(request.as_of, request.known_at, with_it)


class ShardDamaged(AsofError):
    """A segment of a shard turned out to be damaged in the middle of a search."""
