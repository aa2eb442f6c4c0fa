"""The outcome of the incremental protocol as the documented JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, TypedDict

from asof.data.json import ProblemJson, keys, one_of, problem_json
from asof.evaluate.answers.facts import IndexingCost
from asof.evaluate.answers.run import AnswerRun
from asof.evaluate.incremental import Incremental, QuestionStage
from asof.evaluate.report.answers import (
    AnswersJson,
    EstimateJson,
    answers_json,
    optional_estimate_json,
)
from asof.evaluate.runs.compare import Estimate, clusters, estimate
from asof.evaluate.runs.run import METRICS, Run


class IncrementalOptionsJson(TypedDict):
    """What the stages were asked with."""

    queries: Annotated[list[str], "files of questions"]
    limit: int | None
    without: Annotated[list[str], "fields of documents that were blanked"]
    filter_by: list[str]
    seed: int


class UpdateCostJson(TypedDict):
    """What it took to take documents in."""

    documents: int
    index_seconds: float
    facts_seconds: float
    facts: Annotated[int, "that are new"]
    calls: Annotated[int, "of a model that read them"]
    prompt_tokens: int
    reply_tokens: int
    periods: Annotated[int, "whose reports are others now"]


class CostsJson(TypedDict):
    """What base and update took."""

    base: UpdateCostJson
    update: UpdateCostJson


class RankingJson(TypedDict):
    """What a recipe is worth in a stage."""

    recipe: str
    metrics: Annotated[dict[str, EstimateJson | None], keys(METRICS), "null: a metric does not apply"]


class StageJson(TypedDict):
    """Questions asked of a corpus."""

    stage: Annotated[str, one_of("base@base", "base@updated", "new@updated"), "questions@corpus"]
    ranked: Annotated[int, "how many questions were ranked for"]
    rankings: list[RankingJson]
    answers: Annotated[AnswersJson | None, "null: no question has a right answer"]


class ChangedAnswersJson(TypedDict):
    """How many of the base questions got something else after the update."""

    recipe: str
    asked: int
    answers: Annotated[int, "of those asked, how many got another answer"]
    ranked: int
    rankings: Annotated[int, "of those ranked, how many got another first document"]


class IncrementalJson(TypedDict):
    """A base, then an update: what they took, and what changed."""

    dataset: Annotated[str, "the name of its folder"]
    update: Annotated[dict[str, list[str]], "the values of fields that documents of the update have"]
    options: IncrementalOptionsJson
    costs: CostsJson
    stages: list[StageJson]
    changed: list[ChangedAnswersJson]
    notes: list[str]
    problems: list[ProblemJson]


def incremental_json(found: Incremental, *, per_query: bool = False) -> IncrementalJson:
    """The JSON of `asof evaluate --incremental`; `per_query` adds the answers to each question."""
    return {
        "dataset": found.dataset.name,
        "update": {field: list(values) for field, values in found.split.wanted},
        "options": {
            "queries": list(found.dataset.files), "limit": found.options.limit,
            "without": list(found.options.without), "filter_by": list(found.options.filter_by),
            "seed": found.options.seed,
        },
        "costs": {"base": _cost_json(found.base), "update": _cost_json(found.update)},
        "stages": [_stage(found, stage, per_query) for stage in found.stages],
        "changed": [
            {
                "recipe": each.recipe, "asked": each.asked, "answers": each.answers, "ranked": each.ranked,
                "rankings": each.rankings,
            }
            for each in found.changed
        ],
        "notes": list(found.notes),
        "problems": [problem_json(each) for each in found.dataset.problems],
    }  # fmt: skip


def _cost_json(found: IndexingCost) -> UpdateCostJson:
    return {
        "documents": found.documents, "index_seconds": found.index_seconds,
        "facts_seconds": found.facts_seconds, "facts": found.facts, "calls": found.calls,
        "prompt_tokens": found.prompt_tokens, "reply_tokens": found.reply_tokens, "periods": found.periods,
    }  # fmt: skip


def _stage(found: Incremental, stage: QuestionStage, per_query: bool) -> StageJson:
    answers, seed = stage.answers, found.options.seed
    return {
        "stage": stage.name,
        "ranked": len(stage.judged),
        "rankings": [
            {
                "recipe": run.name,
                "metrics": {name: optional_estimate_json(mean(stage, run, name, seed)) for name in METRICS},
            }
            for run in stage.runs
        ],
        "answers": None if answers is None else answers_json(answers, per_query=per_query),
    }


def mean(stage: QuestionStage, run: Run, metric: str, seed: int) -> Estimate | None:
    """The mean of a metric of the rankings of a stage, with its interval."""
    return estimate(run.values(metric), clusters([question.text for question in stage.judged]), seed)


def paired(stage: QuestionStage, recipes: Sequence[str]) -> list[tuple[str, Run | None, AnswerRun | None]]:
    """For each recipe its rankings and its answers in a stage, as far as there are any."""
    runs = {run.name: run for run in stage.runs}
    answers = {run.name: run for run in stage.answers.runs} if stage.answers is not None else {}
    return [(name, runs.get(name), answers.get(name)) for name in recipes]
