"""An evaluation as the documented JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, NotRequired, TypedDict

from asof.data.json import Instant, ProblemJson, keys, one_of, problem_json
from asof.evaluate.configuration import UsedConfiguration
from asof.evaluate.evaluation import Evaluation
from asof.evaluate.leakage.check import Leakage
from asof.evaluate.report.answers import (
    AnswersJson,
    ComparisonJson,
    EstimateJson,
    answers_json,
    comparison_json,
    numbers,
    optional_estimate_json,
)
from asof.evaluate.runs.run import METRICS, QuestionResult, Run
from asof.evaluate.runs.selection import groups
from asof.schema import plain
from asof.time.span import iso

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
    """Where the numbers of recipes are from."""

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
    """How much knowledge was compared."""

    moments: int
    facts: int
    names: int
    reports: int
    answers: int


class LeakedResultJson(TypedDict):
    """Where the whole corpus first differs from the one that was cut."""

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
    """Whether anything later shows in corpora that are cut where questions were asked."""

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
        value["per_query"] = questions(evaluation)
    return value


def configuration_json(used: UsedConfiguration | None) -> UsedConfigurationJson | None:
    """Where the numbers of recipes are from."""
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


def questions(evaluation: Evaluation) -> list[RankedQuestionJson]:
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
