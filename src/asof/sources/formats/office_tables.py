"""Tables of office documents, laid out on their columns: merged cells, headers, tables in a cell."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from asof.sources.formats.parts import row_text

MAX_COLUMNS = 1_000
REPEATED_CHARACTERS = 100
"""Longer cells are no header of a column, and are not repeated for the rows that they span."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a table: its text, the columns it spans; `above`: it continues the cell above it."""

    text: str
    columns: int = 1
    above: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """A table to be written: what stands above its columns, their headers, and the rows."""

    captions: list[str]
    header: list[str]
    rows: list[list[str]]


def table_of(rows: Iterable[Sequence[Cell]], marked: int = 0) -> Table:
    """A table of rows. `marked`: so many first rows are marked as headers; else the first is taken for one
    if it has several short cells that are no labels ("Name:"). A first row that is one cell over several
    columns is a caption."""
    kept = [row for row in rows if any(cell.text.strip() for cell in row)]
    captions = []
    while len(kept) > 1 and len(kept[0]) == 1 and (kept[0][0].columns > 1 or len(kept[1]) > 1):
        captions.append(kept[0][0].text)
        kept, marked = kept[1:], max(marked - 1, 0)
    heads = laid_out(kept[: marked or 1], heads=True)
    if len(kept) <= len(heads) or not _are_heads(heads):
        return Table(captions, [], [_labelled(line) for line in laid_out(kept)])
    columns = ([row[at] for row in heads if at < len(row)] for at in range(max(map(len, heads))))
    header = [" ".join(dict.fromkeys(filter(None, map(str.strip, column)))) for column in columns]
    lines = laid_out(kept)[len(heads) :]
    used = {at for line in lines for at, text in enumerate(line) if text.strip()}
    if {*filter(None, header)} - {name for at, name in enumerate(header) if at in used}:
        lines.insert(0, header)  # it would not be said with any value
    return Table(captions, header, lines)


def laid_out(rows: Iterable[Sequence[Cell]], *, heads: bool = False) -> list[list[str]]:
    """The texts of rows by column. A cell that spans rows stands in each of them; one that spans columns
    stands in the first, or in all if these are `heads`. A long one stands once."""
    grid: list[list[str]] = []
    for row in rows:
        over = grid[-1] if grid else []
        line: list[str] = []
        for cell in row:
            text, at = cell.text, len(line)
            if cell.above and not text.strip() and at < len(over) and len(over[at]) <= REPEATED_CHARACTERS:
                text = over[at]
            again = text if heads and len(text) <= REPEATED_CHARACTERS else ""
            line += [text, *[again] * (min(cell.columns, MAX_COLUMNS) - 1)]
        grid.append(line)
    return grid


def _labelled(line: Sequence[str]) -> list[str]:
    """The cells of a row that have text, each together with the label before it."""
    said: list[str] = []
    for text in filter(None, map(str.strip, line)):
        if said and said[-1].endswith(":"):
            said[-1] += f" {text}"
        else:
            said.append(text)
    return said


def _are_heads(rows: list[list[str]]) -> bool:
    cells = [cell.strip() for row in rows for cell in row]
    if max(map(len, rows)) < 2 or any(cell.endswith(":") for cell in cells):
        return False
    return max(map(len, cells)) <= REPEATED_CHARACTERS


def flat(rows: Iterable[Sequence[Cell]]) -> str:
    """A table within a cell: its rows, one after the other."""
    return ". ".join(filter(None, (row_text((), [cell.text for cell in row]) for row in rows)))
