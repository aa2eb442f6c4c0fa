"""Succession across shards, a shard's part: the passages near a passage that its predecessor is chosen from.

Each function takes the shard's view at (T, K) and gives tables of the passages of this shard that are visible
there, with all columns that linking reads (`succession_across.py` joins and links them). A message holds at
most one window of `CandidateLimits` for each key that was asked for, and `MOST_FOLLOWERS` for each passage
whose successor is looked for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from asof.graph.candidates import edited
from asof.graph.passage_table import Passages, PassageTable, beside, in_order, is_after, successor_order
from asof.graph.similarity import NO, grade_pairs
from asof.graph.statement_index import StatementIndex, statement_index
from asof.index.view import View
from asof.time.span import BEGINNING, NEVER

MOST_FOLLOWERS = 32
"""The most possible successors of a passage in one message of one shard."""


class Windows(NamedTuple):
    """Where predecessors are looked for: `keys` (p) and the `instants` (p) before which the last nodes are
    wanted; `passages`: those that what an edit ended is wanted of."""

    keys: NDArray[np.uint64]
    instants: NDArray[np.int64]
    passages: Passages


class Followed(NamedTuple):
    """Passages whose successors are looked for, and for each the position (`successor_order`) after which
    those wanted come."""

    table: PassageTable
    beyond: NDArray[np.int64]


class Neighbours(NamedTuple):
    """Passages of one shard near those asked for.

    Possible successors are pairs of a place in `Followed` (`which`) and a passage (`later`), for each place
    in the order of `successor_order`; `more` (n): there are more of them in this shard.
    """

    table: PassageTable
    which: NDArray[np.int64]
    later: Passages
    more: NDArray[np.bool_]


def described(view: View, passages: Passages) -> PassageTable:
    """Those of these passages that are in the view of this shard."""
    index = statement_index(view)
    nodes = index.nodes(passages)
    return _table(index, nodes[nodes >= 0])


def neighbours(view: View, windows: Windows, followed: Followed) -> Neighbours:
    """The passages of this shard that a predecessor may be among, and the possible successors."""
    index = statement_index(view)
    near = index.before(windows.keys, windows.instants)
    ended = _ended(index, windows.passages)
    which, later, more = _followers(index, followed)
    return Neighbours(
        _table(index, np.concatenate([near, ended, later])), which, index.numbers.passages(later), more
    )


def same_statement(view: View, one: PassageTable) -> Passages:
    """The passages of this shard, of any time, that state the same of the same subject as one passage of any
    shard (`Linker.same_statement`)."""
    index = statement_index(view)
    table = _table(index, index.with_keys(one.keys))
    table = table.take(np.flatnonzero(table.passages != one.passages[0]))
    both = beside(one, table)
    never, no = np.full(both.n, BEGINNING), np.zeros(both.n, bool)
    others = np.arange(1, both.n)
    grades = grade_pairs(
        both.statements, both.rows, never, np.zeros(table.n, np.int64), others, no, no[1:], index.limits
    )
    return table.passages[grades.grade > NO]


SHARD_FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "succession.described": described,
    "succession.neighbours": neighbours,
    "succession.same_statement": same_statement,
}
"""What a shard answers, by the name that `SuccessionAcross` asks for; the first argument is its view."""


def _table(index: StatementIndex, nodes: NDArray[np.int64]) -> PassageTable:
    """The table of nodes, each once."""
    nodes = np.unique(nodes)
    owners, keys = index.keys_of(nodes)
    return _without_keys(index, nodes)._replace(keys=keys, owners=owners)


def _without_keys(index: StatementIndex, nodes: NDArray[np.int64]) -> PassageTable:
    """The table of nodes (ascending, different) without their keys."""
    columns = {name: values[nodes] for name, values in index.rows.columns.items()}
    columns |= index.statements.taken(nodes) | {"end": index.ends[nodes]}
    none = PassageTable.none()
    return PassageTable(index.numbers.passages(nodes), columns, none.keys, none.owners)


def _ended(index: StatementIndex, passages: Passages) -> NDArray[np.int64]:
    """The nodes that an edit ended at the instant when one of these passages began in their document."""
    nodes = index.nodes(passages)
    nodes = nodes[nodes >= 0]
    return _edits(index, nodes, np.unique(index.rows.columns["document"][nodes]))[1]


def _edits(
    index: StatementIndex, selected: NDArray[np.int64], documents: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Pairs (later, earlier) of nodes of these documents as `candidates.edited` has them; `selected`: the
    later ones."""
    nodes = index.of_documents(documents)
    counted = index.counted[nodes]
    pairs = edited(
        index.ends[nodes], counted, np.isin(nodes, selected) & counted, index.rows.take(nodes),
        index.limits.candidates.edits,
    )  # fmt: skip
    return nodes[pairs.later], nodes[pairs.earlier]


def _followers(
    index: StatementIndex, followed: Followed
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]]:
    """The places in `followed` and the nodes that may follow them, and whether there are more of them."""
    table = followed.table
    by_key = index.after(table.keys, table.rows, table.passages, table.owners)
    by_edit = _edited_into(index, table)
    which = np.concatenate([by_key[0], by_edit[0]])
    later = np.concatenate([by_key[1], by_edit[1]])
    pairs, places = np.unique(np.stack([which, later], axis=1), axis=0, return_inverse=True)
    edit = np.zeros(len(pairs), bool)
    edit[places.reshape(-1)[len(by_key[0]) :]] = True
    which, later = pairs[:, 0], pairs[:, 1]
    nodes, later = np.unique(later, return_inverse=True)
    of_nodes = _without_keys(index, nodes)
    both = beside(table, of_nodes)
    grades = grade_pairs(
        both.statements,
        both.rows,
        both.columns["end"],
        later + table.n,
        which,
        np.zeros(both.n, bool),
        edit,
        index.limits,
    )  # fmt: skip  a title that is a label only makes fewer pairs
    which, later = which[grades.grade > NO], later[grades.grade > NO]
    own = of_nodes.columns["document"][later] == table.columns["document"][which]
    positions = successor_order(of_nodes, later, own)
    wanted = np.flatnonzero(is_after(positions, followed.beyond[which]))
    wanted = wanted[in_order(positions[wanted], which[wanted])]
    which, later = which[wanted], later[wanted]
    count = np.bincount(which, minlength=table.n)
    nth = np.arange(len(which)) - np.repeat(np.cumsum(count) - count, count)
    first = nth < MOST_FOLLOWERS
    return which[first], nodes[later[first]], count > MOST_FOLLOWERS


def _edited_into(index: StatementIndex, table: PassageTable) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The places in a table of passages of this shard, and the nodes that began where an edit ended them."""
    nodes = index.nodes(table.passages)
    places = np.flatnonzero((nodes >= 0) & (table.columns["end"] < NEVER))
    nodes = nodes[places]
    documents = np.unique(index.rows.columns["document"][nodes])
    of_documents = index.of_documents(documents)
    begun = of_documents[np.isin(index.rows.columns["visible"][of_documents], index.ends[nodes])]
    later, earlier = _edits(index, begun, documents)
    order = np.argsort(nodes)
    at = np.minimum(np.searchsorted(nodes[order], earlier), max(len(nodes) - 1, 0))
    if not len(nodes):
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    is_asked = nodes[order][at] == earlier
    return places[order][at[is_asked]], later[is_asked]
