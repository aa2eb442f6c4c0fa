"""A segment: one immutable, memory-mapped file of arrays, in order of time; its prefix visible at (T, K).

    array … array | table of contents (JSON) | footer

Each array starts at a multiple of 64 bytes. The table of contents gives dtype, shape, place and a CRC-32 for
every 256 KiB of each array; the footer gives the place and the CRC of the table, and so the size that the
file must have. A block is checked when it is first touched (all of a small array), its bounds
(`columns.py`) with its checksum: opening costs nothing, and no torn, altered or forged number is ever used.

Arrays, n rows sorted by (visible, digest, number, passage):

    visible, added, passage, document, version, digest  int64 (n)    instants and ids
    said, run                                         int64 (n)      since when its text stands there, under
                                      any metadata, and a number that is equal for the rows of that time
    number, length, dated                             int32, int32, uint8 (n)
    row_of                                            int32          row of passage first + i, or -1
    terms, start                                      uint64 (m), int64 (m + 1)  hashes; where postings start
    rows, tf                                          int32, uint8|uint16|int32  postings, rows ascending
    stem_offsets, stems                               int64 (m + 1), uint8  the stem of each term, in UTF-8
    forward_start                                     int64 (n + 1)  where the terms of each row start
    forward, forward_tf                               int32, as tf   postings by row: places in terms, counts
    about_offsets                                     int64 (n + 1)  where the times of each row start
    about_first, about_last, about_kind               int64, int64, uint8  times that rows are about
    title                                             int32 (n)      the title of each row, or -1
    title_id, title_group                             uint64 (t)     see `asof.index.columns`
    title_start, title_stems, title_kinds             int64 (t + 1), uint64, uint8
    feature_body, feature_title ...                   see `asof.index.features`
    end_passage, end_at, end_added                    int64 (e)      ends of lives, of this or other segments
    vectors, waiting                                  int16 (n, d), int32  when an encoder is used; the rows
                                      that have none yet
"""

from __future__ import annotations

import json
import math
import mmap
import os
import zlib
from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import msgspec
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from asof.errors import DamagedSegment
from asof.files import NotAFile, create_file, open_file, remove, rename
from asof.index.columns import (
    ABOUT_COLUMNS,
    FOOTER,
    MAGIC,
    NUMBERS,
    TITLE_COLUMNS,
    AboutTimes,
    Array,
    ArraySpec,
    FileFormat,
    TitleTable,
    instants,
    placed,
    stated,
    stretches,
)
from asof.index.features import FEATURE_COLUMNS
from asof.time.span import BEGINNING, NEVER

# -- the file ------------------------------------------------------------------------------------------

BLOCK = 1 << 18
SMALL = 32 * BLOCK
"""An array of at most so many bytes is checked as a whole when it is first touched: a question touches rows
all over it, and to look for what is left to check takes longer."""

ALIGN = 64

MOST_RANGES = 65_536
"""The most terms of which the range of postings is kept in memory."""


SEGMENT = FileFormat(
    {
        "visible": instants("n", "ascending"), "added": instants("n"), "passage": instants("n"),
        "document": instants("n"), "digest": instants("n"), "said": instants("n"),
        "run": instants("n"), "version": ArraySpec("<i8", "n", low=0),
        "number": ArraySpec("<i4", "n", low=0), "length": ArraySpec("<i4", "n", low=0),
        "dated": ArraySpec("|u1", "n", below=2), "row_of": ArraySpec("<i4", "span", low=-1, below="n"),
        "terms": ArraySpec("<u8", "m", order="distinct"),
        "start": ArraySpec("<i8", "m+1", order="offsets", of="p"),
        "rows": ArraySpec("<i4", "p", low=0, below="n"), "tf": ArraySpec("|u1 <u2 <i4", "p", low=1),
        "stem_offsets": ArraySpec("<i8", "m+1", order="offsets", of="s"), "stems": ArraySpec("|u1", "s"),
        "forward_start": ArraySpec("<i8", "n+1", order="offsets", of="p"),
        "forward": ArraySpec("<i4", "p", low=0, below="m"),
        "forward_tf": ArraySpec("|u1 <u2 <i4", "p", low=1),
        "about_offsets": ArraySpec("<i8", "n+1", order="offsets", of="a"), "about_first": instants("a"),
        "about_last": instants("a"), "about_kind": ArraySpec("|u1", "a"),
        "title": ArraySpec("<i4", "n", low=-1, below="t"),
        "title_id": ArraySpec("<u8", "t", order="distinct"), "title_group": ArraySpec("<u8", "t"),
        "title_start": ArraySpec("<i8", "t+1", order="offsets", of="w"),
        "title_stems": ArraySpec("<u8", "w"), "title_kinds": ArraySpec("|u1", "w", below=8),
        "end_passage": instants("e"), "end_at": instants("e"), "end_added": instants("e"),
        "vectors": ArraySpec("<i2", "n", "d", low=-(2**12), below=2**12, optional=True),
        "waiting": ArraySpec("<i4", "v", low=0, below="n", order="distinct", optional=True),
    } | FEATURE_COLUMNS,
    {"first": int, "encoder": str},
)  # fmt: skip
"""The arrays of a segment."""


class SegmentWriter:
    """Writes arrays one after another, each in one piece or in several.

    The file is written under a temporary name and renamed when it is whole. It is not forced to the disk: one
    that is lost with the power is made anew from the store. Used as a context manager it removes the
    temporary file after an error.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._temporary = path.with_suffix(".tmp")
        self._file = os.fdopen(create_file(self._temporary), "wb")
        self._toc: dict[str, dict[str, Any]] = {}
        self._at = 0
        self.checksum = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None:
            try:
                self._file.close()  # writes what is buffered, so it fails again on a full disk
            finally:
                remove(self._temporary)

    def add(self, name: str, array: Array) -> None:
        self.stream(name, array.dtype, array.shape[1:], [array])

    def stream(self, name: str, dtype: Any, row_shape: tuple[int, ...], parts: Iterable[Array]) -> None:
        """Write an array of unknown length from its parts, in order."""
        self._file.write(bytes(-self._at % ALIGN))
        self._at += -self._at % ALIGN
        begin, count, crcs, crc, filled = self._at, 0, [], 0, 0
        for part in parts:
            part = np.ascontiguousarray(part, dtype=dtype)
            count += len(part)
            data = memoryview(part.reshape(-1).view(np.uint8).data)
            self._file.write(data)
            self._at += len(data)
            while len(data):
                piece, data = data[: BLOCK - filled], data[BLOCK - filled :]
                crc = zlib.crc32(piece, crc)
                filled += len(piece)
                if filled == BLOCK:
                    crcs.append(crc)
                    crc, filled = 0, 0
        if filled:
            crcs.append(crc)
        self._toc[name] = {
            "dtype": np.dtype(dtype).str, "shape": [count, *row_shape], "at": begin, "crc": crcs,
        }  # fmt: skip

    def close(self, **facts: Any) -> int:
        """Finish the file; `facts` go into the table of contents. Returns its size in bytes."""
        table = json.dumps({"arrays": self._toc, **facts, **stated()}, separators=(",", ":")).encode()
        self.checksum = zlib.crc32(table)
        self._file.write(table)
        self._file.write(FOOTER.pack(self._at, len(table), self.checksum, MAGIC))
        size = self._file.tell()
        self._file.close()
        rename(self._temporary, self.path)
        return size


class Segment:
    """An open segment. Arrays are read-only views of the mapped file; nothing is copied.

    `expected`: the specs of the arrays of this kind of file, None for any. Raises DamagedSegment when the
    file is missing, not whole or of another format, when a block that is touched does not have its checksum
    or is out of bounds. Threads may share it: at worst a block is checked twice. `memo` keeps columns that
    were derived from it alone, by name.
    """

    def __init__(self, path: Path, checksum: int | None = None, expected: FileFormat | None = None) -> None:
        self.path = path
        try:
            with os.fdopen(open_file(path), "rb") as file:
                size = os.fstat(file.fileno()).st_size
                if size < FOOTER.size:
                    raise DamagedSegment(f"{path.name} is torn: {size} bytes")
                self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except FileNotFoundError as error:
            raise DamagedSegment(f"{path.name} is missing") from error
        except (NotAFile, NotADirectoryError) as error:
            raise DamagedSegment(f"{path.name} is a link, a folder or a device, not a file") from error
        at, length, crc, magic = FOOTER.unpack_from(self._map, size - FOOTER.size)
        if magic != MAGIC or at + length + FOOTER.size != size:
            raise DamagedSegment(f"{path.name} is torn, or in the format of another version of asof")
        table = self._map[at : at + length]
        if zlib.crc32(table) != crc or (checksum is not None and checksum != crc):
            raise DamagedSegment(f"{path.name}: the table of contents does not have its checksum")
        self._expected = expected
        try:
            self.facts: dict[str, Any] = json.loads(table)
            self._toc: dict[str, dict[str, Any]] = _contents(self.facts["arrays"], at)
            self._sizes = expected.sizes(self._toc, self.facts) if expected else {}
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            raise DamagedSegment(f"{path.name}: the table of contents is not sound: {error}") from error
        self._arrays: dict[str, Array] = {}
        self._checked: dict[str, bytearray] = {}
        self._whole: set[str] = set()
        self._ranges: dict[int, tuple[int, int]] = {}
        self.memo: dict[str, Array] = {}
        self.size = size
        self.n: int = self._toc["visible"]["shape"][0] if "visible" in self._toc else 0

    def __contains__(self, name: str) -> bool:
        return name in self._toc

    def unchecked(self, name: str) -> Array:
        """The array as stored in the file; check what is used of it with `check`."""
        array = self._arrays.get(name)
        if array is None:
            entry = self._toc[name]
            count = int(np.prod(entry["shape"]))
            array = np.frombuffer(self._map, entry["dtype"], count, entry["at"]).reshape(entry["shape"])
            self._checked.setdefault(
                name, bytearray(len(entry["crc"]))
            )  # before another thread sees the array
            self._arrays[name] = array
        return array

    def check(self, name: str, first: int, last: int) -> None:
        """Check the blocks that hold elements `first` to `last` (exclusive) of a one-dimensional array,
        or of the rows of a matrix."""
        array = self.unchecked(name)
        if first >= last or name in self._whole or self._checked_whole(array, name):
            return
        width = array.strides[0]
        self._check_blocks(name, range(first * width // BLOCK, (last * width - 1) // BLOCK + 1))

    def check_stretches(self, name: str, begin: NDArray[np.int64], lengths: NDArray[np.int64]) -> None:
        """Check the blocks that hold these stretches of an array, or of the rows of a matrix."""
        if name in self._whole:
            return
        array = self.unchecked(name)
        if self._checked_whole(array, name):
            return
        some, width = np.flatnonzero(lengths), array.strides[0]
        if not len(some):
            return
        first = begin[some] * width // BLOCK
        counts = ((begin + lengths)[some] * width - 1) // BLOCK + 1 - first
        blocks = stretches(first, counts)
        left = blocks[np.frombuffer(self._checked[name], np.uint8)[blocks] == 0]
        if len(left):
            self._check_blocks(name, np.unique(left).tolist())

    def _checked_whole(self, array: Array, name: str) -> bool:
        """True if an array is small, and so checked now."""
        if array.nbytes > SMALL:
            return False
        self._check_blocks(name, range(-(-array.nbytes // BLOCK)))
        return True

    def _check_blocks(self, name: str, blocks: Iterable[int]) -> None:
        entry, checked, size = self._toc[name], self._checked[name], self._arrays[name].nbytes
        for block in blocks:
            if not checked[block]:
                begin = entry["at"] + block * BLOCK
                end = min(begin + BLOCK, entry["at"] + size)
                if zlib.crc32(memoryview(self._map)[begin:end]) != entry["crc"][block]:
                    raise DamagedSegment(f"{self.path.name}: {name} does not have its checksum")
                self._check_bounds(name, block)
                checked[block] = 1
        if 0 not in checked:
            self._finish(name)

    def _check_bounds(self, name: str, block: int) -> None:
        column = self._spec(name)
        if column is not None:
            array = self._arrays[name].reshape(-1)
            per_block = BLOCK // array.itemsize
            if not column.within(array[block * per_block : (block + 1) * per_block], self._sizes):
                raise DamagedSegment(f"{self.path.name}: {name} holds numbers out of bounds")

    def _finish(self, name: str) -> None:
        """Check properties of the whole array, and remember that all of it is checked."""
        column = self._spec(name)
        if column is not None and not column.ordered(self._arrays[name], self._sizes):
            raise DamagedSegment(f"{self.path.name}: {name} is not in order")
        self._whole.add(name)

    def _spec(self, name: str) -> ArraySpec | None:
        return self._expected.columns.get(name) if self._expected else None

    def __getitem__(self, name: str) -> Array:
        """The whole array, checked."""
        if name not in self._whole:
            array = self.unchecked(name)
            self._check_blocks(name, range(-(-array.nbytes // BLOCK)))
        return self._arrays[name]

    def take(self, name: str, rows: NDArray[np.int64]) -> Array:
        """Some rows of an array, checked."""
        self.check_stretches(name, rows, np.ones(len(rows), np.int64))
        return self.unchecked(name)[rows]

    @cached_property
    def documents(self) -> range:
        """The numbers that documents of its rows can have: in steps of 8, where it is of one of 8 shards."""
        document = self["document"]
        if not len(document):
            return range(0)
        least = document.min()
        step = np.gcd.reduce(document[:64] - least)
        if step != 1:
            step = np.gcd.reduce(document - least) or 1
        return range(int(least), int(document.max()) + 1, int(step))

    @property
    def waiting(self) -> NDArray[np.int32]:
        """The rows that have no vector (yet), ascending; those of `vectors` are zeros."""
        if "vectors" not in self:
            return np.arange(self.n, dtype=np.int32)
        return self["waiting"] if "waiting" in self else np.zeros(0, np.int32)

    @property
    def about(self) -> AboutTimes:
        """The times that its rows are about."""
        return AboutTimes(*(self[name] for name in ABOUT_COLUMNS))

    @property
    def titles(self) -> TitleTable:
        """The titles of its rows."""
        return TitleTable(*(self[name] for name in TITLE_COLUMNS))

    def stems(self, terms: NDArray[np.int64]) -> list[str]:
        """The stems of terms, by their places in `terms`."""
        offsets = self["stem_offsets"]
        first, last = offsets[terms], offsets[terms + 1]
        self.check_stretches("stems", first, last - first)
        letters = self.unchecked("stems").data
        ranges = zip(first.tolist(), last.tolist(), strict=True)
        try:
            return [str(letters[begin:end], "utf-8") for begin, end in ranges]
        except UnicodeDecodeError as error:
            raise DamagedSegment(f"{self.path.name}: a stem is not UTF-8") from error

    def verify(self) -> None:
        """Check every byte."""
        for name in self._toc:
            self[name]

    def find(self, terms: Sequence[int]) -> list[tuple[int, int]]:
        """The range of the postings of each term (hash): (first, last), equal if there are none."""
        known = self._ranges
        missing = [term for term in terms if term not in known]
        if missing:
            if len(known) + len(missing) > MOST_RANGES:  # not cleared: another thread may read it
                known = self._ranges = {}
                missing = list(terms)
            start, at = self["start"], self.places_of(np.array(missing, np.uint64))
            ranges = np.where(at >= 0, [start[at], start[at + 1]], 0)
            known.update(zip(missing, zip(*ranges.tolist(), strict=True), strict=True))
        return [known[term] for term in terms]

    def places_of(self, hashes: NDArray[np.uint64]) -> NDArray[np.int64]:
        """The place of each term in `terms`; -1: none."""
        terms = self["terms"]
        if not len(terms):
            return np.full(len(hashes), -1)
        at = np.minimum(np.searchsorted(terms, hashes), len(terms) - 1)
        return np.where(terms[at] == hashes, at, -1)

    def rows_of(self, passages: NDArray[np.int64]) -> NDArray[np.int64]:
        """Row numbers of those of `passages` (ascending) that are in this segment, ascending."""
        table, first = self["row_of"], self.facts["first"]
        rows = table[passages[slice(*passages.searchsorted([first, first + len(table)]))] - first]
        return np.sort(rows[rows >= 0]).astype(np.int64)


def _contents(table: Any, end: int) -> dict[str, dict[str, Any]]:
    """The entries of a table of contents; each array lies before `end`. Raises ValueError, TypeError,
    KeyError, AttributeError."""
    for name, entry in table.items():
        numbers = [*entry["shape"], entry["at"], *entry["crc"]]
        sound = all(type(number) is int and 0 <= number < 2**62 for number in numbers)
        if not entry["shape"] or not sound:
            raise ValueError(f"{name} has the shape {entry['shape']!r} at {entry['at']!r}")
        if entry["dtype"] not in NUMBERS:
            raise ValueError(f"{name} has the type {entry['dtype']!r}")
        size = math.prod(entry["shape"]) * np.dtype(entry["dtype"]).itemsize
        if entry["at"] + size > end or len(entry["crc"]) != -(-size // BLOCK):
            raise ValueError(f"{name} does not fit into the file")
    return dict(table)


# -- prefix: what is visible at (T, K) -----------------------------------------------------------------
# A prefix of every segment, less the rows that had ended. Every statistic is a whole number, a difference of
# two prefixes summed over segments: it does not depend on how rows are spread over segments, and nothing
# published after T or added after K is in it.


class PrefixPart(Struct):
    """The first `hi` rows of a segment; `dead` are those of them that are not visible (any more), ascending.

    `offset` is the number of rows in the parts before: a row of the view is `offset` + a row in here.
    """

    segment: Segment
    hi: int
    dead: NDArray[np.int64]
    offset: int
    _norms: dict[tuple[float, float, float], NDArray[np.float64]] = msgspec.field(default_factory=dict)
    _mask: NDArray[np.bool_] | None = None
    _asked: int = 0

    @property
    def dead_mask(self) -> NDArray[np.bool_]:
        if self._mask is None:
            mask = np.zeros(self.hi, bool)
            mask[self.dead] = True
            self._mask = mask
        return self._mask


OfParts = list[tuple[int, NDArray[np.int64], NDArray[np.int64]]]
"""Rows by part of a prefix: its place, places among the rows, rows of the part."""


class Prefix(Struct):
    """The rows visible at (`as_of`, `known_at`), in instants. `n`: live rows; `tokens`: their words.

    `memo` keeps what was derived for this view (centralities, vectors), by name; `pool` used arrays.
    """

    as_of: int
    known_at: int
    parts: tuple[PrefixPart, ...]
    n: int
    tokens: int
    rows: int  # of all parts, dead ones included
    pool: list[NDArray[np.float64]] = msgspec.field(default_factory=list)
    memo: dict[str, Any] = msgspec.field(default_factory=dict)
    _dfs: dict[int, int] = msgspec.field(default_factory=dict)

    @classmethod
    def of(
        cls, segments: Sequence[Segment], as_of: int, known_at: int = NEVER, *, past: bool = False
    ) -> Prefix:
        """The rows visible at (`as_of`, `known_at`). `past`: also those that were visible before."""
        ended, ends = ended_by(segments, as_of, known_at)
        parts: list[PrefixPart] = []
        n = tokens = offset = 0
        for segment in segments:
            hi = int(np.searchsorted(segment["visible"], as_of, "right"))
            dead = segment.rows_of(ended)
            dead = dead[: np.searchsorted(dead, hi)]
            if past:
                at = ends[np.searchsorted(ended, segment["passage"][dead])]
                dead = dead[(at <= BEGINNING) | (at <= segment["visible"][dead])]  # those never were
            if known_at != NEVER:
                dead = np.union1d(dead, np.flatnonzero(segment["added"][:hi] > known_at))
            parts.append(PrefixPart(segment, hi, dead, offset))
            n += hi - len(dead)
            length = segment["length"]
            tokens += int(length[:hi].sum(dtype=np.int64)) - int(length[dead].sum(dtype=np.int64))
            offset += hi
        return cls(as_of, known_at, tuple(parts), n, tokens, offset)

    @property
    def average_length(self) -> float:
        return self.tokens / self.n if self.n else 0.0

    def by_part(self, rows: NDArray[np.int64]) -> OfParts:
        """Groups rows by part: its place, which of the rows it holds, and their numbers in it."""
        starts = np.array([part.offset for part in self.parts], np.int64)
        # parts without rows share their offset with the next one: the last of equals holds the row
        which = np.searchsorted(starts, rows, "right") - 1
        found = []
        for at in np.flatnonzero(np.bincount(which)).tolist():
            here = np.flatnonzero(which == at)
            found.append((at, here, rows[here] - starts[at]))
        return found

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

    def norm(self, part: PrefixPart, k1: float, b: float, rows: Array) -> NDArray[np.float64]:
        """BM25's `k1 (1 - b + b length / average)` of some rows of a part, infinite for dead ones.

        With it tf / (tf + norm) of a dead row is 0, so that a term's df is a count of what is not 0. Those of
        all rows are kept once as many were asked for.
        """
        key = k1, b, self.average_length  # a shard is scored with that of all of them
        kept = part._norms.get(key)
        if kept is not None:
            return kept[rows]
        part._asked += len(rows)
        few = part._asked < part.hi
        norm: NDArray[np.float64] = part.segment["length"][rows if few else slice(part.hi)].astype(np.float64)
        norm *= k1 * b / self.average_length if self.tokens else 0.0
        norm += k1 * (1 - b)
        norm[part.dead_mask[rows] if few else part.dead] = np.inf
        if few:
            return norm
        part._norms[key] = norm
        return norm[rows]

    def dfs(self, terms: Sequence[int]) -> list[int]:
        """The document frequency of each of these terms (hashes)."""
        missing = [term for term in terms if term not in self._dfs]
        if missing:
            counted = sum((_dfs(part, missing) for part in self.parts), np.zeros(len(missing), np.int64))
            self._dfs.update(zip(missing, counted.tolist(), strict=True))
        return [self._dfs[term] for term in terms]

    def most_dfs(self, terms: Sequence[int]) -> NDArray[np.int64]:
        """Upper bounds of the document frequencies of these terms (hashes): of all rows of the segments."""
        most = np.zeros(len(terms), np.int64)
        for part in self.parts:
            ranges = np.array(part.segment.find(terms), np.int64).reshape(-1, 2)
            most += ranges[:, 1] - ranges[:, 0]
        return most

    def zeros(self, n: int) -> NDArray[np.float64]:
        """An array of zeros, from a pool of used ones: fresh memory costs a page fault for each 4 KiB."""
        try:
            array = self.pool.pop()
        except IndexError:  # also where another thread took the last one
            array = np.empty(0)
        if len(array) < n:
            array = np.empty(max(n, self.rows + self.rows // 8))  # the next prefix has some more rows
        array[:n] = 0.0
        return array[:n]

    def give_back(self, array: NDArray[np.float64]) -> None:
        if len(self.pool) < 4:
            whole = array.base
            self.pool.append(whole if isinstance(whole, np.ndarray) and whole.ndim == 1 else array)

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


class WindowPart(Struct, frozen=True):
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
        """The number of its rows that are not dead."""
        first, last = self._dead()
        return self.last - self.first - (last - first)

    def _dead(self) -> tuple[int, int]:
        first, last = np.searchsorted(self.prefix.dead, [self.first, self.last])
        return int(first), int(last)


class Window(Struct, frozen=True):
    """A contiguous slice of time of a prefix: `n` places, numbered from 0. `whole`: it is all of it.

    Places of dead rows count in `n`, and their number reveals what is not visible: whatever is shown, or
    decides what is shown, uses `n_live`.
    """

    prefix: Prefix
    parts: tuple[WindowPart, ...]
    n: int
    whole: bool

    @property
    def n_live(self) -> int:
        """The number of current passages in it."""
        return sum(part.n_live for part in self.parts)

    @property
    def n_waiting(self) -> int:
        """The number of current passages in it that have no vector (yet)."""
        count = 0
        for part in self.parts:
            waiting = part.prefix.segment.waiting
            if len(waiting):
                rows = waiting[slice(*np.searchsorted(waiting, [part.first, part.last]))]
                count += int(np.count_nonzero(~part.prefix.dead_mask[rows]))
        return count

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
        """Mask of the places of the window whose rows are not dead."""
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


def ended_by(
    segments: Sequence[Segment], as_of: int, known_at: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Passages that had ended by `as_of`, as was known at `known_at`, ascending, and the first end of
    each."""
    passages, ends = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for segment in segments:
        ended = segment["end_at"] <= as_of
        if known_at != NEVER:
            ended &= segment["end_added"] <= known_at
        passages.append(segment["end_passage"][ended])
        ends.append(segment["end_at"][ended])
    several, at = np.concatenate(passages).astype(np.int64), np.concatenate(ends).astype(np.int64)
    order = np.lexsort((at, several))
    several, at = several[order], at[order]
    first = np.diff(several, prepend=-1) != 0
    return several[first], at[first]


def _dfs(part: PrefixPart, terms: Sequence[int]) -> NDArray[np.int64]:
    """The number of live rows of a part with each term."""
    segment = part.segment
    ranges = np.array(segment.find(terms), np.int64).reshape(-1, 2)
    counts: NDArray[np.int64] = ranges[:, 1] - ranges[:, 0]
    if part.hi == segment.n and not len(part.dead):
        return counts
    postings = segment.unchecked("rows")
    for at in np.flatnonzero(counts).tolist():
        first, last = ranges[at].tolist()
        segment.check("rows", first, last)
        rows = postings[first:last]
        rows = rows[: placed(rows, part.hi)[0]]
        counts[at] = len(rows) - (np.count_nonzero(part.dead_mask[rows]) if len(part.dead) else 0)
    return counts
