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

from asof.graph.limits import DEFAULT, GraphLimits
from asof.graph.postings import Postings
from asof.graph.predecessors import Linker
from asof.graph.succession import LONGEST, Successor
from asof.graph.succession_shards import (
    Followed,
    Neighbours,
    Passages,
    PassageTable,
    Windows,
    in_order,
    is_after,
    successor_order,
)
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

    `found`: possible successors that are known and come before all others, in `successor_order`; the first
    `tried` of them do not follow it, as is known. `beyond`: the position after which more are asked for, None
    if there are none.
    """

    beyond: NDArray[np.int64] | None
    found: list[int] = field(default_factory=list)
    tried: int = 0
    batch: int = FIRST_TRIED


@dataclass(slots=True)
class SuccessionAcross:
    """The chains among the passages of all shards that are visible at (T, K), ended ones included.

    Passages are given by their numbers, which are unique over all shards; -1 is none. What was asked for is
    kept, so an object serves one moment, and one thread at a time.
    """

    ask: Ask
    limits: GraphLimits = DEFAULT
    _pool: PassageTable = field(default_factory=PassageTable.none)
    _described: set[int] = field(default_factory=set)
    _before: dict[int, int] = field(default_factory=dict)
    _after: dict[int, int] = field(default_factory=dict)
    _searches: dict[int, _Search] = field(default_factory=dict)

    def predecessors(self, passages: Passages) -> Passages:
        """For each passage the earlier one that it follows, or -1 (as `Succession.predecessors`)."""
        self._describe(passages)
        self._round(link=self._open(passages, self._before), follow=[])
        return _looked_up(self._before, passages)

    def successors(self, passages: Passages) -> Passages:
        """For each passage the one that follows it, or -1: of its own document if one does, else the
        earliest."""
        self._describe(passages)
        self._search(self._open(passages, self._after))
        return _looked_up(self._after, passages)

    def superseded(self, passages: Passages) -> list[Successor | None]:
        """For each passage its successor (`row` is the number of the passage), None for none."""
        after = self.successors(passages)
        visible = self._column("visible", after)
        return [
            Successor(passage, instant) if passage != NONE else None
            for passage, instant in zip(after.tolist(), visible.tolist(), strict=True)
        ]

    def in_series(self, passages: Passages) -> NDArray[np.bool_]:
        """Which passages have a predecessor or a successor."""
        self._describe(passages)
        first = self._open(passages, self._before)
        self._round(link=first, follow=self._open(passages, self._after))
        follows = _looked_up(self._before, passages) != NONE
        self._search(self._open(passages[~follows], self._after))
        return follows | (_looked_up(self._after, passages) != NONE)

    def series(self, passage: int) -> Passages:
        """The chain through a passage, in order of time; the passage alone if it has none."""
        back = self._walk(passage, self._step_back)
        return np.array([*reversed(back), passage, *self._walk(passage, self._step_on)], np.int64)

    def ends(self, passages: Passages) -> list[int | None]:
        """The end of each passage, as far as the view knows it; None for a current one."""
        self._describe(passages)
        return [None if end == NEVER else end for end in self._column("end", passages).tolist()]

    # -- what is known --------------------------------------------------------------------------------

    def _places(self, passages: Passages) -> NDArray[np.int64]:
        """The places of passages among those that are known; -1 for others."""
        if not self._pool.n:
            return np.full(len(passages), -1, np.int64)
        at = np.minimum(np.searchsorted(self._pool.passages, passages), self._pool.n - 1)
        return np.where(self._pool.passages[at] == passages, at, -1)

    def _column(self, name: str, passages: Passages) -> NDArray[np.int64]:
        """A column of instants; NEVER for passages that are not in the view."""
        places = self._places(passages)
        values = np.full(len(passages), NEVER)
        values[places >= 0] = self._pool.columns[name][places[places >= 0]]
        return values

    def _open(self, passages: Passages, decided: dict[int, int]) -> list[int]:
        """Those passages that can be in a series (known and dated) and are not decided, each once."""
        places = self._places(passages)
        places = np.unique(places[places >= 0])
        places = places[self._pool.columns["dated"][places]]
        return [each for each in self._pool.passages[places].tolist() if each not in decided]

    def _describe(self, passages: Passages) -> None:
        """Ask for passages that are not known yet."""
        wanted = [
            each
            for each, place in zip(passages.tolist(), self._places(passages).tolist(), strict=True)
            if place < 0 and each >= 0 and each not in self._described
        ]
        if wanted:
            self._described.update(wanted)
            self._add(self.ask("succession.described", np.unique(np.array(wanted, np.int64))))

    def _add(self, tables: Sequence[PassageTable]) -> None:
        self._pool = PassageTable.joined([self._pool, *tables])

    # -- rounds ---------------------------------------------------------------------------------------

    def _round(self, link: Iterable[int], follow: Iterable[int]) -> None:
        """Ask for what decides the predecessors of the passages `link`, which are then decided, and for
        possible successors of the passages `follow`."""
        link, follow = sorted(link), sorted(follow)
        if not link and not follow:
            return
        windows = self._windows(np.array(link, np.int64))
        followed = self._followed(follow)
        replies: list[Neighbours] = self.ask("succession.neighbours", windows, followed)
        self._add([reply.table for reply in replies])
        self._link(np.array(link, np.int64))
        self._take_in(followed, replies)

    def _windows(self, passages: Passages) -> Windows:
        table = self._pool.take(self._places(passages))
        visible = table.columns["visible"][table.owners]
        distinct = np.unique(np.stack([table.keys, visible.astype(np.uint64)]), axis=1)
        return Windows(distinct[0], distinct[1].astype(np.int64), passages)

    def _link(self, passages: Passages) -> None:
        """Decide the predecessors of passages whose candidates are all known."""
        if not len(passages):
            return
        pool = self._pool
        order = np.argsort(pool.keys, kind="stable")
        counts = np.bincount(pool.owners, minlength=pool.n).astype(np.int32)
        keys = Postings(0, counts, pool.keys[order], pool.owners[order].astype(np.int32))
        selected = np.zeros(pool.n, bool)
        selected[self._places(passages)] = True
        linker = Linker(pool.rows, pool.statements, (keys,), self.limits)
        later, earlier = linker.followed(selected, np.ones(pool.n, bool), pool.columns["end"])
        self._before.update(dict.fromkeys(passages.tolist(), NONE))
        self._before.update(zip(pool.passages[later].tolist(), pool.passages[earlier].tolist(), strict=True))

    def _followed(self, passages: Sequence[int]) -> Followed:
        table = self._pool.take(self._places(np.array(passages, np.int64)))
        beyond = np.full((len(passages), 5), np.iinfo(np.int64).min)
        for place, passage in enumerate(passages):
            search = self._searches.get(passage)
            if search is not None and search.beyond is not None:
                beyond[place] = search.beyond
        return Followed(table, beyond)

    def _take_in(self, followed: Followed, replies: Sequence[Neighbours]) -> None:
        """Add possible successors to the searches, up to the last one that no shard has others before."""
        passages = followed.table.passages
        if not len(passages):
            return
        which = np.concatenate([reply.which for reply in replies])
        later = self._places(np.concatenate([reply.later for reply in replies]))
        own = self._pool.columns["document"][later] == followed.table.columns["document"][which]
        positions = successor_order(self._pool, later, own)
        order = in_order(positions, which)
        certain = _certain(replies, which, positions)
        found: list[list[int]] = [[] for _ in passages]
        for place in order.tolist():
            last = certain[which[place]]
            if last is None or not is_after(positions[place : place + 1], last[None])[0]:
                found[which[place]].append(int(self._pool.passages[later[place]]))
        for at, passage in enumerate(passages.tolist()):
            search = self._searches.setdefault(passage, _Search(None))
            search.found += found[at]
            search.beyond = certain[at]

    # -- successors -----------------------------------------------------------------------------------

    def _search(self, passages: Iterable[int], ahead: Iterable[int] = ()) -> None:
        """Decide the successors of passages; of those `ahead` what is decided by the way."""
        wanted, ahead = set(passages), set(ahead)
        while wanted:
            link: set[int] = set()
            follow: set[int] = set()
            for passage in wanted | ahead:
                self._advance(passage, link, follow)
            wanted -= self._after.keys()
            ahead -= self._after.keys()
            if wanted:
                self._round(link, follow)

    def _advance(self, passage: int, link: set[int], follow: set[int]) -> None:
        """Decide the successor of a passage, or add what has to be asked for."""
        search = self._searches.get(passage)
        if search is None:
            follow.add(passage)
            return
        while search.tried < len(search.found):
            later = search.found[search.tried]
            if later not in self._before:
                break
            if self._before[later] == passage:
                self._after[passage] = later
                return
            search.tried += 1
        untried = search.found[search.tried : search.tried + search.batch]
        if untried:
            link.update(each for each in untried if each not in self._before)
            search.batch *= TRIED_NEXT
        elif search.beyond is None:
            self._after[passage] = NONE
        else:
            follow.add(passage)

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
        if self._open(one, self._before):
            self._round(link=[passage, *self._near(passage, self._before, earlier=True)], follow=[])
        return self._before.get(passage, NONE)

    def _step_on(self, passage: int) -> int:
        one = np.array([passage], np.int64)
        self._describe(one)
        if self._open(one, self._after):
            self._search([passage], self._near(passage, self._after, earlier=False))
        return self._after.get(passage, NONE)

    def _near(self, passage: int, decided: dict[int, int], *, earlier: bool) -> list[int]:
        """The known passages of its subject that are the next ones in time: they may be in its series."""
        pool = self._pool
        place = int(self._places(np.array([passage], np.int64))[0])
        subject, visible = pool.columns["subject"], pool.columns["visible"]
        apart = visible[place] - visible if earlier else visible - visible[place]
        near = np.flatnonzero((subject == subject[place]) & (subject != 0) & (apart > 0))
        near = near[np.argsort(apart[near], kind="stable")[:AHEAD]]
        return self._open(pool.passages[near], decided)


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
