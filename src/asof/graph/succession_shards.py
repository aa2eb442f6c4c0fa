"""Succession across shards, a shard's part: the passages near a passage that its predecessor is chosen from.

Each function takes the shard's view at (T, K) and gives tables of the passages of this shard that are visible
there, with all columns that linking reads (`succession_across.py` joins and links them). A message holds at
most one window of `CandidateLimits` for each key that was asked for, and `MOST_FOLLOWERS` for each passage
whose successor is looked for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from asof.graph.candidates import edited
from asof.graph.node_table import COLUMNS as ROW_COLUMNS
from asof.graph.node_table import Rows
from asof.graph.similarity import NO, grade_pairs
from asof.graph.statement import COLUMNS as STATEMENT_COLUMNS
from asof.graph.statement import StatementTable
from asof.graph.statement_index import StatementIndex, statement_index
from asof.index.file_format import Array
from asof.index.view import View
from asof.time.span import NEVER

MOST_FOLLOWERS = 16
"""The most possible successors of a passage in one message of one shard."""

Passages = NDArray[np.int64]
"""Numbers of passages, unique over all shards."""


class PassageTable(NamedTuple):
    """Passages (n, ascending) and what linking reads of each.

    `columns`: those of `Rows` and of statements, and `end`, the instant of the end as far as the view knows
    it (NEVER for none). `keys` (p) are those of the passages at the places `owners` (p).
    """

    passages: Passages
    columns: dict[str, Array]
    keys: NDArray[np.uint64]
    owners: NDArray[np.int64]

    @property
    def n(self) -> int:
        return len(self.passages)

    @property
    def rows(self) -> Rows:
        """As nodes, numbered by their places here."""
        columns = {name: self.columns[name] for name in ROW_COLUMNS}
        return Rows(0, np.ones(self.n, bool), columns)

    @property
    def statements(self) -> StatementTable:
        """As nodes, numbered by their places here."""
        return StatementTable(self.n, {name: self.columns[name] for name in STATEMENT_COLUMNS})

    def take(self, places: NDArray[np.int64]) -> PassageTable:
        """The passages at some places, ascending and distinct."""
        to = np.full(self.n, -1, np.int64)
        to[places] = np.arange(len(places))
        owners = to[self.owners]
        columns = {name: values[places] for name, values in self.columns.items()}
        kept = owners >= 0
        return PassageTable(self.passages[places], columns, self.keys[kept], owners[kept])

    @classmethod
    def none(cls) -> PassageTable:
        types = {name: (dtype, ()) for name, dtype in ROW_COLUMNS.items()} | STATEMENT_COLUMNS
        columns: dict[str, Array] = {
            name: np.zeros((0, *shape), dtype) for name, (dtype, shape) in types.items()
        }
        none = np.zeros(0, np.int64)
        return cls(none, columns | {"end": none}, np.zeros(0, np.uint64), none)

    @classmethod
    def joined(cls, tables: Sequence[PassageTable]) -> PassageTable:
        """The passages of all tables, each once."""
        first = np.cumsum([0, *(table.n for table in tables)])
        passages, places = np.unique(np.concatenate([table.passages for table in tables]), return_index=True)
        to = np.full(int(first[-1]), -1, np.int64)
        to[places] = np.arange(len(places))
        owners = to[np.concatenate([table.owners + at for table, at in zip(tables, first, strict=False)])]
        keys, kept = np.concatenate([table.keys for table in tables]), owners >= 0
        columns = {
            name: np.concatenate([table.columns[name] for table in tables])[places]
            for name in tables[0].columns
        }
        return cls(passages, columns, keys[kept], owners[kept])


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
        _table(index, np.concatenate([near, ended, later])), which, later + index.rows.first, more
    )


SHARD_FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "succession.described": described,
    "succession.neighbours": neighbours,
}
"""What a shard answers, by the name that `SuccessionAcross` asks for; the first argument is its view."""


def successor_order(table: PassageTable, places: NDArray[np.int64], own: Array) -> NDArray[np.int64]:
    """The position of each possible successor, (n, 5): its own document's first, then in order of time.

    The earliest that follows a passage is its successor (`Succession.successors`). The number of the passage
    decides only between passages of one document (others differ in the digest), whose numbers are in the same
    order in every layout of shards.
    """
    columns = [table.columns[name][places] for name in ("visible", "digest", "number")]
    return np.stack([~own, *columns, table.passages[places]], axis=1).astype(np.int64)


def in_order(positions: NDArray[np.int64], *before: Array) -> NDArray[np.int64]:
    """The order of positions; by `before` first, if given."""
    return np.lexsort([*positions.T[::-1], *before])


def is_after(positions: NDArray[np.int64], other: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether each position comes after another, pairwise."""
    after = np.zeros(len(positions), bool)
    for one, two in zip(positions.T[::-1], other.T[::-1], strict=True):
        after = (one > two) | ((one == two) & after)
    return after


def _table(index: StatementIndex, nodes: NDArray[np.int64]) -> PassageTable:
    """The table of nodes, each once."""
    nodes = np.unique(nodes)
    columns = {name: values[nodes] for name, values in index.rows.columns.items()}
    columns |= {name: index.statements[name][nodes] for name in STATEMENT_COLUMNS}
    owners, keys = index.keys_of(nodes)
    return PassageTable(nodes + index.rows.first, columns | {"end": index.ends[nodes]}, keys, owners)


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
    of_nodes = _table(index, nodes)
    both = _beside(table, of_nodes)
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


def _beside(one: PassageTable, other: PassageTable) -> PassageTable:
    """The passages of two tables, one after the other, without keys. A passage may stand in both."""
    columns = {name: np.concatenate([values, other.columns[name]]) for name, values in one.columns.items()}
    none = PassageTable.none()
    return PassageTable(np.concatenate([one.passages, other.passages]), columns, none.keys, none.owners)
