"""Figures as PNG, with their numbers as CSV beside them: bars of metrics, and lines over a number.

Lines are over an age, a rank, or the questions that were learned from. matplotlib draws
them without the state of pyplot, a display, or a date in the files.
"""

from __future__ import annotations

import csv
import math
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from asof.errors import UsageError, missing_extra

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from asof.extensions.lab.evaluation import Evaluation


DPI = 150
ACROSS = 3
"""The most panels in a row."""
WIDTH, HEIGHT, BESIDE = 3.6, 3.0, 1.9
"""Inches of a panel, and of a legend beside the panels."""

STYLE: dict[str, Any] = {
    "font.size": 9, "axes.titlesize": 9, "axes.spines.top": False, "axes.spines.right": False,
    "axes.grid": True, "axes.axisbelow": True, "grid.color": "#E5E5E5", "legend.frameon": False,
}  # fmt: skip
"""Over the style of matplotlib that the colour-blind can tell apart."""

METRICS = ("success@1", "ndcg@10", "recall@10", "mrr")
"""The metrics of an evaluation that are drawn."""

Rows = Sequence[Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Picture:
    """A figure: its name (of the files NAME.png and NAME.csv), its numbers as rows, how it is drawn from
    them and from its caption (`bars` and `lines` with functools.partial)."""

    name: str
    rows: Rows
    draw: Callable[[Rows, str], Figure]
    caption: str

    def written(self, folder: Path) -> list[Path]:
        """The paths of its numbers and of itself in a folder. Raises UsageError."""
        import matplotlib.style

        numbers, drawing = folder / f"{self.name}.csv", folder / f"{self.name}.png"
        keys = list(dict.fromkeys(key for row in self.rows for key in row))
        try:
            with numbers.open("w", encoding="utf-8", newline="") as file:
                writer = csv.DictWriter(file, keys, lineterminator="\n")
                writer.writeheader()
                writer.writerows(self.rows)
            with matplotlib.style.context(["default", "tableau-colorblind10", STYLE]):
                self.draw(self.rows, self.caption).savefig(drawing, dpi=DPI, metadata={"Software": None})
        except OSError as error:
            raise UsageError(f"{folder}: a figure cannot be written: {error.strerror}") from error
        return [numbers, drawing]


def ready(folder: Path) -> None:
    """Check that figures can be drawn and written, before they are computed.

    Raises MissingExtra without matplotlib, UsageError if the folder cannot be made.
    """
    try:
        import matplotlib.figure  # noqa: F401
    except ModuleNotFoundError as error:
        raise missing_extra("a figure", "lab", "matplotlib") from error
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"{folder}: a folder for figures cannot be made: {error.strerror}") from error


def of_evaluation(evaluation: Evaluation) -> list[Picture]:
    """The metrics of the recipes."""
    rows = [
        {"column": metric, "row": run.name, "paper": None, "ours": mean.value, "low": mean.low,
         "high": mean.high}
        for metric in METRICS
        for run in evaluation.runs
        if (mean := evaluation.estimate(run, metric)) is not None
    ]  # fmt: skip
    questions = f"{evaluation.dataset.name}: {len(evaluation.questions):,} questions."
    return [Picture("metrics", rows, bars, f"{questions} Intervals: 95%, bootstrap.")] if rows else []


def bars(rows: Rows, caption: str) -> Figure:
    """A panel for each `column`, for each `row` a bar `ours` (`low` to `high`), beside that of `paper`."""
    panels = list(dict.fromkeys(row["column"] for row in rows))
    printed = any(row["paper"] is not None for row in rows)
    title = "the paper and here" if printed else "metrics"
    figure, axes = panelled(len(panels), title, caption, legend=printed)
    for axis, column in zip(axes, panels, strict=True):
        own = [row for row in rows if row["column"] == column]
        places, width = range(len(own)), 0.4 if printed else 0.7
        reach = [[row["ours"] - row["low"] for row in own], [row["high"] - row["ours"] for row in own]]
        at = [x + 0.2 * printed for x in places]
        axis.bar(at, [row["ours"] for row in own], width, label="here", yerr=reach)
        if printed:
            paper = [row["paper"] or 0.0 for row in own]
            axis.bar([x - 0.2 for x in places], paper, width, label="paper")
        axis.set_xticks(places, [str(row["row"]) for row in own], rotation=30, ha="right")
        axis.set_title(str(column))
    if printed:
        figure.legend(*axes[0].get_legend_handles_labels(), loc="outside right upper")
    return figure


def lines(rows: Rows, caption: str, *, x: str, y: Sequence[str], series: str = "", title: str = "") -> Figure:
    """A panel for each of the keys `y` over the key `x`, a line for each value of the key `series`."""
    figure, axes = panelled(len(y), title or f"over {x}", caption, legend=bool(series))
    names = list(dict.fromkeys(row[series] for row in rows)) if series else [""]
    for axis, key in zip(axes, y, strict=True):
        for name in names:
            own = sorted((row for row in rows if not series or row[series] == name), key=lambda row: row[x])
            axis.plot([row[x] for row in own], [row[key] for row in own], label=str(name))
        axis.set_xlabel(x)
        axis.set_title(key)
    if series:
        figure.legend(*axes[0].get_legend_handles_labels(), loc="outside right upper")
    return figure


def panelled(count: int, title: str, caption: str, *, legend: bool = False) -> tuple[Figure, list[Axes]]:
    """A figure of `count` panels, row by row, a title above and a caption below; `legend`: one is beside."""
    from matplotlib.figure import Figure

    across = min(count, ACROSS)
    down = math.ceil(count / across)
    size = (max(across * WIDTH, 1.5 * WIDTH) + BESIDE * legend, down * HEIGHT + 0.7)
    figure = Figure(size, layout="constrained")
    panels: list[Axes] = figure.subplots(down, across, squeeze=False).flatten().tolist()
    for axes in panels[count:]:
        axes.remove()
    figure.suptitle(title, x=0.01, ha="left", fontweight="bold")
    told = "\n".join(textwrap.wrap(caption, int(size[0] * 17)))
    figure.supxlabel(told, x=0.01, ha="left", fontsize=7.5)
    return figure, panels[:count]
