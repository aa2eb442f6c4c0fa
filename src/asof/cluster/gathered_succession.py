"""Succession in the view of the root, or of several shards as one: rows there, passages at the shards."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from asof.graph.succession_across import SuccessionAcross
from asof.index.memory_segment import MemorySegment, RowArrays
from asof.index.prefix import PrefixPart
from asof.index.view import View

Rows = NDArray[np.int64]


@dataclass(slots=True)
class GatheredSuccession:
    """The chains through rows of the root's view (as `asof.graph.succession.Succession`, for what searching
    asks of it). Passages that the view lacks become further rows of it, outside of every window."""

    view: View
    call: Callable[..., list[Any]]
    taken_in: Callable[[list[list[RowArrays]]], list[RowArrays]]
    across: SuccessionAcross = field(init=False)

    def __post_init__(self) -> None:
        self.across = SuccessionAcross(self.call)

    def predecessors(self, rows: Rows) -> Rows:
        """For each row the earlier one that it follows, or -1."""
        return self._rows(self.across.predecessors(self._passages(rows)))

    def successors(self, rows: Rows) -> Rows:
        """For each row the one that follows it, or -1."""
        return self._rows(self.across.successors(self._passages(rows)))

    def in_series(self, rows: Rows) -> NDArray[np.bool_]:
        """Which rows have a predecessor or a successor."""
        return self.across.in_series(self._passages(rows))

    def series(self, row: int) -> Rows:
        """The chain through a row, in order of time; the row alone if it has none."""
        (passage,) = self._passages(np.array([row])).tolist()
        return self._rows(np.asarray(self.across.series(passage), np.int64))

    def ends(self, rows: Rows) -> list[int | None]:
        """The end of each row, as far as the view knows it; None for a current row."""
        return self.across.ends(self._passages(rows))

    def same_statement(self, row: int) -> Rows:
        """The other rows, of any time, that state the same of the same subject as a row."""
        (passage,) = self._passages(np.array([row])).tolist()
        return self._rows(self.across.same_statement(passage))

    def row_of(self, passages: Sequence[int]) -> int:
        """The row of one of these passages (by number): the current one, else the last; -1 for none."""
        newest = self.across.newest_of(np.array(passages, np.int64))
        return int(self._rows(np.array([newest], np.int64))[0])

    def _passages(self, rows: Rows) -> Rows:
        return np.asarray(self.view.column("passage", rows), np.int64)

    def _rows(self, passages: Rows) -> Rows:
        """The rows of passages; -1 for -1."""
        if self.view.exchange.complete:
            return self.view.prefix.rows_of(passages)
        wanted = np.unique(passages[passages >= 0])
        known = self._known()
        missing = np.array([each for each in wanted.tolist() if each not in known], np.int64)
        if len(missing):
            self._extend(missing)
            known = self._known()
        return np.array([known.get(each, -1) for each in passages.tolist()], np.int64)

    def _known(self) -> dict[int, int]:
        """The rows of the view by their passages."""
        return {
            passage: row + part.offset
            for part in self.view.prefix.parts
            for row, passage in enumerate(part.segment["passage"].tolist())
        }

    def _extend(self, passages: Rows) -> None:
        prefix = self.view.prefix
        pieces = self.taken_in(self.call("rows", passages))
        if not pieces:
            return
        segment = MemorySegment(pieces)
        prefix.parts += (PrefixPart(segment, segment.n, np.zeros(0, np.int64), prefix.rows),)
        prefix.rows += segment.n
