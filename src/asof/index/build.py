"""Builds segment files from passages, by merging, or from the store; checks them against the store."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import chain, pairwise
from operator import attrgetter
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from asof.errors import DamagedSegment
from asof.files import remove
from asof.index import features
from asof.index.columns import AboutTimes, Array, TitleTable, offsets, stretches
from asof.index.segment import Segment, SegmentWriter
from asof.index.vectors import dimensions
from asof.store.digest import indexed_text, loads, name_digest, run_digest
from asof.store.writing import EndRow, IndexRow
from asof.text.names import document_words
from asof.text.tokens import Analyzer

# -- build ---------------------------------------------------------------------------------------------

COLUMNS = {
    "visible": np.int64, "added": np.int64, "said": np.int64, "run": np.int64, "passage": np.int64,
    "document": np.int64, "digest": np.int64, "version": np.int64, "number": np.int32, "length": np.int32,
    "dated": np.uint8,
}  # fmt: skip
"""The fixed columns of every row, with their types."""


def time_order(columns: dict[str, Array]) -> NDArray[np.int64]:
    """The order of rows in a segment: by visibility, then by keys that no arrival can change."""
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
    read: Mapping[str, Array],
    ends: Sequence[Array],
) -> int:
    """Write the fixed columns of rows in time order, the features that were `read`, and the ends; returns the
    smallest passage id."""
    for name, dtype in COLUMNS.items():
        writer.add(name, columns[name].astype(dtype, copy=False))
    passages = columns["passage"]
    first = int(passages.min()) if len(passages) else 0
    row_of = np.full(int(passages.max()) - first + 1 if len(passages) else 0, -1, np.int32)
    row_of[passages - first] = np.arange(len(passages), dtype=np.int32)
    writer.add("row_of", row_of)
    for name, values in (about.columns() | titles.columns()).items():
        writer.add(name, values)
    for name, values in read.items():
        writer.add(f"feature_{name}", values)
    for name, values in zip(("end_passage", "end_at", "end_added"), ends, strict=True):
        writer.add(name, values.astype(np.int64, copy=False))
    return first


def build(
    path: Path,
    rows: Sequence[IndexRow],
    ends: Sequence[EndRow],
    analyzer: Analyzer,
    vectors: Mapping[int, bytes] | None = None,
    encoder: str = "",
) -> tuple[int, int]:
    """Write the segment of these rows (in any order) and ends; returns its size and checksum.

    `vectors`: of the passages that have one, by their ids, as the store has them.
    """
    analyzer.reset_if_large()
    ids = [analyzer.ids(row.text, row.language) for row in rows]
    lengths = np.array([len(tokens) for tokens in ids], np.int64)
    numbered = cache(lambda word, language: analyzer.number(analyzer.stem(word, language)))
    for tokens, row in zip(ids, rows, strict=True):
        named = document_words(row.path, row.title, row.headings, analyzer.languages)
        tokens += dict.fromkeys(numbered(word, row.language) for word in named)
    columns: dict[str, Array] = {
        name: np.array(list(map(attrgetter("id" if name == "passage" else name), rows)), dtype)
        for name, dtype in COLUMNS.items()
        if name != "length"
    }
    columns["length"] = lengths.astype(np.int32)  # of the text: what a document is called makes none longer
    order = time_order(columns)
    place = np.empty(len(rows), np.int64)
    place[order] = np.arange(len(rows))
    lengths = np.array([len(tokens) for tokens in ids], np.int64)
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
            {name: values[order] for name, values in features.read(rows, analyzer).items()},
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
        if vectors:
            passages = [rows[at].id for at in order.tolist()]
            write_vectors(writer, len(next(iter(vectors.values()))) // 2, [(passages, vectors)])
        size = writer.close(first=first, encoder=encoder if vectors else "")
    return size, writer.checksum


def write_vectors(
    writer: SegmentWriter, d: int, parts: Iterable[tuple[Sequence[int], Mapping[int, bytes]]]
) -> None:
    """Write the vectors of rows, given by their passages in parts, each with the stored vectors of `d`
    numbers that there are; zeros for the others, which are listed as waiting."""
    waiting: list[int] = []
    done = 0

    def matrices() -> Iterator[Array]:
        nonlocal done
        for passages, stored in parts:
            waiting.extend(done + at for at, passage in enumerate(passages) if passage not in stored)
            none = bytes(2 * d)
            whole = b"".join([stored.get(passage, none) for passage in passages])
            yield np.frombuffer(whole, "<i2").reshape(-1, d)
            done += len(passages)

    writer.stream("vectors", np.int16, (d,), matrices())
    if waiting:
        writer.add("waiting", np.array(waiting, np.int32))


def invert(
    tokens: NDArray[np.int64], rows: NDArray[np.int64], n: int, hashes: NDArray[np.uint64]
) -> tuple[Array, Array, Array, Array]:
    """Postings from tokens (ids into `hashes`) and the rows that contain them: the ids in the order of their
    hashes, start, rows, tf."""
    used = np.unique(tokens)
    by_hash = used[np.argsort(hashes[used])]
    rank = np.zeros(int(used[-1]) + 1 if len(used) else 1, np.int64)
    rank[by_hash] = np.arange(len(by_hash))
    keys, counts = np.unique(rank[tokens] * max(n, 1) + rows, return_counts=True)
    term = keys // max(n, 1)
    start = np.searchsorted(term, np.arange(len(by_hash) + 1)).astype(np.int64)
    return by_hash, start, (keys % max(n, 1)).astype(np.int32), narrow(counts)


# -- merge, in bounded memory: rows at once, postings by ranges of terms -------------------------------

FANOUT = 8
SMALLEST = 1_024


AT_ONCE = 4_000_000
"""The postings in memory at once, and 64 times the rows of vectors."""


def level(rows: int) -> int:
    """Segments of one level differ in size by less than FANOUT; the smallest are all of level 0."""
    at, size = 0, SMALLEST
    while rows >= size:
        at, size = at + 1, size * FANOUT
    return at


def due(sizes: Sequence[int]) -> slice | None:
    """The neighbouring segments to merge next, given the numbers of rows in order; None if there are none.

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
    at_once: int = AT_ONCE,
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
        read = {
            name: np.concatenate([segment[f"feature_{name}"] for segment in segments])[order]
            for name in features.COLUMNS
        }
        first = write_rows(writer, rows, about, titles, read, ends)
        terms, counts = _write_postings(writer, segments, places, at_once)
        writer.add("terms", terms)
        writer.add("start", np.concatenate([[0], np.cumsum(counts, dtype=np.int64)]))
        _write_stems(writer, segments, terms)
        _write_forward(writer, segments, order, terms, at_once)
        encoder = next((segment.facts["encoder"] for segment in segments if "vectors" in segment), "")
        if encoder:
            _join_vectors(writer, segments, order, max(at_once // 64, 1))
        size = writer.close(first=first, encoder=encoder)
    return len(order), size, writer.checksum


def _write_postings(
    writer: SegmentWriter, segments: Sequence[Segment], places: Sequence[NDArray[np.int64]], at_once: int
) -> tuple[Array, Array]:
    """Stream rows, then tf (which is narrow, and waits in memory); returns the terms left and their numbers
    of postings."""
    terms = np.unique(np.concatenate([segment["terms"] for segment in segments]))
    wide = max((segment.unchecked("tf").dtype for segment in segments), key=lambda dtype: dtype.itemsize)
    counted: list[Array] = [np.zeros(0, np.int64)]
    frequencies: list[Array] = []

    def parts() -> Iterator[Array]:
        for first, last in _ranges(terms, segments, at_once):
            keys, tf = _range(terms[first:last], segments, places)
            counted.append(np.bincount(keys >> 32, minlength=last - first))
            frequencies.append(tf.astype(wide))
            yield (keys & 0xFFFFFFFF).astype(np.int32)

    writer.stream("rows", np.int32, (), parts())
    writer.stream("tf", wide, (), frequencies)
    counts = np.concatenate(counted)
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


def _join_vectors(
    writer: SegmentWriter, segments: Sequence[Segment], order: NDArray[np.int64], at_once: int
) -> None:
    first = np.cumsum([0] + [segment.n for segment in segments])
    matrices = [(at, each["vectors"]) for at, each in enumerate(segments) if "vectors" in each]
    width = matrices[0][1].shape[1]

    def parts() -> Iterator[Array]:
        for begin in range(0, len(order), at_once):
            rows = order[begin : begin + at_once]
            block = np.zeros((len(rows), width), np.int16)
            for at, matrix in matrices:
                here = (rows >= first[at]) & (rows < first[at + 1])
                block[here] = matrix[rows[here] - first[at]]
            yield block

    writer.stream("vectors", np.int16, (width,), parts())
    waiting = np.zeros(first[-1], bool)
    for at, segment in enumerate(segments):
        waiting[segment.waiting + first[at]] = True
    if waiting[order].any():
        writer.add("waiting", np.flatnonzero(waiting[order]).astype(np.int32))


# -- rebuild from the store: rows and ends are known by their ranges of ids ----------------------------

REBUILD_ROWS = 8_192


class SegmentEntry(NamedTuple):
    """A line of the list: the file, and the ranges of passages and ends that it holds."""

    file: str
    first: int
    last: int
    ends_first: int
    ends_last: int
    rows: int
    bytes: int
    checksum: int


def entry_of_all(db: sqlite3.Connection) -> SegmentEntry:
    """The ranges of all passages and ends; it names no file yet."""
    first, last = db.execute("SELECT coalesce(min(id), 1), coalesce(max(id), 0) FROM passages").fetchone()
    ends = db.execute("SELECT coalesce(min(id), 1), coalesce(max(id), 0) FROM ends").fetchone()
    return SegmentEntry("", first, last, ends[0], ends[1], 0, 0, 0)


def rebuild(
    db: sqlite3.Connection, entry: SegmentEntry, path: Path, analyzer: Analyzer, encoder: str, *,
    at_once: int = REBUILD_ROWS,
) -> tuple[int, int, int]:  # fmt: skip
    """Write the segment of an entry to `path` in parts of `at_once` rows, and merge them.

    Returns rows, size, checksum.
    """
    parts: list[Path] = []
    try:
        for at, (rows, ends, vectors) in enumerate(stored_parts(db, entry, encoder, at_once)):
            parts.append(path.with_name(f"{path.stem}-{at}.part"))
            build(parts[-1], rows, ends, analyzer, vectors, encoder)
        return merge(path, [Segment(part) for part in parts])
    finally:
        for part in parts:
            remove(part)


Part = tuple[list[IndexRow], list[EndRow], dict[int, bytes]]


def stored_parts(
    db: sqlite3.Connection, entry: SegmentEntry, encoder: str, at_once: int = REBUILD_ROWS
) -> Iterator[Part]:
    """The rows and ends of a segment from the store, in parts of `at_once` rows (at least one part)."""
    ends = [
        EndRow(*row)
        for row in db.execute(
            "SELECT passage, at, added FROM ends WHERE id BETWEEN ? AND ? ORDER BY id",
            (entry.ends_first, entry.ends_last),
        )
    ]
    after = entry.first - 1
    while True:
        rows = [
            IndexRow(
                id_, visible, added, said, run_digest(version, key), bool(dated), document, name_digest(path),
                number, language, indexed_text(title, headings, of_document, text, keywords),
                tuple([(time.first, time.last, time.kind) for time in loads(about)]), title, path, headings,
                text, dated_by,
            )
            for (
                id_, visible, added, said, version, key, dated, document, path, number, language,
                title, headings, of_document, text, keywords, about, dated_by,
            ) in db.execute(
                "SELECT p.id, p.visible, p.added, v.visible, p.version, p.key, p.dated, p.document, h.path,"
                " p.number, h.language, h.title, p.headings, h.about, p.text, h.keywords, p.about, v.dated_by"
                " FROM passages AS p JOIN versions AS v ON v.id = p.version JOIN heads AS h ON h.id = p.head"
                " WHERE p.id > ? AND p.id <= ? ORDER BY p.id LIMIT ?",
                (after, entry.last, at_once),
            )
        ]  # fmt: skip
        if not rows and after >= entry.first:
            return
        yield rows, ends, vectors_of(db, [row.id for row in rows], encoder)
        if not rows:
            return
        after, ends = rows[-1].id, []


def vectors_of(db: sqlite3.Connection, passages: Sequence[int], encoder: str) -> dict[int, bytes]:
    """The vectors that the store has of passages, by their ids."""
    if not encoder:
        return {}
    return dict(
        db.execute(
            "SELECT v.passage, v.vector FROM json_each(?) AS requested JOIN vectors AS v"
            " ON v.passage = requested.value WHERE v.encoder = ?",
            (json.dumps(list(passages)), encoder),
        ).fetchall()
    )


# -- check ---------------------------------------------------------------------------------------------
# A segment with sound checksums can still be made up, or belong to another corpus. These checks read all
# rows, so they run after unexpected errors and for `asof status --check`.

ROWS_AT_ONCE = 8_192

_COLUMNS = ("passage", "visible", "added", "said", "dated", "document", "number")
_ROWS = (
    "SELECT p.id, p.visible, p.added, v.visible, p.dated, p.document, p.number, p.version, p.key,"
    " h.path FROM passages AS p JOIN versions AS v ON v.id = p.version JOIN heads AS h ON h.id = p.head"
    " WHERE p.id BETWEEN ? AND ? ORDER BY p.id"
)
_ENDS = "SELECT passage, at, added FROM ends WHERE id BETWEEN ? AND ?"


SEGMENT_NAME = re.compile(r"[0-9a-f]{16}\.seg")
"""The name of a file that the list of segments may name."""


def is_segment_name(name: object) -> bool:
    """True if this is the name of a segment's file; in a forged list it need not even be a text."""
    return isinstance(name, str) and SEGMENT_NAME.fullmatch(name) is not None


def is_entry(row: Sequence[object]) -> bool:
    """True if a row of the list of segments has the types of a `SegmentEntry`: SQLite enforces none."""
    file, *numbers = row
    return isinstance(file, str) and all(
        isinstance(number, int) and -1 <= number < 2**62 for number in numbers
    )


def list_fault(db: sqlite3.Connection, entries: Sequence[SegmentEntry]) -> str:
    """The fault of the list of segments as a whole, or "" if it has each passage and end once."""
    for table, first, last in (("passages", "first", "last"), ("ends", "ends_first", "ends_last")):
        ranges = sorted((getattr(entry, first), getattr(entry, last)) for entry in entries)
        ranges = [(low, high) for low, high in ranges if low <= high]
        if any(before[1] >= after[0] for before, after in pairwise(ranges)):
            return f"the list of segments names some {table} twice"
        count = f"SELECT count(*) FROM {table}"
        listed = sum(db.execute(f"{count} WHERE id BETWEEN ? AND ?", each).fetchone()[0] for each in ranges)
        if listed != db.execute(count).fetchone()[0]:
            return f"the list of segments lacks some {table}"
    return ""


def segment_fault(db: sqlite3.Connection, entry: SegmentEntry, segment: Segment, encoder: str) -> str:
    """The fault of a segment, or "" if it is sound and agrees with the store.

    `encoder`: the name of the one that the corpus has vectors of, "" for none.
    """
    try:
        segment.verify()
        if segment.facts["encoder"] not in ("", encoder):
            return f"{entry.file} holds vectors of another encoder"
        if "vectors" in segment and segment.n:  # without a passage the store knows no width
            width = dimensions(db, encoder)
            if segment["vectors"].shape[1] != width:
                return f"{entry.file} holds vectors of other dimensions than the store ({width})"
        same = segment.n == entry.rows and _same_rows(db, entry, segment) and _same_ends(db, entry, segment)
        if not same:
            return f"{entry.file} does not hold what the store holds"
        if not _finds_every_passage(segment):
            return f"{entry.file}: row_of does not fit the passages"
    except DamagedSegment as damage:
        return str(damage)
    return ""


def _finds_every_passage(segment: Segment) -> bool:
    """True if `row_of` maps every passage to its row, and nothing else."""
    table, places = segment["row_of"], segment["passage"] - segment.facts["first"]
    complete = np.count_nonzero(table >= 0) == segment.n
    return bool(complete and ((places >= 0) & (places < len(table))).all()) and bool(
        (table[places] == np.arange(segment.n)).all()
    )


def _same_rows(db: sqlite3.Connection, entry: SegmentEntry, segment: Segment) -> bool:
    order = np.argsort(segment["passage"], kind="stable")
    rows = db.execute(_ROWS, (entry.first, entry.last))
    done = 0
    while batch := rows.fetchmany(ROWS_AT_ONCE):
        places = order[done : done + len(batch)]
        if len(places) < len(batch):
            return False
        stored = np.array(
            [(*row[:-3], run_digest(row[-3], row[-2]), name_digest(row[-1])) for row in batch], np.int64
        )
        for at, name in enumerate((*_COLUMNS, "run", "digest")):
            if (segment[name][places] != stored[:, at]).any():
                return False
        done += len(batch)
    return done == segment.n


def _same_ends(db: sqlite3.Connection, entry: SegmentEntry, segment: Segment) -> bool:
    stored = db.execute(_ENDS, (entry.ends_first, entry.ends_last)).fetchall()
    indexed = zip(*(segment[name].tolist() for name in ("end_passage", "end_at", "end_added")), strict=True)
    return sorted(stored) == sorted(indexed)
