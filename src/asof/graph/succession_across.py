"""Succession across shards: that of one corpus of all their documents, by few messages of bounded size.

A predecessor is the best of few candidates (`candidates.py`): the last nodes before a passage with each of
its keys, and what an edit ended in its document. Every shard sends its last ones, among which are the last
ones of all; the `Linker` of one corpus decides among them. A successor is the earliest of the possible ones
(`successor_order`) whose predecessor is the passage: their candidates are asked for in another round.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from asof.graph.candidates import subject_keys
from asof.graph.limits import DEFAULT, GraphLimits
from asof.graph.passage_pool import PassagePool
from asof.graph.passage_table import Passages, PassageTable, in_order, is_after, successor_order
from asof.graph.succession import LONGEST, Successor
from asof.graph.succession_shards import Followed, Neighbours, Windows
from asof.time.span import NEVER

Ask = Callable[..., list[Any]]
"""`ask(name, *arguments)`: what every shard answers (`SHARD_FUNCTIONS`) at the moment (T, K) of the view."""

NONE = -1
FIRST_TRIED, TRIED_NEXT = 4, 4
"""So many possible successors of a passage are linked first, and so many times as many in each next round."""

AHEAD = 12
"""The most passages of a series that are looked for in one round with the one that is wanted."""


@dataclass(slots=True)
class _Search:
    """The search for the successor of a passage.

    `found`: possible successors that come before all others, in `successor_order`, without those that are
    known not to follow it. `remaining`: those that the windows of their subjects do not exclude. `beyond`:
    the position after which more are asked for, None if there are none. `linked`: how many were linked in the
    last round at most.
    """

    found: list[int] = field(default_factory=list)
    remaining: set[int] = field(default_factory=set)
    beyond: NDArray[np.int64] | None = None
    linked: int = 0


@dataclass(slots=True)
class SuccessionAcross:
    """The chains among the passages of all shards that are visible at (T, K), ended ones included.

    Passages are given by their numbers, which are unique over all shards; -1 is none. What was asked for is
    kept, so an object serves one moment, and one thread at a time.
    """

    ask: Ask
    limits: GraphLimits = DEFAULT
    _pool: PassagePool = field(init=False)
    _described: set[int] = field(default_factory=set)
    _before: dict[int, int] = field(default_factory=dict)
    _after: dict[int, int] = field(default_factory=dict)
    _searches: dict[int, _Search] = field(default_factory=dict)
    _judged: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        self._pool = PassagePool(self.limits)

    def know(self, described: Sequence[PassageTable]) -> None:
        """Take in passages that shards have described unasked."""
        if described:
            self._pool.add(described)
            self._described.update(self._pool.table.passages.tolist())

    def predecessors(self, passages: Passages) -> Passages:
        """For each passage the earlier one that it follows, or -1 (as `Succession.predecessors`)."""
        self._describe(passages)
        self._round(link=self._pool.dated(passages, but=self._before))
        return _looked_up(self._before, passages)

    def successors(self, passages: Passages) -> Passages:
        """For each passage the one that follows it, or -1: of its own document if one does, else the
        earliest."""
        self._describe(passages)
        self._search(self._pool.dated(passages, but=self._after))
        return _looked_up(self._after, passages)

    def superseded(self, passages: Passages) -> list[Successor | None]:
        """For each passage its successor (`row` is the number of the passage), None for none."""
        after = self.successors(passages)
        visible = self._pool.instants("visible", after)
        return [
            Successor(passage, instant) if passage != NONE else None
            for passage, instant in zip(after.tolist(), visible.tolist(), strict=True)
        ]

    def in_series(self, passages: Passages) -> NDArray[np.bool_]:
        """Which passages have a predecessor or a successor."""
        self._describe(passages)
        unasked = self._after.keys() | self._searches.keys()
        self._round(
            link=self._pool.dated(passages, but=self._before),
            follow=self._pool.dated(passages, but=unasked),
        )
        follows = _looked_up(self._before, passages) != NONE
        self._search(self._pool.dated(passages[~follows], but=self._after))
        inside: NDArray[np.bool_] = follows | (_looked_up(self._after, passages) != NONE)
        return inside

    def series(self, passage: int) -> Passages:
        """The chain through a passage, in order of time; the passage alone if it has none."""
        back = self._walk(passage, self._step_back)
        return np.array([*reversed(back), passage, *self._walk(passage, self._step_on)], np.int64)

    def ends(self, passages: Passages) -> list[int | None]:
        """The end of each passage, as far as the view knows it; None for a current one."""
        self._describe(passages)
        return [None if end == NEVER else end for end in self._pool.instants("end", passages).tolist()]

    def same_statement(self, passage: int) -> Passages:
        """The other passages, of any time, that state the same of the same subject as a passage."""
        one = np.array([passage], np.int64)
        self._describe(one)
        if self._pool.places(one)[0] < 0:
            return np.zeros(0, np.int64)
        found: list[Passages] = self.ask("succession.same_statement", self._pool.take(one))
        return np.concatenate(found)

    def newest_of(self, passages: Passages) -> int:
        """Of some versions of a passage (ascending) the current one, else the last; -1 where none is there.
        (As `Succession.row_of`.)"""
        self._describe(passages)
        there = passages[self._pool.places(passages) >= 0]
        current = [one for one, end in zip(there.tolist(), self.ends(there), strict=True) if end is None]
        return next(iter(current or reversed(there.tolist())), NONE)

    # -- rounds ---------------------------------------------------------------------------------------

    def _describe(self, passages: Passages) -> None:
        """Ask for passages that are not known yet."""
        places = self._pool.places(passages).tolist()
        wanted = {
            each
            for each, place in zip(passages.tolist(), places, strict=True)
            if place < 0 and each >= 0 and each not in self._described
        }
        if wanted:
            self._described |= wanted
            self._pool.add(self.ask("succession.described", np.array(sorted(wanted), np.int64)))

    def _round(self, link: Iterable[int] = (), follow: Iterable[int] = (), judge: Iterable[int] = ()) -> None:
        """Ask for what decides the predecessors of the passages `link`, which are then decided; for possible
        successors of the passages `follow`; and for the windows of the subjects of the passages `judge`."""
        linked, followed, judged = (np.array(sorted(set(each)), np.int64) for each in (link, follow, judge))
        if not len(linked) and not len(followed) and not len(judged):
            return
        wanted = self._followed(followed)
        replies: list[Neighbours] = self.ask("succession.neighbours", self._windows(linked, judged), wanted)
        self._pool.add([reply.table for reply in replies])
        if len(linked):
            self._before.update(dict.fromkeys(linked.tolist(), NONE))
            self._before.update(self._pool.linked(linked))
        self._judged.update(judged.tolist())
        self._take_in(wanted, replies)

    def _windows(self, linked: Passages, judged: Passages) -> Windows:
        table, others = self._pool.take(linked), self._pool.take(judged)
        keys = np.concatenate([table.keys, subject_keys(others.columns["subject"])])
        visible = np.concatenate([table.columns["visible"][table.owners], others.columns["visible"]])
        distinct = np.unique(np.stack([keys, visible.view(np.uint64)]), axis=1)
        return Windows(distinct[0], distinct[1].view(np.int64), linked)

    def _followed(self, passages: Passages) -> Followed:
        beyond = np.full((len(passages), 5), np.iinfo(np.int64).min)
        for place, passage in enumerate(passages.tolist()):
            search = self._searches.get(passage)
            if search is not None and search.beyond is not None:
                beyond[place] = search.beyond
        return Followed(self._pool.take(passages), beyond)

    def _take_in(self, wanted: Followed, replies: Sequence[Neighbours]) -> None:
        """Add possible successors to the searches, up to the last one that no shard has others before."""
        passages, table = wanted.table.passages, self._pool.table
        if not len(passages):
            return
        which = np.concatenate([reply.which for reply in replies])
        later = self._pool.places(np.concatenate([reply.later for reply in replies]))
        own = table.columns["document"][later] == wanted.table.columns["document"][which]
        positions = successor_order(table, later, own)
        certain = _certain(replies, which, positions)
        searches = [self._searches.setdefault(passage, _Search()) for passage in passages.tolist()]
        for place in in_order(positions, which).tolist():
            last = certain[which[place]]
            if last is None or not is_after(positions[place : place + 1], last[None])[0]:
                searches[which[place]].found.append(int(table.passages[later[place]]))
        for search, last in zip(searches, certain, strict=True):
            search.beyond = last

    # -- successors -----------------------------------------------------------------------------------

    def _search(self, passages: Iterable[int], ahead: Iterable[int] = ()) -> None:
        """Decide the successors of passages; of those `ahead` what is decided by the way."""
        wanted, ahead = set(passages), set(ahead)
        while True:
            self._exclude(wanted | ahead)
            link: set[int] = set()
            follow: set[int] = set()
            judge: set[int] = set()
            for passage in wanted | ahead:
                self._advance(passage, link, follow, judge)
            wanted -= self._after.keys()
            ahead -= self._after.keys()
            if not wanted:
                return
            self._round(link, follow, judge)

    def _exclude(self, passages: set[int]) -> None:
        """Drop possible successors that are known not to follow."""
        searches = [(each, self._searches[each]) for each in passages if each in self._searches]
        for passage, search in searches:
            search.found = [each for each in search.found if self._before.get(each, passage) == passage]
        excluded = self._pool.excluded([
            (each, passage)
            for passage, search in searches
            for each in search.found
            if each in self._judged and each not in search.remaining and each not in self._before
        ])  # fmt: skip
        for passage, search in searches:
            search.found = [each for each in search.found if (each, passage) not in excluded]
            search.remaining.update(each for each in search.found if each in self._judged)

    def _advance(self, passage: int, link: set[int], follow: set[int], judge: set[int]) -> None:
        """Decide the successor of a passage, or add what has to be asked for."""
        search = self._searches.get(passage)
        if search is None or (not search.found and search.beyond is not None):
            follow.add(passage)
        elif not search.found:
            self._after[passage] = NONE
        elif search.found[0] in self._before:
            self._after[passage] = search.found[0]
        else:
            undecided = [each for each in search.found if each not in self._before]
            judge.update(each for each in undecided if each not in self._judged)
            if search.linked:
                undecided = [each for each in undecided if each in search.remaining]
            search.linked = TRIED_NEXT * search.linked or FIRST_TRIED
            link.update(undecided[: search.linked])

    # -- series ---------------------------------------------------------------------------------------

    @staticmethod
    def _walk(passage: int, step: Callable[[int], int]) -> list[int]:
        passages: list[int] = []
        for _ in range(LONGEST):
            passage = step(passage)
            if passage == NONE:
                break
            passages.append(passage)
        return passages

    def _step_back(self, passage: int) -> int:
        one = np.array([passage], np.int64)
        self._describe(one)
        if self._pool.dated(one, but=self._before):
            near = self._pool.next_of_subject(passage, AHEAD, earlier=True)
            self._round(link=[passage, *self._pool.dated(near, but=self._before)])
        return self._before.get(passage, NONE)

    def _step_on(self, passage: int) -> int:
        one = np.array([passage], np.int64)
        self._describe(one)
        if self._pool.dated(one, but=self._after):
            near = self._pool.next_of_subject(passage, AHEAD, earlier=False)
            self._search([passage], self._pool.dated(near, but=self._after))
        return self._after.get(passage, NONE)


def _looked_up(decided: dict[int, int], passages: Passages) -> Passages:
    return np.array([decided.get(each, NONE) for each in passages.tolist()], np.int64)


def _certain(
    replies: Sequence[Neighbours], which: NDArray[np.int64], positions: NDArray[np.int64]
) -> list[NDArray[np.int64] | None]:
    """For each passage that was asked for the last position up to which all possible successors are known;
    None where all are: the least of the last ones of shards that have more."""
    certain: list[NDArray[np.int64] | None] = [None] * len(replies[0].more)
    begin = 0
    for reply in replies:
        end = begin + len(reply.which)
        for at in np.flatnonzero(reply.more).tolist():
            last = positions[begin + np.flatnonzero(which[begin:end] == at)[-1]]
            known = certain[at]
            if known is None or is_after(known[None], last[None])[0]:
                certain[at] = last
        begin = end
    return certain
