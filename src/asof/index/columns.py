"""The arrays of segment files: their formats, types, sizes and bounds; columns of times and titles.

Checksums find accidental damage. The checks here find forged files, so that no number in a file can index
outside of an array. Sizes are named: arrays of size "n" have equally many rows, "n+1" one more. Bounds are
checked with the checksum of each block when it is first read.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple, Self

import msgspec
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from asof.store.digest import SECTION, TEXT
from asof.text.query import TitleStems, figure
from asof.text.tokens import Analyzer, term_hash
from asof.version import __version__

# -- segment format ------------------------------------------------------------------------------------
# The last eight bytes of a file name its format; a file of another format is made anew from the store. It
# changes, too, when features, stems or times are read from texts by other rules: segments keep these.

MAGIC = b"asof-sg7"
FOOTER = struct.Struct("<QII8s")
"""Place, length and CRC-32 of the table of contents; the format."""


def stated() -> dict[str, str]:
    """The entries about its format in the table of contents of a new file."""
    return {"format": MAGIC.decode(), "asof": __version__}


# -- array checks --------------------------------------------------------------------------------------

Array = NDArray[Any]
Sizes = Mapping[str, int]

NUMBERS = frozenset({"|b1", "|i1", "|u1", "<i2", "<u2", "<i4", "<u4", "<i8", "<u8", "<f4", "<f8"})
"""The types of arrays that a file may hold, as numpy writes them."""

FINITE = 3e38
"""Every finite float32 lies between -FINITE and FINITE (as do idf and weights); nan and inf do not."""


class ArraySpec(Struct, frozen=True):
    """An array of a file: its types, the name of its size, and the width of its rows ("" for one number).

    Values are at least `low` and less than `below` (a number, or the name of a size). `order`: "ascending",
    "distinct" (strictly ascending), or "offsets": from 0 up to the size `of`.
    """

    dtypes: str
    size: str
    width: int | str = ""
    low: float | None = None
    below: float | str | None = None
    order: str = ""
    of: str = ""
    optional: bool = False

    def ordered(self, array: Array, sizes: Sizes) -> bool:
        """True if the whole array is in the order of its spec."""
        if not self.order:
            return True
        if self.order == "distinct":
            return bool((array[1:] > array[:-1]).all())
        if not bool((array[1:] >= array[:-1]).all()):
            return False
        return self.order == "ascending" or bool(array[0] == 0 and array[-1] == sizes[self.of])

    def within(self, values: Array, sizes: Sizes) -> bool:
        """True if the values of a part of the array are inside the bounds; NaN is not."""
        if not len(values):
            return True
        below = sizes[self.below] if isinstance(self.below, str) else self.below
        low = self.low is None or bool(values.min() >= self.low)
        return low and (below is None or bool(values.max() < below))


class FileFormat(Struct, frozen=True):
    """The columns of one kind of file, and the types of the facts in its table of contents."""

    columns: Mapping[str, ArraySpec]
    facts: Mapping[str, type] = msgspec.field(default_factory=dict)

    def sizes(self, arrays: Mapping[str, Mapping[str, Any]], facts: Mapping[str, Any]) -> dict[str, int]:
        """The sizes of a file by name, from its table of contents. Raises ValueError: what is wrong."""
        for name, kind in self.facts.items():
            value = facts.get(name)
            if type(value) is not kind or (isinstance(value, int) and not 0 <= value < 2**62):
                raise ValueError(f"{name} is {value!r}")
        sizes: dict[str, int] = {name: facts[name] for name, kind in self.facts.items() if kind is int}
        for name, column in self.columns.items():
            entry = arrays.get(name)
            if entry is None:
                if not column.optional:
                    raise ValueError(f"it has no {name}")
                continue
            if entry["dtype"] not in column.dtypes.split():
                raise ValueError(f"{name} has the type {entry['dtype']}")
            count, *width = entry["shape"]
            named_widths = [] if column.width == "" else [column.width]
            if len(width) != len(named_widths):
                raise ValueError(f"{name} has the shape {entry['shape']}")
            size, _, more = column.size.partition("+")
            for key, actual in ((size, count - int(more or 0)), *zip(named_widths, width, strict=True)):
                expected = key if isinstance(key, int) else sizes.setdefault(key, actual)
                if actual < 0 or actual != expected:
                    raise ValueError(f"{name} has the shape {entry['shape']}")
        return sizes


def instants(size: str, order: str = "") -> ArraySpec:
    """Microseconds since 1970, or numbers of rows of the store."""
    return ArraySpec("<i8", size, order=order)


# -- offsets: consecutive ranges of unequal lengths in one array ---------------------------------------


def offsets(lengths: Sequence[int] | NDArray[np.int64]) -> NDArray[np.int64]:
    """Start offsets of consecutive ranges of these lengths (n), and the end of the last one (n + 1)."""
    out = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=out[1:])
    return out


def stretches(begin: NDArray[np.int64], lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    """The places of all elements of the stretches that begin at `begin` and are so long, in order."""
    before = offsets(lengths)
    return np.repeat(begin - before[:-1], lengths) + np.arange(before[-1])


def longer(values: Array, n: int, new: int = 0) -> Array:
    """The array with n elements, the later ones `new`, in the memory behind it if there is any left: made
    longer twice it has the same behind it, so that is copied before it is written to."""
    if len(values) == n:
        return values
    memory = values if values.base is None else values.base
    if len(memory) < n:
        memory = np.empty((n + n // 4, *values.shape[1:]), values.dtype)
        memory[: len(values)] = values
    memory[len(values) : n] = new
    return memory[:n]


def changed_at(values: Array, places: NDArray[np.int64], new: Array) -> Array:
    """A copy of the array with `new` values at some places; itself where they are there already."""
    if not (values[places] == new).all():
        values = values.copy()
        values[places] = new
    return values


def places_of(values: Array, wanted: Array) -> NDArray[np.int64]:
    """The places, ascending, of values that are among some few integers."""
    wanted = np.unique(wanted)
    if len(wanted) > 8:  # the last 16 bits tell most values apart, at the price of eight comparisons
        ends = np.zeros(1 << 16, bool)
        ends[wanted & 0xFFFF] = True
        places = np.flatnonzero(ends[values & 0xFFFF])
        return places[np.isin(values[places], wanted)]
    found = np.zeros(len(values), bool)
    for each in wanted:
        found |= values == each
    return np.flatnonzero(found)


def placed(ascending: NDArray[np.int32], *numbers: int) -> list[int]:
    """The insertion points of numbers in an ascending array, before equal ones.

    As numbers of its own type: numpy makes a copy of all of an array to compare it with those of another.
    """
    found: list[int] = np.searchsorted(ascending, np.array(numbers, ascending.dtype)).tolist()
    return found


# -- times that passages are about: for each row, a range of intervals (first and last instant) --------

Stretch = tuple[int, int, int]
"""First instant, last instant, where it is stated (`asof.store.digest`: SECTION to TEXT)."""


class AboutTimes(NamedTuple):
    """The times that n rows are about: row i has the intervals `offsets[i]` to before `offsets[i + 1]`.

    `offsets` int64 (n + 1); `first`, `last` int64 instants, both inside (BEGINNING, NEVER: unbounded);
    `kind` uint8, where each is stated (`asof.store.digest`), from SECTION to TEXT.
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
        return dict(zip(ABOUT_COLUMNS, (self.offsets, self.first, self.last, self.kind), strict=True))

    def slice(self, begin: int, end: int) -> AboutTimes:
        """The rows from `begin` to before `end`."""
        low, high = self.offsets[begin], self.offsets[end]
        part = self.offsets[begin : end + 1]
        return AboutTimes(
            part - low if low else part, self.first[low:high], self.last[low:high], self.kind[low:high]
        )

    @property
    def known(self) -> NDArray[np.bool_]:
        """Mask (n) of the rows that are about any time."""
        return np.diff(self.offsets) > 0

    def stated(self, kinds: tuple[int, int] = (SECTION, TEXT)) -> NDArray[np.bool_]:
        """Mask (n) of the rows that are about a time stated at these kinds of places, from one to another."""
        return self._any(self._of(kinds))

    def overlap(self, first: int, last: int, kinds: tuple[int, int] = (SECTION, TEXT)) -> NDArray[np.bool_]:
        """Mask (n) of the rows about a time that has an instant in common with `first` to `last`."""
        overlaps = (self.first <= last) & (self.last >= first)
        return self._any(overlaps if kinds == (SECTION, TEXT) else overlaps & self._of(kinds))

    def no_longer(self, than: int) -> AboutTimes:
        """The times of each row that last no longer."""
        keep = self.last - self.first <= than
        begins = np.append(0, np.cumsum(keep))[self.offsets]
        return AboutTimes(begins, self.first[keep], self.last[keep], self.kind[keep])

    def bounded_in(self, first: int, last: int) -> NDArray[np.bool_]:
        """Mask (n) of the rows about a time that begins or ends from `first` to `last`."""
        begins = (self.first >= first) & (self.first <= last)
        return self._any(begins | ((self.last >= first) & (self.last <= last)))

    def _of(self, kinds: tuple[int, int]) -> NDArray[np.bool_]:
        return (self.kind >= kinds[0]) & (self.kind <= kinds[1])

    def _any(self, stretches: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Mask of the rows with any of the marked intervals."""
        marked = np.flatnonzero(stretches)
        out = np.zeros(len(self.offsets) - 1, bool)
        out[np.searchsorted(self.offsets, marked, "right") - 1] = True
        return out


_NONE = np.zeros(0, np.int64)
ABOUT_COLUMNS = ("about_offsets", "about_first", "about_last", "about_kind")
"""The arrays of a segment that store them."""


# -- titles: for each distinct title its stems and their kinds, prepared when indexed ------------------

FIGURE, PLAIN, REPEATED = 1, 2, 4
"""Bits of `TitleTable.kinds`: a figure; a word that distinguishes titles of one series from those of others
(neither a figure nor a word of the calendar); a stem that occurs earlier in the title."""

UNTITLED = -1


class TitleTable(NamedTuple):
    """The titles of n rows: row i has the title `of[i]` (UNTITLED: none), one of t different ones.

    `of` int32 (n). Of each title (t): `ids` uint64, ascending, a hash of text and language; `groups` uint64,
    a hash that the titles of a series share (`TitleStems.key`), 0 where a title has no plain word. Title j
    has the stems `start[j]` to before `start[j + 1]`, in their order: `stems` uint64 (hashes), `kinds` uint8.
    """

    of: NDArray[np.int32]
    ids: NDArray[np.uint64]
    groups: NDArray[np.uint64]
    start: NDArray[np.int64]
    stems: NDArray[np.uint64]
    kinds: NDArray[np.uint8]

    @classmethod
    def build(cls, titles: Sequence[tuple[str, str]], analyzer: Analyzer) -> Self:
        """The title and its language for each row."""
        different = {each: term_hash("\0".join(each)) for each in dict.fromkeys(titles) if each[0]}
        in_order = sorted(different, key=different.__getitem__)
        number = {each: at for at, each in enumerate(in_order)}
        read = [TitleStems.of(*each, analyzer) for each in in_order]
        return cls(
            np.array([number.get(each, UNTITLED) for each in titles], np.int32),
            np.array([different[each] for each in in_order], np.uint64),
            np.array([term_hash("\0".join(each.key)) if each.key else 0 for each in read], np.uint64),
            offsets([len(each.stems) for each in read]),
            np.array([term_hash(stem) for each in read for stem in each.stems], np.uint64),
            np.fromiter(chain.from_iterable(map(_kinds, read)), np.uint8),
        )

    @classmethod
    def joined(cls, parts: Iterable[Self]) -> Self:
        """The rows of all parts, one part after another; equal titles are one."""
        parts = list(parts)
        if len(parts) == 1:
            return parts[0]
        ids = np.concatenate([*(part.ids for part in parts), np.zeros(0, np.uint64)])
        different, first, number = np.unique(ids, return_index=True, return_inverse=True)
        before = np.cumsum([0, *(len(part.ids) for part in parts)])
        of = [
            np.where(part.of >= 0, np.append(number, 0)[part.of + at], UNTITLED)
            for part, at in zip(parts, before.tolist(), strict=False)
        ]
        lengths = np.concatenate([*(np.diff(part.start) for part in parts), _NONE])
        stems = np.concatenate([*(part.stems for part in parts), np.zeros(0, np.uint64)])
        kinds = np.concatenate([*(part.kinds for part in parts), np.zeros(0, np.uint8)])
        groups = np.concatenate([*(part.groups for part in parts), np.zeros(0, np.uint64)])
        every = cls(
            np.concatenate([*of, _NONE]).astype(np.int32),
            different,
            groups[first],
            offsets(lengths),
            stems,
            kinds,
        )
        return every._titles(first)

    def take(self, rows: NDArray[np.int64]) -> Self:
        """These rows, in their order, and their titles only."""
        used, which = np.unique(self.of[rows], return_inverse=True)
        untitled = int(len(used) > 0 and used[0] == UNTITLED)
        chosen = used[untitled:].astype(np.int64)
        of = np.asarray(which - untitled, np.int32)
        return self._replace(of=of, ids=self.ids[chosen], groups=self.groups[chosen])._titles(chosen)

    def _titles(self, chosen: NDArray[np.intp]) -> Self:
        """With the stems of these titles only."""
        begin = self.start[chosen]
        counts = self.start[chosen + 1] - begin
        places = stretches(begin, counts)
        return self._replace(start=offsets(counts), stems=self.stems[places], kinds=self.kinds[places])

    @property
    def title_of_stem(self) -> NDArray[np.int64]:
        """The title that each of `stems` is of."""
        return np.repeat(np.arange(len(self.ids)), np.diff(self.start))

    @property
    def group_of(self) -> NDArray[np.uint64]:
        """The group of each row's title (n,); 0 for none."""
        return np.append(self.groups, np.uint64(0))[self.of]

    def columns(self) -> dict[str, Array]:
        """As the arrays of a segment, by name."""
        return dict(zip(TITLE_COLUMNS, self, strict=True))


TITLE_COLUMNS = ("title", "title_id", "title_group", "title_start", "title_stems", "title_kinds")
"""The arrays of a segment that hold them."""


def _kinds(title: TitleStems) -> list[int]:
    plain, before = set(title.plain), set[str]()
    kinds = []
    for stem in title.stems:
        kinds.append(FIGURE * figure(stem) | PLAIN * (stem in plain) | REPEATED * (stem in before))
        before.add(stem)
    return kinds
