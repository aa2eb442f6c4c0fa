"""Pictures of experiments; how they are drawn stands in `asof.evaluate.figures.plots`.

`bars`, `lines` and `heat` take the rows of a `Picture` and its caption, and are given which keys to draw with
`functools.partial`.
"""

from __future__ import annotations

from asof.evaluate.experiments.table import Picture, Table, number
from asof.evaluate.figures.plots import bars as bars
from asof.evaluate.figures.plots import heat as heat
from asof.evaluate.figures.plots import lines as lines
from asof.evaluate.runs.compare import Estimate


def beside(name: str, published: Table, ours: Table, caption: str) -> Picture:
    """A picture of both tables: a panel for each column with numbers, bars of the paper beside ours."""
    rows = []
    for column in ours.columns:
        for row in ours.rows:
            cell = row.cells.get(column.name)
            if (value := number(cell)) is None:
                continue
            low, high = (cell.low, cell.high) if isinstance(cell, Estimate) else (value, value)
            printed = number(published.cell(row.label, column.name))
            rows.append(
                {
                    "column": column.name, "row": row.label, "paper": printed, "ours": value,
                    "low": low, "high": high,
                }
            )  # fmt: skip
    return Picture(name, tuple(rows), bars, caption)
