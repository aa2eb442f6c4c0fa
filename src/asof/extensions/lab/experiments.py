"""Experiments of the papers: settings and printed figures as data, and the run that puts ours beside them.

An `Experiment` is a table or a figure of a paper; `published.py` has them by system. To add one:

1. State in `published.toml` what is printed: columns, with the end that is better, so that the shapes of both
   tables are compared, and rows; and in `reading`, a sentence each, what the paper leaves open and how it is
   read, and where we differ.
2. Say what varies, `rows=varied(TWE, {"gamma=0": {"combine-2.weights.centrality": 0.0}, ...})`: values of
   fields of a recipe by the label of the row, or another function that gives recipes; and what is measured,
   `cells={"recall@5": "recall@5", "mrr": "mrr"}`: a metric by column, or a function that gives the rows.
3. What is no variation of settings is a function, `run`, which gives the whole `Outcome`. Options without a
   use are left out of `takes`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Annotated, Any, Literal

from asof.config import ENCODERS, Config
from asof.documents import Problem
from asof.errors import UsageError
from asof.extensions.lab.datasets import Dataset
from asof.extensions.lab.evaluation import Evaluation, evaluate
from asof.extensions.lab.figures import Picture, bars, ready
from asof.extensions.lab.metrics import Estimate
from asof.extensions.lab.runs import EvaluationOptions, Progress, QuestionResult, Run, no_progress
from asof.models.ports import Encoder
from asof.rank.stage import Recipe, with_values
from asof.schema import AcceptedValue, check
from asof.store.schema import CorpusSettings
from asof.wire import As, replace

OPTIONS = ("limit", "queries", "filter_by", "encoder")
"""The options that an experiment can take."""

WITHOUT_ENCODER = tuple(name for name in OPTIONS if name != "encoder")
"""Of recipes that use no vectors of an encoder."""

LATENCY = "latency_ms"
"""In place of a metric: the median time of a search."""

# -- tables ----------------------------------------------------------------------------------------

Cell = float | int | str | Estimate | None
"""A figure, one with its 95% interval, a word; None: not printed, or it does not apply."""

Cells = dict[str, Cell]
"""A row: its figures by column."""

Rows = Mapping[str, Mapping[str, Cell]]
"""The rows of a table by label (what was tried)."""


@dataclass(frozen=True, slots=True)
class ResultColumn:
    """A column of both tables."""

    name: str
    better: Annotated[Literal["high", "low", ""], "which end is better; empty: neither, it is shown"] = "high"
    places: Annotated[int, "how many places of its fractions are shown"] = 3


@dataclass(frozen=True, slots=True)
class ResultTable:
    """Columns and rows. A paper's table and ours are compared where columns and labels are the same."""

    columns: tuple[ResultColumn, ...]
    rows: Rows = field(default_factory=dict)

    def cell(self, label: str, column: str) -> Cell:
        """The cell of a row and a column; None where there is none."""
        return self.rows.get(label, {}).get(column)


NO_TABLE = ResultTable(())
"""Of a figure without printed numbers."""


def number(cell: Cell) -> float | None:
    """The number of a cell; None for a word or nothing."""
    if isinstance(cell, Estimate):
        return cell.value
    return float(cell) if isinstance(cell, int | float) else None


@dataclass(frozen=True, slots=True)
class Shape:
    """The shape of a column, and whether it is the paper's.

    Figures of another dataset cannot be the same; what a paper claims is which setting is better than which.
    """

    column: str
    best_published: Annotated[str, As("best_paper"), "the row that is best in the paper"]
    best_ours: Annotated[str, "the row that is best here"]
    pairs: Annotated[int, "pairs of rows that differ in the paper"]
    agreeing: Annotated[int, "how many of them have the same order here"]

    @property
    def sentence(self) -> str:
        """In words.

        >>> Shape("mrr", "a", "b", 3, 2).sentence
        'mrr: best of the printed rows is a in the paper, b here; 2 of 3 pairs of rows in the same order'
        """
        same = self.best_published == self.best_ours
        best = (
            f"{self.best_ours} in both"
            if same
            else f"{self.best_published} in the paper, {self.best_ours} here"
        )
        pairs = f"{self.agreeing} of {self.pairs} pairs of rows in the same order"
        return f"{self.column}: best of the printed rows is {best}; {pairs}"


def shapes(published: ResultTable, ours: ResultTable) -> list[Shape]:
    """The columns that both tables have numbers in, in two rows or more that differ in the paper."""
    found = (_shape(column, published, ours) for column in published.columns if column.better)
    return [each for each in found if each is not None]


def _shape(column: ResultColumn, published: ResultTable, ours: ResultTable) -> Shape | None:
    sign = 1.0 if column.better == "high" else -1.0
    pairs = []
    for label, cells in published.rows.items():
        theirs, own = number(cells.get(column.name)), number(ours.cell(label, column.name))
        if theirs is not None and own is not None:
            pairs.append((label, sign * theirs, sign * own))
    differing = [(a, b) for a, b in combinations(pairs, 2) if a[1] != b[1]]
    if not differing:
        return None
    agreeing = sum(a[2] != b[2] and (a[1] > b[1]) == (a[2] > b[2]) for a, b in differing)
    return Shape(column.name, _best(pairs, 1), _best(pairs, 2), len(differing), agreeing)


def _best(pairs: Sequence[tuple[str, float, float]], at: Literal[1, 2]) -> str:
    """The rows with the most in a place; several if they have the same."""
    most = max(pair[at] for pair in pairs)
    return " = ".join(pair[0] for pair in pairs if pair[at] == most)


# -- experiments -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Parameter:
    """A setting of an experiment of its own."""

    default: Any
    accepted: AcceptedValue
    about: str


@dataclass(frozen=True, slots=True)
class ExperimentOptions:
    """The options of running an experiment.

    `limit`: the number of questions, chosen by a hash; `seed`: of all that is drawn; `queries`, `filter_by`:
    as of `asof evaluate`. `parameters`: all of the experiment's own, defaults included. `config` names the
    language model. `encoder` encodes passages, or that of the name `built_in`, which is a setting of a corpus
    (`hashed`). `cache`: the folder of kept corpora.
    """

    limit: int | None = None
    seed: int = 0
    queries: str = ""
    filter_by: tuple[str, ...] = ()
    parameters: Mapping[str, Any] = field(default_factory=dict)
    config: Config = field(default_factory=Config)
    encoder: Encoder | None = None
    built_in: str = "none"
    cache: Path | None = None
    progress: Progress = no_progress

    def evaluation(self, settings: CorpusSettings | None = None, **more: Any) -> EvaluationOptions:
        """The same as options of an evaluation. `settings`: of the corpus (default: asof's own)."""
        return EvaluationOptions(
            self.queries, self.limit, filter_by=self.filter_by, seed=self.seed,
            settings=self.indexed(settings), **more,
        )  # fmt: skip

    def indexed(self, settings: CorpusSettings | None = None) -> CorpusSettings:
        """Settings of a corpus (default: asof's own) with the encoder; as they are where none is given."""
        settings = settings or CorpusSettings()
        name = ENCODERS[self.built_in] if self.encoder is None else self.encoder.name
        return replace(settings, encoder=name) if name else settings

    @property
    def given(self) -> dict[str, Any]:
        """The values that differ from the defaults, by the names of OPTIONS."""
        built_in = "" if self.built_in == "none" else self.built_in
        encoder = built_in if self.encoder is None else self.encoder.name
        values = (self.limit, self.queries, self.filter_by, encoder)
        return {name: value for name, value in zip(OPTIONS, values, strict=True) if value}


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of an experiment: our table, the number of questions, what a reader has to know about this
    run (`notes`), lines of the dataset that could not be used, and pictures."""

    table: ResultTable
    questions: int
    notes: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()
    pictures: tuple[Picture, ...] = ()


def cells_of(
    found: Evaluation, run: Run[QuestionResult], columns: Mapping[str, str], at: Sequence[int] | None = None
) -> Cells:
    """The cells of a run: for each column the metric that it shows, or LATENCY. `at`: the places of the
    questions that count (default: all)."""
    return {
        column: round(run.latency(50), 1) if metric == LATENCY else found.estimate(run, metric, at)
        for column, metric in columns.items()
    }


@dataclass(frozen=True, slots=True)
class Experiment:
    """A table or a figure of a paper, and how it is made here.

    `name`: the system and the place, "twe/4.3". `source`: the paper, section and table in words.
    `published`: the figures that are printed there. `reading`: how what the paper leaves open is read, and
    where the experiment differs from it, a sentence each. `data`: which dataset the paper used and which one
    fits here.

    `rows` gives recipes by label. `cells`: by column a metric of each row, or what gives the rows.
    `columns`: further columns of ours. `settings`: of the corpus. `notes`: on the run. `run` in place of all
    these makes the whole outcome.

    `parameters`: settings of its own, by name. `takes`: the options that it makes use of, of OPTIONS; others
    are refused.
    """

    name: str
    about: str
    source: str
    published: ResultTable = NO_TABLE
    reading: tuple[str, ...] = ()
    data: str = "a folder as of asof evaluate"
    rows: Callable[[ExperimentOptions], Mapping[str, Recipe]] | None = None
    cells: Mapping[str, str] | Callable[[Evaluation, ExperimentOptions], Rows] = field(default_factory=dict)
    columns: tuple[ResultColumn, ...] = ()
    settings: CorpusSettings | None = None
    notes: Callable[[Evaluation, ExperimentOptions], Sequence[str]] = lambda *_: ()
    run: Callable[[Experiment, Path, ExperimentOptions], Outcome] | None = None
    parameters: Mapping[str, Parameter] = field(default_factory=dict)
    takes: tuple[str, ...] = OPTIONS

    def outcome(
        self, rows: Rows, data: Dataset, questions: int, notes: Iterable[str] = (),
        pictures: tuple[Picture, ...] = (),
    ) -> Outcome:  # fmt: skip
        """Our table of some rows, with its picture: the columns of the paper, then those that rows fill."""
        printed, own = ({each.name: each for each in some} for some in (self.published.columns, self.columns))
        filled = {name for cells in rows.values() for name, cell in cells.items() if cell is not None}
        named = [column for name, column in own.items() if name in filled]
        every = (name for cells in rows.values() for name in cells if name not in {**printed, **own})
        further = map(ResultColumn, dict.fromkeys(every))
        table = ResultTable((*printed.values(), *named, *further), rows)
        caption = (
            f"{data.name}: {questions:,} questions. Intervals: 95%, bootstrap." if questions else data.name
        )
        if bars_of_table := beside(self.published, table):
            pictures = (*pictures, Picture(self.name.replace("/", "-"), bars_of_table, bars, caption))
        return Outcome(table, questions, tuple(notes), data.problems, pictures)


def measure(
    dataset: Path, recipes: Mapping[str, Recipe], options: ExperimentOptions,
    settings: CorpusSettings | None = None,
) -> Evaluation:  # fmt: skip
    """The evaluation of recipes, each named by its row. `settings`: of the corpus (default: asof's own).

    Raises UsageError for a dataset that cannot be evaluated.
    """
    return evaluate(
        dataset, [replace(recipe, name=label) for label, recipe in recipes.items()],
        options.evaluation(settings, metrics=("recall@1",)), encoder=options.encoder, cache=options.cache,
        progress=options.progress, compare=False,
    )  # fmt: skip


def vary(experiment: Experiment, dataset: Path, options: ExperimentOptions) -> Outcome:
    """Each row of an experiment on the same questions. Raises UsageError."""
    assert experiment.rows is not None, experiment.name  # noqa: S101
    recipes = experiment.rows(options)
    found, cells = measure(dataset, recipes, options, experiment.settings), experiment.cells
    if callable(cells):
        rows = cells(found, options)
    else:
        rows = {run.name: cells_of(found, run, cells) for run in found.runs}
    return experiment.outcome(
        rows, found.dataset, len(found.questions), (*experiment.notes(found, options), *found.notes)
    )  # fmt: skip


def changed(recipe: Recipe, values: Mapping[str, Any]) -> Recipe:
    """The recipe with other values of fields, and of numbers in their tables: `combine-2.weights.decay`.

    Raises UsageError for an unknown field, with the nearest name, or a value that is not accepted.
    """
    known = dict(recipe.fields())
    inside = {name: value for name, value in values.items() if name not in known and _inside(name, known)}
    for name, value in inside.items():
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if not number or not math.isfinite(value):
            raise UsageError(f"recipe {recipe.name}: {name} = {value!r}: a number is expected")
    recipe = recipe.replaced({name: value for name, value in values.items() if name not in inside})
    return with_values(recipe, inside) if inside else recipe


def varied(
    recipe: Recipe, rows: Mapping[str, Mapping[str, Any]]
) -> Callable[[ExperimentOptions], dict[str, Recipe]]:
    """Gives the recipe with other values of its fields, by the labels of rows."""
    return lambda _: {label: changed(recipe, values) for label, values in rows.items()}


def _inside(name: str, known: Mapping[str, Any]) -> bool:
    table, _, column = name.rpartition(".")
    pairs = known.get(table)
    return isinstance(pairs, tuple) and any(isinstance(each, tuple) and each[0] == column for each in pairs)


def beside(published: ResultTable, ours: ResultTable) -> list[dict[str, Any]]:
    """Both tables as rows of a figure: each number of ours with its interval, and that of the paper."""
    rows = []
    for column in ours.columns:
        for label, cells in ours.rows.items():
            cell = cells.get(column.name)
            if (value := number(cell)) is None:
                continue
            low, high = (cell.low, cell.high) if isinstance(cell, Estimate) else (value, value)
            rows.append(
                {
                    "column": column.name, "row": label, "ours": value, "low": low, "high": high,
                    "paper": number(published.cell(label, column.name)),
                }
            )  # fmt: skip
    return rows


# -- running ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ExperimentRun:
    """An experiment on a dataset, with its settings, and in which columns the shape of its table is that of
    the paper's. `drawn`: the paths of its pictures and their numbers."""

    experiment: Experiment
    dataset: str
    options: ExperimentOptions
    outcome: Outcome
    shapes: tuple[Shape, ...]
    drawn: tuple[Path, ...]


def run(
    experiment: Experiment, dataset: Path, options: ExperimentOptions, settings: Sequence[str] = (),
    figures: Path | None = None,
) -> ExperimentRun:  # fmt: skip
    """Run an experiment on the folder of a dataset.

    `settings`: `name=value` each, of its own parameters. `figures`: the folder for its pictures. Raises
    UsageError for settings or a dataset that it cannot use, ModelError, MissingExtra without matplotlib.
    """
    if figures is not None:
        ready(figures)
    if not dataset.is_dir():
        raise UsageError(f"{dataset} is no folder; {experiment.name} wants {experiment.data}")
    options = configured(experiment, options, settings)
    for name in options.given:
        if name not in experiment.takes:
            taken = ", ".join(map(option, experiment.takes)) or "none of these options"
            raise UsageError(f"{option(name)}: {experiment.name} makes no use of it; it takes {taken}")
    outcome = (experiment.run or vary)(experiment, dataset, options)
    drawn = [] if figures is None else [path for each in outcome.pictures for path in each.written(figures)]
    found = shapes(experiment.published, outcome.table)
    return ExperimentRun(experiment, dataset.resolve().name, options, outcome, tuple(found), tuple(drawn))


def option(name: str) -> str:
    """An option as it is typed.

    >>> option("filter_by")
    '--filter-by'
    """
    return f"--{name.replace('_', '-')}"


def configured(
    experiment: Experiment, options: ExperimentOptions, settings: Iterable[str] = ()
) -> ExperimentOptions:
    """The options with the parameters of an experiment. Raises UsageError."""
    own: dict[str, Any] = {}
    for each in settings:
        name, value = split(each)
        if name not in experiment.parameters:
            accepted = ", ".join(experiment.parameters) or "no settings of its own"
            raise UsageError(f"--set {name}: {experiment.name} has {accepted}")
        own[name] = parsed(value)
    try:
        check(own, {name: each.accepted for name, each in experiment.parameters.items()})
    except UsageError as error:
        raise UsageError(f"--set {error}") from error
    defaults = {name: each.default for name, each in experiment.parameters.items()}
    return replace(options, parameters={**defaults, **options.parameters, **own})


def parsed(text: str) -> Any:
    """A number, true or false, a list as JSON has them, or the text itself.

    >>> parsed("2.5"), parsed(".3"), parsed("[30, 60]"), parsed("true"), parsed("half")
    (2.5, 0.3, [30, 60], True, 'half')
    """
    try:
        return json.loads(f"0{text}" if text.startswith(".") else text)
    except (ValueError, RecursionError):
        return text


def split(text: str) -> tuple[str, str]:
    """The name and the value of `name=value`. Raises UsageError."""
    name, equals, value = text.partition("=")
    if not equals or not name.strip() or not value.strip():
        raise UsageError(f"--set {text[:80]!r}: name=value is expected, such as later=year=2024")
    return name.strip(), value.strip()
