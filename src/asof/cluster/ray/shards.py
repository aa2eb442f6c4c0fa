"""The shards of a corpus at actors of Ray, as the root sees them."""

from __future__ import annotations

import contextlib
import itertools
import secrets
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from asof.cluster.conversation import Answer, Call, Failed, FromShard, Gathered
from asof.cluster.program import SearchRequest
from asof.cluster.ray.library import ray
from asof.cluster.shards import Talk
from asof.errors import ShardLost

TIMEOUT = 20.0
"""Seconds that an actor may take for a step; one that died is found out sooner."""


class RayShards:
    """Actors that hold the shards: `searchers` has those of each shard, replicas of each other.

    `number`: which manifest a search is of (0 for a folder). A search asks one replica of each shard, in
    turn.
    """

    def __init__(
        self, searchers: Sequence[Sequence[Any]], number: Callable[[], int] = lambda: 0,
        timeout: float = TIMEOUT,
    ) -> None:  # fmt: skip
        self._searchers = searchers
        self._number = number
        self._timeout = timeout
        self._turn = itertools.count()

    @property
    def count(self) -> int:
        return len(self._searchers)

    def begin(self, request: SearchRequest) -> Talk:
        turn = next(self._turn)
        chosen = [replicas[turn % len(replicas)] for replicas in self._searchers]
        return RayTalk(chosen, request, self._number(), self._timeout)


class RayTalk:
    """A search at actors, round by round: a message and what is said to it are one call."""

    def __init__(self, actors: Sequence[Any], request: SearchRequest, number: int, timeout: float) -> None:
        self._actors = actors
        self._timeout = timeout
        self._id = secrets.token_hex(12)
        sent = ray().put(request)
        self._waiting = [actor.begin.remote(self._id, sent, number) for actor in actors]
        if request.recipe is None:  # nothing is said before it is asked
            for failed in self._taken(self._waiting):
                if isinstance(failed, Failed):
                    self.close()
                    raise failed.error

    def receive(self) -> list[FromShard]:
        return self._taken(self._waiting)

    def gathered(self, values: list[Any]) -> None:
        message = ray().put(Gathered(values))
        self._waiting = [actor.step.remote(self._id, message) for actor in self._actors]

    def call(self, calls: Mapping[int, Call]) -> dict[int, Any]:
        waiting = [self._actors[shard].step.remote(self._id, call) for shard, call in calls.items()]
        replies = dict(zip(calls, self._taken(waiting), strict=True))
        for reply in replies.values():
            if isinstance(reply, Failed):
                raise reply.error
        return {shard: reply.value for shard, reply in replies.items() if isinstance(reply, Answer)}

    def close(self) -> None:
        for actor in self._actors:
            with contextlib.suppress(ray().exceptions.RayError):
                actor.end.remote(self._id)

    def _taken(self, waiting: Sequence[Any]) -> list[Any]:
        """The results of calls. Raises ShardLost where an actor died, or gave none in time."""
        errors = ray().exceptions
        try:
            return list(ray().get(list(waiting), timeout=self._timeout))
        except errors.GetTimeoutError as error:
            raise ShardLost(f"a shard gave no answer within {self._timeout:g} s") from error
        except errors.RayTaskError:
            raise  # a fault of ours, with its place
        except errors.RayError as error:
            raise ShardLost(f"the process of a shard ended: {str(error).splitlines()[0]:.200}") from error
