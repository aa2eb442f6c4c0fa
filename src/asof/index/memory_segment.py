"""A segment in memory, of a few rows: what a shard sends of the rows that it chose."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from asof.index.about import AboutTimes
from asof.index.build import COLUMNS, time_order
from asof.index.file_format import Array
from asof.index.offsets import offsets, stretches
from asof.index.prefix import Prefix
from asof.index.segment import Segment
from asof.index.titles import TitleTable


class RowArrays(NamedTuple):
    """What a segment has of n rows, to be sent: `columns` (n each), what they are about, their titles, their
    terms row after row (`counts` of them; the place of each in `hashes`, and how often it stands there), of
    all or of those that were asked for, the stems of the different terms, and vectors (n, d) where the corpus
    has them."""

    columns: Mapping[str, Array]
    about: AboutTimes
    titles: TitleTable
    counts: NDArray[np.int64]
    terms: NDArray[np.int32]
    tf: Array
    hashes: NDArray[np.uint64]
    stem_lengths: NDArray[np.int32]
    stems: NDArray[np.uint8]
    vectors: NDArray[np.int16] | None


def taken(prefix: Prefix, rows: NDArray[np.int64], only: NDArray[np.uint64] | None = None) -> list[RowArrays]:
    """What the segments of a prefix have of these rows, a piece for each segment that holds some; of their
    terms `only` these, where they are given."""
    begins = np.array([part.offset for part in prefix.parts], np.int64)
    which = np.searchsorted(begins, rows, "right") - 1
    return [
        _taken(prefix.parts[at].segment, rows[which == at] - begins[at], only)
        for at in np.unique(which).tolist()
    ]


def _taken(segment: Segment, rows: NDArray[np.int64], only: NDArray[np.uint64] | None) -> RowArrays:
    start = segment["forward_start"]
    begin = start[rows]
    counts = start[rows + 1] - begin
    for name in ("forward", "forward_tf"):
        segment.check_stretches(name, begin, counts)
    entries = stretches(begin, counts)
    if only is not None:
        wanted = np.zeros(len(segment["terms"]), bool)
        places = segment.places_of(only)
        wanted[places[places >= 0]] = True
        kept = wanted[segment.unchecked("forward")[entries]]
        counts = np.bincount(np.repeat(np.arange(len(rows)), counts)[kept], minlength=len(rows))
        entries = entries[kept]
    used, terms = np.unique(segment.unchecked("forward")[entries], return_inverse=True)
    first = segment["stem_offsets"][used]
    lengths = segment["stem_offsets"][used + 1] - first
    segment.check_stretches("stems", first, lengths)
    vectors = None
    if "vectors" in segment:
        segment.check_rows("vectors", rows)
        vectors = segment.unchecked("vectors")[rows]
    return RowArrays(
        {name: segment[name][rows] for name in COLUMNS},
        segment.about.take(rows),
        segment.titles.take(rows),
        counts,
        terms.astype(np.int32),
        segment.unchecked("forward_tf")[entries],
        segment["terms"][used],
        lengths.astype(np.int32),
        segment.unchecked("stems")[stretches(first, lengths)],
        vectors,
    )


class MemorySegment(Segment):
    """A segment whose arrays are in memory; what was sent was checked where it was read. `only`: the terms of
    which the rows were sent, if not of all."""

    def __init__(
        self, pieces: Sequence[RowArrays], encoder: str = "", only: NDArray[np.uint64] | None = None
    ) -> None:
        self._only = only
        self.path = Path("rows in memory")
        self.facts = {"first": 0, "encoder": encoder}
        self.size = 0
        columns = {name: np.concatenate([each.columns[name] for each in pieces]) for name in COLUMNS}
        order = time_order(columns)
        self.n = len(order)
        self._made = {name: values[order] for name, values in columns.items()}
        self._made |= AboutTimes.joined(each.about for each in pieces).take(order).columns()
        self._made |= TitleTable.joined(each.titles for each in pieces).take(order).columns()
        self._made |= _forward(pieces, order)
        vectors = [each.vectors for each in pieces if each.vectors is not None]
        if vectors:
            self._made["vectors"] = np.concatenate(vectors)[order]
        self._made["total"] = offsets(self._made["length"])
        none = np.zeros(0, np.int64)
        self._made |= {"end_passage": none, "end_at": none, "end_added": none}

    def __contains__(self, name: str) -> bool:
        return name in self._made

    def __getitem__(self, name: str) -> Array:
        if name in ("start", "rows", "tf"):
            return self._postings[name]
        if name == "row_of":
            raise KeyError("rows in memory are looked up by their column of passages")
        return self._made[name]

    def unchecked(self, name: str) -> Array:
        return self[name]

    def check(self, name: str, first: int, last: int) -> None:
        pass

    def check_rows(self, name: str, rows: NDArray[np.int64]) -> None:
        pass

    def check_stretches(self, name: str, begin: NDArray[np.int64], lengths: NDArray[np.int64]) -> None:
        pass

    def places_of(self, hashes: NDArray[np.uint64]) -> NDArray[np.int64]:
        if self._only is not None and not np.isin(hashes, self._only).all():
            raise LookupError("a stage reads terms of candidates that were not sent: it has to name them")
        return super().places_of(hashes)

    def rows_of(self, passages: NDArray[np.int64]) -> NDArray[np.int64]:
        return np.flatnonzero(np.isin(self["passage"], passages))

    @cached_property
    def _postings(self) -> dict[str, Array]:
        """Postings by term, from those by row."""
        forward = self["forward"]
        few = len(self["terms"]) <= 1 << 16  # which numpy sorts ten times as fast
        order = np.argsort(forward.astype(np.uint16) if few else forward, kind="stable")
        rows = np.repeat(np.arange(self.n, dtype=np.int32), np.diff(self["forward_start"]))
        start = offsets(np.bincount(forward, minlength=len(self["terms"])))
        return {"start": start, "rows": rows[order], "tf": self["forward_tf"][order]}


def _forward(pieces: Sequence[RowArrays], order: NDArray[np.int64]) -> dict[str, Array]:
    """The terms of each row in the order of rows, and all different terms with their stems."""
    every = np.concatenate([each.hashes for each in pieces])
    terms, first, number = np.unique(every, return_index=True, return_inverse=True)
    before = offsets([len(each.hashes) for each in pieces])[:-1].tolist()
    flat = np.concatenate([number[each.terms + at] for each, at in zip(pieces, before, strict=True)])
    counts = np.concatenate([each.counts for each in pieces])
    at = stretches((np.cumsum(counts) - counts)[order], counts[order])
    lengths = np.concatenate([each.stem_lengths for each in pieces])
    begin = np.cumsum(lengths) - lengths
    letters = np.concatenate([each.stems for each in pieces])
    return {
        "terms": terms,
        "stem_offsets": offsets(lengths[first]),
        "stems": letters[stretches(begin[first], lengths[first])],
        "forward_start": offsets(counts[order]),
        "forward": flat[at].astype(np.int32),
        "forward_tf": np.concatenate([each.tf for each in pieces])[at],
    }
