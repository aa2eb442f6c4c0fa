"""The shards of a corpus at actors of Ray, as the root sees them."""

from __future__ import annotations

import itertools
import secrets
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, NamedTuple

from asof.cluster.conversation import Call, Failed, FromShard, Gathered, ToShard
from asof.cluster.program import SearchRequest
from asof.cluster.ray.lines import Begin, Line, Lines, Written
from asof.cluster.shards import Talk, answers
from asof.errors import ManifestExpired, ShardLost, StorageUnavailable

TIMEOUT = 20.0
"""Seconds that an actor may take for a step; one that died is found out sooner."""

AVOIDED = 10.0
"""Seconds for which an actor that was lost is not asked, where there is another."""


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
        self._lines = Lines()
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
        request = replace(request, ahead=True)
        return RayTalk(chosen, request, state.number, self._timeout, self._lines, self._avoid)

    def _of(self, state: SearchedState) -> Sequence[Sequence[Any]]:
        """The actors of the shards of a state."""
        with self._growing:
            while self._more is not None and len(self._searchers) < state.shards:
                self._searchers.append(self._more(len(self._searchers)))
            return self._searchers[: state.shards or None]

    def _avoid(self, actor: Any) -> None:
        """An actor that was lost is not asked for a while, where the shard has another one."""
        self._lost[actor] = time.monotonic()
        self._lines.lost(actor)

    def close(self) -> None:
        """Close the connections to actors."""
        self._lines.close()


class RayTalk:
    """A search at actors, round by round: what is said to all of them, and then what each says."""

    def __init__(
        self, actors: Sequence[Any], request: SearchRequest, number: int, timeout: float, lines: Lines,
        lost: Callable[[Any], None],
    ) -> None:  # fmt: skip
        self._actors = actors
        self._lines = lines
        self._lost = lost
        self._timeout = timeout
        self._beginning = Begin(secrets.token_hex(12), request, number, None)
        self._begun: dict[int, Line] = {}
        if request.recipe is not None:  # else nothing is said before it is asked
            try:
                written = Written()
                for shard in range(len(actors)):
                    self._begin(shard, self._beginning, written)
            except BaseException:
                self.close()
                raise

    @property
    def count(self) -> int:
        return len(self._actors)

    def receive(self) -> list[FromShard]:
        return self._taken(range(len(self._actors)))

    def gathered(self, values: list[list[Any]]) -> None:
        self._ask(dict.fromkeys(self._begun, Gathered(values)))

    def call(self, calls: Mapping[int, Call]) -> dict[int, Any]:
        self._ask({shard: call for shard, call in calls.items() if shard in self._begun})
        for shard, call in calls.items():
            if shard not in self._begun:  # one round less than to begin and then to ask
                self._begin(shard, self._beginning._replace(call=call), Written())
        return answers(dict(zip(calls, self._taken(calls), strict=True)))

    def close(self) -> None:
        for line in self._begun.values():
            line.end()
        self._begun.clear()

    def _begin(self, shard: int, beginning: Begin, written: Written) -> None:
        with self._watched(shard) as actor:
            until = time.monotonic() + self._timeout
            self._begun[shard] = self._lines.begin(actor, beginning, written, until)

    def _ask(self, messages: Mapping[int, ToShard]) -> None:
        written = Written()
        for shard, message in messages.items():
            with self._watched(shard):
                self._begun[shard].ask(message, written)

    def _taken(self, shards: Iterable[int]) -> list[FromShard]:
        """What shards say. Raises ShardLost where one died, said nothing in time, or cannot open its shard at
        the manifest of the search just now."""
        until, results = time.monotonic() + self._timeout, []
        for shard in shards:
            with self._watched(shard):
                said = self._begun[shard].take(until)
                if isinstance(said, Failed) and isinstance(said.error, ManifestExpired | StorageUnavailable):
                    raise ShardLost(f"a shard could not be opened: {said.error}") from said.error
            results.append(said)
        return results

    @contextmanager
    def _watched(self, shard: int) -> Iterator[Any]:
        """Its actor, of which is noted where it is lost."""
        try:
            yield self._actors[shard]
        except ShardLost:
            self._lost(self._actors[shard])
            raise
