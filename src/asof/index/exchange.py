"""What a stage asks of all passages where a corpus lies in shards: counts, extremes, the best of all.

A corpus in one piece asks itself (`ALONE`). In a corpus of shards each shard runs the same stages over its
own rows, and at the same points all give what they have (`gather`) and get the values of all. Only whole
numbers are added up and only values that exist are compared, so the result does not depend on how documents
are spread. Whatever decides on the way of a stage has to come from such values: then all shards take the same
way.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from asof.index.partial import BestKeys, BestScores, Counts, Keys
from asof.index.prefix import Prefix
from asof.index.select import kth_best

S = TypeVar("S")
T = TypeVar("T")

Later = Callable[[], T]
"""A value of all shards that has been asked for: calling it gives the value, and waits for it if need be."""


class Exchange(Protocol):
    """How a view learns of what other shards hold.

    `alone`: what a stage has is all that it chooses from, so it is asked alone. `complete`: the rows of the
    view are all rows of the corpus. What is asked for later goes with the next round: all shards ask for the
    same in the same order, and call for values at the same points."""

    @property
    def alone(self) -> bool: ...

    @property
    def complete(self) -> bool: ...

    def later(self, own: Callable[[], S], made: Callable[[Sequence[S]], T]) -> Later[T]:
        """What is `made` of the values that every shard gives, in the order of shards; `own` gives this
        one's."""
        ...

    def dfs(self, prefix: Prefix, terms: Sequence[int]) -> Later[list[int]]:
        """In how many current passages each of these terms (hashes) stands; `prefix`: those that are counted
        here. It is known from the next round on, called for or not."""
        ...

    def ask(self, name: str, own: Callable[[], Any], *arguments: object) -> list[Any]:
        """What every shard answers to a question by `name` (`asof.cluster.calls`); `own` is the answer of a
        corpus in one piece."""
        ...


class Alone:
    """The exchange of a corpus in one piece."""

    alone = True
    complete = True

    def later(self, own: Callable[[], S], made: Callable[[Sequence[S]], T]) -> Later[T]:
        return lambda: made([own()])

    def dfs(self, prefix: Prefix, terms: Sequence[int]) -> Later[list[int]]:
        return lambda: prefix.dfs(terms)

    def ask(self, name: str, own: Callable[[], Any], *arguments: object) -> list[Any]:
        return [own()]


ALONE = Alone()


class Rounds:
    """What has been asked of all shards and waits for the next round. `gather` gives one's values, made when
    they are sent, and takes for each what all shards gave (`partial.together`); `count`: how often it did."""

    def __init__(self, gather: Callable[[list[Callable[[], Any]]], Sequence[Sequence[Any]]]) -> None:
        self._gather = gather
        self._waiting: list[_Asked[Any]] = []
        self.count = 0

    def later(self, own: Callable[[], S], made: Callable[[Sequence[S]], T]) -> Later[T]:
        """See `Exchange.later`."""
        asked = _Asked(self, own, made)
        self._waiting.append(asked)
        return asked

    def run(self) -> None:
        """Gather all that waits."""
        waiting, self._waiting = self._waiting, []
        self.count += 1
        given = self._gather([each.own for each in waiting])
        for asked, values in zip(waiting, given, strict=True):
            asked.value = asked.made(values)
            asked.known = True


class _Asked(Generic[T]):
    """What was asked for."""

    value: T

    def __init__(self, rounds: Rounds, own: Callable[[], Any], made: Callable[[Sequence[Any]], T]) -> None:
        self.rounds, self.own, self.made, self.known = rounds, own, made, False

    def __call__(self) -> T:
        if not self.known:
            self.rounds.run()
        return self.value


class Best(NamedTuple):
    """Places of the best rows that are held here, best first, and their ranks among those of all shards, from
    0 on; `number`: how many all shards hold of them."""

    places: NDArray[np.int64]
    ranks: NDArray[np.int64]
    number: int


def gather(exchange: Exchange, own: T) -> list[T]:
    """The values of all shards, in their order."""
    return exchange.later(lambda: own, list)()


def totals(exchange: Exchange, *own: int) -> Later[tuple[int, ...]]:
    """The sums of counts over all shards."""
    return exchange.later(lambda: Counts(np.array(own, np.int64)), lambda every: tuple(added(every)))


def added(every: Sequence[Counts]) -> list[int]:
    """The sums of counts."""
    sums: list[int] = Counts.joined(every).values.tolist()
    return sums


def largest(exchange: Exchange, own: float) -> Later[float]:
    """The largest value of all shards."""
    return exchange.later(lambda: own, max)


def smallest(exchange: Exchange, own: float) -> Later[float]:
    """The smallest value of all shards."""
    return exchange.later(lambda: own, min)


def kth_best_of_all(exchange: Exchange, scores: NDArray[np.float64], k: int) -> Later[float]:
    """The k-th largest of the scores of all shards, 0 when fewer than k are positive: it is among the k best
    of each."""
    if exchange.alone:
        return lambda: kth_best(scores, k)

    return exchange.later(
        lambda: BestScores.of(scores, k), lambda every: kth_best(BestScores.joined(every).scores, k)
    )


def best_of_all(exchange: Exchange, keys: Keys, n: int) -> Later[Best]:
    """The rows that are held here among the `n` first of all shards in the order of `keys`.

    No two rows of different shards have equal keys: the digest of their documents is among them.
    """
    order = np.lexsort(keys)[:n]
    if exchange.alone:
        return lambda: Best(order, np.arange(len(order)), len(order))
    held = tuple(key[order] for key in keys)

    def made(gathered: Sequence[BestKeys]) -> Best:
        first = BestKeys.joined(gathered).keys
        # own rows are found by their keys: who looks on without a share of its own holds some of them, too
        ranks = _places_of(first, held)
        return Best(order[ranks >= 0], ranks[ranks >= 0], len(first[0]))

    return exchange.later(lambda: BestKeys(held, n), made)


def _places_of(every: Keys, some: Keys) -> NDArray[np.int64]:
    """The place in `every` of each row of `some` by its keys; -1: it is not there."""
    at = {row: place for place, row in enumerate(zip(*(key.tolist() for key in every), strict=True))}
    rows = zip(*(key.tolist() for key in some), strict=True)
    return np.array([at.get(row, -1) for row in rows], np.int64)
