"""The keys of nodes, and the nodes of documents: lookups in tables that only grow."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from asof.graph.postings import Postings

Nodes = NDArray[np.int64]


@dataclass(slots=True)
class KeysOfNodes:
    """The keys of nodes: postings, sorted by node when they are first asked for. Threads may share it."""

    _lock: threading.Lock = field(default_factory=threading.Lock)
    _sorted: list[tuple[Postings, NDArray[np.int32], NDArray[np.int64]]] = field(default_factory=list)

    def of(self, parts: Sequence[Postings], nodes: Nodes) -> tuple[NDArray[np.int64], NDArray[np.uint64]]:
        """Which of the nodes (ascending; by place) has which key."""
        which, keys = [np.zeros(0, np.int64)], [np.zeros(0, np.uint64)]
        for part, order, start in self._inverted(parts):
            first, last = np.searchsorted(nodes, [part.begin, part.end]).tolist()
            if first < last:
                own = nodes[first:last] - part.begin
                at, places = expanded(start[own], start[own + 1])
                which.append(at + first)
                keys.append(part.hashes[order[places]])
        return np.concatenate(which), np.concatenate(keys)

    def _inverted(
        self, parts: Sequence[Postings]
    ) -> list[tuple[Postings, NDArray[np.int32], NDArray[np.int64]]]:
        with self._lock:
            known = {id(each[0]): each for each in self._sorted}
            self._sorted = [known.get(id(part)) or _inverted(part) for part in parts]
            return self._sorted


def _inverted(part: Postings) -> tuple[Postings, NDArray[np.int32], NDArray[np.int64]]:
    order = np.argsort(part.carriers, kind="stable").astype(np.int32)
    count = np.bincount(part.carriers, minlength=len(part.counts))
    return part, order, np.concatenate([[0], np.cumsum(count)])


@dataclass(slots=True)
class NodesOfDocuments:
    """The nodes of documents: those of most of the table sorted by document, later ones looked through."""

    _sorted: tuple[NDArray[np.int64], Nodes] = (np.zeros(0, np.int64), np.zeros(0, np.int64))

    def of(self, column: NDArray[np.int64], documents: NDArray[np.int64]) -> Nodes:
        """The nodes whose document, in the `column` of all nodes, is one of these (ascending); ascending."""
        by_document, nodes = self._sorted
        if len(column) - len(nodes) > 4_096 + len(column) // 8:
            nodes = np.argsort(column, kind="stable")
            by_document, nodes = self._sorted = column[nodes], nodes
        ranges = (np.searchsorted(by_document, documents, side) for side in ("left", "right"))
        early = nodes[expanded(*ranges)[1]]
        late = np.flatnonzero(np.isin(column[len(nodes) :], documents)) + len(nodes)
        return np.sort(np.concatenate([early[early < len(column)], late]))


def expanded(
    first: NDArray[np.int64], last: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The places in ranges `first` to `last` (exclusive): which range, and the place."""
    many = last - first
    which = np.repeat(np.arange(len(first)), many)
    return which, np.arange(len(which)) + np.repeat(first - (np.cumsum(many) - many), many)
