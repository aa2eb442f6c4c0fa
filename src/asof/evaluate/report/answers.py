"""The answers of an evaluation as the documented JSON."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from asof.evaluate.answers.metrics import ALL
from asof.evaluate.answers.results import AnswerRuns, groups
from asof.evaluate.answers.run import AnswerRun, EvaluatedAnswer
from asof.time.span import iso

TYPE = "type"


def as_json(found: AnswerRuns, by: Sequence[str] = (), *, per_query: bool = False) -> dict[str, Any]:
    """What answers are worth, also by type and by the fields `by`; `per_query` adds the answers."""
    value: dict[str, Any] = {
        "questions": len(found.references),
        "answerable": sum(gold.answerable for gold in found.references),
        "judge": None if found.judging is None else asdict(found.judging),
        "runs": [
            {
                "recipe": run.name,
                "metrics": metrics(found, run),
                "latency_ms_p50": round(run.latency(50), 3),
                "latency_ms_p95": round(run.latency(95), 3),
                "cost": run.cost,
                "groups": [group for field in fields(by) for group in grouped(found, run, field)],
            }
            for run in found.runs
        ],
        "comparisons": [asdict(comparison) for comparison in found.comparisons],
    }
    if per_query:
        value["per_query"] = questions(found)
    return value


def fields(by: Sequence[str]) -> list[str]:
    """The fields of questions by which figures are broken down: the type, and those named."""
    return list(dict.fromkeys((TYPE, *by)))


def metrics(found: AnswerRuns, run: AnswerRun, at: Sequence[int] | None = None) -> dict[str, Any]:
    """Means with intervals, None where a metric does not apply."""
    estimates = {name: found.estimate(run, name, at) for name in ALL}
    return {name: None if each is None else asdict(each) for name, each in estimates.items()}


def grouped(found: AnswerRuns, run: AnswerRun, field: str) -> list[dict[str, Any]]:
    """The metrics of the questions of each value of a field."""
    return [
        {
            "field": field, "value": value, "questions": len(at),
            "answerable": sum(found.references[n].answerable for n in at), "metrics": metrics(found, run, at),
        }
        for value, at in groups(found.references, field).items()
    ]  # fmt: skip


def questions(found: AnswerRuns) -> list[dict[str, Any]]:
    """What each question was answered."""
    return [
        {
            "query": gold.question.id, "text": gold.question.text, "type": gold.question.type,
            "gold": gold.text, "answerable": gold.answerable,
            "runs": [{"recipe": run.name, **_reply(run.replies[number])} for run in found.runs],
        }
        for number, gold in enumerate(found.references)
    ]  # fmt: skip


def _reply(reply: EvaluatedAnswer) -> dict[str, Any]:
    answer = reply.answer
    return {
        "as_of": iso(answer.as_of), "answer": answer.text, "refused": answer.refused, "reason": answer.reason,
        "mode": answer.mode, "by": answer.by,
        "citations": [
            {"n": each.n, "id": each.id, "document": each.document, "quote": each.quote}
            for each in answer.citations
        ],
        "metrics": {name: None if math.isnan(value) else value for name, value in reply.scores.items()},
        "latency_ms": round(reply.latency_ms, 3), "notes": list(answer.notes),
    }  # fmt: skip
