"""The times that passages are about, as columns: of each row a run of stretches (first and last instant)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from asof.index.offsets import offsets, stretches
from asof.store.about import METADATA, TEXT

Array = NDArray[Any]

Stretch = tuple[int, int, int]
"""First instant, last instant, where it is stated (`asof.store.about`: METADATA, TITLE, HEADING, TEXT)."""


class AboutTimes(NamedTuple):
    """What n rows are about: row i has the stretches `offsets[i]` to before `offsets[i + 1]`.

    `offsets` int64 (n + 1); `first`, `last` int64 instants, both inside (BEGINNING, NEVER: unbounded);
    `kind` uint8, where each is stated, METADATA before TITLE before HEADING before TEXT.
    """

    offsets: NDArray[np.int64]
    first: NDArray[np.int64]
    last: NDArray[np.int64]
    kind: NDArray[np.uint8]

    @classmethod
    def of(cls, rows: Sequence[Sequence[Stretch]]) -> AboutTimes:
        """Columns from the stretches of each row."""
        flat = np.array([stretch for row in rows for stretch in row], np.int64).reshape(-1, 3)
        return cls(
            offsets([len(row) for row in rows]),
            flat[:, 0].copy(),
            flat[:, 1].copy(),
            flat[:, 2].astype(np.uint8),
        )

    @classmethod
    def joined(cls, parts: Iterable[AboutTimes]) -> AboutTimes:
        """The rows of all parts, one part after another."""
        parts = list(parts)
        if len(parts) == 1:
            return parts[0]
        counts = [np.diff(part.offsets) for part in parts]
        first, last = (np.concatenate([*(part[at] for part in parts), _NONE]) for at in (1, 2))
        kind = np.concatenate([*(part.kind for part in parts), np.zeros(0, np.uint8)])
        return cls(offsets(np.concatenate([*counts, _NONE])), first, last, kind)

    def take(self, rows: NDArray[np.int64]) -> AboutTimes:
        """These rows, in their order."""
        begin = self.offsets[rows]
        counts = self.offsets[rows + 1] - begin
        places = stretches(begin, counts)
        return AboutTimes(offsets(counts), self.first[places], self.last[places], self.kind[places])

    def columns(self) -> dict[str, Array]:
        """As the arrays of a segment, by name."""
        return dict(zip(COLUMNS, (self.offsets, self.first, self.last, self.kind), strict=True))

    def slice(self, begin: int, end: int) -> AboutTimes:
        """The rows from `begin` to before `end`."""
        low, high = self.offsets[begin], self.offsets[end]
        part = self.offsets[begin : end + 1]
        return AboutTimes(
            part - low if low else part, self.first[low:high], self.last[low:high], self.kind[low:high]
        )

    @property
    def known(self) -> NDArray[np.bool_]:
        """Which rows (n) are about any time."""
        return np.diff(self.offsets) > 0

    def stated(self, kinds: tuple[int, int] = (METADATA, TEXT)) -> NDArray[np.bool_]:
        """Which rows (n) are about any time that is stated at these kinds of places, from one to another."""
        return self._any(self._of(kinds))

    def overlap(self, first: int, last: int, kinds: tuple[int, int] = (METADATA, TEXT)) -> NDArray[np.bool_]:
        """Which rows (n) are about a time that has an instant in common with `first` to `last`."""
        return self._any((self.first <= last) & (self.last >= first) & self._of(kinds))

    def bounded_in(self, first: int, last: int) -> NDArray[np.bool_]:
        """Which rows (n) are about a time that begins or ends from `first` to `last`."""
        begins = (self.first >= first) & (self.first <= last)
        return self._any(begins | ((self.last >= first) & (self.last <= last)))

    def _of(self, kinds: tuple[int, int]) -> NDArray[np.bool_]:
        return (self.kind >= kinds[0]) & (self.kind <= kinds[1])

    def _any(self, stretches: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Which rows have any of the stretches that are marked."""
        marked = np.flatnonzero(stretches)
        out = np.zeros(len(self.offsets) - 1, bool)
        out[np.searchsorted(self.offsets, marked, "right") - 1] = True
        return out


_NONE = np.zeros(0, np.int64)
COLUMNS = ("about_offsets", "about_first", "about_last", "about_kind")
"""The arrays of a segment that hold them."""
