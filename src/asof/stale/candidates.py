"""Which pairs of statements may be about the same: those that share two of their rarest words.

How rare a word is, is counted over the current statements of the view.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from asof.stale.table import Words
from asof.text.shingles import mixed

OWN, ABOVE = 6, 2
"""So many of the rarest words of a statement, and of the title and headings above it, are its keys in pairs;
at least one of two is its own."""

CROWD = 20
"""A pair of words that more statements share says nothing."""

Numbers = NDArray[np.int64]


def distinct(values: NDArray[Any]) -> NDArray[Any]:
    """The distinct values, ascending; many times as fast as numpy's own for millions of whole numbers."""
    ordered = np.sort(values)
    keep = np.ones(len(ordered), bool)
    np.not_equal(ordered[1:], ordered[:-1], out=keep[1:])
    return ordered[keep]


class Pairs(NamedTuple):
    """Parallel arrays of statements."""

    one: Numbers
    other: Numbers


def rarest(table: Words, rank: NDArray[np.int64], most: int) -> NDArray[np.int64]:
    """The `most` rarest distinct words of each statement, (n, most), as ranks; -1 where it has fewer.

    `rank`: of each word, from the rarest on; -1 for a word that does not count.
    """
    owners, ranks = table.owners(), rank[table.terms]
    keep = ranks >= 0
    keys = distinct((owners[keep] << 32) | ranks[keep])
    owner, ordered = keys >> 32, keys & 0xFFFFFFFF
    first = np.searchsorted(owner, np.arange(table.n))
    place = np.arange(len(owner)) - first[owner]
    chosen = np.full((table.n, most), -1, np.int64)
    inside = place < most
    chosen[owner[inside], place[inside]] = ordered[inside]
    return chosen


def keys_of(own: NDArray[np.int64], above: NDArray[np.int64]) -> tuple[NDArray[np.uint64], Numbers]:
    """The keys of statements, given the rarest words of each (n, OWN) and of what is above it (n, ABOVE): the
    keys, and whose they are."""
    keys, owners = [np.zeros(0, np.uint64)], [np.zeros(0, np.int64)]
    for at in range(own.shape[1]):
        one = own[:, at]
        columns = [*own.T[at + 1 :], *above.T]
        for other in columns:
            whose = np.flatnonzero((one >= 0) & (other >= 0) & (one != other))
            low, high = np.minimum(one, other)[whose], np.maximum(one, other)[whose]
            keys.append(mixed(low.astype(np.uint64) << np.uint64(32) | high.astype(np.uint64)))
            owners.append(whose)
    return np.concatenate(keys), np.concatenate(owners)


def sharing(keys: NDArray[np.uint64], owners: Numbers, n: int) -> Pairs:
    """The pairs of statements that share a key, each once, the lower number first; `n`: how many there
    are."""
    order = np.argsort(keys, kind="stable")
    ordered, whose = keys[order], owners[order]
    starts = np.flatnonzero(np.diff(ordered, prepend=ordered[:1] ^ np.uint64(1)))
    sizes = np.diff(np.append(starts, len(ordered)))
    found = [np.zeros(0, np.int64)]
    for size in range(2, CROWD + 1):
        groups = starts[sizes == size]
        if len(groups):
            members = np.sort(whose[groups[:, None] + np.arange(size)], axis=1)
            one, other = np.triu_indices(size, 1)
            pairs = (members[:, one] * n + members[:, other]).ravel()
            found.append(distinct(pairs))
    pairs = distinct(np.concatenate(found))
    one, other = pairs // max(n, 1), pairs % max(n, 1)
    apart = one != other
    return Pairs(one[apart], other[apart])


def between(
    keys: NDArray[np.uint64], owners: Numbers, asked: NDArray[np.uint64], askers: Numbers, n: int
) -> Pairs:
    """The pairs of an asker and a statement (of `n`) that share a key, each once."""
    wanted = distinct(asked)
    there = np.minimum(np.searchsorted(wanted, keys), len(wanted) - 1)
    shared = np.flatnonzero(wanted[there] == keys) if len(wanted) else np.zeros(0, np.int64)
    shared = shared[np.argsort(keys[shared], kind="stable")]
    ordered, whose = keys[shared], owners[shared]
    begin, end = np.searchsorted(ordered, asked, "left"), np.searchsorted(ordered, asked, "right")
    sizes = np.where(end - begin <= CROWD, end - begin, 0)
    places = np.repeat(begin - np.cumsum(sizes) + sizes, sizes) + np.arange(int(sizes.sum()))
    pairs = distinct(np.repeat(askers, sizes) * n + whose[places])
    return Pairs(pairs // max(n, 1), pairs % max(n, 1))
