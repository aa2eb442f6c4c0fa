"""Succession: which earlier passage each passage follows, by what the passages say.

Passages that state the same of the same subject at different times form a series: prices, results, minutes,
releases, the versions of a note. Each points to its best earlier one, if it has any (`similarity.py` says
what is the same, `predecessors.py` which is best), so that a series is a chain of which the past alone
decides. Undated passages are in none. What was learned after the view's K or published after its T has no
part in it.
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
"""So many links are followed in one direction; more would be a fault."""

Rows = NDArray[np.int64]


class Successor(NamedTuple):
    """The row that follows another, and the instant from which it could be seen."""

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
        """Which rows follow one or are followed by one."""
        return (self.predecessors(rows) >= 0) | (self.successors(rows) >= 0)

    def series(self, row: int) -> Rows:
        """The chain through a row, in order of time; the row alone if it has none."""
        back = self._walk(row, self.predecessors)
        return np.array([*reversed(back), row, *self._walk(row, self.successors)], np.int64)

    @staticmethod
    def _walk(row: int, step: Callable[[Rows], Rows]) -> list[int]:
        found: list[int] = []
        for _ in range(LONGEST):
            row = int(step(np.array([row], np.int64))[0])
            if row < 0:
                break
            found.append(row)
        return found

    def alike(self, row: int) -> Rows:
        """The rows of the view that state the same of the same subject as a row, whenever; not it itself."""
        node = int(self.nodes(np.array([row], np.int64))[0])
        if node < 0:
            return np.zeros(0, np.int64)
        rows = self._rows(self.linker.alike(node, self.chain.known))
        return rows[rows >= 0]

    def ends(self, rows: Rows) -> list[int | None]:
        """When each row stopped being said, as far as can be seen in the view; None while it is said."""
        nodes = self.nodes(rows)
        ends = np.where(nodes < 0, NEVER, self.chain.ends[nodes]).tolist()
        return [None if end > self.prefix.as_of else end for end in ends]

    def row_of(self, passages: Sequence[int]) -> int:
        """The row of one of some passages (by number): the one in force, else the last; -1 for none."""
        rows = self._rows(np.array(passages, np.int64) - self.linker.rows.first)
        rows = rows[(rows >= 0) & (self.nodes(rows) >= 0)]
        said = [row for row, end in zip(rows.tolist(), self.ends(rows), strict=True) if end is None]
        return next(iter(said or reversed(rows.tolist())), -1)

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
        rows = np.full(len(nodes), -1, np.int64)
        passages = nodes + self.linker.rows.first
        for part in self.prefix.parts:
            segment = part.segment
            if not segment.n:
                continue
            table, first = segment["row_of"], segment.facts["first"]
            here = np.flatnonzero((nodes >= 0) & (passages >= first) & (passages < first + len(table)))
            found = table[passages[here] - first]
            inside = (found >= 0) & (found < part.hi)
            rows[here[inside]] = found[inside] + part.offset
        return rows


def succession(view: View) -> Succession:
    """The succession of a view; kept with it."""
    made: Succession | None = view.prefix.memo.get(FOLDER)
    if made is None:
        made = view.prefix.memo[FOLDER] = Succession(view.prefix, *series_cache(view).chain(view))
    return made


def refresh(view: View) -> None:
    """Bring what is kept up to date with what came since; cheap when nothing did."""
    succession(view)


def superseded(view: View, rows: Rows) -> list[Successor | None]:
    """For each row the one of the view that follows it, and from when that could be seen; None if none."""
    after = succession(view).successors(rows)
    visible = view.column("visible", np.maximum(after, 0)).tolist() if len(rows) else []
    return [
        Successor(row, instant) if row >= 0 else None
        for row, instant in zip(after.tolist(), visible, strict=True)
    ]


def status(folder: Path) -> list[str]:
    """A line for `asof status` about the file, if there is one; `folder` is that of all that is derived."""
    path = folder / FOLDER / FILE
    if FILE not in corpus_files.names(path.parent):
        return []
    try:
        segment = Segment(path, expected=FILE_FORMAT)
    except DamagedSegment:
        return [f"succession: {path.name} is damaged; it will be made anew"]
    links = int((segment.unchecked("before") >= 0).sum())
    return [
        f"succession: {segment.facts['rows']:,} passages, {links:,} follow another; {segment.size:,} bytes"
    ]
