"""An evaluation as the documented JSON."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import Any

from asof.data import Problem
from asof.evaluate.evaluation import Evaluation
from asof.evaluate.leakage.check import Leakage
from asof.evaluate.report.answers import as_json as answers_json
from asof.evaluate.runs.run import METRICS, QuestionResult, Run
from asof.rank.fields import plain
from asof.time.span import iso

FIRST = 10


def as_json(evaluation: Evaluation, *, per_query: bool = False) -> dict[str, Any]:
    """The JSON of `asof evaluate`; `per_query` adds what each question got."""
    value: dict[str, Any] = {
        "dataset": evaluation.dataset.name,
        "runs": [
            {
                "recipe": run.name,
                "options": options(evaluation, run),
                "metrics": metrics(evaluation, run),
            }
            for run in evaluation.runs
        ],
        "comparisons": [asdict(comparison) for comparison in evaluation.comparisons],
        "leakage": None if evaluation.leakage is None else leakage(evaluation.leakage),
        "answers": answers(evaluation, per_query=per_query),
        "notes": list(evaluation.notes),
        "problems": [problem(each) for each in evaluation.dataset.problems],
    }
    if per_query:
        value["per_query"] = questions(evaluation)
    return value


def options(evaluation: Evaluation, run: Run) -> dict[str, Any]:
    """All that a run was made with, so that it can be made again."""
    chosen = evaluation.options
    settings = chosen.settings
    return {
        "queries": list(evaluation.dataset.files), "limit": chosen.limit, "without": list(chosen.without),
        "filter_by": list(chosen.filter_by), "seed": chosen.seed, "chunking": settings.chunking,
        "encoder": settings.encoder, "languages": list(settings.languages), "stem": settings.stem,
        "fields": {key: plain(value) for key, value in run.recipe.fields()},
    }  # fmt: skip


def metrics(evaluation: Evaluation, run: Run) -> dict[str, Any]:
    """Means with intervals (None where a metric does not apply), latencies, the number of questions."""
    found: dict[str, Any] = {}
    for name in METRICS:
        estimate = evaluation.estimate(run, name)
        found[name] = None if estimate is None else asdict(estimate)
    return {
        **found,
        "latency_ms_p50": round(run.latency(50), 3),
        "latency_ms_p95": round(run.latency(95), 3),
        "scored": len(run.results),
    }


def answers(evaluation: Evaluation, *, per_query: bool) -> dict[str, Any] | None:
    """What answers are worth; None when that was not asked for."""
    found = evaluation.answers
    return None if found is None else answers_json(found, evaluation.options.by, per_query=per_query)


def leakage(found: Leakage) -> dict[str, Any]:
    return {
        "queries": found.questions, "moments": found.moments, "clean": found.clean,
        "known": asdict(found.known),
        "differences": [
            {"query": each.question, "as_of": iso(each.as_of), "recipe": each.recipe, "rank": each.rank,
             "what": each.what, "whole": each.whole, "cut": each.cut}
            for each in found.differences
        ],
    }  # fmt: skip


def problem(found: Problem) -> dict[str, Any]:
    return {
        "message": found.message, "file": found.file, "line": found.line, "remedy": found.remedy,
        "document": found.document, "lost": found.lost,
    }  # fmt: skip


def questions(evaluation: Evaluation) -> list[dict[str, Any]]:
    """What each question got, with the first documents."""
    return [
        {
            "query": question.id, "text": question.text, "type": question.type,
            "as_of": iso(evaluation.dataset.as_of(question)),
            "runs": [{"recipe": run.name, **_answer(run.results[number])} for run in evaluation.runs],
        }
        for number, question in enumerate(evaluation.questions)
    ]  # fmt: skip


def _answer(answer: QuestionResult) -> dict[str, Any]:
    return {
        "metrics": {name: None if math.isnan(value) else value for name, value in answer.scores.items()},
        "latency_ms": round(answer.latency_ms, 3),
        "first": [document for document, _ in answer.ranking[:FIRST]],
    }
