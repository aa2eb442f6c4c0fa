"""What evaluations, experiments and tuning print as JSON, beside the values of other modules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from asof.extensions.lab.answers import ALL, AnswerRun, AnswerRuns, EvaluatedAnswer, JudgeUsage
from asof.extensions.lab.evaluation import Evaluation
from asof.extensions.lab.experiments import Cell, Experiment, ExperimentRun, ResultTable, Shape, option
from asof.extensions.lab.judge import JudgedElement
from asof.extensions.lab.leakage import Leakage
from asof.extensions.lab.metrics import Comparison, Estimate
from asof.extensions.lab.runs import METRICS, QuestionResult, Run, UsedConfiguration, groups
from asof.extensions.lab.tuning import TunedNumber, TuningOutcome
from asof.schema import plain
from asof.time.span import Instant
from asof.values import Problem
from asof.wire import NAN_IS_NULL, As, Decimals, Only, keys

Milliseconds = Annotated[float, Decimals(3)]
Score = Annotated[float, NAN_IS_NULL]

# -- answers -------------------------------------------------------------------------------------------

TYPE = "type"

AnswerMetrics = Annotated[Mapping[str, Estimate | None], keys(ALL), "null: a metric does not apply"]


@dataclass(frozen=True, slots=True)
class AnswerGroup:
    """The metrics of the answers to the questions with one value of a field."""

    field: Annotated[str, "`type`, and those of `--by`"]
    value: str
    questions: int
    answerable: int
    metrics: AnswerMetrics


@dataclass(frozen=True, slots=True)
class AnswerRunResult:
    """The answers by one recipe."""

    recipe: str
    metrics: AnswerMetrics
    latency_ms_p50: Annotated[Milliseconds, "of an answer"]
    latency_ms_p95: Annotated[Milliseconds, "of an answer"]
    cost: Annotated[Mapping[str, float] | None, "sums of what models took; null: none was asked"]
    groups: tuple[AnswerGroup, ...]

    @classmethod
    def of(cls, results: AnswerRuns, run: AnswerRun, by: Sequence[str]) -> AnswerRunResult:
        def metrics(at: Sequence[int] | None = None) -> dict[str, Estimate | None]:
            return {name: results.estimate(run, name, at) for name in ALL}

        grouped = tuple(
            AnswerGroup(field, value, len(at), sum(results.references[n].answerable for n in at), metrics(at))
            for field in fields(by)
            for value, at in groups(results.questions, field).items()
        )
        return cls(run.name, metrics(), run.latency(50), run.latency(95), run.cost, grouped)


@dataclass(frozen=True, slots=True)
class AnswerCitation:
    """A passage that an answer rests on."""

    n: Annotated[int, "its number in the answer, from 1"]
    id: Annotated[str, "the passage"]
    document: Annotated[str, "its document"]
    quote: Annotated[str, "the text that is quoted"]


@dataclass(frozen=True, slots=True)
class EvaluatedAnswerResult:
    """The answer of a recipe."""

    recipe: str
    as_of: Annotated[Instant, "the moment whose state of the documents was asked"]
    answer: str
    refused: bool
    reason: Annotated[str, 'why it was refused; "" else']
    mode: str
    by: Annotated[str, "`extractive`, or the name of the model"]
    citations: tuple[AnswerCitation, ...]
    metrics: Annotated[Mapping[str, Score], keys(ALL), "null: a metric does not apply"]
    judged: Annotated[Sequence[JudgedElement], "empty without a judge, and for a refusal"]
    latency_ms: Milliseconds
    notes: tuple[str, ...]

    @classmethod
    def of(cls, recipe: str, reply: EvaluatedAnswer) -> EvaluatedAnswerResult:
        answer = reply.answer
        citations = tuple(
            AnswerCitation(each.n, each.id, each.document, each.quote) for each in answer.citations
        )
        return cls(
            recipe, answer.as_of, answer.text, answer.refused, answer.reason, answer.mode, answer.by,
            citations, reply.scores, reply.judged, reply.latency_ms, answer.notes,
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class AnsweredQuestion:
    """A question and its answers."""

    query_id: str
    query: Annotated[str, "as it was asked"]
    type: str
    gold: Annotated[str, "the right answer"]
    answerable: bool
    runs: tuple[EvaluatedAnswerResult, ...]


@dataclass(frozen=True, slots=True)
class AnswersResult:
    """The metrics of answers."""

    questions: int
    answerable: Annotated[int, "how many of them have an answer"]
    judge: Annotated[JudgeUsage | None, "with `--judge`; else null"]
    runs: tuple[AnswerRunResult, ...]
    comparisons: Sequence[Comparison]
    per_query: Annotated[list[AnsweredQuestion], Only("per_query"), "only with `--per-query`"]

    @classmethod
    def of(cls, results: AnswerRuns, by: Sequence[str] = ()) -> AnswersResult:
        """The metrics of answers, also by type and by the fields `by`."""
        return cls(
            len(results.references), sum(reference.answerable for reference in results.references),
            results.judging, tuple(AnswerRunResult.of(results, run, by) for run in results.runs),
            results.comparisons, _answered(results),
        )  # fmt: skip


def _answered(results: AnswerRuns) -> list[AnsweredQuestion]:
    return [
        AnsweredQuestion(
            reference.question.id, reference.question.text, reference.question.type, reference.text,
            reference.answerable,
            tuple(EvaluatedAnswerResult.of(run.name, run.replies[number]) for run in results.runs),
        )
        for number, reference in enumerate(results.references)
    ]  # fmt: skip


def fields(by: Sequence[str]) -> list[str]:
    """The fields of questions by which metrics are broken down: the type and `by`."""
    return list(dict.fromkeys((TYPE, *by)))


# -- evaluations ---------------------------------------------------------------------------------------

FIRST = 10

RankingMetricsByName = Annotated[
    Mapping[str, Estimate | None], keys(METRICS), "by metric; null: it does not apply"
]
FirstSearch = Annotated[Milliseconds, "of the first search, for ten hits"]


@dataclass(frozen=True, slots=True)
class RunOptions:
    """All options of a run, so that it can be repeated."""

    queries: Annotated[Sequence[str], "files of questions"]
    limit: int | None
    without: Annotated[Sequence[str], "fields of documents that were blanked"]
    filter_by: Sequence[str]
    seed: int
    chunking: str
    encoder: Annotated[str, "empty: words only"]
    languages: tuple[str, ...]
    stem: bool
    fields: Annotated[dict[str, Any], "all numbers of the recipe"]


@dataclass(frozen=True, slots=True)
class RankingGroup:
    """The metrics of the questions with one value of a field."""

    field: Annotated[str, "of `--by`"]
    value: str
    questions: int
    metrics: RankingMetricsByName
    latency_ms_p50: FirstSearch
    latency_ms_p95: FirstSearch


@dataclass(frozen=True, slots=True)
class RunResult:
    """The metrics of a recipe."""

    recipe: Annotated[str, "its name; the second of a name is called `name-2`"]
    options: RunOptions
    metrics: RankingMetricsByName
    groups: tuple[RankingGroup, ...]
    latency_ms_p50: FirstSearch
    latency_ms_p95: FirstSearch
    memory_mb: Annotated[
        float | None, Decimals(1), "how far the process grew at its height; null: not measured"
    ]
    scored: Annotated[int, "how many questions"]

    @classmethod
    def of(cls, evaluation: Evaluation, run: Run) -> RunResult:
        def metrics(at: Sequence[int] | None = None) -> dict[str, Estimate | None]:
            return {name: evaluation.estimate(run, name, at) for name in METRICS}

        chosen = evaluation.options
        settings = chosen.settings
        options = RunOptions(
            evaluation.dataset.files, chosen.limit, chosen.without, chosen.filter_by, chosen.seed,
            settings.chunking, settings.encoder, settings.languages, settings.stem,
            {key: plain(value) for key, value in run.recipe.fields()},
        )  # fmt: skip
        grouped = tuple(
            RankingGroup(field, value, len(at), metrics(at), run.latency(50, at), run.latency(95, at))
            for field in chosen.by
            for value, at in groups(evaluation.questions, field).items()
        )
        return cls(
            run.name, options, metrics(), grouped, run.latency(50), run.latency(95), run.memory_mb,
            len(run.results),
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class ConfigurationResult:
    """The source of the numbers of recipes."""

    files: Annotated[list[str], "of asof.toml and the user's own; none: as published"]
    changed: Annotated[
        Mapping[str, Mapping[str, Any]], "by recipe: its fields with other values than published"
    ]

    @classmethod
    def of(cls, used: UsedConfiguration) -> ConfigurationResult:
        return cls([str(path) for path in used.files], used.changed)


@dataclass(frozen=True, slots=True)
class RankedDocuments:
    """The ranking of a recipe for a question."""

    recipe: str
    metrics: Annotated[Mapping[str, Score], keys(METRICS), "null: a metric does not apply"]
    latency_ms: Milliseconds
    first: Annotated[list[str], "ten documents, best first"]

    @classmethod
    def of(cls, recipe: str, one: QuestionResult) -> RankedDocuments:
        first = [document for document, _ in one.ranking[:FIRST]]
        return cls(recipe, one.scores, one.latency_ms, first)


@dataclass(frozen=True, slots=True)
class RankedQuestion:
    """A question and its rankings."""

    query_id: str
    query: Annotated[str, "as it was asked"]
    type: str
    as_of: Annotated[Instant, "the moment whose state of the documents was asked"]
    runs: tuple[RankedDocuments, ...]


@dataclass(frozen=True, slots=True)
class EvaluationResult:
    """The metrics of recipes on a dataset."""

    dataset: Annotated[str, "the name of its folder"]
    configuration: Annotated[ConfigurationResult | None, "null: recipes were given as values"]
    runs: tuple[RunResult, ...]
    comparisons: Sequence[Comparison]
    leakage: Annotated[Leakage | None, "with `--leakage`; else null"]
    answers: Annotated[AnswersResult | None, "with `--answers`; else null"]
    notes: Annotated[Sequence[str], "questions that were left out, and other remarks"]
    problems: Annotated[Sequence[Problem], "lines that could not be used"]
    per_query: Annotated[list[RankedQuestion], Only("per_query"), "only with `--per-query`"]

    @classmethod
    def of(cls, evaluation: Evaluation) -> EvaluationResult:
        used, answers = evaluation.configuration, evaluation.answers
        return cls(
            evaluation.dataset.name, None if used is None else ConfigurationResult.of(used),
            tuple(RunResult.of(evaluation, run) for run in evaluation.runs), evaluation.comparisons,
            evaluation.leakage,
            None if answers is None else AnswersResult.of(answers, evaluation.options.by),
            evaluation.notes, evaluation.dataset.problems, _ranked(evaluation),
        )  # fmt: skip


def _ranked(evaluation: Evaluation) -> list[RankedQuestion]:
    return [
        RankedQuestion(
            question.id, question.text, question.type, evaluation.dataset.as_of(question),
            tuple(RankedDocuments.of(run.name, run.results[number]) for run in evaluation.runs),
        )
        for number, question in enumerate(evaluation.questions)
    ]  # fmt: skip


# -- experiments ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ListedParameter:
    """A setting of an experiment of its own."""

    name: str
    default: Any
    accepted: Annotated[str, "in words"]
    about: str


@dataclass(frozen=True, slots=True)
class ListedExperiment:
    """An experiment of a paper."""

    name: Annotated[str, "the system and the place: twe/4.3"]
    about: str
    source: Annotated[str, "the paper, section and table"]
    data: Annotated[str, "which dataset the paper used, and which one fits"]
    recipe: Annotated[str | None, "whose fields --set changes; null: none"]
    varies: Annotated[Sequence[str], "fields, or stages with a dot behind, that it sets itself: --set cannot"]
    takes: Annotated[list[str], "options that it makes use of; others are refused"]
    parameters: list[ListedParameter]

    @classmethod
    def of(cls, one: Experiment) -> ListedExperiment:
        parameters = [
            ListedParameter(name, each.default, each.accepted.words, each.about)
            for name, each in one.parameters.items()
        ]
        recipe = None if one.recipe is None else one.recipe.name
        takes = [option(name) for name in one.takes]
        return cls(one.name, one.about, one.source, one.data, recipe, one.varies, takes, parameters)


@dataclass(frozen=True, slots=True)
class ExperimentList:
    """All experiments."""

    experiments: list[ListedExperiment]

    @classmethod
    def of(cls, experiments: Sequence[Experiment]) -> ExperimentList:
        return cls([ListedExperiment.of(each) for each in experiments])


@dataclass(frozen=True, slots=True)
class TableColumn:
    """A column of both tables."""

    name: str
    better: Annotated[str, "which end is better: `high`, `low`, or neither"]


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
class UsedOptions:
    """The options of a run, besides its settings."""

    limit: Annotated[int | None, "questions at most; null: all"]
    seed: Annotated[int, "of all that is drawn"]
    queries: Annotated[str, "the file of questions"]
    filter_by: Sequence[str]
    encoder: str


@dataclass(frozen=True, slots=True)
class ExperimentResult:
    """A table of a paper beside ours."""

    experiment: str
    about: str
    source: str
    dataset: Annotated[str, "the name of its folder"]
    questions: int
    settings: Annotated[dict[str, Any], "parameters, and fields that were set"]
    options: UsedOptions
    columns: list[TableColumn]
    rows: list[TableRow]
    shapes: Sequence[Shape]
    reading: Annotated[Sequence[str], "how the paper is read, and where this differs from it"]
    notes: Annotated[Sequence[str], "on this run"]
    each: Annotated[
        Sequence[Mapping[str, Any]], Only("per_query"),
        "only with `--per-query`: a row for each question (or part of one), where the paper looks at them",
    ]  # fmt: skip
    figures: Annotated[list[str], "paths of what was drawn"]
    problems: Annotated[Sequence[Problem], "lines of the dataset that could not be used"]

    @classmethod
    def of(cls, run: ExperimentRun) -> ExperimentResult:
        one, outcome, options = run.experiment, run.outcome, run.options
        published, ours = one.published, outcome.table
        columns = {each.name: each for each in (*published.columns, *ours.columns)}
        rows = [
            TableRow(
                label, {name: _printed(published.cell(label, name)) for name in columns},
                {name: Measured.of(ours.cell(label, name)) for name in columns},
            )
            for label in labels(published, ours)
        ]  # fmt: skip
        return cls(
            one.name, one.about, one.source, run.dataset, outcome.questions,
            {**options.parameters, **options.fields},
            UsedOptions(
                options.limit, options.seed, options.queries, options.filter_by, options.encoder_name
            ),
            [TableColumn(each.name, each.better) for each in columns.values()], rows, run.shapes,
            one.reading, outcome.notes, outcome.each, [str(path) for path in run.drawn], outcome.problems,
        )  # fmt: skip


def labels(published: ResultTable, ours: ResultTable) -> list[str]:
    """The rows of both tables: the paper's, then further ones of ours."""
    return list(dict.fromkeys(label for table in (published, ours) for label in table.rows))


def _printed(cell: Cell) -> float | int | str | None:
    return cell.value if isinstance(cell, Estimate) else cell


# -- tuning --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PairedDifference:
    """A difference of two means, paired."""

    value: float
    low: Annotated[float, "the least that the mean would be in 95 of 100 drawings of other questions"]
    high: Annotated[float, "the most"]
    p: Annotated[float, "how often chance alone makes it as large"]


@dataclass(frozen=True, slots=True)
class TuneResult:
    """The outcome of tuning."""

    dataset: str
    recipe: str
    metric: Annotated[str, "`ndcg@10`"]
    questions: int
    folds: Annotated[int, "parts of the questions, each held out once"]
    start: Annotated[float, "the metric before"]
    fitted: Annotated[float, "the metric after, on the questions that were fitted to"]
    held_out: Annotated[float, "the metric of each question with the values fitted to the other folds"]
    difference: Annotated[PairedDifference, "`held_out` less `start`"]
    gain: Annotated[bool, "whether that is a gain, beyond chance"]
    lines: Annotated[str, 'lines for asof.toml; `""`: no gain']
    numbers: Annotated[tuple[TunedNumber, ...], As("fields")]
    method: Annotated[str, "how settings were tried"]
    trials: Annotated[int, "settings that were tried"]
    notes: tuple[str, ...]
    took_ms: Annotated[float, Decimals(1)]

    @classmethod
    def of(cls, outcome: TuningOutcome) -> TuneResult:
        gain = outcome.comparison
        return cls(
            outcome.dataset, outcome.recipe.name, gain.metric, outcome.questions, outcome.folds,
            outcome.start, outcome.fitted, outcome.held_out,
            PairedDifference(gain.difference, gain.low, gain.high, gain.p), outcome.gain, outcome.lines,
            outcome.numbers, outcome.how, outcome.trials, outcome.notes, 1000 * outcome.seconds,
        )  # fmt: skip
