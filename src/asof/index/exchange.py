"""What a stage asks of all passages where a corpus lies in shards: counts, extremes, the best of all.

A corpus in one piece asks itself (`ALONE`). In a corpus of shards each shard runs the same stages over its
own rows, and at the same points all give what they have (`gather`) and get the values of all. Only whole
numbers are added up and only values that exist are compared, so the result does not depend on how documents
are spread. Whatever decides on the way of a stage has to come from such values: then all shards take the same
way.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from asof.index.prefix import Prefix
from asof.index.select import at_least, kth_best

T = TypeVar("T")


DfsOf = tuple[Prefix, Sequence[int]]
"""Terms (hashes) whose document frequencies are wanted, and the rows that are counted here."""


class Exchange(Protocol):
    """How a view learns of what other shards hold.

    `alone`: what a stage has is all that it chooses from, so `gather` gives the own value alone. `complete`:
    the rows of the view are all rows of the corpus."""

    @property
    def alone(self) -> bool: ...

    @property
    def complete(self) -> bool: ...

    def gather(self, own: T, soon: DfsOf | None = None) -> list[T]:
        """What every shard gives at this point, in the order of shards. `soon`: document frequencies that are
        asked for next, which travel along."""
        ...

    def dfs(self, prefix: Prefix, terms: Sequence[int]) -> list[int]:
        """In how many current passages each of these terms (hashes) stands."""
        ...

    def ask(self, name: str, own: Callable[[], Any], *arguments: object) -> list[Any]:
        """What every shard answers to a question by `name` (`asof.cluster.calls`); `own` is the answer of a
        corpus in one piece."""
        ...


class Alone:
    """The exchange of a corpus in one piece."""

    alone = True
    complete = True

    def gather(self, own: T, soon: DfsOf | None = None) -> list[T]:
        return [own]

    def dfs(self, prefix: Prefix, terms: Sequence[int]) -> list[int]:
        return prefix.dfs(terms)

    def ask(self, name: str, own: Callable[[], Any], *arguments: object) -> list[Any]:
        return [own()]


ALONE = Alone()


class Best(NamedTuple):
    """Places of the best rows that are held here, best first, and their ranks among those of all shards, from
    0 on; `number`: how many all shards hold of them."""

    places: NDArray[np.int64]
    ranks: NDArray[np.int64]
    number: int


Keys = tuple[NDArray[Any], ...]
"""What orders rows, the first key last, as `numpy.lexsort` takes it."""


def totals(exchange: Exchange, *own: int) -> tuple[int, ...]:
    """The sums of counts over all shards."""
    return own if exchange.alone else tuple(map(sum, zip(*exchange.gather(own), strict=True)))


def largest(exchange: Exchange, own: float) -> float:
    """The largest value of all shards."""
    return own if exchange.alone else max(exchange.gather(own))


def smallest(exchange: Exchange, own: float) -> float:
    """The smallest value of all shards."""
    return own if exchange.alone else min(exchange.gather(own))


def kth_best_of_all(exchange: Exchange, scores: NDArray[np.float64], k: int) -> float:
    """The k-th largest of the scores of all shards, 0 when fewer than k are positive: it is among the k best
    of each."""
    if exchange.alone:
        return kth_best(scores, k)
    best = scores[at_least(scores, kth_best(scores, k))]
    if len(best) > k:
        best = np.partition(best, len(best) - k)[-k:]
    return kth_best(np.concatenate(exchange.gather(best)), k)


def best_of_all(exchange: Exchange, keys: Keys, n: int) -> Best:
    """The rows that are held here among the `n` first of all shards in the order of `keys`.

    No two rows of different shards have equal keys: the digest of their documents is among them.
    """
    order = np.lexsort(keys)[:n]
    if exchange.alone:
        return Best(order, np.arange(len(order)), len(order))
    gathered = exchange.gather(tuple(key[order] for key in keys))
    every = tuple(np.concatenate(each) for each in zip(*gathered, strict=True))
    first = np.lexsort(every)[:n]
    ranks = np.full(len(every[0]), -1)
    ranks[first] = np.arange(len(first))
    # own rows are found by their keys: who looks on without a share of its own holds some of them, too
    mine = _places_of(every, tuple(key[order] for key in keys))
    own = ranks[mine[mine >= 0]]
    kept = own >= 0
    return Best(order[mine >= 0][kept], own[kept], len(first))


def _places_of(every: Keys, some: Keys) -> NDArray[np.int64]:
    """The place in `every` of each row of `some` by its keys; -1: it is not there."""
    at = {row: place for place, row in enumerate(zip(*(key.tolist() for key in every), strict=True))}
    rows = zip(*(key.tolist() for key in some), strict=True)
    return np.array([at.get(row, -1) for row in rows], np.int64)
