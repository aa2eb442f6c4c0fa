"""`evaluate`: what recipes are worth on a dataset, how sure that is, and whether they see the future."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from asof import environment
from asof.corpus.corpus import Corpus
from asof.errors import UsageError
from asof.evaluate.answers.answers import AnswerRuns, Stand, ask_all, standing
from asof.evaluate.answers.answers import gathered as answered
from asof.evaluate.answers.by_model import NONE, Models
from asof.evaluate.answers.facts import read_facts
from asof.evaluate.leakage import results as leaks
from asof.evaluate.leakage.results import Leakage
from asof.evaluate.options import DEFAULTS
from asof.evaluate.options import Options as Options
from asof.evaluate.progress import Progress as Progress
from asof.evaluate.progress import counting, silent
from asof.evaluate.runs.compare import Comparison, Estimate, clusters, compared, estimate
from asof.evaluate.runs.corpus import prepared
from asof.evaluate.runs.dataset import Dataset, load
from asof.evaluate.runs.questions import DatasetQuestion
from asof.evaluate.runs.run import METRICS, Run, check_ids, run, write
from asof.evaluate.runs.selection import check_by, check_filters, choose, named, to_answer
from asof.models.ports import Encoder
from asof.rank.recipe import Recipe

COMPARED = tuple(name for name in METRICS if name != "leak@10")


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The outcome: a run for each recipe over the same `questions`, in the same order.

    `cluster` numbers questions of the same text alike. `leakage` and `answers` are None when they were not
    asked for.
    """

    dataset: Dataset
    options: Options
    questions: tuple[DatasetQuestion, ...]
    cluster: NDArray[np.int64]
    runs: tuple[Run, ...]
    comparisons: tuple[Comparison, ...]
    leakage: Leakage | None
    notes: tuple[str, ...]
    answers: AnswerRuns | None = None

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

    `cache`: the folder in which the corpus is kept for the next time (default: `environment.cache_folder()`).
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
    _check(data, options, models, run_file)
    questions, notes = choose(data, options)
    with prepared(
        data, settings, cache or environment.cache_folder(), encoder,
        lambda report: tell("indexing", report.added, len(data.dates)), notes.append, models.writer,
    ) as corpus:  # fmt: skip
        asking = _Evaluating(corpus, data, chosen, options, encoder, stand, models, tell, notes)
        asking.prepare()
        runs = asking.runs(questions)
        answers = asking.answers() if options.answers else None
        leaked = asking.leakage() if options.leakage else None
    if run_file is not None:
        write(run_file, runs)
    cluster = clusters([question.text for question in questions])
    return Evaluation(
        data, options, tuple(questions), cluster, runs, _comparisons(runs, cluster, options.seed), leaked,
        (*notes, *_remarks(runs)), answers,
    )  # fmt: skip


def _check(dataset: Dataset, options: Options, models: Models, run_file: Path | None) -> None:
    check_filters(dataset, options)
    check_by(dataset, options)
    models.check()
    if models.writes and options.leakage:
        raise UsageError("--leakage compares what is made without a model: check it without --model")
    if run_file is not None:
        check_ids(run_file, dataset)


@dataclass(frozen=True, slots=True)
class _Evaluating:
    """A corpus, and how it is asked; `notes` are added to."""

    corpus: Corpus
    dataset: Dataset
    recipes: dict[str, Recipe]
    options: Options
    encoder: Encoder | None
    stand: Stand
    models: Models
    tell: Progress
    notes: list[str]

    def prepare(self) -> None:
        """See to it that passages are read for facts where facts matter, by what is to read them here."""
        self.models.writing(self.corpus)
        if self.options.answers or self.options.leakage:
            read_facts(self.corpus, self.tell)

    def runs(self, questions: Sequence[DatasetQuestion]) -> tuple[Run, ...]:
        """A run for each recipe; none where there are no questions."""
        return tuple(
            run(
                name, recipe, self.corpus, self.dataset, questions, self.options.filter_by,
                counting(self.tell, name, len(questions)),
            )
            for name, recipe in self.recipes.items()
            if questions
        )  # fmt: skip

    def answers(self) -> AnswerRuns:
        """The answers by each recipe, judged if they are to be."""
        overviews = self.models.judges and len(self.recipes) > 1
        asked, said = to_answer(self.dataset, self.options, overviews=overviews)
        self.notes.extend(said)
        runs = [
            ask_all(
                name, recipe, self.corpus, self.dataset, asked, self.options.filter_by, self.stand,
                counting(self.tell, f"{name}, answers", len(asked)),
            )
            for name, recipe in self.recipes.items()
        ]  # fmt: skip
        with self.models.judge(self.corpus) as judge:
            if judge is None:
                return answered(runs, asked, self.options.seed)
            from asof.evaluate.answers.judgement import judge_all

            self.tell("judging", 0, 0)
            return judge_all(judge, runs, asked, self.options.seed)

    def leakage(self) -> Leakage:
        """The same questions in corpora that end where they are asked."""
        asked, able = leaks.chosen(self.dataset, self.options.leakage, self.options.seed)
        if able < len(asked):
            self.notes.append(
                f"leakage: {len(asked) - able:,} of {len(asked):,} questions are asked when nothing "
                "later was published: they only show that a corpus built anew answers the same"
            )
        return leaks.check(
            self.corpus, self.dataset, self.recipes, asked, self.options.settings, self.encoder,
            self.options.filter_by, counting(self.tell, "leakage", len(asked)), self.stand,
        )  # fmt: skip


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


def _comparisons(runs: Sequence[Run], cluster: NDArray[np.int64], seed: int) -> tuple[Comparison, ...]:
    values = {each.name: {metric: each.values(metric) for metric in COMPARED} for each in runs}
    return tuple(
        found
        for a, b in combinations(values, 2)
        for found in compared(a, b, values[a], values[b], cluster, seed)
    )
