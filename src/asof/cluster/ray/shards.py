"""The shards of a corpus at actors of Ray, as the root sees them."""

from __future__ import annotations

import contextlib
import itertools
import secrets
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from asof.cluster.conversation import Answer, Call, Failed, FromShard, Gathered
from asof.cluster.program import SearchRequest
from asof.cluster.ray.library import ray
from asof.cluster.shards import Talk
from asof.errors import ManifestExpired, ShardLost, StorageUnavailable

TIMEOUT = 20.0
"""Seconds that an actor may take for a step; one that died is found out sooner."""

AVOIDED = 10.0
"""Seconds for which an actor that was lost is not asked, where there is another."""


FEW = 8
"""Actors up to which values are sent with each call: to more, they are put once where all can fetch them."""


class SearchedState(NamedTuple):
    """The manifest that a search is of (0: a folder, which has none), and where some shards may have more
    than others, the instant up to which all have everything: of what came later nothing is known. `shards`:
    how many there are in it (0: as many as there were)."""

    number: int = 0
    whole: int | None = None
    shards: int = 0


class RayShards:
    """Actors that hold the shards: `searchers` has those of each shard, replicas of each other.

    `state`: what a search is of. It asks one replica of each shard, in turn; one that was lost is left out
    for a while. Where a state has more shards than there were, `more` starts the actors of one.
    """

    def __init__(
        self, searchers: list[Sequence[Any]], state: Callable[[], SearchedState] = SearchedState,
        timeout: float = TIMEOUT, more: Callable[[int], Sequence[Any]] | None = None,
    ) -> None:  # fmt: skip
        self._searchers = searchers
        self._more = more
        self._growing = threading.Lock()
        self._state = state
        self._timeout = timeout
        self._turn = itertools.count()
        self._lost: dict[Any, float] = {}

    @property
    def count(self) -> int:
        return len(self._searchers)

    def begin(self, request: SearchRequest) -> Talk:
        turn, late = next(self._turn), time.monotonic() - AVOIDED
        state = self._state()
        chosen = []
        for replicas in self._of(state):
            there = [each for each in replicas if self._lost.get(each, late) <= late] or replicas
            chosen.append(there[turn % len(there)])
        if state.whole is not None:
            known = state.whole if request.known_at is None else min(request.known_at, state.whole)
            request = replace(request, known_at=known)
        return RayTalk(chosen, request, state.number, self._timeout, self._avoid)

    def _of(self, state: SearchedState) -> Sequence[Sequence[Any]]:
        """The actors of the shards of a state."""
        with self._growing:
            while self._more is not None and len(self._searchers) < state.shards:
                self._searchers.append(self._more(len(self._searchers)))
            return self._searchers[: state.shards or None]

    def _avoid(self, actor: Any) -> None:
        """An actor that was lost is not asked for a while, where the shard has another one."""
        self._lost[actor] = time.monotonic()


class RayTalk:
    """A search at actors, round by round: a message and what is said to it are one call."""

    def __init__(
        self, actors: Sequence[Any], request: SearchRequest, number: int, timeout: float,
        lost: Callable[[Any], None],
    ) -> None:  # fmt: skip
        self._actors = actors
        self._lost = lost
        self._timeout = timeout
        self._id = secrets.token_hex(12)
        self._request = request
        self._number = number
        self._begun: set[int] = set()
        self._waiting: list[Any] = []
        if request.recipe is not None:  # else nothing is said before it is asked
            self._waiting = [self._begin(shard) for shard in range(len(actors))]

    @property
    def count(self) -> int:
        return len(self._actors)

    def receive(self) -> list[FromShard]:
        return self._taken(self._actors, self._waiting)

    def gathered(self, values: list[Any]) -> None:
        message: Any = Gathered(values)
        if len(values) > FEW:
            message = ray().put(message)
        self._waiting = [actor.step.remote(self._id, message) for actor in self._actors]

    def call(self, calls: Mapping[int, Call]) -> dict[int, Any]:
        actors = [self._actors[shard] for shard in calls]
        waiting = [
            self._actors[shard].step.remote(self._id, call)
            if shard in self._begun
            else self._begin(shard, call)
            for shard, call in calls.items()
        ]
        replies = dict(zip(calls, self._taken(actors, waiting), strict=True))
        for reply in replies.values():
            if isinstance(reply, Failed):
                raise reply.error
        return {shard: reply.value for shard, reply in replies.items() if isinstance(reply, Answer)}

    def close(self) -> None:
        for shard in self._begun:
            with contextlib.suppress(ray().exceptions.RayError):
                self._actors[shard].end.remote(self._id)

    def _begin(self, shard: int, call: Call | None = None) -> Any:
        """Begin at a shard, where nothing is searched with a first call: one round less."""
        self._begun.add(shard)
        return self._actors[shard].begin.remote(self._id, self._request, self._number, call)

    def _taken(self, actors: Sequence[Any], waiting: Sequence[Any]) -> list[Any]:
        """The results of calls of actors. Raises ShardLost where one died, gave none in time, or cannot open
        its shard at the manifest of the search just now."""
        errors, until = ray().exceptions, time.monotonic() + self._timeout
        results = []
        for actor, each in zip(actors, waiting, strict=True):
            try:
                said = ray().get(each, timeout=max(until - time.monotonic(), 0.01))
            except errors.GetTimeoutError as error:
                self._lost(actor)
                raise ShardLost(f"a shard gave no answer within {self._timeout:g} s") from error
            except errors.RayTaskError:
                raise  # a fault of ours, with its place
            except errors.RayError as error:
                self._lost(actor)
                reason = str(error).splitlines()[0]
                raise ShardLost(f"the process of a shard ended: {reason:.200}") from error
            if isinstance(said, Failed) and isinstance(said.error, ManifestExpired | StorageUnavailable):
                self._lost(actor)
                raise ShardLost(f"a shard could not be opened: {said.error}") from said.error
            results.append(said)
        return results
