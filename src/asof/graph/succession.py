"""Succession: which earlier passage each passage follows, by their statements.

Passages that state the same of the same subject at different times form a series: prices, results, minutes,
releases, the versions of a note. Each points to its best earlier one, if it has any (`similarity.py` compares
statements, `predecessors.py` selects the best), so that a series is a chain that depends on the past alone.
Undated passages are in none. Passages added after the view's K or published after its T do not affect it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from asof import corpus_files
from asof.errors import DamagedSegment
from asof.graph.predecessors import Chain, Linker
from asof.graph.succession_cache import FILE, FILE_FORMAT, FOLDER, series_cache
from asof.index.prefix import Prefix
from asof.index.segment import Segment
from asof.index.view import View
from asof.time.span import NEVER

LONGEST = 100_000
"""The most links followed in one direction; a longer chain would be a bug."""

Rows = NDArray[np.int64]


class Successor(NamedTuple):
    """The row that follows another, and since when it is visible (an instant)."""

    row: int
    instant: int


@dataclass(frozen=True, slots=True)
class Succession:
    """The chains among the rows of a view, ended ones included. Rows are numbers of the view; -1 is none."""

    prefix: Prefix
    linker: Linker
    chain: Chain

    def predecessors(self, rows: Rows) -> Rows:
        """For each row the earlier one that it follows, or -1."""
        nodes = self.nodes(rows)
        return self._rows(np.where(nodes < 0, -1, self.chain.before[nodes]))

    def successors(self, rows: Rows) -> Rows:
        """For each row the one that follows it, or -1: of its own document if one does, else the earliest."""
        nodes = self.nodes(rows)
        after = self._rows(np.where(nodes < 0, -1, self.chain.after[nodes]))
        edit = self._rows(np.where(nodes < 0, -1, self.chain.edit[nodes]))
        return np.where(edit >= 0, edit, after)

    def in_series(self, rows: Rows) -> NDArray[np.bool_]:
        """Which rows have a predecessor or a successor."""
        return (self.predecessors(rows) >= 0) | (self.successors(rows) >= 0)

    def series(self, row: int) -> Rows:
        """The chain through a row, in order of time; the row alone if it has none."""
        back = self._walk(row, self.predecessors)
        return np.array([*reversed(back), row, *self._walk(row, self.successors)], np.int64)

    @staticmethod
    def _walk(row: int, step: Callable[[Rows], Rows]) -> list[int]:
        rows: list[int] = []
        for _ in range(LONGEST):
            row = int(step(np.array([row], np.int64))[0])
            if row < 0:
                break
            rows.append(row)
        return rows

    def same_statement(self, row: int) -> Rows:
        """The other rows of the view, of any time, that state the same of the same subject as a row."""
        node = int(self.nodes(np.array([row], np.int64))[0])
        if node < 0:
            return np.zeros(0, np.int64)
        rows = self._rows(self.linker.same_statement(node, self.chain.known))
        return rows[rows >= 0]

    def ends(self, rows: Rows) -> list[int | None]:
        """The end of each row, as far as the view knows it; None for a current row."""
        nodes = self.nodes(rows)
        ends = np.where(nodes < 0, NEVER, self.chain.ends[nodes]).tolist()
        return [None if end > self.prefix.as_of else end for end in ends]

    def row_of(self, passages: Sequence[int]) -> int:
        """The row of one of these passages (by number): the current one, else the last; -1 for none."""
        rows = self._rows(np.array(passages, np.int64) - self.linker.rows.first)
        rows = rows[(rows >= 0) & (self.nodes(rows) >= 0)]
        current = [row for row, end in zip(rows.tolist(), self.ends(rows), strict=True) if end is None]
        return next(iter(current or reversed(rows.tolist())), -1)

    def nodes(self, rows: Rows) -> Rows:
        """The nodes of rows; -1 for rows that are not known, and for row -1."""
        nodes = np.full(len(rows), -1, np.int64)
        for part in self.prefix.parts:
            here = np.flatnonzero((rows >= part.offset) & (rows < part.offset + part.hi))
            if len(here):
                nodes[here] = part.segment["passage"][rows[here] - part.offset] - self.linker.rows.first
        nodes[(nodes >= self.chain.n) | ~self.chain.known[np.minimum(nodes, self.chain.n - 1)]] = -1
        return nodes

    def _rows(self, nodes: NDArray[np.signedinteger]) -> Rows:
        """The rows of nodes; -1 for those that are not in the view, and for -1."""
        passages = nodes.astype(np.int64) + self.linker.rows.first
        return self.prefix.rows_of(np.where(nodes >= 0, passages, -1))


def succession(view: View) -> Succession:
    """The succession of a view; cached with it."""
    cached: Succession | None = view.prefix.memo.get(FOLDER)
    if cached is None:
        cached = view.prefix.memo[FOLDER] = Succession(view.prefix, *series_cache(view.derived).chain(view))
    return cached


def refresh(view: View) -> None:
    """Update the cache with the rows added since; cheap if there are none."""
    succession(view)


def superseded(view: View, rows: Rows) -> list[Successor | None]:
    """For each row its successor in the view, None for none."""
    after = succession(view).successors(rows)
    visible = view.column("visible", np.maximum(after, 0)).tolist() if len(rows) else []
    return [
        Successor(row, instant) if row >= 0 else None
        for row, instant in zip(after.tolist(), visible, strict=True)
    ]


def status(folder: Path) -> list[str]:
    """A line for `asof status` about the cache file, if any; `folder` is the one of all derived files."""
    path = folder / FOLDER / FILE
    if FILE not in corpus_files.names(path.parent):
        return []
    try:
        segment = Segment(path, expected=FILE_FORMAT)
    except DamagedSegment:
        return [f"succession: {path.name} is damaged; it will be rebuilt"]
    links = int((segment.unchecked("before") >= 0).sum())
    return [
        f"succession: {segment.facts['rows']:,} passages, {links:,} follow another; {segment.size:,} bytes"
    ]
