"""Rows of a sheet as text: which row heads a table, and which rows stand together under a cell range."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import NamedTuple

from asof.sources.formats.parts import Writer, row_text

WORDS = 100
"""A run of rows, under a heading of its own, has about so many words."""

LOOKED_AT = 10
"""A header fills at least half as many cells as any of so many rows below it."""


class Row(NamedTuple):
    """A row that is not empty: its number from 0, its cells by their columns from 0, which of them are texts,
    and whether the others are years or dates, as they may stand in a header."""

    number: int
    cells: Mapping[int, str]
    texts: frozenset[int]
    can_head: bool


def write_rows(rows: Iterable[Row], writer: Writer) -> None:
    """Write the rows of a sheet, each with the header of its table, below headings of cell ranges.

    Single cells above the first table have no such heading. After an empty row a table begins if a row
    there looks like the header of one; else rows go on with the header before.
    """
    runs = _Runs(writer)
    header: Mapping[int, str] = {}
    last, searching, begun = -2, True, False
    for row, below in _with_rows_below(rows):
        if row.number > last + 1:
            searching = True
            runs.end()
        last = row.number
        widest = max((len(each.cells) for each in below), default=0)
        alone = len(row.cells) == 1 and widest != 1
        if searching and _is_header(row, below, widest, header):
            header, searching, begun = row.cells, False, True
            runs.end()
        elif searching and (alone or 2 * len(row.cells) < widest):
            if alone and not begun:
                writer.block(*row.cells.values())
            else:
                begun = True
                runs.add(row, {})
        else:
            searching, begun = False, True
            runs.add(row, header)
    runs.end()


def _with_rows_below(rows: Iterable[Row]) -> Iterator[tuple[Row, Sequence[Row]]]:
    """Each row with some that follow it without an empty row between."""
    source = iter(rows)
    ahead = deque(islice(source, LOOKED_AT + 1))
    while ahead:
        row = ahead.popleft()
        together = [each for at, each in enumerate(ahead, 1) if each.number == row.number + at]
        yield row, together
        ahead.extend(islice(source, 1))


def _is_header(row: Row, below: Sequence[Row], widest: int, header: Mapping[int, str]) -> bool:
    """Whether a row is the header of those below it, which had another `header` before or none."""
    cells = row.cells
    if not below or len(cells) < 2 or not row.texts or not row.can_head:
        return False
    if len(row.texts) < len(cells) and below[0].can_head:  # the years or dates are of rows, as below
        return False
    if 2 * len(cells) < widest or len(set(cells.values())) < len(cells):
        return False
    differs = cells.keys() != header.keys()
    return not header or differs or any(row.texts & each.cells.keys() - each.texts for each in below)


@dataclass(slots=True)
class _Runs:
    """Rows that wait for being written under the range of their cells."""

    writer: Writer
    _lines: list[str] = field(default_factory=list)
    _words: int = 0
    _rows: tuple[int, int] = (0, 0)
    _columns: tuple[int, int] = (0, 0)

    def add(self, row: Row, header: Mapping[int, str]) -> None:
        columns = sorted(row.cells)
        line = row_text([header.get(at, "") for at in columns], [row.cells[at] for at in columns])
        words = len(line.split())
        if self._words and self._words + words > WORDS:
            self.end()
        first, last = columns[0], columns[-1]
        if self._lines:
            self._rows = (self._rows[0], row.number)
            self._columns = (min(self._columns[0], first), max(self._columns[1], last))
        else:
            self._rows, self._columns = (row.number, row.number), (first, last)
        self._lines.append(line)
        self._words += words

    def end(self) -> None:
        if not self._lines:
            return
        first, last = (cell_name(*at) for at in zip(self._rows, self._columns, strict=True))
        self.writer.heading(first if first == last else f"{first}:{last}", 2)
        for line in self._lines:
            self.writer.block(line)
        self._lines.clear()
        self._words = 0


def cell_name(row: int, column: int) -> str:
    """The name of a cell by its row and column from 0: (0, 26) is AA1."""
    letters = ""
    column += 1
    while column:
        column, rest = divmod(column - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return f"{letters}{row + 1}"
