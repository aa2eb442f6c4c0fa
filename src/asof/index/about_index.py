"""Which rows are about a time, without a look at every row: rows listed by the different times there are.

Very many passages are about few different times: days, months, years. A segment lists its rows for each of
them once, when it is first asked; a question compares the different times and reads the lists of those that
it overlaps. Rows whose times are all different cost what a comparison of all rows does.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from asof.index.about import AboutTimes
from asof.index.offsets import stretches
from asof.time.span import Span


class RowsByTime(NamedTuple):
    """The rows of a segment by the times that they are about: `first` to `last`, both inside, (m) each, all
    different. Time i has the `rows` from `start[i]` to before `start[i + 1]`, ascending. `about`: the times
    row by row.

    A row is listed once for each time, at whatever kinds of places that is stated.
    """

    first: NDArray[np.int64]
    last: NDArray[np.int64]
    start: NDArray[np.int64]
    rows: NDArray[np.int32]
    about: AboutTimes

    @classmethod
    def of(cls, about: AboutTimes) -> RowsByTime:
        """The rows of a table by their times."""
        order = np.lexsort((about.last, about.first))  # stable, so rows ascend
        first, last = about.first[order], about.last[order]
        differs = np.ones(len(order), bool)
        differs[1:] = (first[1:] != first[:-1]) | (last[1:] != last[:-1])
        begin = np.flatnonzero(differs)
        owners = np.repeat(np.arange(len(about.offsets) - 1, dtype=np.int32), np.diff(about.offsets))
        return cls(first[begin], last[begin], np.append(begin, len(order)), owners[order], about)

    def mark(self, mask: NDArray[np.bool_], first: int, last: int, begin: int = 0) -> None:
        """Set `mask`, of the rows from `begin` on, where one is about a time that has an instant in common
        with `first` to `last`."""
        some = np.flatnonzero((self.first <= last) & (self.last >= first))
        listed = self.start[some + 1] - self.start[some]
        end = begin + len(mask)
        if listed.sum() > FEWER * (self.about.offsets[end] - self.about.offsets[begin]):
            mask |= self.about.slice(begin, end).overlap(first, last)
            return
        rows = self.rows[stretches(self.start[some], listed)]
        mask[rows[(rows >= begin) & (rows < begin + len(mask))] - begin] = True


FEWER = 4
"""Where rows have so many times fewer times than there are rows to read of the times, they are looked at
one by one."""


def about_or_published(
    by_time: RowsByTime, visible: NDArray[np.int64], dated: NDArray[np.uint8], spans: Sequence[Span],
    begin: int, end: int,
) -> NDArray[np.bool_]:  # fmt: skip
    """Which rows of a segment from `begin` to before `end` are about one of the times or were published then.

    `visible` (ascending) and `dated` are columns of the whole segment.
    """
    mask = np.zeros(end - begin, bool)
    for span in spans:
        low = max(int(np.searchsorted(visible, span.first, "left")), begin)
        high = min(int(np.searchsorted(visible, span.last, "right")), end)
        if low < high:
            mask[low - begin : high - begin] |= dated[low:high].astype(bool)
        by_time.mark(mask, span.first, span.last, begin)
    return mask
