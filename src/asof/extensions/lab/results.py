"""The JSON of evaluations, experiments and tuning."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, NotRequired, TypedDict

from asof.extensions.lab.answers import ALL, AnswerRun, AnswerRuns, EvaluatedAnswer, JudgeUsage
from asof.extensions.lab.evaluation import Evaluation
from asof.extensions.lab.experiments import Cell, Experiment, ExperimentRun, Table, option
from asof.extensions.lab.leakage import Leakage
from asof.extensions.lab.metrics import Comparison, Estimate
from asof.extensions.lab.runs import METRICS, QuestionResult, Run, UsedConfiguration, groups
from asof.schema import plain
from asof.time.span import iso
from asof.wire import Instant, ProblemJson, keys, one_of, problem_json

if TYPE_CHECKING:
    from asof.extensions.lab.tuning import TunedNumber, TuningOutcome


# -- answers, and the figures that all evaluations share -------------------------------------------


TYPE = "type"


class EstimateJson(TypedDict):
    """A mean over questions."""

    value: float
    low: Annotated[float, "the least that the mean would be in 95 of 100 drawings of other questions"]
    high: Annotated[float, "the most"]


class ComparisonJson(TypedDict):
    """A metric of two recipes, paired."""

    a: Annotated[str, "a recipe"]
    b: Annotated[str, "another recipe"]
    metric: str
    difference: Annotated[float, "a - b"]
    p: Annotated[float, "how often chance alone makes it as large"]
    low: Annotated[float, "the least that it would be in 95 of 100 drawings of other questions"]
    high: Annotated[float, "the most"]


class PreferenceJson(TypedDict):
    """Counts of a judge's preferences between two answers to abstract questions."""

    a: Annotated[str, "a recipe"]
    b: Annotated[str, "another recipe"]
    dimension: Annotated[str, "the criterion of the judge"]
    a_better: int
    b_better: int
    ties: int
    unusable: Annotated[int, "pairs without a judgement"]


class PreferenceReasonJson(TypedDict):
    """Why a judge preferred one of two answers to a question."""

    query_id: str
    a: Annotated[str, "a recipe"]
    b: Annotated[str, "another recipe"]
    dimension: Annotated[str, "the criterion of the judge"]
    better: Annotated[str, "`a`, `b` or `tie`"]
    reasons: Annotated[list[str], "what it said with the answer of `a` first, and with that of `b` first"]


class JudgeJson(TypedDict):
    """The work of a model as judge."""

    judge: Annotated[str, "the name of the model"]
    calls: int
    prompt_tokens: int
    reply_tokens: int
    preferred: list[PreferenceJson]
    unusable_replies: Annotated[list[str], "why they were of no use"]
    reasons: Annotated[NotRequired[list[PreferenceReasonJson]], "only with `--per-query`"]


AnswerMetrics = Annotated[dict[str, EstimateJson | None], keys(ALL), "null: a metric does not apply"]


class AnswerGroupJson(TypedDict):
    """The metrics of the questions with one value of a field."""

    field: Annotated[str, "`type`, and those of `--by`"]
    value: str
    questions: int
    answerable: int
    metrics: AnswerMetrics


class AnswerRunJson(TypedDict):
    """The answers by one recipe."""

    recipe: str
    metrics: AnswerMetrics
    latency_ms_p50: Annotated[float, "of an answer"]
    latency_ms_p95: Annotated[float, "of an answer"]
    cost: Annotated[dict[str, float] | None, "sums of what models took; null: none was asked"]
    groups: list[AnswerGroupJson]


class AnswerCitationJson(TypedDict):
    """A passage that an answer rests on."""

    n: Annotated[int, "its number in the answer, from 1"]
    id: Annotated[str, "the passage"]
    document: Annotated[str, "its document"]
    quote: Annotated[str, "the text that is quoted"]


class JudgedElementJson(TypedDict):
    """A part of a right answer (of the answer itself, where there is none), as judged."""

    element: str
    verdict: Annotated[str, "`correct`, `refusal` or `incorrect`"]
    explanation: Annotated[str, "the reason that the judge gave"]


class EvaluatedAnswerJson(TypedDict):
    """The answer of a recipe."""

    recipe: str
    as_of: Annotated[Instant, "the moment whose state of the documents was asked"]
    answer: str
    refused: bool
    reason: Annotated[str, 'why it was refused; "" else']
    mode: str
    by: Annotated[str, "`extractive`, or the name of the model"]
    citations: list[AnswerCitationJson]
    metrics: Annotated[dict[str, float | None], keys(ALL), "null: a metric does not apply"]
    judged: Annotated[list[JudgedElementJson], "empty without a judge, and for a refusal"]
    latency_ms: float
    notes: list[str]


class AnsweredQuestionJson(TypedDict):
    """A question and its answers."""

    query_id: str
    query: Annotated[str, "as it was asked"]
    type: str
    gold: Annotated[str, "the right answer"]
    answerable: bool
    runs: list[EvaluatedAnswerJson]


class AnswersJson(TypedDict):
    """The metrics of answers."""

    questions: int
    answerable: Annotated[int, "how many of them have an answer"]
    judge: Annotated[JudgeJson | None, "with `--judge`; else null"]
    runs: list[AnswerRunJson]
    comparisons: list[ComparisonJson]
    per_query: Annotated[NotRequired[list[AnsweredQuestionJson]], "only with `--per-query`"]


def answers_json(results: AnswerRuns, by: Sequence[str] = (), *, per_query: bool = False) -> AnswersJson:
    """The metrics of answers, also by type and by the fields `by`; `per_query` adds the answers."""
    value: AnswersJson = {
        "questions": len(results.references),
        "answerable": sum(reference.answerable for reference in results.references),
        "judge": None if results.judging is None else _judge_json(results.judging, per_query=per_query),
        "runs": [
            {
                "recipe": run.name,
                "metrics": metrics(results, run),
                "latency_ms_p50": round(run.latency(50), 3),
                "latency_ms_p95": round(run.latency(95), 3),
                "cost": run.cost,
                "groups": [group for field in fields(by) for group in grouped(results, run, field)],
            }
            for run in results.runs
        ],
        "comparisons": [comparison_json(each) for each in results.comparisons],
    }
    if per_query:
        value["per_query"] = questions(results)
    return value


def fields(by: Sequence[str]) -> list[str]:
    """The fields of questions by which metrics are broken down: the type and `by`."""
    return list(dict.fromkeys((TYPE, *by)))


def metrics(
    results: AnswerRuns, run: AnswerRun, at: Sequence[int] | None = None
) -> dict[str, EstimateJson | None]:
    """Means with intervals, None where a metric does not apply."""
    return {name: optional_estimate_json(results.estimate(run, name, at)) for name in ALL}


def estimate_json(mean: Estimate) -> EstimateJson:
    return {"value": mean.value, "low": mean.low, "high": mean.high}


def optional_estimate_json(mean: Estimate | None) -> EstimateJson | None:
    return None if mean is None else estimate_json(mean)


def comparison_json(pair: Comparison) -> ComparisonJson:
    return {
        "a": pair.a, "b": pair.b, "metric": pair.metric, "difference": pair.difference, "p": pair.p,
        "low": pair.low, "high": pair.high,
    }  # fmt: skip


def _judge_json(usage: JudgeUsage, *, per_query: bool) -> JudgeJson:
    value: JudgeJson = {
        "judge": usage.judge, "calls": usage.calls, "prompt_tokens": usage.prompt_tokens,
        "reply_tokens": usage.reply_tokens,
        "preferred": [
            {
                "a": each.a, "b": each.b, "dimension": each.dimension, "a_better": each.a_better,
                "b_better": each.b_better, "ties": each.ties, "unusable": each.unusable,
            }
            for each in usage.preferred
        ],
        "unusable_replies": list(usage.problems),
    }  # fmt: skip
    if per_query:
        value["reasons"] = [
            {
                "query_id": each.question, "a": each.a, "b": each.b, "dimension": each.dimension,
                "better": each.better, "reasons": list(each.reasons),
            }
            for each in usage.reasons
        ]  # fmt: skip
    return value


def numbers(scores: Mapping[str, float]) -> dict[str, float | None]:
    """The metrics of one question, None where one does not apply."""
    return {name: None if math.isnan(value) else value for name, value in scores.items()}


def grouped(results: AnswerRuns, run: AnswerRun, field: str) -> list[AnswerGroupJson]:
    """The metrics of the questions of each value of a field."""
    return [
        {
            "field": field, "value": value, "questions": len(at),
            "answerable": sum(results.references[n].answerable for n in at),
            "metrics": metrics(results, run, at),
        }
        for value, at in groups(results.questions, field).items()
    ]  # fmt: skip


def questions(results: AnswerRuns) -> list[AnsweredQuestionJson]:
    """Each question with its answers."""
    return [
        {
            "query_id": reference.question.id, "query": reference.question.text,
            "type": reference.question.type,
            "gold": reference.text, "answerable": reference.answerable,
            "runs": [_reply(run.name, run.replies[number]) for run in results.runs],
        }
        for number, reference in enumerate(results.references)
    ]  # fmt: skip


def _reply(recipe: str, reply: EvaluatedAnswer) -> EvaluatedAnswerJson:
    answer = reply.answer
    return {
        "recipe": recipe, "as_of": iso(answer.as_of), "answer": answer.text, "refused": answer.refused,
        "reason": answer.reason, "mode": answer.mode, "by": answer.by,
        "citations": [
            {"n": each.n, "id": each.id, "document": each.document, "quote": each.quote}
            for each in answer.citations
        ],
        "metrics": numbers(reply.scores),
        "judged": [
            {"element": each.element, "verdict": each.verdict, "explanation": each.explanation}
            for each in reply.judged
        ],
        "latency_ms": round(reply.latency_ms, 3), "notes": list(answer.notes),
    }  # fmt: skip


# -- evaluations -----------------------------------------------------------------------------------


FIRST = 10


class RunOptionsJson(TypedDict):
    """All options of a run, so that it can be repeated."""

    queries: Annotated[list[str], "files of questions"]
    limit: int | None
    without: Annotated[list[str], "fields of documents that were blanked"]
    filter_by: list[str]
    seed: int
    chunking: str
    encoder: Annotated[str, "empty: words only"]
    languages: list[str]
    stem: bool
    fields: Annotated[dict[str, Any], "all numbers of the recipe"]


RankingMetrics = Annotated[
    dict[str, EstimateJson | None], keys(METRICS), "by metric; null: it does not apply",
]  # fmt: skip


class RankingGroupJson(TypedDict):
    """The metrics of the questions with one value of a field."""

    field: Annotated[str, "of `--by`"]
    value: str
    questions: int
    metrics: RankingMetrics
    latency_ms_p50: Annotated[float, "of the first search, for ten hits"]
    latency_ms_p95: Annotated[float, "of the first search, for ten hits"]


class UsedConfigurationJson(TypedDict):
    """The source of the numbers of recipes."""

    files: Annotated[list[str], "of asof.toml and the user's own; none: as published"]
    changed: Annotated[dict[str, dict[str, Any]], "by recipe: its fields with other values than published"]


class RunJson(TypedDict):
    """The metrics of a recipe."""

    recipe: Annotated[str, "its name; the second of a name is called `name-2`"]
    options: RunOptionsJson
    metrics: RankingMetrics
    groups: list[RankingGroupJson]
    latency_ms_p50: Annotated[float, "of the first search, for ten hits"]
    latency_ms_p95: Annotated[float, "of the first search, for ten hits"]
    memory_mb: Annotated[float | None, "how far the process grew at its height; null: not measured"]
    scored: Annotated[int, "how many questions"]


class ComparedJson(TypedDict):
    """The numbers of facts, names, reports and answers that were compared."""

    moments: int
    facts: int
    names: int
    reports: int
    answers: int


class LeakedResultJson(TypedDict):
    """The first difference between the whole corpus and the one that was cut."""

    query_id: Annotated[str, 'the question; "" where none was asked']
    as_of: Annotated[Instant, "where it was cut"]
    recipe: Annotated[str, '"" where no question was asked']
    rank: int
    what: Annotated[
        str,
        one_of("hits", "score", "why", "superseded", "facts", "names", "reports", "answer"),
        "that differs",
    ]
    whole: Annotated[str | float | None, "by the whole corpus"]
    cut: Annotated[str | float | None, "by the cut one"]


class LeakageJson(TypedDict):
    """Leaks from later, found in corpora that are cut where questions were asked."""

    queries: Annotated[int, "how many questions were asked twice"]
    moments: Annotated[int, "how many cut corpora"]
    clean: bool
    known: ComparedJson
    differences: list[LeakedResultJson]


class RankedJson(TypedDict):
    """The ranking of a recipe for a question."""

    recipe: str
    metrics: Annotated[dict[str, float | None], keys(METRICS), "null: a metric does not apply"]
    latency_ms: float
    first: Annotated[list[str], "ten documents, best first"]


class RankedQuestionJson(TypedDict):
    """A question and its rankings."""

    query_id: str
    query: Annotated[str, "as it was asked"]
    type: str
    as_of: Annotated[Instant, "the moment whose state of the documents was asked"]
    runs: list[RankedJson]


class EvaluationJson(TypedDict):
    """The metrics of recipes on a dataset."""

    dataset: Annotated[str, "the name of its folder"]
    configuration: Annotated[UsedConfigurationJson | None, "null: recipes were given as values"]
    runs: list[RunJson]
    comparisons: list[ComparisonJson]
    leakage: Annotated[LeakageJson | None, "with `--leakage`; else null"]
    answers: Annotated[AnswersJson | None, "with `--answers`; else null"]
    notes: Annotated[list[str], "questions that were left out, and other remarks"]
    problems: Annotated[list[ProblemJson], "lines that could not be used"]
    per_query: Annotated[NotRequired[list[RankedQuestionJson]], "only with `--per-query`"]


def evaluation_json(evaluation: Evaluation, *, per_query: bool = False) -> EvaluationJson:
    """The JSON of `asof evaluate`; `per_query` adds the results of each question."""
    value: EvaluationJson = {
        "dataset": evaluation.dataset.name,
        "configuration": configuration_json(evaluation.configuration),
        "runs": [_run_json(evaluation, run) for run in evaluation.runs],
        "comparisons": [comparison_json(each) for each in evaluation.comparisons],
        "leakage": None if evaluation.leakage is None else leakage(evaluation.leakage),
        "answers": answers(evaluation, per_query=per_query),
        "notes": list(evaluation.notes),
        "problems": [problem_json(each) for each in evaluation.dataset.problems],
    }
    if per_query:
        value["per_query"] = questions_json(evaluation)
    return value


def configuration_json(used: UsedConfiguration | None) -> UsedConfigurationJson | None:
    """The source of the numbers of recipes."""
    if used is None:
        return None
    changed = {name: dict(values) for name, values in used.changed.items()}
    return {"files": [str(path) for path in used.files], "changed": changed}


def _run_json(evaluation: Evaluation, run: Run) -> RunJson:
    return {
        "recipe": run.name,
        "options": options(evaluation, run),
        "metrics": _metrics(evaluation, run),
        "groups": [
            {
                "field": field,
                "value": value,
                "questions": len(at),
                "metrics": _metrics(evaluation, run, at),
                "latency_ms_p50": round(run.latency(50, at), 3),
                "latency_ms_p95": round(run.latency(95, at), 3),
            }
            for field in evaluation.options.by
            for value, at in groups(evaluation.questions, field).items()
        ],
        "latency_ms_p50": round(run.latency(50), 3),
        "latency_ms_p95": round(run.latency(95), 3),
        "memory_mb": None if run.memory_mb is None else round(run.memory_mb, 1),
        "scored": len(run.results),
    }


def _metrics(
    evaluation: Evaluation, run: Run, at: Sequence[int] | None = None
) -> dict[str, EstimateJson | None]:
    return {name: optional_estimate_json(evaluation.estimate(run, name, at)) for name in METRICS}


def options(evaluation: Evaluation, run: Run) -> RunOptionsJson:
    """All options of a run, so that it can be repeated."""
    chosen = evaluation.options
    settings = chosen.settings
    return {
        "queries": list(evaluation.dataset.files), "limit": chosen.limit, "without": list(chosen.without),
        "filter_by": list(chosen.filter_by), "seed": chosen.seed, "chunking": settings.chunking,
        "encoder": settings.encoder, "languages": list(settings.languages), "stem": settings.stem,
        "fields": {key: plain(value) for key, value in run.recipe.fields()},
    }  # fmt: skip


def answers(evaluation: Evaluation, *, per_query: bool) -> AnswersJson | None:
    """The metrics of answers; None without `--answers`."""
    runs = evaluation.answers
    return None if runs is None else answers_json(runs, evaluation.options.by, per_query=per_query)


def leakage(check: Leakage) -> LeakageJson:
    return {
        "queries": check.questions, "moments": check.moments, "clean": check.clean,
        "known": {
            "moments": check.known.moments, "facts": check.known.facts, "names": check.known.names,
            "reports": check.known.reports, "answers": check.known.answers,
        },
        "differences": [
            {
                "query_id": each.question, "as_of": iso(each.as_of), "recipe": each.recipe,
                "rank": each.rank, "what": each.what, "whole": each.whole, "cut": each.cut,
            }
            for each in check.differences
        ],
    }  # fmt: skip


def questions_json(evaluation: Evaluation) -> list[RankedQuestionJson]:
    """The results of each question, with the first documents."""
    return [
        {
            "query_id": question.id, "query": question.text, "type": question.type,
            "as_of": iso(evaluation.dataset.as_of(question)),
            "runs": [_answer(run.name, run.results[number]) for run in evaluation.runs],
        }
        for number, question in enumerate(evaluation.questions)
    ]  # fmt: skip


def _answer(recipe: str, answer: QuestionResult) -> RankedJson:
    return {
        "recipe": recipe,
        "metrics": numbers(answer.scores),
        "latency_ms": round(answer.latency_ms, 3),
        "first": [document for document, _ in answer.ranking[:FIRST]],
    }


# -- experiments -----------------------------------------------------------------------------------


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
    """The shape of a column, and whether it is the paper's."""

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
    """The JSON of `asof experiment` without a dataset."""
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


# -- tuning ----------------------------------------------------------------------------------------


class DifferenceJson(EstimateJson):
    """A difference of two means, paired."""

    p: Annotated[float, "how often chance alone makes it as large"]


class TunedFieldJson(TypedDict):
    """A number that was tuned."""

    field: str
    low: Annotated[float, "the least value that was tried"]
    high: Annotated[float, "the largest value that was tried"]
    start: Annotated[float, "its value before"]
    value: Annotated[float, "its value after, fitted to all questions"]
    folds: Annotated[list[float], "its value in each fold"]


class TuneJson(TypedDict):
    """The outcome of tuning."""

    dataset: str
    recipe: str
    metric: Annotated[str, "`ndcg@10`"]
    questions: int
    folds: Annotated[int, "parts of the questions, each held out once"]
    start: Annotated[float, "the metric before"]
    fitted: Annotated[float, "the metric after, on the questions that were fitted to"]
    held_out: Annotated[float, "the metric of each question with the values fitted to the other folds"]
    difference: Annotated[DifferenceJson, "`held_out` less `start`"]
    gain: Annotated[bool, "whether that is a gain, beyond chance"]
    lines: Annotated[str, 'lines for asof.toml; `""`: no gain']
    fields: list[TunedFieldJson]
    method: Annotated[str, "how settings were tried"]
    trials: Annotated[int, "settings that were tried"]
    notes: list[str]
    took_ms: float


def tune_json(outcome: TuningOutcome) -> TuneJson:
    gain = outcome.comparison
    return {
        "dataset": outcome.dataset, "recipe": outcome.recipe.name, "metric": gain.metric,
        "questions": outcome.questions, "folds": outcome.folds, "start": outcome.start,
        "fitted": outcome.fitted, "held_out": outcome.held_out,
        "difference": {"value": gain.difference, "low": gain.low, "high": gain.high, "p": gain.p},
        "gain": outcome.gain, "lines": outcome.lines,
        "fields": [_field_json(each) for each in outcome.numbers], "method": outcome.how,
        "trials": outcome.trials, "notes": list(outcome.notes),
        "took_ms": round(1000 * outcome.seconds, 1),
    }  # fmt: skip


def _field_json(each: TunedNumber) -> TunedFieldJson:
    return {
        "field": each.field, "low": each.low, "high": each.high, "start": each.start, "value": each.value,
        "folds": list(each.folds),
    }  # fmt: skip
