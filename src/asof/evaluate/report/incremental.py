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
from asof.evaluate.report.evaluation import UsedConfigurationJson, configuration_json
from asof.evaluate.runs.compare import Estimate, clusters, estimate
from asof.evaluate.runs.run import METRICS, Run


class IncrementalOptionsJson(TypedDict):
    """The options of the stages."""

    queries: Annotated[list[str], "files of questions"]
    limit: int | None
    without: Annotated[list[str], "fields of documents that were blanked"]
    filter_by: list[str]
    seed: int
    configuration: Annotated[UsedConfigurationJson | None, "null: recipes were given as values"]


class UpdateCostJson(TypedDict):
    """The cost of indexing documents."""

    documents: int
    index_seconds: float
    facts_seconds: float
    facts: Annotated[int, "that are new"]
    calls: Annotated[int, "of a model that read them"]
    prompt_tokens: int
    reply_tokens: int
    periods: Annotated[int, "whose reports are others now"]


class CostsJson(TypedDict):
    """The costs of the base and of the update."""

    base: UpdateCostJson
    update: UpdateCostJson


class RankingJson(TypedDict):
    """The metrics of a recipe in a stage."""

    recipe: str
    metrics: Annotated[dict[str, EstimateJson | None], keys(METRICS), "null: a metric does not apply"]


class StageJson(TypedDict):
    """The questions of a stage and their metrics."""

    stage: Annotated[str, one_of("base@base", "base@updated", "new@updated"), "questions@corpus"]
    ranked: Annotated[int, "how many questions were ranked for"]
    rankings: list[RankingJson]
    answers: Annotated[AnswersJson | None, "null: no question has a right answer"]


class ChangedAnswersJson(TypedDict):
    """How many of the base questions have another result after the update."""

    recipe: str
    asked: int
    answers: Annotated[int, "of those asked, how many got another answer"]
    ranked: int
    rankings: Annotated[int, "of those ranked, how many got another first document"]


class IncrementalJson(TypedDict):
    """A base and an update: their costs, and the results that changed."""

    dataset: Annotated[str, "the name of its folder"]
    update: Annotated[dict[str, list[str]], "the values of fields that documents of the update have"]
    options: IncrementalOptionsJson
    costs: CostsJson
    stages: list[StageJson]
    changed: list[ChangedAnswersJson]
    notes: list[str]
    problems: list[ProblemJson]


def incremental_json(result: Incremental, *, per_query: bool = False) -> IncrementalJson:
    """The JSON of `asof evaluate --incremental`; `per_query` adds the answers to each question."""
    return {
        "dataset": result.dataset.name,
        "update": {field: list(values) for field, values in result.split.update_values},
        "options": {
            "queries": list(result.dataset.files), "limit": result.options.limit,
            "without": list(result.options.without), "filter_by": list(result.options.filter_by),
            "seed": result.options.seed, "configuration": configuration_json(result.configuration),
        },
        "costs": {"base": _cost_json(result.base), "update": _cost_json(result.update)},
        "stages": [_stage(result, stage, per_query) for stage in result.stages],
        "changed": [
            {
                "recipe": each.recipe, "asked": each.answered, "answers": each.answers, "ranked": each.ranked,
                "rankings": each.rankings,
            }
            for each in result.changed
        ],
        "notes": list(result.notes),
        "problems": [problem_json(each) for each in result.dataset.problems],
    }  # fmt: skip


def _cost_json(cost: IndexingCost) -> UpdateCostJson:
    return {
        "documents": cost.documents, "index_seconds": cost.index_seconds,
        "facts_seconds": cost.facts_seconds, "facts": cost.facts, "calls": cost.calls,
        "prompt_tokens": cost.prompt_tokens, "reply_tokens": cost.reply_tokens, "periods": cost.periods,
    }  # fmt: skip


def _stage(result: Incremental, stage: QuestionStage, per_query: bool) -> StageJson:
    answers, seed = stage.answers, result.options.seed
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
    """For each recipe its rankings and its answers in a stage; None without them."""
    runs = {run.name: run for run in stage.runs}
    answers = {run.name: run for run in stage.answers.runs} if stage.answers is not None else {}
    return [(name, runs.get(name), answers.get(name)) for name in recipes]
