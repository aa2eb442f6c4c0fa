"""The arrays of one kind of file: their types, sizes and bounds.

Checksums find what was altered by accident. These checks find what was made up, so that no number in a file
can lead outside of an array. Sizes are named: arrays of size "n" have equally many rows, "n+1" one more.
Bounds are checked together with the checksum of each block that is read, once for each block.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass, field
from typing import Any

from numpy.typing import NDArray

from asof.index.segment_formats import OlderFormat

Array = NDArray[Any]
Sizes = Mapping[str, int]

NUMBERS = frozenset({"|b1", "|i1", "|u1", "<i2", "<u2", "<i4", "<u4", "<i8", "<u8", "<f4", "<f8"})
"""The types of arrays that a file may hold, as numpy writes them."""

FINITE = 3e38
"""Every finite float32 lies between -FINITE and FINITE (as do idf and weights); nan and inf do not."""


@dataclass(frozen=True, slots=True)
class ArraySpec:
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
        """Whether the whole array has its order."""
        if not self.order:
            return True
        if self.order == "distinct":
            return bool((array[1:] > array[:-1]).all())
        if not bool((array[1:] >= array[:-1]).all()):
            return False
        return self.order == "ascending" or bool(array[0] == 0 and array[-1] == sizes[self.of])

    def within(self, values: Array, sizes: Sizes) -> bool:
        """Whether the values of a part of the array lie inside the bounds; not a number does not."""
        if not len(values):
            return True
        below = sizes[self.below] if isinstance(self.below, str) else self.below
        low = self.low is None or bool(values.min() >= self.low)
        return low and (below is None or bool(values.max() < below))


@dataclass(frozen=True, slots=True)
class FileFormat:
    """The columns of one kind of file, and the types of the facts in its table of contents.

    `agrees` looks at columns together when one of the names is first read as a whole, given a function that
    reads a column: {name: (others, whether they agree)}. `older`: formats beside the present one in which
    such files are read; files of a kind without are caches, which are made anew.
    """

    columns: Mapping[str, ArraySpec]
    facts: Mapping[str, type] = field(default_factory=dict)
    agrees: Mapping[str, Callable[[Callable[[str], Array], Mapping[str, Any]], bool]] = field(
        default_factory=dict
    )
    older: Mapping[str, OlderFormat] = field(default_factory=dict)

    def sizes(
        self, arrays: Mapping[str, Mapping[str, Any]], facts: Mapping[str, Any], derived: Container[str] = ()
    ) -> dict[str, int]:
        """The sizes of a file by name, from its table of contents; it may lack the arrays `derived`. Raises
        ValueError: what is wrong."""
        for name, kind in self.facts.items():
            value = facts.get(name)
            if type(value) is not kind or (isinstance(value, int) and not 0 <= value < 2**62):
                raise ValueError(f"{name} is {value!r}")
        sizes: dict[str, int] = {name: facts[name] for name, kind in self.facts.items() if kind is int}
        for name, column in self.columns.items():
            entry = arrays.get(name)
            if entry is None:
                if not column.optional and name not in derived:
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
