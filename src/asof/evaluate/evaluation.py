"""`evaluate`: how good recipes are on a dataset, how certain that is, and whether anything later leaks in.

Read this first. `runs/` has the dataset and its rankings, `answers/` its answers, `leakage/` the check that
nothing later shows, `report/` the JSON, `figures.py` the figures; `configuration.py` says which numbers of
recipes hold, `incremental.py` is the protocol with an update. Tables of the papers: `experiment.py` runs one,
`published.py` and `published.toml` have them, `protocols.py` what is no variation of settings.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from asof import environment
from asof.corpus.corpus import Corpus
from asof.errors import UsageError
from asof.evaluate.answers.facts import read_facts
from asof.evaluate.answers.models import NO_MODELS, EvaluationModels
from asof.evaluate.answers.reference import choose_references
from asof.evaluate.answers.results import AnswerRuns
from asof.evaluate.answers.run import AnswererFactory, snapshot_at
from asof.evaluate.configuration import UsedConfiguration
from asof.evaluate.leakage.check import Leakage, check_leakage, leakage_sample
from asof.evaluate.options import DEFAULT_OPTIONS, EvaluationOptions, Progress, no_progress, progress_counter
from asof.evaluate.runner import Runner
from asof.evaluate.runs.compare import Comparison, Estimate, clusters, compare_pairs, estimate
from asof.evaluate.runs.corpus import prepared
from asof.evaluate.runs.dataset import Dataset, load
from asof.evaluate.runs.metrics import check_metrics
from asof.evaluate.runs.questions import DatasetQuestion
from asof.evaluate.runs.run import BUDGET, METRICS, Run, check_ids, write
from asof.evaluate.runs.selection import check_by, check_filters, choose, recipes_by_name
from asof.models.ports import Encoder
from asof.rank.recipe import Recipe

COMPARED = tuple(name for name in METRICS if name not in ("leak@10", *BUDGET))


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The result: a run for each recipe over the same `questions`, in the same order.

    `cluster` has the same number for questions of the same text. `leakage` and `answers` are None if they
    were not asked for. `configuration`: where the recipes' numbers are from, if they were asked for by name.
    """

    dataset: Dataset
    options: EvaluationOptions
    questions: tuple[DatasetQuestion, ...]
    cluster: NDArray[np.int64]
    runs: tuple[Run, ...]
    comparisons: tuple[Comparison, ...]
    leakage: Leakage | None
    notes: tuple[str, ...]
    answers: AnswerRuns | None = None
    configuration: UsedConfiguration | None = None

    def estimate(self, run: Run, metric: str, at: Sequence[int] | None = None) -> Estimate | None:
        """The mean of a metric with its interval, over all questions or those `at`; None if it applies to
        none."""
        chosen = list(range(len(self.questions))) if at is None else list(at)
        return estimate(run.values(metric)[chosen], self.cluster[chosen], self.options.seed)


def evaluate(
    dataset: str | Path,
    recipes: Sequence[str | Recipe] = ("asof",),
    options: EvaluationOptions = DEFAULT_OPTIONS,
    *,
    encoder: Encoder | None = None,
    cache: Path | None = None,
    run_file: Path | None = None,
    progress: Progress | None = None,
    answerer_at: AnswererFactory = snapshot_at,
    models: EvaluationModels = NO_MODELS,
    compare: bool = True,
) -> Evaluation:
    """Ask the questions of a dataset, each as of its moment, by each of some recipes.

    `cache`: the folder that keeps the corpus for the next time (default: `environment.cache_folder()`).
    `run_file` gets the rankings as a TREC run. `answerer_at` makes what answers, `models` what writes and
    judges answers. `compare`: rankings are compared in pairs, too. Raises UsageError for a dataset that
    cannot be evaluated, ModelError.
    """
    progress = progress or no_progress
    progress("reading", 0, 0)
    named = recipes_by_name(recipes)
    settings = replace(options.settings, undated="always")
    if encoder is not None:
        settings = replace(settings, encoder=encoder.name)
    options = replace(options, settings=settings)
    data = load(Path(dataset), queries=options.queries, without=options.without)
    _check(data, options, models, run_file)
    questions, notes = choose(data, options)
    runner = Runner(data, named, options, answerer_at, models, progress)
    answers = leakage = None
    with prepared(
        data, settings, cache or environment.cache_folder(), encoder,
        lambda report: progress("indexing", report.added, len(data.dates)), notes.append, models.writer,
    ) as corpus:  # fmt: skip
        models.configure(corpus)
        if options.answers or options.leakage:
            read_facts(corpus, progress)
        runs = runner.rank(corpus, questions)
        if options.answers:
            references, more = choose_references(data, options, overviews=runner.overviews)
            notes += more
            answers = runner.answer(corpus, references)
        if options.leakage:
            leakage = _leakage(corpus, runner, encoder, notes)
    if run_file is not None:
        write(run_file, runs)
    cluster = clusters([question.text for question in questions])
    compared = dict.fromkeys((*COMPARED, *options.metrics))
    values = {each.name: {metric: each.values(metric) for metric in compared} for each in runs if compare}
    return Evaluation(
        data, options, tuple(questions), cluster, runs,
        compare_pairs(values, cluster, options.seed), leakage,
        (*notes, *_run_notes(runs)), answers,
    )  # fmt: skip


def _check(
    dataset: Dataset, options: EvaluationOptions, models: EvaluationModels, run_file: Path | None
) -> None:
    check_filters(dataset, options)
    check_by(dataset, options)
    check_metrics(options.metrics)
    models.check()
    if models.writes and options.leakage:
        raise UsageError(
            "--leakage compares facts and answers made without a model: check it without --model"
        )
    if run_file is not None:
        check_ids(run_file, dataset)


def _leakage(corpus: Corpus, runner: Runner, encoder: Encoder | None, notes: list[str]) -> Leakage:
    """The leakage on a sample of the questions; adds a note if some of them cannot leak."""
    dataset, options = runner.dataset, runner.options
    questions, can_leak = leakage_sample(dataset, options.leakage, options.seed)
    if can_leak < len(questions):
        notes.append(
            f"leakage: {len(questions) - can_leak:,} of {len(questions):,} questions are asked when nothing "
            "later was published: they only show that a corpus built anew answers the same"
        )
    return check_leakage(
        corpus, dataset, runner.recipes, questions, options.settings, encoder, options.filter_by,
        progress_counter(runner.progress, "leakage", len(questions)), runner.answerer_at,
    )  # fmt: skip


def _run_notes(runs: Sequence[Run]) -> list[str]:
    notes = []
    for each in runs:
        unsteady = sum(not result.steady for result in each.results)
        if unsteady:
            notes.append(
                f"{each.name}: the first ten of {unsteady:,} questions are others when more hits are asked "
                "for; the metrics are those of the longer lists"
            )
    missing = sum(result.missing_sentences for each in runs[:1] for result in each.results)
    if missing:
        notes.append(f"{missing:,} sentences of evidence.jsonl are not in their documents: counted as missed")
    return notes
