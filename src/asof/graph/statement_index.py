"""The statements of a view, found by passage, by key and time, and by document.

Succession of one corpus links all of its passages at once; a shard is asked for the neighbours of a few.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from asof.graph.candidates import steps
from asof.graph.limits import GraphLimits
from asof.graph.node_lookup import KeysOfNodes, Nodes, NodesOfDocuments, expanded
from asof.graph.node_table import Rows
from asof.graph.postings import Postings, Ranges
from asof.graph.succession_cache import series_cache
from asof.index.file_format import Array
from asof.index.offsets import offsets
from asof.index.view import View
from asof.time.span import NEVER

MEMO = "statement_index"
MOST_LISTED = 2_000_000
"""The most nodes of keys of many nodes that are kept in order of time, in a table of no more nodes than that;
in a larger one as many as it has."""


class Statements(Protocol):
    """The statements of all nodes."""

    def taken(self, nodes: Nodes) -> dict[str, Array]:
        """All columns (`asof.graph.statement.COLUMNS`) of some nodes (ascending), by name."""
        ...


class Numbers(NamedTuple):
    """The numbers of passages, in runs: from `first` on (ascending), which are the nodes from `begin` on
    (ascending; the number of all nodes is the last of them)."""

    first: NDArray[np.int64]
    begin: NDArray[np.int64]

    def passages(self, nodes: Nodes) -> NDArray[np.int64]:
        """The numbers of the passages that are these nodes."""
        run = np.searchsorted(self.begin, nodes, "right") - 1
        found: NDArray[np.int64] = nodes - self.begin[run] + self.first[run]
        return found

    def nodes(self, passages: NDArray[np.int64]) -> Nodes:
        """The nodes of passages, -1 for others."""
        run = np.maximum(np.searchsorted(self.first, passages, "right") - 1, 0)
        nodes = passages - self.first[run] + self.begin[run]
        return np.where((nodes >= self.begin[run]) & (nodes < self.begin[run + 1]), nodes, -1)


class _Lists(Protocol):
    """The nodes of some keys, by key, then in order of time: key `k` has those at the places `start[k]` to
    `start[k + 1]`."""

    @property
    def start(self) -> NDArray[np.int64]: ...

    def place(self, which: NDArray[np.int64], instants: NDArray[np.int64], side: str) -> NDArray[np.int64]:
        """Where instants stand among the nodes of keys: "left" or "right" of nodes with the same instant."""
        ...

    def taken(self, places: NDArray[np.int64]) -> Nodes:
        """The nodes at some places."""
        ...


class _FewNodes(NamedTuple):
    """Keys of few nodes. `times` ascends: the place of the key times `scale`, plus the place of the node's
    instant among `instants` (ascending)."""

    nodes: Nodes
    times: NDArray[np.int64]
    instants: NDArray[np.int64]
    start: NDArray[np.int64]

    @classmethod
    def of(cls, keys: int, which: NDArray[np.int64], nodes: Nodes, visible: NDArray[np.int64]) -> _FewNodes:
        """So many keys and, by key and time, `which` of them has which node, and its instant."""
        instants, rank = np.unique(visible, return_inverse=True)
        times = which * (len(instants) + 1) + rank.reshape(-1)
        return cls(nodes, times, instants, np.searchsorted(which, np.arange(keys + 1)))

    def place(self, which: NDArray[np.int64], instants: NDArray[np.int64], side: str) -> NDArray[np.int64]:
        rank = np.searchsorted(self.instants, instants, side)  # type: ignore[call-overload]
        found: NDArray[np.int64] = np.searchsorted(
            self.times, which * (len(self.instants) + 1) + rank, "left"
        )
        return found

    def taken(self, places: NDArray[np.int64]) -> Nodes:
        return self.nodes[places]


class _InTime(NamedTuple):
    """The nodes of a key in order of time, and the instants at which they became visible."""

    nodes: Nodes
    visible: NDArray[np.int64]


class _ManyNodes:
    """Keys of many nodes, each of which has a list of its own that is kept."""

    def __init__(self, lists: Sequence[_InTime]) -> None:
        self._lists = lists
        self.start = offsets([len(each.nodes) for each in lists])

    def place(self, which: NDArray[np.int64], instants: NDArray[np.int64], side: str) -> NDArray[np.int64]:
        out = np.empty(len(which), np.int64)
        for at, here in _grouped(which):
            out[here] = self._lists[at].visible.searchsorted(instants[here], side)  # type: ignore[call-overload]
        return out + self.start[which]

    def taken(self, places: NDArray[np.int64]) -> Nodes:
        out = np.empty(len(places), np.int64)
        for at, here in _grouped(np.searchsorted(self.start, places, "right") - 1):
            out[here] = self._lists[at].nodes[places[here] - self.start[at]]
        return out


def _grouped(numbers: NDArray[np.int64]) -> Iterator[tuple[int, NDArray[np.int64]]]:
    """Each different number, and where it stands."""
    order = np.argsort(numbers, kind="stable")
    begin = np.flatnonzero(np.diff(numbers[order], prepend=-1))
    end = np.append(begin[1:], len(order))
    for first, last in zip(begin.tolist(), end.tolist(), strict=False):  # of no number there is an end
        yield int(numbers[order[first]]), order[first:last]


@dataclass(slots=True)
class StatementIndex:
    """The statements of a view's passages by passage, key and document.

    `visible`: the nodes in the view, ended ones included; `counted`: the dated ones of them, which can follow
    and be followed; `ends`: by node, as far as the view knows them, NEVER for none. All are by node.
    """

    rows: Rows
    statements: Statements
    parts: Sequence[Postings]
    limits: GraphLimits
    visible: NDArray[np.bool_]
    counted: NDArray[np.bool_]
    ends: NDArray[np.int64]
    keys_of_nodes: KeysOfNodes
    nodes_of_documents: NodesOfDocuments
    numbers: Numbers
    _lists: OrderedDict[int, _InTime] = field(default_factory=OrderedDict)
    _listed_nodes: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @classmethod
    def of(cls, view: View) -> StatementIndex:
        cache = series_cache(view.derived)
        linker, known, ends, keys_of_nodes, nodes_of_documents = cache.statements(view)
        as_of = view.prefix.as_of
        visible = known & (linker.rows.columns["visible"] <= as_of)
        return cls(
            linker.rows, linker.statements, linker.parts, linker.limits, visible,
            visible & linker.statements["dated"], np.where(ends > as_of, NEVER, ends),
            keys_of_nodes, nodes_of_documents,
            Numbers(np.array([linker.rows.first]), np.array([0, linker.rows.n])),
        )  # fmt: skip

    def nodes(self, passages: NDArray[np.int64]) -> Nodes:
        """The nodes of passages; -1 for those that are not in the view."""
        nodes = self.numbers.nodes(passages)
        inside = nodes >= 0
        nodes[inside] = np.where(self.visible[nodes[inside]], nodes[inside], -1)
        return nodes

    def keys_of(self, nodes: Nodes) -> tuple[NDArray[np.int64], NDArray[np.uint64]]:
        """Which of the nodes (by place) has which key."""
        return self.keys_of_nodes.of(self.parts, nodes)

    def of_documents(self, documents: NDArray[np.int64]) -> Nodes:
        """The nodes in the view of documents (ascending), ascending."""
        nodes = self.nodes_of_documents.of(self.rows.columns["document"], documents)
        return nodes[self.visible[nodes]]

    def with_keys(self, keys: NDArray[np.uint64]) -> Nodes:
        """The counted nodes that have one of some keys, each once."""
        return np.unique(self._nodes_in([part.ranges(np.unique(keys)) for part in self.parts])[1])

    def before(self, keys: NDArray[np.uint64], instants: NDArray[np.int64]) -> Nodes:
        """The last nodes with each key before an instant, one window of `recent`; each once or more."""
        nodes = [np.zeros(0, np.int64)]
        for found, at, which in self._listed(keys):
            last = found.place(which, instants[at], "left")
            first = np.maximum(last - steps(keys[at], self.limits.candidates), found.start[which])
            nodes.append(found.taken(expanded(first, last)[1]))
        return np.concatenate(nodes)

    def after(
        self, keys: NDArray[np.uint64], rows: Rows, passages: NDArray[np.int64], owners: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], Nodes]:
        """The later nodes with each key whose window of `recent` the owner of the key may be in.

        `rows` (of any shard) are nodes by place, `owners` (p) the places of those that have the `keys` (p).
        Between an owner and such a node are fewer nodes of this shard than are in a window. Returns pairs of
        an owner's place and a node.
        """
        which_owner, nodes = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
        for found, at, which in self._listed(keys):
            owner = owners[at]
            instants = rows.columns["visible"][owner]
            begin, end = (found.place(which, instants, side) for side in ("left", "right"))
            tied, places = expanded(begin, end)
            later = self._comes_later(found.taken(places), rows, passages, owner[tied])
            between = np.bincount(tied[later], minlength=len(at))
            left = steps(keys[at], self.limits.candidates) - between
            some = np.flatnonzero((left > 0) & (end < found.start[which + 1]))
            last = found.taken(np.minimum(end + left, found.start[which + 1])[some] - 1)
            ties = found.place(which[some], self.rows.columns["visible"][last], "right")
            pairs, places = expanded(end[some], ties)
            which_owner.append(owner[some[pairs]])
            nodes.append(found.taken(places))
        return np.concatenate(which_owner), np.concatenate(nodes)

    def _comes_later(
        self, nodes: Nodes, rows: Rows, passages: NDArray[np.int64], places: NDArray[np.int64]
    ) -> NDArray[np.bool_]:
        """Whether nodes come after rows of the same instant, pairwise (see `Rows.canonical`)."""
        later = self.numbers.passages(nodes) > passages[places]
        for name in ("number", "digest"):
            one, other = self.rows.columns[name][nodes], rows.columns[name][places]
            later = (one > other) | ((one == other) & later)
        return later

    def _listed(
        self, keys: NDArray[np.uint64]
    ) -> Iterator[tuple[_Lists, NDArray[np.int64], NDArray[np.int64]]]:
        """Lists of the counted nodes with these keys: those of keys of few nodes, and those of keys of many.

        With each the places of its keys in `keys`, and the place of each of them in the list's keys.
        """
        distinct, which = np.unique(keys, return_inverse=True)
        which = which.reshape(-1)
        ranges = [part.ranges(distinct) for part in self.parts]
        sizes = sum((last - first for first, last in ranges), np.zeros(len(distinct), np.int64))
        many = sizes > self.limits.nodes_of_key
        for some, lists in ((~many, self._few), (many, self._kept)):
            at = np.flatnonzero(some[which])
            if len(at):
                place = np.cumsum(some) - 1
                yield lists(distinct[some], _some(ranges, some)), at, place[which[at]]

    def _nodes_in(self, ranges: Sequence[Ranges]) -> tuple[NDArray[np.int64], Nodes]:
        """For each counted node with one of some keys, of which each of `parts` has the carriers in these
        ranges: which of the keys, and the node; by key and time."""
        found = [part.carriers_in(each) for part, each in zip(self.parts, ranges, strict=True)]
        which = np.concatenate([np.zeros(0, np.int64), *(each for each, _ in found)])
        nodes = np.concatenate([np.zeros(0, np.int64), *(each for _, each in found)])
        keep = self.counted[nodes]
        which, nodes = which[keep], nodes[keep]
        order = self.rows.canonical(nodes, which)
        return which[order], nodes[order]

    def _few(self, keys: NDArray[np.uint64], ranges: Sequence[Ranges]) -> _Lists:
        which, nodes = self._nodes_in(ranges)
        return _FewNodes.of(len(keys), which, nodes, self.rows.columns["visible"][nodes])

    def _kept(self, keys: NDArray[np.uint64], ranges: Sequence[Ranges]) -> _Lists:
        """The lists of keys of many nodes, kept for the next question."""
        with self._lock:
            known = [self._lists.get(key) for key in keys.tolist()]
        missing = np.array([found is None for found in known], bool)
        lists = {
            key: found for key, found in zip(keys.tolist(), known, strict=True) if found is not None
        } | self._made(keys[missing].tolist(), _some(ranges, missing))
        with self._lock:
            for key, found in lists.items():
                self._forgotten(key)  # the last ones that were asked for are forgotten last
                self._lists[key] = found
                self._listed_nodes += len(found.nodes)
            while len(self._lists) > 1 and self._listed_nodes > max(MOST_LISTED, self.rows.n):
                self._forgotten(next(iter(self._lists)))
        return _ManyNodes([lists[key] for key in keys.tolist()])

    def _made(self, keys: Sequence[int], ranges: Sequence[Ranges]) -> dict[int, _InTime]:
        """The lists of some keys."""
        if not keys:
            return {}
        which, nodes = self._nodes_in(ranges)
        begin = np.searchsorted(which, np.arange(1, len(keys)))
        # copies, for of all of them only some may be kept
        each = [_InTime(some.copy(), self.rows.columns["visible"][some]) for some in np.split(nodes, begin)]
        return dict(zip(keys, each, strict=True))

    def _forgotten(self, key: int) -> None:
        """Do not keep the list of a key any more."""
        found = self._lists.pop(key, None)
        self._listed_nodes -= 0 if found is None else len(found.nodes)


def _some(ranges: Sequence[Ranges], keys: NDArray[np.bool_]) -> list[Ranges]:
    """The ranges of some of the keys, in each part."""
    return [(first[keys], last[keys]) for first, last in ranges]


def statement_index(view: View) -> StatementIndex:
    """The index of a view; cached with it."""
    cached: StatementIndex | None = view.prefix.memo.get(MEMO)
    if cached is None:
        cached = view.prefix.memo[MEMO] = StatementIndex.of(view)
    return cached
