"""Since when each document has said what it says, and which statements its edits replaced.

A statement stands in a document for a stretch of time: from the instant at which a version first has it until
one lacks it, whatever happens to the passages around it. Two stretches of one document of which one ends when
the other begins are an edit, if their words are alike.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from asof.stale.table import Words

ALIKE = 0.34
"""The least share of words (Jaccard) that a statement has in common with what replaced it."""

LARGEST_EDIT = 10_000
"""The most pairs of an edit that are compared: a page that was written anew replaces nothing in
particular."""

Numbers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Stretches:
    """The stretches of a view, each with one of the statements that it consists of: the first in the document
    of those that end last.

    `statement`: its number; `document`; `since` and `until`: instants, `until` is NEVER for what is current.
    """

    statement: Numbers
    document: Numbers
    since: Numbers
    until: Numbers


def stretches(
    digest: NDArray[np.uint64], document: Numbers, place: Numbers, begin: Numbers, end: Numbers
) -> Stretches:
    """The stretches of statements that stand in their documents, at a place, from `begin` until `end`
    (instants).

    What ends at an instant and begins again at the same one goes on.
    """
    order = np.lexsort((end, begin, digest, document))
    same = np.zeros(len(order), bool)
    digests, documents, begins, ends = digest[order], document[order], begin[order], end[order]
    same[1:] = (digests[1:] == digests[:-1]) & (documents[1:] == documents[:-1])
    reached = _running_most(ends, same)
    goes_on = same.copy()
    goes_on[1:] &= begins[1:] <= reached[:-1]
    first = np.flatnonzero(~goes_on)
    last = np.append(first[1:], len(order))[: len(first)] - 1
    shown = np.lexsort((order, place[order], -ends, np.cumsum(~goes_on)))
    return Stretches(order[shown[first]], documents[first], begins[first], reached[last])


def _running_most(values: Numbers, same: NDArray[np.bool_]) -> Numbers:
    """The greatest value so far in each run of `same`."""
    run = np.cumsum(~same)
    ranks = np.argsort(np.argsort(values, kind="stable"), kind="stable")
    most = np.maximum.accumulate(run * (len(values) + 1) + ranks) - run * (len(values) + 1)
    ordered = np.sort(values, kind="stable")
    return ordered[most] if len(values) else values


class Replacement(NamedTuple):
    """Parallel arrays: the stretch that an edit ended, and the one that it began in its place."""

    old: Numbers
    new: Numbers


def replacements(spans: Stretches, words: Words, now: int) -> Replacement:
    """What replaced what in the edits of documents until `now`, an instant.

    Each stretch is replaced by the one of its edit whose words are most like its own, and replaces one.
    """
    ended = np.flatnonzero(spans.until <= now)
    began = np.flatnonzero(np.isin(spans.since, spans.until[ended]))
    gone = _by_edit(spans.document[ended], spans.until[ended], ended)
    come = _by_edit(spans.document[began], spans.since[began], began)
    old: list[int] = []
    new: list[int] = []
    for edit, removed in gone.items():
        added = come.get(edit, [])
        if added and len(removed) * len(added) <= LARGEST_EDIT:
            for one, other in _matched(removed, added, spans.statement, words):
                old.append(one)
                new.append(other)
    return Replacement(np.array(old, np.int64), np.array(new, np.int64))


def _by_edit(documents: Numbers, instants: Numbers, which: Numbers) -> dict[tuple[int, int], list[int]]:
    edits: dict[tuple[int, int], list[int]] = {}
    for document, instant, each in zip(documents.tolist(), instants.tolist(), which.tolist(), strict=True):
        edits.setdefault((document, instant), []).append(each)
    return edits


def _matched(removed: list[int], added: list[int], statement: Numbers, words: Words) -> list[tuple[int, int]]:
    """Pairs with the most words in common first; none is in two of them."""
    sets = {each: set(words.of(statement[each]).tolist()) for each in (*removed, *added)}
    alike = []
    for place, one in enumerate(removed):
        for other_place, other in enumerate(added):
            common = len(sets[one] & sets[other])
            share = common / (len(sets[one]) + len(sets[other]) - common)
            if share >= ALIKE and sets[one] != sets[other]:
                alike.append((-share, abs(place - other_place), place, other_place))
    pairs: list[tuple[int, int]] = []
    taken: tuple[set[int], set[int]] = (set(), set())
    for _, _, place, other_place in sorted(alike):
        if place not in taken[0] and other_place not in taken[1]:
            taken[0].add(place)
            taken[1].add(other_place)
            pairs.append((removed[place], added[other_place]))
    return pairs


def currently(replaced: Replacement, spans: Stretches, now: int) -> Replacement:
    """For each stretch that was replaced the current one at the end of its replacements; without those whose
    line was broken off."""
    follows = np.full(len(spans.since), -1, np.int64)
    follows[replaced.old] = replaced.new
    last = replaced.new.copy()
    while True:
        more = np.flatnonzero((spans.until[last] <= now) & (follows[last] >= 0))
        if not len(more):
            break
        last[more] = follows[last[more]]
    current = spans.until[last] > now
    return Replacement(replaced.old[current], last[current])
