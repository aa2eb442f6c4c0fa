"""Postings of shingles for a range of passages, read from their texts."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from asof.graph.limits import DEFAULT, GraphLimits
from asof.index.file_format import Array, ArraySpec, FileFormat
from asof.index.segment import Segment, SegmentWriter
from asof.store.passages import texts_between, texts_of
from asof.text.shingles import Shingler

FILE_FORMAT = FileFormat(
    {
        "counts": ArraySpec("<i4", "n", low=0), "hashes": ArraySpec("<u8", "p", order="ascending"),
        "carriers": ArraySpec("<i4", "p", low=0, below="n"),
    },
    {"begin": int, "end": int, "made": str},
    {"counts": lambda read, facts: facts["end"] == facts["begin"] + len(read("counts"))},
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Postings:
    """The shingles of the nodes from `begin` on: `counts` (n) is how many each of them has.

    `hashes` (p), ascending, and the `carriers` (p) of each, as node - `begin`. `file`: their cache file.
    """

    begin: int
    counts: NDArray[np.int32]
    hashes: NDArray[np.uint64]
    carriers: NDArray[np.int32]
    file: Path | None = None

    @property
    def end(self) -> int:
        return self.begin + len(self.counts)

    def between(self, low: int, high: int) -> tuple[NDArray[np.uint64], NDArray[np.int32]]:
        """Hashes from `low` to `high` (exclusive) and the nodes that have them."""
        first = int(np.searchsorted(self.hashes, np.uint64(low)))
        last = int(np.searchsorted(self.hashes, np.uint64(high))) if high < 2**64 else len(self.hashes)
        return self.hashes[first:last], self.carriers[first:last] + np.int32(self.begin)

    def find(self, hashes: NDArray[np.uint64]) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """For each carrier of one of `hashes`: which of them, and the node."""
        first, last = (np.searchsorted(self.hashes, hashes, side) for side in ("left", "right"))
        many = last - first
        which = np.repeat(np.arange(len(first)), many)
        at = np.arange(len(which)) + np.repeat(first - (np.cumsum(many) - many), many)
        return which, self.carriers[at] + np.int32(self.begin)

    def save(self, path: Path, **facts: str | int) -> Postings:
        """Write a file; returns the postings mapped from it."""
        with SegmentWriter(path) as writer:
            writer.add("counts", self.counts)
            writer.add("hashes", self.hashes)
            writer.add("carriers", self.carriers)
            writer.close(begin=self.begin, **facts)
        return segment_postings(Segment(path, expected=FILE_FORMAT))


def segment_postings(segment: Segment) -> Postings:
    """The postings that a file holds, every byte checked. Raises DamagedSegment."""
    return Postings(
        segment.facts["begin"], segment["counts"], segment["hashes"], segment["carriers"], segment.path
    )


def merge_postings(parts: Sequence[Postings]) -> Postings:
    """Consecutive parts as one."""
    begin = parts[0].begin
    hashes = np.concatenate([part.hashes for part in parts])
    carriers = np.concatenate([part.carriers + np.int32(part.begin - begin) for part in parts])
    order = np.argsort(hashes, kind="stable")  # merges what is in order already
    counts = np.concatenate([part.counts for part in parts])
    return Postings(begin, counts, hashes[order], carriers[order])


def read_postings(
    db: sqlite3.Connection, first: int, begin: int, end: int, shingler: Shingler,
    limits: GraphLimits = DEFAULT,
) -> Iterator[Postings]:  # fmt: skip
    """The postings of nodes `begin` to `end` (exclusive) from the texts of passages `first` + node."""
    batches: list[Postings] = []
    for low in range(begin, end, limits.texts_at_once):
        high = min(low + limits.texts_at_once, end)
        texts = texts_between(db, first + low, first + high - 1)
        hashes, owner = shingler([text for _, text in texts])
        nodes = np.array([passage for passage, _ in texts], np.int64) - first - low
        carriers = nodes.astype(np.int32)[owner]
        counts = np.bincount(carriers, minlength=high - low).astype(np.int32)
        batches.append(Postings(low, counts, hashes, carriers))
        if sum(len(batch.hashes) for batch in batches) >= limits.most_postings:
            yield merge_postings(batches)
            batches = []
    if batches:
        yield merge_postings(batches) if len(batches) > 1 else batches[0]


def shingles_of(
    db: sqlite3.Connection, passages: NDArray[np.int64], shingler: Shingler, texts_at_once: int
) -> NDArray[np.uint64]:
    """All shingles of some passages, distinct and ascending."""
    hashes: list[Array] = [
        shingler(texts_of(db, passages[at : at + texts_at_once].tolist()))[0]
        for at in range(0, len(passages), texts_at_once)
    ]
    return np.unique(np.concatenate([np.zeros(0, np.uint64), *hashes]))


def mergeable(parts: list[Postings], most_postings: int) -> bool:
    """Whether to merge the last two parts, so that each part stays at least twice as large as the next."""
    if len(parts) < 2:
        return False
    before, last = len(parts[-2].hashes), len(parts[-1].hashes)
    return before <= 2 * last and before + last <= most_postings
