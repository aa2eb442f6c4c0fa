"""The side of shards in a search, which runs the first stages and then answers what is asked. Shards of one
process can be searched as one (`united.py`); to the others they are one shard.

The view is made once, in one read transaction, so whatever is written meanwhile does not show. Messages go
both ways: the shard gives a value to gather and waits for those of all; at the end of the first stages it
sends the rows that it chose; from then on it answers calls until it is told to end.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
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


@dataclass(slots=True)
class ShardSide:
    """The side of a shard, or of several as one, in a search. `say` and `hear` take turns with the root,
    beginning with what the shard says; where nothing is searched, it hears a call first."""

    sessions: Sequence[Session]
    union: Union
    request: SearchRequest
    say: Callable[[FromShard], None]
    hear: Callable[[], ToShard]

    def run(self) -> None:
        """Take part to the end of the search. What goes wrong is said."""
        try:
            used(self.sessions, self.request, self._talk)
        except Ended:
            pass
        except Exception as error:  # noqa: BLE001  it is raised again where the question was asked
            self.say(Failed(error))

    def _talk(self, views: tuple[View, ...]) -> None:
        try:
            view = self.union.of(views)
            answered = partial(answer, self.union, views, view, self.request)
            if self.request.recipe is not None:
                describe = partial(answered, "succession.described")
                self.say(first_stages(self.request, view, self._gather, describe))
            while not isinstance(message := self.hear(), End):
                assert isinstance(message, Call)  # noqa: S101  no values are gathered any more
                self.say(Answer(answered(message.name, *message.arguments)))
        except DamagedSegment as damage:
            # what was said cannot be taken back, so the whole search has to begin anew, with a sound segment
            raise ShardDamaged(str(damage)) from damage

    def _gather(self, own: tuple[Any, ...]) -> list[list[Any]]:
        self.say(Given(own))
        message = self.hear()
        if isinstance(message, End):
            raise Ended
        assert isinstance(message, Gathered)  # noqa: S101  a shard that gathers is asked nothing
        return message.values


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
