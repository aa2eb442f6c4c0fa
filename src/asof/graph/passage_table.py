"""Passages of any shards with all that linking reads of them, and the order of possible successors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from asof.graph.node_table import COLUMNS as ROW_COLUMNS
from asof.graph.node_table import Rows
from asof.graph.statement import COLUMNS as STATEMENT_COLUMNS
from asof.graph.statement import StatementTable
from asof.index.file_format import Array

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


def beside(one: PassageTable, other: PassageTable) -> PassageTable:
    """The passages of two tables, one after the other, without keys. A passage may stand in both."""
    columns = {name: np.concatenate([values, other.columns[name]]) for name, values in one.columns.items()}
    none = PassageTable.none()
    return PassageTable(np.concatenate([one.passages, other.passages]), columns, none.keys, none.owners)


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
