"""The outcome of the incremental protocol as the documented JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from asof.evaluate.answers.run import AnswerRun
from asof.evaluate.incremental import Incremental, QuestionStage
from asof.evaluate.report.answers import as_json as answers_json
from asof.evaluate.report.evaluation import problem
from asof.evaluate.runs.compare import Estimate, clusters, estimate
from asof.evaluate.runs.run import METRICS, Run


def as_json(found: Incremental, *, per_query: bool = False) -> dict[str, Any]:
    """The JSON of `asof evaluate --incremental`; `per_query` adds the answers to each question."""
    return {
        "dataset": found.dataset.name,
        "update": {field: list(values) for field, values in found.split.wanted},
        "options": {
            "queries": list(found.dataset.files), "limit": found.options.limit,
            "without": list(found.options.without), "filter_by": list(found.options.filter_by),
            "seed": found.options.seed,
        },
        "costs": {"base": asdict(found.base), "update": asdict(found.update)},
        "stages": [_stage(found, stage, per_query) for stage in found.stages],
        "changed": [asdict(each) for each in found.changed],
        "notes": list(found.notes),
        "problems": [problem(each) for each in found.dataset.problems],
    }  # fmt: skip


def _stage(found: Incremental, stage: QuestionStage, per_query: bool) -> dict[str, Any]:
    answers = stage.answers
    return {
        "stage": stage.name,
        "ranked": len(stage.judged),
        "rankings": [
            {"recipe": run.name, "metrics": metrics(stage, run, found.options.seed)} for run in stage.runs
        ],
        "answers": None if answers is None else answers_json(answers, per_query=per_query),
    }


def metrics(stage: QuestionStage, run: Run, seed: int) -> dict[str, Any]:
    """Means with intervals, None where a metric does not apply."""
    means = {name: mean(stage, run, name, seed) for name in METRICS}
    return {name: None if each is None else asdict(each) for name, each in means.items()}


def mean(stage: QuestionStage, run: Run, metric: str, seed: int) -> Estimate | None:
    """The mean of a metric of the rankings of a stage, with its interval."""
    return estimate(run.values(metric), clusters([question.text for question in stage.judged]), seed)


def paired(stage: QuestionStage, recipes: Sequence[str]) -> list[tuple[str, Run | None, AnswerRun | None]]:
    """For each recipe its rankings and its answers in a stage, as far as there are any."""
    runs = {run.name: run for run in stage.runs}
    answers = {run.name: run for run in stage.answers.runs} if stage.answers is not None else {}
    return [(name, runs.get(name), answers.get(name)) for name in recipes]
