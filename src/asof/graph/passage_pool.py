"""The passages of all shards that are known so far, and what follows from their windows."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from asof.graph.candidates import subject_keys
from asof.graph.limits import GraphLimits
from asof.graph.passage_table import Passages, PassageTable
from asof.graph.postings import Postings
from asof.graph.predecessors import Linker
from asof.time.span import NEVER

Pair = tuple[int, int]
"""A passage, and an earlier one that it may follow."""


@dataclass(slots=True)
class PassagePool:
    """Passages of all shards, to which others are added.

    It holds a part of the passages of the shards. What a passage follows is decided when the pool holds its
    windows: the last passages before it with each of its keys, and what an edit ended where it begins.
    """

    limits: GraphLimits
    table: PassageTable = field(default_factory=PassageTable.none)

    def add(self, tables: Sequence[PassageTable]) -> None:
        self.table = PassageTable.joined([self.table, *tables])

    def places(self, passages: Passages) -> NDArray[np.int64]:
        """The places of passages in the table; -1 for others."""
        if not self.table.n:
            return np.full(len(passages), -1, np.int64)
        at = np.minimum(np.searchsorted(self.table.passages, passages), self.table.n - 1)
        return np.where(self.table.passages[at] == passages, at, -1)

    def take(self, passages: Passages) -> PassageTable:
        """The table of some passages of the pool, ascending and distinct."""
        return self.table.take(self.places(passages))

    def instants(self, name: str, passages: Passages) -> NDArray[np.int64]:
        """A column of instants; NEVER for passages that are not in the pool."""
        places = self.places(passages)
        values = np.full(len(passages), NEVER)
        values[places >= 0] = self.table.columns[name][places[places >= 0]]
        return values

    def dated(self, passages: Passages, but: Container[int]) -> list[int]:
        """Those of the passages that can be in a series, without some; each once."""
        places = self.places(passages)
        places = np.unique(places[places >= 0])
        places = places[self.table.columns["dated"][places]]
        return [each for each in self.table.passages[places].tolist() if each not in but]

    def next_of_subject(self, passage: int, most: int, *, earlier: bool) -> Passages:
        """The passages of its subject that are the nearest in time, before it or after it."""
        place = self.places(np.array([passage], np.int64))[0]
        subject, visible = self.table.columns["subject"], self.table.columns["visible"]
        apart = visible[place] - visible if earlier else visible - visible[place]
        near = np.flatnonzero((subject == subject[place]) & (subject != 0) & (apart > 0))
        return self.table.passages[near[np.argsort(apart[near], kind="stable")[:most]]]

    def linked(self, passages: Passages) -> list[Pair]:
        """Those of the passages that follow another, and that one; the pool holds all of their windows."""
        linker, selected, everything = self._linker(passages)
        later, earlier = linker.followed(selected, everything, self.table.columns["end"])
        return self._pairs(later, earlier)

    def excluded(self, pairs: Sequence[Pair]) -> set[Pair]:
        """Those of the pairs whose later passage does not follow the earlier one, as the window of its
        subject shows, which is all that the pool need hold.

        Pairs that have another key in common and are not in that window remain, and what an edit ended.
        """
        if not pairs:
            return set()
        later, earlier = np.array(pairs, np.int64).T
        linker, selected, everything = self._linker(later)
        near, possible = linker.near_subject(selected, everything, self.table.columns["end"])
        in_window = dict(zip(self._pairs(*near), possible.tolist(), strict=True))
        one, other = self.places(later), self.places(earlier)
        document, columns = self.table.columns["document"], self.table.columns
        edit = (document[one] == document[other]) & (columns["end"][other] == columns["visible"][one])
        kin = self._share_keys(one, other)
        return {
            pair
            for pair, is_edit, is_kin in zip(pairs, edit.tolist(), kin, strict=True)
            if not is_edit and not in_window.get(pair, is_kin)
        }

    def _linker(self, passages: Passages) -> tuple[Linker, NDArray[np.bool_], NDArray[np.bool_]]:
        """Links the passages of the pool as nodes, by place; which are these, and all."""
        table = self.table
        order = np.argsort(table.keys, kind="stable")
        counts = np.bincount(table.owners, minlength=table.n).astype(np.int32)
        keys = Postings(0, counts, table.keys[order], table.owners[order].astype(np.int32))
        selected = np.zeros(table.n, bool)
        selected[self.places(passages)] = True
        linker = Linker(table.rows, table.statements, (keys,), self.limits)
        return linker, selected, np.ones(table.n, bool)

    def _pairs(self, later: NDArray[np.int64], earlier: NDArray[np.int64]) -> list[Pair]:
        passages = self.table.passages
        return list(zip(passages[later].tolist(), passages[earlier].tolist(), strict=True))

    def _share_keys(self, one: NDArray[np.int64], other: NDArray[np.int64]) -> list[bool]:
        """Whether pairs (by place) have a key in common that is not that of the first one's subject."""
        keys: dict[int, set[int]] = {place: set() for place in {*one.tolist(), *other.tolist()}}
        marked = np.zeros(self.table.n, bool)
        marked[list(keys)] = True
        needed = marked[self.table.owners]
        for place, key in zip(
            self.table.owners[needed].tolist(), self.table.keys[needed].tolist(), strict=True
        ):
            keys[place].add(key)
        own = subject_keys(self.table.columns["subject"][one]).tolist()
        return [
            bool((keys[x] & keys[y]) - {key})
            for x, y, key in zip(one.tolist(), other.tolist(), own, strict=True)
        ]
