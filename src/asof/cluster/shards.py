"""The shards of a corpus as the root sees them, and those of this process: as one, or a few threads."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol, TypeVar

from asof.cluster.conversation import Answer, Call, Conversation, Failed, FromShard, Gathered, Given
from asof.cluster.program import Chosen, SearchRequest
from asof.cluster.united import Union
from asof.corpus.session import Session
from asof.errors import ShardLost
from asof.index.partial import together

T = TypeVar("T")

PASSAGES_OF_THREAD = 8_000_000
"""Threads that share a search take some 30 ms to exchange what they have: with fewer, one is faster."""


class Talk(Protocol):
    """A search that is under way at all shards: they take turns with the root. Close it."""

    @property
    def count(self) -> int:
        """How many shards it is at."""
        ...

    def receive(self) -> list[FromShard]:
        """What every shard says, in the order of shards."""
        ...

    def gathered(self, values: list[list[Any]]) -> None:
        """Give the values of all to every shard (see `Gathered`)."""
        ...

    def call(self, calls: Mapping[int, Call]) -> dict[int, Any]:
        """The answers of some shards to their calls. Raises what went wrong there."""
        ...

    def close(self) -> None:
        """End the search."""
        ...


class Shards(Protocol):
    """What searches the shards of a corpus."""

    @property
    def count(self) -> int:
        """How many there are to the root: shards that are searched as one are one."""
        ...

    def begin(self, request: SearchRequest) -> Talk:
        """Begin a search at all of them."""
        ...


class LocalShards:
    """The shards that are open in this process: so many `threads` search them (see `threads_for`), each
    several of them as one. `until`: up to when all have all that was written (`SearchRequest.until`)."""

    def __init__(
        self, sessions: Sequence[Session], threads: int | None = None,
        until: Callable[[], int | None] = lambda: None,
    ) -> None:  # fmt: skip
        self.until = until
        each = -(-len(sessions) // (threads or threads_for(sessions)))
        groups = [tuple(sessions[at : at + each]) for at in range(0, len(sessions), each)]
        self._groups = [(group, Union()) for group in groups]
        # what traces a ranking through all of its stages reads all rows in one thread
        self.whole = self._groups[0] if len(groups) == 1 else (tuple(sessions), Union())

    @property
    def count(self) -> int:
        return len(self._groups)

    @property
    def in_one(self) -> tuple[Sequence[Session], Union] | None:
        """All shards, where one thread searches them."""
        return self._groups[0] if len(self._groups) == 1 else None

    def begin(self, request: SearchRequest) -> Talk:
        return LocalTalk([Conversation(*group, request) for group in self._groups])


def threads_for(sessions: Sequence[Session]) -> int:
    """One for each PASSAGES_OF_THREAD passages, and no more than processors."""
    passages: int = sum(
        each.read(lambda db: db.execute("SELECT coalesce(sum(rows), 0) FROM segments").fetchone()[0])
        for each in sessions
    )
    return max(min(passages // PASSAGES_OF_THREAD, processors()), 1)


def processors() -> int:
    """How many this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class LocalTalk:
    """A search at the shards of this process."""

    def __init__(self, conversations: Sequence[Conversation]) -> None:
        self._conversations = conversations

    @property
    def count(self) -> int:
        return len(self._conversations)

    def receive(self) -> list[FromShard]:
        return [each.receive() for each in self._conversations]

    def gathered(self, values: list[list[Any]]) -> None:
        for each in self._conversations:
            each.send(Gathered(values))

    def call(self, calls: Mapping[int, Call]) -> dict[int, Any]:
        for shard, call in calls.items():
            self._conversations[shard].send(call)
        return answers({shard: self._conversations[shard].receive() for shard in calls})

    def close(self) -> None:
        for each in self._conversations:
            each.close()


def answers(replies: Mapping[int, FromShard]) -> dict[int, Any]:
    """The values of answers. Raises what went wrong at a shard, and ShardLost where one said something
    else."""
    said = of_kind(Answer, replies.values())
    return {shard: reply.value for shard, reply in zip(replies, said, strict=True)}


def raise_failed(replies: Iterable[FromShard]) -> None:
    """Raises what went wrong at the first shard at which anything did."""
    for reply in replies:
        if isinstance(reply, Failed):
            raise reply.error


def of_kind(kind: type[T], replies: Iterable[Any]) -> list[T]:
    """The replies, all of which are of a kind: shards take turns in step. Raises what went wrong at a shard,
    and ShardLost where one is out of step."""
    every = list(replies)
    raise_failed(every)
    found = [reply for reply in every if isinstance(reply, kind)]
    if len(found) < len(every):
        raise ShardLost("a shard said something else than what was asked")
    return found


def run(talk: Talk) -> tuple[list[list[list[Any]]], list[Chosen]]:
    """Have all shards run the first stages: what was gathered for them (`Gathered`), round by round; what
    each chose."""
    rounds: list[list[list[Any]]] = []
    while True:
        replies = talk.receive()
        raise_failed(replies)
        if isinstance(replies[0], Given):
            rounds.append(together([reply.value for reply in of_kind(Given, replies)]))
            talk.gathered(rounds[-1])
            continue
        chosen = of_kind(Chosen, replies)
        return rounds[: chosen[0].rounds], chosen
