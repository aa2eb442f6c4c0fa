"""Experiments as the documented JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, NotRequired, TypedDict

from asof.data.json import ProblemJson, one_of, problem_json
from asof.evaluate.experiment import Cell, Experiment, ExperimentRun, Table, option
from asof.evaluate.runs.compare import Estimate


class ParameterJson(TypedDict):
    """A setting of an experiment of its own."""

    name: str
    default: Any
    accepted: Annotated[str, "in words"]
    about: str


class ListedExperimentJson(TypedDict):
    """An experiment of a paper."""

    name: Annotated[str, "the system and the place: twe/4.3"]
    about: str
    source: Annotated[str, "the paper, section and table"]
    data: Annotated[str, "which dataset the paper used, and which one fits"]
    recipe: Annotated[str | None, "whose fields --set changes; null: none"]
    varies: Annotated[list[str], "fields, or stages with a dot behind, that it sets itself: --set cannot"]
    takes: Annotated[list[str], "options that it makes use of; others are refused"]
    parameters: list[ParameterJson]


class ExperimentsJson(TypedDict):
    """All experiments."""

    experiments: list[ListedExperimentJson]


class TableColumnJson(TypedDict):
    """A column of both tables."""

    name: str
    better: Annotated[str, one_of("high", "low", ""), "which end is better"]


class MeasuredJson(TypedDict):
    """A figure of ours with its interval; both ends null: it has none."""

    value: float | int | str | None
    low: Annotated[float | None, "the least that it would be in 95 of 100 drawings of other questions"]
    high: Annotated[float | None, "the most"]


class TableRowJson(TypedDict):
    """A row of both tables."""

    label: str
    paper: Annotated[dict[str, float | int | str | None], "printed figures by column; null: none"]
    ours: dict[str, MeasuredJson]


class ShapeJson(TypedDict):
    """Whether a column has the shape of the paper's."""

    column: str
    best_paper: Annotated[str, "the row that is best in the paper"]
    best_ours: Annotated[str, "the row that is best here"]
    pairs: Annotated[int, "pairs of rows that differ in the paper"]
    agreeing: Annotated[int, "how many of them have the same order here"]


class ExperimentOptionsJson(TypedDict):
    """The options of a run, besides its settings."""

    limit: Annotated[int | None, "questions at most; null: all"]
    seed: Annotated[int, "of all that is drawn"]
    queries: Annotated[str, "the file of questions"]
    filter_by: list[str]
    encoder: str


class ExperimentJson(TypedDict):
    """A table of a paper beside ours."""

    experiment: str
    about: str
    source: str
    dataset: Annotated[str, "the name of its folder"]
    questions: int
    settings: Annotated[dict[str, Any], "parameters, and fields that were set"]
    options: ExperimentOptionsJson
    columns: list[TableColumnJson]
    rows: list[TableRowJson]
    shapes: list[ShapeJson]
    reading: Annotated[list[str], "how the paper is read, and where this differs from it"]
    notes: Annotated[list[str], "on this run"]
    each: Annotated[
        NotRequired[list[dict[str, Any]]],
        "only with `--per-query`: a row for each question (or part of one), where the paper looks at them",
    ]
    figures: Annotated[list[str], "paths of what was drawn"]
    problems: Annotated[list[ProblemJson], "lines of the dataset that could not be used"]


def experiments_json(experiments: Sequence[Experiment]) -> ExperimentsJson:
    """The JSON of `asof experiments`."""
    return {"experiments": [_listed(each) for each in experiments]}


def _listed(experiment: Experiment) -> ListedExperimentJson:
    return {
        "name": experiment.name, "about": experiment.about, "source": experiment.source,
        "data": experiment.data,
        "recipe": None if experiment.recipe is None else experiment.recipe.name,
        "varies": list(experiment.varies),
        "takes": [option(name) for name in experiment.takes],
        "parameters": [
            {"name": name, "default": each.default, "accepted": each.accepted.words, "about": each.about}
            for name, each in experiment.parameters.items()
        ],
    }  # fmt: skip


def experiment_json(run: ExperimentRun, *, per_query: bool = False) -> ExperimentJson:
    """The JSON of `asof experiment`; `per_query` adds the rows of single questions."""
    experiment, outcome, options = run.experiment, run.outcome, run.options
    published, ours = experiment.published, outcome.table
    columns = {each.name: each for each in (*published.columns, *ours.columns)}
    value: ExperimentJson = {
        "experiment": experiment.name,
        "about": experiment.about,
        "source": experiment.source,
        "dataset": run.dataset,
        "questions": outcome.questions,
        "settings": {**options.parameters, **options.fields},
        "options": {
            "limit": options.limit, "seed": options.seed, "queries": options.queries,
            "filter_by": list(options.filter_by), "encoder": options.encoder_name,
        },
        "columns": [{"name": each.name, "better": each.better} for each in columns.values()],
        "rows": [_row(label, published, ours, list(columns)) for label in labels(published, ours)],
        "shapes": [
            {
                "column": each.column, "best_paper": each.best_published, "best_ours": each.best_ours,
                "pairs": each.pairs, "agreeing": each.agreeing,
            }
            for each in run.shapes
        ],
        "reading": list(experiment.reading),
        "notes": list(outcome.notes),
        "figures": [str(path) for path in run.drawn],
        "problems": [problem_json(each) for each in outcome.problems],
    }  # fmt: skip
    if per_query:
        value["each"] = [dict(row) for row in outcome.each]
    return value


def labels(published: Table, ours: Table) -> list[str]:
    """The rows of both tables: the paper's, then further ones of ours."""
    return list(dict.fromkeys(row.label for table in (published, ours) for row in table.rows))


def _row(label: str, published: Table, ours: Table, columns: Sequence[str]) -> TableRowJson:
    return {
        "label": label,
        "paper": {name: _printed(published.cell(label, name)) for name in columns},
        "ours": {name: _measured(ours.cell(label, name)) for name in columns},
    }


def _printed(cell: Cell) -> float | int | str | None:
    return cell.value if isinstance(cell, Estimate) else cell


def _measured(cell: Cell) -> MeasuredJson:
    if isinstance(cell, Estimate):
        return {"value": cell.value, "low": cell.low, "high": cell.high}
    return {"value": cell, "low": None, "high": None}
