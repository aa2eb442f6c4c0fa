"""Tables of experiments: as printed and as measured here, and the pictures that belong to them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from asof.errors import UsageError
from asof.evaluate.runs.compare import Estimate

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Cell = float | int | str | Estimate | None
"""A figure, one with its 95% interval, a word; None: not printed, or it does not apply."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its name, which end of it is better ("": neither, it is only shown), and how many places of
    its fractions are shown."""

    name: str
    better: Literal["high", "low", ""] = "high"
    places: int = 3


@dataclass(frozen=True, slots=True)
class Row:
    """A row: what was tried, and its figures by column."""

    label: str
    cells: Mapping[str, Cell]


@dataclass(frozen=True, slots=True)
class Table:
    """Columns and rows. A paper's table and ours are compared where columns and labels are the same."""

    columns: tuple[Column, ...]
    rows: tuple[Row, ...] = ()

    @classmethod
    def of(cls, columns: Sequence[Column], rows: Mapping[str, Sequence[Cell]]) -> Table:
        """A table of rows by label, each as long as there are columns. Raises UsageError."""
        for label, cells in rows.items():
            if len(cells) != len(columns):
                raise UsageError(f"row {label!r} has {len(cells)} figures for {len(columns)} columns")
        names = [column.name for column in columns]
        made = (Row(label, dict(zip(names, cells, strict=True))) for label, cells in rows.items())
        return cls(tuple(columns), tuple(made))

    def cell(self, label: str, column: str) -> Cell:
        """What stands in a row and a column; None where nothing does."""
        return next((row.cells.get(column) for row in self.rows if row.label == label), None)


NO_TABLE = Table(())
"""Of a figure without printed numbers."""


def number(cell: Cell) -> float | None:
    """The number of a cell; None for a word or nothing."""
    if isinstance(cell, Estimate):
        return cell.value
    return float(cell) if isinstance(cell, int | float) else None


@dataclass(frozen=True, slots=True)
class Picture:
    """A figure: its name (of the files NAME.png and NAME.csv), its numbers as rows with the same keys, how
    it is drawn from them (`asof.evaluate.experiments.drawing` has the usual ways), and a caption."""

    name: str
    rows: tuple[Mapping[str, Any], ...]
    draw: Callable[[Sequence[Mapping[str, Any]], str], Figure]
    caption: str
