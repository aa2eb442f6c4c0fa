"""Several segments become one, in bounded memory: rows at once, postings by ranges of terms."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from asof.corpus_files import spooled
from asof.index.about import AboutTimes
from asof.index.build import COLUMNS, time_order, write_rows
from asof.index.file_format import Array
from asof.index.offsets import offsets, stretches
from asof.index.segment import Segment, SegmentWriter
from asof.index.titles import TitleTable

FANOUT = 8
SMALLEST = 1_024


@dataclass(frozen=True, slots=True)
class MergeBlocks:
    """How many postings, and rows of vectors, are in memory at once."""

    postings: int = 4_000_000
    rows: int = 65_536


def level(rows: int) -> int:
    """Segments of one level differ in size by less than FANOUT; the smallest are all of level 0."""
    at, size = 0, SMALLEST
    while rows >= size:
        at, size = at + 1, size * FANOUT
    return at


def due(sizes: Sequence[int]) -> slice | None:
    """Which neighbours to merge next, given the numbers of rows in order; None when all is well.

    The first run of at least FANOUT neighbours, none of a higher level, the lowest level first.
    """
    levels = [level(size) for size in sizes]
    for at in sorted(set(levels)):
        begin = 0
        for end, here in enumerate([*levels, at + 1]):
            if here > at:
                if end - begin >= FANOUT:
                    return slice(begin, end)
                begin = end + 1
    return None


def merge(
    path: Path, segments: Sequence[Segment], drop: NDArray[np.int64] | None = None,
    blocks: MergeBlocks = MergeBlocks(),
) -> tuple[int, int, int]:  # fmt: skip
    """Write the union of `segments`, passages in `drop` left out; returns rows, size and checksum."""
    columns: dict[str, Array] = {
        name: np.concatenate([segment[name] for segment in segments]) for name in COLUMNS
    }
    keep = np.ones(len(columns["passage"]), bool)
    if drop is not None:
        keep = ~np.isin(columns["passage"], drop)
    order = time_order(columns)
    order = order[keep[order]]
    place = np.full(len(keep), -1, np.int64)
    place[order] = np.arange(len(order))
    ends = [
        np.concatenate([segment[name] for segment in segments])
        for name in ("end_passage", "end_at", "end_added")
    ]
    if drop is not None:
        ends = [values[~np.isin(ends[0], drop)] for values in ends]
    places = np.split(place, np.cumsum([segment.n for segment in segments])[:-1])
    with SegmentWriter(path) as writer:
        about = AboutTimes.joined(segment.about for segment in segments).take(order)
        titles = TitleTable.joined(segment.titles for segment in segments).take(order)
        rows = {name: values[order] for name, values in columns.items()}
        first = write_rows(writer, rows, about, titles, ends)
        with spooled(path.with_suffix(".spool")) as spool:
            terms, counts = _write_postings(writer, segments, places, spool, blocks.postings)
        writer.add("terms", terms)
        writer.add("start", np.concatenate([[0], np.cumsum(counts, dtype=np.int64)]))
        _write_stems(writer, segments, terms)
        _write_forward(writer, segments, order, terms, blocks.postings)
        encoder = next((segment.facts["encoder"] for segment in segments if segment.n), "")
        if any("vectors" in segment for segment in segments):
            _write_vectors(writer, segments, order, blocks.rows)
        size = writer.close(first=first, encoder=encoder)
    return len(order), size, writer.checksum


def _write_postings(
    writer: SegmentWriter, segments: Sequence[Segment], places: Sequence[NDArray[np.int64]], spool: IO[bytes],
    at_once: int,
) -> tuple[Array, Array]:  # fmt: skip
    """Stream rows, then tf (which waits in `spool`); returns the terms left and their numbers of postings."""
    terms = np.unique(np.concatenate([segment["terms"] for segment in segments]))
    wide = max((segment.unchecked("tf").dtype for segment in segments), key=lambda dtype: dtype.itemsize)
    counted: list[Array] = []

    def parts() -> Iterator[Array]:
        for first, last in _ranges(terms, segments, at_once):
            keys, tf = _range(terms[first:last], segments, places)
            counted.append(np.bincount(keys >> 32, minlength=last - first))
            spool.write(tf.astype(wide).tobytes())
            yield (keys & 0xFFFFFFFF).astype(np.int32)

    writer.stream("rows", np.int32, (), parts())
    spool.seek(0)
    pieces = iter(lambda: spool.read(at_once * wide.itemsize), b"")
    writer.stream("tf", wide, (), (np.frombuffer(piece, wide) for piece in pieces))
    counts = np.concatenate(counted) if counted else np.zeros(0, np.int64)
    return terms[counts > 0], counts[counts > 0]


def _ranges(terms: Array, segments: Sequence[Segment], postings: int) -> Iterator[tuple[int, int]]:
    """Ranges of `terms` with about so many postings each."""
    load = np.zeros(len(terms), np.int64)
    for segment in segments:
        at = np.searchsorted(terms, segment["terms"])
        load[at] += np.diff(segment["start"])
    total = np.cumsum(load)
    first = 0
    while first < len(terms):
        before = total[first - 1] if first else 0
        last = max(int(np.searchsorted(total, before + postings, "right")), first + 1)
        yield first, last
        first = last


def _range(
    terms: Array, segments: Sequence[Segment], places: Sequence[NDArray[np.int64]]
) -> tuple[NDArray[np.int64], Array]:
    """Postings of these terms in the new numbering, by (term, row): term << 32 | row, and tf."""
    keys, counts = [], []
    for segment, place in zip(segments, places, strict=True):
        own, start = segment["terms"], segment["start"]
        first, last = np.searchsorted(own, terms[0]), np.searchsorted(own, terms[-1], "right")
        begin, end = int(start[first]), int(start[last])
        segment.check("rows", begin, end)
        segment.check("tf", begin, end)
        rows = place[segment.unchecked("rows")[begin:end]]
        term = np.repeat(np.searchsorted(terms, own[first:last]), np.diff(start[first : last + 1]))
        alive = rows >= 0
        keys.append((term[alive] << 32) | rows[alive])
        counts.append(segment.unchecked("tf")[begin:end][alive])
    flat = np.concatenate(keys)
    order = np.argsort(flat, kind="stable")
    return flat[order], np.concatenate(counts)[order]


def _write_stems(writer: SegmentWriter, segments: Sequence[Segment], terms: Array) -> None:
    """The stems of terms, each from a segment that has it."""
    own = [segment["terms"] for segment in segments]
    every, first = np.unique(np.concatenate(own), return_index=True)
    first = first[np.isin(every, terms, assume_unique=True)]
    begin = np.concatenate([segment["stem_offsets"][:-1] for segment in segments])
    counts = np.concatenate([np.diff(segment["stem_offsets"]) for segment in segments])[first]
    size = offsets([len(segment["stems"]) for segment in segments])[:-1]
    begin = (begin + np.repeat(size, [len(each) for each in own]))[first]
    stems = np.concatenate([segment["stems"] for segment in segments])
    writer.add("stem_offsets", offsets(counts))
    writer.add("stems", stems[stretches(begin, counts)])


def _write_forward(
    writer: SegmentWriter, segments: Sequence[Segment], order: NDArray[np.int64], terms: Array, at_once: int
) -> None:
    """The terms of each row and their counts: those of the segments, in the new order and numbering."""
    numbers = [np.searchsorted(terms, segment["terms"]).astype(np.int32) for segment in segments]
    counts = np.concatenate([np.diff(segment["forward_start"]) for segment in segments])[order]
    start = offsets(counts)
    writer.add("forward_start", start)
    first_row = offsets([segment.n for segment in segments])
    wide = max((segment.unchecked("tf").dtype for segment in segments), key=lambda dtype: dtype.itemsize)

    def parts(name: str, dtype: np.dtype[Any]) -> Iterator[Array]:
        begin = 0
        while begin < len(order):
            end = max(int(np.searchsorted(start, start[begin] + at_once, "right")) - 1, begin + 1)
            block = np.empty(start[end] - start[begin], dtype)
            for at, segment in enumerate(segments):
                here = np.flatnonzero(
                    (order[begin:end] >= first_row[at]) & (order[begin:end] < first_row[at + 1])
                )
                rows = order[begin:end][here] - first_row[at]
                source = stretches(segment["forward_start"][rows], counts[begin:end][here])
                values = segment[name][source]
                target = stretches(start[begin:end][here] - start[begin], counts[begin:end][here])
                block[target] = numbers[at][values] if name == "forward" else values
            yield block
            begin = end

    writer.stream("forward", np.int32, (), parts("forward", np.dtype(np.int32)))
    writer.stream("forward_tf", wide, (), parts("forward_tf", wide))


def _write_vectors(
    writer: SegmentWriter, segments: Sequence[Segment], order: NDArray[np.int64], at_once: int
) -> None:
    first = np.cumsum([0] + [segment.n for segment in segments])
    width = next(segment["vectors"].shape[1] for segment in segments if "vectors" in segment)
    none = np.zeros((0, width), np.int16)  # a segment that only holds ends has no vectors
    matrices = [segment["vectors"] if segment.n else none for segment in segments]

    def parts() -> Iterator[Array]:
        for begin in range(0, len(order), at_once):
            rows = order[begin : begin + at_once]
            block = np.empty((len(rows), width), np.int16)
            for at, matrix in enumerate(matrices):
                here = (rows >= first[at]) & (rows < first[at + 1])
                block[here] = matrix[rows[here] - first[at]]
            yield block

    writer.stream("vectors", np.int16, (width,), parts())
