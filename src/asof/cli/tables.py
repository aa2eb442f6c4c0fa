"""Tables of figures: a row for each of a few names, as many columns as there is room for."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table
from rich.text import Text

from asof.cli.terminal import plain

if TYPE_CHECKING:
    from asof.evaluate.options import Progress
    from asof.evaluate.runs.compare import Estimate

WIDTH = 100
"""Of a table that goes into a file or a pipe."""

LONGEST = 30
"""The most characters of a value that names a row."""

Cells = list[tuple[str, list[Text]]]
"""The columns of a table: a heading, and a cell for each row."""


def console() -> Console:
    """The terminal, or a page of a fixed width."""
    return Console(highlight=False, width=None if sys.stdout.isatty() else WIDTH)


def estimated(estimate: Estimate | None) -> Text:
    """A mean above its interval."""
    if estimate is None:
        return Text("-")
    interval = f"\n{short(estimate.low)}-{short(estimate.high)}"
    return Text.assemble((short(estimate.value), "bold"), (interval, "dim"))


def short(value: float) -> str:
    """Three places, without the zero before the point.

    >>> short(0.1234), short(-0.5), short(1.0)
    ('.123', '-.500', '1.000')
    """
    return f"{value:.3f}".replace("0.", ".", 1) if abs(value) < 1 else f"{value:.3f}"


def group_name(value: str, recipe: str = "") -> str:
    """The value of a field as the name of a row, cut where it is long; a recipe behind it if given."""
    name = value or "-"
    name = name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…"
    return f"{name}, {recipe}" if recipe else name


def show_columns(to: Console, label: str, rows: Sequence[str], columns: Cells) -> None:
    """Tables one below the other, each as wide as there is room; `label` stands above the rows' names."""
    width = max(len(label), *(len(plain(row)) for row in rows))
    start = 0
    while start < len(columns):
        end, used = start, width
        while end < len(columns) and (end == start or used + _wide(columns[end]) <= to.width):
            used += _wide(columns[end])
            end += 1
        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
        table.add_column(label, no_wrap=True)
        for heading, _ in columns[start:end]:
            table.add_column(heading, no_wrap=True)
        for number, row in enumerate(rows):
            table.add_row(Text(plain(row)), *[cells[number] for _, cells in columns[start:end]])
        to.print(table)
        start = end


def _wide(column: tuple[str, list[Text]]) -> int:
    heading, cells = column
    lines = [*heading.split("\n"), *(line for cell in cells for line in cell.plain.split("\n"))]
    return 2 + max(map(len, lines))


class step_progress:  # noqa: N801  used as a function
    """A bar of steps, each with its own count."""

    def __enter__(self) -> Progress | None:
        self.bar = None
        if not sys.stderr.isatty():
            return None
        from rich.console import Console
        from rich.markup import escape
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

        bar = self.bar = Progress(
            TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(),
            console=Console(stderr=True), transient=True,
        )  # fmt: skip
        bar.start()
        task = bar.add_task("reading", total=None)

        def advance(what: str, done: int, of: int) -> None:
            bar.update(task, description=escape(plain(what)), completed=done, total=of or None)

        return advance

    def __exit__(self, *error: object) -> None:
        if self.bar is not None:
            self.bar.stop()
