"""What evaluations and experiments print as JSON, beside the values of other modules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from asof.documents import Problem
from asof.extensions.lab.answers import METRICS as ANSWER_METRICS
from asof.extensions.lab.answers import AnswerRuns, cost_of
from asof.extensions.lab.evaluation import Evaluation
from asof.extensions.lab.experiments import Cell, ExperimentRun, ResultColumn, ResultTable, Shape
from asof.extensions.lab.leakage import Leakage
from asof.extensions.lab.metrics import Comparison, Estimate
from asof.extensions.lab.runs import METRICS, Run, Runs
from asof.schema import plain
from asof.wire import NAN_IS_NULL, Decimals

Milliseconds = Annotated[float, Decimals(3)]
Score = Annotated[float, NAN_IS_NULL]
Means = Annotated[Mapping[str, Estimate | None], "by metric; null: it does not apply"]

# -- runs of rankings or of answers ------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class GroupResult:
    """The metrics of the questions of one type."""

    type: str
    questions: int
    metrics: Means
    latency_ms_p50: Annotated[Milliseconds, "as of all questions"]
    latency_ms_p95: Annotated[Milliseconds, "as of all questions"]


@dataclass(frozen=True, slots=True)
class RunResult:
    """The metrics of a recipe."""

    recipe: Annotated[str, "its name; the second of a name is called `name-2`"]
    fields: Annotated[dict[str, Any], "all numbers of the recipe"]
    metrics: Means
    groups: tuple[GroupResult, ...]
    latency_ms_p50: Annotated[Milliseconds, "of the first search, for ten hits, or of an answer"]
    latency_ms_p95: Annotated[Milliseconds, "of the first search, for ten hits, or of an answer"]
    cost: Annotated[Mapping[str, float] | None, "sums of what models took; null: none was asked"]

    @classmethod
    def of(
        cls, runs: Runs[Any], run: Run[Any], names: Sequence[str], cost: Mapping[str, float] | None = None
    ) -> RunResult:
        def metrics(at: Sequence[int] | None = None) -> dict[str, Estimate | None]:
            return {name: runs.estimate(run, name, at) for name in names}

        groups = tuple(
            GroupResult(kind, len(at), metrics(at), run.latency(50, at), run.latency(95, at))
            for kind, at in runs.types.items()
        )
        fields = {key: plain(value) for key, value in run.recipe.fields()}
        return cls(run.name, fields, metrics(), groups, run.latency(50), run.latency(95), cost)


# -- answers -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class AnswersResult:
    """The metrics of answers."""

    questions: int
    answerable: Annotated[int, "how many of them have an answer"]
    runs: tuple[RunResult, ...]
    comparisons: Sequence[Comparison]

    @classmethod
    def of(cls, results: AnswerRuns) -> AnswersResult:
        return cls(
            len(results.references), sum(reference.answerable for reference in results.references),
            tuple(RunResult.of(results, run, ANSWER_METRICS, cost_of(run)) for run in results.runs),
            results.comparisons,
        )  # fmt: skip


# -- evaluations ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class RunOptions:
    """All options of a run, so that it can be repeated."""

    queries: Annotated[Sequence[str], "files of questions"]
    limit: int | None
    filter_by: Sequence[str]
    seed: int
    chunking: str
    encoder: Annotated[str, "empty: words only"]
    languages: tuple[str, ...]
    stem: bool


@dataclass(frozen=True, slots=True)
class EvaluationResult:
    """The metrics of recipes on a dataset."""

    dataset: Annotated[str, "the name of its folder"]
    questions: Annotated[int, "how many were asked"]
    options: RunOptions
    runs: tuple[RunResult, ...]
    comparisons: Sequence[Comparison]
    leakage: Annotated[Leakage | None, "with `--leakage`; else null"]
    answers: Annotated[AnswersResult | None, "with `--answers`; else null"]
    notes: Annotated[Sequence[str], "questions that were left out, and other remarks"]
    problems: Annotated[Sequence[Problem], "lines that could not be used"]

    @classmethod
    def of(cls, evaluation: Evaluation) -> EvaluationResult:
        data, chosen, settings = evaluation.dataset, evaluation.options, evaluation.options.settings
        options = RunOptions(
            data.files, chosen.limit, chosen.filter_by, chosen.seed, settings.chunking, settings.encoder,
            settings.languages, settings.stem,
        )  # fmt: skip
        return cls(
            data.name, len(evaluation.questions), options,
            tuple(RunResult.of(evaluation, run, METRICS) for run in evaluation.runs), evaluation.comparisons,
            evaluation.leakage,
            None if evaluation.answers is None else AnswersResult.of(evaluation.answers),
            evaluation.notes, data.problems,
        )  # fmt: skip


# -- experiments ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Measured:
    """A figure of ours with its interval; both ends null: it has none."""

    value: float | int | str | None
    low: Annotated[float | None, "the least that it would be in 95 of 100 drawings of other questions"] = None
    high: Annotated[float | None, "the most"] = None

    @classmethod
    def of(cls, cell: Cell) -> Measured:
        return cls(cell.value, cell.low, cell.high) if isinstance(cell, Estimate) else cls(cell)


@dataclass(frozen=True, slots=True)
class TableRow:
    """A row of both tables."""

    label: str
    paper: Annotated[dict[str, float | int | str | None], "printed figures by column; null: none"]
    ours: dict[str, Measured]


@dataclass(frozen=True, slots=True)
class ExperimentResult:
    """A table of a paper beside ours."""

    experiment: str
    about: str
    source: str
    dataset: Annotated[str, "the name of its folder"]
    questions: int
    settings: Annotated[Mapping[str, Any], "parameters"]
    options: Annotated[dict[str, Any], "that were given, by name"]
    columns: list[ResultColumn]
    rows: list[TableRow]
    shapes: Sequence[Shape]
    reading: Annotated[Sequence[str], "how the paper is read, and where this differs from it"]
    notes: Annotated[Sequence[str], "on this run"]
    figures: Annotated[list[str], "paths of what was drawn"]
    problems: Annotated[Sequence[Problem], "lines of the dataset that could not be used"]

    @classmethod
    def of(cls, run: ExperimentRun) -> ExperimentResult:
        one, outcome = run.experiment, run.outcome
        published, ours = one.published, outcome.table
        columns = {each.name: each for each in (*published.columns, *ours.columns)}
        rows = [
            TableRow(
                label, {name: Measured.of(published.cell(label, name)).value for name in columns},
                {name: Measured.of(ours.cell(label, name)) for name in columns},
            )
            for label in labels(published, ours)
        ]  # fmt: skip
        return cls(
            one.name, one.about, one.source, run.dataset, outcome.questions, run.options.parameters,
            run.options.given, list(columns.values()), rows,
            run.shapes, one.reading, outcome.notes, [str(path) for path in run.drawn],
            outcome.problems,
        )  # fmt: skip


def labels(*tables: ResultTable) -> list[str]:
    """The rows of some tables: those of the first, then further ones."""
    return list(dict.fromkeys(label for table in tables for label in table.rows))
