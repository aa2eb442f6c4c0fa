"""The answers of an evaluation as the documented JSON, and the figures that all evaluations share."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Annotated, NotRequired, TypedDict

from asof.data.json import Instant, keys
from asof.evaluate.answers.metrics import ALL
from asof.evaluate.answers.results import AnswerRuns, JudgeUsage
from asof.evaluate.answers.run import AnswerRun, EvaluatedAnswer
from asof.evaluate.runs.compare import Comparison, Estimate
from asof.evaluate.runs.selection import groups
from asof.time.span import iso

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
    """How often a judge preferred one of two answers to an abstract question."""

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
