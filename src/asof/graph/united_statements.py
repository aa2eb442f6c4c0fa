"""The statements of several shards as those of one.

The nodes of a shard follow those of the shards before it. Postings are the same arrays under other numbers,
statements are read where they lie; columns of rows, which sorting needs whole, are copied.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from asof.graph.node_lookup import KeysOfNodes, NodesOfDocuments
from asof.graph.node_table import COLUMNS, Rows
from asof.graph.postings import Postings
from asof.graph.statement_index import Numbers, StatementIndex, Statements
from asof.index.file_format import Array
from asof.index.offsets import offsets


class SpreadStatements:
    """The statements of several shards, whose nodes begin at `begins` (ascending, from 0 on)."""

    def __init__(self, members: Sequence[Statements], begins: NDArray[np.int64]) -> None:
        self._members = members
        self._begins = begins

    def taken(self, nodes: NDArray[np.int64]) -> dict[str, Array]:
        """All columns of some nodes (ascending), by name."""
        of_shards = np.split(nodes, np.searchsorted(nodes, self._begins[1:]))
        every = [
            member.taken(some - begin)
            for member, some, begin in zip(self._members, of_shards, self._begins.tolist(), strict=True)
        ]
        return {name: np.concatenate([each[name] for each in every]) for name in every[0]}


class _Tables(NamedTuple):
    """What does not depend on the moment. `members`: the rows and postings that it was made from."""

    members: tuple[object, ...]
    rows: Rows
    parts: tuple[Postings, ...]
    keys_of_nodes: KeysOfNodes
    nodes_of_documents: NodesOfDocuments


@dataclass(slots=True)
class UnitedStatements:
    """Makes indexes of the same shards; tables are kept until a shard gets others. Threads share it."""

    _tables: _Tables | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def of(self, indexes: Sequence[StatementIndex]) -> StatementIndex:
        """The index of all statements of some indexes of one moment, in the order of their numbers."""
        some = [each for each in indexes if each.rows.n]
        if len(some) < 2:
            return (some or list(indexes))[0]
        tables = self._made(some)
        begins = offsets([each.rows.n for each in some])
        return StatementIndex(
            tables.rows, SpreadStatements([each.statements for each in some], begins[:-1]), tables.parts,
            some[0].limits, np.concatenate([each.visible for each in some]),
            np.concatenate([each.counted for each in some]), np.concatenate([each.ends for each in some]),
            tables.keys_of_nodes, tables.nodes_of_documents,
            Numbers(np.array([each.rows.first for each in some]), begins),
        )  # fmt: skip

    def _made(self, indexes: Sequence[StatementIndex]) -> _Tables:
        members = tuple(table for each in indexes for table in (each.rows, *each.parts))
        with self._lock:
            kept = self._tables
            if kept is None or list(map(id, kept.members)) != list(map(id, members)):
                kept = self._tables = _joined(members, indexes)
            return kept


def _joined(members: tuple[object, ...], indexes: Sequence[StatementIndex]) -> _Tables:
    begins = offsets([each.rows.n for each in indexes]).tolist()
    columns = {name: np.concatenate([each.rows.columns[name] for each in indexes]) for name in COLUMNS}
    rows = Rows(0, np.concatenate([each.rows.present for each in indexes]), columns)
    parts = tuple(
        replace(part, begin=part.begin + begin)
        for each, begin in zip(indexes, begins, strict=False)
        for part in each.parts
    )
    return _Tables(members, rows, parts, KeysOfNodes(), NodesOfDocuments())
