"""The usual ways to draw a table: bars beside the paper's, lines with intervals, a map of two numbers.

All take rows (mappings with the same keys) and a caption, and are given which keys to draw.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from asof.evaluate.figures.canvas import COLOURS, MARKS, panelled

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Rows = Sequence[Mapping[str, Any]]

ACROSS = 3
WIDTH, HEIGHT = 3.6, 3.0
"""Inches of a panel."""


def bars(rows: Rows, caption: str) -> Figure:
    """A panel for each `column`, for each `row` a bar `ours` (`low` to `high`) beside that of `paper`."""
    panels = list(dict.fromkeys(row["column"] for row in rows))
    figure, axes = panelled(len(panels), ACROSS, WIDTH, HEIGHT, "the paper and here", caption, legend=True)
    for axis, column in zip(axes, panels, strict=True):
        own = [row for row in rows if row["column"] == column]
        at = list(range(len(own)))
        axis.bar(
            [x - 0.2 for x in at], [row["paper"] or 0.0 for row in own], 0.4, color=COLOURS[6], label="paper"
        )
        reach = [[row["ours"] - row["low"] for row in own], [row["high"] - row["ours"] for row in own]]
        axis.bar(
            [x + 0.2 for x in at], [row["ours"] for row in own], 0.4, color=COLOURS[0], label="here",
            yerr=reach, ecolor=COLOURS[7],
        )  # fmt: skip
        axis.set_xticks(at, [str(row["row"]) for row in own], rotation=30, ha="right")
        axis.set_title(str(column))
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside right upper")
    return figure


def lines(rows: Rows, caption: str, *, x: str, y: Sequence[str], series: str = "", title: str = "") -> Figure:
    """A panel for each of the keys `y` over the key `x`, a line for each value of the key `series`; keys
    such as `recall@5 low`, `recall@5 high` are its interval."""
    figure, axes = panelled(len(y), ACROSS, WIDTH, HEIGHT, title or f"over {x}", caption, legend=bool(series))
    names = list(dict.fromkeys(row[series] for row in rows)) if series else [""]
    places = _places([row[x] for row in rows])
    for axis, key in zip(axes, y, strict=True):
        for number_, name in enumerate(names):
            own = [row for row in rows if (not series or row[series] == name) and row.get(key) is not None]
            own.sort(key=lambda row: places[row[x]])
            colour, mark = COLOURS[number_ % len(COLOURS)], MARKS[number_ % len(MARKS)]
            at = [places[row[x]] for row in own]
            axis.plot(at, [row[key] for row in own], f"-{mark}", color=colour, label=str(name), markersize=4)
            if own and f"{key} low" in own[0]:
                low, high = ([row[f"{key} {end}"] for row in own] for end in ("low", "high"))
                axis.fill_between(at, low, high, color=colour, alpha=0.15, linewidth=0)
        if any(not isinstance(value, int | float) for value in places):
            axis.set_xticks(list(places.values()), [str(value) for value in places], rotation=30, ha="right")
        axis.set_xlabel(x)
        axis.set_title(key)
    if series:
        figure.legend(*axes[0].get_legend_handles_labels(), loc="outside right upper")
    return figure


def heat(rows: Rows, caption: str, *, x: str, y: str, values: Sequence[str], title: str = "") -> Figure:
    """A panel for each of the keys `values`: a field for each pair of values of the keys `x` and `y`, with
    its number, the largest in bold."""
    figure, axes = panelled(len(values), ACROSS, WIDTH, HEIGHT, title or f"{y} by {x}", caption)
    across, up = (list(_places([row[key] for row in rows])) for key in (x, y))
    for axis, key in zip(axes, values, strict=True):
        grid = [[float("nan")] * len(across) for _ in up]
        for row in rows:
            if row.get(key) is not None:
                grid[up.index(row[y])][across.index(row[x])] = row[key]
        axis.imshow(grid, cmap="cividis", aspect="auto", origin="lower")
        axis.grid(visible=False)
        known = [value for line in grid for value in line if value == value]
        low, high = min(known, default=0.0), max(known, default=0.0)
        for j, line in enumerate(grid):
            for i, value in enumerate(line):
                if value == value:
                    axis.text(
                        i, j, f"{value:.3f}", ha="center", va="center", fontsize=8,
                        color="black" if value > (low + high) / 2 else "white",
                        fontweight="bold" if value == high else "normal",
                    )  # fmt: skip
        axis.set_xticks(range(len(across)), [_label(value) for value in across])
        axis.set_yticks(range(len(up)), [_label(value) for value in up])
        axis.set_xlabel(x)
        axis.set_ylabel(y)
        axis.set_title(key)
    return figure


def _places(values: Sequence[Any]) -> dict[Any, float]:
    """Where values lie on an axis, in order: numbers where they are, others one after another."""
    if all(isinstance(value, int | float) for value in values):
        return {value: float(value) for value in sorted(set(values))}
    return {value: float(at) for at, value in enumerate(dict.fromkeys(values))}


def _label(value: Any) -> str:
    return f"{value:g}" if isinstance(value, int | float) else str(value)
