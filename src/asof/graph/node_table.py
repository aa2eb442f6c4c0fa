"""The columns of rows that graphs need, by number of the passage: a table that only grows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from asof.index.file_format import Array
from asof.index.prefix import Prefix
from asof.index.segment import Segment
from asof.text.shingles import mixed
from asof.time.span import BEGINNING, NEVER

COLUMNS = {
    "visible": np.int64, "digest": np.int64, "number": np.int32, "document": np.int64, "added": np.int64,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Rows:
    """Constant columns of all rows that a corpus ever had, except erased ones.

    A *node* is a row numbered by its passage: node = passage - `first`. Numbers of passages only grow and are
    never reused, so later rows get later nodes, and nodes do not depend on segments. `present`: the numbers
    in use.
    """

    first: int
    present: NDArray[np.bool_]
    columns: dict[str, Array]

    @property
    def n(self) -> int:
        """How many nodes there are, unused numbers included."""
        return len(self.present)

    @property
    def end(self) -> int:
        """The number after the last passage."""
        return self.first + self.n

    @classmethod
    def of(cls, segments: Sequence[Segment]) -> Rows:
        first = min((segment.facts["first"] for segment in segments if segment.n), default=1)
        n = max(known_to(segments) - first, 0)
        columns = {name: np.zeros(n, dtype) for name, dtype in COLUMNS.items()}
        rows = cls(first, np.zeros(n, bool), columns)
        for segment in segments:
            rows._fill(segment, 0)
        return rows

    def extended(self, segments: Sequence[Segment]) -> Rows:
        """The table with those rows of the segments that come after it."""
        after = [segment for segment in segments if end_of(segment) > self.end]
        if not after:
            return self
        if not self.n:  # the first rows of a corpus begin anywhere
            return Rows.of(after)
        more = known_to(after) - self.end
        present = np.concatenate([self.present, np.zeros(more, bool)])
        columns = {
            name: np.concatenate([values, np.zeros(more, values.dtype)])
            for name, values in self.columns.items()
        }
        rows = Rows(self.first, present, columns)
        for segment in after:
            rows._fill(segment, self.n)
        return rows

    def _fill(self, segment: Segment, begin: int) -> None:
        """Write the rows of a segment from node `begin` on."""
        nodes = segment["passage"] - self.first
        new = nodes >= begin
        self.present[nodes[new]] = True
        for name, values in self.columns.items():
            values[nodes[new]] = segment[name][new]

    def take(self, nodes: NDArray[np.int64]) -> Rows:
        """A table of these nodes alone, numbered from 0 in this order."""
        return Rows(0, self.present[nodes], {name: values[nodes] for name, values in self.columns.items()})

    def holds(self, segment: Segment) -> bool:
        """Whether all rows of a segment are in the table with the same values."""
        nodes = segment["passage"] - self.first
        return bool(
            (nodes >= 0).all() and self.present[nodes].all()
            and all((self.columns[name][nodes] == segment[name]).all() for name in ("added", "digest"))
        )  # fmt: skip

    def nodes(self, segment: Segment, rows: int) -> NDArray[np.int64]:
        """The nodes of the first `rows` rows of a segment."""
        nodes: NDArray[np.int64] = segment["passage"][:rows] - self.first
        return nodes

    def known(self, prefix: Prefix) -> NDArray[np.bool_]:
        """Which nodes count at the K of a prefix: known by then, and not yet known to be wrong (retired).

        Rows that become visible after the T of the prefix are included: they are the tail of every list in
        time order, so nothing before them depends on them.
        """
        segments = [part.segment for part in prefix.parts]
        known = self.present.copy()
        known[max(known_to(segments) - self.first, 0) :] = False
        for segment in segments:
            retired = segment["end_at"] == BEGINNING
            if prefix.known_at != NEVER:
                retired &= segment["end_added"] <= prefix.known_at
            nodes = segment["end_passage"][retired] - self.first
            known[nodes[(nodes >= 0) & (nodes < self.n)]] = False
        if prefix.known_at != NEVER:
            known &= self.columns["added"] <= prefix.known_at
        return known

    def canonical(self, nodes: Array, *before: Array) -> NDArray[np.int64]:
        """The order of nodes by time, then by constant columns; by `before` first, if given."""
        keys = [self.columns[name][nodes] for name in ("number", "digest", "visible")]
        return np.lexsort([nodes, *keys, *before])

    def stamp(self, begin: int, end: int) -> str:
        """A fingerprint of the rows of nodes `begin` to `end` (exclusive)."""
        nodes = np.flatnonzero(self.present[begin:end]) + begin
        facts = mixed((nodes + self.first).astype(np.uint64))
        for name in ("added", "digest", "visible"):
            facts = mixed(facts ^ self.columns[name][nodes].astype(np.uint64))
        return f"{len(nodes)}-{int(facts.sum(dtype=np.uint64)):016x}"


def end_of(segment: Segment) -> int:
    """The number after the last passage of a segment; 0 for one that only holds ends."""
    return int(segment.facts["first"]) + len(segment.unchecked("row_of")) if segment.n else 0


def known_to(segments: Sequence[Segment]) -> int:
    """The number after the last passage of all; 0 when there is none."""
    return max(map(end_of, segments), default=0)
