"""Candidate predecessors of a passage: the last few with a key in common, and those that an edit ended.

Of all passages with a key only the last `window` before a passage are compared (with a key of words the last
`window_of_words`, as there are several such keys): later arrivals do not change this limit.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from asof.graph.limits import CandidateLimits, GraphLimits
from asof.graph.node_table import Rows
from asof.graph.statement import StatementTable, salted
from asof.text.shingles import mixed
from asof.time.span import NEVER

DAY = 86_400_000_000


class Pairs(NamedTuple):
    """Nodes, and earlier ones that they may follow; unordered, with duplicates."""

    later: NDArray[np.int64]
    earlier: NDArray[np.int64]


def subject_keys(subject: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The keys of subjects alone (see `statement.py`)."""
    return salted("subject", subject ^ mixed(np.zeros(1, np.uint64)))


def steps(keys: NDArray[np.uint64], limits: CandidateLimits) -> NDArray[np.int64]:
    """How many nodes with each key are compared: keys of words are odd (see `statement.salted`)."""
    most = min(limits.window, limits.window_of_words)
    return np.where(keys & np.uint64(1), most, limits.window)


def recent(
    keys: NDArray[np.uint64],
    nodes: NDArray[np.int32],
    selected: NDArray[np.bool_],
    rows: Rows,
    statements: StatementTable,
    limits: CandidateLimits,
) -> tuple[Pairs, NDArray[np.bool_]]:
    """The last few nodes before each selected one with a key in common; and by node, whether its title is a
    label.

    `keys` (p) and the `nodes` (p) that have them, in any order: all nodes with a key of a selected one.
    `selected`: by node.
    """
    each = _ordered(keys, nodes, rows)
    ordered, visible, documents = each.nodes, each.visible, rows.columns["document"][each.nodes]
    mine = np.flatnonzero(selected[ordered] & (each.now > each.begin))
    first, last = each.begin[mine], each.now[mine]
    of_subject = each.keys[mine] == subject_keys(statements["subject"][ordered[mine]])
    count = np.zeros(len(mine), np.int64)
    later: list[NDArray[np.int64]] = [np.zeros(0, np.int64)]
    earlier = later.copy()
    lowest = np.maximum(first, last - steps(each.keys[mine], limits))
    for step in range(1, limits.window + 1):
        here = np.flatnonzero(last - step >= lowest)
        at = last[here] - step
        later.append(ordered[mine[here]])
        earlier.append(ordered[at])
        close = visible[last[here] - 1] - visible[at] < DAY
        count[here] += close & ((documents[at] != documents[at + 1]) if step > 1 else True)
    label = np.zeros(len(selected), bool)
    label[ordered[mine[of_subject & (count >= limits.label_documents)]]] = True
    label[statements["version"][:, 0] >= 0] = False  # several versions on one day are no label
    return Pairs(np.concatenate(later), np.concatenate(earlier)), label


def displaced(
    keys: NDArray[np.uint64], nodes: NDArray[np.int32], dirty: NDArray[np.bool_], rows: Rows, window: int
) -> NDArray[np.int64]:
    """The nodes that have a dirty one among the last `window` before them with the same key.

    `nodes` are those with a key of a dirty one. Distances are counted in nodes that are not dirty, so the
    result does not depend on which of the dirty ones were added and which removed.
    """
    each = _ordered(keys, nodes, rows)
    here = dirty[each.nodes]
    places = np.arange(len(here))
    clean = np.concatenate([[0], np.cumsum(~here)])
    last = np.concatenate([[-1], np.maximum.accumulate(np.where(here, places, -1))])[each.now]
    nodes_near: NDArray[np.int64] = each.nodes[
        (last >= each.begin) & (clean[each.now] - clean[last] <= window)
    ]  # fmt: skip
    return nodes_near


class _Ordered(NamedTuple):
    """Keys and nodes by key, then in order of time; for each its instant, the position where its key begins,
    and the position where the nodes of the key with the same instant begin."""

    keys: NDArray[np.uint64]
    nodes: NDArray[np.int64]
    visible: NDArray[np.int64]
    begin: NDArray[np.int64]
    now: NDArray[np.int64]


def _ordered(keys: NDArray[np.uint64], nodes: NDArray[np.int32], rows: Rows) -> _Ordered:
    order = rows.canonical(nodes, keys)
    keys, carriers = keys[order], nodes[order].astype(np.int64)
    visible, places = rows.columns["visible"][carriers], np.arange(len(keys))
    begins = np.diff(keys, prepend=keys[:1] ^ np.uint64(1)) != 0
    begin = np.maximum.accumulate(np.where(begins, places, 0))
    begins[1:] |= visible[1:] != visible[:-1]
    return _Ordered(keys, carriers, visible, begin, np.maximum.accumulate(np.where(begins, places, 0)))


def around(
    which: NDArray[np.int64], nodes: NDArray[np.int32], marked: NDArray[np.bool_],
    visible: NDArray[np.int64], limits: GraphLimits, *, before: bool, after: bool,
) -> NDArray[np.int64]:  # fmt: skip
    """Positions in `nodes` of those that are near a marked one among the nodes with the same key.

    `which` (p) numbers the keys; some node of each is marked. Near are those between the first and the last
    marked one in time, and one window `before` and `after` these; ties are near.
    """
    window = limits.candidates.window
    order = np.argsort(which, kind="stable")
    sizes = np.bincount(which)
    near = np.ones(len(which), bool)
    begin = np.cumsum(sizes) - sizes
    for key in np.flatnonzero(sizes > limits.nodes_of_key).tolist():
        here = order[begin[key] : begin[key] + sizes[key]]
        times = visible[nodes[here]]
        mine = times[marked[nodes[here]]]
        if not len(mine):
            near[here] = False
            continue
        near[here] = (times >= _nth(-times, -mine.min(), window * before, -1)) & (
            times <= _nth(times, mine.max(), (window + len(mine)) * after, 1)
        )
    return np.flatnonzero(near)


def _nth(times: NDArray[np.int64], end: int, count: int, sign: int) -> int:
    """The time (times `sign`) of the `count`-th that comes after `end`, or of the last; `end` for count 0."""
    beyond = times[times > end]
    if not count or not len(beyond):
        return sign * end
    nth = min(count, len(beyond)) - 1
    return sign * int(np.partition(beyond, nth)[nth])


def edited(
    ends: NDArray[np.int64], alive: NDArray[np.bool_], selected: NDArray[np.bool_], rows: Rows, most: int
) -> Pairs:
    """Each selected node with the nodes of its document that ended at the instant when it began, at most
    `most`: those nearest in the document.

    `ends`, `alive` and `selected` are by node; only nodes that are `alive` count.
    """
    documents, visible = rows.columns["document"], rows.columns["visible"]
    numbers = rows.columns["number"]
    over = np.flatnonzero(alive & (ends < NEVER))
    over = over[np.argsort(numbers[over], kind="stable")]
    moment = _moments(documents[over], ends[over])
    order = np.argsort(moment, kind="stable")
    over, moment = over[order], moment[order]
    mine = np.flatnonzero(selected)
    beginnings = _moments(documents[mine], visible[mine])
    first = np.searchsorted(moment, beginnings, "left")
    many = np.searchsorted(moment, beginnings, "right") - first
    for at in np.flatnonzero(many > most).tolist():
        ended = over[first[at] : first[at] + many[at]]
        near = int(np.searchsorted(numbers[ended], numbers[mine[at]])) - most // 2
        first[at] += min(max(near, 0), len(ended) - most)
        many[at] = most
    later = np.repeat(mine, many)
    earlier = over[np.arange(len(later)) + np.repeat(first - (np.cumsum(many) - many), many)]
    true = (documents[later] == documents[earlier]) & (visible[later] == ends[earlier])
    true &= later != earlier
    return Pairs(later[true], earlier[true])


def _moments(documents: NDArray[np.int64], instants: NDArray[np.int64]) -> NDArray[np.uint64]:
    """A hash of each document and instant; the caller removes collisions."""
    return mixed(mixed(documents.astype(np.uint64)) + instants.astype(np.uint64))
