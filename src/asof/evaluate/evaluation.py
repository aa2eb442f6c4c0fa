"""`evaluate`: what recipes are worth on a dataset, how sure that is, and whether they see the future."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from asof import service
from asof.errors import UsageError
from asof.evaluate import leakage as leaks
from asof.evaluate.answers import Answers, Stand, ask_all, standing
from asof.evaluate.answers import gathered as answered
from asof.evaluate.by_model import NONE, Models
from asof.evaluate.compare import Comparison, Estimate, clusters, compared, estimate
from asof.evaluate.corpus import prepared
from asof.evaluate.dataset import Dataset, load
from asof.evaluate.judged import Question
from asof.evaluate.leakage import Leakage
from asof.evaluate.learned import read_facts
from asof.evaluate.options import DEFAULTS
from asof.evaluate.options import Options as Options
from asof.evaluate.progress import Progress as Progress
from asof.evaluate.progress import counting, silent
from asof.evaluate.runs import METRICS, Run, check_ids, run, write
from asof.evaluate.selection import check_by, check_filters, choose, named, to_answer
from asof.models.ports import Encoder
from asof.rank.recipe import Recipe
from asof.service import Corpus

COMPARED = tuple(name for name in METRICS if name != "leak@10")


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The outcome: a run for each recipe over the same `questions`, in the same order.

    `cluster` numbers questions of the same text alike. `leakage` and `answers` are None when they were not
    asked for.
    """

    dataset: Dataset
    options: Options
    questions: tuple[Question, ...]
    cluster: NDArray[np.int64]
    runs: tuple[Run, ...]
    comparisons: tuple[Comparison, ...]
    leakage: Leakage | None
    notes: tuple[str, ...]
    answers: Answers | None = None

    def estimate(self, run: Run, metric: str) -> Estimate | None:
        """The mean of a metric with its interval; None when it applies to no question."""
        return estimate(run.values(metric), self.cluster, self.options.seed)


def evaluate(
    dataset: str | Path,
    recipes: Sequence[str | Recipe] = ("asof",),
    options: Options = DEFAULTS,
    *,
    encoder: Encoder | None = None,
    cache: Path | None = None,
    run_file: Path | None = None,
    progress: Progress | None = None,
    stand: Stand = standing,
    models: Models = NONE,
) -> Evaluation:
    """Ask the questions of a dataset, each as of when it was asked, by each of some recipes.

    `cache`: the folder in which the corpus is kept for the next time (default: `service.cache_folder()`).
    `run_file` gets the rankings as a TREC run. `stand` is what gives answers, `models` what writes and judges
    them. Raises UsageError for a dataset that cannot be evaluated, ModelError.
    """
    tell = progress or silent
    tell("reading", 0, 0)
    chosen = named(recipes)
    settings = replace(options.settings, undated="always")
    if encoder is not None:
        settings = replace(settings, encoder=encoder.name)
    options = replace(options, settings=settings)
    data = load(Path(dataset), queries=options.queries, without=options.without)
    check_filters(data, options)
    check_by(data, options)
    models.check()
    if models.writes and options.leakage:
        raise UsageError("--leakage compares what is made without a model: check it without --model")
    if run_file is not None:
        check_ids(run_file, data)
    questions, notes = choose(data, options)
    asked = len(questions)
    with prepared(
        data, settings, cache or service.cache_folder(), encoder,
        lambda report: tell("indexing", report.added, len(data.dates)), notes.append,
    ) as corpus:  # fmt: skip
        models.writing(corpus)
        if options.answers or options.leakage:
            read_facts(corpus, tell)
        runs = tuple(
            run(name, recipe, corpus, data, questions, options.filter_by, counting(tell, name, asked))
            for name, recipe in chosen.items() if questions
        )  # fmt: skip
        answers = (
            _answers(corpus, data, chosen, options, models, stand, tell, notes) if options.answers else None
        )
        leaked = (
            _leakage(corpus, data, chosen, options, encoder, stand, tell, notes) if options.leakage else None
        )
    if run_file is not None:
        write(run_file, runs)
    cluster = clusters([question.text for question in questions])
    return Evaluation(
        data, options, tuple(questions), cluster, runs, _comparisons(runs, cluster, options.seed), leaked,
        (*notes, *_remarks(runs)), answers,
    )  # fmt: skip


def _answers(
    corpus: Corpus, dataset: Dataset, recipes: dict[str, Recipe], options: Options, models: Models,
    stand: Stand, tell: Progress, notes: list[str],
) -> Answers:  # fmt: skip
    asked, said = to_answer(dataset, options, overviews=models.judges and len(recipes) > 1)
    notes += said
    runs = [
        ask_all(
            name,
            recipe,
            corpus,
            dataset,
            asked,
            options.filter_by,
            stand,
            counting(tell, f"{name}, answers", len(asked)),
        )
        for name, recipe in recipes.items()
    ]
    with models.judge(corpus) as judge:
        if judge is None:
            return answered(runs, asked, options.seed)
        from asof.evaluate.judgement import judge_all

        tell("judging", 0, 0)
        return judge_all(judge, runs, asked, options.seed)


def _remarks(runs: Sequence[Run]) -> list[str]:
    notes = []
    for each in runs:
        restless = sum(not answer.steady for answer in each.answers)
        if restless:
            notes.append(
                f"{each.name}: the first ten of {restless:,} questions are others when more hits are asked "
                "for; the metrics are those of the longer lists"
            )
    nowhere = sum(answer.nowhere for each in runs[:1] for answer in each.answers)
    if nowhere:
        notes.append(f"{nowhere:,} sentences of evidence.jsonl are not in their documents: counted as missed")
    return notes


def _leakage(
    corpus: Corpus, dataset: Dataset, recipes: dict[str, Recipe], options: Options, encoder: Encoder | None,
    stand: Stand, tell: Progress, notes: list[str],
) -> Leakage:  # fmt: skip
    asked, able = leaks.chosen(dataset, options.leakage, options.seed)
    if able < len(asked):
        notes.append(
            f"leakage: {len(asked) - able:,} of {len(asked):,} questions are asked when nothing "
            "later was published: they only show that a corpus built anew answers the same"
        )
    return leaks.check(
        corpus, dataset, recipes, asked, options.settings, encoder, options.filter_by,
        counting(tell, "leakage", len(asked)), stand,
    )  # fmt: skip


def _comparisons(runs: Sequence[Run], cluster: NDArray[np.int64], seed: int) -> tuple[Comparison, ...]:
    values = {each.name: {metric: each.values(metric) for metric in COMPARED} for each in runs}
    return tuple(
        found
        for a, b in combinations(values, 2)
        for found in compared(a, b, values[a], values[b], cluster, seed)
    )
