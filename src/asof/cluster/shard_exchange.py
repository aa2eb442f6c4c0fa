"""The exchange of a shard while it runs the first stages of a search."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np

from asof.index.exchange import Later, Rounds, added
from asof.index.partial import Counts
from asof.index.prefix import Prefix

S = TypeVar("S")
T = TypeVar("T")

Gather = Callable[[tuple[Any, ...]], list[list[Any]]]
"""Gives values to all shards, and takes for each what all gave of it (`partial.together`); every shard calls
it equally often."""


class ShardExchange:
    """The exchange of a shard while the first stages run. `known`: document frequencies gathered before."""

    alone = False
    complete = False

    def __init__(self, gather: Gather) -> None:
        self.rounds = Rounds(lambda own: gather(tuple(each() for each in own)))
        self.known: dict[int, int] = {}

    def later(self, own: Callable[[], S], made: Callable[[Sequence[S]], T]) -> Later[T]:
        return self.rounds.later(own, made)

    def dfs(self, prefix: Prefix, terms: Sequence[int]) -> Later[list[int]]:
        return later_dfs(self.rounds, self.known, prefix, terms)

    def ask(self, name: str, own: Callable[[], Any], *arguments: object) -> list[Any]:
        return self.rounds.later(own, list)()


def later_dfs(
    rounds: Rounds, known: dict[int, int], prefix: Prefix, terms: Sequence[int]
) -> Later[list[int]]:
    """See `Exchange.dfs`; `known` is added to."""
    missing = unknown(terms, known)

    def learned(counts: Sequence[Counts]) -> None:
        known.update(zip(missing, added(counts), strict=True))

    asked = rounds.later(lambda: counted(prefix, missing), learned) if missing else None

    def dfs() -> list[int]:
        if asked is not None:
            asked()
        return [known[term] for term in terms]

    return dfs


def counted(prefix: Prefix, terms: Sequence[int]) -> Counts:
    """In how many current passages of a shard each of these terms (hashes) stands."""
    return Counts(np.array(prefix.dfs(terms), np.int64))


def unknown(terms: Iterable[int], known: Mapping[int, int]) -> list[int]:
    """The terms whose document frequencies are not known, each once."""
    return [term for term in dict.fromkeys(terms) if term not in known]
