"""From passages to a segment file."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from asof.index.about import AboutTimes
from asof.index.file_format import Array
from asof.index.offsets import offsets
from asof.index.segment import SegmentWriter
from asof.index.titles import TitleTable
from asof.store.rows import EndRow, IndexRow
from asof.text.tokens import Analyzer

COLUMNS = {
    "visible": np.int64, "added": np.int64, "passage": np.int64, "document": np.int64, "digest": np.int64,
    "head": np.int64, "number": np.int32, "length": np.int32, "dated": np.uint8,
}  # fmt: skip
"""What is kept of every row, and how."""


def time_order(columns: dict[str, Array]) -> NDArray[np.int64]:
    """The order of rows in a segment: by when they become visible, then by what no arrival can change."""
    keys = ("passage", "number", "digest", "visible")
    return np.lexsort([columns[key] for key in keys])


def narrow(tf: Array) -> Array:
    """Counts in the narrowest type that holds them all."""
    most = int(tf.max(initial=0))
    return tf.astype(np.uint8 if most < 2**8 else np.uint16 if most < 2**16 else np.int32)


def write_rows(
    writer: SegmentWriter,
    columns: dict[str, Array],
    about: AboutTimes,
    titles: TitleTable,
    ends: Sequence[Array],
) -> int:
    """Write what is kept of rows that are in time order, and the ends; returns the smallest passage id."""
    for name, dtype in COLUMNS.items():
        writer.add(name, columns[name].astype(dtype, copy=False))
    passages = columns["passage"]
    first = int(passages.min()) if len(passages) else 0
    row_of = np.full(int(passages.max()) - first + 1 if len(passages) else 0, -1, np.int32)
    row_of[passages - first] = np.arange(len(passages), dtype=np.int32)
    writer.add("row_of", row_of)
    writer.add("total", np.concatenate([[0], np.cumsum(columns["length"], dtype=np.int64)]))
    for name, values in (about.columns() | titles.columns()).items():
        writer.add(name, values)
    for name, values in zip(("end_passage", "end_at", "end_added"), ends, strict=True):
        writer.add(name, values.astype(np.int64, copy=False))
    return first


def build(
    path: Path,
    rows: Sequence[IndexRow],
    ends: Sequence[EndRow],
    analyzer: Analyzer,
    vectors: NDArray[np.int16] | None = None,
    encoder: str = "",
) -> tuple[int, int]:
    """Write the segment of these rows (in any order) and ends; returns its size and checksum.

    `vectors` (n, d) belong to `rows` in their order.
    """
    analyzer.reset_if_large()
    ids = [analyzer.ids(row.text, row.language) for row in rows]
    columns: dict[str, Array] = {
        name: np.array([getattr(row, name) for row in rows], dtype)
        for name, dtype in COLUMNS.items()
        if name not in ("length", "passage")
    }
    columns["passage"] = np.array([row.id for row in rows], np.int64)
    columns["length"] = np.array([len(tokens) for tokens in ids], np.int32)
    order = time_order(columns)
    place = np.empty(len(rows), np.int64)
    place[order] = np.arange(len(rows))
    lengths = columns["length"].astype(np.int64)
    flat = np.fromiter(chain.from_iterable(ids), np.int64, int(lengths.sum()))
    numbers, start, postings, tf = invert(flat, np.repeat(place, lengths), len(rows), analyzer.hashes())
    terms = analyzer.hashes()[numbers]
    stems = [analyzer.stem_of(number).encode() for number in numbers.tolist()]
    with SegmentWriter(path) as writer:
        first = write_rows(
            writer,
            {name: values[order] for name, values in columns.items()},
            AboutTimes.of([row.about for row in rows]).take(order),
            TitleTable.build([(rows[at].title, rows[at].language) for at in order.tolist()], analyzer),
            [np.array([getattr(end, name) for end in ends], np.int64) for name in ("passage", "at", "added")],
        )
        writer.add("terms", terms)
        writer.add("start", start)
        writer.add("rows", postings)
        writer.add("tf", tf)
        writer.add("stem_offsets", offsets([len(stem) for stem in stems]))
        writer.add("stems", np.frombuffer(b"".join(stems), np.uint8))
        by_row = np.argsort(postings, kind="stable")
        writer.add("forward_start", np.searchsorted(postings[by_row], np.arange(len(rows) + 1)))
        writer.add("forward", np.repeat(np.arange(len(terms), dtype=np.int32), np.diff(start))[by_row])
        writer.add("forward_tf", tf[by_row])
        if vectors is not None:
            writer.add("vectors", vectors[order])
        size = writer.close(first=first, encoder=encoder if vectors is not None else "")
    return size, writer.checksum


def invert(
    tokens: NDArray[np.int64], rows: NDArray[np.int64], n: int, hashes: NDArray[np.uint64]
) -> tuple[Array, Array, Array, Array]:
    """Postings from tokens (ids into `hashes`) and the rows they stand in: the ids in the order of their
    hashes, start, rows, tf."""
    used = np.unique(tokens)
    by_hash = used[np.argsort(hashes[used])]
    rank = np.zeros(int(used[-1]) + 1 if len(used) else 1, np.int64)
    rank[by_hash] = np.arange(len(by_hash))
    keys, counts = np.unique(rank[tokens] * max(n, 1) + rows, return_counts=True)
    term = keys // max(n, 1)
    start = np.searchsorted(term, np.arange(len(by_hash) + 1)).astype(np.int64)
    return by_hash, start, (keys % max(n, 1)).astype(np.int32), narrow(counts)
