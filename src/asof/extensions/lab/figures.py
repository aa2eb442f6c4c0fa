"""Figures as PNG, with their numbers as CSV beside them: bars of metrics, and lines over a number.

Lines are over the value of a field, the size of a corpus, an age, or the questions that were learned from.
matplotlib draws them without the state of pyplot, a display, or a date in the files.
"""

from __future__ import annotations

import csv
import io
import itertools
import math
import tempfile
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from asof.config import Config
from asof.corpus.corpus import open as open_corpus
from asof.errors import UsageError, missing_extra
from asof.index.view import View
from asof.rank.combine import Combine
from asof.rank.expression import Constant
from asof.rank.stage import Ranking, Recipe, Stage, traits_of
from asof.store.schema import CorpusSettings
from asof.text.question import read, read_verbatim
from asof.time.span import Span, moment, nearest_moment
from asof.values import Document, Filters, SourcedTime
from asof.wire import replace

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from asof.extensions.lab.evaluation import Evaluation


DPI = 150
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#666666", "#000000")
"""Okabe and Ito's palette, which the colour-blind can tell apart; yellow is too light for lines."""

MARKS = "osD^vPX*"
GREY = "#555555"
ACROSS = 3
"""The most panels in a row."""
WIDTH, HEIGHT, BESIDE = 3.6, 3.0, 1.9
"""Inches of a panel, and of a legend beside the panels."""

STYLE: dict[str, Any] = {
    "font.size": 9, "axes.titlesize": 9, "axes.labelsize": 9, "legend.fontsize": 8, "figure.titlesize": 11,
    "axes.spines.top": False, "axes.spines.right": False, "axes.grid": True, "axes.axisbelow": True,
    "grid.color": "#E5E5E5", "grid.linewidth": 0.6, "legend.frameon": False, "lines.linewidth": 1.6,
    "axes.edgecolor": GREY, "xtick.color": GREY, "ytick.color": GREY, "xtick.labelcolor": "black",
    "ytick.labelcolor": "black",
}  # fmt: skip

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
        drawing = png(self.draw, self.rows, self.caption)
        return [
            _written(folder / f"{self.name}.csv", as_csv(self.rows)),
            _written(folder / f"{self.name}.png", drawing),
        ]


def of_evaluation(evaluation: Evaluation) -> list[Picture]:
    """The metrics of the recipes, and the weight of age in those that have one."""
    questions = f"{evaluation.dataset.name}: {len(evaluation.questions):,} questions."
    rows = [
        {"column": metric, "row": run.name, "paper": None, "ours": mean.value, "low": mean.low,
         "high": mean.high}
        for metric in METRICS
        for run in evaluation.runs
        if (mean := evaluation.estimate(run, metric)) is not None
    ]  # fmt: skip
    found = [Picture("metrics", rows, bars, f"{questions} Intervals: 95%, bootstrap.")] if rows else []
    if ages := age_rows({run.name: run.recipe for run in evaluation.runs}):
        examples = " and ".join(f'"{text}" ({kind})' for kind, text in QUESTIONS.items())
        caption = f"Computed by the stages of each recipe, with the weights of sums, for {examples}."
        found.append(Picture("age", ages, age_curves, caption))
    return found


# -- drawing ---------------------------------------------------------------------------------------


def bars(rows: Rows, caption: str) -> Figure:
    """A panel for each `column`, for each `row` a bar `ours` (`low` to `high`), beside that of `paper`."""
    panels = list(dict.fromkeys(row["column"] for row in rows))
    printed = any(row["paper"] is not None for row in rows)
    title = "the paper and here" if printed else "metrics"
    figure, axes = panelled(len(panels), title, caption, legend=printed)
    for axis, column in zip(axes, panels, strict=True):
        own = [row for row in rows if row["column"] == column]
        at, width = range(len(own)), 0.4 if printed else 0.7
        if printed:
            paper = [row["paper"] or 0.0 for row in own]
            axis.bar([x - 0.2 for x in at], paper, width, color=COLOURS[6], label="paper")
        reach = [[row["ours"] - row["low"] for row in own], [row["high"] - row["ours"] for row in own]]
        axis.bar(
            [x + 0.2 * printed for x in at], [row["ours"] for row in own], width, color=COLOURS[0],
            label="here", yerr=reach, ecolor=COLOURS[7],
        )  # fmt: skip
        axis.set_xticks(at, [str(row["row"]) for row in own], rotation=30, ha="right")
        axis.set_title(str(column))
    if printed:
        figure.legend(*axes[0].get_legend_handles_labels(), loc="outside right upper")
    return figure


def lines(
    rows: Rows, caption: str, *, x: str, y: Sequence[str], series: str = "", title: str = "",
    ticks: Mapping[int, str] | None = None,
) -> Figure:  # fmt: skip
    """A panel for each of the keys `y` over the key `x`, a line for each value of the key `series`; keys
    such as `recall@5 low`, `recall@5 high` are its interval. `ticks`: the values of x that are named, on a
    log scale."""
    figure, axes = panelled(len(y), title or f"over {x}", caption, legend=bool(series))
    names = list(dict.fromkeys(row[series] for row in rows)) if series else [""]
    for axis, key in zip(axes, y, strict=True):
        for at, name in enumerate(names):
            own = [row for row in rows if (not series or row[series] == name) and row.get(key) is not None]
            own.sort(key=lambda row: row[x])
            colour, mark = COLOURS[at % len(COLOURS)], "" if ticks else MARKS[at % len(MARKS)]
            places = [row[x] for row in own]
            axis.plot(
                places, [row[key] for row in own], f"-{mark}", color=colour, label=str(name), markersize=4
            )
            if own and f"{key} low" in own[0]:
                low, high = ([row[f"{key} {end}"] for row in own] for end in ("low", "high"))
                axis.fill_between(places, low, high, color=colour, alpha=0.15, linewidth=0)
        if ticks:
            axis.set_xscale("log")
            axis.set_xticks(list(ticks), list(ticks.values()), rotation=30, ha="right")
            axis.minorticks_off()
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
    figure.supxlabel(told, x=0.01, ha="left", fontsize=7.5, color=GREY)
    return figure, panels[:count]


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


def require() -> None:
    """Raises MissingExtra when matplotlib is not installed."""
    try:
        import matplotlib.figure  # noqa: F401
    except ModuleNotFoundError as error:
        if error.name is None or not error.name.startswith("matplotlib"):
            raise
        raise missing_extra("a figure", "lab", "matplotlib") from error


# -- files -----------------------------------------------------------------------------------------


def ready(folder: Path) -> None:
    """Check that figures can be drawn and written, before they are computed.

    Raises MissingExtra without matplotlib, UsageError if the folder cannot be made.
    """
    require()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"{folder}: a folder for figures cannot be made: {error.strerror}") from error


def as_csv(rows: Rows) -> bytes:
    """Rows as CSV; the header has the keys of all rows, and a row is empty where it lacks one."""
    out = io.StringIO()
    keys = list(dict.fromkeys(key for row in rows for key in row))
    writer = csv.DictWriter(out, keys, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue().encode()


def _written(path: Path, content: bytes) -> Path:
    """Write a file whole or not at all. Raises UsageError."""
    part = path.with_name(f".{path.name}.part")
    try:
        part.write_bytes(content)
        part.replace(path)
    except OSError as error:
        with suppress(OSError):
            part.unlink(missing_ok=True)
        raise UsageError(f"{path}: cannot be written: {error.strerror}") from error
    return path


# -- weights by age: stages are run over passages of all ages --------------------------------------

LANDMARKS = (0, 7, 13, 14, 30, 59, 60, 90, 179, 180, 365, 730, 1825, 3650)
AGES = sorted({*LANDMARKS, *(round(10 ** (power / 25)) for power in range(101))})
"""The ages, in days: dense on a log scale, and both sides of usual steps."""

TICKS = {
    1: "1 day",
    7: "1 week",
    30: "1 month",
    90: "3 months",
    365: "1 year",
    1825: "5 years",
    7300: "20 years",
}
NOW = Span.at(moment(2**50))
"""The moment from which ages are counted; any would do."""

QUESTIONS = {"wishes for the newest": "What is the latest?", "general": "How does it work?"}
"""Kinds of questions with an example: stages read in it whether the newest is wanted."""


def age_rows(recipes: Mapping[str, Recipe]) -> list[dict[str, Any]]:
    """The curves of each recipe that has a stage of time: one if all questions have the same, else one for
    each kind of question. A `weight` is added to the score, or multiplies it (`effect`)."""
    rows: list[dict[str, Any]] = []
    with _passages() as view:
        for name, recipe in recipes.items():
            for stage in recipe.stages:
                if not (effect := traits_of(stage).by_age):
                    continue
                curves = {kind: _weights(recipe, stage, text, view) for kind, text in QUESTIONS.items()}
                if len(set(map(tuple, curves.values()))) == 1:
                    curves = {"any": next(iter(curves.values()))}
                rows += [
                    {"recipe": name, "question": kind, "effect": effect, "age_days": day, "weight": weight}
                    for kind, weights in curves.items()
                    for day, weight in zip(AGES, weights, strict=True)
                ]
    return rows


def age_curves(rows: Rows, caption: str) -> Figure:
    """The weight of age: a panel for summands of a score, one for factors."""
    shown = [
        {"age": row["age_days"], row["effect"]: row["weight"], "of": f"{row['recipe']}, {row['question']}"}
        for row in rows
        if row["age_days"] > 0
    ]
    effects = [effect for effect in ("added", "factor") if any(effect in row for row in shown)]
    return lines(shown, caption, x="age", y=effects, series="of", title="the weight of age", ticks=TICKS)


def weights_at(stage: Stage, question: str, ages: Sequence[int]) -> list[float]:
    """The result of a stage alone for ages in days, rising: its column, or its factor of a score of 1."""
    with _passages(ages) as view:
        return _weights(Recipe("age", "", (stage,), typed=True), stage, question, view)


def _weights(recipe: Recipe, stage: Stage, text: str, view: View) -> list[float]:
    """The stage's addition to a score of 1, or its factor, at each age."""
    reading = read_verbatim(text, view.as_of) if recipe.typed else read(text, nearest_moment(view.as_of))
    query = replace(reading.query, k=len(AGES))
    window = view.window(Filters())
    one = Ranking(window, np.arange(window.n)).with_column("one", Constant("score", 1.0))
    ranking = stage(query, one, view)
    values = ranking.score
    if traits_of(stage).by_age == "added":  # its column is weighted in a later sum
        (column,) = ranking.columns.keys() - one.columns.keys()
        values = ranking.columns[column].values * _weight(recipe, column)
    newest_first = np.argsort(-view.column("visible", ranking.rows))
    weights: list[float] = values[newest_first].tolist()
    return weights


def _weight(recipe: Recipe, column: str) -> float:
    """The weight of a column in the last sum that has it."""
    for stage in reversed(recipe.stages):
        if isinstance(stage, Combine) and column in dict(stage.weights):
            return dict(stage.weights)[column]
    return 1.0


@contextmanager
def _passages(ages: Sequence[int] = AGES) -> Iterator[View]:
    """A view of one passage of each age."""
    settings = CorpusSettings(stem=False)
    with (
        tempfile.TemporaryDirectory(prefix="asof-evaluate-") as name,
        open_corpus(Path(name), settings=settings, config=Config()) as corpus,
    ):
        corpus.session.clock = itertools.count(NOW.last + 1, 1_000_000).__next__
        corpus.maintenance.background = False
        corpus.add(_document(day) for day in ages)
        yield corpus.at(moment(NOW.last)).view()


def _document(day: int) -> Document:
    when = moment(NOW.last) - timedelta(days=day)
    return Document(
        str(day), f"day {day}", published=SourcedTime(Span.at(when), when.isoformat(), "metadata")
    )
