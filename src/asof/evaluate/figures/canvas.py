"""Figures by matplotlib, without the state of pyplot, a display, or a date in the files."""

from __future__ import annotations

import io
import math
import textwrap
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from asof.errors import MissingExtra

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

DPI = 150
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#666666", "#000000")
"""Okabe and Ito's palette, which the colour-blind can tell apart; yellow is too light for lines."""

MARKS = "osD^vPX*"
GREY = "#555555"
BESIDE = 1.9
"""Inches for a legend beside the panels."""

STYLE: dict[str, Any] = {
    "font.size": 9, "axes.titlesize": 9, "axes.labelsize": 9, "legend.fontsize": 8, "figure.titlesize": 11,
    "axes.spines.top": False, "axes.spines.right": False, "axes.grid": True, "axes.axisbelow": True,
    "grid.color": "#E5E5E5", "grid.linewidth": 0.6, "legend.frameon": False, "lines.linewidth": 1.6,
    "axes.edgecolor": GREY, "xtick.color": GREY, "ytick.color": GREY, "xtick.labelcolor": "black",
    "ytick.labelcolor": "black",
}  # fmt: skip


def require() -> None:
    """Raises MissingExtra when matplotlib is not installed."""
    try:
        import matplotlib.figure  # noqa: F401
    except ModuleNotFoundError as error:
        if error.name is None or not error.name.startswith("matplotlib"):
            raise
        raise MissingExtra("figures need matplotlib: pip install 'asof[figures]'") from error


def png(draw: Callable[[Any, str], Figure], rows: Any, caption: str) -> bytes:
    """The picture that `draw` makes of its rows; the same rows give the same bytes."""
    with style():
        figure = draw(rows, caption)
        from matplotlib.backends.backend_agg import FigureCanvasAgg

        FigureCanvasAgg(figure)
        out = io.BytesIO()
        figure.savefig(out, format="png", dpi=DPI, metadata={"Software": None})
        return out.getvalue()


@contextmanager
def style() -> Iterator[None]:
    """matplotlib's own defaults and ours, whatever the user's matplotlibrc says."""
    import matplotlib.style

    with matplotlib.style.context(["default", STYLE]):
        yield


def panelled(
    count: int, across: int, width: float, height: float | Sequence[float], title: str, caption: str, *,
    legend: bool = False,
) -> tuple[Figure, list[Axes]]:  # fmt: skip
    """A figure of `count` panels, row by row, with a title above and a caption below.

    `width` of a panel and `height` of all rows or of each, in inches. `legend`: one is beside them.
    """
    from matplotlib.figure import Figure

    columns = min(count, across)
    lines = math.ceil(count / columns)
    heights = [height] * lines if isinstance(height, float) else list(height)
    size = (columns * width + BESIDE * legend, sum(heights) + 0.7)
    figure = Figure(size, layout="constrained")
    grid = figure.subplots(lines, columns, squeeze=False, gridspec_kw={"height_ratios": heights})
    panels: list[Axes] = grid.flatten().tolist()
    for axes in panels[count:]:
        axes.remove()
    figure.suptitle(title, x=0.01, ha="left", fontweight="bold")
    figure.supxlabel(wrapped(caption, size[0]), x=0.01, ha="left", fontsize=7.5, color=GREY)
    return figure, panels[:count]


def wrapped(caption: str, inches: float) -> str:
    return "\n".join(textwrap.wrap(caption, int(inches * 17)))
