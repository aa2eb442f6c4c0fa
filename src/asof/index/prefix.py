"""What is visible at (T, K): a prefix of every segment less the rows that had ended, and its statistics.

Every statistic is a whole number: a difference of two prefixes, summed over segments. So it does not depend
on how the rows are spread over segments, and nothing published after T or learned after K is in it.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from asof.index.file_format import Array
from asof.index.offsets import placed, stretches
from asof.index.segment import Segment
from asof.time.span import NEVER


@dataclass(slots=True)
class PrefixPart:
    """The first `hi` rows of a segment; `dead` are those of them that are not visible (any more), ascending.

    `offset` is the number of rows in the parts before: a row of the view is `offset` + a row in here.
    """

    segment: Segment
    hi: int
    dead: NDArray[np.int64]
    offset: int
    _norms: dict[tuple[float, float], NDArray[np.float64]] = field(default_factory=dict)
    _mask: NDArray[np.bool_] | None = None
    _dead_dfs: NDArray[np.int64] | None = None
    _terms_of_dead: int | None = None
    _looked_through: int = 0

    @property
    def dead_mask(self) -> NDArray[np.bool_]:
        if self._mask is None:
            mask = np.zeros(self.hi, bool)
            mask[self.dead] = True
            self._mask = mask
        return self._mask

    def dead_dfs(self, ranges: NDArray[np.int64]) -> NDArray[np.int64] | None:
        """In how many dead rows each term of the segment stands; None where it takes less to look through the
        postings (`ranges` of them), together with those that were looked through for earlier questions."""
        if self._dead_dfs is None:
            segment, start = self.segment, self.segment["forward_start"]
            if self._terms_of_dead is None:
                self._terms_of_dead = int((start[self.dead + 1] - start[self.dead]).sum())
            self._looked_through += int((ranges[:, 1] - ranges[:, 0]).sum())
            if self._looked_through < BY_ROW * self._terms_of_dead:
                return None
            begin = start[self.dead]
            counts = start[self.dead + 1] - begin
            segment.check_stretches("forward", begin, counts)
            terms = segment.unchecked("forward")[stretches(begin, counts)]
            self._dead_dfs = np.bincount(terms, minlength=len(segment["terms"]))
        return self._dead_dfs


BY_ROW = 4
"""So many times as long as a posting takes a term of a row that is read."""


@dataclass(slots=True)
class Prefix:
    """All that is visible at (`as_of`, `known_at`), in instants. `n`: live rows; `tokens`: their words.

    `memo` keeps what was derived for this view (centralities, vectors), by name.
    """

    as_of: int
    known_at: int
    parts: tuple[PrefixPart, ...]
    n: int
    tokens: int
    rows: int  # of all parts, dead ones included
    lock: threading.Lock = field(default_factory=threading.Lock)
    memo: dict[str, Any] = field(default_factory=dict)
    _scratch: list[NDArray[np.float64]] = field(default_factory=list)
    _dfs: dict[int, int] = field(default_factory=dict)

    @classmethod
    def of(cls, segments: Sequence[Segment], as_of: int, known_at: int = NEVER) -> Prefix:
        ended = ended_by(segments, as_of, known_at)
        parts: list[PrefixPart] = []
        n = tokens = offset = 0
        for segment in segments:
            hi = int(np.searchsorted(segment["visible"], as_of, "right"))
            dead = segment.rows_of(ended)
            dead = dead[: np.searchsorted(dead, hi)]
            if known_at != NEVER:
                dead = np.union1d(dead, np.flatnonzero(segment["added"][:hi] > known_at))
            parts.append(PrefixPart(segment, hi, dead, offset))
            n += hi - len(dead)
            tokens += int(segment["total"][hi]) - int(segment["length"][dead].sum(dtype=np.int64))
            offset += hi
        return cls(as_of, known_at, tuple(parts), n, tokens, offset)

    @property
    def average_length(self) -> float:
        return self.tokens / self.n if self.n else 0.0

    def locate(self, row: int) -> tuple[PrefixPart, int]:
        """The part that holds a row, and the row in it."""
        part = next(part for part in reversed(self.parts) if part.offset <= row)
        return part, row - part.offset

    def rows_of(self, passages: NDArray[np.int64]) -> NDArray[np.int64]:
        """The rows of passages; -1 for those that are not among them, and for -1."""
        rows = np.full(len(passages), -1, np.int64)
        for part in self.parts:
            segment = part.segment
            if not segment.n:
                continue
            table, first = segment["row_of"], segment.facts["first"]
            here = np.flatnonzero((passages >= first) & (passages < first + len(table)))
            found = table[passages[here] - first]
            inside = (found >= 0) & (found < part.hi)
            rows[here[inside]] = found[inside] + part.offset
        return rows

    def norm(self, part: PrefixPart, k1: float, b: float) -> NDArray[np.float64]:
        """BM25's `k1 (1 - b + b length / average)` of each row, infinite for dead ones.

        With it tf / (tf + norm) of a dead row is 0, so that a term's df is a count of what is not 0.
        """
        norm = part._norms.get((k1, b))
        if norm is None:
            per_word = k1 * b / self.average_length if self.tokens else 0.0
            norm = part.segment["length"][: part.hi].astype(np.float64)
            norm *= per_word
            norm += k1 * (1 - b)
            norm[part.dead] = np.inf
            part._norms[k1, b] = norm
        return norm

    def dfs(self, terms: Sequence[int]) -> list[int]:
        """In how many rows each of these terms (hashes) stands."""
        missing = [term for term in terms if term not in self._dfs]
        if missing:
            counted = sum((_dfs(part, missing) for part in self.parts), np.zeros(len(missing), np.int64))
            self._dfs.update(zip(missing, counted.tolist(), strict=True))
        return [self._dfs[term] for term in terms]

    def remember_df(self, term: int, df: int) -> None:
        self._dfs[term] = df

    def zeros(self, n: int) -> NDArray[np.float64]:
        """An array of zeros, from a store of used ones: fresh memory costs a page fault for each 4 KiB."""
        with self.lock:
            array = self._scratch.pop() if self._scratch else None
        if array is None or len(array) < n:
            array = np.empty(max(n, self.rows), np.float64)
        array[:n] = 0.0
        return array

    def give_back(self, array: NDArray[np.float64]) -> None:
        with self.lock:
            if len(self._scratch) < 4:
                self._scratch.append(array)

    def window(self, first: int | None = None, last: int | None = None) -> Window:
        """The rows that became visible in [first, last] (instants, both included); None: no bound."""
        parts: list[WindowPart] = []
        offset = 0
        for part in self.parts:
            visible = part.segment["visible"]
            lo = 0 if first is None else min(int(np.searchsorted(visible, first, "left")), part.hi)
            hi = part.hi if last is None else min(int(np.searchsorted(visible, last, "right")), part.hi)
            if lo < hi:
                parts.append(WindowPart(part, lo, hi, offset))
                offset += hi - lo
        whole = offset == self.rows
        return Window(self, tuple(parts), offset, whole)


@dataclass(frozen=True, slots=True)
class WindowPart:
    """Rows `first` to `last` (exclusive) of a part; the window's place of `first` is `offset`."""

    prefix: PrefixPart
    first: int
    last: int
    offset: int

    def dead_places(self) -> NDArray[np.int64]:
        """Places in the window of the dead rows."""
        first, last = self._dead()
        return np.asarray(self.prefix.dead[first:last] - self.first + self.offset, np.int64)

    @property
    def n_live(self) -> int:
        """How many of its rows are not dead."""
        first, last = self._dead()
        return self.last - self.first - (last - first)

    def _dead(self) -> tuple[int, int]:
        first, last = np.searchsorted(self.prefix.dead, [self.first, self.last])
        return int(first), int(last)


@dataclass(frozen=True, slots=True)
class Window:
    """A contiguous slice of time of a prefix: `n` places, numbered from 0. `whole`: it is all of it.

    Places of dead rows count in `n`, and their number tells what is not visible: whatever is shown, or
    decides what is shown, goes by `n_live`.
    """

    prefix: Prefix
    parts: tuple[WindowPart, ...]
    n: int
    whole: bool

    @property
    def n_live(self) -> int:
        """How many passages are current in it."""
        return sum(part.n_live for part in self.parts)

    def rows(self, places: NDArray[np.int64]) -> NDArray[np.int64]:
        """Row numbers of the view for places in the window."""
        if self.whole:
            return places
        if not self.parts:
            return np.zeros(0, np.int64)
        offsets = np.array([part.offset for part in self.parts])
        shift = np.array([part.prefix.offset + part.first - part.offset for part in self.parts])
        moved: NDArray[np.int64] = places + shift[np.searchsorted(offsets, places, "right") - 1]
        return moved

    def places(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Places in the window for row numbers of the view; -1 for a row that is not in it."""
        if self.whole:
            return rows
        places = np.full(len(rows), -1)
        for part in self.parts:
            own = rows - part.prefix.offset
            inside = (own >= part.first) & (own < part.last)
            places[inside] = own[inside] - part.first + part.offset
        return places

    def visible(self, places: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Which places of the window are of rows that are not dead."""
        alive = np.ones(len(places), bool)
        for part in self.parts:
            dead, row = part.prefix.dead, places - part.offset + part.first
            if len(dead):
                inside = (row >= part.first) & (row < part.last)
                at = np.minimum(np.searchsorted(dead, row), len(dead) - 1)
                alive &= ~(inside & (dead[at] == row))
        return alive

    def column(self, name: str) -> Array:
        """A column of all rows of the window, in order."""
        columns = [part.prefix.segment[name][part.first : part.last] for part in self.parts]
        return columns[0] if len(columns) == 1 else np.concatenate([*columns, np.zeros(0, np.int64)])


def ended_by(segments: Sequence[Segment], as_of: int, known_at: int) -> NDArray[np.int64]:
    """Passages that had ended by `as_of`, as was known at `known_at`."""
    passages = []
    for segment in segments:
        ended = segment["end_at"] <= as_of
        if known_at != NEVER:
            ended &= segment["end_added"] <= known_at
        passages.append(segment["end_passage"][ended])
    return np.unique(np.concatenate(passages)) if passages else np.zeros(0, np.int64)


def _dfs(part: PrefixPart, terms: Sequence[int]) -> NDArray[np.int64]:
    """How many live rows of a part hold each term."""
    segment, hashes = part.segment, np.array(terms, np.uint64)
    ranges = np.array(segment.find(hashes), np.int64).reshape(-1, 2)
    counts: NDArray[np.int64] = ranges[:, 1] - ranges[:, 0]
    postings = segment.unchecked("rows")
    dead = part.dead_dfs(ranges) if len(part.dead) else None
    mask = part.dead_mask if len(part.dead) and dead is None else None
    if part.hi < segment.n or mask is not None:
        for at in np.flatnonzero(counts).tolist():
            first, last = ranges[at].tolist()
            segment.check("rows", first, last)
            rows = postings[first:last]
            if part.hi < segment.n:
                rows = rows[: placed(rows, part.hi)[0]]
            counts[at] = len(rows) - (np.count_nonzero(mask[rows]) if mask is not None else 0)
    if dead is not None:
        places = segment.places_of(hashes)
        counts[places >= 0] -= dead[places[places >= 0]]
    return counts
