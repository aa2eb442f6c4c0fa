"""What a shard knows of a value of all shards, such that several can be made one: who hands on what many
shards gave hands on as much as one gave."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from asof.index.select import at_least, kth_best

Keys = tuple[NDArray[Any], ...]
"""What orders rows, the first key last, as `numpy.lexsort` takes it."""


class Counts(NamedTuple):
    """Counts that are added up."""

    values: NDArray[np.int64]

    @classmethod
    def joined(cls, every: Sequence[Counts]) -> Counts:
        return cls(np.sum([each.values for each in every], axis=0))


class BestScores(NamedTuple):
    """The scores (at most k) that are at least the k-th best."""

    scores: NDArray[np.float64]
    k: int

    @classmethod
    def of(cls, scores: NDArray[np.float64], k: int) -> BestScores:
        """Of some scores; where fewer than k are positive, the others do not matter."""
        best = scores[at_least(scores, kth_best(scores, k))]
        return cls(np.partition(best, len(best) - k)[-k:] if len(best) > k else best, k)

    @classmethod
    def joined(cls, every: Sequence[BestScores]) -> BestScores:
        return cls.of(np.concatenate([each.scores for each in every]), every[0].k)


class BestKeys(NamedTuple):
    """The keys of the first n rows, in their order."""

    keys: Keys
    n: int

    @classmethod
    def joined(cls, every: Sequence[BestKeys]) -> BestKeys:
        keys = tuple(map(np.concatenate, zip(*(each.keys for each in every), strict=True)))
        first = np.lexsort(keys)[: every[0].n]
        return cls(tuple(key[first] for key in keys), every[0].n)


class Arrays(NamedTuple):
    """Arrays of which those of one shard come after those of another."""

    arrays: tuple[NDArray[Any], ...]

    @classmethod
    def joined(cls, every: Sequence[Arrays]) -> Arrays:
        return cls(tuple(map(np.concatenate, zip(*(each.arrays for each in every), strict=True))))


class Largest(NamedTuple):
    """Words or numbers (m), of each of which the largest counts."""

    values: Sequence[Any]

    @classmethod
    def joined(cls, every: Sequence[Largest]) -> Largest:
        return cls(list(map(max, zip(*(each.values for each in every), strict=True))))


def together(given: Sequence[Sequence[Any]]) -> list[list[Any]]:
    """For each of some values what all shards gave of it: one, where parts can be made one (they have a class
    method `joined`)."""
    return [
        [type(values[0]).joined(values)] if hasattr(values[0], "joined") else list(values)
        for values in zip(*given, strict=True)
    ]
